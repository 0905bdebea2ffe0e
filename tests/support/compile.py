#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Compiles one file and judges the outcome: no warning at all, or one error that says what the file expects.
# Run by CTest through tarn_add_compile_test, with g++, clang++, nvcc or zig.
# Knows nothing of tarn but that C++20 is spoken.
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
MAX_ERROR_LINES = 12
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]


def command(compiler, source, flags, folder):
    kind = pathlib.PurePath(compiler).name
    if kind.startswith("nvcc"):
        # -Wpedantic dislikes the line markers of nvcc's own intermediate files.
        host = ",".join(flag for flag in WARNINGS if flag != "-Wpedantic")
        return [compiler, "-std=c++20", "-x", "cu", "-arch=sm_75", "-Werror", "all-warnings", "-Xcompiler", host,
                "-c", "-o", os.path.join(folder, "out.o"), *flags, source]
    front = zig_clang(compiler) if kind.startswith("python-zig") else [compiler]
    return [*front, "-std=c++20", "-fsyntax-only", *WARNINGS, *flags, source]


def zig_clang(zig):
    """The clang inside zig, called as itself: `zig c++` would want an object file to keep, and optimize for minutes."""
    told = subprocess.run([zig, "env"], capture_output=True, text=True, check=True).stdout
    found = re.search(r'"?lib_dir"?\s*[=:]\s*"([^"]+)"', told)
    return [zig, "clang", "-x", "c++", "-resource-dir", found[1]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--fails", action="store_true")
    parser.add_argument("flags", nargs="*")
    args = parser.parse_args()
    if not args.compiler or args.compiler.endswith("NOTFOUND"):
        print("skipped: this compiler was not found")
        return SKIPPED

    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, LC_ALL="C")
        line = command(args.compiler, args.source, args.flags, folder)
        print(" ".join(line))
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    print(done.stdout, end="")

    if not args.fails:
        return 0 if done.returncode == 0 else 1
    expected = re.findall(r"//\s*expect:\s*(.*\S)", pathlib.Path(args.source).read_text(encoding="utf-8"))
    lines = [text for text in done.stdout.splitlines() if text.strip()]
    # nvcc and some compilers break long sentences over lines.
    said = re.sub(r"\s+", " ", done.stdout)
    faults = [f"not said: {text}" for text in expected if text not in said]
    if not expected:
        faults.append("the file has no `// expect: text` line")
    if done.returncode == 0:
        faults.append("it compiled")
    errors = sum(1 for text in lines if re.search(r"\berror\b.*:|: (fatal )?error", text))
    if errors != 1:
        faults.append(f"{errors} errors instead of one")
    if len(lines) > MAX_ERROR_LINES:
        faults.append(f"{len(lines)} lines, more than {MAX_ERROR_LINES}")
    print("\n".join(f"compile.py: {fault}" for fault in faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
