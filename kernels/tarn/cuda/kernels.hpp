// SPDX-License-Identifier: MIT
// The body for an Op.
// What walkers and launchers ask. Knows every body; nothing of plans or launches.
#pragma once

#include <tarn/cuda/conv.hpp>
#include <tarn/cuda/depthwise.hpp>
#include <tarn/cuda/gemv.hpp>
#include <tarn/cuda/panel.hpp>
#include <tarn/cuda/pool.hpp>
#include <tarn/cuda/recurrent.hpp>
#include <tarn/cuda/rowwise.hpp>

namespace tarn::cuda {

/// The body for an Op on blocks of Threads threads. Blocks: as Conv's and Outputs', for kinds that hold their outputs;
/// F: the factors of dense layers.
template <Op Given, int Threads, Factor F = Factor::f32, int Blocks = 0> constexpr auto body_for() noexcept {
    constexpr Op O = kernel_key(Given);
    if constexpr (is_depthwise(O)) {
        return Depthwise<O, Threads, Blocks>{};
    } else if constexpr (is_dense(O)) {
        if constexpr (DenseGeometry<O>::rows <= 4)
            return Gemv<O, Threads, Blocks>{};
        else
            return Conv<O, Threads, F, Blocks>{};
    } else if constexpr (is_pool(O)) {
        return Pool<O, Threads, Blocks>{};
    } else if constexpr (is_recurrent(O)) {
        return Recurrent<O, Threads>{};
    } else if constexpr (O.kind == OpKind::upsample) {
        return Upsample<O, Threads, Blocks>{};
    } else if constexpr (O.kind == OpKind::batch_norm) {
        return Norm<O, Threads>{};
    } else if constexpr (O.kind == OpKind::layer_norm) {
        return LayerNorm<O, Threads>{};
    } else if constexpr (O.kind == OpKind::softmax) {
        return Softmax<O, Threads>{};
    } else if constexpr (O.kind == OpKind::flatten_pytorch) {
        return Permute<O, Threads>{};
    } else {
        return Map<O, Threads>{};
    }
}
// A class between function and alias: g++ 12 crashes on an alias that takes an Op of a template argument's.
template <Op O, int Threads, Factor F, int Blocks> struct ToBody {
    using type = decltype(body_for<O, Threads, F, Blocks>());
};
template <Op O, int Threads, Factor F = Factor::f32, int Blocks = 0>
using BodyFor = typename ToBody<O, Threads, F, Blocks>::type;

} // namespace tarn::cuda
