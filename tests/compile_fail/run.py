#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Compiles one file that must not compile and judges what the compiler prints; or every file's control, which must.
# Run by CTest as `run.py COMPILER CASE.cpp` or `run.py COMPILER control`. A file says in `// expect:` lines what must
# be printed; CONTROL is 0 in the wrong program and 1 in the right one.
# Knows compilers by how they are called; nothing of tarn's layers.
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MAX_LINES = 12  # a file may ask for more with `// lines: N` where the message is the standard library's
SKIPPED = 77


def compile_file(compiler, source, control):
    """What a compiler says to one source file: exit status and text."""
    command = [compiler, "-std=c++20", f"-DCONTROL={control}", f"-I{ROOT}/include", f"-I{ROOT}/kernels"]
    with tempfile.TemporaryDirectory() as folder:
        if pathlib.Path(compiler).name.startswith("nvcc"):
            command += ["-arch=sm_75", "-x", "cu", "-c", "-o", f"{folder}/object.o"]
        else:
            command += ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion"]
        done = subprocess.run(command + [str(source)], capture_output=True, text=True, timeout=240, check=False,
                              env=dict(os.environ, LC_ALL="C"))
    return done.returncode, done.stdout + done.stderr


def plain(text):
    """The text as all compilers would print it: no namespaces, no "aka", no suffixes of numbers, spaces alike."""
    text = re.sub(r"\b(?:tarn::check|tarn|std)::", "", text)
    text = re.sub(r"[^<>,]*\baka\b", "", text)
    text = re.sub(r"\b(\d+)UL\b", r"\1", text)
    text = text.replace("[...]", "const float")
    return re.sub(r">\s+(?=>)", ">", re.sub(r",\s*", ", ", text))


def faults(source, status, text):
    """Why the text of a wrong program is not good enough."""
    expected = re.findall(r"^// expect: (.*)$", source.read_text(encoding="utf-8"), re.M)
    allowed = re.search(r"^// lines: (\d+)$", source.read_text(encoding="utf-8"), re.M)
    most = int(allowed[1]) if allowed else MAX_LINES
    lines = text.splitlines()
    errors = [line for line in lines if re.search(r"\berror\b.*:|: (?:fatal )?error:", line)]
    if not expected:
        yield "the file expects nothing: give it `// expect:` lines"
    if status == 0:
        yield "it compiles"
    if len(errors) != 1:
        yield f"{len(errors)} errors, wanted 1"
    if len(lines) > most:
        yield f"{len(lines)} lines, at most {most} wanted"
    if any(re.search(r"\bwarning\b.*:", line) for line in lines):
        yield "a warning beside the error"
    for wanted in expected:
        if wanted not in plain(text):
            yield f"not printed: {wanted}"


def controls(folder):
    """One file of all cases, each in a namespace of its own, as right programs."""
    path = pathlib.Path(folder) / "control.cpp"
    text = "#include <tarn/tarn.hpp>\n"
    for case in sorted(HERE.glob("*.cpp")):
        text += f'namespace case_{case.stem} {{\n#include "{case}"\n}}\n'
    path.write_text(text, encoding="utf-8")
    return path


def main():
    compiler, what = sys.argv[1], sys.argv[2]
    if not shutil.which(compiler):
        print(f"{compiler}: not here, skipped")
        return SKIPPED
    if what == "control":
        with tempfile.TemporaryDirectory() as folder:
            status, text = compile_file(compiler, controls(folder), 1)
        found = [] if status == 0 and not text else ["the right programs do not compile without a word"]
    else:
        source = HERE / what
        status, text = compile_file(compiler, source, 0)
        found = list(faults(source, status, text))
    print(text, end="")
    for fault in found:
        print(f"FAULT: {what}: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
