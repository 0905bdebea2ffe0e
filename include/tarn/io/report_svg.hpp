// SPDX-License-Identifier: MIT
// The plan as a picture: the arena's bytes upwards, the steps from left to right, a shape for every storage.
// Beside report.hpp, whose figures it draws. An SVG without scripts or fonts of its own, for READMEs.
// Knows reports only.
#pragma once

#include <tarn/io/report.hpp>
#include <tarn/io/svg_writer.hpp>

namespace tarn {

namespace detail {

/// Draws one report.
class ReportDrawing {
  public:
    ReportDrawing(const Report& report, const std::string& name) : r_(report), name_(name) { measure(); }

    std::string svg() {
        SvgWriter body;
        body.rect(0, 0, width, height_, "fill=\"#ffffff\"");
        draw_title(body);
        draw_axes(body);
        draw_segments(body);
        draw_boxes(body);
        draw_bounds(body);
        if (wide_)
            draw_columns(body);
        else
            draw_table(body);
        draw_legend(body);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 " + decimal(height_, 0) +
               "\" width=\"900\" height=\"" + decimal(height_, 0) +
               "\" font-family=\"-apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\" "
               "font-size=\"12\" fill=\"#1f2328\">\n<title>" +
               escaped(heading()) +
               "</title>\n<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
               "patternTransform=\"rotate(45)\"><path d=\"M0 0V5\" stroke=\"#57606a\" stroke-width=\"2\"/></pattern>"
               "</defs>\n" +
               body.take() + "</svg>\n";
    }

  private:
    static constexpr double width = 900, left = 66, right = 716, top = 96, plot_height = 340;
    static constexpr double char_width = 0.6; ///< of the font's size: the widest of the fonts asked for
    static constexpr double row_height = 17, wide_column = 92, wide_gutter = 84;

    struct Bound {
        std::vector<std::string> names; ///< of equal bounds
        std::size_t bytes;
        const char* colour;
    };
    using Choices = std::vector<std::vector<std::string>>; ///< of lines to write, the longest first

    void measure() {
        const double steps = static_cast<double>(r_.steps.size()), gutters = r_.owns_input ? 2 : 1;
        gutter_ = wide_gutter;
        column_ = (right - left - gutters * gutter_) / (steps > 0 ? steps : 1);
        wide_ = column_ >= wide_column;
        if (!wide_) column_ = (right - left) / (steps + 0.5 * gutters), gutter_ = 0.5 * column_;
        const Bound all[] = {{{"LB1"}, r_.lb1, "#1a7f37"},
                             {{"LB0"}, r_.lb0, "#bc4c00"},
                             {{"LB0i"}, r_.lb0i, "#9a6700"},
                             {{"ping-pong"}, r_.ping_pong, "#8250df"},
                             {{"sum of tensors"}, r_.sum, "#57606a"}};
        const std::size_t scale = r_.arena > 0 ? r_.arena : 1;
        bounds_.push_back({{"arena"}, r_.arena, "#0550ae"});
        std::size_t highest = scale;
        for (const Bound& bound : all) {
            if (bound.bytes > scale * 9 / 4) {
                beyond_ += (beyond_.empty() ? "" : ", ") + bound.names[0] + " " + grouped(bound.bytes) + " B (" +
                           decimal(static_cast<double>(bound.bytes) / static_cast<double>(scale), 1) + " times)";
                continue;
            }
            if (bound.bytes > highest) highest = bound.bytes;
            bool merged = false;
            for (Bound& drawn : bounds_)
                if (drawn.bytes == bound.bytes && !merged) drawn.names.push_back(bound.names[0]), merged = true;
            if (!merged) bounds_.push_back(bound);
        }
        pixels_ = (plot_height - 6) / static_cast<double>(highest);
        bottom_ = top + plot_height;
        std::size_t lines = 0;
        for (const ReportStep& step : r_.steps) lines = step.fused.size() > lines ? step.fused.size() : lines;
        const double table = wide_ ? 4 * 15 + static_cast<double>(lines) * 15 : (steps + 1) * row_height + 18;
        legend_ = bottom_ + 38 + table;
        write_legend();
        height_ = legend_ + 28 + 17 * static_cast<double>(legend_lines_.size());
    }

