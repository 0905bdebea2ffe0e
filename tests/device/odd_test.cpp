// SPDX-License-Identifier: MIT
// Networks at the edges of what shapes allow, on the emulated card, against the reference in double: windows beyond the
// image, inputs that are outputs, layers nobody reads, nothing to launch, NaN; and a session used in every wrong order.
// Beside session_test.cpp. Knows the public face; the runtime under it is ours.
#include "device/emulated_launches.hpp"
#include "device/models.hpp"
#include "support/model_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

template <class Net, class In, class Mode, class Grid = SmallGrid> struct OddOn : Model<Net, In, Cuda<Mode, Grid>> {};

/// All inputs and all outputs of a session, each one after another.
template <class M> class Whole {
    template <int I> static constexpr std::size_t in_at = input_begin<cuda::Session<M>>(I);
    template <int I> static constexpr std::size_t out_at = []<int... O>(std::integer_sequence<int, O...>) {
        return (std::size_t{0} + ... + (O < I ? M::template output_elems<O> : 0));
    }
    (std::make_integer_sequence<int, M::output_count>{});
    using Inputs = std::make_integer_sequence<int, M::input_count>;
    using Outputs = std::make_integer_sequence<int, M::output_count>;

  public:
    std::vector<float> inputs = random_floats(in_at<M::input_count>, 6), outputs;

    cuda::Status forward(cuda::Session<M>& session) { return forward(session, Inputs{}, Outputs{}); }
    std::vector<double> expected(std::span<const float* const> parameters) const {
        return expected(parameters, Inputs{});
    }

  private:
    template <int... I, int... O>
    cuda::Status forward(cuda::Session<M>& session, std::integer_sequence<int, I...>,
                         std::integer_sequence<int, O...>) {
        outputs.assign(out_at<M::output_count>, -7.F);
        return session.forward(
            std::span<const float, M::template input_elems<I>>(inputs.data() + in_at<I>, M::template input_elems<I>)...,
            std::span<float, M::template output_elems<O>>(outputs.data() + out_at<O>, M::template output_elems<O>)...);
    }
    template <int... I>
    std::vector<double> expected(std::span<const float* const> parameters, std::integer_sequence<int, I...>) const {
        const float* const pointers[] = {inputs.data() + in_at<I>...};
        const auto made = reference_outputs<typename M::Module, typename M::Input>(pointers, parameters);
        return {made.begin(), made.end()};
    }
};

/// Each launch by itself, and all again as a graph.
template <class M> void check_odd(double most = 1e-5) {
    FakeCuda& cuda = FakeCuda::get();
    cuda.reset();
    const RandomParameters<typename M::Module> parameters(5);
    const auto weights = packed<M>(parameters.pointers());
    Whole<M> whole;
    const std::vector<double> expected = whole.expected(parameters.pointers());
    {
        cuda::Session<M> session;
        REQUIRE(session.open(*weights).ok());
        for (int i = 0; i < 2; ++i) {
            REQUIRE(whole.forward(session).ok());
            REQUIRE(whole.outputs.size() == expected.size());
            CHECK(worst_difference(expected, whole.outputs) <= most);
            REQUIRE(session.record().ok());
        }
        CHECK(cuda.fault == "");
        CHECK(cuda.intact());
    }
    CHECK(cuda.alive() == 0);
}

using Windows = Sequential<Conv2d<3, 5, Kernel<5, 7>, Padding<3, 2, 4, 3>, Stride<3, 2>>, ReLU,
                           Conv2d<5, 5, Kernel<3>, Padding<4>, Dilation<4>>, GELU, Upsample<3, 5>,
                           AvgPool2d<3, Padding<1, 2, 2, 0>, Stride<2>, CeilMode>,
                           Conv2d<5, 15, Kernel<9>, Groups<5>, Padding<8>, Stride<5>, Dilation<2>>,
                           AvgPool2d<2, Padding<1>, ExcludePadding, CeilMode>>;

// An input nobody reads, one that is also a result, a sum of a value with itself, a dead layer, a result read further.
using Joins =
    Graph<Input<"a">, Input<"b">, Input<"unread">, //
          Layer<"excite", Sequential<GlobalAvgPool2d, Linear<6, 6>, Sigmoid>, "a">, Layer<"scaled", Mul, "a", "excite">,
          Layer<"product", Mul, "scaled", "b">, Layer<"twice", Add, "product", "product">,
          Layer<"dead", Conv2d<6, 3, Kernel<3>, Padding<1>>, "scaled">, Layer<"flat", Flatten, "twice">,
          Layer<"score", Sequential<Linear<120, 5>, Softmax>, "flat">, //
          Output<"score">, Output<"a">, Output<"product">, Output<"excite">, Output<"flat">, Output<"a">>;
using JoinsIn = Inputs<tarn::Shape<4, 5, 6>, tarn::Shape<4, 5, 6>, tarn::Shape<7>>;

