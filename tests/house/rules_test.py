#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Shows that each rule of rules.py can fail: one planted break per line below, and one clean file that passes all.
# Run by CTest as house.rules_bite.
# Knows nothing of the real tree.
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import rules  # noqa: E402

LICENCE = "// SPDX-License-Identifier: MIT\n"
PLANTED = [
    ("arrows", "include/tarn/core/a.hpp", "#include <tarn/nn/op.hpp>"),
    ("arrows", "include/tarn/nn/a.hpp", "#include <tarn/cpu/gemm.hpp>"),
    ("arrows", "kernels/tarn/cpu/a.hpp", "#include <tarn/cuda/gemm.cuh>"),
    ("arrows", "kernels/tarn/cuda/a.cuh", "#include <tarn/cpu/gemm.hpp>"),
    ("arrows", "kernels/tarn/reference/a.hpp", "#include <tarn/cpu/gemm.hpp>"),
    ("arrows", "kernels/tarn/cpu/a.hpp", "#include <tarn/plan/place.hpp>"),
    ("arrows", "include/tarn/run/a.hpp", "#include <tarn/io/weights.hpp>"),
    ("arrows", "include/tarn/io/a.hpp", "#include <tarn/tarn.hpp>"),
    ("arrows", "include/tarn/io/a.hpp", '#include "b.hpp"'),
    ("arrows", "include/tarn/odd/a.hpp", "int x;"),
    ("arrows", "include/tarn/a.hpp", "int x;"),
    ("length", "tests/a_test.cpp", "int x;\n" * 500),
    ("macros", "kernels/tarn/cpu/a.hpp", "#if defined(__AVX2__)"),
    ("macros", "include/tarn/core/a.hpp", "#  ifdef __CUDACC__"),
    ("detail", "tests/a_test.cpp", "int x = tarn::detail::secret;"),
    ("detail", "docs/a.md", "call `detail::secret`"),
    ("machine", "README.md", "see /" + "work/main/x"),
    ("machine", "tools/a", "cd /" + "tmp/x"),
    ("machine", "docs/a.md", "as issue" + " 12 says"),
    ("allocation", "include/tarn/run/a.hpp", "int* p = new int[3];"),
    ("allocation", "include/tarn/plan/a.hpp", "std::vector<int> v;"),
    ("allocation", "kernels/tarn/cpu/a.hpp", "void* p = std::malloc(3);"),
    ("allocation", "include/tarn/plan/a.hpp", "std::string s;"),
    ("includes", "include/tarn/core/a.hpp", "#include <iostream>"),
]
ALLOWED = [
    ("arrows", "include/tarn/io/a.hpp", "#include <tarn/run/model.hpp>\n#include <vector>"),
    ("arrows", "kernels/tarn/cpu/a.hpp", "#include <tarn/reference/gemm.hpp>\n#include <tarn/nn/op.hpp>"),
    ("arrows", "include/tarn/tarn.hpp", "#include <tarn/io/weights.hpp>"),
    ("macros", "kernels/tarn/cpu/simd.hpp", "#if defined(__AVX2__)"),
    ("macros", "kernels/tarn/cuda/a.cuh", "#if defined(__CUDACC__)"),
    ("machine", "CMakeLists.txt", "set(x ${a}/" + "home/b network/" + "work/c)"),
    ("allocation", "include/tarn/io/a.hpp", "std::vector<std::string> v;"),
    ("allocation", "include/tarn/plan/a.hpp", "// a new tensor\nstd::string_view s; ::new (p) int;"),
]


class Rules(unittest.TestCase):
    def breaks(self, rule, name, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text + "\n", encoding="utf-8")
            return list(rules.RULES[rule](pathlib.Path(folder), rules.tracked(pathlib.Path(folder))))

    def test_planted(self):
        for rule, name, text in PLANTED:
            with self.subTest(rule=rule, name=name, text=text[:40]):
                self.assertEqual(len(self.breaks(rule, name, LICENCE + text)), 1)

    def test_allowed(self):
        for rule, name, text in ALLOWED:
            with self.subTest(rule=rule, name=name, text=text[:40]):
                self.assertEqual(self.breaks(rule, name, LICENCE + text), [])

    def test_licence(self):
        self.assertEqual(len(self.breaks("licence", "include/tarn/core/a.hpp", "#pragma once")), 1)
        self.assertEqual(len(self.breaks("licence", "tools/a", "#!/bin/sh\necho")), 1)
        self.assertEqual(self.breaks("licence", "tools/a", "#!/bin/sh\n# SPDX-License-Identifier: MIT\necho"), [])

    def test_every_rule_is_planted(self):
        self.assertEqual({rule for rule, _, _ in PLANTED} | {"licence"}, set(rules.RULES))


if __name__ == "__main__":
    unittest.main()
