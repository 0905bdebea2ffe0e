// SPDX-License-Identifier: MIT
// How a network runs on a card: InPlace, OneLaunch, Library, Best; Cuda, the device tag that carries it.
// What users name in Model<Net, In, Cuda<...>>. Knows what a mode asks of each step; nothing of launches.
#pragma once

#include <tarn/cuda/device.hpp>

namespace tarn::cuda {

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

} // namespace tarn::cuda

namespace tarn {

/// A card as a device: how a network runs on it, and the grid that its kernels are compiled for.
/// Grid: a cuda::DeviceGrid; the number of its Blocks must be resident at once where outputs wait in registers.
template <class TheMode = cuda::Best, class TheGrid = cuda::DeviceGrid<>> struct Cuda : TheGrid {
    using Mode = TheMode;
    using Grid = TheGrid;

    template <Op O> static constexpr bool library = Mode::library(O);
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
