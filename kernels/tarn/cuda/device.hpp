// SPDX-License-Identifier: MIT
// DeviceGrid: the grid that a network's kernels are compiled for, as a device tag: bodies, packed weights, footprints.
// What plan/device_plan.hpp asks about each step and the walkers run. Named by users through Cuda<...>.
// Knows every body; nothing of plans or launches.
#pragma once

#include <tarn/cuda/kernels.hpp>
#include <tarn/cuda/pack.hpp>

namespace tarn::cuda {

/// What a step's kernel may do with memory, and how its threads share the work.
struct Footprint {
    bool on_input = false; ///< the output may be the first input's own elements, or begin where it does
    bool on_other = false; ///< or the second's
    bool held = false;     ///< another form lets the output lie anywhere on the inputs, for a barrier of the grid
    bool elementwise =
        false; ///< element i is made from elements i of the inputs by thread i of the grid, modulo its size
    bool one_block = false; ///< no more than one block ever works
    int owns = 0;           ///< rows that a block owns and overwrites at a time, where it is planned so
    bool settles = false;   ///< it ends with a barrier of the block, so that the block's next step needs none
    std::size_t work = 0;   ///< multiplications, or elements
};

/// Whether a step is one matrix product as a library has it: each output pixel of its own input pixel.
constexpr bool library_takes(const Op& op) noexcept {
    const Window& w = op.window;
    const bool pointwise = w.kernel_h * w.kernel_w == 1 && w.stride_h * w.stride_w == 1 &&
                           w.pad_top + w.pad_bottom + w.pad_left + w.pad_right == 0;
    return (op.kind == OpKind::linear || (op.kind == OpKind::conv2d && op.groups == 1 && pointwise)) && !op.broadcast;
}

/// Threads: of a block. Blocks: how many of them are resident together at the least, which is what held outputs are
/// divided among; a grid may have more. Eight: as many multiprocessors as the smallest cards have. F: what factors of
/// large products are rounded to. SoloWork: steps of no more work are left to one block where their neighbours are as
/// well: a barrier of a grid costs about a microsecond, in which one multiprocessor does so many multiplications.
template <int Threads = 256, int Blocks = 8, Factor F = Factor::f32, std::size_t SoloWork = 16384> struct DeviceGrid {
    static_assert(Threads >= warp_threads && Threads <= 1024 && (Threads & (Threads - 1)) == 0,
                  "cuda: a block's threads are a power of two, 32 to 1024");
    static_assert(Blocks >= 1, "cuda: outputs are divided among one block at least");
    static constexpr int threads = Threads, blocks = Blocks;
    static constexpr Factor factor = F;
    static constexpr std::size_t alignment = device_alignment;
    static constexpr std::size_t solo_work = SoloWork;

    static constexpr bool elementwise(const Op& op) noexcept {
        return op.kind == OpKind::activation || op.kind == OpKind::add || op.kind == OpKind::mul ||
               op.kind == OpKind::copy || op.kind == OpKind::batch_norm;
    }

    template <Op O> using Packed = typename Geometry<O>::Packed;
    template <Op O, class Raw> static constexpr void pack(Packed<O>& to, const Raw& raw) noexcept {
        cuda::pack<O>(to, raw);
    }
    /// Products that overwrite their rows, as many at a time as fit a block's shared memory.
    static constexpr int panel_rows(const Op& op) noexcept {
        constexpr int most = 48 * 1024 / static_cast<int>(sizeof(float));
        const int depth = op.in.last();
        return depth * 16 <= most ? 16 : depth * 4 <= most ? 4 : depth <= most ? 1 : 0;
    }
    static constexpr bool owns_rows(const Op& op) noexcept {
        return library_takes(op) && op.out.rows() > 4 && panel_rows(op) > 0;
    }
    static constexpr bool keeps_rows(const Op& op) noexcept {
        return elementwise(op) || op.kind == OpKind::softmax || op.kind == OpKind::layer_norm;
    }
    template <Op O> using OwningBody = Panel<kernel_key(O), Threads, panel_rows(O)>;
    /// The body for an Op. Held: of so many blocks, 0 for the form whose output lies apart.
    template <Op O, int Held = 0> using Body = BodyFor<O, Threads, F, Held>;

    /// Owned: as a product that overwrites rows of its own.
    template <Op O, bool Owned = false> static constexpr Footprint footprint() noexcept {
        Footprint f;
        f.elementwise = elementwise(O);
        f.on_input = keeps_rows(O);
        f.on_other = f.elementwise && reads_other(O) && !O.broadcast;
        const std::size_t macs = macs_of(O);
        f.work = macs > 0 ? macs : O.out.elems() > O.in.elems() ? O.out.elems() : O.in.elems();
        if constexpr (requires { Body<O>::settles; }) f.settles = Body<O>::settles;
        if constexpr (Owned) {
            static_assert(OwningBody<O>::in_place);
            f.owns = panel_rows(O);
            f.settles = true;
        } else if constexpr (is_recurrent(O)) {
            f.one_block = true;
            f.on_input = Body<O>::in_place;
        } else if constexpr (is_dense(O) || is_pool(O) || O.kind == OpKind::conv2d || O.kind == OpKind::upsample) {
            f.held = Body<O, Blocks>::fits;
        }
        return f;
    }
};

} // namespace tarn::cuda
