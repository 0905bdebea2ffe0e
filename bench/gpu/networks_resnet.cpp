// SPDX-License-Identifier: MIT
// ResNet-18 at 224 x 224 with random weights on a card, in every mode.
// Compiled without nvcc. Knows the network by name.
#include "network_trial.hpp"

void tarn_bench::try_resnet(Report& report, About about) {
    try_modes<ResNet18On>(report, about, "ResNet-18", 2e-4, about == About::answers);
}
