// SPDX-License-Identifier: MIT
// Every shape error tarn can print: one sentence each, with the layer and both shapes as template arguments.
// Stands between shapes and layers: a layer's rule returns a Fault, report_fault turns it into a compile error.
// Knows no layer type.
#pragma once

#include <tarn/core/shape.hpp>

namespace tarn {

/// The rules a layer can break. `none` means that the layer fits.
enum class Rule : int {
    none,
    linear_features,
    conv_image,
    conv_channels,
    conv_window,
    pool_image,
    pool_window,
    norm_channels,
    flatten_rank,
    residual_shapes,
    capacity,
};

/// The first rule a network breaks: which, where, and both shapes. Where: positions from the outermost module inwards.
struct Fault {
    static constexpr int max_depth = 6;

    Rule rule = Rule::none;
    Extents found{}, wanted{};
    int depth = 0;
    int path[max_depth] = {};
};

namespace check {

/// Position of a layer: Layer<6> is the seventh layer, Layer<2, 1> the second layer of the module at position 2.
template <int... Position> struct Layer {};
template <class TheShape> struct Found {};
template <class TheShape> struct Wanted {};

template <class...> inline constexpr bool never = false;

template <class Where, class In, class Need> struct LinearFeatures {
    static_assert(never<Where, In, Need>, "linear: input is [.., I] and this layer wants I features; change the layer "
                                          "or reshape the input");
};
template <class Where, class In, class Need> struct ConvImage {
    static_assert(never<Where, In, Need>, "conv: input must be an image [H, W, C]; reshape the input or remove what "
                                          "flattens it before this layer");
};
template <class Where, class In, class Need> struct ConvChannels {
    static_assert(never<Where, In, Need>, "conv: input is [H, W, C] and this layer wants C channels; change the layer "
                                          "or the one before it (images are channels last)");
};
template <class Where, class In, class Need> struct ConvWindow {
    static_assert(never<Where, In, Need>, "conv: the dilated kernel [KH, KW] is larger than the padded image [H, W]; "
                                          "pad more, use a smaller kernel or a larger image");
};
template <class Where, class In, class Need> struct PoolImage {
    static_assert(never<Where, In, Need>, "pool: input must be an image [H, W, C]; reshape the input or remove what "
                                          "flattens it before this layer");
};
template <class Where, class In, class Need> struct PoolWindow {
    static_assert(never<Where, In, Need>, "pool: the kernel [KH, KW] is larger than the padded image [H, W]; use a "
                                          "smaller kernel, a larger image or fewer pools before this one");
};
template <class Where, class In, class Need> struct NormChannels {
    static_assert(never<Where, In, Need>, "batch norm: input is [.., C] and this layer wants C channels; change the "
                                          "layer or the one before it");
};
template <class Where, class In, class Need> struct FlattenRank {
    static_assert(never<Where, In, Need>, "flatten: input has more axes than an image [H, W, C]; flatten takes "
                                          "one to three axes");
};
template <class Where, class In, class Need> struct ResidualShapes {
    static_assert(never<Where, In, Need>, "residual: body and shortcut must give the same shape to be added; change "
                                          "the last layer of the body or give the residual a shortcut");
};
template <class Where, class In, class Need> struct Capacity {
    static_assert(never<Where, In, Need>, "capacity: this module needs more elements than the tensor's storage holds; "
                                          "give the first tensor a larger Capacity");
};
struct Passed {};

template <Rule R, class Where, class In, class Need> constexpr auto select_text() noexcept {
    // A pointer, so that choosing the text does not yet instantiate it.
    if constexpr (R == Rule::linear_features)
        return static_cast<LinearFeatures<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::conv_image)
        return static_cast<ConvImage<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::conv_channels)
        return static_cast<ConvChannels<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::conv_window)
        return static_cast<ConvWindow<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::pool_image)
        return static_cast<PoolImage<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::pool_window)
        return static_cast<PoolWindow<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::norm_channels)
        return static_cast<NormChannels<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::flatten_rank)
        return static_cast<FlattenRank<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::residual_shapes)
        return static_cast<ResidualShapes<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::capacity)
        return static_cast<Capacity<Where, In, Need>*>(nullptr);
    else
        return static_cast<Passed*>(nullptr);
}

// Facts: a class with a static constexpr Fault named fault. (nvcc 13 cannot pass the Fault itself, which has an array.)
template <class Facts, int Depth, int... Positions> constexpr auto where_of() noexcept {
    if constexpr (static_cast<int>(sizeof...(Positions)) < Depth)
        return where_of<Facts, Depth, Positions..., Facts::fault.path[sizeof...(Positions)]>();
    else
        return Layer<Positions...>{};
}

template <class Text> struct Pointee;
template <class Text> struct Pointee<Text*> {
    using type = Text;
};

/// The text class of the fault of Facts, still uninstantiated; naming its size prints the error. Passed when there is
/// none.
template <class Facts>
using Verdict = typename Pointee<decltype(select_text<Facts::fault.rule, decltype(where_of<Facts, Facts::fault.depth>()),
                                                      Found<ShapeOf<Facts::fault.found>>,
                                                      Wanted<ShapeOf<Facts::fault.wanted>>>())>::type;

} // namespace check
} // namespace tarn
