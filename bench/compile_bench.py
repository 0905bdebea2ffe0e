#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# What a network costs to compile: seconds, peak memory and binary size of one translation unit that packs weights and
# runs forward under Smallest, at -O3, by g++ and clang++. `tools/bench compile [part of a name ...]`.
# Knows the subjects' names only, which it reads out of subjects.hpp.
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", f"-I{ROOT / 'include'}", f"-I{ROOT / 'kernels'}", f"-I{BENCH}"]
# What is asked of one subject, by g++.
LIMITS = {"ResNet-50/224": {"seconds": 40.0, "peak_mib": 2e9 / 2**20}}

# The plain program and nothing else: where the weights come from is the caller's affair.
UNIT = """
#include <tarn/tarn.hpp>
#include "subjects.hpp"
using Subject = tarn_bench::%s;
using M = tarn::Model<Subject::Net, Subject::In>;
static M::Weights weights;
void pack(std::span<const float* const> parameters) { M::pack(weights, parameters); }
const float* forward(const float* input) {
    static M::Session session{weights};
    return session.forward(std::span<const float, M::Input::elems>{input, M::Input::elems}).data();
}
"""
# The same headers and a network of one layer: what every user pays.
BASE = """
#include <tarn/tarn.hpp>
struct Subject { using Net = tarn::Linear<4, 4>; using In = tarn::Shape<4>; };
""" + UNIT.split("%s;\n")[1]
MAIN = """
#include <span>
void pack(std::span<const float* const> parameters);
const float* forward(const float* input);
int main(int, char** arguments) {
    const float* const* parameters = reinterpret_cast<const float* const*>(arguments);
    pack({parameters, 1});
    return forward(parameters[0]) == nullptr;
}
"""


def subjects():
    text = (BENCH / "subjects.hpp").read_text(encoding="utf-8")
    return re.findall(r'^struct (\w+) : Subject \{\n.*?\bname = "([^"]*)";', text, re.M)


def cost(line):
    """Wall seconds, processor seconds and peak MiB of a command and what it starts."""
    env = dict(os.environ, CCACHE_DISABLE="1", LC_ALL="C")
    begin = time.monotonic()
    child = subprocess.Popen(line, env=env, stderr=subprocess.PIPE, text=True)
    told = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        return None, told
    return {"wall_seconds": time.monotonic() - begin, "seconds": used.ru_utime + used.ru_stime,
            "peak_mib": used.ru_maxrss / 1024}, told


def sections(path):
    """Bytes of code and constants; those of zeros (the weights) take none in a file."""
    told = subprocess.run(["size", path], capture_output=True, text=True, check=True).stdout.splitlines()[1].split()
    return int(told[0]) + int(told[1])


def measure(compiler, name, unit, folder):
    source, unit_object = folder / "unit.cpp", folder / "unit.o"
    source.write_text(unit, encoding="utf-8")
    spent, told = cost([compiler, *FLAGS, "-c", str(source), "-o", str(unit_object)])
    if spent is None:
        print(told, file=sys.stderr)
        return {"name": name, "compiler": compiler, "verdict": "does not compile"}
    main, program = folder / "main.cpp", folder / "program"
    main.write_text(MAIN, encoding="utf-8")
    subprocess.run([compiler, "-std=c++20", "-O3", str(main), str(unit_object), "-s", "-o", str(program)], check=True)
    row = {"name": name, "compiler": compiler, **spent, "code_bytes": sections(unit_object),
           "binary_bytes": program.stat().st_size}
    limits = LIMITS.get(name, {}) if compiler.startswith("g++") else {}
    if limits:
        row["verdict"] = "pass" if all(row[column] < most for column, most in limits.items()) else "FAIL"
    return row


def main():
    json_path, parts = sys.argv[1], sys.argv[2:]
    compilers = [found for found in ("g++", "clang++") if shutil.which(found)]
    wanted = [(struct, name) for struct, name in subjects() if not parts or any(part in name for part in parts)]
    print("one translation unit with pack and forward under Smallest, -O3; seconds of the processor (wall beside), "
          "peak memory;\ncode and constants of the object, size of the stripped program\n")
    print(f"  {'':26}{'':10}{'seconds':>9}{'wall':>9}{'peak MiB':>10}{'code bytes':>12}{'binary bytes':>14}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, unit in [("one layer", BASE), *((name, UNIT % struct) for struct, name in wanted)]:
            for compiler in compilers:
                row = measure(compiler, name, unit, pathlib.Path(folder))
                rows.append(row)
                figures = (f"{row['seconds']:9.1f}{row['wall_seconds']:9.1f}{row['peak_mib']:10.0f}"
                           f"{row['code_bytes']:12}{row['binary_bytes']:14}  " if "seconds" in row else "  ")
                print(f"  {name:26}{compiler:10}{figures}{row.get('verdict', '')}", flush=True)
    pathlib.Path(json_path).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all("seconds" in row for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