    double y_of(std::size_t bytes) const noexcept { return bottom_ - static_cast<double>(bytes) * pixels_; }
    /// Left edge of a step's column; -1 is the owned input's gutter, the step count the result's.
    double x_of(int step) const noexcept {
        if (step < 0) return left;
        return left + (r_.owns_input ? gutter_ : 0.0) + static_cast<double>(step) * column_;
    }
    const ReportTask& task(int t) const noexcept { return r_.tasks[static_cast<std::size_t>(t)]; }
    int task_count() const noexcept { return static_cast<int>(r_.tasks.size()); }
    double begin_of(int t) const noexcept {
        return t < 0 ? left : x_of(t < task_count() ? task(t).first : step_count());
    }
    double end_of(int t) const noexcept { return t < 0 ? x_of(0) : t >= task_count() ? right : x_of(task(t).last + 1); }
    int step_count() const noexcept { return static_cast<int>(r_.steps.size()); }
    static double text_width(const std::string& words, double size) noexcept {
        return static_cast<double>(words.size()) * char_width * size;
    }
    static const char* fill_of(std::size_t value) noexcept {
        static constexpr const char* fills[] = {"#54aeff", "#ffb77c", "#6fdd8b", "#c297ff",
                                                "#ff9bce", "#5fd4d0", "#eac54f"};
        return fills[value % 7];
    }
    static const char* stroke_of(std::size_t value) noexcept {
        static constexpr const char* strokes[] = {"#0969da", "#bc4c00", "#1a7f37", "#8250df",
                                                  "#bf3989", "#0f7b76", "#9a6700"};
        return strokes[value % 7];
    }
    static std::string paint(std::size_t storage, const char* opacity) {
        return "fill=\"" + std::string(fill_of(storage)) + "\" fill-opacity=\"" + opacity + "\" stroke=\"" +
               stroke_of(storage) + "\"";
    }

    std::string heading() const {
        return (name_.empty() ? "" : name_ + ": ") + grouped(r_.arena) + " bytes for everything";
    }

    void draw_title(SvgWriter& to) const {
        to.text(20, 30, heading(), "font-size=\"18\" font-weight=\"600\"");
        std::size_t inputs = 0;
        for (const ReportPort& port : r_.inputs) inputs += port.shape.elems() * sizeof(float);
        const std::string words = ports_words(r_.inputs) + " \xE2\x86\x92 " + ports_words(r_.outputs) + ": " +
                                  count_words(r_) + (r_.inputs.size() > 1 ? ". Inputs (" : ". Input (") +
                                  grouped(inputs) + " B) in " + (r_.owns_input ? "the arena" : "the caller's memory") +
                                  ". Weights " + grouped(r_.weights) + " B, " + grouped(r_.macs_run) +
                                  " multiply-adds.";
        double size = 12;
        while (size > 9 && text_width(words, size) > width - 20) size -= 0.5;
        to.text(20, 51, words, "fill=\"#57606a\" font-size=\"" + decimal(size, 1) + "\"");
    }

    void draw_axes(SvgWriter& to) const {
        to.rect(left, y_of(r_.arena), right - left, bottom_ - y_of(r_.arena), "class=\"arena\" fill=\"#eef4fb\"");
        const double range = plot_height / pixels_;
        std::size_t tick = 64;
        while (range / static_cast<double>(tick) > 9) tick *= 2;
        const bool kib = tick >= 1024;
        to.open("fill=\"#57606a\" font-size=\"11\" text-anchor=\"end\"");
        for (std::size_t at = 0; static_cast<double>(at) <= range; at += tick) {
            to.line(left, y_of(at), right, y_of(at), "stroke=\"#d0d7de\" stroke-width=\"0.6\"");
            to.text(left - 6, y_of(at) + 4, kib ? grouped(at / 1024) + (at > 0 ? " KiB" : "") : grouped(at));
        }
        to.close();
        for (int t = 0; t <= task_count(); ++t)
            to.line(begin_of(t), top, begin_of(t), bottom_, "stroke=\"#d0d7de\" stroke-width=\"0.6\"");
    }

    /// A band behind every segment, with a bracket over it.
    void draw_segments(SvgWriter& to) const {
        for (int t = 0; t < task_count(); ++t) {
            if (!task(t).rows) continue;
            const double x = begin_of(t), wide = end_of(t) - x;
            const std::string steps = span_words(task(t).first, task(t).last);
            to.rect(x, top, wide, plot_height, "class=\"segment\" fill=\"#bf8700\" fill-opacity=\"0.07\"",
                    "task " + std::to_string(t) + ": steps " + steps + " row by row, rings of " +
                        grouped(task(t).scratch.bytes) + " bytes at " + grouped(task(t).scratch.at));
            to.line(x + 2, top - 5, x + wide - 2, top - 5, "stroke=\"#9a6700\" stroke-width=\"2\"");
            const std::string choices[] = {"steps " + steps + " row by row", steps + " by rows", steps};
            for (const std::string& words : choices) {
                if (text_width(words, 11) > wide + 4) continue;
                to.text(x + 0.5 * wide, top - 11, words, "text-anchor=\"middle\" font-size=\"11\" fill=\"#9a6700\"");
                break;
            }
        }
    }

