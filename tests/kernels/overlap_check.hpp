// SPDX-License-Identifier: MIT
// Runs a kernel with input and output overlapping as far as its Footprint allows, and compares bits with a run on
// separate buffers, for every schedule and instruction set it has.
// Used by the overlap tests beside it. Knows kernels and footprints; nothing of plans.
#pragma once

#include "support/catch.hpp"

#include "kernels/some_ops.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

namespace tarn_test {

/// What was run, over all Ops of a test.
struct OverlapTally {
    int ops = 0;
    int runs = 0;              ///< overlapped runs, all right
    int below = 0;             ///< staged dense kernels tried below the law
    int below_wrong = 0;       ///< of those, how many gave other bits one element below it
    int block_below_wrong = 0; ///< and how many a block of outputs below it
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
    bool guards_intact() const { return only_changed(Poisoned(count_), 0, count_); }

  private:
    static constexpr std::size_t guard = 64;
    std::size_t count_;
    std::vector<float> floats_;
};

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// A kernel under one schedule of one instruction set, as a plain function of pointers; weights as Geometry packs them.
using Runner = void (*)(const float* in, const float* other, float* out, float* scratch, const void* weights);

template <tarn::Op O, class Kernels, tarn::Schedule S>
void run_kernel(const float* in, const float* other, float* out, float* scratch, const void* weights) {
    Kernels::template run<O, S>(in, other, out, scratch,
                                *static_cast<const typename tarn::cpu::Geometry<O>::Packed*>(weights));
}

/// An Op with random weights and inputs, whatever the Op: the templates end at Runner.
class OverlapCheck {
  public:
    OverlapCheck(const tarn::Op& op, const tarn::Footprint& footprint, Random& random)
        : op_(op), footprint_(footprint), in_(random.reals(op.in.elems())),
          other_(random.reals(tarn::cpu::reads_other(op) ? op.out.elems() : 0)) {}

    void run(tarn::Schedule schedule, Runner runner, const void* weights, OverlapTally& tally) {
        schedule_ = schedule, runner_ = runner, weights_ = weights;
        const tarn::Lead& leads = schedule.staged ? footprint_.staged : footprint_.direct;
        const long lead = schedule.descending ? leads.descending : leads.ascending;
        INFO("descending " << schedule.descending << " staged " << schedule.staged << " lead " << lead);
        const auto expected = separate();
        REQUIRE(std::none_of(expected.begin(), expected.end(), [](float v) { return v != v; }));
        // Where no distance is too small, the two share one element, the lower one's last.
        const long no_less = 1 - static_cast<long>((schedule.descending ? op_.out : op_.in).elems());
        const long tightest = std::max(lead, no_less);
        for (const long further : {0L, 1L, 16L, 17L}) {
            INFO("further " << further);
            REQUIRE(same_bits(overlapped(tightest + further), expected));
            ++tally.runs;
        }
        if (footprint_.second_exact) {
            REQUIRE(same_bits(on_second(), expected));
            ++tally.runs;
        }
        if (tarn::cpu::is_dense(op_) && schedule.staged && tightest == lead) {
            ++tally.below;
            tally.below_wrong += same_bits(overlapped(lead - 1), expected) ? 0 : 1;
            const long block = long{footprint_.staged_pixels} * footprint_.staged_rows * op_.out.last();
            tally.block_below_wrong += same_bits(overlapped(std::max(lead - block, no_less)), expected) ? 0 : 1;
        }
    }

  private:
    void call(const float* in, const float* other, float* out) {
        Poisoned scratch(schedule_.staged ? footprint_.scratch_elems : footprint_.direct_scratch);
        runner_(in, tarn::cpu::reads_other(op_) ? other : nullptr, out, scratch.at(0), weights_);
        REQUIRE(scratch.guards_intact());
    }

    std::vector<float> separate() {
        Poisoned in(in_.size()), other(other_.size()), out(op_.out.elems());
        in.put(0, in_);
        other.put(0, other_);
        const Poisoned in_before = in, other_before = other;
        call(in.at(0), other.at(0), out.at(0));
        REQUIRE(in.only_changed(in_before, 0, 0));
        REQUIRE(other.only_changed(other_before, 0, 0));
        REQUIRE(out.guards_intact());
        return out.get(0, op_.out.elems());
    }

