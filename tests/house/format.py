#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Every C++ file is laid out as .clang-format says, by clang-format 14 (another version lays out differently).
# Run by CTest as house.format; with --fix it rewrites the files.
# Knows nothing of C++.
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import rules  # noqa: E402

SKIPPED = 77


def clang_format():
    for name in ("clang-format-14", "clang-format"):
        found = shutil.which(name)
        if found and " 14." in subprocess.run([found, "--version"], capture_output=True, text=True).stdout:
            return found
    return None


def main():
    tool = clang_format()
    if not tool:
        print("skipped: clang-format 14 was not found")
        return SKIPPED
    names = [name for name in rules.tracked(rules.ROOT) if rules.suffix(name) in rules.CODE]
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror", "--ferror-limit=1"]
    return subprocess.run([tool, *mode, *names], cwd=rules.ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
