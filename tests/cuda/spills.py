#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Compiles a .cu file with nvcc, warnings as errors, and reads in ptxas' report that no kernel keeps registers in memory.
# Run by CTest; skipped without nvcc. --spilling: a file in which spills must be seen; --trap: one that nvcc is known not
# to compile; --refused: one that must not compile, for a reason in these words. Knows nothing of kernels.
import argparse
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
HOST_WARNINGS = "-Wall,-Wextra,-Wshadow,-Wconversion,-Werror"  # -Wpedantic dislikes nvcc's own line markers


def compiled(args, folder):
    line = [args.nvcc, "-std=c++20", "-O3", "-Werror", "all-warnings", "-Xcompiler", HOST_WARNINGS + ",-fPIC",
            "-Xptxas", "-v", "-shared", "-o", os.path.join(folder, "kernels.so")]
    line += [f"-I{os.path.join(args.root, part)}" for part in ("include", "kernels", "tests")]
    for architecture in args.architectures:
        line += ["-gencode", f"arch=compute_{architecture},code=sm_{architecture}"]
    print(" ".join(line + [args.source]))
    return subprocess.run(line + [args.source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, LC_ALL="C"))


def kernels(report):
    """(name, architecture, bytes of stack, bytes of spills) of each kernel that ptxas reports."""
    found = re.compile(r"Compiling entry function '([^']+)' for 'sm_(\d+)'.*?"
                       r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", re.S)
    for name, architecture, stack, stores, loads in found.findall(report):
        yield name, architecture, int(stack), int(stores) + int(loads)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--architectures", nargs="+", required=True)
    parser.add_argument("--spilling", action="store_true")
    parser.add_argument("--trap", action="store_true")
    parser.add_argument("--refused")
    args = parser.parse_args()
    if not args.nvcc or args.nvcc.endswith("NOTFOUND"):
        print("skipped: nvcc was not found")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        done = compiled(args, folder)
    if args.trap:
        print(done.stdout[-2000:])
        if done.returncode == 0:
            print("spills.py: nvcc compiles this now: kernels may take Ops as template arguments")
        return 0 if done.returncode != 0 and "template argument" in done.stdout else 1
    if args.refused:
        print(done.stdout[:2000])
        return 0 if done.returncode != 0 and args.refused in done.stdout else 1
    if done.returncode != 0:
        print(done.stdout)
        return 1
    seen = list(kernels(done.stdout))
    spilled = [one for one in seen if one[2] or one[3]]
    for name, architecture, stack, spills in spilled:
        print(f"sm_{architecture}: {stack} bytes of stack, {spills} bytes of spills: {name}")
    print(f"{len(seen)} kernels, {len(spilled)} with registers in memory")
    if args.spilling:
        return 0 if spilled else 1
    return 0 if seen and not spilled else 1


if __name__ == "__main__":
    sys.exit(main())
