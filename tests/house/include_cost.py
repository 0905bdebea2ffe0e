#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# What `#include <tarn/tarn.hpp>` costs: g++'s processor time at -O2 less an empty file's, best of five, at most two
# and a half times what <memory> costs, since machines differ.
# Run by CTest as house.include_cost with the compiler's path.
# Knows nothing of what the header holds.
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 2.5
RUNS = 5
SKIPPED = 77


def seconds(compiler, source):
    """User and system time of one compilation."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([compiler, "-std=c++20", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/kernels", "-c", source,
                    "-o", str(source) + ".o"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    compiler = sys.argv[1]
    if compiler.endswith("NOTFOUND") or not (ROOT / "include/tarn/tarn.hpp").exists():
        print("skipped: no g++ or no tarn/tarn.hpp")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        # A busy machine only ever adds time, so the least is the nearest to the truth.
        least = {}
        for header in ["", "#include <memory>", "#include <tarn/tarn.hpp>"]:
            source = pathlib.Path(folder) / "source.cpp"
            source.write_text(header + "\nint main() {}\n")
            least[header] = min(seconds(compiler, source) for _ in range(RUNS))
    nothing, memory, tarn = least.values()
    cost, share = tarn - nothing, (tarn - nothing) / (memory - nothing)
    print(f"tarn/tarn.hpp costs {cost:.2f} s of {pathlib.PurePath(compiler).name} -O2 time, "
          f"{share:.2f} times <memory>, limit {LIMIT}")
    return 0 if share <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
