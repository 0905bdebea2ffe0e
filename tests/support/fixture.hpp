// SPDX-License-Identifier: MIT
// Fixtures: cases with inputs, weights and PyTorch's answers, run through every kind of session and the reference.
// Between tests/fixtures/*.safetensors and the tests of layers, which write each case's network by hand.
// Knows the public face only.
#pragma once

#include "support/model_check.hpp"

#include <tarn/io/safetensors_write.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#ifndef TARN_SOURCE_DIR
#define TARN_SOURCE_DIR "."
#endif

namespace tarn_test {

inline bool has_extents(const std::vector<std::int64_t>& found, const tarn::Extents& wanted) {
    if (found.size() != static_cast<std::size_t>(wanted.rank)) return false;
    for (int i = 0; i < wanted.rank; ++i)
        if (found[static_cast<std::size_t>(i)] != wanted[i]) return false;
    return true;
}

/// One file of fixtures, as tests/fixtures/make.py names its tensors.
class Fixtures {
  public:
    explicit Fixtures(std::string_view family) {
        path_ = std::string(TARN_SOURCE_DIR "/tests/fixtures/").append(family).append(".safetensors");
        auto opened = tarn::MappedFile::open(path_.c_str());
        if (!opened) FAIL(opened.error().text);
        file_.emplace(std::move(*opened));
        auto parsed = tarn::Safetensors::parse(file_->bytes());
        if (!parsed) FAIL(path_ << ": " << parsed.error().text);
        tensors_.emplace(std::move(*parsed));
    }

    std::span<const tarn::TensorView> tensors() const { return tensors_->tensors(); }

    /// The floats of a tensor that must have these extents.
    std::vector<float> floats(const std::string& name, const tarn::Extents& extents) const {
        const tarn::TensorView* const found = tensors_->find(name);
        if (found == nullptr) FAIL(path_ << " has no " << name);
        INFO(name);
        REQUIRE(has_extents(found->shape, extents));
        std::vector<float> values(found->elems());
        REQUIRE(tarn::read_floats(*found, values));
        return values;
    }

    /// Where a case keeps its parameters: "<case>/w/" for networks, "<case>/" for single layers.
    std::string parameter_prefix(const std::string& name) const {
        const auto nested = [&](const tarn::TensorView& tensor) { return tensor.name.starts_with(name + "/w/"); };
        return std::any_of(tensors().begin(), tensors().end(), nested) ? name + "/w/" : name + "/";
    }

    /// The parameters of one case as a file of their own, under PyTorch's names.
    std::vector<std::byte> weights_file(const std::string& name) const {
        const std::string prefix = parameter_prefix(name);
        std::vector<tarn::TensorToWrite> kept;
        for (const tarn::TensorView& tensor : tensors()) {
            if (!tensor.name.starts_with(prefix) || tensor.name == name + "/x" || tensor.name == name + "/y") continue;
            kept.push_back({tensor.name.substr(prefix.size()), tensor.dtype, tensor.shape, tensor.bytes});
        }
        auto file = tarn::to_safetensors(kept);
        if (!file) FAIL(file.error().text);
        return std::move(*file);
    }

  private:
    std::string path_;
    std::optional<tarn::MappedFile> file_;
    std::optional<tarn::Safetensors> tensors_;
};

/// How far a value may be from the wanted one: the larger of an absolute and a relative distance.
struct Tolerance {
    double absolute = 1e-5;
    double relative = 1e-5;
};

/// The first element beyond the tolerance in words; empty when all are within it. NaN is beyond any.
template <class Wanted, class Found>
std::string first_beyond(const Wanted& wanted, const Found& found, Tolerance tolerance) {
    if (wanted.size() != found.size()) return "wrong count";
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double want = static_cast<double>(wanted[i]), have = static_cast<double>(found[i]);
        if (!(std::abs(want - have) <= std::max(tolerance.absolute, tolerance.relative * std::abs(want))))
            return "element " + std::to_string(i) + ": wanted " + std::to_string(want) + ", found " +
                   std::to_string(have) + ", off by " + std::to_string((have - want) * 1e6) + "e-6";
    }
    return {};
}

/// Session and InPlaceSession on weights that came through the loader: the bits that packed parameters gave.
template <class M>
void check_loaded(std::span<const std::byte> file, const std::vector<float>& input, const std::vector<float>& wanted) {
    const auto weights = M::load(file);
    INFO(weights.error());
    REQUIRE(weights);
    const auto same = [&](auto found) {
        return std::memcmp(found.data(), wanted.data(), sizeof(float) * wanted.size()) == 0;
    };
    const auto session = std::make_unique<typename M::Session>(*weights);
    CHECK(same(session->forward(std::span<const float, M::Input::elems>{input.data(), M::Input::elems})));
    const auto in_place = std::make_unique<typename M::InPlaceSession>(*weights);
    std::copy(input.begin(), input.end(), in_place->input().begin());
    CHECK(same(in_place->forward_in_place()));
}

/// One case: the reference and every session against PyTorch's answer.
template <class Net, class In>
void check_case(const Fixtures& file, const std::string& name, Tolerance tolerance = {}) {
    using namespace tarn;
    using Best = Model<Net, In>;
    INFO(name);
    const std::vector<float> x = file.floats(name + "/x", In::extents);
    const std::vector<float> y = file.floats(name + "/y", Best::Output::extents);

    const std::string prefix = file.parameter_prefix(name);
    std::vector<std::vector<float>> values;
    for (const NamedParameter& parameter : parameter_names<Net>())
        values.push_back(parameter.ignored ? std::vector<float>{}
                                           : file.floats(prefix + parameter.name, parameter.shape));
    std::vector<const float*> pointers;
    for (const std::vector<float>& parameter : values) pointers.push_back(parameter.data());

    // PyTorch's answer is in double, rounded to float once, and so is the reference.
    const auto reference = reference_forward<Net, In>(std::span<const float, In::elems>{x.data(), In::elems}, pointers);
    CHECK(first_beyond(y, reference, {1e-6, 1e-6}) == "");

    const double loosest = std::max(tolerance.absolute, tolerance.relative);
    const std::vector<float> best = check_one<Best>(x, pointers, y, loosest);
    CHECK(first_beyond(y, best, tolerance) == "");
    check_loaded<Best>(file.weights_file(name), x, best);

    const std::vector<float> baseline = check_one<Model<Net, In, Cpu<cpu::Baseline>>>(x, pointers, y, loosest);
    CHECK(first_beyond(y, baseline, tolerance) == "");
}

} // namespace tarn_test
