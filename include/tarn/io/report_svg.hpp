// SPDX-License-Identifier: MIT
// The plan as a picture: the arena's bytes upwards, the steps from left to right, a box for every tensor.
// Beside report.hpp, whose figures it draws. An SVG without scripts or fonts of its own, for READMEs.
// Knows reports only.
#pragma once

#include <tarn/io/report.hpp>

namespace tarn {

namespace detail {

/// Text as it may stand in an XML file.
inline std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else
            safe += c;
    }
    return safe;
}

/// SVG elements one after the other. Coordinates in pixels, y downwards.
class SvgWriter {
  public:
    void open(const std::string& attributes) { out_ += "<g " + attributes + ">\n"; }
    void close() { out_ += "</g>\n"; }
    void raw(const std::string& text) { out_ += text; }
    void rect(double x, double y, double w, double h, const std::string& attributes, const std::string& title = {}) {
        out_ += "<rect x=\"" + decimal(x, 1) + "\" y=\"" + decimal(y, 1) + "\" width=\"" + decimal(w, 1) +
                "\" height=\"" + decimal(h, 1) + "\" " + attributes;
        out_ += title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n";
    }
    void line(double x1, double y1, double x2, double y2, const std::string& attributes) {
        out_ += "<path d=\"M" + decimal(x1, 1) + " " + decimal(y1, 1) + "L" + decimal(x2, 1) + " " + decimal(y2, 1) +
                "\" " + attributes + "/>\n";
    }
    void text(double x, double y, const std::string& words, const std::string& attributes = {}) {
        out_ += "<text x=\"" + decimal(x, 1) + "\" y=\"" + decimal(y, 1) + "\"" +
                (attributes.empty() ? "" : " " + attributes) + ">" + escaped(words) + "</text>\n";
    }
    /// A vertical arrow from y1 to y2.
    void arrow(double x, double y1, double y2, const std::string& colour) {
        const double back = y2 < y1 ? 6.0 : -6.0;
        line(x, y1, x, y2 + back, "stroke=\"" + colour + "\" stroke-width=\"1.6\"");
        out_ += "<path d=\"M" + decimal(x, 1) + " " + decimal(y2, 1) + "l-3.6 " + decimal(back, 1) + "h7.2z\" fill=\"" +
                colour + "\"/>\n";
    }
    std::string take() { return std::move(out_); }

  private:
    std::string out_;
};

/// Draws one report.
class ReportDrawing {
  public:
    ReportDrawing(const Report& report, const std::string& name) : r_(report), name_(name) { measure(); }

