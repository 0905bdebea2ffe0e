// SPDX-License-Identifier: MIT
// A dense layer as a matrix product whose factors are gathered from an image: what products of all kinds share.
// Between the geometry and the bodies in gemm.hpp, gemv.hpp and panel.hpp.
// Knows the Op and its geometry; nothing of barriers or shared memory.
#pragma once

#include <tarn/cuda/elementwise.hpp>

namespace tarn::cuda {

/// Four floats that a thread moves at once; 16-byte aligned addresses only.
struct alignas(16) Four {
    float at[4];
};
TARN_DEVICE Four load_four(const float* from) { return *reinterpret_cast<const Four*>(from); }
TARN_DEVICE void store_four(float* to, const Four& four) { *reinterpret_cast<Four*>(to) = four; }

/// y [rows, columns] = act(x [rows, depth] * w [depth, columns] + bias + other), group by group; x is the image seen
/// through the window, with no copy of it (implicit GEMM). A transposed convolution's columns are scattered instead.
template <Op O> struct Product : DenseGeometry<O> {
    using G = DenseGeometry<O>;
    static constexpr int window_h = G::is_up ? 1 : G::kernel_h, window_w = G::is_up ? 1 : G::kernel_w;
    static constexpr int step_h = G::is_up ? 1 : G::stride_h, step_w = G::is_up ? 1 : G::stride_w;
    static constexpr int row_w = G::is_up ? G::in_w : G::out_w; ///< rows of the product in a row of the image
    static constexpr bool one_place = window_h * window_w == 1;
    static constexpr bool inside =
        G::is_up || (G::pad_top == 0 && G::pad_left == 0 &&
                     (G::out_h - 1) * G::stride_h + (G::kernel_h - 1) * G::dilation_h < G::in_h &&
                     (G::out_w - 1) * G::stride_w + (G::kernel_w - 1) * G::dilation_w < G::in_w);

    /// The first pixel of a row's window.
    struct Origin {
        int y, x;
    };
    TARN_DEVICE static Origin origin_of(int row) {
        return {row / row_w * step_h - G::pad_top, row % row_w * step_w - G::pad_left};
    }
    /// x[row, k] of a group; zero where the window leaves the image. Rows and depths beyond the last are the caller's.
    TARN_DEVICE static float factor(const float* in, const Origin& origin, int group, int k) {
        const int place = one_place ? 0 : k / G::group_in, channel = one_place ? k : k % G::group_in;
        const int y = origin.y + place / window_w * G::dilation_h, x = origin.x + place % window_w * G::dilation_w;
        if constexpr (!inside)
            if (y < 0 || y >= G::in_h || x < 0 || x >= G::in_w) return 0.F;
        return in[element(y * G::in_w + x, G::in_pitch, group * G::group_in + channel)];
    }

    /// Where y[row, column] of a group lies in the output image.
    struct Target {
        int pixel, channel;
    };
    TARN_DEVICE static Target target_of(int row, int group, int column) {
        if constexpr (G::is_up) {
            const int place = column / G::out_c;
            const int y = row / row_w * G::kernel_h + place / G::kernel_w;
            const int x = row % row_w * G::kernel_w + place % G::kernel_w;
            return {y * G::out_w + x, column % G::out_c};
        } else {
            return {row, group * G::group_out + column};
        }
    }
    /// What is added to a sum of products: the bias, and the second input.
    TARN_DEVICE static float addend(const float* other, const typename G::Packed& w, int row, int group, int column) {
        float sum = w.bias[group][column];
        if constexpr (G::adds) {
            const Target to = target_of(row, group, column);
            sum += other[element(to.pixel, G::other_pitch, to.channel)];
        }
        return sum;
    }
    TARN_DEVICE static void store(float* out, int row, int group, int column, float sum) {
        const Target to = target_of(row, group, column);
        out[element(to.pixel, G::out_pitch, to.channel)] = activate<G::act>(sum, G::act_parameter);
    }
};

} // namespace tarn::cuda