using Parts = Graph<Input<"a">, Layer<"p", Slice<1, 3>, "a">, Layer<"q", Slice<4, 3>, "a">, Layer<"x", Add, "p", "q">,
                    Layer<"y", Mul, "x", "p">, Layer<"rows", ConcatRows, "x", "y", "p">,
                    Layer<"wide", Concat, "rows", "rows">, Layer<"frames", Reshape<tarn::Shape<9, 10>>, "wide">,
                    Layer<"memory", Sequential<LSTM<10, 1>, GRU<1, 33>>, "frames">, //
                    Output<"memory">, Output<"wide">, Output<"q">>;

template <class Mode> void check_all_odd() {
    check_odd<OddOn<Windows, tarn::Shape<4, 6, 3>, Mode>>();
    check_odd<OddOn<Windows, tarn::Shape<1, 1, 3>, Mode>>();
    check_odd<OddOn<Joins, JoinsIn, Mode>>();
    check_odd<OddOn<Parts, tarn::Shape<5, 7>, Mode>>();
    check_odd<OddOn<Sequential<Flatten>, tarn::Shape<7>, Mode>>();
    check_odd<OddOn<Sequential<Softmax>, tarn::Shape<1>, Mode>>();
}

using Short = OddOn<Sequential<Linear<6, 9>, GELU, Linear<9, 3>>, tarn::Shape<5, 6>, cuda::Library<>>;

} // namespace

TEST_CASE("networks at the edges of what shapes allow") {
    check_all_odd<cuda::InPlace>();
    check_all_odd<cuda::OneLaunch>();
}

TEST_CASE("blocks of the largest size, whose tiles are no smaller than what their threads bring at once") {
    using Net = Sequential<Linear<9, 300>, ReLU>;
    check_odd<OddOn<Net, tarn::Shape<6, 9>, cuda::InPlace, cuda::DeviceGrid<1024, 1>>>();
    check_odd<OddOn<Net, tarn::Shape<6, 9>, cuda::InPlace, cuda::DeviceGrid<1024, 1, cuda::Factor::tf32>>>(2e-3);
}

TEST_CASE("a NaN stays in the largest of a window, wherever it lies") {
    const auto check = []<class Pool>(Pool) {
        using M = OddOn<Sequential<Pool>, tarn::Shape<4, 4, 1>, cuda::InPlace>;
        FakeCuda::get().reset();
        cuda::Session<M> session;
        REQUIRE(session.open(typename M::Weights{}).ok());
        for (std::size_t at = 0; at < 16; ++at) {
            Whole<M> whole;
            whole.inputs[at] = std::nanf("");
            REQUIRE(whole.forward(session).ok());
            const auto nans = std::count_if(whole.outputs.begin(), whole.outputs.end(),
                                            [](float value) { return std::isnan(value); });
            INFO("at " << at);
            CHECK(nans == 1);
        }
    };
    check(MaxPool2d<2>{});
    check(MaxPool2d<4>{});
}

TEST_CASE("a session opened, recorded and closed in any order") {
    FakeCuda& cuda = FakeCuda::get();
    cuda.reset();
    const RandomParameters<Short::Module> first(1), second(2);
    const auto weights = packed<Short>(first.pointers()), others = packed<Short>(second.pointers());
    Whole<Short> whole;
    const auto answers = [&](cuda::Session<Short>& session, const RandomParameters<Short::Module>& parameters) {
        return whole.forward(session).ok() &&
               worst_difference(whole.expected(parameters.pointers()), whole.outputs) <= 1e-5;
    };
    {
        cuda::Session<Short> session;
        for (const cuda::Status& status : {session.enqueue(), session.wait(), session.record()})
            CHECK(status.code == cudaErrorNotReady);
        session.close();

        REQUIRE(session.open(*weights).ok());
        CHECK(answers(session, first));
        REQUIRE(session.enqueue().ok());
        REQUIRE(session.open(*others).ok()); // again, with work under way
        CHECK(cuda.blocks.size() == 1);
        CHECK(cuda.streams.size() == 1);
        CHECK(answers(session, second));
        REQUIRE(session.record().ok());
        REQUIRE(session.enqueue().ok());
        REQUIRE(session.record().ok());
        CHECK(cuda.launchable.size() == 1);
        CHECK(answers(session, second));

        cuda.fail_at(1); // what cannot be recorded runs as it did before
        CHECK(!session.record().ok());
        CHECK(session.graph_nodes().kernels == 0);
        CHECK(answers(session, second));

        session.close();
        session.close();
        CHECK(cuda.alive() == 0);
        cuda.fail_at(3);
        CHECK(!session.open(*weights).ok());
        CHECK(session.enqueue().code == cudaErrorNotReady);
        CHECK(cuda.alive() == 0);

        // Two on one stream, destroyed while their work waits.
        REQUIRE(session.open(*weights).ok());
        cuda::Session<Short> other;
        REQUIRE(other.open(*others, session.stream()).ok());
        REQUIRE(other.record().ok());
        CHECK(answers(session, first));
        CHECK(answers(other, second));
        REQUIRE(session.enqueue().ok());
        REQUIRE(other.enqueue().ok());
    }
    CHECK(cuda.alive() == 0);
    CHECK(cuda.fault == "");
    STATIC_REQUIRE(!std::is_move_constructible_v<cuda::Session<Short>>);
    STATIC_REQUIRE(!std::is_move_assignable_v<cuda::Session<Short>>);
}
