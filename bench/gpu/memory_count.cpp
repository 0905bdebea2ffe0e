// SPDX-License-Identifier: MIT
// operator new that counts. Linked into the memory part; everything of that process calls it.
// Beside memory_count.hpp. Knows the heap.
#include "memory_count.hpp"

#include <atomic>
#include <new>

namespace {

std::atomic<long> news{0};

void* counted(std::size_t bytes) {
    news.fetch_add(1, std::memory_order_relaxed);
    if (void* const made = std::malloc(bytes > 0 ? bytes : 1)) return made;
    throw std::bad_alloc();
}
void* counted(std::size_t bytes, std::align_val_t alignment) {
    news.fetch_add(1, std::memory_order_relaxed);
    const auto to = static_cast<std::size_t>(alignment);
    if (void* const made = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return made;
    throw std::bad_alloc();
}

} // namespace

long tarn_bench::host_news() noexcept { return news.load(std::memory_order_relaxed); }

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void* operator new(std::size_t bytes, std::align_val_t to) { return counted(bytes, to); }
void* operator new[](std::size_t bytes, std::align_val_t to) { return counted(bytes, to); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
