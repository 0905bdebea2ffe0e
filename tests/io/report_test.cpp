// SPDX-License-Identifier: MIT
// The report as text and as SVG: well formed, every storage there once, every figure the plan's.
// Beside the plan's own tests, which judge the plan itself.
// Knows the public face only.
#include <tarn/io/report.hpp>
#include <tarn/io/report_svg.hpp>
#include <tarn/tarn.hpp>
#include <tarn/zoo/mobilenet_v2.hpp>

#include "io/xml.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace tarn;
using tarn_test::Element;
using tarn_test::Xml;

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
using Dag =
    Graph<Input<"image">, Input<"mask">, Layer<"a", Conv2d<3, 8, Kernel<3>, Padding<1>>, "image">,
          Layer<"dead", Sequential<Conv2d<3, 40, Kernel<3>, Padding<1>>, ReLU>, "image">,
          Layer<"b", Conv2d<2, 4, Kernel<1>>, "mask">, Layer<"ra", ReLU, "a">, Layer<"cat", Concat, "ra", "b">,
          Layer<"c", Sequential<Named<"", Conv2d<12, 16, Kernel<3>, Stride<2>, Padding<1>>>, Named<"", ReLU6>>, "cat">,
          Layer<"pool", MaxPool2d<2>, "c">, Layer<"up", Upsample<2>, "pool">, Layer<"flat", Flatten, "pool">,
          Layer<"fc", Linear<16 * 3 * 3, 5>, "flat">, Output<"up">, Output<"fc">>;
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

std::string plural(std::size_t count, const std::string& what) {
    return figure(count) + " " + what + (count == 1 ? "" : "s");
}

/// A storage that a segment keeps as a ring, by number.
struct Ring {
    int rows = 0, of = 0; ///< held at once, and in all
    std::size_t at = 0;   ///< in the arena, in elements
    std::size_t elems = 0;

    std::string words() const { return "ring of " + std::to_string(rows) + " of " + std::to_string(of) + " rows"; }
};
template <class Planning> std::map<int, Ring> rings_of() {
    std::map<int, Ring> rings;
    [[maybe_unused]] const auto take = [&]<int T>(std::integral_constant<int, T>) {
        if constexpr (Planning::choice.rows[T]) {
            constexpr SegmentFacts facts = Planning::template segment<T>;
            for (int k = 0; k < facts.rings; ++k) {
                Ring ring;
                ring.rows = facts.ring_rows[k];
                for (int s = 0; s < Planning::count; ++s)
                    if (const Step& step = Planning::steps.steps[s]; step.out.storage == facts.storage[k])
                        ring.of = step.op.out[0];
                ring.at = Planning::plan.scratch[T] + facts.ring_at[k];
                ring.elems = Planning::steps.storage[facts.storage[k]] * static_cast<std::size_t>(ring.rows) /
                             static_cast<std::size_t>(ring.of);
                rings[facts.storage[k]] = ring;
            }
        }
    };
    [&]<int... T>(std::integer_sequence<int, T...>) { (take(std::integral_constant<int, T>{}), ...); }
    (std::make_integer_sequence<int, Planning::task_count>{});
    return rings;
}

/// Lowest and highest of the coordinates in "M1 2L3 4z", x at 0 and y at 1.
struct Span {
    double low = 1e9, high = -1e9;
};
std::array<Span, 2> spans_of(const Element& outline) {
    std::array<Span, 2> spans;
    const std::string& path = outline.attributes.at("d");
    std::size_t axis = 0;
    for (const char* at = path.c_str(); *at != '\0';) {
        if (std::isalpha(static_cast<unsigned char>(*at)) || *at == ' ') {
            ++at;
            continue;
        }
        char* end = nullptr;
        const double value = std::strtod(at, &end);
        REQUIRE(end != at);
        spans.at(axis).low = std::min(spans.at(axis).low, value);
        spans.at(axis).high = std::max(spans.at(axis).high, value);
        axis = 1 - axis;
        at = end;
    }
    return spans;
}

