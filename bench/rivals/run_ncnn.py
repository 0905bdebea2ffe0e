# SPDX-License-Identifier: MIT
# ncnn as worker.py drives it: one thread, float storage and arithmetic, its pooled allocators as its own bench has. Its
# package has no C functions: what the same calls cost without any layer is measured and taken off.
# Knows the param and bin files.
import ncnn
import numpy as np

from rivals import calls, ncnn_model

WARM_UP = True
SUFFIX = ""
write = ncnn_model.write


class Runtime:
    def __init__(self, _):
        self.blobs, self.workspace = ncnn.UnlockedPoolAllocator(), ncnn.PoolAllocator()

    def load(self, ends, files):
        self.net = ncnn.Net()
        option = self.net.opt
        option.num_threads, option.lightmode = 1, True
        option.blob_allocator, option.workspace_allocator = self.blobs, self.workspace
        for name in ("use_vulkan_compute", "use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic",
                     "use_bf16_packed", "use_bf16_storage", "use_int8_inference"):
            setattr(option, name, False)
        assert self.net.load_param(files["model"] + ".param") == 0 and self.net.load_model(files["model"] + ".bin") == 0
        self.names = [f"out{i}" for i in range(len(ends.outputs))]

    def set_input(self, image):
        planes = np.ascontiguousarray(image.transpose(2, 0, 1) if image.ndim == 3 else image)
        self.image = ncnn.Mat(planes).clone()  # a Mat of an array does not keep the array

    def extracted(self, names):
        extractor = self.net.create_extractor()
        extractor.input("v0", self.image)
        return [extractor.extract(name)[1] for name in names]

    def outputs(self):
        return [np.array(made).reshape(-1) for made in self.extracted(self.names)]

    def repeat(self, names, times):
        for _ in range(times):
            self.extracted(names)

    def run(self, times):
        taken = calls.clocked(lambda: self.repeat(self.names, times))
        empty = calls.clocked(lambda: self.repeat(["v0"] * len(self.names), times))
        return calls.Times(taken.wall - empty.wall, taken.process - empty.process)