    void draw_boxes(SvgWriter& to) const {
        for (std::size_t v = 0; v < r_.storages.size(); ++v)
            if (r_.storages[v].home == ReportHome::arena) draw_storage(to, v);
        for (int t = 0; t < task_count(); ++t) {
            if (!task(t).rows && task(t).scratch.bytes > 0) draw_scratch(to, t);
            for (const int v : task(t).rings) draw_ring(to, static_cast<std::size_t>(v));
        }
        // Texts last, so that no shape lies on one.
        for (std::size_t v = 0; v < r_.storages.size(); ++v)
            if (r_.storages[v].home == ReportHome::arena) label_storage(to, v);
    }

    /// A storage's outline: it grows while its one writer runs, and is eaten by the output that is written over it.
    struct Outline {
        double begin, grown, eating, end; ///< grown is begin where it does not grow, eating end where it is not eaten
        bool grows, eaten;
    };
    Outline outline_of(std::size_t v) const noexcept {
        const ReportStorage& s = r_.storages[v];
        Outline o{};
        o.begin = begin_of(s.first_task) + 1;
        o.end = end_of(s.last_task < s.first_task ? s.first_task : s.last_task) - 1;
        o.grows = s.first_task >= 0 && s.writers.size() == 1;
        o.grown = o.grows ? end_of(s.first_task) : o.begin;
        o.eaten = s.last_task >= 0 && s.last_task < task_count() && task(s.last_task).eaten == static_cast<int>(v);
        o.eating = o.eaten ? begin_of(s.last_task) : o.end;
        if (o.grown > o.end) o.grown = o.end;
        return o;
    }

    void draw_storage(SvgWriter& to, std::size_t v) const {
        const ReportStorage& s = r_.storages[v];
        const Outline o = outline_of(v);
        const double low = y_of(s.place.at), high = y_of(s.place.at + s.place.bytes);
        const bool down = o.grows && task(s.first_task).schedule.descending;
        std::vector<SvgPoint> points{{o.begin, down ? high : low}};
        if (!o.grows || !down) points.push_back({o.grown, high});
        const bool from_above = o.eaten && task(s.last_task).schedule.descending;
        points.push_back({from_above ? o.eating : o.end, high});
        points.push_back({o.eaten && !from_above ? o.eating : o.end, low});
        if (down) points.push_back({o.grown, low});
        to.outline(points, "class=\"storage\" stroke-width=\"1.3\" stroke-linejoin=\"round\" " + paint(v, "0.55"),
                   "storage " + std::to_string(v) + ": " + words_of(s) + ", " + extents_words(s.shape) + ", " +
                       grouped(s.bytes) + " bytes at " + grouped(s.place.at) + ", " + life_words(s));
    }
    std::string words_of(const ReportStorage& s) const {
        return s.writers.size() == 1 ? s.what + ", " + r_.steps[static_cast<std::size_t>(s.writers[0])].what() : s.what;
    }
    std::string life_words(const ReportStorage& s) const {
        const std::string from = s.first_task < 0 ? "there at the start" : "from task " + std::to_string(s.first_task);
        if (s.last_task >= task_count()) return from + ", kept to the end";
        if (s.last_task < 0) return from + ", never read";
        return from + ", last needed in task " + std::to_string(s.last_task);
    }

