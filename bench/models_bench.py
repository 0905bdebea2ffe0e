#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Whole networks against other runtimes: batch 1, one thread, one core, float, the same weights and input, in turn.
# `tools/bench models [part of a name ...]`. Prints a table, writes JSON, exits non-zero where outputs disagree.
# Knows subjects by name, their libraries by CMake target, and rivals by module of bench/rivals.
import ctypes
import importlib.metadata as metadata
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import numpy as np

BENCH = pathlib.Path(__file__).resolve().parent
TREE = BENCH.parent / "build" / "bench"
SUBJECTS = ("MobileNetV1At224", "MobileNetV2At224", "ResNet18At224", "ResNet50At224", "SqueezeNetAt224", "VGG16At224",
            "UltraFaceAt320", "DSCNNAt49", "ResNet8At32", "MNISTAt28", "PolicyOf48")
OWN = {"tarn": "Winograd<Fastest>", "tarn_smallest": "Winograd<Smallest>", "tarn_exact": "Fastest"}  # column: policy
RIVALS = ("onnxruntime", "openvino", "ncnn", "litert")
SUFFIXES = {"onnxruntime": ".onnx", "openvino": ".onnx", "litert": ".tflite"}
CORE = max(os.sched_getaffinity(0))
SLICE_NS = 20e6  # least time with one runtime before the next has its turn
ROUNDS, LEAST_ROUNDS, SUBJECT_NS = 40, 12, 20e9
TOLERANCE = 2e-4  # of outputs, relative to the largest: transforms and orders of summation round differently


def subject_names():
    text = "".join((BENCH / header).read_text(encoding="utf-8") for header in ("subjects.hpp", "models_subjects.hpp"))
    return dict(re.findall(r'^struct (\w+) : Subject \{\n.*?\bname = "([^"]*)";', text, re.M))


def build(target):
    # A library takes seconds to a minute to compile; one that is there already takes none.
    done = subprocess.run(["cmake", "--build", str(TREE), "--target", target], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)
    return TREE / "bench" / f"lib{target}.so"


