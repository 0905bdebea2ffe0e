// SPDX-License-Identifier: MIT
// Runs a network frame by frame and offline, and wants the same bits: pushes, blocks cut at random, again after a
// reset, from a snapshot; between guards in poisoned memory, without a call to the allocator. Used by tests of streams.
// Knows the public face only.
#pragma once

#include "support/model_check.hpp"
#include "support/random.hpp"

#include <new>

namespace tarn_test {

/// A stream between two guards of poisoned bytes.
template <class Stream> class GuardedStream {
  public:
    explicit GuardedStream(const typename Stream::Weights& weights) : memory_(static_cast<std::byte*>(allocate())) {
        std::memset(memory_, 0xFF, guard + sizeof(Stream) + guard);
        stream_ = ::new (memory_ + guard) Stream(weights);
    }
    ~GuardedStream() { ::operator delete (memory_, std::align_val_t{64}); }
    GuardedStream(const GuardedStream&) = delete;
    GuardedStream& operator=(const GuardedStream&) = delete;

    Stream& operator*() { return *stream_; }
    Stream* operator->() { return stream_; }
    bool intact() const {
        const auto untouched = [](std::byte b) { return b == std::byte{0xFF}; };
        const std::byte* const end = memory_ + guard + sizeof(Stream);
        return std::all_of(memory_, memory_ + guard, untouched) && std::all_of(end, end + guard, untouched);
    }

  private:
    static constexpr std::size_t guard = 256;
    static void* allocate() { return ::operator new (guard + sizeof(Stream) + guard, std::align_val_t{64}); }

    std::byte* memory_;
    Stream* stream_;
};

/// The frame at a place of a longer signal.
template <class Stream>
std::span<const float, Stream::input_elems> frame_at(const std::vector<float>& signal, std::size_t frame) {
    return std::span<const float, Stream::input_elems>{signal.data() + frame * Stream::input_elems,
                                                       Stream::input_elems};
}

/// Takes what push or output gave to the end of `rows`.
template <std::size_t O> void append_rows(std::vector<float>& rows, std::span<const float, O> row) {
    rows.insert(rows.end(), row.begin(), row.end());
}
template <std::size_t O> void append_rows(std::vector<float>& rows, tarn::StreamRows<O> made) {
    rows.insert(rows.end(), made.floats().begin(), made.floats().end());
}

/// All rows of a signal, in blocks of up to `most` frames.
template <class Stream>
std::vector<float> in_blocks(Stream& stream, const std::vector<float>& signal, Random& random, int most) {
    const std::size_t frames = signal.size() / Stream::input_elems;
    const auto ratio = static_cast<std::size_t>(Stream::max_rows_per_frame);
    std::vector<float> out(frames * ratio * Stream::output_elems + 1, 0.F);
    std::size_t taken = 0, rows = 0;
    while (taken < frames) {
        const auto block = std::min(static_cast<std::size_t>(random.between(0, most)), frames - taken);
        tarn::Processed done;
        const int calls = calls_to_memory_of([&] {
            done = stream.process(std::span(signal).subspan(taken * Stream::input_elems, block * Stream::input_elems),
                                  std::span(out).subspan(rows * Stream::output_elems));
        });
        CHECK(calls == 0);
        REQUIRE(done.frames == block);
        taken += done.frames;
        rows += done.rows;
    }
    out.resize(rows * Stream::output_elems);
    return out;
}

inline bool equal_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(float) * a.size()) == 0;
}

/// One result of pushes, one after the other.
template <int I, class Stream> std::vector<float> pushed(Stream& stream, const std::vector<float>& signal) {
    std::vector<float> rows;
    for (std::size_t f = 0; f < signal.size() / Stream::input_elems; ++f) {
        const int next = stream.next_rows();
        const auto made = stream.push(frame_at<Stream>(signal, f));
        if constexpr (!Stream::row_per_frame) CHECK(made.size() == next);
        static_cast<void>(made), static_cast<void>(next);
        append_rows(rows, stream.template output<I>());
    }
    return rows;
}

template <class M, int I>
void check_output(typename M::Stream& stream, const std::vector<float>& signal, const std::vector<float>& offline) {
    stream.reset();
    const std::vector<float> rows = pushed<I>(stream, signal);
    INFO("result " << I << ": " << rows.size() << " floats, offline " << offline.size());
    CHECK(equal_bits(rows, offline));
}

/// One model type: every result of pushes, the first in blocks; offline is the first of a session's.
template <class M> void check_stream_of(std::span<const float* const> parameters, unsigned seed) {
    using Stream = typename M::Stream;
    Random random(seed);
    const auto weights = packed<M>(parameters);
    const std::vector<float> signal = random.reals(M::Input::elems);
    const auto session = std::make_unique<typename M::Session>(*weights);
    session->forward(std::span<const float, M::Input::elems>{signal.data(), M::Input::elems});
    const auto offline = [&]<int I>() {
        const auto whole = session->template output<I>();
        return std::vector<float>(whole.begin(), whole.end());
    };
    const std::vector<float> first = offline.template operator()<0>();

    GuardedStream<Stream> stream(*weights);
    INFO("instruction set: " << stream->instruction_set() << ", state " << Stream::state_bytes << " of "
                             << sizeof(Stream) << " bytes");
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (check_output<M, I>(*stream, signal, offline.template operator()<I>()), ...);
    }
    (std::make_integer_sequence<int, Stream::output_count>{});
    for (const int most : {1, 3, 7, 64}) {
        stream->reset();
        CHECK(equal_bits(in_blocks(*stream, signal, random, most), first));
    }

    // Somebody else's signal, then this one from a snapshot.
    stream->reset();
    const auto frames = static_cast<int>(signal.size() / Stream::input_elems);
    const std::size_t half = static_cast<std::size_t>(random.between(0, frames)) * Stream::input_elems;
    const std::vector<float> begin(signal.begin(), signal.begin() + static_cast<std::ptrdiff_t>(half));
    const std::vector<float> rest(signal.begin() + static_cast<std::ptrdiff_t>(half), signal.end());
    std::vector<float> rows = in_blocks(*stream, begin, random, 5);
    const auto state = stream->snapshot();
    in_blocks(*stream, random.reals(signal.size(), -3.F, 3.F), random, 5);
    stream->restore(state);
    const std::vector<float> after = in_blocks(*stream, rest, random, 5);
    rows.insert(rows.end(), after.begin(), after.end());
    CHECK(equal_bits(rows, first));
    CHECK(stream.intact());
}

/// A network on every instruction set.
template <class Net, class In> void check_stream(unsigned seed) {
    using namespace tarn;
    const RandomParameters<Net> parameters(seed);
    check_stream_of<Model<Net, In>>(parameters.pointers(), seed);
    check_stream_of<Model<Net, In, Cpu<cpu::Baseline>>>(parameters.pointers(), seed);
}

} // namespace tarn_test
