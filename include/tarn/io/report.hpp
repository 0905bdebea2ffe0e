// SPDX-License-Identifier: MIT
// Report: a model's plan put into words and figures: what runs, where everything lies, what the bounds are.
// Beside the data's way: reads the plan of a Model at run time, for people. report_svg.hpp draws the same figures.
// Knows models and plans; nothing of weights' values.
#pragma once

#include <tarn/run/model.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace tarn {

/// A stretch of the arena, in bytes.
struct ReportRange {
    std::size_t at = 0, bytes = 0;
};

/// One value: from the step that writes it to the last that reads it. Value 0 is the network's input.
struct ReportTensor {
    Extents shape{};
    ReportRange place{};
    int first_step = 0, last_step = 0; ///< both included; the input's first is -1, the result's last is the step count
    bool in_arena = true;              ///< else in the caller's memory
};

/// One step: a layer and what was fused into it.
struct ReportStep {
    std::string layers;             ///< paths of the layers it covers, as in parameter names: "3.body.0-2, 3"
    std::string kind;               ///< "conv 3x3 /2"
    std::vector<std::string> fused; ///< "batch norm", "relu", "add of step 2"
    Extents in{}, out{};
    int input = 0, other = -1; ///< values it reads
    Schedule schedule{};
    ReportRange scratch{};
    std::size_t footprint_bytes = 0; ///< bytes of the arena it reads or writes
    std::size_t alive_bytes = 0;     ///< those, and what waits for later steps

    /// "conv 3x3 + batch norm + relu".
    std::string what() const {
        std::string words = kind;
        for (const std::string& part : fused) words += " + " + part;
        return words;
    }
};

/// A model's plan as values. All sizes in bytes.
struct Report {
    Extents input{}, output{};
    bool owns_input = false, keep_all = false;
    std::vector<ReportStep> steps;
    std::vector<ReportTensor> tensors; ///< by value; step i makes value i + 1
    std::size_t arena = 0, weights = 0, macs = 0;
    std::size_t sum = 0, ping_pong = 0, lb0 = 0, lb0i = 0, lb1 = 0;
    // Why the arena is larger than LB1; the four add up to the difference.
    long gap_rounding = 0; ///< addresses and sizes on cache lines
    long gap_blocks = 0;   ///< kernels write a block of pixels before they read on
    long gap_scratch = 0;
    long gap_placement = 0; ///< nothing tighter was found, or everything is kept
};

namespace detail {

inline std::string join_path(const std::string& parent, const std::string& name) {
    return parent.empty() || name.empty() ? parent + name : parent + "." + name;
}

/// Paths of layers, in the order plan/flatten makes nodes of them. This one is a leaf.
template <class Module> struct LayerWalk {
    static void into(std::vector<std::string>& to, const std::string& path) { to.push_back(path); }
};
/// A child under its default name; a Named one brings its own.
template <class Module> struct LayerChild {
    static void into(std::vector<std::string>& to, const std::string& parent, const std::string& name) {
        LayerWalk<Module>::into(to, join_path(parent, name));
    }
};
template <IsNamed Module> struct LayerChild<Module> {
    static void into(std::vector<std::string>& to, const std::string& parent, const std::string&) {
        LayerWalk<typename Module::Inner>::into(to, join_path(parent, Module::name.text));
    }
};
template <IsNamed Module> struct LayerWalk<Module> {
    static void into(std::vector<std::string>& to, const std::string& path) { LayerChild<Module>::into(to, path, {}); }
};
template <class... Modules> struct LayerWalk<Sequential<Modules...>> {
    static void into(std::vector<std::string>& to, const std::string& path) {
        int position = 0;
        [[maybe_unused]] const int walked[] = {0,
                                               (LayerChild<Modules>::into(to, path, std::to_string(position++)), 0)...};
    }
};
template <class Body, class Shortcut> struct LayerWalk<Residual<Body, Shortcut>> {
    static void into(std::vector<std::string>& to, const std::string& path) {
        LayerChild<Body>::into(to, path, "body");
        LayerChild<Shortcut>::into(to, path, "shortcut");
        to.push_back(path); // the sum
    }
};

/// "0.body.3", "0.body.4", "0" as "0.body.3-4, 0".
class PathList {
  public:
    void add(const std::string& path) {
        const std::size_t dot = path.rfind('.');
        const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot + 1);
        int number = 0;
        const bool numbered = read_number(path.substr(parent.size()), number);
        if (numbered && in_run_ && parent == parent_ && number == last_ + 1) {
            text_.resize(run_begin_);
            text_ += "-" + std::to_string(number);
        } else if (!path.empty()) {
            text_ += (text_.empty() ? "" : ", ") + path;
            run_begin_ = text_.size();
        }
        in_run_ = numbered;
        parent_ = parent;
        last_ = number;
    }
    const std::string& text() const noexcept { return text_; }

