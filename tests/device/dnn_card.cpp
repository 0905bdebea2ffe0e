// SPDX-License-Identifier: MIT
// The networks of dnn_kernels.cu, convolutions by cuDNN, on a card against the processor. Compiled without nvcc and
// without cuDNN's headers. Exits 77 where there is no card. Knows the public face only.
#include "device/trial.hpp"

int main() {
    using namespace tarn::cuda;
    using namespace tarn_test;
    if (no_card()) return 77;
    // By cuDNN's Winograd engines, whose rounding is not a plain sum's.
    const bool passed[] = {
        Trial<ResidualOn<LibraryWithDnn<>>>("residual CNN, cuDNN", 1e-4).passes(),
        Trial<ResidualOn<LibraryWithDnn<0>>>("residual CNN, cuDNN without workspace", 1e-4).passes(),
        Trial<UNetOn<LibraryWithDnn<>>>("U-Net, cuDNN", 1e-4).passes(),
    };
    return std::all_of(std::begin(passed), std::end(passed), [](bool one) { return one; }) ? 0 : 1;
}
