// SPDX-License-Identifier: MIT
// Every function of a Model that reads or writes files, in a unit compiled with -fno-exceptions and -fno-rtti.
// Compiled by CTest, never run.
// Knows the public face only.
#include <tarn/io/packed.hpp>
#include <tarn/tarn.hpp>

using Net = tarn::Sequential<tarn::Conv2d<1, 4, tarn::Kernel<3>>, tarn::BatchNorm2d<4>, tarn::ReLU, tarn::Flatten,
                             tarn::Linear<16, 3>>;
using Small = tarn::Model<Net, tarn::Shape<4, 4, 1>>;

float first_score(const char* safetensors, const char* packed, std::span<const float, 16> image) {
    const auto weights = Small::load(safetensors);
    if (!weights) return static_cast<float>(weights.error().size());
    if (!tarn::save_packed<Small>(packed, *weights)) return -1.F;
    const auto mapped = tarn::map_packed<Small>(packed);
    if (!mapped) return static_cast<float>(mapped.error().text.size());
    Small::Session session{**mapped};
    return session.forward(image)[0];
}
