// SPDX-License-Identifier: MIT
// The rival without an arena: the same kernels on the same weights, with a heap allocation for what every step makes.
// What allocation_bench and latency_bench measure against.
// Knows steps and kernels; nothing of plans or of timing.
#pragma once

#include <tarn/tarn.hpp>

#include <cstdlib>
#include <cstring>

namespace tarn_bench {

/// Floats on the heap, 64-byte aligned.
inline float* heap_floats(std::size_t elems) {
    return static_cast<float*>(std::aligned_alloc(64, (elems * sizeof(float) + 63) / 64 * 64));
}

/// Forward of a model, each step's output allocated before it is made and freed after its last reader; scratch, where a
/// kernel takes some, likewise.
template <class M> class HeapForward {
  public:
    explicit HeapForward(const typename M::Weights& weights) : weights_(weights) {}

    void forward(std::span<const float, M::Input::elems> input, float* result) {
        const typename M::Device::Scope scope;
        storages_[0] = const_cast<float*>(input.data()); // read only: no step runs in place here
        run(std::make_integer_sequence<int, M::step_count>{});
        float* const last = storages_[steps.outputs[0].view.storage];
        std::memcpy(result, last + steps.outputs[0].view.offset, M::Output::elems * sizeof(float));
        std::free(last);
    }

  private:
    static constexpr auto& steps = M::Facts::steps;
    static constexpr auto lives = tarn::lifetimes_of(steps, false);

    template <int... I> void run(std::integer_sequence<int, I...>) {
        if (M::Device::takes_best())
            (step<typename M::Device::Best, I>(), ...);
        else
            (step<typename M::Device::Base, I>(), ...);
    }
    template <class Kernels, int I> void step() {
        using namespace tarn;
        constexpr Step step = steps.steps[I];
        constexpr Footprint footprint = M::Device::template footprint<step.op>();
        static_assert(step.out.offset == 0); // no concats here: every step's output is a storage
        storages_[step.out.storage] = heap_floats(steps.storage[step.out.storage]);
        float* const scratch = footprint.direct_scratch > 0 ? heap_floats(footprint.direct_scratch) : nullptr;
        const float* other = nullptr;
        if constexpr (step.other.storage >= 0) other = storages_[step.other.storage] + step.other.offset;
        Kernels::template run<step.op, Schedule{}>(storages_[step.in.storage] + step.in.offset, other,
                                                   storages_[step.out.storage], scratch,
                                                   M::template step_weights<I>(weights_));
        if constexpr (footprint.direct_scratch > 0) std::free(scratch);
        for (int v = 1; v < steps.storage_count; ++v)
            if (lives.death[v] == I) std::free(storages_[v]);
    }

    const typename M::Weights& weights_;
    float* storages_[static_cast<std::size_t>(steps.storage_count)] = {};
};

} // namespace tarn_bench
