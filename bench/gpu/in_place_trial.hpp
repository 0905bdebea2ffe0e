// SPDX-License-Identifier: MIT
// One operation of a library with its output lying apart, then on one of its inputs: whether it is refused, and whether
// the result is the same. Forbidden ones as well: what they do is the question.
// Under in_place_blas.cpp and in_place_dnn.cpp. Knows the runtime; nothing of libraries.
#pragma once

#include "report.hpp"

#include <functional>
#include <memory>

namespace tarn_bench {

/// An operation. inputs: its operands, the one at `shared` being where the output goes in place. run(inputs, out): what
/// the library answered, an empty text where it agreed; it may leave its work in the stream. In both forms the output
/// begins as what the shared input is, so that one which is added to is the same question.
struct InPlaceTrial {
    std::string name;
    std::string documented; ///< allowed, forbidden or silent, as the library's manual has it
    std::vector<std::vector<float>> inputs;
    std::size_t shared = 0;
    std::size_t out_elems = 0;
    std::function<std::string(const std::vector<float*>&, float*)> run;
};

constexpr int in_place_repeats = 10;
/// Ways of summing differ by less; a result that is wrong differs by more.
constexpr double in_place_same = 1e-4;

inline void try_in_place(Report& report, const Stream& stream, const InPlaceTrial& trial) {
    report.attempt(trial.name, [&] {
        const std::vector<float>& shared = trial.inputs[trial.shared];
        std::vector<std::unique_ptr<DeviceBlock>> blocks;
        std::vector<float*> operands;
        for (const std::vector<float>& input : trial.inputs) {
            const std::size_t elems = &input == &shared ? std::max(input.size(), trial.out_elems) : input.size();
            blocks.push_back(std::make_unique<DeviceBlock>(elems * sizeof(float)));
            operands.push_back(blocks.back()->floats());
        }
        const DeviceBlock apart(std::max(shared.size(), trial.out_elems) * sizeof(float));
        const auto run = [&](float* out) {
            for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i]->upload(trial.inputs[i]);
            apart.upload(shared);
            must(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // the stream waits for no other
            std::string answer = trial.run(operands, out);
            stream.wait();
            return answer;
        };
        const auto add = [&](std::string result, Figure wrong, Figure worst) {
            report.add(trial.name, {Figure::said("documented", trial.documented), std::move(wrong), std::move(worst),
                                    Figure::said("result", std::move(result))});
        };
        const Figure no_count = Figure::missing("wrong_of_10"), no_worst = Figure::missing("worst_difference");
        if (const std::string answer = run(apart.floats()); !answer.empty())
            return add("refused apart as well: " + answer, no_count, no_worst);
        const std::vector<float> expected = apart.download(trial.out_elems);
        int wrong = 0;
        double worst = 0.0;
        for (int i = 0; i < in_place_repeats; ++i) {
            if (const std::string answer = run(operands[trial.shared]); !answer.empty())
                return add("refused: " + answer, no_count, no_worst);
            const double off = worst_difference(expected, blocks[trial.shared]->download(trial.out_elems));
            wrong += off <= in_place_same ? 0 : 1;
            worst = std::max(worst, off);
        }
        add(wrong == 0 ? "same" : "wrong", {"wrong_of_10", static_cast<double>(wrong)}, {"worst_difference", worst});
    });
}

} // namespace tarn_bench
