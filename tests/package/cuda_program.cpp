// SPDX-License-Identifier: MIT
// Host code on the face of CUDA, compiled without nvcc: opens a session, and runs it where there is a card.
// Run by run.cmake; exits 0 when the scores are right or there is no card. Knows the public face only.
#include "cuda.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    using consumer::OnCard;
    std::vector<float> weight_1(32), bias_1(8, 0.5F), weight_2(16), bias_2(2, 1.F);
    for (std::size_t i = 0; i < weight_1.size(); ++i) weight_1[i] = 0.1F * static_cast<float>(i % 7) - 0.2F;
    for (std::size_t i = 0; i < weight_2.size(); ++i) weight_2[i] = 0.2F * static_cast<float>(i % 5) - 0.3F;
    const float* const parameters[] = {weight_1.data(), bias_1.data(), weight_2.data(), bias_2.data()};
    static OnCard::Weights weights;
    OnCard::pack(weights, parameters);

    std::printf("on a card: arena %zu bytes, weights %zu\n", OnCard::device_arena_bytes, OnCard::device_weight_bytes);
    const float input[4] = {1.F, -1.F, 0.5F, 2.F};
    float scores[2] = {}, wanted[2] = {bias_2[0], bias_2[1]};
    for (std::size_t h = 0; h < 8; ++h) {
        float sum = bias_1[h];
        for (std::size_t i = 0; i < 4; ++i) sum += weight_1[4 * h + i] * input[i];
        for (std::size_t o = 0; o < 2; ++o) wanted[o] += weight_2[8 * o + h] * (sum > 0.F ? sum : 0.F);
    }
    tarn::cuda::Session<OnCard> session;
    tarn::cuda::Status status = session.open(weights);
    if (status.ok()) status = session.forward(std::span<const float, 4>(input), std::span<float, 2>(scores));
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("no card, and the session says so: %s: %s\n", status.call, status.text);
        return status.ok() ? 1 : 0;
    }
    std::printf("%s: %g %g, wanted %g %g\n", status.ok() ? "ran" : status.text, static_cast<double>(scores[0]),
                static_cast<double>(scores[1]), static_cast<double>(wanted[0]), static_cast<double>(wanted[1]));
    return status.ok() && std::abs(scores[0] - wanted[0]) < 1e-5F && std::abs(scores[1] - wanted[1]) < 1e-5F ? 0 : 1;
}