    /// Upwards the input stands `apart` above the output, downwards the output `apart` above the input.
    std::vector<float> overlapped(long apart) {
        const long out_above_in = schedule_.descending ? apart : -apart;
        const auto in_at = static_cast<std::size_t>(out_above_in < 0 ? -out_above_in : 0);
        const auto out_at = static_cast<std::size_t>(out_above_in < 0 ? 0 : out_above_in);
        Poisoned memory(std::max(in_at + in_.size(), out_at + op_.out.elems())), other(other_.size());
        memory.put(in_at, in_);
        other.put(0, other_);
        const Poisoned before = memory;
        call(memory.at(in_at), other.at(0), memory.at(out_at));
        REQUIRE(memory.only_changed(before, out_at, op_.out.elems()));
        return memory.get(out_at, op_.out.elems());
    }

    /// The output in the second input's own place.
    std::vector<float> on_second() {
        Poisoned in(in_.size()), out(op_.out.elems());
        in.put(0, in_);
        out.put(0, other_);
        call(in.at(0), out.at(0), out.at(0));
        REQUIRE(out.guards_intact());
        return out.get(0, op_.out.elems());
    }

    tarn::Op op_;
    tarn::Footprint footprint_;
    std::vector<float> in_, other_;
    tarn::Schedule schedule_{};
    Runner runner_ = nullptr;
    const void* weights_ = nullptr;
};

/// A schedule, where the footprint offers it.
template <tarn::Op O, class Kernels, bool Descending, bool Staged>
void check_schedule(OverlapCheck& check, const void* weights, OverlapTally& tally) {
    constexpr tarn::Footprint footprint = tarn::cpu::Geometry<O>::footprint();
    constexpr tarn::Lead leads = Staged ? footprint.staged : footprint.direct;
    if constexpr ((Descending ? leads.descending : leads.ascending) < tarn::Lead::never &&
                  (footprint.can_stage || !Staged))
        check.run({Descending, Staged}, run_kernel<O, Kernels, tarn::Schedule{Descending, Staged}>, weights, tally);
}
template <tarn::Op O, class Kernels>
void check_schedules(OverlapCheck& check, const void* weights, OverlapTally& tally) {
    INFO(Kernels::name);
    check_schedule<O, Kernels, false, false>(check, weights, tally);
    check_schedule<O, Kernels, true, false>(check, weights, tally);
    check_schedule<O, Kernels, false, true>(check, weights, tally);
    check_schedule<O, Kernels, true, true>(check, weights, tally);
}

/// One Op on the baseline and, where the processor has it, on the best set.
template <tarn::Op O> void check_overlap(OverlapTally& tally) {
    Random random(static_cast<unsigned>(++tally.ops));
    const SomeWeights some(O, random);
    const auto weights = std::make_unique<typename tarn::cpu::Geometry<O>::Packed>();
    tarn::cpu::pack<O>(*weights, some.raw);
    OverlapCheck check(O, tarn::cpu::Geometry<O>::footprint(), random);
    check_schedules<O, tarn::cpu::BaseKernels>(check, weights.get(), tally);
    if constexpr (!std::is_same_v<tarn::cpu::BaseKernels, tarn::cpu::BestKernels>) {
        if (tarn::Cpu<>::takes_best()) check_schedules<O, tarn::cpu::BestKernels>(check, weights.get(), tally);
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

/// The law stands between single pixels; a kernel reads a block of them before it writes, so it often bears less
/// than the law asks. A block below the law most must break, or the law is looser than the kernels need.
inline void report(const OverlapTally& tally, const char* what) {
    WARN(tally.ops << ' ' << what << ", " << tally.runs
                   << " overlapped runs right. Staged, below the law: by one element " << tally.below_wrong << " of "
                   << tally.below << " wrong, by a block of outputs " << tally.block_below_wrong);
    CHECK(tally.below_wrong > 0);
    CHECK(tally.block_below_wrong * 2 > tally.below);
}

} // namespace tarn_test
