// SPDX-License-Identifier: MIT
// A layer under test: the one step of a network of one layer, with random parameters, packed and run as Session does.
// Included by the units that name rows; everything heavy to compile in cpu_bench is here.
// Knows Model, packed weights and kernels; nothing of rivals or timing.
#pragma once

#include "cpu_rows.hpp"

#include <tarn/tarn.hpp>

#include <cmath>
#include <random>

namespace tarn_bench {

using namespace tarn;

inline void fill(float* to, std::size_t elems, float most, unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < elems; ++i) to[i] = most * (static_cast<float>(random() >> 8) * 0x1p-23F - 1.F);
}

/// Random parameters in PyTorch's layout. Weights are so small that a layer fed its own output again and again, as in
/// place, stays about 1: biases in [-1, 1], products that shrink.
template <class Net> std::vector<Buffer> shrinking_parameters(Pages pages = Pages::small) {
    std::vector<Buffer> made;
    unsigned seed = 7;
    for (const NamedParameter& parameter : parameter_names<Net>()) {
        const std::size_t elems = parameter.shape.elems();
        Buffer& values = made.emplace_back(elems, pages);
        const auto outputs = static_cast<std::size_t>(parameter.shape[0]);
        const std::size_t taps =
            parameter.shape.rank == 4 ? static_cast<std::size_t>(parameter.shape[2] * parameter.shape[3]) : 1;
        const std::size_t wider = std::max(elems / outputs, outputs * taps);
        const float most = parameter.shape.rank < 2 ? 1.F : 0.5F / std::sqrt(static_cast<float>(wider));
        const bool variance = parameter.name.ends_with("running_var");
        fill(values.data(), elems, most, seed++);
        for (std::size_t i = 0; variance && i < elems; ++i) values.data()[i] += 2.F;
    }
    return made;
}
inline std::vector<const float*> pointers_of(const std::vector<Buffer>& buffers) {
    std::vector<const float*> pointers;
    for (const Buffer& buffer : buffers) pointers.push_back(buffer.data());
    return pointers;
}

/// Net: one layer with its epilogue, on input In.
template <class Net, class In, Pages P = Pages::small, class Policy = WholeTensors<Fastest>> class SingleLayer {
    using M = Model<Net, In, Cpu<cpu::Avx2>, Policy>;
    using Kernels = Cpu<cpu::Avx2>::Best;
    using Planning = typename M::template PlanOf<false>;
    static_assert(M::step_count == 1);
    static constexpr Op op = Planning::steps.steps[0].op;
    static constexpr Footprint footprint = Cpu<cpu::Avx2>::footprint<op>();
    static constexpr std::size_t in_elems = op.in.elems(), out_elems = op.out.elems();
    static constexpr bool sums = op.kind == OpKind::add;
    static constexpr std::size_t scratch_elems =
        std::max(footprint.scratch_elems, footprint.direct_scratch) + arena_alignment;

    struct Storage {
        std::vector<Buffer> parameters = shrinking_parameters<Net>(P);
        Buffer weights{sizeof(typename M::Weights) / sizeof(float) + 1, P};
        Buffer input{in_elems, P}, other{sums ? in_elems : 1, P}, scratch{scratch_elems, P};

        const typename M::Weights& packed() const {
            return *reinterpret_cast<const typename M::Weights*>(weights.data());
        }
    };

    template <Schedule S> static auto once(std::shared_ptr<Storage> storage, const float* in, float* out) {
        return [storage, in, out] {
            Kernels::template run<op, S>(in, storage->other.data(), out, storage->scratch.data(),
                                         M::template step_weights<0>(storage->packed()));
        };
    }
    template <Schedule S> static Contender apart(const char* name, std::shared_ptr<Storage> storage) {
        auto out = std::make_shared<Buffer>(out_elems, P);
        return contender(name, once<S>(storage, storage->input.data(), out->data()), out);
    }
    /// Input `Lead` floats behind the output, on a cache line as the planner has it.
    template <Schedule S, long Lead> static Contender in_place(const char* name, std::shared_ptr<Storage> storage) {
        constexpr std::size_t lead = Lead > 0 ? (static_cast<std::size_t>(Lead) + 15) / 16 * 16 : 0;
        auto arena = std::make_shared<Buffer>(std::max(lead + in_elems, out_elems), P);
        fill(arena->data() + lead, in_elems, 1.F, 8);
        return contender_in_place(name, once<S>(storage, arena->data() + lead, arena->data()), arena);
    }

  public:
    static Case make() {
        auto storage = std::make_shared<Storage>();
        fill(storage->input.data(), in_elems, 1.F, 8);
        fill(storage->other.data(), storage->other.size(), 1.F, 9);
        Case made;
        made.problem = {op, storage->input.data(), pointers_of(storage->parameters), P, storage->other.data()};
        M::pack(*::new (static_cast<void*>(storage->weights.data())) typename M::Weights, made.problem.parameters);
        made.out_elems = out_elems;
        made.flops = 2.0 * static_cast<double>(macs_of(op));
        constexpr std::size_t read_elems = sums ? 2 * in_elems : in_elems;
        if (made.flops == 0) made.bytes = sizeof(float) * static_cast<double>(read_elems + out_elems);
        if (op.kind == OpKind::linear && op.in.rows() == 1) made.bytes = static_cast<double>(M::weight_bytes);
        constexpr bool one_place = op.kind == OpKind::activation || op.kind == OpKind::softmax || sums ||
                                   op.kind == OpKind::layer_norm || op.kind == OpKind::batch_norm;
        made.read_elems = one_place ? static_cast<double>(read_elems) : made.bytes / sizeof(float);
        made.own.push_back(apart<Schedule{}>(own_name, storage));
        if constexpr (footprint.direct.ascending < Lead::never)
            made.own.push_back(in_place<Schedule{}, footprint.direct.ascending>(direct_in_place, storage));
        if constexpr (one_place) // as sessions run it; rivals may, too
            made.own.push_back(in_place<Schedule{}, footprint.direct.ascending>(own_name, storage));
        if constexpr (footprint.can_stage) {
            made.own.push_back(apart<Schedule{false, true}>(staged_apart, storage));
            made.own.push_back(in_place<Schedule{false, true}, footprint.staged.ascending>(staged_in_place, storage));
        }
        made.storage = storage;
        return made;
    }
};

} // namespace tarn_bench
