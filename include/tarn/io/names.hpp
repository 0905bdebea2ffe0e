// SPDX-License-Identifier: MIT
// Names: a network's parameters by the names they have in PyTorch's state_dict, "0.body.3.weight".
// io/weights looks for these in a file; io/report calls layers by the same paths.
// Knows modules; no file and no plan.
#pragma once

#include <tarn/nn/walk.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tarn {

/// A parameter by its full state_dict name.
struct NamedParameter {
    std::string name;
    Extents shape{};
    bool ignored = false;
};

namespace detail {

/// Where a walk is; the base of visitors that name things.
class ModulePath {
  public:
    int enter(Label label) {
        const std::size_t outside = text_.size();
        const std::string name = label.name != nullptr ? label.name : std::to_string(label.position);
        if (!name.empty()) text_ += (text_.empty() ? "" : ".") + name;
        return static_cast<int>(outside);
    }
    void leave(int outside) { text_.resize(static_cast<std::size_t>(outside)); }
    void fault(const Fault&) noexcept {}
    template <class Module> void require(int) noexcept {}

  protected:
    const std::string& path() const noexcept { return text_; }

  private:
    std::string text_;
};

/// Lists the parameters of every leaf, in the order of plan/flatten's nodes.
class ParameterNames : public ModulePath {
  public:
    template <class Module> int node(int) {
        if constexpr (Module::parameter_count > 0) {
            const std::string prefix = path().empty() ? "" : path() + ".";
            for (int i = 0; i < Module::parameter_count; ++i) {
                const Parameter& parameter = Module::parameters[i];
                names.push_back({prefix + parameter.name, parameter.shape, parameter.ignored});
            }
        }
        return 0;
    }
    template <class Module> int join(const int*, int) { return 0; }

    std::vector<NamedParameter> names;
};

} // namespace detail

/// The full names and shapes of a network's parameters, in the order Model::pack takes them.
template <class Net> std::vector<NamedParameter> parameter_names() {
    detail::ParameterNames visitor;
    detail::Values values{{0}, 1}; // how many inputs a network has makes no difference to names
    detail::Walk<Net>::into(visitor, values);
    return std::move(visitor.names);
}

} // namespace tarn
