// SPDX-License-Identifier: MIT
// The report as text and as SVG: well formed, every tensor there once, every figure the plan's.
// Beside the plan's own tests, which judge the plan itself.
// Knows the public face only.
#include <tarn/io/report.hpp>
#include <tarn/io/report_svg.hpp>
#include <tarn/tarn.hpp>

#include "support/catch.hpp"

#include <cctype>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace tarn;

namespace {

using Digits = Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>,
                          Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<32 * 2 * 2, 10>>;
template <int I, int O, int S = 1>
using Conv3 = Sequential<Conv2d<I, O, Kernel<3>, Stride<S>, Padding<1>, NoBias>, BatchNorm2d<O>>;
using Residuals =
    Sequential<Named<"stem", Conv3<3, 20>>, ReLU, Residual<Sequential<Conv3<20, 20>, ReLU, Conv3<20, 20>>>, ReLU,
               Residual<Named<"a<&\"b\">", Conv3<20, 24, 2>>, Conv2d<20, 24, Kernel<1>, Stride<2>>>, GlobalAvgPool2d,
               Flatten, Linear<24, 10>>;
using Inverted =
    Residual<Sequential<Conv2d<12, 72, Kernel<1>>, ReLU6, Conv2d<72, 72, Kernel<3>, Padding<1>, Groups<72>>, ReLU6,
                        Conv2d<72, 12, Kernel<1>>>>;
template <int From, int... To> using Perceptron = Sequential<Linear<From, 40>, Tanh, Linear<40, To>...>;

/// 1234567 as "1,234,567".
std::string figure(std::size_t number) {
    const std::string digits = std::to_string(number);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

struct Element {
    std::string tag;
    std::map<std::string, std::string> attributes;
    std::string text; ///< its own and its children's
};

/// Reads an XML text without comments: elements in the order of their starts, and the first fault.
class Xml {
  public:
    explicit Xml(std::string_view text) : text_(text) { read(); }

    std::vector<Element> elements;
    std::string fault;

    std::vector<Element> of_class(const std::string& wanted) const {
        std::vector<Element> found;
        for (const Element& element : elements)
            if (const auto i = element.attributes.find("class"); i != element.attributes.end() && i->second == wanted)
                found.push_back(element);
        return found;
    }

  private:
    void read() {
        std::vector<std::size_t> open;
        while (at_ < text_.size()) {
            if (text_[at_] != '<') {
                const std::string words = plain('<');
                for (const std::size_t i : open) elements.at(i).text += words;
                if (open.empty() && words.find_first_not_of('\n') != std::string::npos) fail("text outside");
            } else if (take("</")) {
                const std::string tag = name();
                if (open.empty() || elements.at(open.back()).tag != tag || !take(">")) return fail("</" + tag);
                open.pop_back();
            } else {
                ++at_;
                if (open.empty() && !elements.empty()) return fail("a second root");
                Element element;
                element.tag = name();
                while (take(" ")) {
                    const std::string key = name();
                    if (!take("=\"")) return fail("attribute " + key);
                    if (!element.attributes.emplace(key, plain('"')).second) return fail("twice: " + key);
                    if (!take("\"")) return fail("quote after " + key);
                }
                const bool closed = take("/");
                if (element.tag.empty() || !take(">")) return fail("<" + element.tag);
                elements.push_back(std::move(element));
                if (!closed) open.push_back(elements.size() - 1);
            }
            if (!fault.empty()) return;
        }
        if (elements.empty() || !open.empty()) fail("left open");
    }
    void fail(const std::string& reason) { fault = reason + " at " + std::to_string(at_); }
    bool take(std::string_view wanted) {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }
    std::string name() {
        std::string made;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-'))
            made += text_[at_++];
        return made;
    }
    /// Characters up to `end`, entities resolved.
    std::string plain(char end) {
        std::string made;
        while (at_ < text_.size() && text_[at_] != end) {
            if (text_[at_] == '<') fail("<");
            if (take("&amp;"))
                made += '&';
            else if (take("&lt;"))
                made += '<';
            else if (take("&gt;"))
                made += '>';
            else if (take("&quot;"))
                made += '"';
            else if (text_[at_] == '&')
                return fail("&"), made;
            else
                made += text_[at_++];
        }
        return made;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

double number(const Element& element, const std::string& key) {
    return std::strtod(element.attributes.at(key).c_str(), nullptr);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text)
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    return lines;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class M, bool OwnsInput> void check_svg() {
    constexpr auto plan = M::template PlanOf<OwnsInput>::plan;
    constexpr auto problem = M::template PlanOf<OwnsInput>::problem;
    const std::string svg = report_svg<M, OwnsInput>("A <name> & \"more\"");
    const Xml xml(svg);
    INFO(svg);
    REQUIRE(xml.fault == "");
    REQUIRE(xml.elements.front().tag == "svg");
    CHECK(has(xml.elements.front().text, "A <name> & \"more\""));
    CHECK(!has(svg, "script"));

    const std::vector<Element> arena = xml.of_class("arena"), tensors = xml.of_class("tensor");
    REQUIRE(arena.size() == 1);
    REQUIRE(tensors.size() == static_cast<std::size_t>(M::step_count + (OwnsInput ? 1 : 0)));
    const double high = number(arena[0], "height"), bottom = number(arena[0], "y") + high;
    const double pixels = high / static_cast<double>(plan.arena_elems * sizeof(float));
    double last_x = 0;
    for (int v = OwnsInput ? 0 : 1; v <= M::step_count; ++v) {
        const Element& box = tensors[static_cast<std::size_t>(v - (OwnsInput ? 0 : 1))];
        const std::size_t at = plan.value[v] * sizeof(float), bytes = problem.net.elems(v) * sizeof(float);
        INFO(box.text);
        CHECK(has(box.text, "tensor " + std::to_string(v) + ":"));
        CHECK(has(box.text, ", " + figure(bytes) + " bytes at " + figure(at) + ","));
        const double box_high = number(box, "height"), x = number(box, "x");
        const double true_high = static_cast<double>(bytes) * pixels;
        CHECK(box_high == Approx(true_high > 1.5 ? true_high : 1.5).margin(0.11));
        CHECK(number(box, "y") == Approx(bottom - static_cast<double>(at + bytes) * pixels).margin(0.21));
        CHECK(x > last_x); // one column a step
        last_x = x;
    }

    std::size_t with_scratch = 0;
    for (int s = 0; s < M::step_count; ++s)
        if (plan.scratch[s] != plan.outside) {
            const Element box = xml.of_class("scratch").at(with_scratch++);
            CHECK(has(box.text, "scratch of step " + std::to_string(s) + ", " +
                                    figure(problem.footprint[s].scratch_elems * sizeof(float)) + " bytes at " +
                                    figure(plan.scratch[s] * sizeof(float))));
        }
    CHECK(xml.of_class("scratch").size() == with_scratch);
    for (const std::size_t elems : {M::template PlanOf<OwnsInput>::bounds.sum, plan.arena_elems})
        CHECK(has(xml.elements.front().text, figure(elems * sizeof(float)) + " B"));
}

template <class M, bool OwnsInput> void check_text() {
    constexpr auto plan = M::template PlanOf<OwnsInput>::plan;
    constexpr auto problem = M::template PlanOf<OwnsInput>::problem;
    constexpr Bounds bounds = M::template PlanOf<OwnsInput>::bounds;
    const std::string text = report_text<M, OwnsInput>();
    const std::vector<std::string> lines = lines_of(text);
    INFO(text);
    CHECK(has(lines.at(0), figure(plan.arena_elems * sizeof(float)) + " bytes of arena"));
    for (int s = 0; s < M::step_count; ++s) {
        const std::string& line = lines.at(static_cast<std::size_t>(3 + s));
        const auto range = [](std::size_t at, std::size_t elems) {
            return figure(at * sizeof(float)) + " + " + figure(elems * sizeof(float)) + " ";
        };
        const int in = problem.net.steps[s].input;
        CHECK(has(line, "  " + std::to_string(s) + "  "));
        CHECK(has(line, range(plan.value[s + 1], problem.net.elems(s + 1))));
        CHECK(has(line, plan.value[in] == plan.outside ? "caller's" : range(plan.value[in], problem.net.elems(in))));
        CHECK(has(line, plan.schedule[s].descending ? "down, " : "up, "));
        CHECK(has(line, plan.schedule[s].staged ? ", staged" : ", direct"));
        if (plan.scratch[s] != plan.outside)
            CHECK(has(line, range(plan.scratch[s], problem.footprint[s].scratch_elems)));
    }
    const std::size_t expected[] = {bounds.sum,  bounds.ping_pong, bounds.lb0,
                                    bounds.lb0i, bounds.lb1,       plan.arena_elems};
    const char* names[] = {"sum ", "ping-pong ", "LB0 ", "LB0i ", "LB1 ", "arena "};
    for (std::size_t i = 0; i < 6; ++i) {
        const std::string& line = lines.at(static_cast<std::size_t>(M::step_count) + 5 + i);
        CHECK(has(line, std::string("  ") + names[i]));
        CHECK(has(line, " " + figure(expected[i] * sizeof(float)) + " "));
    }
    CHECK(has(text, "weights " + figure(M::weight_bytes) + " bytes, " + figure(M::macs) + " multiply-adds"));

    const Report report = report_of<M, OwnsInput>();
    CHECK(report.gap_rounding >= 0);
    CHECK(report.gap_blocks >= 0);
    CHECK(report.gap_scratch >= 0);
    CHECK(report.gap_placement >= 0);
    CHECK(static_cast<long>(report.lb1) + report.gap_rounding + report.gap_blocks + report.gap_scratch +
              report.gap_placement ==
          static_cast<long>(report.arena));
    for (const ReportStep& step : report.steps) {
        CHECK(step.footprint_bytes <= step.alive_bytes);
        CHECK(step.alive_bytes <= report.arena);
    }
}

template <class M> void check_report() {
    check_svg<M, false>();
    check_svg<M, true>();
    check_text<M, false>();
    check_text<M, true>();
}

std::vector<std::string> layers_of(const Report& report) {
    std::vector<std::string> layers;
    for (const ReportStep& step : report.steps) layers.push_back(step.layers + ": " + step.what());
    return layers;
}

} // namespace

TEST_CASE("the digits network") { check_report<Model<Digits, Shape<8, 8, 1>>>(); }

TEST_CASE("residual networks") {
    check_report<Model<Residuals, Shape<16, 12, 3>>>();
    check_report<Model<Inverted, Shape<10, 7, 12>>>();
}

TEST_CASE("every value kept") { check_report<Model<Digits, Shape<8, 8, 1>, Cpu<>, KeepAll>>(); }

TEST_CASE("a long chain, columns too narrow for words") {
    check_report<Model<Perceptron<30, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40>,
                       Shape<30>>>();
}

TEST_CASE("a value added to itself, and no step at all") {
    using Twice = Model<Sequential<Linear<13, 13>, Residual<Sequential<>>>, Shape<13>>;
    check_report<Twice>();
    CHECK(layers_of(report_of<Twice>()) == std::vector<std::string>{"0: linear", "1: add of step 0"});
    check_report<Model<Sequential<>, Shape<4, 4>>>();
}

TEST_CASE("steps name the layers they cover") {
    CHECK(layers_of(report_of<Model<Digits, Shape<8, 8, 1>>>()) ==
          std::vector<std::string>{"0-1: conv 3x3 + relu", "2: max pool 2x2", "3-4: conv 3x3 + relu", "5: max pool 2x2",
                                   "6-7: flatten + linear"});
    CHECK(layers_of(report_of<Model<Residuals, Shape<16, 12, 3>>>()) ==
          std::vector<std::string>{
              "stem.0-1, 1: conv 3x3 + batch norm + relu",
              "2.body.0.0-1, 2.body.1: conv 3x3 + batch norm + relu",
              "2.body.2.0-1, 2-3: conv 3x3 + batch norm + add of step 0 + relu",
              "4.a<&\"b\">.0-1: conv 3x3 /2 + batch norm",
              "4.shortcut, 4: conv 1x1 /2 + add of step 3",
              "5: global avg pool",
              "6-7: linear",
          });
    // Paths are the prefixes of parameter names.
    const auto names = parameter_names<Residuals>();
    CHECK(names.front().name == "stem.0.weight");
    CHECK(names.back().name == "7.bias");
    CHECK(layers_of(report_of<Model<Linear<3, 2>, Shape<5, 3>>>()) == std::vector<std::string>{": linear"});
    using Others = Sequential<Conv2d<4, 8, Kernel<3, 1>, Groups<2>, Dilation<2>>, AvgPool2d<3, Stride<2>>, Softmax,
                              HardSwish, Flatten>;
    CHECK(layers_of(report_of<Model<Others, Shape<12, 9, 4>>>()) ==
          std::vector<std::string>{"0: conv 3x1 groups 2 dilated 2x2", "1: avg pool 3x3 /2", "2: softmax",
                                   "3: hard swish", "4: permute"});
}
