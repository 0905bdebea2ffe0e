#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Compiles kernels, disassembles them and judges their inner loops, which decide the speed and which no test of numbers
# sees: no vector register on the stack, no multiplication and addition apart, as many multiply-adds as sums.
# Run by CTest on loops.cpp and, with --refused TEXT, on each violation planted in loops_planted.cpp.
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LANES = {"avx2": 8, "base_avx2": 8, "avx512": 16, "base_avx512": 16, "avx512_narrow": 8, "base_avx512_narrow": 8,
         "base_neon": 4}

# Winograd's transforms hold a tile of 16 or 36 vectors, more than there are registers, and add as often as they multiply.
TRANSFORM = re.compile(r"Winograd<.*::(transform|settle)<")


class X86:
    jump = re.compile(r"^j[a-z]+\s+([0-9a-f]+)")
    fma = re.compile(r"^vfmn?add[0-9]+ps\b")
    multiply = re.compile(r"^v?mulps\b")
    add = re.compile(r"^v?addps\b")
    divide = re.compile(r"^v?divps\b")
    vector = re.compile(r"%[xyz]mm")

    @classmethod
    def on_stack(cls, text, framed):
        return bool(cls.vector.search(text)) and bool(re.search(r"\(%rsp" + (r"|\(%rbp" if framed else ""), text))


class Arm:
    jump = re.compile(r"^(?:b\.?[a-z]*|cbn?z\s+\w+,|tbn?z\s+\w+, #\w+,)\s+([0-9a-f]+)")
    fma = re.compile(r"^fml[as]\s+v\d+\.4s")
    multiply = re.compile(r"^fmul\s+v\d+\.4s")
    add = re.compile(r"^fadd\s+v\d+\.4s")
    divide = re.compile(r"^fdiv\s+v\d+\.4s")
    vector = re.compile(r"\b[qv]\d+")

    @classmethod
    def on_stack(cls, text, framed):
        return bool(cls.vector.search(text)) and bool(re.search(r"\[(sp|x29)\b" if framed else r"\[sp\b", text))


def functions(objdump, made):
    """Pairs of (demangled name, [(address, instruction)]) of an object file."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", str(made)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    text = subprocess.run(["c++filt"], input=text, check=True, text=True, stdout=subprocess.PIPE).stdout
    name, body = None, []
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            if name:
                yield name, body
            name, body = head[1], []
            continue
        row = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
        if row:
            body.append((int(row[1], 16), re.sub(r"\s+", " ", row[2])))
    if name:
        yield name, body


def inner_loops(machine, body):
    """The instructions of each loop that holds no other: from a backward jump's target to the jump."""
    spans = []
    for address, text in body:
        jump = machine.jump.match(text)
        if jump and int(jump[1], 16) <= address:
            spans.append((int(jump[1], 16), address))
    for first, last in spans:
        if not any(first <= f and l <= last and (f, l) != (first, last) for f, l in spans):
            yield [text for address, text in body if first <= address <= last]


def sums_of(name, lanes):
    """Accumulators of a tile, from the rows and columns in its template argument; 0 where a function is no tile."""
    tile = re.search(r"InnerTile\{(\d+), \d+, (\d+)|WinogradProduct\{(\d+), \d+, \d+, (\d+)", name)
    if tile and tile[3]:
        return int(tile[3]) * -(-int(tile[4]) // lanes)
    return int(tile[1]) * -(-int(tile[2]) // lanes) if tile else 0


def judge(machine, name, lanes, body):
    """What is wrong with a function, and how many loops of multiply-adds it has."""
    framed = any(re.match(r"mov %rsp,%rbp|mov x29, sp", text) for _, text in body)
    sums, seen, wrong = sums_of(name, lanes), 0, []
    for loop in inner_loops(machine, body):
        count = {kind: sum(bool(getattr(machine, kind).match(text)) for text in loop)
                 for kind in ("fma", "multiply", "add", "divide")}
        if count["divide"]:
            continue  # gates and activations, not sums
        if count["multiply"] and count["add"]:
            wrong.append(f"multiplies and adds apart: {count['multiply']} and {count['add']} in a loop")
        if not count["fma"]:
            continue
        seen += 1
        spilled = [text for text in loop if machine.on_stack(text, framed)]
        if spilled:
            wrong.append(f"vectors on the stack: {len(spilled)} in a loop of {count['fma']} multiply-adds, as in "
                         f"`{spilled[0]}`")
        if sums and count["fma"] % sums:
            wrong.append(f"multiply-adds missing: {count['fma']} in a loop for {sums} sums")
    if sums and not seen:
        wrong.append("multiply-adds missing: the tile has no loop of them")
    return wrong, seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--sets", default="", help="instruction sets that must have been judged, with commas between")
    parser.add_argument("--refused", default="", help="expect a complaint that contains this")
    parser.add_argument("flags", nargs="*")
    args = parser.parse_args()
    for tool in (args.compiler, args.objdump, shutil.which("c++filt") or ""):
        if not tool or tool.endswith("NOTFOUND"):
            print("skipped: this compiler or its objdump was not found")
            return SKIPPED

    machine = Arm if "aarch64" in " ".join([args.compiler, *args.flags]) else X86
    judged, complaints = {}, []
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "kernels.o")
        line = [args.compiler, "-std=c++20", *args.flags, "-c", args.source, "-o", str(made)]
        print(" ".join(line))
        subprocess.run(line, check=True)
        for name, body in functions(args.objdump, made):
            inside = re.match(r"(?:\w+ )*tarn::cpu::(\w+)::", name)
            if not inside or inside[1] not in LANES or TRANSFORM.search(name):
                continue
            wrong, seen = judge(machine, name, LANES[inside[1]], body)
            judged[inside[1]] = judged.get(inside[1], 0) + seen
            complaints += [f"{text}\n    {name[:200]}" for text in wrong]
    print("loops of multiply-adds judged:", ", ".join(f"{n} of {s}" for s, n in sorted(judged.items())) or "none")
    for text in complaints:
        print(text)
    if args.refused:
        seen = any(args.refused in text for text in complaints)
        print("as planted" if seen else f"loops.py: nothing like `{args.refused}` was refused")
        return 0 if seen else 1
    missing = [name for name in args.sets.split(",") if name and not judged.get(name)]
    for name in missing:
        print(f"loops.py: no loop of {name} was judged")
    return 1 if complaints or missing else 0


if __name__ == "__main__":
    sys.exit(main())
