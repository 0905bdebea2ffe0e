// SPDX-License-Identifier: MIT
// Report: a model's plan put into words: what runs, where everything lies, which rows wait, what the bounds are.
// Beside the data's way, for logs and eyes. report_svg.hpp draws the same figures.
// Knows reports only.
#pragma once

#include <tarn/io/report_values.hpp>

namespace tarn {

namespace detail {

/// "up" or "down" the arena, and whether outputs go straight to their places or by blocks through registers or scratch.
inline std::string schedule_words(const ReportTask& task) {
    if (task.rows) return "by rows";
    return std::string(task.schedule.descending ? "down" : "up") + (task.schedule.staged ? ", staged" : ", direct");
}

inline std::string range_words(const ReportRange& range) { return grouped(range.at) + " + " + grouped(range.bytes); }

inline std::string home_words(const ReportStorage& storage) {
    switch (storage.home) {
    case ReportHome::caller:
        return "the caller's memory";
    case ReportHome::ring:
        return "ring of " + std::to_string(storage.held_rows) + " of " + std::to_string(storage.rows) + " rows";
    case ReportHome::arena:
        break;
    }
    return "whole";
}

inline std::string steps_text(const Report& report) {
    TextTable table("rrllllllr");
    table.row({"task", "step", "layers", "what", "in", "out", "reads", "writes", "multiply-adds"});
    int task = -1;
    for (std::size_t s = 0; s < report.steps.size(); ++s) {
        const ReportStep& step = report.steps[s];
        std::string reads = std::to_string(step.reads);
        if (step.also_reads >= 0) reads += ", " + std::to_string(step.also_reads);
        table.row({step.task == task ? "" : std::to_string(step.task), std::to_string(s), step.layers, step.what(),
                   extents_words(step.in), extents_words(step.out), reads,
                   (step.writes_part ? "part of " : "") + std::to_string(step.writes), grouped(step.macs_run)});
        task = step.task;
    }
    std::string text = table.text();
    if (report.never_run.empty()) return text;
    text += "  never run, since nobody reads it:";
    for (const std::string& layer : report.never_run) text += " " + layer;
    return text + "\n";
}

inline std::string storages_text(const Report& report) {
    TextTable table("rlllrlrr");
    table.row({"storage", "what", "shape", "lies", "row", "at + bytes", "whole", "tasks"});
    const int tasks = static_cast<int>(report.tasks.size());
    for (std::size_t v = 0; v < report.storages.size(); ++v) {
        const ReportStorage& s = report.storages[v];
        const bool ring = s.home == ReportHome::ring, unread = s.last_task < s.first_task || s.last_task < 0;
        const std::string from = s.first_task < 0 ? "start" : std::to_string(s.first_task);
        const std::string to = s.last_task >= tasks ? "end" : std::to_string(s.last_task);
        table.row({std::to_string(v), s.what, extents_words(s.shape), home_words(s), ring ? grouped(s.row_bytes) : "",
                   s.home == ReportHome::caller ? "" : range_words(s.place), grouped(s.bytes),
                   unread       ? "never read"
                   : from == to ? from
                                : from + " - " + to});
    }
    return table.text();
}

inline std::string tasks_text(const Report& report) {
    TextTable table("rllrrlrrr");
    table.row({"task", "steps", "runs", "enters", "written", "scratch or rings", "shared", "alive", "multiply-adds"});
    for (std::size_t t = 0; t < report.tasks.size(); ++t) {
        const ReportTask& task = report.tasks[t];
        table.row({std::to_string(t), span_words(task.first, task.last), schedule_words(task),
                   grouped(task.entering_bytes), grouped(task.born_bytes),
                   task.scratch.bytes > 0 ? range_words(task.scratch) : "-", grouped(task.shared_bytes()),
                   grouped(task.alive_bytes), grouped(task.macs_run)});
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
    row("LB0", report.lb0, "most alive at once, tensors whole, no two sharing a byte");
    row("LB0i", report.lb0i, "the same, elementwise layers in place");
    row("LB1", report.lb1, "the same, every output overlapping its input as far as the layer allows");
    row("arena", report.arena, "the plan, with scratch, rings and alignment");
    return table.text();
}

/// What the arena is full of when it is fullest.
inline std::string peak_text(const Report& report) {
    if (report.tasks.empty()) return {};
    const ReportTask& task = report.tasks[static_cast<std::size_t>(report.peak_task())];
    std::string parts;
    const auto part = [&](std::size_t bytes, const char* joint, const char* what) {
        if (bytes > 0) parts += (parts.empty() ? "" : joint) + grouped(bytes) + " " + what;
    };
    part(task.entering_bytes, "", "there before it");
    part(task.born_bytes, ", ", "written");
    part(task.scratch.bytes, ", ", task.rows ? "of rings" : "of scratch");
    part(task.shared_bytes(), ", less ", "in which output lies over input");
    return "  fullest in task " + std::to_string(report.peak_task()) + ": " + grouped(task.alive_bytes) + " of " +
           grouped(report.arena) + " bytes: " + parts + "\n";
}

inline std::string ports_words(const std::vector<ReportPort>& ports) {
    std::string words;
    for (const ReportPort& port : ports) words += (words.empty() ? "" : ", ") + extents_words(port.shape);
    return words;
}

/// "5 steps in 3 tasks, 2 of them by rows", "4 steps in 1 task, by rows".
inline std::string count_words(const Report& report) {
    std::string words = counted(report.steps.size(), "step") + " in " + counted(report.tasks.size(), "task");
    if (report.segments() > 0)
        words += report.tasks.size() == 1 ? ", by rows" : ", " + std::to_string(report.segments()) + " of them by rows";
    return words;
}

inline std::string text_of(const Report& report) {
    const std::string inputs = report.inputs.size() > 1 ? "the inputs in " : "the input in ";
    return ports_words(report.inputs) + " -> " + ports_words(report.outputs) + ": " + grouped(report.arena) +
           " bytes of arena, " + inputs + (report.owns_input ? "it" : "the caller's memory") +
           (report.keep_all ? ", every step's output kept" : "") + "\n" + count_words(report) +
           "; all sizes in bytes\n\n" + steps_text(report) + "\n" + storages_text(report) + "\n" + tasks_text(report) +
           "\n" + bounds_text(report) + peak_text(report) + "\n  weights " + grouped(report.weights) +
           " bytes; multiply-adds: " + grouped(report.macs) + " needed, " + grouped(report.macs_run) + " run\n";
}

} // namespace detail

/// The plan as text. First the steps: their layers, shapes, and the storages they read and write. Then the storages:
/// whole, a ring of rows, or in the caller's memory, and where; the tasks and what each holds of the arena; the bounds.
/// Memory: allocates; for logs and eyes, not for forward.
template <class M, bool OwnsInput = false> std::string report_text() {
    return detail::text_of(report_of<M, OwnsInput>());
}

} // namespace tarn
