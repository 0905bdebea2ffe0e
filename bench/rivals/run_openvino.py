# SPDX-License-Identifier: MIT
# OpenVINO as worker.py drives it, by the C functions of the library in its Python package: one thread, latency first,
# float throughout. Knows the ONNX file.
import ctypes
import glob
import os
from importlib.util import find_spec

import numpy as np

from rivals import calls, onnx_model
from rivals.run_onnxruntime import channels_first

WARM_UP = True
SUFFIX = ".onnx"
write = onnx_model.write
P, S = ctypes.c_void_p, ctypes.c_char_p
SETTINGS = (b"INFERENCE_NUM_THREADS", b"1", b"NUM_STREAMS", b"1", b"PERFORMANCE_HINT", b"LATENCY",
            b"INFERENCE_PRECISION_HINT", b"f32", b"EXECUTION_MODE_HINT", b"ACCURACY",
            b"DYNAMIC_QUANTIZATION_GROUP_SIZE", b"0", b"ENABLE_CPU_PINNING", b"NO")


class Runtime:
    def __init__(self, _):
        folder = os.path.join(os.path.dirname(find_spec("openvino").origin), "libs")
        for needed in ("libtbb.so.12", "libopenvino.so.*", "libopenvino_c.so.*"):
            self.lib = ctypes.CDLL(glob.glob(os.path.join(folder, needed))[0], mode=ctypes.RTLD_GLOBAL)
        self.core = P()
        self.check(self.lib.ov_core_create(ctypes.byref(self.core)))

    def check(self, status):
        if status != 0:
            self.lib.ov_get_error_info.restype = S
            raise RuntimeError(self.lib.ov_get_error_info(status).decode())

    def load(self, ends, files):
        compiled, self.request = P(), P()
        settings = [S(word) for word in SETTINGS]
        self.check(self.lib.ov_core_compile_model_from_file(
            self.core, S(files["model"].encode()), S(b"CPU"), ctypes.c_size_t(len(settings)), ctypes.byref(compiled),
            *settings))
        self.check(self.lib.ov_compiled_model_create_infer_request(compiled, ctypes.byref(self.request)))
        self.image = self.tensor("input", 0, onnx_model.shape_of(ends.input_shape))
        self.results = [self.tensor("output", i, onnx_model.shape_of(shape))
                        for i, shape in enumerate(ends.output_shapes)]

    def tensor(self, which, index, shape):
        tensor, data = P(), P()
        get = getattr(self.lib, f"ov_infer_request_get_{which}_tensor_by_index")
        self.check(get(self.request, ctypes.c_size_t(index), ctypes.byref(tensor)))
        self.check(self.lib.ov_tensor_data(tensor, ctypes.byref(data)))
        return np.ctypeslib.as_array(ctypes.cast(data, ctypes.POINTER(ctypes.c_float)), shape)

    def set_input(self, image):
        self.image[...] = channels_first(image)

    def outputs(self):
        return [array.reshape(-1).copy() for array in self.results]

    def run(self, times):
        return calls.repeated(self.lib.ov_infer_request_infer, self.request, times)
