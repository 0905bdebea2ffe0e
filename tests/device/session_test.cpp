// SPDX-License-Identifier: MIT
// cuda::Session on the emulated runtime: answers in every mode, one allocation, graphs, and every call failing once.
// Compiled without nvcc. Knows the public face; the runtime under it is ours.
#include "device/session_check.hpp"

using namespace tarn;
using namespace tarn_test;

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
    CHECK(check_failures<MlpOn<cuda::InPlace>>() == 0);
    CHECK(check_failures<MlpOn<cuda::OneLaunch>>() == 0);
    CHECK(check_failures<MlpOn<cuda::Library<>>>() == 0);
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
