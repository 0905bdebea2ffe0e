// SPDX-License-Identifier: MIT
// Row panels: products in place at a row pitch. A block owns whole rows, reads them into shared memory, and writes the
// outputs over them; no other block reads or writes there, so the block's barrier is enough.
// Beside conv.hpp, for matrices of many rows and few features.
// Knows the Op and its geometry; nothing of plans or launches.
#pragma once

#include <tarn/cuda/product.hpp>

namespace tarn::cuda {

/// Rows of in [rows, K] and out [rows, N] at one pitch of at least max(K, N): the same pointer. With compact rows of
/// two widths an output row would land on input that another block has not read yet.
/// PanelRows: how many rows of K floats share the block's memory.
template <Op O, int Threads, int PanelRows> struct Panel : Product<O> {
    using P = Product<O>;
    using typename P::Packed;
    static constexpr int rows_at_once = 4; ///< sums a thread: each weight it loads is used so often
    static constexpr int bands = ceil_div(PanelRows, rows_at_once);
    static constexpr int depth_pitch = P::depth;
    static constexpr int panels = ceil_div(P::rows, PanelRows);
    static constexpr std::size_t shared_bytes = std::size_t{PanelRows} * depth_pitch * sizeof(float);
    /// Whether in and out may be the same pointer.
    static constexpr bool in_place = P::in_pitch == P::out_pitch && P::in_pitch >= larger(P::in_c, P::out_c);
    static_assert(P::one_place && P::groups == 1 && !P::is_up, "panel: a matrix product");

    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* in, const float* other, float* out, const Packed& w) {
        float* const panel_rows = c.template shared<float>();
        for (int panel = c.block(); panel < panels; panel += c.blocks()) {
            const int first = panel * PanelRows, rows = smaller_of(PanelRows, P::rows - first);
            for (int i = c.thread(); i < rows * P::depth; i += Threads)
                panel_rows[i] = in[element(first + i / P::depth, P::in_pitch, i % P::depth)];
            c.block_barrier();
            for (int work = c.thread(); work < bands * P::columns; work += Threads) {
                const int column = work % P::columns, band = work / P::columns * rows_at_once;
                float sums[rows_at_once] = {};
                for (int k = 0; k < P::depth; ++k) {
                    const float weight = w.weight[0][k][column];
                    TARN_DEVICE_UNROLL
                    for (int r = 0; r < rows_at_once; ++r)
                        if (band + r < rows) sums[r] += panel_rows[(band + r) * depth_pitch + k] * weight;
                }
                TARN_DEVICE_UNROLL
                for (int r = 0; r < rows_at_once; ++r) {
                    const int row = first + band + r;
                    if (band + r < rows) P::store(out, row, 0, column, sums[r] + P::addend(other, w, row, 0, column));
                }
            }
            c.block_barrier(); // the next panel goes where this one is
        }
    }

  private:
    TARN_DEVICE static int smaller_of(int a, int b) { return a < b ? a : b; }
};

} // namespace tarn::cuda
