// SPDX-License-Identifier: MIT
// What the sanitizers must be told of fibres and of memory that nobody may touch; nothing where none is at work.
// Under the emulated grid. Knows nothing of grids.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TARN_TEST_THREAD_SANITIZER
#endif
#if __has_feature(address_sanitizer)
#define TARN_TEST_ADDRESS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TARN_TEST_THREAD_SANITIZER)
#define TARN_TEST_THREAD_SANITIZER
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TARN_TEST_ADDRESS_SANITIZER)
#define TARN_TEST_ADDRESS_SANITIZER
#endif

#if defined(TARN_TEST_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(TARN_TEST_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tarn_test::sanitizer {

#if defined(TARN_TEST_THREAD_SANITIZER)
inline constexpr bool sees_races = true;
#else
inline constexpr bool sees_races = false;
#endif

/// A fibre as ThreadSanitizer knows it: a thread of its own, ordered with others by `arrive` and `depart` alone.
class Strand {
  public:
    static Strand current() {
        Strand strand;
#if defined(TARN_TEST_THREAD_SANITIZER)
        strand.handle_ = __tsan_get_current_fiber();
#endif
        return strand;
    }
    static Strand create() {
        Strand strand;
#if defined(TARN_TEST_THREAD_SANITIZER)
        strand.handle_ = __tsan_create_fiber(0);
#endif
        return strand;
    }
    void destroy() {
#if defined(TARN_TEST_THREAD_SANITIZER)
        __tsan_destroy_fiber(handle_);
#endif
    }
    /// To be called right before the processor goes there. Orders nothing by itself.
    void enter() const {
#if defined(TARN_TEST_THREAD_SANITIZER)
        __tsan_switch_to_fiber(handle_, __tsan_switch_to_fiber_no_sync);
#endif
    }

  private:
    void* handle_ = nullptr;
};

/// Everything before arrive(key) is ordered before everything after a later depart(key).
inline void arrive([[maybe_unused]] void* key) {
#if defined(TARN_TEST_THREAD_SANITIZER)
    __tsan_release(key);
#endif
}
inline void depart([[maybe_unused]] void* key) {
#if defined(TARN_TEST_THREAD_SANITIZER)
    __tsan_acquire(key);
#endif
}

/// A stack as AddressSanitizer knows it; `fake` is what it keeps of a stack that is left.
struct Stack {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake = nullptr;
};
/// Before the switch to another stack; a stack that is left for ever is null.
inline void leave([[maybe_unused]] Stack* from, [[maybe_unused]] const Stack& to) {
#if defined(TARN_TEST_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(from != nullptr ? &from->fake : nullptr, to.bottom, to.bytes);
#endif
}
/// After it. before: is told the bounds of the stack that was left, where they are wanted.
inline void arrived([[maybe_unused]] const Stack& here, [[maybe_unused]] Stack* before) {
#if defined(TARN_TEST_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(here.fake, before != nullptr ? &before->bottom : nullptr,
                                    before != nullptr ? &before->bytes : nullptr);
#endif
}

/// Bytes that nobody may touch from here on, or may again.
inline void forbid([[maybe_unused]] const void* bytes, [[maybe_unused]] std::size_t count) {
#if defined(TARN_TEST_ADDRESS_SANITIZER)
    __asan_poison_memory_region(bytes, count);
#endif
}
inline void allow([[maybe_unused]] const void* bytes, [[maybe_unused]] std::size_t count) {
#if defined(TARN_TEST_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(bytes, count);
#endif
}

} // namespace tarn_test::sanitizer