template <class M, bool OwnsInput> void check_svg() {
    using Planning = typename M::template PlanOf<OwnsInput>;
    constexpr auto plan = Planning::plan;
    constexpr auto problem = Planning::problem;
    const std::string svg = report_svg<M, OwnsInput>("A <name> & \"more\"");
    const Xml xml(svg);
    INFO(svg);
    REQUIRE(xml.fault == "");
    REQUIRE(xml.elements.front().tag == "svg");
    CHECK(has(xml.elements.front().text, "A <name> & \"more\""));
    CHECK(!has(svg, "script"));

    const std::vector<Element> arena = xml.of_class("arena"), outlines = xml.of_class("storage");
    REQUIRE(arena.size() == 1);
    const double high = number(arena[0], "height"), bottom = number(arena[0], "y") + high;
    const double pixels = high / static_cast<double>(plan.arena_elems * sizeof(float));
    const double width = number(xml.elements.front(), "width");
    const auto stretch = [](std::size_t at, std::size_t elems) {
        return ", " + figure(elems * sizeof(float)) + " bytes at " + figure(at * sizeof(float));
    };
    const std::map<int, Ring> rings = rings_of<Planning>();
    std::map<std::string, Element> drawn_rings;
    for (const Element& ring : xml.of_class("ring")) drawn_rings[ring.text.substr(0, ring.text.find(':'))] = ring;
    CHECK(drawn_rings.size() == rings.size());
    std::size_t drawn = 0;
    double last_x = 0;
    for (int v = 0; v < problem.net.storage_count; ++v) {
        const std::string name = "storage " + std::to_string(v);
        const std::size_t elems = problem.net.storage[v];
        if (const auto ring = rings.find(v); ring != rings.end()) {
            const Element& box = drawn_rings[name];
            INFO(box.text);
            CHECK(has(box.text, ", a " + ring->second.words() + " of "));
            CHECK(has(box.text, stretch(ring->second.at, ring->second.elems)));
            const double true_high = static_cast<double>(ring->second.elems * sizeof(float)) * pixels;
            CHECK(number(box, "height") == Approx(true_high > 1.0 ? true_high : 1.0).margin(0.11));
        } else if (plan.storage[v] != plan.outside) {
            REQUIRE(drawn < outlines.size());
            const Element& outline = outlines[drawn++];
            INFO(outline.text);
            CHECK(has(outline.text, name + ":"));
            CHECK(has(outline.text, stretch(plan.storage[v], elems) + ","));
            const auto [x, y] = spans_of(outline);
            CHECK(y.high ==
                  Approx(bottom - static_cast<double>(plan.storage[v] * sizeof(float)) * pixels).margin(0.11));
            CHECK(y.high - y.low == Approx(static_cast<double>(elems * sizeof(float)) * pixels).margin(0.21));
            CHECK(x.low >= last_x); // storages are numbered as they begin
            CHECK(x.high > x.low);
            CHECK(x.high < width);
            last_x = x.low;
        }
    }
    CHECK(drawn == outlines.size());

    std::size_t scratches = 0, segments = 0;
    for (int t = 0; t < problem.task_count; ++t) {
        const Task& task = problem.tasks[t];
        const std::size_t elems =
            plan.schedule[t].staged ? task.footprint.scratch_elems : task.footprint.direct_scratch;
        if (task.rows) {
            const Element band = xml.of_class("segment").at(segments++);
            CHECK(has(band.text, "task " + std::to_string(t) + ": steps " + std::to_string(task.first)));
            CHECK(has(band.text, ", rings of " + figure(elems * sizeof(float)) + " bytes"));
        } else if (plan.scratch[t] != plan.outside) {
            const Element box = xml.of_class("scratch").at(scratches++);
            CHECK(has(box.text, "scratch of task " + std::to_string(t) + stretch(plan.scratch[t], elems)));
        }
    }
    CHECK(xml.of_class("scratch").size() == scratches);
    CHECK(xml.of_class("segment").size() == segments);
    for (const std::size_t elems : {Planning::bounds.sum, plan.arena_elems})
        CHECK(has(xml.elements.front().text, figure(elems * sizeof(float))));
}

