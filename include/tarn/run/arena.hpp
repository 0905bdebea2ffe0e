// SPDX-License-Identifier: MIT
// Arena: the one block of memory a network works in; Box: the one allocation tarn makes, at load.
// Where it lies is the caller's choice: static, on the stack, inside an object, on the heap, or any bytes of theirs.
// Knows nothing of plans.
#pragma once

#include <tarn/core/config.hpp>

#include <cstddef>
#include <new>
#include <span>

namespace tarn {

/// What arenas and packed weights are aligned to where the device asks for no more: a cache line.
inline constexpr std::size_t arena_alignment = 64;
/// The large pages of x86-64 and of most aarch64 systems, for Aligned.
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// What a device asks arenas and packed weights to be aligned to.
template <class Device> constexpr std::size_t alignment_of() noexcept {
    if constexpr (requires { Device::alignment; })
        return Device::alignment;
    else
        return arena_alignment;
}

/// Bytes at an alignment, left as they are. An object like any other: static, local or a member.
template <std::size_t Bytes, std::size_t Alignment = arena_alignment> class Arena {
    static_assert(Alignment >= arena_alignment && (Alignment & (Alignment - 1)) == 0,
                  "Aligned: give a power of two, 64 or more");

  public:
    static constexpr std::size_t bytes = Bytes;

    // Not cleared: forward writes before it reads.
    Arena() noexcept {} // NOLINT(cppcoreguidelines-pro-type-member-init)
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    float* data() noexcept TARN_NONBLOCKING { return floats_; }
    const float* data() const noexcept TARN_NONBLOCKING { return floats_; }

  private:
    alignas(Alignment) float floats_[Bytes > 0 ? (Bytes + sizeof(float) - 1) / sizeof(float) : 1];
};

/// An arena in bytes that are the caller's, at least Bytes of them so aligned, and that outlive it.
template <std::size_t Bytes, std::size_t Alignment = arena_alignment> class BorrowedArena {
  public:
    static constexpr std::size_t bytes = Bytes;

    explicit BorrowedArena(std::span<std::byte, Bytes> memory) noexcept
        : floats_(reinterpret_cast<float*>(memory.data())) {}

    /// Whether bytes are aligned as an arena must be.
    static bool accepts(std::span<const std::byte> memory) noexcept {
        return memory.size() >= Bytes && reinterpret_cast<std::size_t>(memory.data()) % Alignment == 0;
    }

    float* data() noexcept TARN_NONBLOCKING { return floats_; }
    const float* data() const noexcept TARN_NONBLOCKING { return floats_; }

  private:
    float* floats_;
};

/// One object on the heap, aligned, owned. Empty when memory ran out.
template <class T> class Box {
  public:
    Box() noexcept = default;
    Box(Box&& from) noexcept : held_(from.held_) { from.held_ = nullptr; }
    Box& operator=(Box&& from) noexcept {
        if (this != &from) {
            release();
            held_ = from.held_;
            from.held_ = nullptr;
        }
        return *this;
    }
    ~Box() { release(); }

    /// An object with its members left uninitialised.
    static Box allocate() noexcept {
        Box box;
        void* const memory = ::operator new (sizeof(T), std::align_val_t{alignment}, std::nothrow);
        if (memory != nullptr) box.held_ = ::new (memory) T;
        return box;
    }

    explicit operator bool() const noexcept { return held_ != nullptr; }
    T& operator*() const noexcept { return *held_; }
    T* operator->() const noexcept { return held_; }
    T* get() const noexcept { return held_; }

  private:
    static constexpr std::size_t alignment = alignof(T) > arena_alignment ? alignof(T) : arena_alignment;

    void release() noexcept {
        if (held_ == nullptr) return;
        held_->~T();
        ::operator delete (static_cast<void*>(held_), std::align_val_t{alignment});
    }

    T* held_ = nullptr;
};

} // namespace tarn