    void draw_ring(SvgWriter& to, std::size_t v) const {
        const ReportStorage& s = r_.storages[v];
        const double x = begin_of(s.first_task) + 2, wide = end_of(s.first_task) - 2 - x;
        const double high = static_cast<double>(s.place.bytes) * pixels_, y = y_of(s.place.at + s.place.bytes);
        to.rect(x, y, wide, high > 1.0 ? high : 1.0, "class=\"ring\" rx=\"1.5\" stroke-width=\"1\" " + paint(v, "0.3"),
                "storage " + std::to_string(v) + ": " + words_of(s) + ", a ring of " + std::to_string(s.held_rows) +
                    " of " + std::to_string(s.rows) + " rows of " + grouped(s.row_bytes) + " bytes, " +
                    grouped(s.place.bytes) + " bytes at " + grouped(s.place.at));
        const double row = high / s.held_rows;
        for (int i = 1; i < s.held_rows && row >= 3; ++i)
            to.line(x, y + row * i, x + wide, y + row * i,
                    "stroke=\"" + std::string(stroke_of(v)) + "\" stroke-width=\"0.6\" stroke-dasharray=\"2 3\"");
        const std::string number = s.writers.size() == 1 ? std::to_string(s.writers[0]) : listed(s.writers);
        const std::string rows = std::to_string(s.held_rows), bytes = grouped(s.row_bytes);
        fit(to, x + 0.5 * wide, wide - 4, s.place,
            {{(s.writers.size() == 1 ? "ring of step " : "ring of steps ") + number + ": " + rows +
              (s.held_rows == 1 ? " row" : " rows") + " x " + bytes + " B"},
             {number + ": " + rows + " x " + bytes},
             {number}},
            true);
    }

    void draw_scratch(SvgWriter& to, int t) const {
        const ReportRange& place = task(t).scratch;
        const double high = static_cast<double>(place.bytes) * pixels_;
        to.rect(begin_of(t) + 2, y_of(place.at + place.bytes), column_ - 4, high > 1.5 ? high : 1.5,
                "class=\"scratch\" rx=\"2\" fill=\"url(#hatch)\" fill-opacity=\"0.7\" stroke=\"#57606a\"",
                "scratch of task " + std::to_string(t) + ", " + grouped(place.bytes) + " bytes at " +
                    grouped(place.at));
        if (wide_)
            fit(to, begin_of(t) + 0.5 * column_, column_ - 8, place, {{"scratch " + grouped(place.bytes) + " B"}},
                false);
    }

    void label_storage(SvgWriter& to, std::size_t v) const {
        const ReportStorage& s = r_.storages[v];
        const Outline o = outline_of(v);
        const double from = 0.5 * (o.begin + o.grown), until = 0.5 * (o.eating + o.end), room = until - from - 8;
        const std::string size = grouped(s.bytes) + " B", shape = extents_words(s.shape);
        const std::string kind = s.writers.size() == 1 ? r_.steps[static_cast<std::size_t>(s.writers[0])].kind
                                 : s.first_step < 0    ? s.what
                                                       : "concat";
        const std::string number = s.writers.empty() ? s.what : listed(s.writers);
        if (wide_)
            return fit(to, 0.5 * (from + until), room, s.place,
                       {{kind, shape, size}, {shape, size}, {shape + " " + size}, {size}}, false);
        fit(to, 0.5 * (from + until), room, s.place, {{number, size}, {number}}, false);
    }

    /// Writes the first choice of lines that fits around x, in the largest type that does; a single line may stand
    /// beside a flat shape unless it has to be inside.
    void fit(SvgWriter& to, double x, double room, const ReportRange& place, const Choices& choices,
             bool inside) const {
        const double high = static_cast<double>(place.bytes) * pixels_;
        for (const std::vector<std::string>& lines : choices) {
            const double least = 8.5 + (lines.size() > 1 ? 0.75 * static_cast<double>(lines.size()) : 0.0);
            for (double size = 12; size >= least; size -= 0.5) {
                const double pitch = lines.size() > 1 ? size + 3 : size;
                bool fits = (!inside && lines.size() == 1) || static_cast<double>(lines.size()) * pitch <= high;
                for (const std::string& line : lines) fits = fits && text_width(line, size) <= room;
                if (!fits) continue;
                write_label(to, x, size, place, lines);
                return;
            }
        }
    }
    void write_label(SvgWriter& to, double x, double size, const ReportRange& place,
                     const std::vector<std::string>& lines) const {
        const double top_y = y_of(place.at + place.bytes), bottom_y = y_of(place.at), pitch = size + 3;
        double y = 0.5 * (top_y + bottom_y - pitch * static_cast<double>(lines.size() - 1)) + 0.36 * size;
        if (bottom_y - top_y < size - 1) y = top_y - 4 - size > top ? top_y - 4 : bottom_y + size;
        const std::string style = "text-anchor=\"middle\" font-size=\"" + decimal(size, 1) +
                                  "\" stroke=\"#ffffff\" stroke-opacity=\"0.75\" stroke-width=\"3\" "
                                  "stroke-linejoin=\"round\" paint-order=\"stroke\"";
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool heads = i == 0 && lines.size() > (wide_ ? 2U : 1U);
            to.text(x, y, lines[i], style + (heads ? " font-weight=\"600\"" : ""));
            y += pitch;
        }
    }