/// The lines after the one that begins with these words, up to an empty one.
std::vector<std::string> lines_under(const std::vector<std::string>& lines, const std::string& head) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].rfind(head, 0) == 0)
            while (++i < lines.size() && !lines[i].empty()) found.push_back(lines[i]);
    return found;
}

template <class M, bool OwnsInput> void check_text() {
    using Planning = typename M::template PlanOf<OwnsInput>;
    constexpr auto plan = Planning::plan;
    constexpr auto problem = Planning::problem;
    constexpr Bounds bounds = Planning::bounds;
    const std::string text = report_text<M, OwnsInput>();
    const std::vector<std::string> lines = lines_of(text);
    INFO(text);
    CHECK(has(lines.at(0), ": " + figure(plan.arena_elems * sizeof(float)) + " bytes of arena"));
    CHECK(has(lines.at(1), plural(static_cast<std::size_t>(problem.net.count), "step") + " in " +
                               plural(static_cast<std::size_t>(problem.task_count), "task")));
    const auto range = [](std::size_t at, std::size_t elems) {
        return "  " + figure(at * sizeof(float)) + " + " + figure(elems * sizeof(float)) + " ";
    };
    const std::vector<std::string> steps = lines_under(lines, "  task  step"),
                                   tasks = lines_under(lines, "  task  steps");
    const std::vector<std::string> storages = lines_under(lines, "  storage  what");
    for (int s = 0; s < problem.net.count; ++s) {
        const std::string& line = steps.at(static_cast<std::size_t>(s));
        CHECK(has(line, "  " + std::to_string(s) + " "));
        CHECK(has(line, std::to_string(problem.net.steps[s].out.storage) + " "));
    }
    const std::map<int, Ring> rings = rings_of<Planning>();
    REQUIRE(storages.size() == static_cast<std::size_t>(problem.net.storage_count));
    for (int v = 0; v < problem.net.storage_count; ++v) {
        const std::string& line = storages.at(static_cast<std::size_t>(v));
        INFO(line);
        CHECK(has(line, "  " + std::to_string(v) + "  "));
        CHECK(has(line, "  " + figure(problem.net.storage[v] * sizeof(float)) + "  "));
        if (const auto ring = rings.find(v); ring != rings.end()) {
            CHECK(has(line, "  " + ring->second.words() + "  "));
            CHECK(has(line, range(ring->second.at, ring->second.elems)));
        } else if (plan.storage[v] == plan.outside) {
            CHECK((v < M::input_count && !OwnsInput));
            CHECK(has(line, "  the caller's memory  "));
        } else {
            CHECK(has(line, "  whole  "));
            CHECK(has(line, range(plan.storage[v], problem.net.storage[v])));
        }
    }
    REQUIRE(tasks.size() == static_cast<std::size_t>(problem.task_count));
    for (int t = 0; t < problem.task_count; ++t) {
        const Task& task = problem.tasks[t];
        const std::string& line = tasks.at(static_cast<std::size_t>(t));
        INFO(line);
        const std::string last = task.last > task.first ? "-" + std::to_string(task.last) : "";
        CHECK(has(line, "  " + std::to_string(t) + "  " + std::to_string(task.first) + last + " "));
        CHECK(has(line, task.rows ? "  by rows " : plan.schedule[t].descending ? "  down, " : "  up, "));
        if (!task.rows) CHECK(has(line, plan.schedule[t].staged ? ", staged" : ", direct"));
        if (plan.scratch[t] != plan.outside)
            CHECK(has(line, range(plan.scratch[t], plan.schedule[t].staged ? task.footprint.scratch_elems
                                                                           : task.footprint.direct_scratch)));
    }
    const std::size_t expected[] = {bounds.sum,  bounds.ping_pong, bounds.lb0,
                                    bounds.lb0i, bounds.lb1,       plan.arena_elems};
    const char* names[] = {"sum ", "ping-pong ", "LB0 ", "LB0i ", "LB1 ", "arena "};
    const std::vector<std::string> told = lines_under(lines, "  bound");
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(has(told.at(i), std::string("  ") + names[i]));
        CHECK(has(told.at(i), " " + figure(expected[i] * sizeof(float)) + " "));
    }
    CHECK(has(text, "weights " + figure(M::weight_bytes) + " bytes; multiply-adds: " + figure(M::macs) + " needed, "));

    const Report report = report_of<M, OwnsInput>();
    std::size_t fullest = 0;
    for (const ReportTask& task : report.tasks) {
        CHECK(task.alive_bytes <= report.arena);
        CHECK(task.scratch.bytes <= task.alive_bytes);
        CHECK(task.macs_run <= task.macs);
        fullest = std::max(fullest, task.alive_bytes);
    }
    if (!report.tasks.empty())
        CHECK(report.tasks.at(static_cast<std::size_t>(report.peak_task())).alive_bytes == fullest);
}

