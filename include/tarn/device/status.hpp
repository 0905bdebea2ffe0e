// SPDX-License-Identifier: MIT
// Status: what CUDA or one of its libraries answered, and which call it answered.
// Returned by everything of a device session that can fail. Knows CUDA's runtime header, which any compiler reads.
#pragma once

#include <cuda_runtime_api.h>

namespace tarn::cuda {

/// The first call that failed, or none. Nothing is printed and nothing thrown.
struct [[nodiscard]] Status {
    int code = 0;          ///< cudaError_t or the library's own; 0 is success
    const char* call = ""; ///< which function answered so
    const char* text = ""; ///< its own sentence

    constexpr bool ok() const noexcept { return code == 0; }
    constexpr explicit operator bool() const noexcept { return ok(); }

    static Status of(cudaError_t answer, const char* call) noexcept {
        if (answer == cudaSuccess) return {};
        return {static_cast<int>(answer), call, cudaGetErrorString(answer)};
    }
};

} // namespace tarn::cuda
