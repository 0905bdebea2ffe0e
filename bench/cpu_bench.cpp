// SPDX-License-Identifier: MIT
// Single layers on one core: tarn, every rival that is found, percent of the processor's limits, the project's gates;
// and what running in place costs. `tools/bench cpu [PART OF A NAME ...] [--rounds N] [--slice MS] [--alone]`.
// One process pinned to one core, one thread, random data, all contenders of a row in turn in every round.
// Knows rows and rivals by their interfaces only.
#include "cpu_limits.hpp"
#include "cpu_pin.hpp"
#include "cpu_rows.hpp"
#include "cpu_timing.hpp"
#include "table.hpp"

#include <tarn/cpu/cpu.hpp>

#include <cmath>
#include <cstring>
#include <map>
#include <optional>

namespace {

using namespace tarn_bench;

struct Settings {
    const char* json = nullptr;
    std::vector<std::string> parts{};
    Rounds rounds{};
    bool alone = false; ///< without rivals

    Settings(int argc, char** argv) {
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            if (word == "--rounds" && i + 1 < argc)
                rounds.count = std::atoi(argv[++i]);
            else if (word == "--slice" && i + 1 < argc)
                rounds.slice_ns = std::atof(argv[++i]) * 1e6;
            else if (word == "--alone")
                alone = true;
            else if (i == 1)
                json = argv[i];
            else
                parts.push_back(word);
        }
        if (rounds.count < 1) rounds.count = 1;
    }
    bool wants(const Row& row) const {
        return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
                   return row.name.find(part) != std::string::npos;
               });
    }
};

double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
}

/// What the rows come to.
struct Totals {
    std::vector<double> speeds{}, median_speeds{};      // best rival over tarn
    std::vector<double> direct_costs{}, staged_costs{}; // in place over apart
    int gated = 0, passed = 0, stretched = 0;
    bool same = true;
};

/// The fastest contender of a name.
struct Found {
    double best = 0, median = 0;
};

class Measured {
  public:
    Measured(const Row& row, const Settings& settings) : row_(row) {
        const Case made = row.make();
        flops_ = made.flops, bytes_ = made.bytes, read_bytes_ = made.read_elems * sizeof(float);
        std::vector<Contender> contenders = made.own;
        for (const Rival& rival : rivals())
            if (!settings.alone) rival.prepare(made.problem, contenders);
        same_ = agree(contenders, made.out_elems);
        contenders.push_back(fma_peak());
        if (made.read_elems > 0)
            for (Contender& read : reads_of(static_cast<std::size_t>(made.read_elems)))
                contenders.push_back(std::move(read));
        for (const Contender& contender : contenders) names_.push_back(contender.name);
        times_ = time_in_turn(contenders, settings.rounds);
    }
    bool met(const std::string& rival) const { return index(rival).has_value(); }

    /// Adds to the table that is read and the one that is kept.
    void tell(Table& shown, Table& kept, const std::vector<std::string>& rival_names, Totals& totals) const {
        const Found own = *found(own_name);
        const double giga = flops_ / own.best, peak = peak_flops / found(peak_name)->best;
        std::vector<Figure> figures{{"tarn_us", own.best / 1e3}}, more{{"tarn_median_us", own.median / 1e3}};
        double share = 100 * giga / peak;
        if (flops_ > 0) {
            figures.push_back({"gflops", giga});
            figures.push_back({"percent_of_peak", share});
            more.push_back({"peak_gflops", peak});
        }
        if (bytes_ > 0) {
            share = percent_of_read();
            figures.push_back({"gb_per_s", bytes_ / own.best});
            figures.push_back({"percent_of_read", share});
            more.push_back({"read_gb_per_s", read_bytes_ / found(read_name)->best});
        }
        Found rival;
        for (const std::string& name : rival_names) {
            const std::optional<Found> time = found(name);
            figures.push_back(time ? Figure{name + "_us", time->best / 1e3} : Figure::missing(name + "_us"));
            more.push_back(time ? Figure{name + "_median_us", time->median / 1e3}
                                : Figure::missing(name + "_median_us"));
            if (!time) continue;
            rival.best = rival.best > 0 ? std::min(rival.best, time->best) : time->best;
            rival.median = rival.median > 0 ? std::min(rival.median, time->median) : time->median;
        }
        const bool rivalled = rival.best > 0;
        figures.push_back(rivalled ? Figure{"rival_over_tarn", rival.best / own.best}
                                   : Figure::missing("rival_over_tarn"));
        more.push_back(rivalled ? Figure{"median_rival_over_tarn", rival.median / own.median}
                                : Figure::missing("median_rival_over_tarn"));
        if (rivalled) {
            totals.speeds.push_back(rival.best / own.best);
            totals.median_speeds.push_back(rival.median / own.median);
        }
        tell_in_place(figures, totals);
        tell_gate(figures, share, own, totals);
        shown.add(row_.name, figures);
        figures.insert(figures.end(), more.begin(), more.end());
        kept.add(row_.name, std::move(figures));
        totals.same = totals.same && same_;
    }

