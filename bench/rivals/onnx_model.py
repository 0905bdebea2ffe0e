# SPDX-License-Identifier: MIT
# A network as an ONNX file, for ONNX Runtime and OpenVINO: channels first, activations as nodes of their own, which
# both fuse. Knows network.py; no runtime.
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def shape_of(shape):
    """[H, W, C] as [1, C, H, W]; anything else with a 1 before it."""
    return [1, shape[2], shape[0], shape[1]] if len(shape) == 3 else [1, *shape]


class Writer:
    def __init__(self, network):
        self.network, self.nodes, self.constants = network, [], []

    def name(self, value):
        return f"v{value}"

    def constant(self, array, name):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output + "_" + kind, **attributes))
        return output

    def activate(self, function, source, output):
        if function == "relu6":
            low, high = (self.constant(np.float32(bound), f"{output}_{bound:g}") for bound in (0, 6))
            return self.node("Clip", [source, low, high], output)
        if function == "silu":
            gate = self.node("Sigmoid", [source], output + "_gate")
            return self.node("Mul", [source, gate], output)
        return self.node({"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid"}[function], [source], output)

    def window(self, layer):
        top, bottom, left, right = layer.window["pads"]
        return {"kernel_shape": layer.window["kernel"], "strides": layer.window["stride"],
                "pads": [top, left, bottom, right]}

    def layer(self, layer):
        inputs = [self.name(v) for v in layer.inputs]
        out = self.name(layer.value)
        acted = layer.kind != "activation" and layer.activation != "none"
        raw = out + "_raw" if acted else out
        if layer.kind in ("conv2d", "linear"):
            weights = [self.constant(layer.weight, out + "_weight")]
            if layer.bias is not None:
                weights.append(self.constant(layer.bias, out + "_bias"))
            if layer.kind == "conv2d":
                self.node("Conv", inputs + weights, raw, dilations=layer.window["dilation"], group=layer.groups,
                          **self.window(layer))
            else:
                self.node("Gemm", inputs + weights, raw, transB=1)
        elif layer.kind == "scale_shift":
            scale, shift = self.constant(layer.weight, out + "_scale"), self.constant(layer.bias, out + "_shift")
            self.node("Add", [self.node("Mul", [inputs[0], scale], out + "_scaled"), shift], raw)
        elif layer.is_global_pool:
            self.node("GlobalAveragePool", inputs, raw)
        elif layer.kind == "max_pool2d":
            self.node("MaxPool", inputs, raw, **self.window(layer))
        elif layer.kind == "avg_pool2d":
            self.node("AveragePool", inputs, raw, count_include_pad=int(layer.count_padding), **self.window(layer))
        elif layer.kind == "activation":
            self.activate(layer.activation, inputs[0], raw)
        elif layer.kind == "softmax":
            self.node("Softmax", inputs, raw, axis=-1)
        elif layer.kind == "add":
            self.node("Add", inputs, raw)
        elif layer.kind == "concat":
            channels = len(layer.out_shape) == 3 and layer.axis == 2
            self.node("Concat", inputs, raw, axis=1 if channels else 1 + layer.axis)
        elif layer.kind == "slice":
            first, last, axis = (self.constant(np.array([v], np.int64), f"{out}_{what}") for v, what in (
                (layer.begin, "begin"), (layer.begin + layer.out_shape[-1], "end"), (1, "axis")))
            assert len(layer.out_shape) == 1
            self.node("Slice", [inputs[0], first, last, axis], raw)
        elif layer.kind == "flatten_pytorch":
            self.node("Flatten", inputs, raw)
        elif layer.kind == "flatten":
            source = inputs[0]
            if len(layer.in_shape) == 3:
                source = self.node("Transpose", inputs, out + "_channels_last", perm=[0, 2, 3, 1])
            shape = self.constant(np.array([1, *layer.out_shape], np.int64), out + "_shape")
            self.node("Reshape", [source, shape], raw)
        else:
            raise ValueError(f"no ONNX for {layer.kind}")
        if acted:
            self.activate(layer.activation, raw, out)


def write(network, path):
    writer = Writer(network)
    for layer in network.layers:
        writer.layer(layer)
    values = {True: [0], False: network.outputs}
    ends = {is_input: [helper.make_tensor_value_info(writer.name(v), TensorProto.FLOAT, shape_of(network.shape(v)))
                       for v in values[is_input]] for is_input in values}
    graph = helper.make_graph(writer.nodes, "network", ends[True], ends[False], writer.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
