// SPDX-License-Identifier: MIT
// A subject's model loaded from a file and run, whatever its type.
// Under models_library.hpp, which gives it to drivers in other languages.
// Knows the public face; nothing of rivals.
#pragma once

#include "models_subjects.hpp"

#include <tarn/tarn.hpp>

#include <cstdio>
#include <span>
#include <utility>

namespace tarn_bench {

/// A model loaded and ready to run, whatever its type.
class OpenModel {
  public:
    OpenModel() = default;
    OpenModel(const OpenModel&) = delete;
    OpenModel& operator=(const OpenModel&) = delete;
    virtual ~OpenModel() = default;
    virtual void forward() noexcept = 0;
    virtual std::span<float> input() noexcept = 0;
    virtual std::span<const float> output(int index) const noexcept = 0;
};

template <class TheModel> class Opened final : public OpenModel {
  public:
    explicit Opened(tarn::Loaded<typename TheModel::Weights> weights)
        : weights_(std::move(weights)), session_(*weights_) {}
    void forward() noexcept override { session_.forward(std::span<const float, TheModel::Input::elems>(input_)); }
    std::span<float> input() noexcept override { return input_; }
    std::span<const float> output(int index) const noexcept override {
        return nth(index, std::make_integer_sequence<int, TheModel::output_count>{});
    }

  private:
    template <int... I> std::span<const float> nth(int index, std::integer_sequence<int, I...>) const noexcept {
        std::span<const float> found;
        ((I == index ? void(found = session_.template output<I>()) : void()), ...);
        return found;
    }

    tarn::Loaded<typename TheModel::Weights> weights_;
    typename TheModel::Session session_;
    alignas(64) float input_[TheModel::Input::elems] = {};
};

/// On AVX2 kernels, unchecked: the driver asks the processor before.
template <class TheSubject, class Policy>
using SubjectModel = tarn::Model<typename TheSubject::Net, typename TheSubject::In, tarn::Cpu<tarn::cpu::Avx2>, Policy>;

} // namespace tarn_bench