  private:
    static bool read_number(const std::string& digits, int& number) noexcept {
        if (digits.empty() || digits.size() > 6) return false;
        for (const char c : digits) {
            if (c < '0' || c > '9') return false;
            number = 10 * number + (c - '0');
        }
        return true;
    }

    std::string text_, parent_;
    std::size_t run_begin_ = 0;
    int last_ = 0;
    bool in_run_ = false;
};

/// 1234567 as "1,234,567".
inline std::string grouped(std::size_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
    return digits;
}

/// A number with so many decimals, a point whatever the locale.
inline std::string decimal(double number, int decimals) {
    long scale = 1;
    for (int i = 0; i < decimals; ++i) scale *= 10;
    const bool negative = number < 0;
    const long scaled = static_cast<long>((negative ? -number : number) * static_cast<double>(scale) + 0.5);
    char text[48];
    std::snprintf(text, sizeof text, "%s%ld.%0*ld", negative && scaled > 0 ? "-" : "", scaled / scale, decimals,
                  scaled % scale);
    return text;
}

inline std::string extents_words(const Extents& shape) {
    std::string words = "[";
    for (int i = 0; i < shape.rank; ++i) words += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return words + "]";
}

inline std::string pair_words(int h, int w) { return std::to_string(h) + "x" + std::to_string(w); }

inline const char* activation_words(Activation act) noexcept {
    constexpr const char* words[] = {"none", "relu",      "relu6", "leaky relu", "sigmoid", "tanh",
                                     "gelu", "gelu tanh", "silu",  "hard swish", "elu"};
    return words[static_cast<int>(act)];
}

inline std::string kind_words(const Op& op) {
    const Window& w = op.window;
    const std::string kernel = " " + pair_words(w.kernel_h, w.kernel_w);
    std::string words;
    switch (op.kind) {
    case OpKind::linear:
        return "linear";
    case OpKind::batch_norm:
        return "batch norm";
    case OpKind::activation:
        return activation_words(op.act);
    case OpKind::softmax:
        return "softmax";
    case OpKind::flatten:
        return "flatten";
    case OpKind::flatten_pytorch:
        return "permute";
    case OpKind::add:
        return "add";
    case OpKind::max_pool2d:
        words = "max pool" + kernel;
        break;
    case OpKind::avg_pool2d:
        if (op.out.rows() == 1 && w.kernel_h == op.in[0] && w.kernel_w == op.in[1]) return "global avg pool";
        words = "avg pool" + kernel;
        break;
    case OpKind::conv2d: {
        const bool depthwise = op.groups > 1 && op.groups == op.in.last();
        words = (depthwise ? "depthwise" : "conv") + kernel;
        if (op.groups > 1 && !depthwise) words += " groups " + std::to_string(op.groups);
        break;
    }
    }
    const bool conv = op.kind == OpKind::conv2d;
    if (w.dilation_h > 1 || w.dilation_w > 1) words += " dilated " + pair_words(w.dilation_h, w.dilation_w);
    // A pool usually moves on by its own extents.
    const bool usual = conv ? w.stride_h == 1 && w.stride_w == 1 : w.stride_h == w.kernel_h && w.stride_w == w.kernel_w;
    if (!usual)
        words += " /" + (w.stride_h == w.stride_w ? std::to_string(w.stride_h) : pair_words(w.stride_h, w.stride_w));
    return words;
}

inline std::string value_words(int value) { return value == 0 ? "input" : "step " + std::to_string(value - 1); }

inline std::vector<std::string> fused_words(const Step& step) {
    std::vector<std::string> words;
    if (step.norm >= 0 && step.op.kind != OpKind::batch_norm) words.push_back("batch norm");
    if (step.other >= 0 && step.op.kind != OpKind::add) words.push_back("add of " + value_words(step.other));
    if (step.op.act != Activation::none && step.op.kind != OpKind::activation)
        words.push_back(activation_words(step.op.act));
    return words;
}

/// "up" or "down" the arena, and whether outputs go straight to their places or by blocks through registers or scratch.
inline std::string schedule_words(const ReportStep& step) {
    return std::string(step.schedule.descending ? "down" : "up") + (step.schedule.staged ? ", staged" : ", direct");
}

/// Bytes covered by at least one of the ranges.
inline std::size_t covered(std::vector<ReportRange> ranges) {
    std::size_t total = 0, end = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        for (std::size_t j = i + 1; j < ranges.size(); ++j)
            if (ranges[j].at < ranges[i].at) std::swap(ranges[i], ranges[j]);
        const std::size_t begin = ranges[i].at > end ? ranges[i].at : end, stop = ranges[i].at + ranges[i].bytes;
        if (stop > begin) total += stop - begin, end = stop;
    }
    return total;
}

