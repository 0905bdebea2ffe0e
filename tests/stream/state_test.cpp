// SPDX-License-Identifier: MIT
// What stays in a stream: reset, snapshots, the rest of endless silence, counters that end nowhere; blocks that do not
// fit, blocks in place, and the caller's rounding mode.
// Knows the public face only.
#include "stream/stream_check.hpp"

using namespace tarn;
using tarn_test::equal_bits;

namespace {

using Tcn = Sequential<Conv1d<2, 6, Kernel<3>, Causal>, Tanh,
                       Residual<Sequential<Conv1d<6, 6, Kernel<3>, Causal, Dilation<3>>, ReLU>>,
                       Conv1d<6, 3, Kernel<2>, Causal>>;
using Strided =
    Sequential<Conv1d<2, 5, Kernel<6>, Stride<2>, Causal>, Tanh, AvgPool1d<3>, Conv1d<5, 4, Kernel<3>, Causal>>;
using Recurrent = Sequential<Conv1d<2, 4, Kernel<2>, Causal>, GRU<4, 8>, LSTM<8, 5>, Conv1d<5, 2, Kernel<3>, Causal>>;
using Mixed =
    Sequential<Parallel<Sequential<Conv1d<2, 3, Kernel<2>, Stride<2>, Causal>, GRU<3, 2>, Reshape<Shape<32, 1, 2>>,
                                   Upsample<2, 1>, Reshape<Shape<64, 2>>>,
                        Sequential<AvgPool1d<2>, Reshape<Shape<32, 1, 2>>, Upsample<2, 1>, Reshape<Shape<64, 2>>>>,
               Add, Conv1d<2, 2, Kernel<5>, Causal>>;

/// Everything that is defined in a state; what lies between its members is not.
template <class State> bool same_state(const State& a, const State& b) {
    return std::memcmp(a.memory, b.memory, sizeof a.memory) == 0 &&
           std::memcmp(a.counters, b.counters, sizeof a.counters) == 0;
}

template <class Net, class F> void with_stream(unsigned seed, F f) {
    using M = Model<Net, Shape<64, 2>>;
    const tarn_test::RandomParameters<Net> parameters(seed);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    const auto stream = std::make_unique<typename M::Stream>(*weights);
    f(*stream, *weights);
}

std::vector<float> silence_of(int frames) { return std::vector<float>(static_cast<std::size_t>(frames) * 2, 0.F); }

/// Settled is as after much silence: the same rows for any signal.
template <class Net> void check_silence(unsigned seed) {
    with_stream<Net>(seed, []<class Stream>(Stream& stream, const typename Stream::Weights& weights) {
        tarn_test::Random random(7);
        const std::vector<float> signal = random.reals(120);
        in_blocks(stream, random.reals(90), random, 9);
        REQUIRE(stream.settle_to_silence());
        const auto state = stream.snapshot();
        const std::vector<float> settled = in_blocks(stream, signal, random, 9);

        stream.reset();
        const std::vector<float> fresh = in_blocks(stream, signal, random, 9);
        CHECK(!equal_bits(settled, fresh)); // a first frame after padding is another one
        stream.reset();
        in_blocks(stream, silence_of(60000), random, 500); // a multiple of every period here
        CHECK(equal_bits(in_blocks(stream, signal, random, 9), settled));

        stream.restore(Stream::silence(weights));
        CHECK(equal_bits(in_blocks(stream, signal, random, 9), settled));
        stream.restore(state);
        const std::vector<float> still = in_blocks(stream, silence_of(60), random, 9);
        REQUIRE(still.size() >= Stream::output_elems);
        for (std::size_t i = 0; i < still.size(); ++i) CHECK(still[i] == still[i % Stream::output_elems]);
    });
}

/// In silence a stream comes back to the very state it had: nothing in it counts the frames.
template <class Net> void check_counters(unsigned seed, int most_frames) {
    with_stream<Net>(seed, [&]<class Stream>(Stream& stream, const typename Stream::Weights&) {
        REQUIRE(stream.settle_to_silence());
        const std::vector<float> zeros = silence_of(1);
        // Rows that nobody reads any more leave the rings first.
        for (int i = 0; i < most_frames; ++i) stream.push(tarn_test::frame_at<Stream>(zeros, 0));
        const auto state = stream.snapshot();
        int frames = 0;
        do {
            stream.push(tarn_test::frame_at<Stream>(zeros, 0));
            ++frames;
        } while (frames < most_frames && !same_state(stream.snapshot(), state));
        INFO("back after " << frames << " frames");
        CHECK(frames < most_frames);
        CHECK(frames > 1);
    });
}

} // namespace

