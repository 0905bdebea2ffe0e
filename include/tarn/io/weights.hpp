// SPDX-License-Identifier: MIT
// Weights: a network's parameters loaded strictly: everything wrong is listed, nothing is half loaded.
// Where a file meets a Model: names -> parameters -> packed once. Adds the bodies of Model::load.
// Knows models and files; nothing of kernels.
#pragma once

#include <tarn/io/mapped_file.hpp>
#include <tarn/io/names.hpp>
#include <tarn/io/safetensors.hpp>
#include <tarn/run/model.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace tarn {

namespace detail {

template <class = void> std::string shape_words(const Extents& shape) {
    std::string words = "[";
    for (int i = 0; i < shape.rank; ++i) words += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return words + "]";
}
template <class = void> std::string shape_words(const std::vector<std::int64_t>& shape) {
    std::string words = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) words += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return words + "]";
}
template <class = void> bool same_shape(const Extents& wanted, const std::vector<std::int64_t>& found) noexcept {
    if (found.size() != static_cast<std::size_t>(wanted.rank)) return false;
    for (int i = 0; i < wanted.rank; ++i)
        if (found[static_cast<std::size_t>(i)] != wanted[i]) return false;
    return true;
}

/// Parameters out of a file as floats, or all that is wrong with it.
template <class> class BasicParameterReader {
  public:
    BasicParameterReader(const std::vector<NamedParameter>& wanted, const Safetensors& file) {
        for (const NamedParameter& parameter : wanted) pointers_.push_back(take(parameter, file));
        for (const TensorView& found : file.tensors()) {
            bool known = false;
            for (const NamedParameter& parameter : wanted) known = known || parameter.name == found.name;
            if (!known)
                line(std::string(found.name) + ": unexpected, the model has no such tensor; found " +
                     std::string(found.dtype_text) + " " + shape_words(found.shape));
        }
    }
    const std::string& faults() const noexcept { return faults_; }
    std::span<const float* const> pointers() const noexcept { return pointers_; }

  private:
    const float* take(const NamedParameter& parameter, const Safetensors& file) {
        const TensorView* const found = file.find(parameter.name);
        if (parameter.ignored) return nullptr;
        if (found == nullptr) {
            line(parameter.name + ": missing, wanted " + shape_words(parameter.shape));
            return nullptr;
        }
        if (!same_shape(parameter.shape, found->shape)) {
            line(parameter.name + ": wrong shape, wanted " + shape_words(parameter.shape) + ", found " +
                 shape_words(found->shape));
            return nullptr;
        }
        std::vector<float>& values = values_.emplace_back(parameter.shape.elems());
        if (!read_floats(*found, values)) {
            line(parameter.name + ": wrong dtype, wanted F32, F16 or BF16, found " + std::string(found->dtype_text));
            return nullptr;
        }
        return values.data();
    }
    void line(const std::string& text) {
        if (!faults_.empty()) faults_ += '\n';
        faults_ += text;
    }

    std::vector<std::vector<float>> values_;
    std::vector<const float*> pointers_;
    std::string faults_;
};
using ParameterReader = BasicParameterReader<void>;

} // namespace detail

/// Weights that were loaded, or why they were not. Dereference only when true.
template <class Weights> class Loaded {
  public:
    Loaded(Box<Weights> weights) noexcept : weights_(std::move(weights)) {}
    Loaded(Error error) noexcept : error_(std::move(error)) {}

    explicit operator bool() const noexcept { return static_cast<bool>(weights_); }
    const Weights& operator*() const noexcept { return *weights_; }
    const Weights* operator->() const noexcept { return weights_.get(); }
    /// One fault a line, each with the tensor's name; empty when loaded.
    const std::string& error() const noexcept { return error_.text; }

  private:
    Box<Weights> weights_;
    Error error_;
};

namespace detail {

/// The weights of any kind of model, as Model::load.
template <class TheModel> Loaded<typename TheModel::Weights> load_weights(std::span<const std::byte> file) {
    using Weights = typename TheModel::Weights;
    Result<Safetensors> tensors = Safetensors::parse(file);
    if (!tensors) return tensors.error();
    const ParameterReader reader(parameter_names<typename TheModel::Module>(), *tensors);
    if (!reader.faults().empty()) return Error{reader.faults()};
    Box<Weights> weights = Box<Weights>::allocate();
    if (!weights) return Error{"no memory for " + std::to_string(sizeof(Weights)) + " bytes of weights"};
    // Packing leaves the bytes between parameters alone, and packed.hpp writes every byte.
    std::memset(static_cast<void*>(weights.get()), 0, sizeof(Weights));
    TheModel::pack(*weights, reader.pointers());
    return Loaded<Weights>{std::move(weights)}; // spelled out: nvcc copies a local that converts
}
template <class TheModel> Loaded<typename TheModel::Weights> load_weights(const char* path) {
    Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    Loaded<typename TheModel::Weights> loaded = load_weights<TheModel>(file->bytes());
    if (!loaded) return Error{std::string(path) + ": " + loaded.error()};
    return loaded;
}

} // namespace detail

template <class Net, class In, class Device, class Policy>
auto Model<Net, In, Device, Policy>::load(std::span<const std::byte> file) -> Loaded<Weights> {
    return detail::load_weights<Model>(file);
}

template <class Net, class In, class Device, class Policy>
auto Model<Net, In, Device, Policy>::load(const char* path) -> Loaded<Weights> {
    return detail::load_weights<Model>(path);
}

} // namespace tarn