/// Splits the difference between the arena and LB1 by taking kernels' costs away one after the other.
template <int Capacity> void explain_gap(Report& to, Problem<Capacity> problem) {
    const auto bytes = [](std::size_t elems) { return static_cast<long>(elems * sizeof(float)); };
    problem.keep_all = false;
    const long needed = bytes(least_arena(problem));
    for (int s = 0; s < problem.net.count; ++s) problem.footprint[s].scratch_elems = 0;
    const long without_scratch = bytes(least_arena(problem));
    for (int s = 0; s < problem.net.count; ++s) {
        problem.footprint[s].direct = ideal_lead(problem.net.steps[s].op);
        problem.footprint[s].can_stage = false;
    }
    const long rounded = bytes(least_arena(problem));
    to.gap_rounding = rounded - static_cast<long>(to.lb1);
    to.gap_blocks = without_scratch - rounded;
    to.gap_scratch = needed - without_scratch;
    to.gap_placement = static_cast<long>(to.arena) - needed;
}

/// Which layers each step covers. A flatten belongs to no step: it is told with the step after it.
template <class G, int Capacity>
void name_steps(Report& to, const G& graph, const Steps<Capacity>& net, const std::vector<std::string>& paths) {
    int told = 0;
    for (int s = 0; s < net.count; ++s) {
        PathList list;
        int last = net.steps[s].last_node;
        if (s + 1 == net.count) last = graph.count - 1;
        for (; told <= last; ++told) list.add(paths[static_cast<std::size_t>(told)]);
        to.steps[static_cast<std::size_t>(s)].layers = list.text();
    }
}

template <int Capacity> void tell_steps(Report& to, const Problem<Capacity>& problem, const Plan<Capacity>& plan) {
    const Steps<Capacity>& net = problem.net;
    const Lifetimes<Capacity> lives = lifetimes_of(net, problem.keep_all);
    for (int v = 0; v <= net.count; ++v) {
        ReportTensor tensor;
        tensor.shape = v == 0 ? net.input : net.steps[v - 1].op.out;
        tensor.in_arena = plan.value[v] != Plan<Capacity>::outside;
        tensor.place.at = tensor.in_arena ? plan.value[v] * sizeof(float) : 0;
        tensor.place.bytes = net.elems(v) * sizeof(float);
        tensor.first_step = v - 1;
        tensor.last_step = lives.last[v];
        to.tensors.push_back(tensor);
    }
    const auto tensor = [&](int v) -> const ReportTensor& { return to.tensors[static_cast<std::size_t>(v)]; };
    for (int s = 0; s < net.count; ++s) {
        const Step& from = net.steps[s];
        ReportStep step;
        step.kind = (from.permuted.rank == 3 ? "flatten + " : "") + kind_words(from.op);
        if (from.op.kind == OpKind::add) step.kind += " of " + value_words(from.other);
        step.fused = fused_words(from);
        step.in = from.op.in;
        step.out = from.op.out;
        step.input = from.input;
        step.other = from.other;
        step.schedule = plan.schedule[s];
        if (plan.scratch[s] != Plan<Capacity>::outside)
            step.scratch = {plan.scratch[s] * sizeof(float), problem.footprint[s].scratch_elems * sizeof(float)};
        std::vector<ReportRange> ranges{step.scratch, tensor(s + 1).place};
        for (const int v : {step.input, step.other})
            if (v >= 0 && tensor(v).in_arena) ranges.push_back(tensor(v).place);
        step.footprint_bytes = covered(ranges);
        for (int v = 0; v <= s; ++v)
            if (lives.live_at(v, s) && tensor(v).in_arena) ranges.push_back(tensor(v).place);
        step.alive_bytes = covered(ranges);
        to.steps.push_back(step);
    }
}

/// Lines of cells in columns; `sides` says l or r for each column.
class TextTable {
  public:
    explicit TextTable(const char* sides) : sides_(sides), widths_(sides_.size()) {}

    void row(std::vector<std::string> cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (cells[i].size() > widths_[i]) widths_[i] = cells[i].size();
        rows_.push_back(std::move(cells));
    }
    std::string text() const {
        std::string text;
        for (const std::vector<std::string>& cells : rows_) {
            std::string line;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                const std::string gap(widths_[i] - cells[i].size(), ' ');
                line += "  " + (sides_[i] == 'r' ? gap + cells[i] : cells[i] + gap);
            }
            line.resize(line.find_last_not_of(' ') + 1);
            text += line + "\n";
        }
        return text;
    }

  private:
    std::string sides_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> rows_;
};

