// SPDX-License-Identifier: MIT
// Windows drawn at compile time from a seed: convolutions and pools of every form, as types with a fitting image.
// Used by the sweep tests; another seed is another layer.
// Knows the public face only.
#pragma once

#include "support/model_check.hpp"

#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tarn_test {

enum class Drawn : int { dense, grouped, depthwise, max_pool, average_pool };

/// A layer and its image as plain numbers.
struct Drawing {
    Drawn kind = Drawn::dense;
    int h = 1, w = 1, in = 1, out = 1, groups = 1;
    int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
    int top = 0, bottom = 0, left = 0, right = 0;
    bool bias = true, ceil = false, exclude = false;
};

/// splitmix64: any seed gives numbers unlike those of the next.
class Dice {
  public:
    constexpr explicit Dice(unsigned seed) : state_(seed) {}
    constexpr int between(int low, int high) {
        state_ += 0x9E3779B97F4A7C15ULL;
        unsigned long long bits = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9ULL;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBULL;
        return low + static_cast<int>((bits >> 33) % static_cast<unsigned long long>(high - low + 1));
    }
    constexpr int pick(std::initializer_list<int> choices) {
        return choices.begin()[between(0, static_cast<int>(choices.size()) - 1)];
    }
    constexpr bool one_in(int n) { return between(1, n) == 1; }

  private:
    unsigned long long state_;
};

/// One axis: kernel 1..7, stride 1..4, dilation 1..3, any padding up to a kernel's reach less one, and an image from
/// the smallest that fits, which is smaller than the kernel wherever there is padding.
constexpr void draw_axis(Dice& dice, bool pool, int kernel, int& extent, int& stride, int& dilation, int& before,
                         int& after) {
    stride = dice.pick({1, 1, 1, 2, 2, 3, 4});
    dilation = pool ? 1 : dice.pick({1, 1, 1, 2, 3});
    const int reach = dilation * (kernel - 1) + 1;
    const int most = reach - 1 < 4 ? reach - 1 : 4;
    before = dice.one_in(3) ? 0 : dice.between(0, most);
    after = dice.one_in(3) ? before : dice.between(0, most);
    const int least = reach - before - after;
    extent = (least > 1 ? least : 1) + (dice.one_in(4) ? 0 : dice.between(0, 7));
}

constexpr Drawing draw(Drawn kind, unsigned seed) {
    // Beside, on and between blocks of 8 and 16 lanes.
    constexpr int channels[] = {1, 7, 8, 9, 15, 16, 17, 31, 33, 48, 100};
    Dice dice(seed * 8 + static_cast<unsigned>(kind));
    Drawing d;
    d.kind = kind;
    const bool pool = kind == Drawn::max_pool || kind == Drawn::average_pool;
    d.out = channels[seed % 11];
    d.in = kind == Drawn::dense ? dice.pick({1, 2, 3, 4, 5, 8, 9, 16, 17, 24}) : d.out;
    if (kind == Drawn::depthwise) d.groups = d.out;
    if (kind == Drawn::grouped) {
        d.groups = dice.pick({2, 3, 4});
        d.in = d.groups * dice.pick({1, 2, 3, 8});
        d.out = d.groups * dice.pick({1, 3, 8, 16, 17});
    }
    d.kernel_h = dice.pick({1, 2, 3, 3, 3, 4, 5, 7});
    d.kernel_w = dice.one_in(2) ? d.kernel_h : dice.pick({1, 2, 3, 4, 5, 6, 7});
    draw_axis(dice, pool, d.kernel_h, d.h, d.stride_h, d.dilation_h, d.top, d.bottom);
    draw_axis(dice, pool, d.kernel_w, d.w, d.stride_w, d.dilation_w, d.left, d.right);
    d.bias = !dice.one_in(3);
    d.ceil = dice.one_in(3);
    d.exclude = dice.one_in(2);
    return d;
}

/// The drawn layer as a type, in a std::type_identity.
template <Drawn Kind, unsigned Seed> constexpr auto layer_of() {
    using namespace tarn;
    constexpr Drawing d = draw(Kind, Seed);
    using K = Kernel<d.kernel_h, d.kernel_w>;
    using S = Stride<d.stride_h, d.stride_w>;
    using P = Padding<d.top, d.bottom, d.left, d.right>;
    using L = Dilation<d.dilation_h, d.dilation_w>;
    if constexpr (Kind == Drawn::max_pool) {
        return std::conditional<d.ceil, Pool2d<PoolMode::max, K, S, P, CeilMode>, Pool2d<PoolMode::max, K, S, P>>{};
    } else if constexpr (Kind == Drawn::average_pool) {
        constexpr PoolMode mode = PoolMode::average;
        if constexpr (d.ceil)
            return std::conditional<d.exclude, Pool2d<mode, K, S, P, CeilMode, ExcludePadding>,
                                    Pool2d<mode, K, S, P, CeilMode>>{};
        else
            return std::conditional<d.exclude, Pool2d<mode, K, S, P, ExcludePadding>, Pool2d<mode, K, S, P>>{};
    } else {
        return std::conditional<d.bias, Conv2d<d.in, d.out, K, S, P, L, Groups<d.groups>>,
                                Conv2d<d.in, d.out, K, S, P, L, Groups<d.groups>, NoBias>>{};
    }
}

/// The drawn layer, every third one with an activation behind it, which a convolution takes into its epilogue.
template <Drawn Kind, unsigned Seed> void check_drawn() {
    constexpr Drawing d = draw(Kind, Seed);
    using Layer = typename decltype(layer_of<Kind, Seed>())::type;
    using Net = std::conditional_t<Seed % 3 == 2, tarn::Sequential<Layer, tarn::SiLU>, Layer>;
    INFO("seed " << Seed << ": image " << d.h << 'x' << d.w << 'x' << d.in << ", " << d.out << " channels, " << d.groups
                 << " groups, kernel " << d.kernel_h << 'x' << d.kernel_w << ", stride " << d.stride_h << 'x'
                 << d.stride_w << ", dilation " << d.dilation_h << 'x' << d.dilation_w << ", padding " << d.top << ' '
                 << d.bottom << ' ' << d.left << ' ' << d.right << ", ceil " << d.ceil << ", exclude " << d.exclude);
    check_network<Net, tarn::Shape<d.h, d.w, d.in>>(Seed);
}

template <Drawn Kind, unsigned First, unsigned... I> void check_from(std::integer_sequence<unsigned, I...>) {
    (check_drawn<Kind, First + I>(), ...);
}
/// Seeds [First, First + Count).
template <Drawn Kind, unsigned First, unsigned Count> void sweep() {
    check_from<Kind, First>(std::make_integer_sequence<unsigned, Count>{});
}

} // namespace tarn_test
