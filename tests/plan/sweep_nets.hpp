// SPDX-License-Identifier: MIT
// Chains of windows as types: seed by seed every kernel 1-7, stride 1-4 and dilation 1-3 of a first window, which
// others follow: pools, depthwise convolutions with a skip, branches of a concat. Pads differ from side to side.
// Used by the sweep tests beside it, which run each by rows and whole. Knows the public face only.
#pragma once

#include "layers/sweep.hpp"

namespace tarn_test {

/// One axis of a window and of the image below it.
struct Along {
    int extent = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;

    constexpr int reach() const { return dilation * (kernel - 1) + 1; }
    constexpr bool fits() const { return reach() <= extent + before + after; }
    constexpr int out() const { return (extent + before + after - reach()) / stride + 1; }
};

/// Pads of the first window, and the image: one pixel or column now and then, else from a bit more than the least that
/// the window fits, so that kernels are often larger than images.
constexpr void draw_image(Dice& dice, bool one_pixel, Along& along) {
    along.before = dice.between(0, one_pixel ? along.reach() - 1 : 4);
    along.after = one_pixel ? along.reach() - 1 - along.before + dice.between(0, 2) : dice.between(0, 4);
    const int least = along.reach() - along.before - along.after;
    along.extent = (least > 1 ? least : 1) + (one_pixel ? 0 : dice.between(0, 3) + along.stride * dice.between(2, 9));
}
/// A window on an image that is given.
constexpr Along draw_on(Dice& dice, int extent, bool pool) {
    Along along;
    do {
        along = {extent, dice.pick({1, 2, 3, 3, 5}), dice.pick({1, 1, 2, 3, 4}), pool ? 1 : dice.pick({1, 1, 1, 2, 3})};
        along.before = dice.between(0, pool && along.kernel < 4 ? along.kernel - 1 : 3);
        along.after = dice.between(0, pool && along.kernel < 4 ? along.kernel - 1 : 3);
    } while (!along.fits());
    return along;
}
/// A window that keeps the image's extent, its pads split anyhow.
constexpr Along draw_keeping(Dice& dice, int extent) {
    Along along{extent, dice.pick({2, 3, 3, 4, 5}), 1, dice.pick({1, 1, 2})};
    along.before = dice.between(0, along.reach() - 1);
    along.after = along.reach() - 1 - along.before;
    return along;
}

struct Chain {
    Along h[2], w[2], keep_h, keep_w;
    int in = 1, middle = 1, out = 1;
};

/// Every (kernel, stride, dilation) of the first window's rows comes once in seeds [0, 84), every (kernel, stride) in
/// [0, 28); its columns are drawn.
constexpr Chain draw_chain(unsigned seed) {
    Dice dice(seed * 8 + 7);
    Chain c;
    const int n = static_cast<int>(seed);
    c.h[0] = {1, 1 + n % 7, 1 + n / 7 % 4, 1 + (n + n / 28) % 3};
    c.w[0] = {1, dice.between(1, 7), dice.between(1, 4), dice.between(1, 3)};
    draw_image(dice, n % 8 == 3, c.h[0]);
    draw_image(dice, n % 4 == 3, c.w[0]);
    c.keep_h = draw_keeping(dice, c.h[0].out());
    c.keep_w = draw_keeping(dice, c.w[0].out());
    const bool pool = n % 5 == 1 || n % 5 == 4;
    c.h[1] = draw_on(dice, c.h[0].out(), pool);
    c.w[1] = draw_on(dice, c.w[0].out(), pool);
    c.in = dice.pick({1, 1, 2, 3, 4});
    c.middle = dice.pick({5, 8, 9, 16, 17, 24}); // wider than both ends, for rings to be worth their while
    c.out = dice.pick({1, 2, 3, 7});
    return c;
}

namespace sweep_layers {
template <Along H, Along W, int I, int O, class... More>
using Windowed =
    tarn::Conv2d<I, O, tarn::Kernel<H.kernel, W.kernel>, tarn::Stride<H.stride, W.stride>,
                 tarn::Padding<H.before, H.after, W.before, W.after>, tarn::Dilation<H.dilation, W.dilation>, More...>;
template <tarn::PoolMode Mode, Along H, Along W>
using Pooled = tarn::Pool2d<Mode, tarn::Kernel<H.kernel, W.kernel>, tarn::Stride<H.stride, W.stride>,
                            tarn::Padding<H.before, H.after, W.before, W.after>>;
template <int I, int O> using Pixelwise = tarn::Conv2d<I, O, tarn::Kernel<1>>;
} // namespace sweep_layers

/// The chain of a seed, in a std::type_identity.
template <unsigned Seed> constexpr auto chain_of() {
    using namespace tarn;
    using namespace sweep_layers;
    constexpr Chain c = draw_chain(Seed);
    constexpr int m = c.middle;
    using First = Windowed<c.h[0], c.w[0], c.in, m>;
    using Kept = Windowed<c.keep_h, c.keep_w, m, m, Groups<m>>;
    if constexpr (Seed % 5 == 0)
        return std::type_identity<
            Sequential<First, ReLU6, Windowed<c.h[1], c.w[1], m, m, Groups<m>, NoBias>, Pixelwise<m, c.out>>>{};
    else if constexpr (Seed % 5 == 1)
        return std::type_identity<
            Sequential<Pixelwise<c.in, m>, SiLU, Windowed<c.h[0], c.w[0], m, m, Groups<m>>,
                       Pooled<(Seed % 2 == 0 ? PoolMode::max : PoolMode::average), c.h[1], c.w[1]>>>{};
    else if constexpr (Seed % 5 == 2)
        return std::type_identity<
            Sequential<First, Residual<Sequential<Kept, ReLU>>, Windowed<c.h[1], c.w[1], m, c.out>>>{};
    else if constexpr (Seed % 5 == 3)
        return std::type_identity<Sequential<First, Parallel<Pixelwise<m, 3>, Windowed<c.keep_h, c.keep_w, m, 6>>,
                                             Concat, Windowed<c.h[1], c.w[1], 9, c.out>>>{};
    else
        return std::type_identity<Sequential<
            First, BatchNorm2d<m>, ReLU, Pooled<(Seed % 2 == 0 ? PoolMode::average : PoolMode::max), c.h[1], c.w[1]>,
            Residual<Sequential<Pixelwise<m, m>, Sigmoid>>, Pixelwise<m, c.out>>>{};
}

/// The chain by rows (Smallest), its input outside and in the arena, and with every tensor kept: the same bits, and
/// what the reference gives. Even seeds on the best instruction set, odd ones on the baseline. Whether it ran by rows.
template <unsigned Seed> bool check_chain() {
    using namespace tarn;
    using Device = Cpu<std::conditional_t<Seed % 2 == 0, cpu::Avx2, cpu::Baseline>>;
    using Net = typename decltype(chain_of<Seed>())::type;
    constexpr Chain c = draw_chain(Seed);
    using In = Shape<c.h[0].extent, c.w[0].extent, c.in>;
    using Small = Model<Net, In, Device, Smallest>;
    using Kept = Model<Net, In, Device, KeepAll>;
    constexpr auto& choice = Small::template PlanOf<false>::choice;
    constexpr bool by_rows = std::any_of(choice.rows, choice.rows + choice.count, [](bool rows) { return rows; });
    if (Seed % 2 == 0 && !Cpu<>::takes_best()) return by_rows; // this processor has only the baseline
    INFO("seed " << Seed << ": image " << c.h[0].extent << 'x' << c.w[0].extent << 'x' << c.in << ", kernel "
                 << c.h[0].kernel << 'x' << c.w[0].kernel << ", stride " << c.h[0].stride << 'x' << c.w[0].stride
                 << ", dilation " << c.h[0].dilation << 'x' << c.w[0].dilation << ", then kernel " << c.h[1].kernel
                 << 'x' << c.w[1].kernel << ", stride " << c.h[1].stride << 'x' << c.w[1].stride);
    const RandomParameters<Net> parameters(Seed);
    const std::vector<float> input = random_floats(In::elems, Seed + 1);
    const auto expected =
        reference_forward<Net, In>(std::span<const float, In::elems>{input.data(), In::elems}, parameters.pointers());
    const auto small = check_one<Small>(input, parameters.pointers(), expected, 1e-5);
    const auto weights = packed<Kept>(parameters.pointers());
    CHECK(same_bits(run_external<Kept>(input, *weights), small));
    return by_rows;
}

/// Seeds [First, First + Count). At least Rows of them run by rows: a sweep of whole tensors would say nothing.
template <unsigned First, unsigned Count, int Rows> void sweep_chains() {
    const int by_rows = []<unsigned... I>(std::integer_sequence<unsigned, I...>) {
        return (0 + ... + (check_chain<First + I>() ? 1 : 0));
    }
    (std::make_integer_sequence<unsigned, Count>{});
    CHECK(by_rows >= Rows);
}

} // namespace tarn_test
