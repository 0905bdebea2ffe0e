// SPDX-License-Identifier: MIT
// Draws the pictures of this folder: the arenas of small networks that each show one thing, and of MobileNetV2.
// In this folder: c++ -std=c++20 -I../../include -I../../kernels make.cpp -o make && ./make (also prints the figures).
// Knows the public face only.
#include <tarn/io/report.hpp>
#include <tarn/io/report_svg.hpp>
#include <tarn/tarn.hpp>
#include <tarn/zoo/mobilenet_v2.hpp>

#include <cstdio>
#include <string>

using namespace tarn;

namespace {

using Digits = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>,
                          Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>;

template <int I, int O, int S = 1> using Conv3 = Sequential<Conv2d<I, O, Kernel<3>, Stride<S>, Padding<1>>, ReLU>;

/// One layer, for the overlap law; a chain, for the pendulum; the same chain for rings.
using Alone = Conv2d<8, 8, Kernel<3>, Padding<1>>;
using Chain = Sequential<Conv3<3, 8>, Conv3<8, 16>, Conv3<16, 16>, Conv3<16, 8, 2>>;

/// The residual block of MobileNetV2, without its norms.
using Inverted =
    Residual<Sequential<Conv2d<16, 96, Kernel<1>>, ReLU6, Conv2d<96, 96, Kernel<3>, Padding<1>, Groups<96>>, ReLU6,
                        Conv2d<96, 16, Kernel<1>>>>;

/// A skip inside a segment waits in a ring of its own.
using Delayed = Sequential<Conv3<3, 16, 2>, Inverted, MaxPool2d<2>>;

/// Two branches side by side, as in SqueezeNet's fire modules.
using Fire = Sequential<Conv2d<24, 8, Kernel<1>>, ReLU,
                        Parallel<Sequential<Conv2d<8, 24, Kernel<1>>, ReLU>, Conv3<8, 24>>, Concat, Conv3<48, 8>>;

template <class M, bool OwnsInput = false> bool draw(const char* path, const char* name) {
    std::printf("%s: %s\n", name, report_text<M, OwnsInput>().c_str());
    const std::string picture = report_svg<M, OwnsInput>(name);
    std::FILE* const file = std::fopen(path, "wb");
    if (file == nullptr) return std::perror(path), false;
    const bool written = std::fwrite(picture.data(), 1, picture.size(), file) == picture.size();
    return std::fclose(file) == 0 && written;
}

template <class Net, class In> using Whole = Model<Net, In, Cpu<>, WholeTensors<Smallest>>;

} // namespace

int main() {
    using Image = Shape<224, 224, 3>;
    const bool all =
        draw<Model<Digits, Shape<8, 8, 1>>>("digits.svg", "Digits") &&
        draw<Whole<Digits, Shape<8, 8, 1>>>("digits_whole.svg", "Digits, tensors whole") &&
        draw<Whole<Alone, Shape<12, 12, 8>>, true>("overlap.svg", "One 3x3 convolution over its own input") &&
        draw<Whole<Chain, Shape<32, 32, 3>>>("pendulum.svg", "Four convolutions, tensors whole") &&
        draw<Model<Chain, Shape<32, 32, 3>>>("rings.svg", "Four convolutions, row by row") &&
        draw<Model<Inverted, Shape<28, 28, 16>>, true>("inverted_residual.svg",
                                                       "An inverted residual block, input owned") &&
        draw<Model<Delayed, Shape<56, 56, 3>>>("delay.svg", "A residual block inside a segment") &&
        draw<Whole<Fire, Shape<16, 16, 24>>>("concat.svg", "Two branches and a concat, tensors whole") &&
        draw<Model<Fire, Shape<16, 16, 24>>>("concat_rows.svg", "Two branches and a concat, row by row") &&
        draw<Model<zoo::MobileNetV2<>, Image>>("mobilenet_v2.svg", "MobileNetV2") &&
        draw<Model<zoo::MobileNetV2<>, Image>, true>("mobilenet_v2_owned.svg", "MobileNetV2, input in the arena");
    return all ? 0 : 1;
}
