// SPDX-License-Identifier: MIT
// A convolution that a vendor's library sums up: how its weights lie there, and what is left to do behind it.
// Beside conv.hpp, whose products are our own. Knows the Op and its geometry; nothing of the library.
#pragma once

#include <tarn/cuda/elementwise.hpp>
#include <tarn/cuda/pack.hpp>

namespace tarn::cuda {

/// Filters one after another, each as the image it is laid over: channel beside channel. In: of a group.
template <int Out, int KernelH, int KernelW, int In> struct FilterPacked {
    alignas(device_alignment) float weight[Out][KernelH][KernelW][In];
    alignas(device_alignment) float bias[Out];
};

template <Op O> struct FilterGeometry : Extent<O> {
    using E = Extent<O>;
    static constexpr int groups = O.groups, group_in = E::in_c / groups;

    using Packed = FilterPacked<E::out_c, E::kernel_h, E::kernel_w, group_in>;
};
// A class between function and alias, as geometry.hpp's.
template <Op O> struct ToFilterGeometry { using type = FilterGeometry<kernel_key(O)>; };

/// A conv2d's weights for a library, batch norm folded in double.
template <Op O, class Raw>
constexpr void pack_filter(typename ToFilterGeometry<O>::type::Packed& to, const Raw& raw) noexcept {
    using G = typename ToFilterGeometry<O>::type;
    const int features = raw.features > 0 ? raw.features : G::group_in;
    for (int out = 0; out < G::out_c; ++out) {
        const double scale = norm_line(raw, out).scale;
        to.bias[out] = folded_bias(raw, out);
        for (int y = 0; y < G::kernel_h; ++y) {
            for (int x = 0; x < G::kernel_w; ++x) {
                for (int c = 0; c < G::group_in; ++c) {
                    const int at = ((out * features + raw.feature + c) * G::kernel_h + y) * G::kernel_w + x;
                    to.weight[out][y][x][c] = static_cast<float>(double{raw.weight[at]} * scale);
                }
            }
        }
    }
}

/// y[.., c] = act(y[.., c] + bias[c] + other[.., c]), on the sums that the library has left in out.
template <Op O, int Threads> struct Finish : FilterGeometry<O> {
    using G = FilterGeometry<O>;
    using typename G::Packed;
    static constexpr std::size_t shared_bytes = 0;

    /// out [pixels, C] at out_pitch, other the same at other_pitch.
    template <ExecutionContext C>
    TARN_DEVICE static void run(const C& c, const float* other, float* out, const Packed& w) {
        for_each_output<O, Threads>(c, [&](int pixel, int channel) {
            float* const y = out + element(pixel, G::out_pitch, channel);
            float sum = *y + w.bias[channel];
            if constexpr (G::adds) sum += other[element(pixel, G::other_pitch, channel)];
            *y = activate<G::act>(sum, G::act_parameter);
        });
    }
};

} // namespace tarn::cuda
