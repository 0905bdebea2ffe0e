// SPDX-License-Identifier: MIT
// Whole networks as kernels: each as one launch and as one for each step. What nvcc makes of them is read by spills.py.
// Compiled for sm_75 and sm_90, never run. Knows networks by their public face.
#include "cuda/networks.hpp"

#include <tarn/cuda/kernel.cuh>
#include <tarn/run/network_launch.hpp>

namespace {

using TestGrid = tarn::cuda::DeviceGrid<256, 4>;

/// Names in a network may not reach a kernel's template arguments: nvcc 13 cannot write them down.
struct UNetModel : tarn::DeviceModel<tarn_test::UNet, tarn_test::UNetIn, TestGrid> {};

template <class TheModel, int... S>
void launch_steps(float* arena, const void* weights, std::integer_sequence<int, S...>) {
    (tarn::cuda::kernel<tarn::StepLaunch<TheModel, S>>
     <<<4, TestGrid::threads, tarn::StepLaunch<TheModel, S>::shared_bytes>>>(arena, weights),
     ...);
}
template <class TheModel> void launch_network(float* arena, const void* weights) {
    using Work = tarn::NetworkLaunch<TheModel>;
    tarn::cuda::kernel<Work><<<4, TestGrid::threads, Work::shared_bytes>>>(arena, weights);
    launch_steps<TheModel>(arena, weights, std::make_integer_sequence<int, TheModel::step_count>{});
}

} // namespace

void launch_all(float* arena, const void* weights) {
    using namespace tarn_test;
    launch_network<tarn::DeviceModel<Mlp, MlpIn, TestGrid>>(arena, weights);
    launch_network<tarn::DeviceModel<RowNet, RowIn, TestGrid>>(arena, weights);
    launch_network<tarn::DeviceModel<ResidualNet, ResidualIn, TestGrid>>(arena, weights);
    launch_network<tarn::DeviceModel<MobileNet, MobileIn, TestGrid>>(arena, weights);
    launch_network<UNetModel>(arena, weights);
    launch_network<tarn::DeviceModel<GruNet, GruIn, TestGrid>>(arena, weights);
}
