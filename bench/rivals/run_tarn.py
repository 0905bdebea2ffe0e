# SPDX-License-Identifier: MIT
# tarn as worker.py drives it: a subject's shared library, by its C functions.
# Knows models_library.hpp and calls.py.
import ctypes
import os

import numpy as np

from rivals import calls

WARM_UP = False  # the library is the model


class Runtime:
    def __init__(self, policy):
        self.policy = policy
        self.lib = ctypes.CDLL(os.environ["TARN_BENCH_LIBRARY"])
        for name, result, arguments in (("tarn_open", ctypes.c_void_p, [ctypes.c_char_p] * 2),
                                        ("tarn_input", ctypes.c_void_p, [ctypes.c_void_p]),
                                        ("tarn_output", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
                                        ("tarn_forward", ctypes.c_int, [ctypes.c_void_p])):
            getattr(self.lib, name).restype = result
            getattr(self.lib, name).argtypes = arguments

    def load(self, ends, files):
        self.model = self.lib.tarn_open(files["weights"].encode(), self.policy.encode())
        assert self.model, "tarn does not load the weights"
        self.output_sizes = [int(np.prod(shape)) for shape in ends.output_shapes]

    def set_input(self, image):
        ctypes.memmove(self.lib.tarn_input(self.model), image.ctypes.data, image.nbytes)

    def outputs(self):
        at = [ctypes.cast(self.lib.tarn_output(self.model, i), ctypes.POINTER(ctypes.c_float))
              for i in range(len(self.output_sizes))]
        return [np.ctypeslib.as_array(p, (n,)).copy() for p, n in zip(at, self.output_sizes)]

    def run(self, times):
        return calls.repeated(self.lib.tarn_forward, self.model, times)
