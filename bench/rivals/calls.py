# SPDX-License-Identifier: MIT
# Calls into C libraries many times with a clock around all of them, so that Python's own cost is not counted.
# Under the run_*.py that drive a runtime by its C functions.
# Knows models_calls.cpp, compiled into the library of TARN_BENCH_CALLS; no runtime.
import ctypes
import os
import time
from dataclasses import dataclass


@dataclass
class Times:
    """Nanoseconds of so many forwards: by the clock, and that this process ran, whatever others did meanwhile."""
    wall: int
    process: int


def clocked(work):
    wall, process = time.perf_counter_ns(), time.process_time_ns()
    work()
    return Times(time.perf_counter_ns() - wall, time.process_time_ns() - process)


def library():
    lib = ctypes.CDLL(os.environ["TARN_BENCH_CALLS"])
    lib.tarn_repeat.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    lib.tarn_repeat_8.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    lib.tarn_repeat_8.restype = ctypes.c_void_p
    return lib


def address(function):
    return ctypes.cast(function, ctypes.c_void_p)


def repeated(function, argument, times):
    """function: a C function of one pointer that returns 0."""
    lib = library()

    def work():
        result = lib.tarn_repeat(address(function), argument, times)
        assert result == 0, f"the runtime reports {result}"
    return clocked(work)


def repeated_8(function, arguments, times):
    """function: a C function of eight words that returns null."""
    lib = library()
    words = (ctypes.c_void_p * 8)(*arguments)

    def work():
        assert not lib.tarn_repeat_8(address(function), words, times), "the runtime reports an error"
    return clocked(work)
