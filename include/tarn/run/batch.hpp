// SPDX-License-Identifier: MIT
// Batch: a Model that takes up to N whole samples a call, one after another through the arena of one.
// Above Session, which runs each sample; the results of all are kept.
// Knows sessions; nothing of plans or files.
#pragma once

#include <tarn/run/checked.hpp>
#include <tarn/run/session.hpp>

namespace tarn {

/// An input of 1 to N samples of TheShape, back to back. (Rows that a network treats alike are a Shape<N, F>, or UpTo
/// one.)
template <int N, class TheShape> struct Batch { static_assert(N >= 1, "Batch: at least one sample"); };

/// A session with room for the results of N samples.
template <class TheModel, class SampleSession> class BatchSession {
  public:
    using Weights = typename TheModel::Weights;
    static constexpr int max_samples = TheModel::max_samples, output_count = TheModel::output_count;
    static constexpr std::size_t sample_size = SampleSession::input_elems;
    template <int I> static constexpr std::size_t output_size = SampleSession::template output_size<I>;

    /// The weights, and memory where the caller gives it, must outlive the session.
    template <class... Memory>
    explicit BatchSession(const Weights& weights, const Memory&... memory) noexcept : session_(weights, memory...) {}
    explicit BatchSession(const Weights&&) = delete;
    BatchSession(const BatchSession&) = delete;
    BatchSession& operator=(const BatchSession&) = delete;

    /// Runs the network on the samples, which are read in place. The first results of all, back to back, each with the
    /// bits of a forward of its own; they lie in the session until the next call, as do the others: output<I>.
    /// Errors: a SizeError, and nothing has run. Allocates nothing, takes no lock, throws nothing.
    Checked<std::span<const float>> forward(std::span<const float> samples) noexcept TARN_NONBLOCKING {
        if (samples.empty()) return SizeError::empty;
        if (samples.size() % sample_size != 0) return SizeError::not_whole;
        const std::size_t count = samples.size() / sample_size;
        if (count > static_cast<std::size_t>(max_samples)) return SizeError::too_large;
        for (std::size_t i = 0; i < count; ++i) {
            session_.forward(std::span<const float, sample_size>{samples.data() + i * sample_size, sample_size});
            keep(i, std::make_integer_sequence<int, output_count>{});
        }
        count_ = count;
        return output<0>();
    }
    /// Result I of every sample of the last forward that had no error.
    template <int I = 0> std::span<const float> output() const noexcept TARN_NONBLOCKING {
        return {results_ + begin_of<I>(std::make_integer_sequence<int, I>{}), count_ * output_size<I>};
    }

    /// The instruction set that forward runs on.
    const char* instruction_set() const noexcept { return session_.instruction_set(); }

  private:
    template <int I, int... Before>
    static constexpr std::size_t begin_of(std::integer_sequence<int, Before...>) noexcept {
        return (std::size_t{0} + ... + (output_size<Before> * std::size_t{max_samples}));
    }
    template <int... I> void keep(std::size_t sample, std::integer_sequence<int, I...>) noexcept TARN_NONBLOCKING {
        (static_cast<void>(
             __builtin_memcpy(results_ + begin_of<I>(std::make_integer_sequence<int, I>{}) + sample * output_size<I>,
                              session_.template output<I>().data(), sizeof(float) * output_size<I>)),
         ...);
    }

    SampleSession session_;
    float results_[TheModel::result_bytes / sizeof(float)];
    std::size_t count_ = 0;
};

/// A network on up to N samples a call. The network sees one; weights, plan and arena are those of Model on TheShape.
/// Memory: arena_bytes, which does not depend on N, and result_bytes for the results of all.
/// Errors: as Model; an input of a wrong size is a SizeError.
template <class Net, int N, class TheShape, class TheDevice, class ThePolicy>
class Model<Net, Batch<N, TheShape>, TheDevice, ThePolicy> : public Model<Net, TheShape, TheDevice, ThePolicy> {
    using OfOne = Model<Net, TheShape, TheDevice, ThePolicy>;

  public:
    static_assert(sizeof(Batch<N, TheShape>) > 0);
    using Input = Batch<N, TheShape>;
    static constexpr int max_samples = N;
    /// Results of N samples, in the session beside the arena.
    static constexpr std::size_t result_bytes = [] {
        std::size_t elems = 0;
        for (int i = 0; i < OfOne::output_count; ++i) elems += OfOne::Facts::steps.outputs[i].extents.elems();
        return elems * std::size_t{N} * sizeof(float);
    }();

    using Session = BatchSession<Model, typename OfOne::Session>;
    /// The arena in memory of the caller's; the results stay in the session.
    using BorrowedSession = BatchSession<Model, typename OfOne::BorrowedSession>;
};

} // namespace tarn