inline std::string steps_text(const Report& report) {
    TextTable table("rllllllllrr");
    table.row(
        {"step", "layers", "what", "in", "out", "runs", "input at", "output at", "scratch at", "touches", "alive"});
    const auto range = [](const ReportRange& r) { return grouped(r.at) + " + " + grouped(r.bytes); };
    for (std::size_t s = 0; s < report.steps.size(); ++s) {
        const ReportStep& step = report.steps[s];
        const ReportTensor& input = report.tensors[static_cast<std::size_t>(step.input)];
        table.row({std::to_string(s), step.layers, step.what(), extents_words(step.in), extents_words(step.out),
                   schedule_words(step), input.in_arena ? range(input.place) : "caller's",
                   range(report.tensors[s + 1].place), step.scratch.bytes > 0 ? range(step.scratch) : "-",
                   grouped(step.footprint_bytes), grouped(step.alive_bytes)});
    }
    return table.text();
}

inline std::string bounds_text(const Report& report) {
    TextTable table("lrrl");
    const auto row = [&](const char* name, std::size_t bytes, const char* meaning) {
        const double ratio = static_cast<double>(bytes) / static_cast<double>(report.lb1 > 0 ? report.lb1 : 1);
        table.row({name, grouped(bytes), decimal(ratio, 3), meaning});
    };
    table.row({"bound", "bytes", "of LB1", ""});
    row("sum", report.sum, "every tensor its own place");
    row("ping-pong", report.ping_pong, "twice the largest tensor; enough for chains only");
    row("LB0", report.lb0, "most alive at once, no two sharing a byte");
    row("LB0i", report.lb0i, "the same, elementwise layers in place");
    row("LB1", report.lb1, "the same, every output overlapping its input as far as the layer allows");
    row("arena", report.arena, "the plan, scratch and alignment included");
    std::string gap;
    const auto part = [&](long bytes, const char* reason) {
        if (bytes == 0) return;
        gap += (gap.empty() ? "" : ", ") + std::string(bytes < 0 ? "-" : "") +
               grouped(static_cast<std::size_t>(bytes < 0 ? -bytes : bytes)) + " " + reason;
    };
    part(report.gap_rounding, "rounding to cache lines");
    part(report.gap_blocks, "blocks that kernels write before they read on");
    part(report.gap_scratch, "scratch");
    part(report.gap_placement, report.keep_all ? "values kept to the end" : "placement");
    return table.text() + "  arena beyond LB1: " + (gap.empty() ? "nothing" : gap) + "\n";
}

inline std::string text_of(const Report& report) {
    return extents_words(report.input) + " -> " + extents_words(report.output) + " in " +
           std::to_string(report.steps.size()) + (report.steps.size() == 1 ? " step, " : " steps, ") +
           grouped(report.arena) + " bytes of arena, the input in " +
           (report.owns_input ? "it" : "the caller's memory") + (report.keep_all ? ", every value kept" : "") +
           " (all figures in bytes)\n\n" + steps_text(report) + "\n" + bounds_text(report) + "\n  weights " +
           grouped(report.weights) + " bytes, " + grouped(report.macs) + " multiply-adds\n";
}

} // namespace detail

/// A model's plan as values; OwnsInput: that of InPlaceSession, whose input lies in the arena.
template <class M, bool OwnsInput = false> Report report_of() {
    using Planning = typename M::template PlanOf<OwnsInput>;
    Report report;
    report.input = M::Input::extents;
    report.output = M::Output::extents;
    report.owns_input = OwnsInput;
    report.keep_all = M::Policy::keep_all;
    report.arena = Planning::arena_elems * sizeof(float);
    report.weights = M::weight_bytes;
    report.macs = M::macs;
    report.sum = Planning::bounds.sum * sizeof(float);
    report.ping_pong = Planning::bounds.ping_pong * sizeof(float);
    report.lb0 = Planning::bounds.lb0 * sizeof(float);
    report.lb0i = Planning::bounds.lb0i * sizeof(float);
    report.lb1 = Planning::bounds.lb1 * sizeof(float);
    std::vector<std::string> paths;
    detail::LayerWalk<typename M::Module>::into(paths, {});
    detail::tell_steps(report, Planning::problem, Planning::plan);
    detail::name_steps(report, M::Facts::graph, M::Facts::steps, paths);
    detail::explain_gap(report, Planning::problem);
    return report;
}

/// The plan as text: a line a step with its layers, shapes, schedule and places, then the bounds and the arena's
/// distance from them.
/// Memory: allocates; for logs and eyes, not for forward.
template <class M, bool OwnsInput = false> std::string report_text() {
    return detail::text_of(report_of<M, OwnsInput>());
}

} // namespace tarn
