#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# PyTorch, eager and by CUDA graphs, on the networks of latency_networks.hpp: microseconds of a forward, batch one, on a
# card. Called by run.sh with the path of the JSON to write; says that PyTorch is not present where it is not.
# Knows PyTorch; nothing of tarn.
import json
import sys
import time

CALLS = 2000
NETWORKS = ("MLP", "CNN", "GRU")
FORMS = ("PyTorch eager", "PyTorch CUDA graph")


def networks(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.layers = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
                                        nn.Conv2d(channels, channels, 3, padding=1))

        def forward(self, x):
            return torch.relu(self.layers(x) + x)

    class Listener(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru, self.out = nn.GRU(16, 64, batch_first=True), nn.Linear(64, 10)

        def forward(self, x):
            return self.out(self.gru(x)[0])

    def halving(inputs, outputs):
        return nn.Conv2d(inputs, outputs, 3, stride=2, padding=1), nn.ReLU()

    mlp = nn.Sequential(nn.Linear(48, 512), nn.SiLU(), nn.Linear(512, 256), nn.SiLU(), nn.Linear(256, 128), nn.SiLU(),
                        nn.Linear(128, 12))
    cnn = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), Block(16), *halving(16, 32), Block(32),
                        *halving(32, 64), Block(64), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    return {"MLP": (mlp, (1, 48)), "CNN": (cnn, (1, 3, 32, 32)), "GRU": (Listener(), (1, 64, 16))}


def percentiles(call):
    for _ in range(CALLS // 2):
        call()
    times = []
    for _ in range(CALLS):
        first = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - first) / 1e3)
    times.sort()
    return {"p50_us": times[len(times) // 2], "p99_us": times[len(times) * 99 // 100]}


def measured(torch):
    # As tarn does by default: products in float, not TF32.
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    for name, (network, shape) in networks(torch).items():
        network = network.cuda().eval()
        x = torch.rand(shape, device="cuda")

        def eager():
            network(x)
            torch.cuda.synchronize()

        yield {"name": f"{name}, {FORMS[0]}", **percentiles(eager), "version": torch.__version__}
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            network(x)

        def replay():
            graph.replay()
            torch.cuda.synchronize()

        yield {"name": f"{name}, {FORMS[1]}", **percentiles(replay), "version": torch.__version__}


def absent(reason):
    print(f"PyTorch: not present: {reason}")
    return [{"name": f"{name}, {form}", "p50_us": None, "p99_us": None, "version": "not present"}
            for name in NETWORKS for form in FORMS]


def rows():
    try:
        import torch
    except ImportError as error:
        return absent(error)
    if not torch.cuda.is_available():
        return absent("it does not see the card")
    made = []
    try:
        with torch.inference_mode():
            for row in measured(torch):
                made.append(row)
    except RuntimeError as error: # what PyTorch throws where a graph cannot be captured, or memory is short
        print(f"PyTorch stopped: {error}")
    return made


def main():
    made = rows()
    print("PyTorch on the same networks")
    for row in made:
        figures = ["-" if row[key] is None else f"{row[key]:.4g}" for key in ("p50_us", "p99_us")]
        print(f"  {row['name']:<28}  p50 us {figures[0]:>8}  p99 us {figures[1]:>8}  {row['version']}")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join("  " + json.dumps(row) for row in made) + "\n]\n")


if __name__ == "__main__":
    main()
