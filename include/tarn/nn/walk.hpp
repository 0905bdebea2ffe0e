// SPDX-License-Identifier: MIT
// Walk: the one way through a module's parts, for whoever wants its nodes, its parameters' names or its layers' paths.
// A module maps a list of values to a list of values; a combinator says here, once, how its children are run.
// Knows no single layer; nothing of shapes: those are the visitor's.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn::detail {

/// What is between two modules: values side by side, in order.
struct Values {
    static constexpr int max = 64;

    int at[max] = {};
    int count = 0;
};

/// A child of a module: its position for errors, and the name its parameters get; without a name, the position.
/// Position -1: a name only.
struct Label {
    int position = -1;
    const char* name = nullptr;
};

/// A fault whose shapes count values.
constexpr Fault count_fault(Rule rule, int found, int wanted) noexcept {
    Fault fault;
    fault.rule = rule;
    fault.found = extents_of(found);
    fault.wanted = extents_of(wanted);
    return fault;
}

template <class Visitor> constexpr void append(Visitor& visitor, Values& values, int value) {
    if (values.count < Values::max)
        values.at[values.count++] = value;
    else
        visitor.fault(count_fault(Rule::list_values, Values::max + 1, Values::max));
}

/// The value of a list of one.
template <class Visitor> constexpr int single(Visitor& visitor, const Values& values) {
    if (values.count != 1) visitor.fault(count_fault(Rule::one_value, values.count, 1));
    return values.at[0];
}

/// How a module is walked: `values` is what it is given, then what it makes. This one is a leaf, a module with an Op
/// on one value. A visitor has
///   int node<Module>(int value)                     a leaf's node on a value; returns the value it makes
///   int join<Module>(const int* values, int count)  a node on several values; likewise
///   void require<Module>(int value)                 the rule of a module without a node of its own
///   void fault(Fault)                               what is wrong here
///   int enter(Label), void leave(int entered)       around a child
template <class Module> struct Walk {
    template <class Visitor> static constexpr void into(Visitor& visitor, Values& values) {
        values.at[0] = visitor.template node<Module>(single(visitor, values));
        values.count = 1;
    }
};

template <class Module, class Visitor> constexpr void walk_inside(Visitor& visitor, Values& values, Label label) {
    const int entered = visitor.enter(label);
    Walk<Module>::into(visitor, values);
    visitor.leave(entered);
}

/// How walks recognize a Named: nvcc 13 does not match a partial specialization for Named<Text, Module>.
template <class Module>
concept IsNamed = requires {
    typename Module::Inner;
    Module::name.text;
};

template <IsNamed Module> struct Walk<Module> {
    template <class Visitor> static constexpr void into(Visitor& visitor, Values& values) {
        walk_inside<typename Module::Inner>(visitor, values, Label{-1, Module::name.text});
    }
};

/// A child under its default name; a Named one brings its own instead.
template <class Module, class Visitor> constexpr void walk_child(Visitor& visitor, Values& values, Label label) {
    if constexpr (IsNamed<Module>)
        walk_inside<typename Module::Inner>(visitor, values, Label{label.position, Module::name.text});
    else
        walk_inside<Module>(visitor, values, label);
}

/// Leaves that make one value of several: one node of all (concat), or `chained`, a node of two for each value more.
template <class Module>
concept JoinsValues = requires {
    Module::chained;
};

template <JoinsValues Module> struct Walk<Module> {
    template <class Visitor> static constexpr void into(Visitor& visitor, Values& values) {
        const int least = Module::chained ? 2 : 1;
        if (values.count < least) visitor.fault(count_fault(Rule::join_count, values.count, least));
        if constexpr (Module::chained) {
            for (int i = 1; i < values.count; ++i) {
                const int pair[] = {values.at[0], values.at[i]};
                values.at[0] = visitor.template join<Module>(pair, 2);
            }
        } else if (values.count > 1) {
            values.at[0] = visitor.template join<Module>(values.at, values.count);
        }
        values.count = 1;
    }
};

} // namespace tarn::detail
