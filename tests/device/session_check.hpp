// SPDX-License-Identifier: MIT
// Checks of a Session on the emulated runtime: answers, one allocation, graphs, and every call failing once.
// Used by the tests beside it. Knows the public face; the runtime under it is ours.
#pragma once

#include "device/emulated_launches.hpp"
#include "device/models.hpp"
#include "support/model_check.hpp"

namespace tarn_test {

namespace cuda = tarn::cuda;

template <class M> struct Drawn {
    using Cpu = tarn::Model<typename M::Module, typename M::Input>;
    RandomParameters<typename M::Module> parameters{11};
    std::vector<float> input = random_floats(M::template input_elems<0>, 12);
    std::vector<float> output = std::vector<float>(M::template output_elems<0>);
    std::unique_ptr<typename M::Weights> weights = packed<M>(parameters.pointers());

    std::vector<float> expected() const {
        const auto cpu_weights = packed<Cpu>(parameters.pointers());
        typename Cpu::Session session(*cpu_weights);
        const auto made = session.forward(std::span<const float, M::template input_elems<0>>(input));
        return {made.begin(), made.end()};
    }
    cuda::Status forward(cuda::Session<M>& session) {
        return session.forward(std::span<const float, M::template input_elems<0>>(input),
                               std::span<float, M::template output_elems<0>>(output));
    }
};

template <class M> void check_answers() {
    FakeCuda& cuda = FakeCuda::get();
    cuda.reset();
    Drawn<M> drawn;
    const std::vector<float> expected = drawn.expected();
    {
        cuda::Session<M> session;
        CHECK(drawn.forward(session).code == cudaErrorNotReady);
        const cuda::Status opened = session.open(*drawn.weights);
        INFO(opened.call << ": " << opened.text);
        REQUIRE(opened.ok());
        CHECK(cuda.blocks.size() == 1);
        CHECK(cuda.blocks.begin()->second->bytes() == cuda::Session<M>::device_bytes);
        for (int i = 0; i < 2; ++i) { // in place: the inputs are copied anew each time
            std::fill(drawn.output.begin(), drawn.output.end(), -7.F);
            REQUIRE(drawn.forward(session).ok());
            CHECK(cuda.fault == "");
            CHECK(worst_difference(expected, drawn.output) <= 1e-5);
        }
        REQUIRE(session.record().ok());
        const cuda::GraphNodes nodes = session.graph_nodes();
        CHECK(nodes.kernels >= M::launch_count);
        CHECK(nodes.copies + nodes.clears + nodes.memory + nodes.others == 0);
        std::fill(drawn.output.begin(), drawn.output.end(), -7.F);
        REQUIRE(drawn.forward(session).ok());
        CHECK(worst_difference(expected, drawn.output) <= 1e-5);
        CHECK(cuda.allocations == 1);
        CHECK(cuda.fault == "");
        CHECK(cuda.intact());
    }
    CHECK(cuda.alive() == 0);
}

/// Opens, records and runs with each call failing in turn: the session says which, and nothing stays behind. Returns
/// how often it went on in another way and answered all the same, as it may where a library offers several.
template <class M> int check_failures() {
    FakeCuda& cuda = FakeCuda::get();
    cuda.reset();
    Drawn<M> drawn;
    const auto all = [&](cuda::Session<M>& session) {
        cuda::Status status = session.open(*drawn.weights);
        if (status.ok()) status = session.record();
        if (status.ok()) status = drawn.forward(session);
        return status;
    };
    cuda.fail_at(0);
    {
        cuda::Session<M> session;
        REQUIRE(all(session).ok());
    }
    const std::vector<float> expected = drawn.expected();
    int went_on = 0;
    const int calls = cuda.calls - 1; // the last waits before memory goes back, when nobody can be told
    REQUIRE(calls > 10);
    for (int n = 1; n <= calls; ++n) {
        cuda.fail_at(n);
        {
            cuda::Session<M> session;
            const cuda::Status status = all(session);
            INFO("call " << n << ", " << cuda.failed);
            if (status.ok()) {
                ++went_on;
                CHECK(worst_difference(expected, drawn.output) <= 1e-5);
            } else {
                CHECK(cuda.failed == status.call);
                CHECK(std::string(status.text) != "");
            }
        }
        CHECK(cuda.alive() == 0);
    }
    return went_on;
}

} // namespace tarn_test
