// SPDX-License-Identifier: MIT
// Graph: any directed acyclic network, of named layers that say what they read; Inputs: the shapes of several inputs.
// A description, with the walk through its parts in the order written.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/combine.hpp>

namespace tarn {

/// The Shapes of a network of several inputs, in the order of its Graph's Input parts.
template <class... Shapes> struct Inputs {};

namespace detail {
enum class Part : int { input, layer, output };
}

/// A part of a Graph: a value that the Graph is given, under a name.
template <Name Text> struct Input {
    static constexpr detail::Part part = detail::Part::input;
    static constexpr auto name = Text;
    static constexpr int source_count = 0;
};

/// A part of a Graph: any module under a name, and the names of the parts whose values it reads, in order.
/// Parameter names: the layer's name ("stem.weight").
template <Name Text, class Module, Name... Sources> struct Layer {
    using Inside = Module;
    static constexpr detail::Part part = detail::Part::layer;
    static constexpr auto name = Text;
    static constexpr int source_count = static_cast<int>(sizeof...(Sources));
    static constexpr const char* sources[source_count + 1] = {Sources.text..., nullptr};
};

/// A part of a Graph: the part whose values the Graph gives, the first Output's first.
template <Name Source> struct Output {
    static constexpr detail::Part part = detail::Part::output;
    static constexpr int source_count = 1;
    static constexpr const char* sources[source_count] = {Source.text};
};

/// Layers by name, each reading any that stand before it: Graph<Input<"x">, Layer<"a", ReLU, "x">, Output<"a">>. They
/// run in the order written. A name stands for all the values its module makes; nobody need read them.
/// Errors: a name nobody before has, two parts of one name, a part without a name or that is none, no Output, other
/// values than the Input parts want: each with the part's position. Then those of the layers.
template <class... Parts> struct Graph {};

namespace detail {

constexpr bool same_text(const char* a, const char* b) noexcept {
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

/// Parts by name, hashed: a comparison of all with all would pass the limits of compilers in long graphs.
template <int Capacity> class PartTable {
  public:
    /// The part of a name, -1 where nobody has it.
    constexpr int find(const char* name) const noexcept { return parts_[slot_of(name)] - 1; }
    constexpr void add(const char* name, int part) noexcept {
        const unsigned slot = slot_of(name);
        names_[slot] = name;
        parts_[slot] = part + 1;
    }

  private:
    static constexpr unsigned size = 2 * static_cast<unsigned>(Capacity) + 1;

    constexpr unsigned slot_of(const char* name) const noexcept {
        unsigned hash = 2166136261U;
        for (const char* c = name; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619U;
        unsigned slot = hash % size;
        while (parts_[slot] != 0 && !same_text(names_[slot], name)) slot = (slot + 1) % size;
        return slot;
    }

    const char* names_[size] = {};
    int parts_[size] = {};
};

template <class P>
concept IsPart = requires {
    P::part;
};

template <class P> constexpr int source_count_of() noexcept {
    if constexpr (IsPart<P>)
        return P::source_count;
    else
        return 0;
}

/// Who reads whom: part p reads the parts reads[first[p]] to reads[first[p + 1] - 1].
template <int Parts, int Reads> struct Wiring {
    int reads[Reads + 1] = {};
    int first[Parts + 1] = {};
    int inputs = 0, outputs = 0;
    Rule rule = Rule::none; ///< the first that the names break
    int broken = -1;        ///< the part that breaks it

    constexpr void require(bool holds, Rule otherwise, int part) noexcept {
        if (!holds && rule == Rule::none) rule = otherwise, broken = part;
    }

    template <class P> constexpr void take(PartTable<Parts>& table, int part) noexcept {
        int read = first[part];
        if constexpr (source_count_of<P>() > 0) {
            for (int i = 0; i < P::source_count; ++i) {
                const int source = table.find(P::sources[i]);
                require(source >= 0, Rule::graph_source, part);
                if (source >= 0) reads[read++] = source;
            }
        }
        first[part + 1] = read;
        if constexpr (!IsPart<P>) {
            require(false, Rule::graph_part, part);
        } else if constexpr (P::part == Part::output) {
            ++outputs;
        } else {
            if (P::part == Part::input) ++inputs;
            require(!P::name.empty(), Rule::graph_name, part);
            require(table.find(P::name.text) < 0, Rule::graph_duplicate, part);
            table.add(P::name.text, part);
        }
    }
};

/// A part outside of a Graph.
template <IsPart P> struct Walk<P> {
    template <class Visitor> static constexpr void into(Visitor& visitor, Values&) {
        Fault fault;
        fault.rule = Rule::graph_part;
        visitor.fault(fault);
    }
};

/// A part in its turn. No member of the walk: its name would hold every part, and nvcc is slow on long names.
template <class P, class Visitor, class Wires>
constexpr void walk_part([[maybe_unused]] Visitor& visitor, const Wires& wiring, const Values& given, Values* made,
                         Values& results, int part, int& input) {
    if constexpr (IsPart<P>) {
        Values& to = P::part == Part::output ? results : made[part];
        if constexpr (P::part == Part::input) {
            append(visitor, to, input < given.count ? given.at[input] : 0);
            ++input;
        }
        for (int r = wiring.first[part]; r < wiring.first[part + 1]; ++r) {
            const Values& from = made[wiring.reads[r]];
            for (int i = 0; i < from.count; ++i) append(visitor, to, from.at[i]);
        }
        if constexpr (P::part == Part::layer) walk_inside<typename P::Inside>(visitor, to, Label{part, P::name.text});
    }
}

template <class... Parts> struct Walk<Graph<Parts...>> {
    static constexpr int parts = static_cast<int>(sizeof...(Parts));
    static constexpr int reads = [] {
        int sum = 0;
        for (const int count : {0, source_count_of<Parts>()...}) sum += count;
        return sum;
    }();
    /// A constant of its own, worked out once for all visitors.
    static constexpr auto wiring = [] {
        Wiring<parts, reads> w;
        PartTable<parts> table;
        [[maybe_unused]] int part = 0;
        [[maybe_unused]] const int taken[] = {0, (w.template take<Parts>(table, part++), 0)...};
        w.require(w.outputs > 0, Rule::graph_output, -1);
        return w;
    }();

    template <class Visitor> static constexpr void into(Visitor& visitor, Values& values) {
        if (wiring.rule != Rule::none) {
            Fault fault;
            fault.rule = wiring.rule;
            const int entered = visitor.enter(Label{wiring.broken, ""});
            visitor.fault(fault);
            visitor.leave(entered);
        }
        if (values.count != wiring.inputs) visitor.fault(count_fault(Rule::graph_inputs, values.count, wiring.inputs));
        Values made[parts + 1];
        Values results;
        int part = 0, input = 0;
        [[maybe_unused]] const int walked[] = {
            0, (walk_part<Parts>(visitor, wiring, values, made, results, part++, input), 0)...};
        values = results;
    }
};

/// The shapes of a network's input or inputs.
template <class In> struct InputShapes {
    static constexpr int count = 1;
    static constexpr Extents extents[] = {In::extents};
};
template <class... Shapes> struct InputShapes<Inputs<Shapes...>> {
    static constexpr int count = sizeof...(Shapes) > 0 ? static_cast<int>(sizeof...(Shapes)) : 1;
    static constexpr Extents extents[sizeof...(Shapes) + 1] = {Shapes::extents..., extents_of(1)};
};

/// What Inputs asks: a Shape at least, and each Shape's own rules.
template <class... Rules> struct InputsRule {
    static constexpr bool any = sizeof...(Rules) > 0;
    static_assert(any, "Inputs: name the shape of each input, as in Inputs<Shape<8>, Shape<4>>");
    static constexpr std::size_t asked[sizeof...(Rules) + 1] = {sizeof(Rules)..., 0};
};
template <class... Shapes> struct RuleOf<Inputs<Shapes...>> {
    using type = InputsRule<typename RuleOf<Shapes>::type...>;
};

} // namespace detail
} // namespace tarn
