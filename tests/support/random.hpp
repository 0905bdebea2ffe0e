// SPDX-License-Identifier: MIT
// Random: one seeded source of integers, choices and floats, the same numbers on every machine.
// Used by tests that draw windows, networks and contents of buffers.
// Knows nothing of tarn.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <random>
#include <vector>

namespace tarn_test {

/// The standard's distributions differ between libraries, its engines do not: numbers are cut from the engine's bits.
class Random {
  public:
    explicit Random(unsigned seed) : engine_(seed) {}

    /// low..high, both included.
    int between(int low, int high) { return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1)); }
    bool one_in(int n) { return between(1, n) == 1; }
    int pick(std::initializer_list<int> choices) {
        return choices.begin()[between(0, static_cast<int>(choices.size()) - 1)];
    }
    /// [low, high), on a grid of 2^24 steps.
    float real(float low = -1.F, float high = 1.F) {
        return low + (high - low) * (static_cast<float>(engine_() >> 8) * 0x1p-24F);
    }
    std::vector<float> reals(std::size_t count, float low = -1.F, float high = 1.F) {
        std::vector<float> made(count);
        for (float& value : made) value = real(low, high);
        return made;
    }

  private:
    std::mt19937 engine_; // 32 bits a draw
};

} // namespace tarn_test
