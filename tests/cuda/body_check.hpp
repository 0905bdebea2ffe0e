// SPDX-License-Identifier: MIT
// Runs one kernel body in the emulated grid, at any pitch, in place or not, and compares it with the reference in
// double, whatever the order of threads.
// Used by the tests beside it. Knows Ops, weights and bodies; nothing of plans.
#pragma once

#include "cuda/body_reference.hpp"
#include "emulated_grid/launch.hpp"
#include "kernels/some_ops.hpp"
#include "support/catch.hpp"

#include <tarn/cuda/kernels.hpp>
#include <tarn/cuda/pack.hpp>

namespace tarn_test {

/// Where the output goes.
enum class Out { apart, on_input, on_other };

/// A grid for a body: ragged, so that some threads of some blocks have nothing to do.
struct Launch {
    int blocks = 3;
    Out out = Out::apart;
    double tolerance = 2e-6; ///< of a value over max(1, |value|)
};

/// What a body is called with, packed once for all Ops of equal weights.
class BodyCheck {
  public:
    BodyCheck(const tarn::Op& op, SomeWeights& weights, Random& random)
        : op_(op), x_(random.reals(op.in.elems())),
          other_(random.reals(tarn::cuda::reads_other(op) ? (op.broadcast ? std::size_t(op.out.last()) : op.out.elems())
                                                          : 0)),
          expected_(expected_of(op, x_, other_, weights)) {}

    /// run(execution, in, other, out): an emulated launch.
    template <class Run> void check(const Execution& execution, const Launch& grid, const Run& run) const {
        const int in_pitch = op_.in_pitch, out_pitch = op_.out_pitch > 0 ? op_.out_pitch : op_.out.last();
        const std::vector<float> in_rows = spread(x_, op_.in.last(), in_pitch);
        const std::size_t out_elems = op_.out.rows() * static_cast<std::size_t>(out_pitch);
        const std::vector<float> other_rows = spread(other_, op_.out.last(), op_.broadcast ? 0 : op_.other_pitch);
        const bool on_input = grid.out == Out::on_input;
        DeviceFloats in(on_input ? std::max(in_rows.size(), out_elems) : in_rows.size()), other(other_rows);
        std::copy(in_rows.begin(), in_rows.end(), in.data());
        DeviceFloats apart(out_elems);
        float* const out = on_input ? in.data() : grid.out == Out::on_other ? other.data() : apart.data();
        const std::string fault = run(execution, in.data(), other.data(), out);
        REQUIRE(fault == "");
        const auto found = gathered(out, expected_.size(), op_.out.last(), out_pitch);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double most = grid.tolerance * std::max(1.0, std::abs(expected_[i]));
            if (!(std::abs(double{found[i]} - expected_[i]) <= most)) {
                INFO("at " << i << " of " << found.size());
                REQUIRE(double{found[i]} == expected_[i]);
            }
        }
        REQUIRE(in.intact());
        REQUIRE(other.intact());
        REQUIRE(apart.intact());
    }

  private:
    tarn::Op op_;
    std::vector<float> x_, other_;
    std::vector<double> expected_;
};

/// A body under every order of fibres.
template <class Body, tarn::Op O, int Threads> void check_body(const Launch& grid = {}) {
    INFO("kind " << static_cast<int>(O.kind) << ", " << O.in[0] << " x " << O.in[1] << " x " << O.in[2] << " to "
                 << O.out[0] << " x " << O.out[1] << " x " << O.out[2] << ", blocks " << grid.blocks);
    Random random(static_cast<unsigned>(O.in.elems() + O.out.elems()));
    SomeWeights weights(O, random);
    const auto packed = std::make_unique<typename Body::Packed>();
    tarn::cuda::pack<O>(*packed, weights.raw);
    const BodyCheck check(O, weights, random);
    for (const Execution& execution : fibre_executions)
        check.check(execution, grid, [&](const Execution& order, const float* in, const float* other, float* out) {
            return launch<Threads>(grid.blocks, Body::shared_bytes, order,
                                   [&](const auto& context) { Body::run(context, in, other, out, *packed); });
        });
}
/// The body that an Op is run by.
template <tarn::Op O, int Threads = 64> void check_op(const Launch& grid = {}) {
    check_body<tarn::cuda::BodyFor<O, Threads>, O, Threads>(grid);
}

} // namespace tarn_test
