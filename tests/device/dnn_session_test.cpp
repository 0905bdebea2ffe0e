// SPDX-License-Identifier: MIT
// cuda::Session with convolutions by cuDNN, on the emulated runtime: answers, which engine is chosen, what is left to
// our own kernel, and every call failing once. Compiled without nvcc.
// Knows the public face; the library under it is ours.
#include "device/dnn.hpp"
#include "device/session_check.hpp"

#include <tarn/device/dnn.hpp>

using namespace tarn;
using namespace tarn_test;

namespace {

template <std::size_t Workspace = 4096> using Dnn = cuda::LibraryWithDnn<Workspace>;

// Whatever a window can be, with another behind it that reads what it has left.
using Windows = Sequential<Conv2d<3, 6, Kernel<3, 5>, Stride<2, 1>, Padding<1, 2>, Dilation<1, 2>, NoBias>,
                           Conv2d<6, 8, Kernel<3>, Padding<2>, Dilation<2>, Groups<2>>, BatchNorm2d<8>, GELU,
                           Conv2d<8, 8, Kernel<3>, Padding<0, 1, 0, 1>>, ReLU, Conv2d<8, 5, Kernel<1>, Stride<2>>>;
template <class Mode> using WindowsOn = Model<Windows, tarn::Shape<12, 11, 3>, Cuda<Mode, SmallGrid>>;

// Both at a concat's pitch: one writes beside what the other reads.
using Dense = Sequential<Conv2d<2, 5, Kernel<3>, Padding<1>>, ReLU,
                         Parallel<Identity, Conv2d<5, 7, Kernel<3>, Padding<1>>>, Concat, Conv2d<12, 3, Kernel<3>>>;
template <class Mode> using DenseOn = Model<Dense, tarn::Shape<6, 7, 2>, Cuda<Mode, SmallGrid>>;

using Frames = Sequential<Conv1d<4, 6, Kernel<3>, Padding<1>>, ReLU, Conv1d<6, 3, Kernel<5>, Stride<2>>>;
template <class Mode> using FramesOn = Model<Frames, tarn::Shape<14, 4>, Cuda<Mode, SmallGrid>>;

// A product, a convolution with nothing left to do, one with all.
using Short = Sequential<Conv2d<2, 2, Kernel<1>>, Conv2d<2, 2, Kernel<2>, NoBias>, Conv2d<2, 1, Kernel<2>>, ReLU>;
template <class Mode> using ShortOn = Model<Short, tarn::Shape<4, 4, 2>, Cuda<Mode, SmallGrid>>;

bool always_by(DnnEngine engine) {
    const std::vector<DnnEngine>& executed = FakeDnn::get().executed;
    return !executed.empty() &&
           std::all_of(executed.begin(), executed.end(), [=](DnnEngine one) { return one == engine; });
}

template <class M> int convolutions() {
    return []<int... S>(std::integer_sequence<int, S...>) {
        return (0 + ... + (M::Device::template convolution<M::steps.steps[S].op> ? 1 : 0));
    }
    (std::make_integer_sequence<int, M::step_count>{});
}

} // namespace

TEST_CASE("networks with convolutions by cuDNN") {
    FakeDnn::get().reset();
    check_answers<ResidualOn<Dnn<>>>();
    CHECK(convolutions<ResidualOn<Dnn<>>>() == 5);
    check_answers<MobileOn<Dnn<>>>();
    CHECK(convolutions<MobileOn<Dnn<>>>() == 1); // depthwise ones are ours
    check_answers<UNetOn<Dnn<>>>();
    CHECK(convolutions<UNetOn<Dnn<>>>() >= 3);
    CHECK(always_by(DnnEngine::willing));
}
TEST_CASE("convolutions of any window, stride, dilation and pitch by cuDNN") {
    check_answers<WindowsOn<Dnn<>>>();
    CHECK(convolutions<WindowsOn<Dnn<>>>() == 4);
    check_answers<DenseOn<Dnn<>>>();
    check_answers<FramesOn<Dnn<>>>();
}
TEST_CASE("without workspace, cuDNN's fallback") {
    FakeDnn::get().reset();
    check_answers<ShortOn<Dnn<0>>>();
    CHECK(always_by(DnnEngine::fallback));
}
TEST_CASE("tf32 lets cuDNN use tensor cores") {
    using Tf32 = cuda::DeviceGrid<64, 3, cuda::Factor::tf32, 2000>;
    using M = Model<Sequential<Conv2d<2, 3, Kernel<3>>>, tarn::Shape<5, 5, 2>, Cuda<Dnn<>, Tf32>>;
    FakeDnn::get().reset();
    check_answers<M>();
    CHECK(always_by(DnnEngine::tensor_core));
}

TEST_CASE("a convolution that no engine does is an error of open") {
    using M = ShortOn<Dnn<0>>;
    FakeCuda::get().reset();
    FakeDnn::get().reset();
    FakeDnn::get().fallback_is_unwilling = true;
    Drawn<M> drawn;
    cuda::Session<M> session;
    const cuda::Status status = session.open(*drawn.weights);
    CHECK(status.code == CUDNN_STATUS_NOT_SUPPORTED_LAYOUT);
    CHECK(status.text == std::string(cudnnGetErrorString(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT)));
    CHECK(FakeCuda::get().alive() == 0);
}

TEST_CASE("every call of cuDNN may fail: it says so, or another engine does it") {
    FakeDnn::get().reset();
    const int went_on = check_failures<ShortOn<Dnn<>>>();
    // For each of two convolutions: 12 calls for the best engines' names, 4 for what each of the six says of itself, 5
    // for a plan, of which one ends a call early.
    CHECK(went_on == 2 * (12 + 6 * 4 + 5 + 4 + 5));
}

TEST_CASE("what a mode leaves to whom, and how weights lie for it") {
    using M = ShortOn<Dnn<>>;
    STATIC_REQUIRE((M::by_library<0> && M::by_library<1> && M::by_library<2>));
    STATIC_REQUIRE(M::workspace_bytes == 4096);
    using Ours = ShortOn<cuda::Library<4096>>;
    STATIC_REQUIRE((Ours::by_library<0> && !Ours::by_library<1> && !Ours::by_library<2>));
    // A product's columns are whole float4s, a filter's channels are not padded.
    STATIC_REQUIRE(std::is_same_v<M::Device::Packed<M::steps.steps[1].op>, cuda::FilterPacked<2, 2, 2, 2>>);
    STATIC_REQUIRE(std::is_same_v<Ours::Device::Packed<M::steps.steps[1].op>, cuda::DensePacked<1, 8, 4>>);
}
