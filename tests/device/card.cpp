// SPDX-License-Identifier: MIT
// The networks of kernels.cu on a card against the processor. Compiled without nvcc and linked with its kernels. Exits
// 77 where there is no card. Knows the public face only.
#include "device/trial.hpp"

int main() {
    using namespace tarn::cuda;
    using namespace tarn_test;
    if (no_card()) return 77;
    const bool passed[] = {
        Trial<MlpOn<InPlace>>("MLP, a launch a step").passes(),
        Trial<MlpOn<OneLaunch>>("MLP, one launch").passes(),
        Trial<MlpOn<Library<>, tarn::Fastest>>("MLP, cuBLASLt").passes(),
        Trial<MlpOn<Best>>("MLP, best").passes(),
        Trial<ResidualOn<Library<0>>>("residual CNN, cuBLASLt without workspace").passes(),
        Trial<GruOn<OneLaunch>>("GRU and LSTM, one launch").passes(),
        Trial<UNetOn<InPlace>>("U-Net, a launch a step").passes(),
        Trial<UNetOn<OneLaunch>>("U-Net, one launch").passes(),
    };
    return std::all_of(std::begin(passed), std::end(passed), [](bool one) { return one; }) ? 0 : 1;
}
