# SPDX-License-Identifier: MIT
# ONNX Runtime as worker.py drives it, by the C functions of the library in its Python package: one thread, no thread
# pools, tensors over memory of the caller's, nothing made per run.
# Knows the ONNX file and the order of the functions in OrtApi, which only ever grows at its end.
import ctypes
import glob
import os
from importlib.util import find_spec

import numpy as np

from rivals import calls, onnx_model

WARM_UP = True
SUFFIX = ".onnx"
write = onnx_model.write
P, S = ctypes.c_void_p, ctypes.c_char_p
GET_ERROR_MESSAGE, CREATE_ENV, CREATE_SESSION, RUN, CREATE_SESSION_OPTIONS = 2, 3, 7, 9, 10
SET_EXECUTION_MODE, SET_OPTIMIZATION_LEVEL, SET_INTRA_THREADS, SET_INTER_THREADS = 13, 23, 24, 25
CREATE_TENSOR_WITH_DATA, CREATE_CPU_MEMORY_INFO = 49, 69
WARNING, SEQUENTIAL, ALL_OPTIMIZATIONS, FLOAT, ARENA_ALLOCATOR, DEFAULT_MEMORY = 2, 0, 99, 1, 1, 0


class Runtime:
    def __init__(self, _):
        package = os.path.dirname(find_spec("onnxruntime").origin)
        lib = ctypes.CDLL(glob.glob(os.path.join(package, "capi", "libonnxruntime.so*"))[0])
        lib.OrtGetApiBase.restype = ctypes.POINTER(ctypes.CFUNCTYPE(P, ctypes.c_uint32))
        api = lib.OrtGetApiBase()[0](16)
        self.functions = ctypes.cast(api, ctypes.POINTER(P))
        self.kept = []
        self.env = self.made(CREATE_ENV, (ctypes.c_int, WARNING), (S, b"bench"))

    def call(self, index, *arguments):
        """arguments: pairs of a C type and a value."""
        function = ctypes.CFUNCTYPE(P, *[kind for kind, _ in arguments])(self.functions[index])
        status = function(*[value for _, value in arguments])
        if status:
            raise RuntimeError(ctypes.CFUNCTYPE(S, P)(self.functions[GET_ERROR_MESSAGE])(status).decode())

    def made(self, index, *arguments):
        out = P()
        self.call(index, *arguments, (P, ctypes.addressof(out)))
        return out

    def load(self, ends, files):
        options = self.made(CREATE_SESSION_OPTIONS)
        for index, value in ((SET_INTRA_THREADS, 1), (SET_INTER_THREADS, 1), (SET_EXECUTION_MODE, SEQUENTIAL),
                             (SET_OPTIMIZATION_LEVEL, ALL_OPTIMIZATIONS)):
            self.call(index, (P, options), (ctypes.c_int, value))
        self.session = self.made(CREATE_SESSION, (P, self.env), (S, files["model"].encode()), (P, options))
        self.memory = self.made(CREATE_CPU_MEMORY_INFO, (ctypes.c_int, ARENA_ALLOCATOR), (ctypes.c_int, DEFAULT_MEMORY))
        self.image, image = self.tensor(onnx_model.shape_of(ends.input_shape))
        self.results, results = zip(*[self.tensor(onnx_model.shape_of(shape)) for shape in ends.output_shapes])
        input_names = (S * 1)(b"v0")
        output_names = (S * len(results))(*[f"v{v}".encode() for v in ends.outputs])
        inputs, outputs = (P * 1)(image), (P * len(results))(*results)
        self.kept += [input_names, output_names, inputs, outputs]
        at = ctypes.addressof
        self.arguments = [self.session, None, at(input_names), at(inputs), 1, at(output_names), len(results),
                          at(outputs)]

    def tensor(self, shape):
        array = np.zeros(shape, np.float32)
        extents = (ctypes.c_int64 * len(shape))(*shape)
        size = ctypes.c_size_t
        return array, self.made(CREATE_TENSOR_WITH_DATA, (P, self.memory), (P, array.ctypes.data), (size, array.nbytes),
                                (P, ctypes.addressof(extents)), (size, len(shape)), (ctypes.c_int, FLOAT)).value

    def set_input(self, image):
        self.image[...] = channels_first(image)

    def outputs(self):
        return [array.reshape(-1).copy() for array in self.results]

    def run(self, times):
        return calls.repeated_8(P(self.functions[RUN]), self.arguments, times)


def channels_first(image):
    return image.transpose(2, 0, 1)[None] if image.ndim == 3 else image[None]
