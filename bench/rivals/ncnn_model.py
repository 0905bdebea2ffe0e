# SPDX-License-Identifier: MIT
# A network as ncnn's two files, param (text) and bin (weights), with activations in the layers as ncnnoptimize leaves
# them. Knows network.py; not ncnn itself.
import numpy as np

ACTIVATIONS = {"none": "9=0", "relu": "9=1", "relu6": "9=3 -23310=2,0.0,6.0", "sigmoid": "9=4"}
LAYERS = {"relu": "ReLU", "tanh": "TanH", "sigmoid": "Sigmoid", "silu": "Swish"}


class Writer:
    def __init__(self, network):
        self.network, self.lines, self.weights, self.blobs = network, [], [], 0
        self.copies = {}  # value: the names that its readers use, one each

    def line(self, kind, name, inputs, outputs, parameters=""):
        self.blobs += len(outputs)
        blobs = " ".join(inputs + outputs)
        self.lines.append(f"{kind} {name} {len(inputs)} {len(outputs)} {blobs} {parameters}".rstrip())

    def data(self, array, tagged=False):
        """tagged: with the word that says the floats are not compressed."""
        if tagged:
            self.weights.append(np.zeros(1, np.uint32).tobytes())
        self.weights.append(np.ascontiguousarray(array, np.float32).tobytes())

    def made(self, value, name):
        """A blob has one reader in ncnn: one that has more is split."""
        readers = self.network.readers(value)
        if readers <= 1:
            self.copies[value] = [name]
            return
        self.copies[value] = [f"{name}_{i}" for i in range(readers)]
        self.line("Split", f"split_{name}", [name], list(self.copies[value]))

    def read(self, value):
        return self.copies[value].pop(0)

    def activate(self, function, source, out):
        if function == "relu6":
            self.line("Clip", out, [source], [out], "0=0.0 1=6.0")
        else:
            self.line(LAYERS[function], out, [source], [out])

    def layer(self, layer):
        inputs = [self.read(v) for v in layer.inputs]
        out = f"v{layer.value}"
        fused = layer.kind in ("conv2d", "linear") and layer.activation in ACTIVATIONS
        acted = layer.kind != "activation" and layer.activation != "none" and not fused
        raw = out + "_raw" if acted else out
        w = layer.window
        if layer.kind == "conv2d":
            top, bottom, left, right = w["pads"]
            weight = layer.weight
            parameters = (f"0={layer.out_shape[-1]} 1={w['kernel'][1]} 11={w['kernel'][0]} 2={w['dilation'][1]} "
                          f"12={w['dilation'][0]} 3={w['stride'][1]} 13={w['stride'][0]} 4={left} 15={right} 14={top} "
                          f"16={bottom} 5={int(layer.bias is not None)} 6={weight.size}")
            if layer.groups > 1:
                parameters += f" 7={layer.groups}"
            if fused:
                parameters += " " + ACTIVATIONS[layer.activation]
            self.line("ConvolutionDepthWise" if layer.groups > 1 else "Convolution", out, inputs, [raw], parameters)
            self.data(weight, tagged=True)
            if layer.bias is not None:
                self.data(layer.bias)
        elif layer.kind == "linear":
            parameters = f"0={layer.out_shape[-1]} 1={int(layer.bias is not None)} 2={layer.weight.size}"
            self.line("InnerProduct", out, inputs, [raw],
                      parameters + (" " + ACTIVATIONS[layer.activation] if fused else ""))
            self.data(layer.weight, tagged=True)
            if layer.bias is not None:
                self.data(layer.bias)
        elif layer.kind == "scale_shift":
            self.line("Scale", out, inputs, [raw], f"0={layer.weight.size} 1=1")
            self.data(layer.weight)
            self.data(layer.bias)
        elif layer.is_global_pool:
            self.line("Pooling", out, inputs, [raw], "0=1 4=1")
        elif layer.kind in ("max_pool2d", "avg_pool2d"):
            top, bottom, left, right = w["pads"]
            self.line("Pooling", out, inputs, [raw],
                      f"0={int(layer.kind == 'avg_pool2d')} 1={w['kernel'][1]} 11={w['kernel'][0]} "
                      f"2={w['stride'][1]} 12={w['stride'][0]} 3={left} 14={right} 13={top} 15={bottom} 5=1 "
                      f"6={int(layer.count_padding)}")
        elif layer.kind == "activation":
            self.activate(layer.activation, inputs[0], raw)
        elif layer.kind == "softmax":
            self.line("Softmax", out, inputs, [raw], f"0={len(layer.out_shape) - 1} 1=1")
        elif layer.kind == "add":
            self.line("BinaryOp", out, inputs, [raw], "0=0")
        elif layer.kind == "concat":
            self.line("Concat", out, inputs, [raw], "0=0")  # channels of images, rows of frames
        elif layer.kind == "slice":
            end = layer.begin + layer.out_shape[-1]
            self.line("Crop", out, inputs, [raw], f"-23309=1,{layer.begin} -23310=1,{end} -23311=1,0")
        elif layer.kind == "flatten_pytorch":
            self.line("Flatten", out, inputs, [raw])
        elif layer.kind == "flatten" and len(layer.in_shape) == 3 and len(layer.out_shape) == 2:
            self.line("Permute", out + "_channels_last", inputs, [out + "_channels_last"], "0=3")
            self.line("Reshape", out, [out + "_channels_last"], [raw], f"0={layer.out_shape[1]} 1={layer.out_shape[0]}")
        else:
            raise ValueError(f"no ncnn for {layer.kind}")
        if acted:
            self.activate(layer.activation, raw, out)
        self.made(layer.value, out)


def write(network, path):
    """path.param and path.bin; the input is the blob "v0", result i the blob "out<i>"."""
    writer = Writer(network)
    writer.line("Input", "v0", [], ["v0"])
    writer.made(0, "v0")
    for layer in network.layers:
        writer.layer(layer)
    for i, value in enumerate(network.outputs):
        writer.line("Noop", f"out{i}", [writer.read(value)], [f"out{i}"])
    with open(path + ".param", "w") as file:
        file.write(f"7767517\n{len(writer.lines)} {writer.blobs}\n" + "\n".join(writer.lines) + "\n")
    with open(path + ".bin", "wb") as file:
        for part in writer.weights:
            file.write(part)
