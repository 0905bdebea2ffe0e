// SPDX-License-Identifier: MIT
// How a network runs on a card: InPlace, OneLaunch, Library, LibraryWithDnn, Best; Cuda, the device tag that carries
// it. What users name in Model<Net, In, Cuda<...>>. Knows what a mode asks of each step; nothing of launches.
#pragma once

#include <tarn/cuda/device.hpp>
#include <tarn/cuda/filter.hpp>

namespace tarn::cuda {

/// Whether a step is a convolution that cuDNN does: any but those that are a product alone, and those with a group for
/// each channel, which are a matter of memory that our own kernel reads once.
constexpr bool dnn_takes(const Op& op) noexcept {
    return op.kind == OpKind::conv2d && !library_takes(op) && !is_depthwise(op) && !op.broadcast;
}

/// Own kernels, a launch a step.
struct InPlace {
    static constexpr bool one_launch = false;
    static constexpr std::size_t workspace_bytes = 0;
    static constexpr bool library(const Op&) noexcept { return false; }
};

/// Own kernels, the whole network as one launch, with the cheapest sufficient barrier between steps.
struct OneLaunch {
    static constexpr bool one_launch = true;
    static constexpr std::size_t workspace_bytes = 0;
    static constexpr bool library(const Op&) noexcept { return false; }
};

/// Linear and 1x1 layers by cuBLASLt, with the sum and ReLU in its epilogue; what it has no operation for by own
/// kernels, a launch a step. Workspace: what it may use at most, a region of the arena; 0 forbids any.
template <std::size_t Workspace = std::size_t{4} << 20> struct Library {
    static_assert(Workspace % device_alignment == 0, "cuda: a workspace is a multiple of 256 bytes");
    static constexpr bool one_launch = false;
    static constexpr std::size_t workspace_bytes = Workspace;
    static constexpr bool library(const Op& op) noexcept { return library_takes(op); }
};

/// What Library does, and every other convolution that dnn_takes by cuDNN; bias, sum and activation of these follow by
/// a kernel of ours. Workspace: of each step, one region for all. Host code needs no header of cuDNN; the .cu file
/// includes <tarn/device/dnn.hpp> beside launches.cuh and links with cuDNN (tarn::cudnn).
template <std::size_t Workspace = std::size_t{4} << 20> struct LibraryWithDnn : Library<Workspace> {
    static constexpr bool convolution(const Op& op) noexcept { return dnn_takes(op); }
    static constexpr bool library(const Op& op) noexcept { return library_takes(op) || dnn_takes(op); }
};

/// What is expected to be fastest, step by step: products of LibraryFrom multiplications and more by cuBLASLt, all else
/// by own kernels; and where no step has more than LaunchFrom, the whole network as one launch. bench/gpu measures what
/// these limits should be on a card; they are guesses until it has.
template <std::size_t LibraryFrom = std::size_t{1} << 25, std::size_t LaunchFrom = std::size_t{1} << 18,
          std::size_t Workspace = std::size_t{4} << 20>
struct Choose {
    static constexpr std::size_t launch_from = LaunchFrom;
    static constexpr std::size_t workspace_bytes = Workspace;
    static constexpr bool library(const Op& op) noexcept { return library_takes(op) && macs_of(op) >= LibraryFrom; }
};
using Best = Choose<>;

/// Whether a mode leaves a step to a library of convolutions, which wants weights of another order.
template <class Mode> constexpr bool as_convolution(const Op& op) noexcept {
    if constexpr (requires { Mode::convolution(op); })
        return Mode::convolution(op);
    else
        return false;
}
template <class Grid, Op O, bool AsConvolution> struct ToPacked { using type = typename Grid::template Packed<O>; };
template <class Grid, Op O> struct ToPacked<Grid, O, true> { using type = typename ToFilterGeometry<O>::type::Packed; };

} // namespace tarn::cuda

namespace tarn {

/// A card as a device: how a network runs on it, and the grid that its kernels are compiled for.
/// Grid: a cuda::DeviceGrid; the number of its Blocks must be resident at once where outputs wait in registers.
template <class TheMode = cuda::Best, class TheGrid = cuda::DeviceGrid<>> struct Cuda : TheGrid {
    static_assert(
        requires { TheMode::workspace_bytes; },
        "cuda: a mode comes first, InPlace, OneLaunch, Library, LibraryWithDnn or Best, and the grid second");
    using Mode = TheMode;
    using Grid = TheGrid;

    template <Op O> static constexpr bool library = Mode::library(O);
    template <Op O> static constexpr bool convolution = cuda::as_convolution<Mode>(O);
    template <Op O> using Packed = typename cuda::ToPacked<Grid, O, convolution<O>>::type;
    template <Op O, class Raw> static constexpr void pack(Packed<O>& to, const Raw& raw) noexcept {
        if constexpr (convolution<O>)
            cuda::pack_filter<O>(to, raw);
        else
            Grid::template pack<O>(to, raw);
    }
    static constexpr bool owns_rows(const Op& op) noexcept { return Grid::owns_rows(op) && !Mode::library(op); }
    /// A library's output lies apart, and its work is never one block's.
    template <Op O, bool Owned = false> static constexpr cuda::Footprint footprint() noexcept {
        cuda::Footprint f = Grid::template footprint<O, Owned>();
        if (library<O>) {
            f = cuda::Footprint{};
            f.work = ~std::size_t{0};
        }
        return f;
    }
};

} // namespace tarn
