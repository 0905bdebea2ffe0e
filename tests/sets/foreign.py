#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Compiles a program for another machine and runs it by what stands in for that machine.
# Run by CTest; exits 77 where the compiler or the runner was not found.
# Knows of the program only that it names its instruction sets and that 0 means right.
import argparse
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--flags", default="")
    parser.add_argument("--set", required=True, help="the instruction set that the program must name")
    parser.add_argument("runner", nargs="+")
    args = parser.parse_args()
    if any(not tool or tool.endswith("NOTFOUND") for tool in (args.compiler, args.runner[0])):
        print("skipped: the compiler or the emulator was not found")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        made = str(pathlib.Path(folder, "program"))
        line = [args.compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", *args.flags.replace(";", " ").split(),
                args.source, "-o", made]
        print(" ".join(line), flush=True)
        subprocess.run(line, check=True)
        ended = subprocess.run([*args.runner, made], text=True, stdout=subprocess.PIPE)
    print(ended.stdout, end="")
    if ended.returncode == SKIPPED:
        return SKIPPED
    if f"sets: [{args.set}];" not in ended.stdout:
        print(f"foreign.py: the program did not run on {args.set}")
        return 1
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
