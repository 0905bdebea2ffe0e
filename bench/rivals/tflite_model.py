# SPDX-License-Identifier: MIT
# A network as a TFLite file for LiteRT: channels last, activations in the operators as converters leave them, pads that
# are not TensorFlow's SAME as operators of their own. Knows network.py and the schema; no interpreter.
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from rivals.network import elements

FUSED = {"none": schema.ActivationFunctionType.NONE, "relu": schema.ActivationFunctionType.RELU,
         "relu6": schema.ActivationFunctionType.RELU6}
ALONE = {"relu": "RELU", "relu6": "RELU6", "tanh": "TANH", "sigmoid": "LOGISTIC"}
SAME, VALID = schema.Padding.SAME, schema.Padding.VALID


class AlignedBuffer(schema.BufferT):
    """Its bytes on a multiple of 64, as kernels like them."""

    def Pack(self, builder):
        data = np.ascontiguousarray(self.data).view(np.uint8).reshape(-1)
        builder.StartVector(1, data.size, 64)
        builder.head -= data.size
        builder.Bytes[builder.head:builder.head + data.size] = data.tobytes()
        at = builder.EndVector()
        schema.BufferStart(builder)
        schema.BufferAddData(builder, at)
        return schema.BufferEnd(builder)


class Writer:
    def __init__(self, network):
        self.network = network
        self.buffers, self.tensors, self.operators, self.codes = [schema.BufferT()], [], [], []
        self.values = {0: self.tensor([1, *network.input_shape], "input")}

    def tensor(self, shape, name, data=None, kind=schema.TensorType.FLOAT32):
        made = schema.TensorT()
        made.shape, made.type, made.name, made.buffer = list(shape), kind, name, 0
        if data is not None:
            made.buffer = len(self.buffers)
            self.buffers.append(AlignedBuffer())
            self.buffers[-1].data = data
        self.tensors.append(made)
        return len(self.tensors) - 1

    def floats(self, array, name):
        return self.tensor(array.shape, name, np.ascontiguousarray(array, np.float32))

    def ints(self, values, name):
        array = np.array(values, np.int32)
        return self.tensor(array.shape, name, array, schema.TensorType.INT32)

    def operator(self, kind, inputs, outputs, options=None, **settings):
        code = getattr(schema.BuiltinOperator, kind)
        known = [c.builtinCode for c in self.codes]
        if code not in known:
            made = schema.OperatorCodeT()
            made.builtinCode, made.deprecatedBuiltinCode, made.version = code, min(code, 127), 1
            self.codes.append(made)
            known.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = known.index(code)
        operator.inputs, operator.outputs = list(inputs), list(outputs)
        if options is not None:
            operator.builtinOptions = getattr(schema, options + "T")()
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            for key, value in settings.items():
                assert hasattr(operator.builtinOptions, key), key
                setattr(operator.builtinOptions, key, value)
        self.operators.append(operator)
        return outputs[0]

    def padded(self, layer, source, name):
        """What SAME or VALID is to a window, after an operator that pads where neither is right."""
        pads = layer.window["pads"]
        same = []
        for axis in (0, 1):
            kernel, stride, dilation = (layer.window[k][axis] for k in ("kernel", "stride", "dilation"))
            extent, out = layer.in_shape[axis], layer.out_shape[axis]
            missing = max((out - 1) * stride + (kernel - 1) * dilation + 1 - extent, 0)
            same += [missing // 2, missing - missing // 2]
            if out != -(-extent // stride):
                same = None
                break
        if not any(pads):
            return source, VALID
        if same == list(pads):
            return source, SAME
        # A maximum must not see zeros where values can be below zero.
        before = next((l for l in self.network.layers if l.value == layer.inputs[0]), None)
        assert layer.kind == "conv2d" or before and before.activation in ("relu", "relu6")
        top, bottom, left, right = pads
        height, width, channels = layer.in_shape
        to = self.tensor([1, height + top + bottom, width + left + right, channels], name + "_padded")
        self.operator("PAD", [source, self.ints([[0, 0], [top, bottom], [left, right], [0, 0]], name + "_pads")], [to],
                      "PadOptions")
        return to, VALID

    def strides(self, layer):
        return {"strideH": layer.window["stride"][0], "strideW": layer.window["stride"][1]}

    def order_of(self, layer):
        """Linear weights as the features lie here: [O, H * W * C], where the layer was given [O, C * H * W]."""
        before = next((l for l in self.network.layers if l.value == layer.inputs[0]), None)
        if before is None or before.kind != "flatten_pytorch" or len(before.in_shape) != 3:
            return layer.weight
        height, width, channels = before.in_shape
        planes = layer.weight.reshape(-1, channels, height, width)
        return planes.transpose(0, 2, 3, 1).reshape(len(planes), -1)

    def activate(self, function, source, out, name):
        if function == "silu":
            gate = self.tensor(self.tensors[source].shape, name + "_gate")
            self.operator("LOGISTIC", [source], [gate])
            return self.operator("MUL", [source, gate], [out], "MulOptions")
        return self.operator(ALONE[function], [source], [out])

    def layer(self, layer):
        name = f"v{layer.value}"
        inputs = [self.values[v] for v in layer.inputs]
        shape = [1, *layer.out_shape]
        out = self.tensor(shape, name)
        fuses = layer.kind in ("conv2d", "linear", "add") and layer.activation in FUSED
        acted = layer.kind != "activation" and layer.activation != "none" and not fuses
        raw = self.tensor(shape, name + "_raw") if acted else out
        act = {"fusedActivationFunction": FUSED[layer.activation] if fuses else 0}
        if layer.kind in ("conv2d", "linear"):
            features = layer.out_shape[-1]
            bias = self.floats(np.zeros(features) if layer.bias is None else layer.bias, name + "_bias")
        if layer.kind == "linear":
            weight = self.floats(self.order_of(layer), name + "_weight")
            self.operator("FULLY_CONNECTED", [*inputs, weight, bias], [raw], "FullyConnectedOptions", **act)
        elif layer.kind == "conv2d":
            source, padding = self.padded(layer, inputs[0], name)
            settings = {"padding": padding, "dilationHFactor": layer.window["dilation"][0],
                        "dilationWFactor": layer.window["dilation"][1], **self.strides(layer), **act}
            if layer.depthwise:  # [C, 1, KH, KW] as [1, KH, KW, C]
                weight = self.floats(layer.weight.transpose(1, 2, 3, 0), name + "_weight")
                self.operator("DEPTHWISE_CONV_2D", [source, weight, bias], [raw], "DepthwiseConv2DOptions",
                              depthMultiplier=1, **settings)
            else:
                assert layer.groups == 1
                weight = self.floats(layer.weight.transpose(0, 2, 3, 1), name + "_weight")
                self.operator("CONV_2D", [source, weight, bias], [raw], "Conv2DOptions", **settings)
        elif layer.kind == "scale_shift":
            scaled = self.tensor(shape, name + "_scaled")
            self.operator("MUL", [inputs[0], self.floats(layer.weight, name + "_scale")], [scaled], "MulOptions")
            self.operator("ADD", [scaled, self.floats(layer.bias, name + "_shift")], [raw], "AddOptions")
        elif layer.is_global_pool:
            axes = self.ints([1, 2], name + "_axes")
            self.operator("MEAN", [inputs[0], axes], [raw], "ReducerOptions", keepDims=True)
        elif layer.kind == "max_pool2d":
            source, padding = self.padded(layer, inputs[0], name)
            self.operator("MAX_POOL_2D", [source], [raw], "Pool2DOptions", padding=padding,
                          filterHeight=layer.window["kernel"][0], filterWidth=layer.window["kernel"][1],
                          **self.strides(layer))
        elif layer.kind == "activation":
            self.activate(layer.activation, inputs[0], raw, name)
        elif layer.kind == "softmax":
            self.operator("SOFTMAX", inputs, [raw], "SoftmaxOptions", beta=1.0)
        elif layer.kind == "add":
            self.operator("ADD", inputs, [raw], "AddOptions", **act)
        elif layer.kind == "concat":
            self.operator("CONCATENATION", inputs, [raw], "ConcatenationOptions", axis=1 + layer.axis)
        elif layer.kind == "slice":
            begin = [0] * len(shape[:-1]) + [layer.begin]
            self.operator("SLICE", [inputs[0], self.ints(begin, name + "_begin"), self.ints(shape, name + "_size")],
                          [raw], "SliceOptions")
        elif layer.kind in ("flatten", "flatten_pytorch"):
            assert elements(layer.in_shape) == elements(layer.out_shape)
            self.operator("RESHAPE", [inputs[0], self.ints(shape, name + "_shape")], [raw], "ReshapeOptions",
                          newShape=shape)
        else:
            raise ValueError(f"no TFLite for {layer.kind}")
        if acted:
            self.activate(layer.activation, raw, out, name)
        self.values[layer.value] = out


def write(network, path):
    writer = Writer(network)
    for layer in network.layers:
        writer.layer(layer)
    graph = schema.SubGraphT()
    graph.name, graph.tensors, graph.operators = "network", writer.tensors, writer.operators
    graph.inputs, graph.outputs = [writer.values[0]], [writer.values[v] for v in network.outputs]
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs = 3, writer.codes, [graph]
    model.buffers, model.description = writer.buffers, network.name
    builder = flatbuffers.Builder(network.weight_bytes + (1 << 20))
    builder.Finish(model.Pack(builder), b"TFL3")
    with open(path, "wb") as file:
        file.write(builder.Output())