TEST_CASE("the rest of silence") {
    check_silence<Tcn>(1);
    check_silence<Strided>(2);
    check_silence<Recurrent>(3);
    check_silence<Mixed>(4);
}

TEST_CASE("no counter runs for ever") {
    check_counters<Tcn>(1, 1000);
    check_counters<Strided>(2, 1000);
    check_counters<Recurrent>(3, 1000);
    check_counters<Mixed>(4, 1000);
}

TEST_CASE("a stream that cannot come to rest in time says so") {
    with_stream<Recurrent>(
        3, []<class Stream>(Stream& stream, const typename Stream::Weights&) { CHECK(!stream.settle_to_silence(3)); });
}

TEST_CASE("snapshots are plain data, and go from one stream to another") {
    with_stream<Recurrent>(5, []<class Stream>(Stream& stream, const typename Stream::Weights& weights) {
        static_assert(std::is_trivially_copyable_v<typename Stream::State>);
        static_assert(sizeof(typename Stream::State) == Stream::state_bytes);
        tarn_test::Random random(8);
        in_blocks(stream, random.reals(50), random, 4);
        std::vector<std::byte> kept(Stream::state_bytes);
        const auto state = stream.snapshot();
        std::memcpy(kept.data(), &state, kept.size());
        const std::vector<float> rest = random.reals(40);
        const std::vector<float> rows = in_blocks(stream, rest, random, 4);
        const auto other = std::make_unique<Stream>(weights);
        typename Stream::State back;
        std::memcpy(&back, kept.data(), kept.size());
        other->restore(back);
        CHECK(equal_bits(in_blocks(*other, rest, random, 4), rows));
    });
}

TEST_CASE("a block stops where the rows have no room, and goes on from there") {
    with_stream<Strided>(6, []<class Stream>(Stream& stream, const typename Stream::Weights&) {
        static_assert(Stream::frames_per_row == 6 && Stream::latency == 4);
        tarn_test::Random random(9);
        const std::vector<float> signal = random.reals(2 * 40);
        const std::vector<float> whole = in_blocks(stream, signal, random, 40);
        CHECK(whole.size() == 6 * 4);
        stream.reset();
        std::vector<float> out(5 * 4 + 3, 9.F);
        // Three rows: the first comes with frame 4, the fourth would come with frame 22.
        Processed done = stream.process(signal, std::span(out).first(3 * 4 + 2));
        CHECK((done.frames == 22 && done.rows == 3));
        CHECK((out[12] == 9.F && out[13] == 9.F));
        CHECK((stream.next_rows() == 1));
        done = stream.process(std::span(signal).subspan(2 * 22), std::span(out).subspan(12, 0));
        CHECK((done.frames == 0 && done.rows == 0));
        done = stream.process(std::span(signal).subspan(2 * 22, 2 * 7 + 1), std::span(out).subspan(12));
        CHECK((done.frames == 7 && done.rows == 2)); // the half frame is left
        CHECK(std::memcmp(out.data(), whole.data(), sizeof(float) * 20) == 0);
    });
}

TEST_CASE("a block in place") {
    using Net = Sequential<Conv1d<2, 3, Kernel<4>, Causal>, Tanh, Linear<3, 2>>;
    with_stream<Net>(7, []<class Stream>(Stream& stream, const typename Stream::Weights&) {
        tarn_test::Random random(10);
        std::vector<float> block = random.reals(2 * 33);
        const std::vector<float> apart = in_blocks(stream, block, random, 8);
        stream.reset();
        const Processed done = stream.process(block, block);
        CHECK((done.frames == 33 && done.rows == 33));
        CHECK(equal_bits(block, apart));
    });
}

#if defined(__SSE__)
TEST_CASE("subnormals are zeros inside, and the caller's mode comes back") {
    using M = Model<Sequential<Conv1d<1, 1, Kernel<2>, Causal, NoBias>>, Shape<8, 1>>;
    const float weight[] = {0.25F, 0.5F};
    const float* const parameters[] = {weight};
    const auto weights = tarn_test::packed<M>(parameters);
    M::Stream stream(*weights);
    const unsigned mode = __builtin_ia32_stmxcsr();
    const float tiny[] = {1e-39F};
    CHECK(stream.push(tiny)[0] == 0.F);
    CHECK(__builtin_ia32_stmxcsr() == mode);
    float out[1] = {1.F};
    stream.process(tiny, out);
    CHECK(out[0] == 0.F);
    CHECK(__builtin_ia32_stmxcsr() == mode);
}
#endif
