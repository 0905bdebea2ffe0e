// SPDX-License-Identifier: MIT
// SVG elements as text: rectangles, lines, outlines and words, escaped for XML.
// Under report_svg.hpp, which decides what is drawn where.
// Knows nothing of plans.
#pragma once

#include <tarn/io/report_words.hpp>

namespace tarn::detail {

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

struct SvgPoint {
    double x, y;
};

/// SVG elements one after the other. Coordinates in pixels, y downwards.
class SvgWriter {
  public:
    void open(const std::string& attributes) { out_ += "<g " + attributes + ">\n"; }
    void close() { out_ += "</g>\n"; }
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
    /// A closed outline.
    void outline(const std::vector<SvgPoint>& points, const std::string& attributes, const std::string& title) {
        out_ += "<path d=\"";
        for (std::size_t i = 0; i < points.size(); ++i)
            out_ += (i == 0 ? "M" : "L") + decimal(points[i].x, 1) + " " + decimal(points[i].y, 1);
        out_ += "z\" " + attributes + "><title>" + escaped(title) + "</title></path>\n";
    }
    std::string take() { return std::move(out_); }

  private:
    std::string out_;
};

} // namespace tarn::detail