  private:
    std::optional<std::size_t> index(const std::string& name) const {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (names_[i] == name) return i;
        return {};
    }
    std::optional<Found> found(const std::string& name) const {
        std::optional<Found> least;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (names_[i] != name) continue;
            const Found time{times_[i].best(), times_[i].median()};
            if (!least || time.best < least->best) least = time;
        }
        return least;
    }

    /// Against the loop that reads fastest, round by round: memory's speed is shared with other guests and drifts.
    double percent_of_read() const {
        std::size_t reading = names_.size();
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (names_[i] == read_name && (reading == names_.size() || times_[i].median() < times_[reading].median()))
                reading = i;
        return 100 * bytes_ / read_bytes_ * times_[reading].over(times_[*index(own_name)]);
    }
    /// Everybody's result against tarn's. Rivals sum in other orders.
    bool agree(const std::vector<Contender>& contenders, std::size_t elems) const {
        std::vector<float> wanted(elems), got(elems);
        contenders[0].result(wanted.data());
        bool all = true;
        for (std::size_t i = 1; i < contenders.size(); ++i) {
            const std::string& name = contenders[i].name;
            if (!contenders[i].result) continue; // in place; tarn's own bits there are a test's matter
            contenders[i].result(got.data());
            double most = 0;
            for (std::size_t e = 0; e < elems; ++e) {
                const double off = std::fabs(static_cast<double>(got[e]) - static_cast<double>(wanted[e]));
                most = std::max(most, std::isfinite(off) ? off / (1 + std::fabs(static_cast<double>(wanted[e]))) : 1e9);
            }
            if (most < 1e-4) continue;
            std::printf("%s: %s is off by %.3g\n", row_.name.c_str(), name.c_str(), most);
            all = false;
        }
        return all;
    }

    void tell_in_place(std::vector<Figure>& figures, Totals& totals) const {
        const auto ratio = [&](const char* column, const char* in_place, const char* apart, std::vector<double>& all) {
            const std::optional<std::size_t> inside = index(in_place), outside = index(apart);
            if (!inside || !outside) return figures.push_back(Figure::missing(column));
            figures.push_back({column, times_[*inside].over(times_[*outside])});
            if (flops_ > 0) all.push_back(figures.back().value);
        };
        ratio("direct_in_place_over_apart", direct_in_place, own_name, totals.direct_costs);
        ratio("staged_in_place_over_apart", staged_in_place, staged_apart, totals.staged_costs);
    }

    void tell_gate(std::vector<Figure>& figures, double share, const Found& own, Totals& totals) const {
        const Gate& gate = row_.gate;
        if (gate.of == Gate::Of::nothing) {
            for (const char* column : {"must", "stretch", "gate"}) figures.push_back(Figure::missing(column));
            return;
        }
        const bool in_time = gate.of == Gate::Of::nanoseconds;
        const auto reaches = [&](double limit) { return in_time ? own.best <= limit : share >= limit; };
        const std::string unit = in_time ? "ns" : "%";
        figures.push_back(Figure::said("must", Figure{"", gate.must}.text() + unit));
        figures.push_back(Figure::said("stretch", Figure{"", gate.stretch}.text() + unit));
        const std::optional<Found> rival = found(gate.rival);
        const bool pass = reaches(gate.must);
        const bool stretch = reaches(gate.stretch) && (!rival || rival->best >= gate.times * own.best);
        figures.push_back(Figure::said("gate", stretch ? "stretch" : pass ? "pass" : "FAIL"));
        ++totals.gated;
        totals.passed += pass;
        totals.stretched += stretch;
    }

    Row row_;
    double flops_ = 0, bytes_ = 0, read_bytes_ = 0;
    std::vector<std::string> names_{};
    std::vector<Times> times_{};
    bool same_ = true;
};
/// Names of the rivals that had something for a section, so that only those get columns.
std::vector<std::string> rivals_of(const std::vector<Measured>& section) {
    std::vector<std::string> names;
    for (const Rival& rival : rivals()) {
        const bool met =
            std::any_of(section.begin(), section.end(), [&](const Measured& m) { return m.met(rival.name); });
        if (met && std::find(names.begin(), names.end(), rival.name) == names.end()) names.push_back(rival.name);
    }
    return names;
}

