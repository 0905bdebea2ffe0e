// SPDX-License-Identifier: MIT
// Rows of cpu_bench: a sample through a GRU or LSTM of one input and a linear layer to one output, by Stream::push.
// Gates are what RTNeural's fastest backend was measured to take on such a processor, and prototypes: constants, since
// RTNeural is not to be had as a package. It sums its outputs over 2048 samples, and so does this.
// Knows the public face only.
#include "cpu_layer.hpp"

namespace tarn_bench {
namespace {

constexpr std::size_t samples = 2048, compared = 64;

template <class Cell, int H> Case sample() {
    using Net = Sequential<Cell, Linear<H, 1>>;
    using M = Model<Net, Shape<static_cast<int>(samples), 1>, Cpu<cpu::Avx2>>;
    struct Storage {
        std::vector<Buffer> parameters = shrinking_parameters<Net>();
        std::unique_ptr<typename M::Weights> weights = std::make_unique<typename M::Weights>();
        Buffer input{samples};
        std::unique_ptr<typename M::Stream> stream{};
        float sum = 0;
    };
    auto storage = std::make_shared<Storage>();
    fill(storage->input.data(), samples, 1.F, 8);
    Case made;
    made.problem = {Cell::op(extents_of(static_cast<int>(samples), 1)), storage->input.data(),
                    pointers_of(storage->parameters), Pages::small};
    M::pack(*storage->weights, made.problem.parameters);
    storage->stream = std::make_unique<typename M::Stream>(*storage->weights);
    made.out_elems = compared;
    made.flops = 2.0 * static_cast<double>(M::macs) / samples;
    const auto push = [s = storage.get()](std::size_t i) {
        return s->stream->push(std::span<const float, 1>{s->input.data() + i % samples, 1})[0];
    };
    made.own.push_back({own_name,
                        [storage, push](int times) {
                            float sum = 0;
                            for (int i = 0; i < times; ++i) sum += push(static_cast<std::size_t>(i));
                            storage->sum += sum;
                        },
                        [storage, push](float* to) {
                            storage->stream->reset();
                            for (std::size_t i = 0; i < compared; ++i) to[i] = push(i);
                        }});
    made.storage = storage;
    return made;
}

[[maybe_unused]] const bool added = add_rows({
    {600, "recurrent", "GRU-8 + dense", at_most_ns(61, 45), sample<GRU<1, 8>, 8>},
    {601, "recurrent", "GRU-16 + dense", at_most_ns(117, 64), sample<GRU<1, 16>, 16>},
    {602, "recurrent", "GRU-32 + dense", at_most_ns(205, 145), sample<GRU<1, 32>, 32>},
    {603, "recurrent", "LSTM-8 + dense", at_most_ns(74, 55), sample<LSTM<1, 8>, 8>},
    {604, "recurrent", "LSTM-16 + dense", at_most_ns(130, 85), sample<LSTM<1, 16>, 16>},
    {605, "recurrent", "LSTM-32 + dense", at_most_ns(276, 190), sample<LSTM<1, 32>, 32>},
});

} // namespace
} // namespace tarn_bench
