// SPDX-License-Identifier: MIT
// The networks of the latency part, batch one: a perceptron, a CNN with residuals, a GRU over 64 frames.
// latency_torch.py has the same. Included by host code and by the kernels' files that run.sh writes. Knows the public
// face only.
#pragma once

#include "card_facts.hpp" // written by run.sh: card_multiprocessors, have_cudnn

#include <tarn/cuda.hpp>

namespace tarn_bench {

using LatencyGrid = tarn::cuda::DeviceGrid<256, card_multiprocessors>;

using FastMlp = tarn::Sequential<tarn::Linear<48, 512>, tarn::SiLU, tarn::Linear<512, 256>, tarn::SiLU,
                                 tarn::Linear<256, 128>, tarn::SiLU, tarn::Linear<128, 12>>;

template <int C>
using FastBlock =
    tarn::Sequential<tarn::Residual<tarn::Sequential<tarn::Conv2d<C, C, tarn::Kernel<3>, tarn::Padding<1>>, tarn::ReLU,
                                                     tarn::Conv2d<C, C, tarn::Kernel<3>, tarn::Padding<1>>>>,
                     tarn::ReLU>;
template <int I, int O>
using FastHalving =
    tarn::Sequential<tarn::Conv2d<I, O, tarn::Kernel<3>, tarn::Stride<2>, tarn::Padding<1>>, tarn::ReLU>;
using FastCnn = tarn::Sequential<tarn::Conv2d<3, 16, tarn::Kernel<3>, tarn::Padding<1>>, tarn::ReLU, FastBlock<16>,
                                 FastHalving<16, 32>, FastBlock<32>, FastHalving<32, 64>, FastBlock<64>,
                                 tarn::GlobalAvgPool2d, tarn::Flatten, tarn::Linear<64, 10>>;

using FastGru = tarn::Sequential<tarn::GRU<16, 64>, tarn::Linear<64, 10>>;

template <class Mode, class Policy>
struct FastMlpOn : tarn::Model<FastMlp, tarn::Shape<48>, tarn::Cuda<Mode, LatencyGrid>, Policy> {};
template <class Mode, class Policy>
struct FastCnnOn : tarn::Model<FastCnn, tarn::Shape<32, 32, 3>, tarn::Cuda<Mode, LatencyGrid>, Policy> {};
template <class Mode, class Policy>
struct FastGruOn : tarn::Model<FastGru, tarn::Shape<64, 16>, tarn::Cuda<Mode, LatencyGrid>, Policy> {};

/// How a block for each layer's output is taken and given back.
enum class Taking { malloc, pool };

/// A forward by launches, a step each, with a block of memory taken before each step and given back behind the next,
/// as a framework's tensors are. The kernels go on working in the arena: what is added is what the calls cost.
template <class TheModel> struct AllocatingLaunches {
    using How = typename tarn::cuda::Launches<TheModel>::How;
    static tarn::cuda::Status enqueue(const How& how, float* arena, const void* weights, cudaStream_t stream,
                                      Taking taking) noexcept;
};

} // namespace tarn_bench