/// Leaves out the rivals that are not here, and says which.
void tell_rivals() {
    std::vector<Rival>& list = rivals();
    list.erase(std::remove_if(list.begin(), list.end(), [](const Rival& rival) { return !rival.is_here(); }),
               list.end());
    std::string here, missing;
    for (const char* const name : {"OpenBLAS", "BLIS", "Eigen", "oneDNN", "libxsmm", "ONNX Runtime"}) {
        const bool found =
            std::any_of(list.begin(), list.end(), [&](const Rival& rival) { return rival.name == name; });
        std::string& names = found ? here : missing;
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    std::printf("rivals: %s; not found here: %s\n", here.empty() ? "none" : here.c_str(),
                missing.empty() ? "none" : missing.c_str());
}

void tell(const Totals& totals) {
    const auto mean = [](const char* what, const std::vector<double>& values) {
        if (!values.empty()) std::printf("%-62s %.3f over %zu rows\n", what, geometric_mean(values), values.size());
    };
    mean("geometric mean of best rival / tarn, best of rounds", totals.speeds);
    mean("geometric mean of best rival / tarn, medians of rounds", totals.median_speeds);
    mean("geometric mean of in place / apart, direct, rows of products", totals.direct_costs);
    mean("geometric mean of in place / apart, staged, rows of products", totals.staged_costs);
    std::printf("gates: %d rows, %d reach must, %d reach stretch\n", totals.gated, totals.passed, totals.stretched);
}

} // namespace

int main(int argc, char** argv) {
    begin_with_one_thread(argv);
    const Settings settings(argc, argv);
    pin_to_last_core();
    tell_rivals();
    std::printf("times are the best of %d interleaved rounds of slices of %.0f ms\n", settings.rounds.count,
                settings.rounds.slice_ns / 1e6);

    const tarn::Cpu<>::Scope scope; // subnormals are zeros for everybody alike
    std::map<std::string, std::vector<Row>> by_section;
    std::vector<std::string> sections;
    for (const Row& row : rows_in_order()) {
        if (!settings.wants(row)) continue;
        if (by_section[row.section].empty()) sections.push_back(row.section);
        by_section[row.section].push_back(row);
    }
    Totals totals;
    Table kept("");
    for (const std::string& section : sections) {
        Table shown("\n" + section);
        std::vector<Measured> measured;
        for (const Row& row : by_section[section]) measured.emplace_back(row, settings);
        const std::vector<std::string> rival_names = rivals_of(measured);
        for (const Measured& row : measured) row.tell(shown, kept, rival_names, totals);
        shown.print();
        std::fflush(stdout);
    }
    std::printf("\n");
    tell(totals);
    if (!totals.same) std::printf("FAILED: results differ\n");
    return (settings.json == nullptr || Table::write({&kept}, settings.json)) && totals.same ? 0 : 1;
}