template <class M> void check_report() {
    check_svg<M, false>();
    check_svg<M, true>();
    check_text<M, false>();
    check_text<M, true>();
}

/// The processor's kernels, counting the multiply-adds that they are asked for.
struct Counted : Cpu<cpu::Baseline>::Base {
    using Kernels = Cpu<cpu::Baseline>::Base;
    static inline std::size_t macs = 0;

    template <Op O, Schedule S, class... Arguments> static void run(const Arguments&... arguments) noexcept {
        macs += macs_of(O);
        Kernels::run<O, S>(arguments...);
    }
    template <Op R, class... Arguments> static void row(const Arguments&... arguments) noexcept {
        macs += macs_of(R);
        Kernels::row<R>(arguments...);
    }
};
struct Counting : Cpu<cpu::Baseline> {
    using Sets = cpu::KernelList<Counted>;
    using Base = Counted;
    using Best = Counted;
};
/// Multiply-adds of one forward, as its kernels count them.
template <class M> std::size_t counted_macs() {
    const auto weights = std::make_unique<typename M::Weights>();
    const auto session = std::make_unique<typename M::InPlaceSession>(*weights);
    Counted::macs = 0;
    session->forward_in_place();
    return Counted::macs;
}

std::vector<std::string> layers_of(const Report& report) {
    std::vector<std::string> layers;
    for (const ReportStep& step : report.steps) layers.push_back(step.layers + ": " + step.what());
    return layers;
}

} // namespace

TEST_CASE("the digits network") {
    check_report<Model<Digits, Shape<8, 8, 1>>>();
    check_report<Model<Digits, Shape<8, 8, 1>, Cpu<>, WholeTensors<Smallest>>>();
}

TEST_CASE("residual networks") {
    check_report<Model<Residuals, Shape<16, 12, 3>>>();
    check_report<Model<Inverted, Shape<10, 7, 12>>>();
}

TEST_CASE("several inputs and outputs, concats, and a layer that nobody reads") {
    using M = Model<Dag, Inputs<Shape<13, 12, 3>, Shape<13, 12, 2>>>;
    check_report<M>();
    const Report report = report_of<M>();
    CHECK(report.never_run == std::vector<std::string>{"dead.0", "dead.1"});
    CHECK(report.inputs.size() == 2);
    CHECK(report.outputs.size() == 2);
    CHECK(report.storages.at(1).what == "input 1");
    CHECK(report.storages.at(2).what == "concat of steps 0 and 1");
    CHECK(report.storages.at(2).shape == extents_of(13, 12, 12));
    CHECK(layers_of(report) == std::vector<std::string>{"a, ra: conv 3x3 + relu", "b: conv 1x1",
                                                        "cat, c: conv 3x3 /2 + relu6", "pool: max pool 2x2",
                                                        "up: upsample 2x2", "flat, fc: flatten + linear"});
    CHECK(has(report_text<M>(), "  never run, since nobody reads it: dead.0 dead.1\n"));
    CHECK(!has(report_text<Model<Digits, Shape<8, 8, 1>>>(), "never run"));
}

