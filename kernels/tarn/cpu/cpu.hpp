// SPDX-License-Identifier: MIT
// Cpu: the device tag of processors, and how an instruction set is chosen.
// What Model is given as its device; the run layer asks it for footprints, packed weights and kernels.
// Knows kernels; nothing of plans or files.
#pragma once

#include <tarn/cpu/pack.hpp>
#include <tarn/cpu/sets.hpp>

namespace tarn {

namespace cpu {

/// Kernels of different sets to choose among, best first; the same ones twice count once.
template <class First, class... Rest> struct KernelList {
    using Best = First;
    using Others = KernelList<Rest...>;
    using Base = typename Others::Base;
};
template <class First, class... Rest> struct KernelList<First, First, Rest...> : KernelList<First, Rest...> {};
template <class Only> struct KernelList<Only> {
    using Best = Only;
    using Base = Only;
};

/// What a processor must have for kernels to run on it.
template <class Kernels> inline constexpr Level level_of = Level::base;
#if TARN_CARRIES_AVX2
template <> inline constexpr Level level_of<avx2::Kernels> = Level::avx2;
#endif

namespace TARN_SET_BASE {
/// Kernels, best first, and which of them the processor runs. A type of its own where the translation unit is compiled
/// for more, so that units with different flags can be linked together.
template <class... Kernels> struct Ranked {
    using Sets = KernelList<Kernels...>;

    /// The place in the list of the first that the processor runs. The last is not checked.
    static int choose() noexcept {
        if constexpr (requires { typename Sets::Others; }) return place<Sets>(processor_level());
        return 0;
    }

  private:
    template <class List> static int place(Level most) noexcept {
        if constexpr (requires { typename List::Others; }) {
            if (level_of < typename List::Best >> most) return 1 + place<typename List::Others>(most);
        }
        return 0;
    }
};

/// The best set the processor has among those this translation unit carries, found out at construction.
struct Choose : Ranked<BestKernels, BaseKernels> {};
/// The translation unit's own set, always.
struct Baseline : Ranked<BaseKernels> {};
/// AVX2 with FMA, unchecked: for processors known to have it. The same as Baseline where nothing more is carried.
struct Avx2 : Ranked<BestKernels> {};
} // namespace TARN_SET_BASE

using Choose = TARN_SET_BASE::Choose;
using Baseline = TARN_SET_BASE::Baseline;
using Avx2 = TARN_SET_BASE::Avx2;

} // namespace cpu

/// Runs on the processor, in float, on one thread. Set: cpu::Choose (default), cpu::Baseline or cpu::Avx2, and those of
/// cpu/avx512.hpp.
template <class Set = cpu::Choose> struct Cpu {
    using Sets = typename Set::Sets; ///< kernels, best first
    using Best = typename Sets::Best;
    using Base = typename Sets::Base;
    using Scope = cpu::FlushSubnormals; ///< lives while a forward runs

    template <Op O> using Packed = typename cpu::Geometry<O>::Packed;
    template <Op O> static constexpr Footprint footprint() noexcept { return cpu::footprint_of(O); }
    template <Op O> static constexpr void pack(Packed<O>& to, const RawWeights& raw) noexcept { cpu::pack<O>(to, raw); }
    /// Which of Sets this processor runs; whether it is the first.
    static int choose() noexcept { return Set::choose(); }
    static bool takes_best() noexcept { return choose() == 0; }
};

} // namespace tarn
