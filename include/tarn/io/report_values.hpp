// SPDX-License-Identifier: MIT
// A model's plan as values for people: what runs, in which storage everything lies, which rows wait in rings.
// Beside the data's way: reads the plan of a Model at run time. report.hpp says it in words, report_svg.hpp draws it.
// Knows models and plans; nothing of weights' values.
#pragma once

#include <tarn/io/names.hpp>
#include <tarn/io/report_words.hpp>
#include <tarn/run/model.hpp>

namespace tarn {

/// A stretch of the arena, in bytes.
struct ReportRange {
    std::size_t at = 0, bytes = 0;
};

/// Where a storage lies.
enum class ReportHome {
    arena,  ///< whole, in the arena
    ring,   ///< in a segment's block, a few rows at a time
    caller, ///< in the caller's memory
};

/// What steps read and write: one tensor, or several that are made side by side for a concat.
struct ReportStorage {
    ReportHome home = ReportHome::arena;
    std::string what; ///< "input", "step 3", "concat of steps 3 and 5"
    Extents shape{};
    std::size_t bytes = 0;             ///< of all its rows
    ReportRange place{};               ///< in the arena: all of it, or the rows of its ring
    int rows = 0, held_rows = 0;       ///< a ring: rows in all, and how many are there at once
    std::size_t row_bytes = 0;         ///< a ring: from one row to the next
    std::vector<int> writers;          ///< steps
    int first_step = 0, last_step = 0; ///< both included; -1: there at the start; the step count: kept to the end
    int first_task = 0, last_task = 0; ///< likewise, -1 and the task count
};

/// One step: a layer and what was fused into it.
struct ReportStep {
    std::string layers;             ///< paths of the layers it covers, as in parameter names: "3.body.0-2, 3"
    std::string kind;               ///< "conv 3x3 /2"
    std::vector<std::string> fused; ///< "batch norm", "relu", "add of step 2"
    Extents in{}, out{};
    int task = 0;
    int reads = 0, also_reads = -1, writes = 0; ///< storages
    bool writes_part = false;                   ///< of its storage: a concat's
    std::size_t macs = 0;                       ///< multiply-adds of its output, the padding's zeros counted
    std::size_t macs_run = 0;                   ///< of the rows it makes, likewise

    /// "conv 3x3 + batch norm + relu".
    std::string what() const {
        std::string words = kind;
        for (const std::string& part : fused) words += " + " + part;
        return words;
    }
};

/// What runs at a time: a step whole, or a segment of steps row by row.
struct ReportTask {
    int first = 0, last = 0; ///< steps, both included
    bool rows = false;
    Schedule schedule{};            ///< of a step run whole
    int eaten = -1, eater = -1;     ///< storages: one that ends here, and the one written over it
    ReportRange scratch{};          ///< a kernel's scratch, or the block of all rings
    std::vector<int> rings;         ///< storages
    std::size_t entering_bytes = 0; ///< of storages in the arena when it begins
    std::size_t born_bytes = 0;     ///< of storages that it places whole in the arena
    std::size_t alive_bytes = 0;    ///< bytes of the arena that hold any of them, or scratch or rings
    std::size_t macs = 0, macs_run = 0;

    /// Bytes counted twice: an output lies over what it is made from.
    std::size_t shared_bytes() const noexcept { return entering_bytes + born_bytes + scratch.bytes - alive_bytes; }
};

/// An input or output of the network.
struct ReportPort {
    Extents shape{};
    int storage = 0;
};

/// A model's plan as values. All sizes in bytes.
struct Report {
    std::vector<ReportPort> inputs, outputs;
    bool owns_input = false, keep_all = false;
    std::vector<ReportStep> steps;
    std::vector<ReportStorage> storages;
    std::vector<ReportTask> tasks;
    std::vector<std::string> never_run; ///< layers whose values nobody reads; they take no step and no memory
    std::size_t arena = 0, weights = 0;
    std::size_t macs = 0, macs_run = 0; ///< multiply-adds that the outputs' shapes ask for, and that the plan runs
    std::size_t sum = 0, ping_pong = 0, lb0 = 0, lb0i = 0, lb1 = 0;

