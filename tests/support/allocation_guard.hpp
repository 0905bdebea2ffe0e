// SPDX-License-Identifier: MIT
// AllocationGuard: counts the calls this thread makes to the heap and to the system's memory while one lives.
// Put around a forward by tests. malloc, free, mmap and their like are replaced in every test program, and only count.
// Knows nothing of tarn.
#pragma once

namespace tarn_test {

/// Counts from its making; at most one at a time on a thread. operator new and delete arrive as malloc and free.
class AllocationGuard {
  public:
    AllocationGuard() noexcept;
    ~AllocationGuard();
    AllocationGuard(const AllocationGuard&) = delete;
    AllocationGuard& operator=(const AllocationGuard&) = delete;

    /// Calls so far on this thread.
    int calls() const noexcept;
    /// False where malloc is not the test program's to replace: under a sanitizer, or without glibc.
    static bool works() noexcept;
};

/// The calls that f makes.
template <class F> int calls_to_memory_of(F&& f) {
    const AllocationGuard guard;
    f();
    return guard.calls();
}

} // namespace tarn_test
