#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Compiles a file at -O2 and judges what its object file imports: memory moves of the C library and nothing else.
# Run by CTest on forward_only.cpp and, with --refused PREFIX, on each violation planted in forward_planted.cpp.
# Knows nothing of tarn but that C++20 is spoken.
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Functions that compilers call on their own for copies and fills. They allocate nothing and call no system.
ALLOWED = {"memcpy", "memmove", "memset", "memcmp",
           # Where position-independent code finds its data; the check that a stack frame is whole.
           "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail",
           # What the unwinder would ask at a noexcept frame: named in tables, not called. Throwing takes __cxa_throw.
           "__gxx_personality_v0"}


def imports(compiler, source, flags):
    """Names that the object file of a source leaves undefined, weak ones included."""
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "unit.o")
        line = [compiler, "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", *flags, "-c", source, "-o", str(made)]
        print(" ".join(line))
        subprocess.run(line, check=True)
        listed = subprocess.run([shutil.which("nm"), "--format=posix", str(made)], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
    rows = [row.split() for row in listed.splitlines()]
    if not any(kind == "T" for _, kind, *_ in rows):
        sys.exit("object_imports.py: the object file defines no function: nothing was judged")
    return sorted(name for name, kind, *_ in rows if kind in "Uvw")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--refused", default="", help="expect an import whose name contains this")
    parser.add_argument("flags", nargs="*")
    args = parser.parse_args()
    if not args.compiler or args.compiler.endswith("NOTFOUND") or not shutil.which("nm"):
        print("skipped: this compiler, or nm, was not found")
        return SKIPPED

    found = imports(args.compiler, args.source, args.flags)
    print("imports:", ", ".join(found) or "nothing")
    refused = [name for name in found if name not in ALLOWED]
    for name in refused:
        print(f"refused: {name}")
    if args.refused:
        seen = any(args.refused in name for name in refused)
        print("as planted" if seen else f"object_imports.py: no import with {args.refused} was refused")
        return 0 if seen else 1
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
