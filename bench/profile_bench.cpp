// SPDX-License-Identifier: MIT
// Where the time of a forward goes: every task of the plan with a clock around it, under WholeTensors<Fastest> (every
// step a task) and under Smallest. `tools/bench profile [part of a name ...]`, on one thread pinned to one core.
// Prints the best of the rounds; the JSON holds medians too.
#include "profile_facts.hpp"
#include "subject_list.hpp"
#include "table.hpp"

#include <tarn/cpu/cpu.hpp>

#include <cstring>
#include <sched.h>

namespace {

using tarn_bench::Figure;

/// Keeps this thread on the core it is on.
void pin() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) std::perror("not pinned to a core");
}

bool wanted(const char* name, int argc, char** argv) {
    for (int i = 2; i < argc; ++i)
        if (std::strstr(name, argv[i]) != nullptr) return true;
    return argc <= 2;
}

std::vector<Figure> figures_of(double macs, double best_ns, double share) {
    return {{"mega_macs", macs / 1e6},
            {"best_us", best_ns / 1e3},
            {"gmacs_per_s", macs / best_ns},
            {"percent_of_time", 100 * share}};
}

} // namespace

int main(int argc, char** argv) {
    if (!tarn::Cpu<>::takes_best()) return std::printf("this processor has no AVX2: nothing measured\n"), 1;
    pin();
    tarn_bench::Table all("every task");
    for (const auto& subject : tarn_bench::SubjectList<std::vector<tarn_bench::Profile>>::in_order()) {
        if (!wanted(subject.name, argc, argv)) continue;
        std::fprintf(stderr, "%s ...\n", subject.name);
        for (const tarn_bench::Profile& profile : subject.ask()) {
            const std::string title = std::string(subject.name) + ", " + profile.policy;
            tarn_bench::Table table("\n" + title + ", arena " + std::to_string(profile.arena_bytes) + " bytes");
            double macs = 0, best_ns = 0;
            for (const tarn_bench::ProfiledTask& task : profile.tasks) macs += task.macs, best_ns += task.best_ns;
            for (const tarn_bench::ProfiledTask& task : profile.tasks) {
                std::string name = task.first;
                if (task.steps > 1) name += " .. " + task.last + " (" + std::to_string(task.steps) + " by rows)";
                std::vector<Figure> figures = figures_of(task.macs, task.best_ns, task.best_ns / best_ns);
                table.add(name, figures);
                figures.push_back({"median_us", task.median_ns / 1e3});
                all.add(title + ": " + name, figures);
            }
            table.add("sum of tasks", figures_of(macs, best_ns, 1));
            table.add("forward, no clock inside", figures_of(macs, profile.best_ns, profile.best_ns / best_ns));
            table.print();
        }
    }
    return argc <= 1 || tarn_bench::Table::write({&all}, argv[1]) ? 0 : 1;
}
