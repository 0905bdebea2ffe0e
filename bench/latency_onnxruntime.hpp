// SPDX-License-Identifier: MIT
// ONNX Runtime by its C interface, opened at run time where Python's package of it is installed; that package has no
// headers, so the few functions used are named here by their places in its table, which never change.
// Between latency_bench and the library. Knows nothing of networks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tarn_bench {

/// One network in memory, with its inputs and outputs bound to fixed buffers. One thread.
class OnnxRuntime {
  public:
    /// A named tensor in memory of the caller's.
    struct Tensor {
        const char* name;
        std::vector<std::int64_t> dims;
        float* data;
    };

    /// Opens the library; false, and why() says so, where there is none.
    static bool available();
    static const std::string& why();

    OnnxRuntime(const std::string& model, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);
    OnnxRuntime(const OnnxRuntime&) = delete;
    OnnxRuntime& operator=(const OnnxRuntime&) = delete;
    ~OnnxRuntime();

    void run() const;

  private:
    struct Parts;
    Parts* parts_;
};

} // namespace tarn_bench