    std::string svg() {
        SvgWriter body;
        body.rect(0, 0, width, height_, "fill=\"#ffffff\"");
        draw_title(body);
        draw_axes(body);
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
    static constexpr double width = 900, left = 66, right = 716, top = 78, plot_height = 340;
    static constexpr double char_width = 0.6; ///< of the font's size: the widest of the fonts asked for
    static constexpr double arrow_height = 20, row_height = 17, wide_column = 92, wide_gutter = 84;

    struct Bound {
        std::vector<std::string> names; ///< of equal bounds
        std::size_t bytes;
        const char* colour;
    };

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
        scale_bytes_ = r_.arena > 0 ? r_.arena : 1;
        bounds_.push_back({{"arena"}, r_.arena, "#0550ae"});
        std::size_t highest = scale_bytes_;
        for (const Bound& bound : all) {
            if (bound.bytes > scale_bytes_ * 9 / 4) {
                beyond_ += (beyond_.empty() ? "" : ", ") + bound.names[0] + " " + grouped(bound.bytes) + " B (" +
                           decimal(static_cast<double>(bound.bytes) / static_cast<double>(scale_bytes_), 1) +
                           " times the arena)";
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
        height_ = legend_ + (beyond_.empty() ? 79 : 96);
    }

    double y_of(std::size_t bytes) const noexcept { return bottom_ - static_cast<double>(bytes) * pixels_; }
    /// Left edge of a step's column; -1 is the owned input's gutter, the step count the result's.
    double x_of(int step) const noexcept {
        if (step < 0) return left;
        return left + (r_.owns_input ? gutter_ : 0.0) + static_cast<double>(step) * column_;
    }
    double end_of(int step) const noexcept {
        return step >= static_cast<int>(r_.steps.size()) ? right : x_of(step + 1);
    }
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

    std::string heading() const {
        return (name_.empty() ? "" : name_ + ": ") + grouped(r_.arena) + " bytes for everything";
    }

    void draw_title(SvgWriter& to) const {
        to.text(20, 30, heading(), "font-size=\"18\" font-weight=\"600\"");
        to.text(20, 51,
                extents_words(r_.input) + " \xE2\x86\x92 " + extents_words(r_.output) + " in " +
                    std::to_string(r_.steps.size()) + (r_.steps.size() == 1 ? " step" : " steps") + ". The input (" +
                    grouped(r_.tensors[0].place.bytes) + " B) " +
                    (r_.owns_input ? "lies in the arena." : "stays in the caller's memory.") + " Weights " +
                    grouped(r_.weights) + " B, " + grouped(r_.macs) + " multiply-adds.",
                "fill=\"#57606a\"");
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
        for (int s = 0; s <= static_cast<int>(r_.steps.size()); ++s)
            to.line(x_of(s), top, x_of(s), bottom_, "stroke=\"#d0d7de\" stroke-width=\"0.6\"");
    }

    void draw_boxes(SvgWriter& to) const {
        for (std::size_t v = 0; v < r_.tensors.size(); ++v)
            if (r_.tensors[v].in_arena) draw_tensor(to, v);
        for (std::size_t s = 0; s < r_.steps.size(); ++s)
            if (r_.steps[s].scratch.bytes > 0) draw_scratch(to, s);
        // Texts last, so that no box lies on one.
        for (std::size_t v = 0; v < r_.tensors.size(); ++v)
            if (r_.tensors[v].in_arena) label_tensor(to, v);
    }

    void draw_tensor(SvgWriter& to, std::size_t v) const {
        const ReportTensor& t = r_.tensors[v];
        const double x = x_of(t.first_step) + 2, x_end = end_of(t.last_step) - 2;
        const double high = static_cast<double>(t.place.bytes) * pixels_;
        const bool result = t.last_step == static_cast<int>(r_.steps.size());
        to.rect(x, y_of(t.place.at + t.place.bytes), x_end - x, high > 1.5 ? high : 1.5,
                "class=\"tensor\" rx=\"2\" fill=\"" + std::string(fill_of(v)) + "\" fill-opacity=\"0.55\" stroke=\"" +
                    stroke_of(v) + "\" stroke-width=\"1.4\"",
                "tensor " + std::to_string(v) + ": " + (v == 0 ? "the input" : r_.steps[v - 1].what()) + ", " +
                    extents_words(t.shape) + ", " + grouped(t.place.bytes) + " bytes at " + grouped(t.place.at) + ", " +
                    (v == 0 ? "there at the start" : "written by step " + std::to_string(v - 1)) + ", " +
                    (result ? "kept to the end" : "last read by step " + std::to_string(t.last_step)));
        if (v > 0 && high >= arrow_height) {
            const double low = y_of(t.place.at) - 4, above = y_of(t.place.at + t.place.bytes) + 4;
            const bool down = r_.steps[v - 1].schedule.descending;
            to.arrow(x + 8, down ? above : low, down ? low : above, stroke_of(v));
        }
    }

    void draw_scratch(SvgWriter& to, std::size_t s) const {
        const ReportRange& place = r_.steps[s].scratch;
        const int step = static_cast<int>(s);
        const double high = static_cast<double>(place.bytes) * pixels_;
        to.rect(x_of(step) + 2, y_of(place.at + place.bytes), column_ - 4, high > 1.5 ? high : 1.5,
                "class=\"scratch\" rx=\"2\" fill=\"url(#hatch)\" fill-opacity=\"0.7\" stroke=\"#57606a\"",
                "scratch of step " + std::to_string(s) + ", " + grouped(place.bytes) + " bytes at " +
                    grouped(place.at));
        if (wide_) label(to, step, 4, place, {{"scratch " + grouped(place.bytes) + " B"}});
    }

    void label_tensor(SvgWriter& to, std::size_t v) const {
        const ReportTensor& t = r_.tensors[v];
        const std::string size = grouped(t.place.bytes) + " B", shape = extents_words(t.shape);
        const double arrow = v > 0 && static_cast<double>(t.place.bytes) * pixels_ >= arrow_height ? 14 : 4;
        if (v > 0 && !wide_) {
            const std::string number = std::to_string(v - 1);
            return label(to, t.first_step, arrow, t.place, {{number, size}, {number}});
        }
        const std::string kind = v == 0 ? "input" : r_.steps[v - 1].kind;
        label(to, t.first_step, arrow, t.place, {{kind, shape, size}, {shape, size}, {shape + " " + size}, {size}});
    }

    /// The first choice of lines that fits into a box's first column, in the largest type that does; a single line may
    /// stand beside a flat box.
    void label(SvgWriter& to, int step, double margin, const ReportRange& place,
               const std::vector<std::vector<std::string>>& choices) const {
        const double x = x_of(step) + margin, room = end_of(step) - 4 - x;
        const double high = static_cast<double>(place.bytes) * pixels_;
        for (const std::vector<std::string>& lines : choices) {
            const double least = 8.5 + 0.75 * static_cast<double>(lines.size());
            for (double size = 12; size >= least; size -= 0.5) {
                bool fits = lines.size() == 1 || static_cast<double>(lines.size()) * (size + 3) <= high;
                for (const std::string& line : lines) fits = fits && text_width(line, size) <= room;
                if (!fits) continue;
                write_label(to, step, x + 0.5 * room, size, place, lines);
                return;
            }
        }
    }
    void write_label(SvgWriter& to, int step, double x, double size, const ReportRange& place,
                     const std::vector<std::string>& lines) const {
        const double top_y = y_of(place.at + place.bytes), bottom_y = y_of(place.at), pitch = size + 3;
        double y = 0.5 * (top_y + bottom_y - pitch * static_cast<double>(lines.size() - 1)) + 0.36 * size;
        if (bottom_y - top_y < size + 2) {
            const double above = top_y - 4, below = bottom_y + size;
            const bool low = taken(step, above - size, above) && !taken(step, below - size, below) && below < bottom_;
            y = low ? below : above;
        }
        const std::string style = "text-anchor=\"middle\" font-size=\"" + decimal(size, 1) +
                                  "\" stroke=\"#ffffff\" stroke-opacity=\"0.75\" stroke-width=\"3\" "
                                  "stroke-linejoin=\"round\" paint-order=\"stroke\"";
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool heads = i == 0 && lines.size() > (wide_ ? 2U : 1U);
            to.text(x, y, lines[i], style + (heads ? " font-weight=\"600\"" : ""));
            y += pitch;
        }
    }
    /// Whether a tensor is drawn in a step's column between two heights.
    bool taken(int step, double from, double to) const noexcept {
        for (const ReportTensor& t : r_.tensors)
            if (t.in_arena && t.first_step <= step && t.last_step >= step && y_of(t.place.at) > from &&
                y_of(t.place.at + t.place.bytes) < to)
                return true;
        return false;
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

    /// What each step is, under its column.
    void draw_columns(SvgWriter& to) const {
        to.open("text-anchor=\"middle\"");
        for (std::size_t s = 0; s < r_.steps.size(); ++s) {
            const ReportStep& step = r_.steps[s];
            const double x = x_of(static_cast<int>(s)) + 0.5 * column_;
            double y = bottom_ + 20;
            const auto line = [&](const std::string& words, const std::string& style) {
                double size = 12;
                while (size > 8.5 && text_width(words, size) > column_ - 6) size -= 0.5;
                to.text(x, y, words, "font-size=\"" + decimal(size, 1) + "\"" + style);
                y += 15;
            };
            line("step " + std::to_string(s), " fill=\"#57606a\"");
            line(step.kind, " font-weight=\"600\"");
            for (const std::string& part : step.fused) line("+ " + part, "");
            line(schedule_words(step), " fill=\"#57606a\"");
            if (!step.layers.empty()) line("layers " + step.layers, " fill=\"#57606a\"");
        }
        to.close();
        draw_gutters(to);
    }

    /// The same as a table, where columns are too narrow for words.
    void draw_table(SvgWriter& to) const {
        to.open("text-anchor=\"middle\" fill=\"#57606a\" font-size=\"11\"");
        const std::size_t every = column_ >= 18 ? 1 : 5;
        for (std::size_t s = 0; s < r_.steps.size(); s += every)
            to.text(x_of(static_cast<int>(s)) + 0.5 * column_, bottom_ + 20, std::to_string(s));
        to.close();
        if (column_ >= 60) draw_gutters(to);
        double y = bottom_ + 44;
        const double x[] = {left - 24, left + 2, left + 350, left + 460, left + 540, right + 20};
        to.open("fill=\"#57606a\" font-size=\"11\"");
        const char* heads[] = {"step", "", "output", "bytes", "runs", "layers"};
        for (int i = 0; i < 6; ++i) to.text(x[i] - (i == 0 ? 18 : 0), y, heads[i]);
        to.close();
        for (std::size_t s = 0; s < r_.steps.size(); ++s) {
            const ReportStep& step = r_.steps[s];
            y += row_height;
            to.rect(x[0] - 18, y - 10, 11, 11,
                    "fill=\"" + std::string(fill_of(s + 1)) + "\" fill-opacity=\"0.55\" stroke=\"" + stroke_of(s + 1) +
                        "\"");
            const std::string cells[] = {std::to_string(s),       step.what(),
                                         extents_words(step.out), grouped(r_.tensors[s + 1].place.bytes),
                                         schedule_words(step),    step.layers};
            for (int i = 0; i < 6; ++i)
                if (!cells[i].empty()) to.text(x[i], y, cells[i]);
        }
    }

    void draw_gutters(SvgWriter& to) const {
        const std::string style = "text-anchor=\"middle\" fill=\"#57606a\"";
        if (r_.owns_input) to.text(0.5 * (left + x_of(0)), bottom_ + 20, "input", style);
        to.text(0.5 * (x_of(static_cast<int>(r_.steps.size())) + right), bottom_ + 20, "result", style);
    }

    void draw_legend(SvgWriter& to) const {
        double y = legend_;
        to.line(20, y - 8, width - 20, y - 8, "stroke=\"#d0d7de\"");
        to.open("fill=\"#57606a\" font-size=\"11\"");
        const auto next = [&](const std::string& words) { to.text(20, y += 17, words); };
        y += 11;
        to.rect(20, y - 9, 17, 11, "fill=\"#54aeff\" fill-opacity=\"0.55\" stroke=\"#0969da\"");
        to.rect(28, y - 9, 17, 11, "fill=\"#ffb77c\" fill-opacity=\"0.55\" stroke=\"#bc4c00\"");
        to.text(
            52, y,
            "a tensor, from the step that writes it to the last that reads it; mixed where it takes its input's bytes");
        to.arrow(690, y + 2, y - 10, "#57606a");
        to.text(700, y, "order of writing");
        to.rect(810, y - 9, 17, 11, "fill=\"url(#hatch)\" fill-opacity=\"0.7\" stroke=\"#57606a\"");
        to.text(833, y, "scratch");
        next("direct: outputs are written where they belong at once; staged: by blocks, through registers or scratch.");
        next("LB0: most bytes alive at once, none shared. LB0i: elementwise layers in place. LB1: every output "
             "overlapping its input as far as the layer allows.");
        next("ping-pong: two buffers of the largest tensor, enough for chains only.");
        if (!beyond_.empty()) next("Above the picture: " + beyond_ + ".");
        to.close();
    }

    const Report& r_;
    const std::string& name_;
    double column_ = 0, gutter_ = 0, pixels_ = 0, bottom_ = 0, legend_ = 0, height_ = 0;
    std::size_t scale_bytes_ = 1;
    bool wide_ = true;
    std::vector<Bound> bounds_;
    std::string beyond_;
};

} // namespace detail

/// The plan as an SVG picture 900 pixels wide; `name` is its heading's first word.
/// Memory: allocates; for documents, not for forward.
template <class M, bool OwnsInput = false> std::string report_svg(const std::string& name = {}) {
    const Report report = report_of<M, OwnsInput>();
    return detail::ReportDrawing(report, name).svg();
}

} // namespace tarn
