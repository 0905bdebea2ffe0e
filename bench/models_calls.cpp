// SPDX-License-Identifier: MIT
// Calls a C function of some runtime many times, so that what a driver in another language costs is not counted.
// Loaded by bench/rivals/calls.py. Knows nothing of runtimes.
#pragma GCC visibility push(default)
extern "C" {
/// Result: the first that is not zero.
int tarn_repeat(int (*call)(void*), void* argument, int times) {
    for (int i = 0; i < times; ++i)
        if (const int result = call(argument); result != 0) return result;
    return 0;
}

/// Of a function of eight words; its result is null where all went well.
void* tarn_repeat_8(void* (*call)(void*, void*, void*, void*, void*, void*, void*, void*), void* const* a, int times) {
    for (int i = 0; i < times; ++i)
        if (void* const result = call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])) return result;
    return nullptr;
}
}
#pragma GCC visibility pop
