#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# The rules of the house that a grep can check: include arrows, licence lines, file lengths, where allocation may stand.
# Run by CTest as `rules.py RULE`; prints each break as file:line and what to do, exits 1 if there is any.
# Knows nothing of C++ beyond comments, string literals and preprocessor lines.
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_LINES = 500
CODE = {".hpp", ".cpp", ".cuh", ".cu", ".h"}
SOURCE = CODE | {".py", ".cmake", ".sh"}
# Whom a folder may call: only folders of its own rank or a lower one.
RANK = {"core": 0, "nn": 1, "zoo": 1, "reference": 2, "cpu": 2, "cuda": 2, "plan": 3, "run": 4, "io": 5, "device": 6}
UMBRELLAS = {"tarn/tarn.hpp", "tarn/cuda.hpp"}


def tracked(root):
    """Every file of the repository, as paths relative to its root; without git, every file outside build folders."""
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-c", f"safe.directory={root}", "ls-files", "-co", "--exclude-standard"],
                                cwd=root, capture_output=True, text=True)
        if listed.returncode == 0:
            return sorted({name for name in listed.stdout.splitlines() if (root / name).is_file()})
    names = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(str(name) for name in names if not re.match(r"(build|\.git|\.cache)", name.parts[0]))


def read(root, name):
    """The text of a file, or None for a binary one."""
    try:
        return (root / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def suffix(name):
    return pathlib.PurePath(name).suffix


def is_source(root, name):
    if suffix(name) in SOURCE or pathlib.PurePath(name).name == "CMakeLists.txt":
        return True
    return suffix(name) == "" and (read(root, name) or "").startswith("#!")


def without_comments(text):
    """C++ with comments and string literals blanked; lines keep their numbers."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)

    def blank(match):
        return '""' if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    return token.sub(blank, text)


def library(root, names):
    """Pairs of (file, spelling in an include) of tarn's own headers."""
    for name in names:
        top, _, spelling = name.partition("/")
        if top in ("include", "kernels") and suffix(name) in CODE:
            yield name, spelling


def folder(spelling):
    parts = spelling.split("/")
    return parts[1] if len(parts) > 2 else ""


def arrows(root, names):
    """core <- nn <- kernels <- plan <- run <- io <- device; zoo sees nn; cpu and cuda never see each other; reference sees neither."""
    for name, spelling in library(root, names):
        own = folder(spelling)
        if own == "":
            if spelling not in UMBRELLAS:
                yield f"{name}:1: stands beside the umbrellas: move it into a folder of tarn"
            continue
        if own not in RANK:
            yield f"{name}:1: folder {own} has no place in the include arrows: add it to RANK in tests/house/rules.py"
            continue
        for number, line in enumerate(read(root, name).splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not found:
                continue
            where, target = f"{name}:{number}", found[2]
            if found[1] == '"':
                yield f"{where}: spell it <tarn/...>"
            elif target in UMBRELLAS:
                yield f"{where}: an inner header includes an umbrella: include what it needs instead"
            elif target.startswith("tarn/"):
                other = folder(target)
                if RANK.get(other, 99) > RANK[own]:
                    yield f"{where}: {own} may not include {other}: the arrows are core <- nn <- kernels <- plan <- run <- io <- device"
                elif RANK[own] == RANK[other] and other not in (own, "reference", "nn"):
                    yield f"{where}: {own} may not include {other}: kernels of one device never see another's"


def licence(root, names):
    """Every source file starts with the licence line, after a #! line where there is one."""
    for name in names:
        if not is_source(root, name):
            continue
        lines = (read(root, name) or "").splitlines()[:2]
        if lines and lines[0].startswith("#!"):
            lines = lines[1:]
        if not lines or not re.fullmatch(r"(//|#) SPDX-License-Identifier: MIT", lines[0]):
            yield f"{name}:1: the first line must be the SPDX-License-Identifier comment, MIT"


def length(root, names):
    """A file stays under 500 lines, with one reason to change."""
    for name in names:
        if re.match(r"(include|kernels|tests|bench|examples|tools|cmake)/", name) and is_source(root, name):
            count = len(read(root, name).splitlines())
            if count >= MAX_LINES:
                yield f"{name}:{count}: {count} lines: split it below {MAX_LINES}"


def macros(root, names):
    """No macro picks code: CUDA and instruction sets are asked for in three places only."""
    asked = re.compile(r"__CUDACC__|__CUDA_ARCH__|__AVX|__SSE|__FMA__|__F16C__|__ARM_NEON|__ARM_FEATURE|__wasm")
    for name, spelling in library(root, names):
        if spelling in ("tarn/core/config.hpp", "tarn/cpu/simd.hpp") or suffix(name) == ".cuh":
            continue
        for number, line in enumerate(without_comments(read(root, name)).splitlines(), 1):
            if re.match(r"\s*#", line) and asked.search(line):
                yield f"{name}:{number}: a macro picks code here: make it a template argument"


def detail(root, names):
    """tests, examples, bench and docs use what users may use."""
    for name in names:
        if re.match(r"(tests|examples|bench|docs|README)", name) and suffix(name) in CODE | {".md"}:
            for number, line in enumerate((read(root, name) or "").splitlines(), 1):
                if re.search(r"\bdetail::|namespace (tarn::)?detail\b", line):
                    yield f"{name}:{number}: names tarn's detail namespace: use the public face"


def machine(root, names):
    """Nothing of the machine or the meeting room where a line was written."""
    folders = "|".join(("work", "root", "tmp", "home", "mnt"))
    patterns = ((re.compile(rf"(?<![\w.$}}/-])/({folders})/"), "a path of one machine: make it relative or ask for it"),
                (re.compile(r"(?<!dfdx )\bissue #?\d+", re.I), "an issue's number: say the reason instead"))
    for name in names:
        for number, line in enumerate((read(root, name) or "").splitlines(), 1):
            for pattern, advice in patterns:
                if pattern.search(line):
                    yield f"{name}:{number}: {advice}"


def allocation(root, names):
    """Allocation calls stand only where the arena is made, on a device, and where files are read."""
    calls = re.compile(r"(?<!operator )\bnew\s*[A-Za-z_:]|\b(?:malloc|calloc|realloc|aligned_alloc)\s*\("
                       r"|\bstd::(?:vector|string|deque|list|map|unordered_map|function|any)\b"
                       r"|\bmake_(?:unique|shared)\b")
    for name, spelling in library(root, names):
        if spelling == "tarn/run/arena.hpp" or re.match(r"tarn/(io|device)/", spelling):
            continue
        for number, line in enumerate(without_comments(read(root, name)).splitlines(), 1):
            if not re.match(r"\s*#", line) and calls.search(line):
                yield f"{name}:{number}: may allocate: only run/arena, io and device do"


def includes(root, names):
    """Standard headers that cost every user of the library."""
    heavy = re.compile(r"\s*#\s*include\s*<(iostream|filesystem|regex|format|expected|source_location)>")
    for name, _ in library(root, names):
        for number, line in enumerate(read(root, name).splitlines(), 1):
            if heavy.match(line):
                yield f"{name}:{number}: <{heavy.match(line)[1]}> is too heavy or too new for the library"


RULES = {rule.__name__: rule
         for rule in (arrows, licence, length, macros, detail, machine, allocation, includes)}


def main():
    rule = RULES[sys.argv[1]]
    names = tracked(ROOT)
    breaks = list(rule(ROOT, names))
    print("\n".join(breaks) if breaks else f"{len(names)} files obey: {rule.__doc__}")
    return 1 if breaks else 0


if __name__ == "__main__":
    sys.exit(main())
