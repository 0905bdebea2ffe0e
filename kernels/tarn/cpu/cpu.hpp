// SPDX-License-Identifier: MIT
// Cpu: the device tag of processors, and how an instruction set is chosen.
// What Model is given as its device; the run layer asks it for footprints, packed weights and kernels.
// Knows kernels; nothing of plans or files.
#pragma once

#include <tarn/cpu/pack.hpp>
#include <tarn/cpu/sets.hpp>

namespace tarn {

namespace cpu {

namespace TARN_SET_BASE {
/// The best set the processor has among those this translation unit carries, found out at construction. The type is
/// another one where the unit is compiled for more, so that units with different flags can be linked together.
struct Choose {
    using Base = BaseKernels;
    using Best = BestKernels;
    static bool takes_best() noexcept { return has_avx2() || !TARN_CARRIES_AVX2; }
};
/// The translation unit's own set, always.
struct Baseline {
    using Base = BaseKernels;
    using Best = BaseKernels;
    static bool takes_best() noexcept { return false; }
};
/// AVX2 with FMA, unchecked: for processors known to have it. The same as Baseline where nothing more is carried.
struct Avx2 {
    using Base = BestKernels;
    using Best = BestKernels;
    static bool takes_best() noexcept { return true; }
};
} // namespace TARN_SET_BASE

using Choose = TARN_SET_BASE::Choose;
using Baseline = TARN_SET_BASE::Baseline;
using Avx2 = TARN_SET_BASE::Avx2;

} // namespace cpu

/// Runs on the processor, in float, on one thread. Set: cpu::Choose (default), cpu::Baseline or cpu::Avx2.
template <class Set = cpu::Choose> struct Cpu {
    using Base = typename Set::Base;
    using Best = typename Set::Best;
    using Scope = cpu::FlushSubnormals; ///< lives while a forward runs

    template <Op O> using Packed = typename cpu::Geometry<O>::Packed;
    template <Op O> static constexpr Footprint footprint() noexcept { return cpu::footprint_of(O); }
    template <Op O> static constexpr void pack(Packed<O>& to, const RawWeights& raw) noexcept { cpu::pack<O>(to, raw); }
    static bool takes_best() noexcept { return Set::takes_best(); }
};

} // namespace tarn
