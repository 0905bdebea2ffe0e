#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Runs a WASI program under wasmtime and exits as it does.
# Called by foreign.py with the Python that has PyPI's wasmtime; exits 77 where it has not.
# Knows nothing of the program.
import sys

try:
    import wasmtime
except ImportError:
    print("skipped: this Python has no wasmtime")
    sys.exit(77)


def main():
    engine = wasmtime.Engine()
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    program = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
    try:
        program.exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        return end.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
