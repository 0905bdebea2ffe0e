// SPDX-License-Identifier: MIT
// The whole program of a user, with a Linear that wants other features than it gets: still one error.
// expect: linear: input is [.., I] and this layer wants I features; change the layer or reshape the input
// expect: Layer<7>
// expect: Found<Shape<128>>
// expect: Wanted<Shape<120>>
#include <tarn/tarn.hpp>

using namespace tarn;

using Net = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>,  //
                       Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, //
                       Flatten, Linear<CONTROL ? 128 : 120, 10>>;
using Digits = Model<Net, Shape<8, 8, 1>>;
static_assert(Digits::arena_bytes <= 8192);

int program(const char* path, std::span<const float, 64> image) {
    const auto weights = Digits::load(path);
    if (!weights) return 1;
    Digits::Session session{*weights};
    const std::span<const float, 10> scores = session.forward(image);
    Digits::InPlaceSession in_place{*weights};
    in_place.input()[0] = scores[0];
    return in_place.forward_in_place()[0] > 0 ? 1 : 0;
}
