// SPDX-License-Identifier: MIT
// The networks of the tests on a card, in every mode.
// Compiled without nvcc. Knows networks by name.
#include "network_trial.hpp"

void tarn_bench::try_small_networks(Report& report, About about) {
    try_modes<MlpOn>(report, about, "MLP", 1e-5);
    try_modes<ResidualOn>(report, about, "CNN with residuals", 1e-5);
    try_modes<MobileOn>(report, about, "MobileNet block", 1e-5);
    try_modes<UNetOn>(report, about, "U-Net", 1e-5);
    try_modes<GruOn>(report, about, "GRU and LSTM", 1e-5);
}
