// SPDX-License-Identifier: MIT
// Models on a card that host code, kernels and the emulation share.
// Included by the .cpp and .cu files beside it. Knows the public face only.
#pragma once

#include "cuda/networks.hpp"

#include <tarn/cuda.hpp>

namespace tarn_test {

// Blocks of 64 threads, which the emulation runs as fibres.
using SmallGrid = tarn::cuda::DeviceGrid<64, 3, tarn::cuda::Factor::f32, 2000>;

template <class Mode, class Policy = tarn::Smallest> using MlpOn = Model<Mlp, MlpIn, Cuda<Mode, SmallGrid>, Policy>;
template <class Mode> using RowsOn = Model<RowNet, RowIn, Cuda<Mode, SmallGrid>>;
template <class Mode> using ResidualOn = Model<ResidualNet, ResidualIn, Cuda<Mode, SmallGrid>>;
template <class Mode> using MobileOn = Model<MobileNet, MobileIn, Cuda<Mode, SmallGrid>>;
template <class Mode> using GruOn = Model<GruNet, GruIn, Cuda<Mode, SmallGrid>>;
/// Parts of a concat, made and read at odd offsets.
using Slices = Sequential<Parallel<Linear<5, 3>, Sequential<Linear<5, 7>, GELU>>, Concat, Linear<10, 4>>;
template <class Mode> using SlicesOn = Model<Slices, tarn::Shape<6, 5>, Cuda<Mode, SmallGrid>>;
/// Names may not reach a kernel's template arguments.
template <class Mode> struct UNetOn : Model<UNet, UNetIn, Cuda<Mode, SmallGrid>> {};

} // namespace tarn_test
