// SPDX-License-Identifier: MIT
// Draws the pictures of this folder: the arenas of three networks.
// In this folder: c++ -std=c++20 -I../../include -I../../kernels make.cpp -o make && ./make (also prints the figures).
// Knows the public face only.
#include <tarn/io/report.hpp>
#include <tarn/io/report_svg.hpp>
#include <tarn/tarn.hpp>

#include <cstdio>
#include <string>

using namespace tarn;

namespace {

using Digits = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>,
                          Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>;

template <int I, int O, int S = 1>
using Conv3 = Sequential<Conv2d<I, O, Kernel<3>, Stride<S>, Padding<1>, NoBias>, BatchNorm2d<O>>;
template <int I, int O, int S> using Shortcut = Sequential<Conv2d<I, O, Kernel<1>, Stride<S>, NoBias>, BatchNorm2d<O>>;

using Residuals = Sequential<Conv3<3, 16>, ReLU, Residual<Sequential<Conv3<16, 16>, ReLU, Conv3<16, 16>>>, ReLU,
                             Residual<Sequential<Conv3<16, 32, 2>, ReLU, Conv3<32, 32>>, Shortcut<16, 32, 2>>, ReLU,
                             GlobalAvgPool2d, Flatten, Linear<32, 10>>;

using Inverted = Residual<Sequential<Conv2d<24, 144, Kernel<1>, NoBias>, BatchNorm2d<144>, ReLU6,
                                     Conv2d<144, 144, Kernel<3>, Padding<1>, Groups<144>, NoBias>, BatchNorm2d<144>,
                                     ReLU6, Conv2d<144, 24, Kernel<1>, NoBias>, BatchNorm2d<24>>>;

template <class M, bool OwnsInput = false> bool draw(const char* path, const char* name) {
    std::printf("%s: %s\n", name, report_text<M, OwnsInput>().c_str());
    const std::string picture = report_svg<M, OwnsInput>(name);
    std::FILE* const file = std::fopen(path, "wb");
    if (file == nullptr) return std::perror(path), false;
    const bool written = std::fwrite(picture.data(), 1, picture.size(), file) == picture.size();
    return std::fclose(file) == 0 && written;
}

} // namespace

int main() {
    const bool all = draw<Model<Digits, Shape<8, 8, 1>>>("digits.svg", "Digits") &&
                     draw<Model<Residuals, Shape<32, 32, 3>>>("residual.svg", "A small residual network") &&
                     draw<Model<Inverted, Shape<28, 28, 24>>, true>("inverted_residual.svg",
                                                                    "An inverted residual block, input owned");
    return all ? 0 : 1;
}
