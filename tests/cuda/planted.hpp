// SPDX-License-Identifier: MIT
// Six mistakes planted into kernels that are right: by a context that leaves a barrier out or puts one where threads
// diverge, by a pitch, by a byte count, and by an order that happens to be lucky.
// Used by planted_test.cpp, and by sanitized.cpp under sanitizers. Knows bodies; nothing of plans.
#pragma once

#include "emulated_grid/launch.hpp"
#include "kernels/some_ops.hpp"

#include <tarn/cuda/conv.hpp>
#include <tarn/cuda/pack.hpp>
#include <tarn/cuda/panel.hpp>
#include <tarn/reference/layers.hpp>

#include <cstring>

namespace tarn_test {

enum class Bug { none, no_block_barrier, no_grid_barrier, compact_pitch, off_by_one, divergent_barrier, lucky_order };

/// A context with a mistake in it.
template <class C, Bug B> class Faulty {
  public:
    static constexpr int threads = C::threads;

    explicit Faulty(const C& right) : right_(right) {}
    int thread() const { return right_.thread(); }
    int block() const { return right_.block(); }
    int blocks() const { return right_.blocks(); }
    void warp_barrier() const { right_.warp_barrier(); }
    void block_barrier() const {
        if constexpr (B == Bug::no_block_barrier) return;
        if constexpr (B == Bug::divergent_barrier)
            if (thread() < 7) right_.block_barrier();
        right_.block_barrier();
    }
    void grid_barrier() const {
        if constexpr (B != Bug::no_grid_barrier) right_.grid_barrier();
    }
    float shuffle_xor(float value, int mask) const { return right_.shuffle_xor(value, mask); }
    template <class T> T* shared() const { return right_.template shared<T>(); }
    template <Factor F> void multiply_add(float (&sums)[4], const float (&a)[4], const float (&b)[2]) const {
        right_.template multiply_add<F>(sums, a, b);
    }

  private:
    const C& right_;
};

/// What a run came to.
struct Finding {
    std::string fault;  ///< what the emulated grid says of it, or an empty text
    bool right = false; ///< whether the numbers are
};

inline constexpr int planted_threads = 64;

/// One linear layer in place, through Body, with a mistake; where there is none it gives the right numbers.
template <class Body, tarn::Op O, Bug B>
Finding run_planted(const Execution& execution, int blocks, int missing_bytes) {
    Random random(5);
    SomeWeights weights(O, random);
    const auto packed = std::make_unique<typename Body::Packed>();
    tarn::cuda::pack<O>(*packed, weights.raw);
    const auto in = static_cast<std::size_t>(O.in.last()), out = static_cast<std::size_t>(O.out.last());
    const std::size_t in_pitch = O.in_pitch > 0 ? static_cast<std::size_t>(O.in_pitch) : in;
    const std::size_t out_pitch = O.out_pitch > 0 ? static_cast<std::size_t>(O.out_pitch) : out;
    const std::vector<float> x = random.reals(O.in.elems());
    std::vector<double> expected(O.out.elems());
    tarn::reference::LayerWeights w;
    w.weight = weights.raw.weight, w.bias = weights.raw.bias;
    tarn::reference::layer(O, std::vector<double>(x.begin(), x.end()).data(), nullptr, expected.data(), w);
    DeviceFloats tensor(O.in.rows() * std::max(in_pitch, out_pitch));
    for (std::size_t i = 0; i < x.size(); ++i) tensor.data()[i / in * in_pitch + i % in] = x[i];
    Finding finding;
    finding.fault = launch<planted_threads>(
        blocks, Body::shared_bytes - static_cast<std::size_t>(missing_bytes), execution, [&](const auto& context) {
            using Context = Faulty<std::decay_t<decltype(context)>, B>;
            Body::run(Context(context), tensor.data(), nullptr, tensor.data(), *packed);
        });
    finding.right = tensor.intact();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double found = double{tensor.data()[i / out * out_pitch + i % out]};
        finding.right = finding.right && std::abs(found - expected[i]) <= 1e-5;
    }
    return finding;
}

/// Block 0 writes what block 1 reads, with nothing between: right as long as block 0 happens to come first.
inline Finding run_lucky(const Execution& execution) {
    DeviceFloats passed(planted_threads), taken(planted_threads);
    Finding finding;
    finding.fault = launch<planted_threads>(2, 0, execution, [&](const auto& context) {
        if (context.block() == 0)
            passed.data()[context.thread()] = static_cast<float>(context.thread());
        else
            taken.data()[context.thread()] = passed.data()[context.thread()];
    });
    finding.right = true;
    for (std::size_t i = 0; i < planted_threads; ++i)
        finding.right = finding.right && taken.data()[i] == static_cast<float>(i);
    return finding;
}

inline Finding run_bug(Bug bug, const Execution& execution) {
    constexpr tarn::Op held = pixel_op(tarn::OpKind::linear, tarn::extents_of(40, 12), 20);
    constexpr tarn::Op pitched = [] {
        tarn::Op op = pixel_op(tarn::OpKind::linear, tarn::extents_of(23, 12), 20);
        op.in_pitch = op.out_pitch = 20;
        return op;
    }();
    constexpr tarn::Op compact = pixel_op(tarn::OpKind::linear, tarn::extents_of(23, 12), 20);
    constexpr int blocks = 3, panel_rows = 4;
    using Held = tarn::cuda::Conv<held, planted_threads, Factor::f32, blocks>;
    using Panel = tarn::cuda::Panel<pitched, planted_threads, panel_rows>;
    using Compact = tarn::cuda::Panel<compact, planted_threads, panel_rows>;
    switch (bug) {
    case Bug::none:
        return run_planted<Held, held, Bug::none>(execution, blocks, 0);
    case Bug::no_block_barrier:
        return run_planted<Held, held, Bug::no_block_barrier>(execution, blocks, 0);
    case Bug::no_grid_barrier:
        return run_planted<Held, held, Bug::no_grid_barrier>(execution, blocks, 0);
    case Bug::compact_pitch:
        return run_planted<Compact, compact, Bug::none>(execution, blocks, 0);
    case Bug::off_by_one:
        return run_planted<Panel, pitched, Bug::none>(execution, blocks, sizeof(float));
    case Bug::divergent_barrier:
        return run_planted<Panel, pitched, Bug::divergent_barrier>(execution, blocks, 0);
    case Bug::lucky_order:
        return run_lucky(execution);
    }
    return {};
}

} // namespace tarn_test
