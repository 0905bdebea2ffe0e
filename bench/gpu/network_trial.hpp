// SPDX-License-Identifier: MIT
// A network on a card in every mode: its answers against the processor's, or what its forwards take of memory.
// Included by networks_*.cpp. Knows models by their public face; the kernels are linked from files that run.sh writes.
#pragma once

#include "card_networks.hpp"
#include "memory_count.hpp"
#include "networks.hpp"
#include "report.hpp"

#include <memory>

namespace tarn_bench {

/// What the trials of a network are about.
enum class About { answers, memory };

/// A network's weights, an input, and what Model makes of them on the processor.
template <class Net, class In> struct Expected {
    using Cpu = tarn::Model<Net, In>;
    RandomParameters parameters = random_parameters<Net>();
    std::vector<const float*> pointers{};
    std::vector<float> input = random_input<Cpu::Input::elems>();
    std::vector<float> output{};

    Expected() {
        for (const std::vector<float>& values : parameters.values) pointers.push_back(values.data());
        const auto weights = std::make_unique<typename Cpu::Weights>();
        Cpu::pack(*weights, pointers);
        const auto session = std::make_unique<typename Cpu::Session>(*weights);
        const auto made = session->forward(std::span<const float, Cpu::Input::elems>(input));
        output.assign(made.begin(), made.end());
    }
};

template <class M> class NetworkTrial {
    static constexpr std::size_t inputs = M::template input_elems<0>, outputs = M::template output_elems<0>;
    using Truth = Expected<typename M::Module, typename M::Input>;

  public:
    NetworkTrial(std::string name, const Truth& truth) : name_(std::move(name)), truth_(truth), out_(outputs) {
        M::pack(*weights_, truth.pointers);
    }

    /// Three forwards, then three by the graph: a forward must not live on what the one before left behind.
    void check_answers(Report& report, double tolerance) {
        must(session_.open(*weights_));
        const double launched = worst_of_three();
        must(session_.record());
        const double replayed = worst_of_three();
        const tarn::cuda::GraphNodes nodes = session_.graph_nodes();
        report.judge(name_,
                     {{"worst_difference", launched},
                      {"worst_by_graph", replayed},
                      {"tolerance", tolerance},
                      {"launches", static_cast<double>(nodes.kernels)},
                      {"arena_bytes", static_cast<double>(M::device_arena_bytes)},
                      {"ping_pong_bytes", static_cast<double>(M::ping_pong_bytes)},
                      {"weight_bytes", static_cast<double>(M::device_weight_bytes)}},
                     launched <= tolerance && replayed <= tolerance);
    }
    /// 1,000 forwards by launches and 1,000 by the graph, fewer where these would take longer than three seconds.
    void check_memory(Report& report) {
        must(session_.open(*weights_));
        const MemoryTaken opened = MemoryTaken::now();
        forward();
        const MemoryTaken before = MemoryTaken::now();
        const long news_before = host_news();
        const int launched = forwards();
        const long news_launched = host_news() - news_before;
        const MemoryTaken after = MemoryTaken::now();
        must(session_.record());
        forward();
        const MemoryTaken recorded = MemoryTaken::now();
        const long news_recorded = host_news();
        const int replayed = forwards();
        const auto news = static_cast<double>(news_launched + host_news() - news_recorded);
        const MemoryTaken last = MemoryTaken::now();
        const tarn::cuda::GraphNodes nodes = session_.graph_nodes();
        const double grown = last.device - recorded.device + after.device - before.device;
        const double pool_used = last.pool_used - before.pool_used;
        const double pool_reserved = last.pool_reserved - before.pool_reserved;
        report.judge(name_,
                     {{"forwards", static_cast<double>(launched + replayed)},
                      {"device_bytes", grown},
                      {"pool_used_bytes", pool_used},
                      {"pool_reserved_bytes", pool_reserved},
                      {"host_news", news},
                      {"first_forward_bytes", before.device - opened.device},
                      {"record_bytes", recorded.device - after.device},
                      {"kernel_nodes", static_cast<double>(nodes.kernels)},
                      {"copy_nodes", static_cast<double>(nodes.copies + nodes.clears)},
                      {"memory_nodes", static_cast<double>(nodes.memory)},
                      {"other_nodes", static_cast<double>(nodes.others)}},
                     grown == 0 && pool_used == 0 && pool_reserved == 0 && news == 0 && nodes.kernels > 0 &&
                         nodes.copies + nodes.memory + nodes.others == 0);
    }

  private:
    void forward() {
        must(session_.forward(std::span<const float, inputs>(truth_.input), std::span<float, outputs>(out_)));
    }
    double worst_of_three() {
        double worst = 0.0;
        for (int i = 0; i < 3; ++i) {
            std::fill(out_.begin(), out_.end(), std::nanf(""));
            forward();
            worst = std::max(worst, worst_difference(truth_.output, out_));
        }
        return worst;
    }
    int forwards() {
        const auto first = std::chrono::steady_clock::now();
        int count = 0;
        while (count < 1000 && std::chrono::steady_clock::now() - first < std::chrono::seconds(3)) forward(), ++count;
        return count;
    }

    std::string name_;
    const Truth& truth_;
    std::vector<float> out_;
    std::unique_ptr<typename M::Weights> weights_ = std::make_unique<typename M::Weights>();
    tarn::cuda::Session<M> session_{};
};

template <class M, class Truth>
void try_network(Report& report, About about, const std::string& name, const Truth& truth, double tolerance) {
    report.attempt(name, [&] {
        NetworkTrial<M> trial(name, truth);
        about == About::answers ? trial.check_answers(report, tolerance) : trial.check_memory(report);
    });
}

/// Every mode under both policies, or the smallest alone. tolerance: of a value over max(1, |value|).
template <template <class, class> class On>
void try_modes(Report& report, About about, const std::string& name, double tolerance, bool both = true) {
    using tarn::Fastest, tarn::Smallest;
    using namespace tarn::cuda;
    using First = On<InPlace, Smallest>;
    const Expected<typename First::Module, typename First::Input> truth;
    const auto one = [&]<class Mode>(const char* mode) {
        try_network<On<Mode, Smallest>>(report, about, name + ", " + mode + ", smallest", truth, tolerance);
        if (both) try_network<On<Mode, Fastest>>(report, about, name + ", " + mode + ", fastest", truth, tolerance);
    };
    one.template operator()<InPlace>("in place");
    one.template operator()<OneLaunch>("one launch");
    one.template operator()<Library<>>("library");
    if constexpr (have_cudnn) one.template operator()<LibraryWithDnn<>>("library with cuDNN");
    one.template operator()<Best>("best");
}

void try_small_networks(Report& report, About about);
void try_resnet(Report& report, About about);

} // namespace tarn_bench
