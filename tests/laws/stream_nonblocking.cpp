// SPDX-License-Identifier: MIT
// A translation unit that holds pushes and nothing else, in functions that promise not to block. Compiled for its
// imports (object_imports.py), and with -Werror=function-effects by a clang that has them. Knows the public face only.
#include <tarn/tarn.hpp>

using namespace tarn;

namespace {
using Net = Sequential<Conv1d<3, 8, Kernel<3>, Causal>, ReLU,
                       Residual<Sequential<Conv1d<8, 8, Kernel<3>, Causal, Dilation<2>>, Tanh>>,
                       Parallel<Conv1d<8, 4, Kernel<4>, Stride<2>, Causal>, AvgPool1d<2>>, Concat, GRU<12, 16>,
                       LSTM<16, 4>, Reshape<Shape<32, 1, 4>>, Upsample<3, 1>, LayerNorm<4>, Softmax>;
} // namespace
using Stream = Model<Net, Shape<64, 3>>::Stream;

int pushed(Stream& stream, std::span<const float, 3> frame) noexcept TARN_NONBLOCKING {
    const auto rows = stream.push(frame);
    return rows.size() + stream.output<0>().size();
}
std::size_t processed(Stream& stream, std::span<const float> in, std::span<float> out) noexcept TARN_NONBLOCKING {
    return stream.process(in, out).rows;
}
int restored(Stream& stream) noexcept TARN_NONBLOCKING {
    const Stream::State state = stream.snapshot();
    stream.reset();
    stream.restore(state);
    return stream.settle_to_silence() ? stream.next_rows() : 0;
}