    std::size_t segments() const noexcept {
        std::size_t count = 0;
        for (const ReportTask& task : tasks) count += task.rows ? 1 : 0;
        return count;
    }
    /// The task that holds most of the arena, the first of equals; -1 when nothing runs.
    int peak_task() const noexcept {
        int peak = -1;
        for (std::size_t t = 0; t < tasks.size(); ++t)
            if (peak < 0 || tasks[t].alive_bytes > tasks[static_cast<std::size_t>(peak)].alive_bytes)
                peak = static_cast<int>(t);
        return peak;
    }
};

namespace detail {

/// Paths of layers, in the order plan/flatten makes nodes of them; a residual's sum has the residual's own.
class LayerPaths : public ModulePath {
  public:
    template <class Module> int node(int) {
        paths.push_back(path());
        return 0;
    }
    template <class Module> int join(const int*, int) { return node<Module>(0); }

    std::vector<std::string> paths;
};
template <class Net, class In> std::vector<std::string> layer_paths() {
    LayerPaths visitor;
    Values values = input_values(InputShapes<In>::count);
    for (int i = 1; i < values.count; ++i) visitor.paths.emplace_back(); // nodes of further inputs are no layers
    Walk<Net>::into(visitor, values);
    return std::move(visitor.paths);
}

/// Which layers each step covers, and which are never run.
template <class G, int Capacity> class LayerNames {
  public:
    LayerNames(const G& graph, const Steps<Capacity>& net, const std::vector<std::string>& paths)
        : graph_(graph), owner_(static_cast<std::size_t>(graph.count), -1), needed_(owner_.size() + 1, false) {
        for (int i = 0; i < graph.output_count; ++i) needed_[index(graph.outputs[i])] = true;
        for (int i = graph.count; i-- > 0;)
            if (needed_[index(i + 1)]) for_read(i, [&](int value) { needed_[index(value)] = true; });
        for (int s = 0; s < net.count; ++s) {
            const Step& step = net.steps[s];
            if (!made_by_planner(step.op)) follow(s, step.first_node, step.last_node);
        }
        // What became no step, as a flatten or a concat, is told with the step after it.
        for (int i = 0; i < graph.count; ++i) {
            if (owner_[index(i)] >= 0 || graph.nodes[i].op.kind == OpKind::input) continue;
            int s = 0;
            while (s + 1 < net.count && net.steps[s].first_node < i) ++s;
            if (needed_[index(i + 1)])
                owner_[index(i)] = s;
            else
                never_run.push_back(paths[index(graph.nodes[i].written)]);
        }
        std::vector<PathList> lists(static_cast<std::size_t>(net.count));
        for (std::size_t i = 0; i < owner_.size() && net.count > 0; ++i)
            if (owner_[i] >= 0) lists[index(owner_[i])].add(paths[index(graph.nodes[i].written)]);
        for (const PathList& list : lists) layers.push_back(list.text());
    }

    std::vector<std::string> layers; ///< by step
    std::vector<std::string> never_run;

  private:
    static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
    static bool made_by_planner(const Op& op) noexcept {
        return op.kind == OpKind::copy || op.kind == OpKind::flatten_pytorch;
    }
    template <class F> void for_read(int node, const F& f) const {
        const Node& n = graph_.nodes[node];
        if (n.op.kind == OpKind::input) return;
        if (n.op.kind != OpKind::concat) f(n.input);
        if (n.other >= 0) f(n.other);
        for (int e = 0; e < n.edge_count; ++e) f(graph_.edges[n.first_edge + e]);
    }
    /// A step's nodes are a chain: nobody else reads what lies between them.
    void follow(int step, int first, int last) {
        owner_[index(first)] = step;
        int value = first + 1;
        for (int i = first + 1; i <= last; ++i) {
            bool reads = false;
            if (needed_[index(i + 1)]) for_read(i, [&](int read) { reads = reads || read == value; });
            if (!reads) continue;
            owner_[index(i)] = step;
            value = i + 1;
        }
    }

    const G& graph_;
    std::vector<int> owner_; // by node
    std::vector<bool> needed_;
};

/// Counts the rows that each step of a segment makes, pulling them as run/rows.hpp does: a row that nobody reads, as
/// the last ones under a stride may be, is not made.
template <int Capacity> class RowsMade {
  public:
    RowsMade(const Steps<Capacity>& net, const Links& links, const SegmentFacts& facts) : net_(net), links_(links) {
        const int driver = links.driver;
        for (int row = 0; row < rows(driver); ++row) {
            ensure(driver, row);
            for (int s = 0; s < links.count; ++s)
                if (has(links.sinks, s) && s != driver) ensure(s, (row + 1) * rows(s) / rows(driver) - 1);
        }
        for (int s = 0; s < links.count; ++s)
            if (facts.ring_of(op_step(s).out.storage) < 0) ensure(s, rows(s) - 1);
    }
    int of(int step) const noexcept { return made_[step]; }

  private:
    const Step& op_step(int s) const noexcept { return net_.steps[links_.first + s]; }
    int rows(int s) const noexcept { return row_count(op_step(s).op.out); }
    void ensure(int s, int row) {
        while (made_[s] <= row) make(s);
    }
    void ensure_all(std::uint32_t steps, int row) {
        for (int s = 0; s < links_.count; ++s)
            if (has(steps, s)) ensure(s, row);
    }
    void make(int s) {
        const Op& op = op_step(s).op;
        const TapRange range = tap_range(op, made_[s]);
        for (int t = range.begin; t < range.end; ++t)
            ensure_all(links_.in_from[s], static_cast<int>(tap_row(op, made_[s], t)));
        ensure_all(links_.other_from[s], op.broadcast ? 0 : made_[s]);
        ++made_[s];
    }

    const Steps<Capacity>& net_;
    const Links& links_;
    int made_[max_segment] = {};
};

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

/// Writes a plan into a Report.
template <int Capacity> class PlanTeller {
  public:
    PlanTeller(Report& to, const Problem<Capacity>& problem, const Plan<Capacity>& plan,
               std::vector<const Links*> links, std::vector<const SegmentFacts*> segments)
        : to_(to), p_(problem), plan_(plan), links_(std::move(links)), segments_(std::move(segments)) {
        for (int i = 0; i < net().input_count; ++i)
            to_.inputs.push_back({net().inputs[i].extents, net().inputs[i].view.storage});
        for (int i = 0; i < net().output_count; ++i)
            to_.outputs.push_back({net().outputs[i].extents, net().outputs[i].view.storage});
        for (int t = 0; t < p_.task_count; ++t)
            for (int s = p_.tasks[t].first; s <= p_.tasks[t].last; ++s) task_of_.push_back(t);
        for (int v = 0; v < net().storage_count; ++v) tell_storage(v);
        for (int s = 0; s < net().count; ++s) tell_step(s);
        for (int t = 0; t < p_.task_count; ++t) tell_task(t);
    }

  private:
    static constexpr std::size_t element = sizeof(float);
    const Steps<Capacity>& net() const noexcept { return p_.net; }
    ReportStorage& storage(int v) noexcept { return to_.storages[static_cast<std::size_t>(v)]; }
    const SegmentFacts& facts(int task) const noexcept { return *segments_[static_cast<std::size_t>(task)]; }
    int task_at(int step) const noexcept {
        return step < 0 ? -1 : step >= net().count ? p_.task_count : task_of_[static_cast<std::size_t>(step)];
    }

    void tell_storage(int v) {
        ReportStorage told;
        for (int s = 0; s < net().count; ++s)
            if (net().steps[s].out.storage == v) told.writers.push_back(s);
        told.bytes = net().storage[v] * element;
        told.shape = shape_of(v, told.writers);
        told.what = net().is_input(v)          ? input_words(v)
                    : told.writers.size() == 1 ? "step " + listed(told.writers)
                                               : "concat of steps " + listed(told.writers);
        told.first_step = p_.lives.birth[v];
        told.last_step = p_.lives.death[v];
        told.first_task = task_at(told.first_step);
        told.last_task = task_at(told.last_step);
        const bool one_task = told.first_task == told.last_task && told.first_task >= 0;
        const int task = told.first_task;
        if (one_task && p_.tasks[task].rows && facts(task).ring_of(v) >= 0) {
            const int k = facts(task).ring_of(v);
            const RowView rows = out_rows(net().steps[told.writers.front()]);
            told.home = ReportHome::ring;
            told.rows = rows.rows;
            told.row_bytes = rows.stride * element;
            told.held_rows = facts(task).ring_rows[k];
            told.place = {(plan_.scratch[task] + facts(task).ring_at[k]) * element,
                          static_cast<std::size_t>(told.held_rows) * told.row_bytes};
        } else if (plan_.storage[v] == Plan<Capacity>::outside) {
            told.home = ReportHome::caller;
        } else {
            told.place = {plan_.storage[v] * element, told.bytes};
        }
        to_.storages.push_back(std::move(told));
    }
    std::string input_words(int v) const { return net().input_count > 1 ? "input " + std::to_string(v) : "input"; }
    /// The shape under which a storage is all of its elements.
    Extents shape_of(int v, const std::vector<int>& writers) const {
        const std::size_t elems = net().storage[v];
        if (net().is_input(v)) return net().inputs[v].extents;
        const Op& op = net().steps[writers.front()].op;
        const Extents wide = op.out_pitch > 0 ? op.out.with_last(op.out_pitch) : op.out;
        Extents high = wide;
        high.set(0, static_cast<int>(elems * static_cast<std::size_t>(wide[0]) / wide.elems()));
        return high.elems() == elems ? high : extents_of(static_cast<int>(elems));
    }

    /// Who made what a step reads: "input", "step 3", "steps 3 and 5".
    std::string source_words(const View& view, const Extents& extents, int pitch, int reader) const {
        std::vector<int> makers;
        for (int s = 0; s < reader; ++s) {
            const Step& maker = net().steps[s];
            if (views_meet(maker.out, maker.op.out, maker.op.out_pitch, view, extents, pitch)) makers.push_back(s);
        }
        if (makers.empty()) return input_words(view.storage);
        return (makers.size() > 1 ? "steps " : "step ") + listed(makers);
    }

    void tell_step(int s) {
        const Step& from = net().steps[s];
        ReportStep step;
        step.kind = (from.permuted.rank == 3 ? "flatten + " : "") + kind_words(from.op);
        std::string other;
        if (from.other)
            other = source_words(from.other, from.op.broadcast ? extents_of(from.op.out.last()) : from.op.out,
                                 from.op.other_pitch, s);
        if (from.op.kind == OpKind::add || from.op.kind == OpKind::mul) step.kind += " of " + other;
        if (from.norm >= 0 && from.op.kind != OpKind::batch_norm) step.fused.push_back("batch norm");
        if (from.op.add && from.op.kind != OpKind::add) step.fused.push_back("add of " + other);
        if (from.op.act != Activation::none && from.op.kind != OpKind::activation)
            step.fused.push_back(activation_words(from.op.act));
        step.in = from.op.in;
        step.out = from.op.out;
        step.task = task_at(s);
        step.reads = from.in.storage;
        step.also_reads = from.other.storage;
        step.writes = from.out.storage;
        step.writes_part = from.op.out.elems() != net().storage[from.out.storage];
        step.macs = step.macs_run = macs_of(from.op);
        to_.steps.push_back(std::move(step));
    }

    void tell_task(int t) {
        const Task& from = p_.tasks[t];
        ReportTask task;
        task.first = from.first;
        task.last = from.last;
        task.rows = from.rows;
        task.schedule = plan_.schedule[t];
        if (plan_.scratch[t] != Plan<Capacity>::outside)
            task.scratch = {plan_.scratch[t] * element,
                            element *
                                (task.schedule.staged ? from.footprint.scratch_elems : from.footprint.direct_scratch)};
        std::vector<ReportRange> ranges{task.scratch};
        for (int v = 0; v < net().storage_count; ++v) {
            const ReportStorage& s = storage(v);
            if (s.home == ReportHome::ring && s.first_task == t) task.rings.push_back(v);
            if (s.home != ReportHome::arena || s.first_task > t || s.last_task < t) continue;
            ranges.push_back(s.place);
            (s.first_task == t ? task.born_bytes : task.entering_bytes) += s.bytes;
        }
        task.alive_bytes = covered(ranges);
        if (from.out >= 0) tell_eaten(task, from);
        if (from.rows) count_rows(t);
        for (int s = from.first; s <= from.last; ++s) {
            task.macs += to_.steps[static_cast<std::size_t>(s)].macs;
            task.macs_run += to_.steps[static_cast<std::size_t>(s)].macs_run;
        }
        to_.macs_run += task.macs_run;
        to_.tasks.push_back(std::move(task));
    }
    void tell_eaten(ReportTask& task, const Task& from) {
        const ReportRange& out = storage(from.out).place;
        for (const int v : {from.in, from.exact}) {
            if (v < 0) continue;
            const ReportRange& in = storage(v).place;
            if (in.at < out.at + out.bytes && out.at < in.at + in.bytes) task.eaten = v, task.eater = from.out;
        }
    }
    void count_rows(int t) {
        const Links& links = *links_[static_cast<std::size_t>(t)];
        const RowsMade<Capacity> made(net(), links, facts(t));
        for (int i = 0; i < links.count; ++i)
            to_.steps[static_cast<std::size_t>(links.first + i)].macs_run =
                static_cast<std::size_t>(made.of(i)) * macs_of(row_form(net().steps[links.first + i].op));
    }

    Report& to_;
    const Problem<Capacity>& p_;
    const Plan<Capacity>& plan_;
    std::vector<const Links*> links_;           // by task; of those by rows alone they say anything
    std::vector<const SegmentFacts*> segments_; // likewise
    std::vector<int> task_of_;                  // by step
};

/// Which links and facts belong to task T; null where it runs whole.
template <class Planning, int... T> void tell_plan(Report& to, std::integer_sequence<int, T...>) {
    std::vector<const Links*> links;
    std::vector<const SegmentFacts*> segments;
    [[maybe_unused]] const auto take = [&]<int Task>(std::integral_constant<int, Task>) {
        if constexpr (Planning::choice.rows[Task]) {
            links.push_back(&Planning::template links<Task>);
            segments.push_back(&Planning::template segment<Task>);
        } else {
            links.push_back(nullptr);
            segments.push_back(nullptr);
        }
    };
    [[maybe_unused]] const int taken[] = {0, (take(std::integral_constant<int, T>{}), 0)...};
    PlanTeller<Planning::room>(to, Planning::problem, Planning::plan, std::move(links), std::move(segments));
}

} // namespace detail

/// A model's plan as values; OwnsInput: that of InPlaceSession, whose input lies in the arena.
template <class M, bool OwnsInput = false> Report report_of() {
    using Planning = typename M::template PlanOf<OwnsInput>;
    Report report;
    report.owns_input = OwnsInput;
    report.keep_all = M::Policy::wish.keep_all;
    report.arena = Planning::arena_elems * sizeof(float);
    report.weights = M::weight_bytes;
    report.macs = M::macs;
    report.sum = Planning::bounds.sum * sizeof(float);
    report.ping_pong = Planning::bounds.ping_pong * sizeof(float);
    report.lb0 = Planning::bounds.lb0 * sizeof(float);
    report.lb0i = Planning::bounds.lb0i * sizeof(float);
    report.lb1 = Planning::bounds.lb1 * sizeof(float);
    detail::tell_plan<Planning>(report, std::make_integer_sequence<int, Planning::task_count>{});
    detail::LayerNames<std::remove_cvref_t<decltype(M::Facts::graph)>, Planning::room> names(
        M::Facts::graph, Planning::steps, detail::layer_paths<typename M::Module, typename M::Input>());
    for (std::size_t s = 0; s < report.steps.size(); ++s) report.steps[s].layers = names.layers[s];
    report.never_run = std::move(names.never_run);
    return report;
}

} // namespace tarn
