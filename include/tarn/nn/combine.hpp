// SPDX-License-Identifier: MIT
// Modules made of modules: Sequential, Residual, Named.
// Descriptions only; plan/flatten walks them into a list of nodes, io/weights into a list of names.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn {

/// A name as a template argument: Named<"fc1", Linear<4, 8>>.
template <std::size_t N> struct Name {
    char text[N]{};
    constexpr Name(const char (&literal)[N]) noexcept {
        for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
    }
    constexpr bool empty() const noexcept { return N == 1; }
};

/// One module after the other. Parameter names: the position, as torch.nn.Sequential ("0.weight").
/// Errors: those of the first layer that does not fit, with its position.
template <class... Modules> struct Sequential {};

/// y = body(x) + shortcut(x); a Residual without a shortcut adds x itself. Any body, any shortcut, nested at will.
/// Parameter names: "body." and "shortcut.", or the names of Named modules given instead.
/// Memory: x stays until it is added; the sum overwrites one of its inputs, in the epilogue of the last layer.
/// Errors: body and shortcut must give one shape.
template <class Body, class Shortcut = Sequential<>> struct Residual {};

/// A module under its own name in the weights' file; Named<"", M> adds no name at all.
template <Name Text, class Module> struct Named {
    using Inner = Module;
    static constexpr auto name = Text;
};

namespace detail {
/// How walks recognize a Named: nvcc 13 does not match a partial specialization for Named<Text, Module>.
template <class Module>
concept IsNamed = requires {
    typename Module::Inner;
    Module::name.text;
};
} // namespace detail

} // namespace tarn
