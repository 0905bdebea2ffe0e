// SPDX-License-Identifier: MIT
// Modules made of modules: Sequential, Residual, Parallel, Named.
// Descriptions only, with the one walk through their parts; plan/flatten makes nodes of it, io/weights names.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/walk.hpp>

namespace tarn {

/// A name as a template argument: Named<"fc1", Linear<4, 8>>.
template <std::size_t N> struct Name {
    char text[N]{};
    constexpr Name(const char (&literal)[N]) noexcept {
        for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
    }
    constexpr bool empty() const noexcept { return N == 1; }
};

/// One module after the other; the first gets the values that the Sequential is given, each later one what the one
/// before makes. Parameter names: the position, as torch.nn.Sequential ("0.weight").
/// Errors: those of the first layer that does not fit, with its position.
template <class... Modules> struct Sequential {};

/// The values themselves. Memory: none.
using Identity = Sequential<>;

/// y = body(x) + shortcut(x); a Residual without a shortcut adds x itself. Any body, any shortcut, nested at will.
/// Parameter names: "body." and "shortcut.", or the names of Named modules given instead.
/// Memory: x stays until it is added; the sum overwrites one of its inputs, in the epilogue of the last layer.
/// Errors: body and shortcut must give one value each, of one shape.
template <class Body, class Shortcut = Identity> struct Residual {};

/// The same values through each of several modules; what they make, in order, for a Concat, Add or Mul behind it.
/// Parameter names: the position, as torch.nn.ModuleList ("0.weight"), or those of Named modules given instead.
/// Memory: x stays until the last branch has read it; branches run in the order written.
/// Errors: those of the branches, with their position.
template <class... Branches> struct Parallel {};

/// A module under its own name in the weights' file; Named<"", M> adds no name at all.
template <Name Text, class Module> struct Named {
    using Inner = Module;
    static constexpr auto name = Text;
};

namespace detail {

constexpr Op sum_op(Extents in) noexcept {
    Op op;
    op.kind = OpKind::add;
    op.in = op.out = in;
    op.add = true;
    return op;
}

/// The node at the end of a Residual.
struct ResidualSum {
    static constexpr bool chained = true;

    static constexpr Fault rule(Extents body, Extents shortcut) noexcept {
        Fault fault;
        if (!(body == shortcut)) fault.rule = Rule::residual_shapes, fault.found = body, fault.wanted = shortcut;
        return fault;
    }
    static constexpr Op op(Extents body, Extents) noexcept { return sum_op(body); }
};

template <class... Modules> struct Walk<Sequential<Modules...>> {
    template <class Visitor>
    static constexpr void into([[maybe_unused]] Visitor& visitor, [[maybe_unused]] Values& values) {
        [[maybe_unused]] int position = 0;
        // An array, not a fold: folds nest as deep as the network is long.
        [[maybe_unused]] const int walked[] = {
            0, (walk_child<Modules>(visitor, values, Label{position++, nullptr}), 0)...};
    }
};

template <class Body, class Shortcut> struct Walk<Residual<Body, Shortcut>> {
    /// The body first: while it runs only x waits, not the shortcut's result as well.
    template <class Visitor> static constexpr void into(Visitor& visitor, Values& values) {
        Values body = values;
        walk_child<Body>(visitor, body, Label{0, "body"});
        walk_child<Shortcut>(visitor, values, Label{1, "shortcut"});
        const int pair[] = {single(visitor, body), single(visitor, values)};
        values.at[0] = visitor.template join<ResidualSum>(pair, 2);
        values.count = 1;
    }
};

template <class Branch, class Visitor>
constexpr void walk_branch(Visitor& visitor, const Values& given, Values& made, int position) {
    Values values = given;
    walk_child<Branch>(visitor, values, Label{position, nullptr});
    for (int i = 0; i < values.count; ++i) append(visitor, made, values.at[i]);
}

template <class... Branches> struct Walk<Parallel<Branches...>> {
    template <class Visitor> static constexpr void into([[maybe_unused]] Visitor& visitor, Values& values) {
        Values made;
        [[maybe_unused]] int position = 0;
        [[maybe_unused]] const int walked[] = {0, (walk_branch<Branches>(visitor, values, made, position++), 0)...};
        values = made;
    }
};

} // namespace detail
} // namespace tarn
