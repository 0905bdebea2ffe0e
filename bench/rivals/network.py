# SPDX-License-Identifier: MIT
# A network as the rivals' writers want it: layers with their weights as arrays, batch norms folded, activations named
# at the layers they follow. Read from the description and the safetensors file that a subject's library writes.
# Knows no runtime.
import json
import math
import struct
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Layer:
    """One operation. Values are numbered: 0 is the input, each layer makes `value`. Images are [H, W, C]."""
    kind: str
    inputs: list
    value: int
    in_shape: list
    out_shape: list
    window: dict = field(default_factory=dict)
    groups: int = 1
    axis: int = 0
    begin: int = 0
    count_padding: bool = True
    activation: str = "none"  # applied to what the layer makes; the function itself for kind "activation"
    weight: np.ndarray = None  # conv2d [O, I / G, KH, KW], linear [O, I], scale_shift [C]
    bias: np.ndarray = None

    @property
    def depthwise(self):
        return self.kind == "conv2d" and self.groups > 1 and self.groups == self.in_shape[-1] == self.out_shape[-1]

    @property
    def is_global_pool(self):
        return self.kind == "avg_pool2d" and len(self.in_shape) == 3 and self.out_shape[:2] == [1, 1] and \
            self.window["kernel"] == tuple(self.in_shape[:2])


@dataclass
class Network:
    name: str
    input_shape: list
    layers: list
    outputs: list  # values

    def shape(self, value):
        return self.input_shape if value == 0 else next(l.out_shape for l in self.layers if l.value == value)

    def readers(self, value):
        return sum(layer.inputs.count(value) for layer in self.layers) + self.outputs.count(value)

    @property
    def weight_bytes(self):
        return sum(4 * w.size for l in self.layers for w in (l.weight, l.bias) if w is not None)


def read_safetensors(path):
    with open(path, "rb") as file:
        header_bytes, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_bytes))
        begin = 8 + header_bytes
    data = np.memmap(path, dtype=np.uint8, mode="r")
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            tensors[name] = data[begin + first:begin + last].view(np.float32).reshape(entry["shape"])
    return tensors


def read_network(description, weights_path):
    """description: the JSON that a subject's library gives."""
    told = json.loads(description)
    tensors = read_safetensors(weights_path)
    norms = {}
    network = Network(told["name"], told["input"], [], told["outputs"])
    for value, layer in enumerate(told["layers"], start=1):
        w = layer["window"]
        window = {"kernel": (w[0], w[1]), "stride": (w[2], w[3]), "dilation": (w[4], w[5]),
                  "pads": tuple(w[6:10])}  # top, bottom, left, right
        made = Layer(layer["kind"], list(layer["inputs"]), value, layer["in"], layer["out"], window, layer["groups"],
                     layer["axis"], layer["begin"], bool(layer["count_padding"]), layer["activation"])
        names = layer["parameters"]
        if made.kind == "batch_norm":
            norms[value] = [tensors[name] for name in names[:4]] + [layer["eps"]]
        elif names:
            made.weight = tensors[names[0]]
            made.bias = tensors[names[1]] if len(names) > 1 else None
        network.layers.append(made)
    fold_norms(network, norms)
    name_activations(network)
    return network


def fold_norms(network, norms):
    """Into the weights of the layer before, as exporters do; a norm with none before it is a scale and a shift."""
    for layer in [l for l in network.layers if l.kind == "batch_norm"]:
        weight, bias, mean, variance, eps = (np.asarray(v, np.float64) for v in norms[layer.value])
        scale = weight / np.sqrt(variance + eps)
        shift = bias - mean * scale
        before = next((l for l in network.layers if l.value == layer.inputs[0]), None)
        if before is not None and before.kind in ("conv2d", "linear") and network.readers(before.value) == 1:
            axes = (-1,) + (1,) * (before.weight.ndim - 1)
            old = 0 if before.bias is None else before.bias.astype(np.float64)
            before.weight = (before.weight * scale.reshape(axes)).astype(np.float32)
            before.bias = (old * scale + shift).astype(np.float32)
            drop(network, layer)
        else:
            layer.kind = "scale_shift"
            layer.weight, layer.bias = scale.astype(np.float32), shift.astype(np.float32)


def name_activations(network):
    for layer in [l for l in network.layers if l.kind == "activation"]:
        before = next((l for l in network.layers if l.value == layer.inputs[0]), None)
        if before is not None and before.kind in ("conv2d", "linear", "add") and before.activation == "none" and \
                network.readers(before.value) == 1:
            before.activation = layer.activation
            drop(network, layer)


def drop(network, layer):
    """The layer's readers read its input instead."""
    network.layers.remove(layer)
    for other in network.layers:
        other.inputs = [layer.inputs[0] if v == layer.value else v for v in other.inputs]
    network.outputs = [layer.inputs[0] if v == layer.value else v for v in network.outputs]


@dataclass
class Ends:
    """What a runtime is told of a network whose model lies in a file."""
    input_shape: list
    outputs: list  # values
    output_shapes: list


def ends_of(network):
    return Ends(network.input_shape, network.outputs, [network.shape(v) for v in network.outputs])


def small_network():
    """What a runtime is warmed up with before its memory is looked at, so that its own libraries are loaded."""
    random = np.random.default_rng(1)

    def uniform(*shape):
        return random.uniform(-0.3, 0.3, shape).astype(np.float32)

    window = {"kernel": (3, 3), "stride": (1, 1), "dilation": (1, 1), "pads": (1, 1, 1, 1)}
    layers = [Layer("conv2d", [0], 1, [8, 8, 4], [8, 8, 16], window, activation="relu", weight=uniform(16, 4, 3, 3),
                    bias=uniform(16)),
              Layer("avg_pool2d", [1], 2, [8, 8, 16], [1, 1, 16], {**window, "kernel": (8, 8), "stride": (8, 8),
                                                                  "pads": (0, 0, 0, 0)}),
              Layer("flatten_pytorch", [2], 3, [1, 1, 16], [16]),
              Layer("linear", [3], 4, [16], [8], weight=uniform(8, 16), bias=uniform(8))]
    return Network("small", [8, 8, 4], layers, [4])


def elements(shape):
    return math.prod(shape)
