// SPDX-License-Identifier: MIT
// Runs a kernel with input and output overlapping as far as its Footprint allows, and compares bits with a run on
// separate buffers, for every schedule and instruction set it has.
// Used by the overlap tests beside it. Knows kernels and footprints; nothing of plans.
#pragma once

#include "support/catch.hpp"

#include <tarn/cpu/cpu.hpp>

#include "support/random.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

namespace tarn_test {

/// What was run, over all Ops of a test.
struct OverlapTally {
    int ops = 0;
    int runs = 0;         ///< overlapped runs, all right
    int below = 0;        ///< staged dense runs one element below the law
    int below_wrong = 0;  ///< of those, how many gave other bits
};

/// Floats between two guards, all poisoned: what is read before it is written is NaN.
class Poisoned {
  public:
    explicit Poisoned(std::size_t count) : count_(count), floats_(guard + count + guard) {
        std::memset(floats_.data(), 0xFF, floats_.size() * sizeof(float));
    }
    float* at(std::size_t i) { return floats_.data() + guard + i; }
    void put(std::size_t i, const std::vector<float>& values) { std::copy(values.begin(), values.end(), at(i)); }
    std::vector<float> get(std::size_t i, std::size_t n) { return {at(i), at(i) + n}; }
    /// Whether nothing but [begin, begin + n) differs from what stood there before.
    bool only_changed(const Poisoned& before, std::size_t begin, std::size_t n) const {
        const std::size_t first = guard + begin, last = first + n;
        return std::memcmp(floats_.data(), before.floats_.data(), first * sizeof(float)) == 0 &&
               std::memcmp(floats_.data() + last, before.floats_.data() + last,
                           (floats_.size() - last) * sizeof(float)) == 0;
    }
    bool untouched() const { return only_changed(Poisoned(count_), 0, 0); }
    bool guards_intact() const { return only_changed(Poisoned(count_), 0, count_); }