    void draw_bounds(SvgWriter& to) const {
        std::vector<Bound> order = bounds_;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::size_t j = i + 1; j < order.size(); ++j)
                if (order[j].bytes > order[i].bytes) std::swap(order[i], order[j]);
        double free = top - 6;
        for (const Bound& bound : order) {
            const bool arena = bound.names[0] == "arena";
            const double y = y_of(bound.bytes);
            const std::vector<std::string> lines = bound_lines(bound);
            const double at = y > free ? y : free;
            const std::string colour = "stroke=\"" + std::string(bound.colour) + "\" fill=\"none\" stroke-width=";
            to.line(left, y, right, y,
                    "class=\"bound\" " + colour + (arena ? "\"2\"" : "\"1.3\" stroke-dasharray=\"6 4\""));
            to.line(right, y, right + 16, at, colour + "\"1\"");
            for (std::size_t i = 0; i < lines.size(); ++i)
                to.text(right + 20, at + 4 + 15 * static_cast<double>(i), lines[i],
                        "fill=\"" + std::string(bound.colour) + "\"" + (arena ? " font-weight=\"600\"" : ""));
            free = at + 15 * static_cast<double>(lines.size()) + 3;
        }
    }
    /// "arena = LB1 4,096 B" in as many lines as the margin's width asks for.
    static std::vector<std::string> bound_lines(const Bound& bound) {
        std::vector<std::string> lines{bound.names[0]};
        const auto add = [&](const std::string& joint, const std::string& words) {
            if (text_width(lines.back() + joint + words, 12) > width - right - 20)
                lines.push_back(joint == " = " ? "= " + words : words);
            else
                lines.back() += joint + words;
        };
        for (std::size_t i = 1; i < bound.names.size(); ++i) add(" = ", bound.names[i]);
        add("  ", grouped(bound.bytes) + " B");
        return lines;
    }

    static void shrunk(SvgWriter& to, double x, double y, double room, const std::string& words, double size,
                       const std::string& style) {
        while (size > 8 && text_width(words, size) > room) size -= 0.5;
        to.text(x, y, words, "font-size=\"" + decimal(size, 1) + "\"" + style);
    }

    /// What each step is, under its column.
    void draw_columns(SvgWriter& to) const {
        to.open("text-anchor=\"middle\"");
        for (int s = 0; s < step_count(); ++s) {
            const ReportStep& step = r_.steps[static_cast<std::size_t>(s)];
            double y = bottom_ + 20;
            const auto line = [&](const std::string& words, const std::string& style) {
                shrunk(to, x_of(s) + 0.5 * column_, y, column_ - 6, words, 12, style);
                y += 15;
            };
            line("step " + std::to_string(s), " fill=\"#57606a\"");
            line(step.kind, " font-weight=\"600\"");
            for (const std::string& part : step.fused) line("+ " + part, "");
            line(schedule_words(task(step.task)), " fill=\"#57606a\"");
            if (!step.layers.empty()) line("layers " + step.layers, " fill=\"#57606a\"");
        }
        to.close();
        draw_gutters(to);
    }

    /// The same as a table, where columns are too narrow for words.
    void draw_table(SvgWriter& to) const {
        to.open("text-anchor=\"middle\" fill=\"#57606a\" font-size=\"11\"");
        const int every = column_ >= 18 ? 1 : 5;
        for (int s = 0; s < step_count(); s += every) to.text(x_of(s) + 0.5 * column_, bottom_ + 20, std::to_string(s));
        to.close();
        if (column_ >= 60) draw_gutters(to);
        double y = bottom_ + 44;
        const double x[] = {42, 68, 376, 470, 552, 656, 732, width};
        to.open("fill=\"#57606a\" font-size=\"11\"");
        const char* heads[] = {"step", "", "output", "bytes", "lies", "runs", "layers"};
        for (int i = 0; i < 7; ++i) to.text(x[i] - (i == 0 ? 22 : 0), y, heads[i]);
        to.close();
        for (int s = 0; s < step_count(); ++s) {
            const ReportStep& step = r_.steps[static_cast<std::size_t>(s)];
            const auto v = static_cast<std::size_t>(step.writes);
            const bool begins = task(step.task).first == s;
            y += row_height;
            if (task(step.task).rows) to.rect(14, y - 12 + (begins ? 1 : 0), 3, begins ? 16 : 17, "fill=\"#bf8700\"");
            to.rect(22, y - 10, 11, 11, paint(v, "0.55"));
            const std::string cells[] = {std::to_string(s),
                                         step.what(),
                                         extents_words(step.out),
                                         grouped(step.out.elems() * sizeof(float)),
                                         (step.writes_part ? "part, " : "") + lies_words(r_.storages[v]),
                                         begins ? schedule_words(task(step.task)) : "",
                                         step.layers};
            for (int i = 0; i < 7; ++i)
                if (!cells[i].empty()) shrunk(to, x[i], y, x[i + 1] - x[i] - 6, cells[i], i == 0 ? 12 : 11, "");
        }
    }

