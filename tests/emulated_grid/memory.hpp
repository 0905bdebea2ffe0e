// SPDX-License-Identifier: MIT
// GuardedBlock: memory of an exact size between guards, poisoned: what is read before it is written is NaN.
// Stands for a block's shared memory and for tensors on a device. Under AddressSanitizer a touched guard is reported at
// once, else at the end. Knows nothing of grids.
#pragma once

#include "emulated_grid/sanitizers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace tarn_test {

class GuardedBlock {
  public:
    explicit GuardedBlock(std::size_t bytes)
        : bytes_(bytes), memory_(static_cast<std::byte*>(::operator new(guard + bytes + guard, alignment))) {
        std::memset(memory_, 0xFF, guard + bytes + guard);
        sanitizer::forbid(memory_, guard);
        sanitizer::forbid(memory_ + guard + bytes, guard);
    }
    ~GuardedBlock() {
        open();
        ::operator delete(memory_, alignment);
    }
    GuardedBlock(const GuardedBlock&) = delete;
    GuardedBlock& operator=(const GuardedBlock&) = delete;

    void* data() const { return memory_ + guard; }
    std::size_t bytes() const { return bytes_; }
    /// Whether the guards are as they were.
    bool intact() const {
        open();
        const auto untouched = [](std::byte b) { return b == std::byte{0xFF}; };
        const bool whole = std::all_of(memory_, memory_ + guard, untouched) &&
                           std::all_of(memory_ + guard + bytes_, memory_ + 2 * guard + bytes_, untouched);
        sanitizer::forbid(memory_, guard);
        sanitizer::forbid(memory_ + guard + bytes_, guard);
        return whole;
    }

  private:
    static constexpr std::size_t guard = 256;
    static constexpr std::align_val_t alignment{256}; // a device's own

    void open() const {
        sanitizer::allow(memory_, guard);
        sanitizer::allow(memory_ + guard + bytes_, guard);
    }

    std::size_t bytes_;
    std::byte* memory_;
};

/// Floats of a device, in a GuardedBlock.
class DeviceFloats {
  public:
    explicit DeviceFloats(std::size_t count) : count_(count), block_(count * sizeof(float)) {}
    explicit DeviceFloats(const std::vector<float>& values) : DeviceFloats(values.size()) {
        std::copy(values.begin(), values.end(), data());
    }
    float* data() const { return static_cast<float*>(block_.data()); }
    std::size_t size() const { return count_; }
    std::vector<float> values() const { return {data(), data() + count_}; }
    bool intact() const { return block_.intact(); }

  private:
    std::size_t count_;
    GuardedBlock block_;
};

} // namespace tarn_test
