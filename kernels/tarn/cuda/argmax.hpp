// SPDX-License-Identifier: MIT
// The place of each row's largest value: what a classifier's caller wants, so that a label leaves the card and not the
// scores. No layer of a network; a program launches it behind one.
// Beside rowwise.hpp. Knows extents only.
#pragma once

#include <tarn/cuda/rowwise.hpp>

namespace tarn::cuda {

/// in [Rows, Features] at Pitch, out [Rows] as ints: the first of equals; a NaN is the largest of all, as in PyTorch.
/// A warp a row. Memory: out lies apart; no shared memory, no barrier.
template <int Rows, int Features, int Pitch, int Threads> struct Argmax {
    static_assert(Features >= 1 && Pitch >= Features, "argmax: rows of at least one value, apart");
    static constexpr int threads = Threads;
    static constexpr std::size_t shared_bytes = 0;
    static constexpr int most_blocks = ceil_div(Rows, Threads / warp_threads);

    template <ExecutionContext C> TARN_DEVICE static void run(const C& c, const float* in, int* out) {
        static_assert(C::threads == Threads);
        const int lane = c.thread() % warp_threads;
        for_each_row<Rows>(c, [&](int row) {
            const float* const x = in + element(row, Pitch, 0);
            float most = -__builtin_inff();
            bool nan = false;
            for (int i = lane; i < Features; i += warp_threads) {
                nan = nan || x[i] != x[i];
                most = most > x[i] ? most : x[i];
            }
            nan = warp_largest(c, nan ? 1.F : 0.F) > 0.F;
            most = warp_largest(c, nan ? 0.F : most);
            // Places are exact as floats up to 2^24; the least is the largest of their negatives.
            static_assert(Features <= 1 << 24);
            float first = -static_cast<float>(Features);
            for (int i = lane; i < Features; i += warp_threads) {
                const bool found = nan ? x[i] != x[i] : x[i] == most;
                if (found && -static_cast<float>(i) > first) first = -static_cast<float>(i);
            }
            first = warp_largest(c, first);
            if (lane == 0) out[row] = static_cast<int>(-first);
        });
    }
};

} // namespace tarn::cuda
