// SPDX-License-Identifier: MIT
// The one place where a set of kernels that was found out at construction becomes a type again.
// Between a session and the kernels of its device, which are compiled for each set.
// Knows nothing of plans.
#pragma once

#include <tarn/core/config.hpp>

namespace tarn::detail {

template <class Sets, class F> constexpr auto with_set(int chosen, const F& f) noexcept {
    if constexpr (requires { typename Sets::Others; }) {
        if (chosen != 0) return with_set<typename Sets::Others>(chosen - 1, f);
    }
    return f.template operator()<typename Sets::Best>();
}

/// Calls f.operator()<Kernels>() with the kernels of a device that its choose() named.
template <class Device, class F> constexpr auto with_kernels(int chosen, const F& f) noexcept {
    return with_set<typename Device::Sets>(chosen, f);
}
template <class Device> constexpr const char* set_name(int chosen) noexcept {
    return with_kernels<Device>(chosen, []<class Kernels>() { return Kernels::name; });
}

} // namespace tarn::detail
