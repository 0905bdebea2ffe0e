# SPDX-License-Identifier: MIT
# One runtime with one network in a process of its own, driven through its standard input: first a job, then numbers N,
# each answered with the nanoseconds of N forwards. Started by models_bench.py.
# Knows run_*.py; nothing of how figures are printed.
import importlib
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rivals import network as networks


def memory(line):
    with open("/proc/self/status") as status:
        return next(int(row.split()[1]) * 1024 for row in status if row.startswith(line + ":"))


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def write(module, job):
    """The rival's model from the one description; answers with the shapes that it has to be told."""
    network = networks.read_network(job["description"], job["files"]["weights"])
    if job["files"]["model"]:
        module.write(network, job["files"]["model"])
    return {**vars(networks.ends_of(network)), "weight_bytes": network.weight_bytes}


def warmed_up(module, folder):
    """Has run a small network, so that the runtime's own libraries and pools are not taken for the model's memory."""
    small = networks.small_network()
    path = os.path.join(folder, module.__name__ + "_small" + module.SUFFIX)
    module.write(small, path)
    runtime = module.Runtime("")
    runtime.load(networks.ends_of(small), {"model": path})
    runtime.set_input(np.ones(small.input_shape, np.float32))
    runtime.run(3)
    return runtime


def load(module, job):
    """The runtime with the model, and what its memory has grown by after three runs."""
    ends = networks.Ends(**job["ends"])
    image = np.random.default_rng(8).uniform(-1, 1, ends.input_shape).astype(np.float32)
    kept = warmed_up(module, job["folder"]) if module.WARM_UP else None
    forget_peak()
    before = memory("VmRSS")
    runtime = module.Runtime(job["policy"])
    runtime.load(ends, job["files"])
    runtime.set_input(image)
    runtime.run(3)
    grown = {"grown": memory("VmRSS") - before, "peak": memory("VmHWM") - before}
    np.concatenate(runtime.outputs()).astype(np.float32).tofile(job["files"]["outputs"])
    return runtime, grown, kept


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what runtimes print is no answer
    job = json.loads(sys.stdin.readline())

    def answer(**what):
        print(json.dumps(what), file=answers, flush=True)

    os.sched_setaffinity(0, {job["core"]})
    try:
        module = importlib.import_module(f"rivals.{job['module']}")
    except ImportError as missing:
        return answer(missing=str(missing))
    if "ends" not in job:
        return answer(**write(module, job))
    runtime, grown, _ = load(module, job)
    answer(**grown)
    for line in sys.stdin:
        runtime.run(1)  # what others left in the caches
        answer(**vars(runtime.run(int(line))))


main()
