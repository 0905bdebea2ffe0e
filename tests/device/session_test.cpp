// SPDX-License-Identifier: MIT
// cuda::Session on the emulated runtime: answers in every mode, one allocation, graphs, and every call failing once.
// Compiled without nvcc. Knows the public face; the runtime under it is ours.
#include "device/emulated_launches.hpp"
#include "device/models.hpp"
#include "support/model_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

template <class M> struct Drawn {
    using Cpu = Model<typename M::Module, typename M::Input>;
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

/// Opens, records and runs with each call failing in turn: the session says which, and nothing stays behind.
template <class M> void check_failures() {
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
    const int calls = cuda.calls - 1; // the last waits before memory goes back, when nobody can be told
    REQUIRE(calls > 10);
    for (int n = 1; n <= calls; ++n) {
        cuda.fail_at(n);
        {
            cuda::Session<M> session;
            const cuda::Status status = all(session);
            INFO("call " << n << ", " << cuda.failed);
            REQUIRE(!status.ok());
            CHECK(cuda.failed == status.call);
            CHECK(std::string(status.text) != "");
        }
        CHECK(cuda.alive() == 0);
    }
}

} // namespace

TEST_CASE("an MLP on the emulated card, in every mode") {
    check_answers<MlpOn<cuda::InPlace>>();
    check_answers<MlpOn<cuda::InPlace, Fastest>>();
    check_answers<MlpOn<cuda::OneLaunch>>();
    check_answers<MlpOn<cuda::Library<>>>();
    check_answers<MlpOn<cuda::Library<0>, Fastest>>();
    check_answers<MlpOn<cuda::Best>>();
}
TEST_CASE("rows that products overwrite on the emulated card") {
    check_answers<RowsOn<cuda::InPlace>>();
    check_answers<RowsOn<cuda::OneLaunch>>();
    check_answers<RowsOn<cuda::Library<>>>();
}
TEST_CASE("a CNN with residuals on the emulated card, 1x1 layers and sums by the library") {
    check_answers<ResidualOn<cuda::InPlace>>();
    check_answers<ResidualOn<cuda::OneLaunch>>();
    check_answers<ResidualOn<cuda::Library<>>>();
    check_answers<MobileOn<cuda::Library<>>>();
}
TEST_CASE("a U-Net with names and slices on the emulated card") {
    check_answers<UNetOn<cuda::InPlace>>();
    check_answers<UNetOn<cuda::OneLaunch>>();
    check_answers<UNetOn<cuda::Library<>>>();
    check_answers<SlicesOn<cuda::Library<>>>();
}
TEST_CASE("a recurrent network on the emulated card") {
    check_answers<GruOn<cuda::InPlace>>();
    check_answers<GruOn<cuda::OneLaunch>>();
    check_answers<GruOn<cuda::Library<>>>();
}

TEST_CASE("every call of CUDA may fail, and says so") {
    check_failures<MlpOn<cuda::InPlace>>();
    check_failures<MlpOn<cuda::OneLaunch>>();
    check_failures<MlpOn<cuda::Library<>>>();
}

TEST_CASE("a grid that is not resident at once is refused where it must be") {
    using M = MlpOn<cuda::OneLaunch>;
    FakeCuda& cuda = FakeCuda::get();
    cuda.reset();
    cuda.multiprocessors = cuda.resident_each = 1; // of three that outputs are divided among
    Drawn<M> drawn;
    cuda::Session<M> session;
    const cuda::Status status = session.open(*drawn.weights);
    CHECK(status.code == cudaErrorCooperativeLaunchTooLarge);
    CHECK(cuda.alive() == 0);
}

TEST_CASE("the caller's stream is used and left to the caller") {
    using M = MlpOn<cuda::InPlace>;
    FakeCuda& cuda = FakeCuda::get();
    cuda.reset();
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    Drawn<M> drawn;
    {
        cuda::Session<M> session;
        REQUIRE(session.open(*drawn.weights, stream).ok());
        CHECK(session.stream() == stream);
        CHECK(cuda.streams.size() == 1);
        // On the card throughout: nothing has run before the stream is waited for.
        std::copy(drawn.input.begin(), drawn.input.end(), session.device_input<0>());
        REQUIRE(session.enqueue().ok());
        CHECK(!cuda.stream(stream).waiting.empty());
        REQUIRE(session.wait().ok());
        const std::vector<float> found(session.device_output<0>(), session.device_output<0>() + M::output_elems<0>);
        CHECK(worst_difference(drawn.expected(), found) <= 1e-5);
    }
    CHECK(cuda.streams.size() == 1);
    {
        cuda::Session<M> session; // the legacy stream runs, but cannot be captured
        REQUIRE(session.open(*drawn.weights, nullptr).ok());
        CHECK(session.record().code == cudaErrorStreamCaptureUnsupported);
        REQUIRE(drawn.forward(session).ok());
        CHECK(worst_difference(drawn.expected(), drawn.output) <= 1e-5);
    }
}

TEST_CASE("weights of one file on both devices") {
    using M = Model<Sequential<Linear<3, 2>>, tarn::Shape<3>, Cuda<cuda::InPlace, SmallGrid>>;
    CHECK(M::load("no such file").error().find("no such file") != std::string::npos);
    STATIC_REQUIRE(M::device_weight_bytes >= 8 * sizeof(float));
}

TEST_CASE("Best: one launch for small networks, the library for large products") {
    STATIC_REQUIRE(MlpOn<cuda::Best>::one_launch);
    using Large = Model<Sequential<Linear<8192, 8192>, ReLU>, tarn::Shape<16, 8192>, Cuda<>, Fastest>;
    STATIC_REQUIRE(!Large::one_launch);
    STATIC_REQUIRE(Large::by_library<0>);
    STATIC_REQUIRE(Large::workspace_bytes == std::size_t{4} << 20);
    STATIC_REQUIRE(Large::device_arena_bytes == Large::workspace_at + Large::workspace_bytes);
}
