// SPDX-License-Identifier: MIT
// An input of other elements than the network takes.
// lines: 40
// expect: span<const float, 63>
#include <tarn/tarn.hpp>

using namespace tarn;

using Scores = Model<Sequential<Flatten, Linear<64, 10>>, Shape<8, 8, 1>>;

float program(Scores::Session& session, std::span<const float, CONTROL ? 64 : 63> input) {
    return session.forward(input)[0];
}