class Worker:
    """A process of rivals/worker.py; what its runtime prints goes to a log."""

    def __init__(self, job, environment, log):
        self.log = log
        self.child = subprocess.Popen([sys.executable, str(BENCH / "rivals" / "worker.py")], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=open(log, "w", encoding="utf-8"), text=True,
                                      env={**os.environ, **environment})
        self.told = self.ask(json.dumps(job))

    def ask(self, line):
        """Nothing when the process has ended."""
        self.child.stdin.write(f"{line}\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        return json.loads(answer) if answer else None

    def ns_per_run(self, times):
        taken = self.ask(times)
        return {clock: ns / times for clock, ns in taken.items()}

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Library:
    """A subject's facts, from its shared library."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        self.lib.tarn_description.restype = ctypes.c_char_p
        for name in ("tarn_macs", "tarn_arena_bytes", "tarn_weight_bytes"):
            getattr(self.lib, name).restype = ctypes.c_size_t
        if not self.lib.tarn_runs_here():
            sys.exit("this processor has no AVX2: nothing measured")
        self.description = self.lib.tarn_description().decode()

    def write_weights(self, path):
        if self.lib.tarn_write_weights(str(path).encode()) != 0:
            sys.exit(f"{path} could not be written")

    def number(self, what, policy=""):
        return getattr(self.lib, "tarn_" + what)(policy.encode())


class Subject:
    """One network, written for every runtime and loaded by each in a process of its own."""

    def __init__(self, target, calls):
        path = build("models_" + target)
        self.library = Library(path)
        self.folder = TREE / "models" / target
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {"TARN_BENCH_LIBRARY": str(path), "TARN_BENCH_CALLS": str(calls),
                            # for libraries that do not ask their options
                            "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "TF_CPP_MIN_LOG_LEVEL": "2"}
        self.library.write_weights(self.folder / "weights.safetensors")
        self.workers, self.outputs, self.absent = {}, {}, {}
        ends = {}
        for column in (*OWN, *RIVALS):
            own = column in OWN
            job = {"module": "run_tarn" if own else "run_" + column, "policy": OWN.get(column, ""), "core": CORE,
                   "folder": str(self.folder),
                   "files": {"weights": str(self.folder / "weights.safetensors"),
                             "model": "" if own else str(self.folder / (column + SUFFIXES.get(column, ""))),
                             "outputs": str(self.folder / (column + ".f32"))}}
            writer = self.start({**job, "description": self.library.description}, column + "_writer")
            ends = writer.told
            writer.close()
            if self.missing(column, writer, ends):
                continue
            self.weight_bytes = ends.pop("weight_bytes")
            worker = self.start({**job, "ends": ends}, column)
            if self.missing(column, worker, worker.told):
                continue
            self.workers[column] = worker
            self.outputs[column] = np.fromfile(job["files"]["outputs"], np.float32)

    def start(self, job, name):
        return Worker(job, self.environment, self.folder / (name + ".log"))

    def missing(self, column, worker, told):
        """Whether a runtime is not to be had; ends the bench where it is there and fails."""
        if told is None:
            sys.exit(f"{column} ended: {pathlib.Path(worker.log).read_text(encoding='utf-8')[-2000:]}")
        if "missing" in told:
            self.absent[column] = told["missing"]
        return "missing" in told

    def faults(self):
        """Where outputs disagree with tarn's."""
        ours = self.outputs["tarn"]
        largest = float(np.max(np.abs(ours)))
        self.differences = {column: float(np.max(np.abs(theirs - ours))) / largest if theirs.size == ours.size else
                            math.inf for column, theirs in self.outputs.items()}
        return [f"{column}: outputs differ by {difference:.2g} of the largest, {largest:g}"
                for column, difference in self.differences.items()
                if not difference <= TOLERANCE]

    def measure(self):
        """Nanoseconds of one forward, by column and clock, over rounds in which each runtime has its turn."""
        once = {column: worker.ns_per_run(1)["wall"] for column, worker in self.workers.items()}
        once = {column: min(ns, worker.ns_per_run(3)["wall"]) for (column, worker), ns in
                zip(self.workers.items(), once.values())}
        times = {column: max(1, math.ceil(SLICE_NS / ns)) for column, ns in once.items()}
        columns, taken, begin = list(self.workers), {column: [] for column in self.workers}, time.perf_counter_ns()
        for turn in range(ROUNDS):
            if turn >= LEAST_ROUNDS and time.perf_counter_ns() - begin > SUBJECT_NS:
                break
            shift = turn % len(columns)
            for column in columns[shift:] + columns[:shift]:
                taken[column].append(self.workers[column].ns_per_run(times[column]))
        return taken

    def row(self):
        taken = self.measure()
        row = {"mega_macs": self.library.number("macs") / 1e6, "weight_bytes": self.weight_bytes}
        for column, slices in taken.items():
            process = [one["process"] for one in slices]
            row[f"{column}_best_us"] = min(process) / 1e3
            row[f"{column}_median_us"] = statistics.median(process) / 1e3
            row[f"{column}_best_wall_us"] = min(one["wall"] for one in slices) / 1e3
            row[f"{column}_grown_bytes"] = self.workers[column].told["grown"] - self.weight_bytes
            row[f"{column}_peak_bytes"] = self.workers[column].told["peak"] - self.weight_bytes
            row[f"{column}_difference"] = self.differences[column]
        rivals = [column for column in RIVALS if column in taken]
        row["rounds"] = len(next(iter(taken.values())))
        row["arena_bytes"] = self.library.number("arena_bytes", OWN["tarn"])
        row["smallest_arena_bytes"] = self.library.number("arena_bytes", OWN["tarn_smallest"])
        row["exact_arena_bytes"] = self.library.number("arena_bytes", OWN["tarn_exact"])
        row["packed_bytes"] = self.library.number("weight_bytes", OWN["tarn"])
        if rivals:
            row["fastest_rival"] = min(rivals, key=lambda column: row[f"{column}_best_us"])
            for which in ("best", "median"):
                least = min(row[f"{column}_{which}_us"] for column in rivals)
                row[f"ratio_of_{which}s"] = least / row[f"tarn_{which}_us"]
                row[f"smallest_ratio_of_{which}s"] = least / row[f"tarn_smallest_{which}_us"]
                row[f"exact_ratio_of_{which}s"] = least / row[f"tarn_exact_{which}_us"]
        return row

    def close(self):
        for worker in self.workers.values():
            worker.close()


def conditions(absent):
    """Who ran, on what, and how busy the machine was."""
    packages = {"litert": "ai-edge-litert"}
    there = [column for column in RIVALS if column not in absent]
    versions = [f"{column} {metadata.version(packages.get(column, column))}" for column in there]
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return (f"{', '.join(versions)}; core {CORE} of {os.cpu_count()} of {cpu[1] if cpu else 'a processor'}, "
            f"{os.getloadavg()[0]:.1f} processes on the machine at the end")


def mean_of(rows):
    means = {}
    for column in ("ratio_of_bests", "ratio_of_medians", "smallest_ratio_of_bests", "smallest_ratio_of_medians",
                   "exact_ratio_of_bests", "exact_ratio_of_medians"):
        values = [row[column] for row in rows if column in row]
        if values:
            means[column] = math.exp(statistics.fmean(math.log(value) for value in values))
    return {"name": "geometric mean", **means}


TITLE = """\
Whole networks, batch 1, float, one thread on one core: microseconds of a forward, the least over {rounds} rounds in
which each runtime has its turn; processor time of the whole process, so that what others do meanwhile is not counted.
tarn: policy Winograd<Fastest>; smallest: Winograd<Smallest>; exact: Fastest, every sum as written. Ratio: the fastest
rival over tarn, of the least and of the medians.
tarn, ONNX Runtime and OpenVINO are called by their C functions; ncnn and LiteRT from Python, whose cost is taken off.
KiB: tarn's arenas, and what each rival's resident memory grows by from before loading to after three runs, less one
copy of the weights. Packed: tarn's weights under Winograd, where tiles' are 4 or 1.8 times as large."""


def table(rows):
    """Lines of a table of rows, and of their memory."""
    def number(row, key, scale=1, digits=0):
        return f"{row[key] / scale:,.{digits}f}" if key in row else ""

    heads = ["", "tarn", "smallest", "exact", *RIVALS, "ratio", "medians", "smallest's", "exact's", "fastest rival"]
    lines = [[row["name"], *(number(row, f"{c}_best_us", 1, 1) for c in (*OWN, *RIVALS)),
              *(number(row, k, 1, 2) for k in ("ratio_of_bests", "ratio_of_medians", "smallest_ratio_of_bests",
                                                 "exact_ratio_of_bests")),
              row.get("fastest_rival", "")] for row in rows]
    memory_heads = ["KiB", "tarn", "smallest", "exact", *RIVALS, "weights", "packed"]
    memory = [[row["name"], *(number(row, f"{c}arena_bytes", 1024) for c in ("", "smallest_", "exact_")),
               *(number(row, f"{c}_grown_bytes", 1024) for c in RIVALS), number(row, "weight_bytes", 1024),
               number(row, "packed_bytes", 1024)]
              for row in rows if "arena_bytes" in row]
    return "\n\n".join(columned([first, *rest]) for first, rest in ((heads, lines), (memory_heads, memory)))


def columned(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  " + "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                                      for i, (cell, width) in enumerate(zip(line, widths))) for line in lines)


def main():
    json_path, *parts = sys.argv[1:]
    names = subject_names()
    calls = build("models_calls")
    os.sched_setaffinity(0, set(range(os.cpu_count())) - {CORE} or {CORE})
    rows, faults, absent = [], [], {}
    for target in SUBJECTS:
        name = names[target]
        if parts and not any(part in name for part in parts):
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        subject = Subject(target, calls)
        absent.update(subject.absent)
        found = subject.faults()
        faults += [f"{name}: {fault}" for fault in found]
        rows.append({"name": name, **subject.row()})
        subject.close()
    if not rows:
        sys.exit("no subject has such a name: " + ", ".join(names[target] for target in SUBJECTS))
    print(TITLE.format(rounds=f"{min(row['rounds'] for row in rows)} to {max(row['rounds'] for row in rows)}"))
    rows.append(mean_of(rows))
    print(table(rows))
    print(conditions(absent))
    for column, why in absent.items():
        print(f"{column} is not to be had here: {why}")
    for fault in faults:
        print("DISAGREES " + fault)
    pathlib.Path(json_path).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if faults else 0)


main()
