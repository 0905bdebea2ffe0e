// SPDX-License-Identifier: MIT
// Upsample: every pixel of an image several times, nearest neighbour.
// A description: shape rule and Op, no parameters. Kernels are in kernels/tarn/*/upsample.
// Knows nothing of memory or devices.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn {

/// Every pixel H x W times (H x H where W is left out).
/// Shapes: x [h, w, C] -> y [h * H, w * W, C]. Memory: out of place, no scratch.
/// Errors: x must be an image; factors below 1. Source: torch.nn.Upsample(scale_factor=(H, W)), mode "nearest".
template <int H, int W = H> struct Upsample {
    static constexpr int parameter_count = 0;

    static constexpr Fault rule(Extents in) noexcept {
        Fault fault;
        if (H < 1 || W < 1) {
            fault.rule = Rule::upsample_factor;
        } else if (in.rank != 3) {
            fault.rule = Rule::upsample_image;
            fault.found = in;
            fault.wanted = extents_of(in.rank > 1 ? in[0] : 1, in.rank > 1 ? in[1] : 1, in.last());
        }
        return fault;
    }
    static constexpr Op op(Extents in) noexcept {
        Op op;
        op.kind = OpKind::upsample;
        op.in = in.rank == 3 ? in : extents_of(1, 1, in.last());
        op.window.stride_h = H > 0 ? H : 1;
        op.window.stride_w = W > 0 ? W : 1;
        op.out = extents_of(op.in[0] * op.window.stride_h, op.in[1] * op.window.stride_w, op.in[2]);
        return op;
    }
};

} // namespace tarn
