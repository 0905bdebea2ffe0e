// SPDX-License-Identifier: MIT
// The heap and memory calls of a test program: counted while an AllocationGuard lives, then passed on.
// Definitions in the program come before glibc's, for the program, for libstdc++'s operator new and for glibc itself.
// Knows nothing of tarn.
#include "support/allocation_guard.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TARN_TEST_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TARN_TEST_SANITIZED
#endif

#if defined(__GLIBC__) && !defined(TARN_TEST_SANITIZED)
#define TARN_TEST_REPLACES_MALLOC
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {

// Without an initialiser to run: malloc is called before any.
constinit thread_local bool armed = false;
constinit thread_local int counted = 0;

} // namespace

namespace tarn_test {

AllocationGuard::AllocationGuard() noexcept {
    counted = 0;
    armed = true;
}
AllocationGuard::~AllocationGuard() { armed = false; }
int AllocationGuard::calls() const noexcept { return counted; }
bool AllocationGuard::works() noexcept {
#if defined(TARN_TEST_REPLACES_MALLOC)
    return true;
#else
    return false;
#endif
}

} // namespace tarn_test

#if defined(TARN_TEST_REPLACES_MALLOC)

namespace {

void count() noexcept {
    if (armed) ++counted;
}

} // namespace

extern "C" {

// glibc's own, under the names it keeps for programs that replace the public ones.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
void* __sbrk(std::intptr_t);

void* malloc(std::size_t bytes) noexcept {
    count();
    return __libc_malloc(bytes);
}
void* calloc(std::size_t number, std::size_t bytes) noexcept {
    count();
    return __libc_calloc(number, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
    count();
    return __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    count();
    return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    count();
    return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
    count();
    *memory = __libc_memalign(alignment, bytes);
    return *memory != nullptr ? 0 : ENOMEM;
}
void free(void* memory) noexcept {
    count();
    __libc_free(memory);
}

// glibc maps memory for its own malloc by inner names, so these see only what the program itself asks for.
void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    count();
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}
int munmap(void* at, std::size_t bytes) noexcept {
    count();
    return static_cast<int>(::syscall(SYS_munmap, at, bytes));
}
void* sbrk(std::intptr_t more) noexcept {
    count();
    return __sbrk(more);
}

} // extern "C"

#endif
