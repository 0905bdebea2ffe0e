// SPDX-License-Identifier: MIT
// Trial: a model on a card against the processor: answers, graph nodes, and memory over 1000 forwards.
// Used by the programs beside it, which are linked with kernels by nvcc. Knows the public face only.
#pragma once

#include "device/models.hpp"
#include "support/random_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace tarn_test {

template <class M> class Trial {
    using Cpu = tarn::Model<typename M::Module, typename M::Input>;
    static constexpr std::size_t inputs = M::template input_elems<0>, outputs = M::template output_elems<0>;

  public:
    /// most: the largest difference over max(1, |value|) there may be.
    explicit Trial(const char* name, double most = 1e-5)
        : name_(name), most_(most), in_(random_floats(inputs, 2)), out_(outputs) {
        const RandomParameters<typename M::Module> drawn(1);
        const auto parameters = drawn.pointers();
        M::pack(*weights_, parameters);
        const auto cpu_weights = std::make_unique<typename Cpu::Weights>();
        Cpu::pack(*cpu_weights, parameters);
        const auto cpu = std::make_unique<typename Cpu::Session>(*cpu_weights);
        const auto made = cpu->forward(std::span<const float, inputs>(in_));
        expected_.assign(made.begin(), made.end());
    }
    bool passes() {
        tarn::cuda::Session<M> session;
        if (failed(session.open(*weights_)) || !agrees(session)) return false;
        if (failed(session.record()) || !agrees(session)) return false;
        const tarn::cuda::GraphNodes nodes = session.graph_nodes();
        std::size_t before = 0, after = 0, total = 0;
        if (cudaMemGetInfo(&before, &total) != cudaSuccess) return false;
        for (int i = 0; i < 1000; ++i)
            if (failed(forward(session))) return false;
        if (cudaMemGetInfo(&after, &total) != cudaSuccess) return false;
        std::printf("%s: largest difference %.1e, %d kernel nodes of %d, %td bytes taken by 1000 forwards\n", name_,
                    worst_, nodes.kernels, nodes.kernels + nodes.copies + nodes.clears + nodes.memory + nodes.others,
                    static_cast<std::ptrdiff_t>(before - after));
        return before == after && nodes.kernels >= M::launch_count && nodes.copies + nodes.memory + nodes.others == 0;
    }

  private:
    bool failed(const tarn::cuda::Status& status) const {
        if (!status.ok()) std::printf("%s: %s: %s\n", name_, status.call, status.text);
        return !status.ok();
    }
    tarn::cuda::Status forward(tarn::cuda::Session<M>& session) {
        return session.forward(std::span<const float, inputs>(in_), std::span<float, outputs>(out_));
    }
    bool agrees(tarn::cuda::Session<M>& session) {
        if (failed(forward(session))) return false;
        const double found = worst_difference(expected_, out_);
        if (!(found <= worst_)) worst_ = found;
        if (!(worst_ <= most_)) std::printf("%s: wrong by %.1e\n", name_, worst_);
        return worst_ <= most_;
    }

    const char* name_;
    double most_;
    std::vector<float> in_, out_, expected_;
    std::unique_ptr<typename M::Weights> weights_ = std::make_unique<typename M::Weights>();
    double worst_ = 0.0;
};

/// Whether there is none, which is then said.
inline bool no_card() {
    int devices = 0;
    const cudaError_t found = cudaGetDeviceCount(&devices);
    if (found == cudaSuccess && devices > 0) return false;
    std::printf("skipped: no card: %s\n", cudaGetErrorString(found));
    return true;
}

} // namespace tarn_test