    static std::string lies_words(const ReportStorage& s) {
        if (s.home != ReportHome::ring) return home_words(s);
        return std::to_string(s.held_rows) + " of " + std::to_string(s.rows) + " rows";
    }

    void draw_gutters(SvgWriter& to) const {
        const std::string style = "text-anchor=\"middle\" fill=\"#57606a\"";
        if (r_.owns_input) to.text(0.5 * (left + x_of(0)), bottom_ + 20, "input", style);
        to.text(0.5 * (x_of(step_count()) + right), bottom_ + 20, "result", style);
    }

    void write_legend() {
        bool scratch = false;
        for (const ReportTask& t : r_.tasks) scratch = scratch || (!t.rows && t.scratch.bytes > 0);
        std::string words;
        if (r_.segments() > 0)
            words =
                "by rows: a segment of steps; a row is made when the next step asks for it. A ring holds the rows of a "
                "tensor that somebody still reads. ";
        if (r_.segments() < r_.tasks.size())
            words += "direct: outputs are written where they belong at once; staged: by blocks, through registers or "
                     "scratch. ";
        words +=
            "With tensors whole, LB0: most bytes alive at once, none shared. LB0i: elementwise layers in place. LB1: "
            "every output overlapping its input as far as the layer allows. ping-pong: two buffers of the largest "
            "tensor, enough for chains only.";
        wrap(words);
        if (!beyond_.empty()) wrap("Above the picture: " + beyond_ + ".");
        hatched_ = scratch;
    }
    /// Adds lines as long as the picture is wide.
    void wrap(const std::string& words) {
        std::string line;
        for (std::size_t at = 0; at < words.size();) {
            const std::size_t space = words.find(' ', at), end = space == std::string::npos ? words.size() : space;
            const std::string word = words.substr(at, end - at);
            if (!line.empty() && text_width(line + " " + word, 9.7) > width - 40) {
                legend_lines_.push_back(line);
                line.clear();
            }
            line += (line.empty() ? "" : " ") + word;
            at = end + 1;
        }
        legend_lines_.push_back(line);
    }

    void draw_legend(SvgWriter& to) const {
        double y = legend_;
        to.line(20, y - 8, width - 20, y - 8, "stroke=\"#d0d7de\"");
        to.open("fill=\"#57606a\" font-size=\"11\"");
        y += 11;
        to.line(20, y + 2, 46, y - 10, "stroke=\"#0969da\" stroke-width=\"1.6\"");
        to.text(52, y, "a slanted edge: being written, or eaten by what is written over it");
        if (r_.segments() > 0) {
            to.rect(470, y - 9, 17, 11, paint(0, "0.3"));
            to.line(470, y - 3.5, 487, y - 3.5, "stroke=\"#0969da\" stroke-width=\"0.6\" stroke-dasharray=\"2 3\"");
            to.text(493, y, "a ring, and its rows");
        }
        if (hatched_) {
            to.rect(640, y - 9, 17, 11, "fill=\"url(#hatch)\" fill-opacity=\"0.7\" stroke=\"#57606a\"");
            to.text(663, y, "scratch");
        }
        for (const std::string& line : legend_lines_) to.text(20, y += 17, line);
        to.close();
    }

    const Report& r_;
    const std::string& name_;
    double column_ = 0, gutter_ = 0, pixels_ = 0, bottom_ = 0, legend_ = 0, height_ = 0;
    bool wide_ = true, hatched_ = false;
    std::vector<Bound> bounds_;
    std::string beyond_;
    std::vector<std::string> legend_lines_;
};

} // namespace detail

/// The plan as an SVG picture 900 pixels wide; `name` is its heading's first word.
/// Memory: allocates; for documents, not for forward.
template <class M, bool OwnsInput = false> std::string report_svg(const std::string& name = {}) {
    const Report report = report_of<M, OwnsInput>();
    return detail::ReportDrawing(report, name).svg();
}

} // namespace tarn
