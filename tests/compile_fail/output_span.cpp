// SPDX-License-Identifier: MIT
// Ten scores asked of a network whose last layer gives one.
// lines: 40
// expect: span<const float, 1>
// expect: span<const float, 10>
#include <tarn/tarn.hpp>

using namespace tarn;

using Scores = Model<Sequential<Linear<4, CONTROL ? 10 : 1>>, Shape<4>>;

float program(Scores::Session& session, std::span<const float, 4> input) {
    const std::span<const float, 10> scores = session.forward(input);
    return scores[9];
}
