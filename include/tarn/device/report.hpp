// SPDX-License-Identifier: MIT
// The plan of a model on a card, put into words: who runs each step, how its output lies, who waits before it.
// Beside io/report.hpp, which tells the plans of the processor. To be included by name; wants no CUDA header.
// Knows models on a card; nothing of sessions or launches.
#pragma once

#include <tarn/device/model.hpp>
#include <tarn/io/report.hpp>

namespace tarn {

namespace detail {

inline const char* barrier_words(cuda::Scope scope) noexcept {
    switch (scope) {
    case cuda::Scope::none:
        return "nobody";
    case cuda::Scope::warp:
        return "the warp";
    case cuda::Scope::block:
        return "the block";
    case cuda::Scope::grid:
        break;
    }
    return "the grid";
}

/// How a step's output lies: apart from what it reads, over it, held in registers first, or over its own rows.
template <class M, int S> const char* placing_words() noexcept {
    constexpr auto& plan = M::Planning::plan;
    constexpr Step step = M::steps.steps[S];
    if constexpr (M::template by_library<S>)
        return "apart";
    else if constexpr (plan.owned[S])
        return "over its rows";
    else if constexpr (plan.held[S])
        return "held, then anywhere";
    else if constexpr (plan.storage[step.out.storage] + step.out.offset ==
                           plan.storage[step.in.storage] + step.in.offset &&
                       M::Planning::facts.of[S].on_input)
        return "over its input";
    else
        return "apart";
}

template <class M, int S> void device_step_row(TextTable& table, const std::vector<std::string>& layers) {
    constexpr auto& plan = M::Planning::plan;
    constexpr Step step = M::steps.steps[S];
    constexpr std::size_t at = (plan.storage[step.out.storage] + step.out.offset) * sizeof(float);
    constexpr int pitch = step.op.out_pitch > 0 ? step.op.out_pitch : step.op.out.last();
    constexpr std::size_t rows = static_cast<std::size_t>(step.op.out.rows());
    constexpr std::size_t bytes =
        ((rows - 1) * static_cast<std::size_t>(pitch) + static_cast<std::size_t>(step.op.out.last())) * sizeof(float);
    std::string what = kind_words(step.op);
    if (step.op.add && step.op.kind != OpKind::add) what += " + add";
    if (step.op.act != Activation::none && step.op.kind != OpKind::activation)
        what.append(" + ").append(activation_words(step.op.act));
    table.row({std::to_string(S), layers[S], what, extents_words(step.op.out),
               M::template by_library<S> ? "library"
               : plan.solo[S]            ? "one block"
                                         : "the grid",
               placing_words<M, S>(), range_words({at, bytes}), barrier_words(plan.before[S])});
}

} // namespace detail

/// The plan of a Model on a card as text. Before a step, in one launch: who waits. A launch a step is a barrier of the
/// grid itself.
template <class M> std::string device_report_text() {
    using namespace detail;
    const LayerNames<std::remove_cvref_t<decltype(M::Facts::graph)>, M::Planning::room> names(
        M::Facts::graph, M::steps, layer_paths<typename M::Module, typename M::Input>());
    TextTable steps("rlllllrl");
    steps.row({"step", "layers", "what", "out", "run by", "output", "at + bytes", "before it waits"});
    [&]<int... S>(std::integer_sequence<int, S...>) { (device_step_row<M, S>(steps, names.layers), ...); }
    (std::make_integer_sequence<int, M::step_count>{});
    TextTable bounds("lrl");
    bounds.row({"bytes", "", ""});
    bounds.row({"arena", grouped(M::device_arena_bytes), "the plan, inputs, outputs and workspace included"});
    if (M::workspace_bytes > 0) bounds.row({"workspace", grouped(M::workspace_bytes), "the library's part of it"});
    bounds.row({"apart", grouped(M::apart_arena_bytes), "no output over what it is made from but element by element"});
    bounds.row({"ping-pong", grouped(M::ping_pong_bytes), "twice the largest tensor; enough for chains only"});
    bounds.row({"weights", grouped(M::device_weight_bytes), "packed"});
    return counted(static_cast<std::size_t>(M::step_count), "step") + " in " + std::to_string(M::launch_count) +
           (M::launch_count == 1 ? " launch" : " launches") + "\n\n" + steps.text() + "\n" + bounds.text();
}

} // namespace tarn