TEST_CASE("every value kept") {
    check_report<Model<Digits, Shape<8, 8, 1>, Cpu<>, KeepAll>>();
    using M = Model<Dag, Inputs<Shape<13, 12, 3>, Shape<13, 12, 2>>, Cpu<>, KeepAll>;
    check_report<M>();
    const std::vector<std::string> layers = layers_of(report_of<M>());
    CHECK(layers.at(2) == "cat: copy"); // nothing is made straight into the concat
    CHECK(layers.at(3) == ": copy");
    CHECK(report_of<M>().segments() == 0);
}

TEST_CASE("multiply-adds as the kernels count them") {
    const auto check = [](std::size_t counted, const Report& report) {
        CHECK(report.macs_run == counted);
        std::size_t of_steps = 0;
        for (const ReportStep& step : report.steps) of_steps += step.macs_run;
        CHECK(of_steps == counted);
    };
    using Streamed = Model<Inverted, Shape<10, 7, 12>, Counting>;
    using Whole = Model<Inverted, Shape<10, 7, 12>, Counting, WholeTensors<Smallest>>;
    check(counted_macs<Streamed>(), report_of<Streamed, true>());
    check(counted_macs<Whole>(), report_of<Whole, true>());
    CHECK(report_of<Streamed, true>().segments() > 0);
    CHECK(report_of<Streamed, true>().macs_run == Streamed::macs); // nothing twice
    CHECK(report_of<Whole, true>().macs_run == Whole::macs);

    // A stride that skips the last row: whole it is made, by rows nobody asks for it.
    using Skipping = Sequential<Conv2d<3, 20, Kernel<3>, Padding<1>>, MaxPool2d<2>, Conv2d<20, 4, Kernel<3>>>;
    using Skipped = Model<Skipping, Shape<15, 9, 3>, Counting>;
    check(counted_macs<Skipped>(), report_of<Skipped, true>());
    REQUIRE(report_of<Skipped, true>().tasks.at(0).last > 0);
    CHECK(report_of<Skipped, true>().macs_run == Skipped::macs - 9 * 20 * 27);
}

TEST_CASE("MobileNetV2, columns too narrow for words") {
    check_report<Model<zoo::MobileNetV2<std::ratio<35, 100>>, Shape<144, 144, 3>>>();
}

TEST_CASE("a long chain") {
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
    using Frames = Sequential<Conv1d<4, 8, Kernel<3>, Causal, Dilation<2>>, GRU<8, 6>, LSTM<6, 5>>;
    CHECK(layers_of(report_of<Model<Frames, Shape<9, 4>>>()) ==
          std::vector<std::string>{"0: conv 3 dilated 2", "1: gru", "2: lstm"});
    // A step made earlier takes its activation after another has begun.
    using Crossed = Graph<Input<"x">, Layer<"a", Linear<3, 4>, "x">, Layer<"b", Linear<3, 4>, "x">,
                          Layer<"ra", ReLU, "a">, Layer<"product", Mul, "ra", "b">, Output<"product">>;
    CHECK(layers_of(report_of<Model<Crossed, Shape<3>>>()) ==
          std::vector<std::string>{"a, ra: linear + relu", "b: linear", "product: mul of step 1"});
    using Enlarged = Sequential<ConvTranspose2d<4, 2, Kernel<2>, Stride<2>>, Upsample<2, 3>>;
    CHECK(layers_of(report_of<Model<Enlarged, Shape<3, 3, 4>>>()) ==
          std::vector<std::string>{"0: up conv 2x2", "1: upsample 2x3"});
    using Others = Sequential<Conv2d<4, 8, Kernel<3, 1>, Groups<2>, Dilation<2>>, AvgPool2d<3, Stride<2>>, Softmax,
                              LayerNorm<8>, HardSwish, Flatten>;
    CHECK(layers_of(report_of<Model<Others, Shape<12, 9, 4>>>()) ==
          std::vector<std::string>{"0: conv 3x1 groups 2 dilated 2x2", "1: avg pool 3x3 /2", "2: softmax",
                                   "3-4: layer norm + hard swish", "5: permute"});
}