  private:
    static constexpr std::size_t guard = 64;
    std::size_t count_;
    std::vector<float> floats_;
};

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <tarn::Op O> class OverlapCheck {
    using Packed = typename tarn::cpu::Geometry<O>::Packed;
    static constexpr tarn::Footprint footprint = tarn::cpu::Geometry<O>::footprint();
    static constexpr std::size_t in_elems = O.in.elems(), out_elems = O.out.elems();
    static constexpr bool dense = tarn::cpu::is_dense(O);

  public:
    explicit OverlapCheck(unsigned seed) : random_(seed), weights_(std::make_unique<Packed>()) {
        const auto channels = static_cast<std::size_t>(O.out.last());
        const std::size_t taps = static_cast<std::size_t>(O.window.kernel_h) * static_cast<std::size_t>(O.window.kernel_w);
        const auto weight = random_.reals(channels * taps * static_cast<std::size_t>(O.in.last() / O.groups));
        const auto bias = random_.reals(channels), mean = random_.reals(channels);
        const auto scale = random_.reals(channels), variance = random_.reals(channels, 0.5F, 2.F);
        tarn::RawWeights raw;
        raw.weight = weight.data();
        raw.bias = bias.data();
        if (O.kind == tarn::OpKind::batch_norm) {
            raw.norm_weight = scale.data();
            raw.norm_bias = bias.data();
            raw.norm_mean = mean.data();
            raw.norm_var = variance.data();
        }
        tarn::cpu::pack<O>(*weights_, raw);
        in_ = random_.reals(in_elems);
        if (O.add) other_ = random_.reals(out_elems);
    }

    template <class Kernels> void run(OverlapTally& tally) {
        INFO(Kernels::name);
        schedule<Kernels, tarn::Schedule{false, false}>(tally);
        schedule<Kernels, tarn::Schedule{true, false}>(tally);
        schedule<Kernels, tarn::Schedule{false, true}>(tally);
        schedule<Kernels, tarn::Schedule{true, true}>(tally);
    }

  private:
    template <class Kernels, tarn::Schedule S> void schedule(OverlapTally& tally) {
        constexpr const tarn::Lead& leads = S.staged ? footprint.staged : footprint.direct;
        constexpr long lead = S.descending ? leads.descending : leads.ascending;
        if constexpr (lead < tarn::Lead::never && (footprint.can_stage || !S.staged)) {
            INFO("descending " << S.descending << " staged " << S.staged << " lead " << lead);
            const auto expected = separate<Kernels, S>();
            REQUIRE(std::none_of(expected.begin(), expected.end(), [](float v) { return v != v; }));
            // Where no distance is too small, the input starts at the output's last element.
            const long tightest = std::max(lead, 1 - static_cast<long>(S.descending ? out_elems : in_elems));
            for (const long further : {0L, 1L, 16L, 17L}) {
                INFO("further " << further);
                REQUIRE(same_bits(overlapped<Kernels, S>(tightest + further), expected));
                ++tally.runs;
            }
            if (footprint.second_exact) {
                REQUIRE(same_bits(on_second<Kernels, S>(), expected));
                ++tally.runs;
            }
            if (dense && S.staged && tightest == lead) {
                ++tally.below;
                tally.below_wrong += same_bits(overlapped<Kernels, S>(lead - 1), expected) ? 0 : 1;
            }
        }
    }

    template <class Kernels, tarn::Schedule S> void call(const float* in, const float* other, float* out) {
        Poisoned scratch(S.staged ? footprint.scratch_elems : 0);
        Kernels::template run<O, S>(in, other, out, scratch.at(0), *weights_);
        REQUIRE(scratch.guards_intact());
    }

    template <class Kernels, tarn::Schedule S> std::vector<float> separate() {
        Poisoned in(in_elems), other(other_.size()), out(out_elems);
        in.put(0, in_);
        other.put(0, other_);
        const Poisoned in_before = in, other_before = other;
        call<Kernels, S>(in.at(0), O.add ? other.at(0) : nullptr, out.at(0));
        REQUIRE(in.only_changed(in_before, 0, 0));
        REQUIRE(other.only_changed(other_before, 0, 0));
        REQUIRE(out.guards_intact());
        return out.get(0, out_elems);
    }

    /// Upwards the input stands `apart` above the output, downwards the output `apart` above the input.
    template <class Kernels, tarn::Schedule S> std::vector<float> overlapped(long apart) {
        const long out_above_in = S.descending ? apart : -apart;
        const auto in_at = static_cast<std::size_t>(out_above_in < 0 ? -out_above_in : 0);
        const auto out_at = static_cast<std::size_t>(out_above_in < 0 ? 0 : out_above_in);
        Poisoned memory(std::max(in_at + in_elems, out_at + out_elems)), other(other_.size());
        memory.put(in_at, in_);
        other.put(0, other_);
        const Poisoned before = memory;
        call<Kernels, S>(memory.at(in_at), O.add ? other.at(0) : nullptr, memory.at(out_at));
        REQUIRE(memory.only_changed(before, out_at, out_elems));
        return memory.get(out_at, out_elems);
    }

    /// The output in the second input's own place.
    template <class Kernels, tarn::Schedule S> std::vector<float> on_second() {
        Poisoned in(in_elems), out(out_elems);
        in.put(0, in_);
        out.put(0, other_);
        call<Kernels, S>(in.at(0), out.at(0), out.at(0));
        REQUIRE(out.guards_intact());
        return out.get(0, out_elems);
    }

    Random random_;
    std::unique_ptr<Packed> weights_;
    std::vector<float> in_, other_;
};

/// One Op on the baseline and, where the processor has it, on the best set. A layer of its own to keep templates small.
template <tarn::Op O> void check_overlap(OverlapTally& tally) {
    OverlapCheck<O> check(static_cast<unsigned>(++tally.ops));
    check.template run<tarn::cpu::BaseKernels>(tally);
    if constexpr (!std::is_same_v<tarn::cpu::BaseKernels, tarn::cpu::BestKernels>) {
        if (tarn::cpu::has_avx2()) check.template run<tarn::cpu::BestKernels>(tally);
    }
}

template <class Layer, class In> void check_layer(OverlapTally& tally) {
    INFO("layer " << tally.ops << " of this test");
    check_overlap<Layer::op(In::extents)>(tally);
}

/// The same layer with what the planner may fuse into it.
template <class Layer, class In, bool Add, tarn::Activation Act> void check_fused(OverlapTally& tally) {
    INFO("layer " << tally.ops << " of this test");
    constexpr tarn::Op op = [] {
        tarn::Op made = Layer::op(In::extents);
        made.add = Add;
        made.act = Act;
        return made;
    }();
    check_overlap<op>(tally);
}

} // namespace tarn_test
