# SPDX-License-Identifier: MIT
# LiteRT as worker.py drives it: the interpreter with XNNPACK, one thread. Only its Invoke is called, which costs a
# fraction of a microsecond from Python; a call that does nothing is measured and taken off.
# Knows the TFLite file.
from functools import partial

from ai_edge_litert.interpreter import Interpreter

from rivals import calls, tflite_model

WARM_UP = True
SUFFIX = ".tflite"
write = tflite_model.write


class Runtime:
    def __init__(self, _):
        pass

    def load(self, ends, files):
        self.interpreter = Interpreter(model_path=files["model"], num_threads=1)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]["index"]
        self.results = [detail["index"] for detail in self.interpreter.get_output_details()]

    def set_input(self, image):
        self.interpreter.set_tensor(self.input, image[None])

    def outputs(self):
        return [self.interpreter.get_tensor(index).reshape(-1) for index in self.results]

    def run(self, times):
        wrapped = self.interpreter._interpreter  # Interpreter.invoke looks for problems first
        taken = calls.clocked(lambda: repeat(wrapped.Invoke, times))
        empty = calls.clocked(lambda: repeat(partial(wrapped.NumTensors, 0), times))
        return calls.Times(taken.wall - empty.wall, taken.process - empty.process)


def repeat(call, times):
    for _ in range(times):
        call()
