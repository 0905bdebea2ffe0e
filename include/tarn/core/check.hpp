// SPDX-License-Identifier: MIT
// Every layer error tarn can print: one sentence each, with the layer and both shapes as template arguments.
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
    // What a layer asks of its own arguments, whatever its input
    kernel_extent,
    stride_step,
    padding_sides,
    padding_value,
    dilation_distance,
    groups_count,
    linear_extent,
    linear_options,
    conv_extent,
    conv_options,
    conv_kernel,
    conv_groups,
    pool_options,
    pool_kernel,
    pool_padding,
    norm_extent,
    norm_options,
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
// Mistakes in a layer's own arguments: no shapes to print. Not asserted where the option stands, since a class whose
// assertion failed makes clang report everything that uses it.
template <class Where> struct KernelExtent { static_assert(never<Where>, "Kernel: extents must be at least 1"); };
template <class Where> struct StrideStep { static_assert(never<Where>, "Stride: steps must be at least 1"); };
template <class Where> struct PaddingSides {
    static_assert(never<Where>, "Padding: one value, height and width, or top, bottom, left and right");
};
template <class Where> struct PaddingValue { static_assert(never<Where>, "Padding: values must not be negative"); };
template <class Where> struct DilationDistance {
    static_assert(never<Where>, "Dilation: distances must be at least 1");
};
template <class Where> struct GroupsCount { static_assert(never<Where>, "Groups: at least 1"); };
template <class Where> struct LinearExtent { static_assert(never<Where>, "Linear: I and O must be at least 1"); };
template <class Where> struct LinearOptions { static_assert(never<Where>, "Linear: the only option is NoBias, once"); };
template <class Where> struct ConvExtent { static_assert(never<Where>, "Conv2d: channels must be at least 1"); };
template <class Where> struct ConvOptions {
    static_assert(never<Where>, "Conv2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), Dilation, "
                                "Groups and NoBias, each at most once");
};
template <class Where> struct ConvKernel { static_assert(never<Where>, "Conv2d: name the kernel, as in Kernel<3>"); };
template <class Where> struct ConvGroups {
    static_assert(never<Where>, "Conv2d: the groups must divide input and output channels");
};
template <class Where> struct PoolOptions {
    static_assert(never<Where>, "Pool2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), CeilMode "
                                "and, for averages, ExcludePadding, each at most once");
};
template <class Where> struct PoolKernel { static_assert(never<Where>, "Pool2d: name the kernel, as in Kernel<2>"); };
template <class Where> struct PoolPadding {
    static_assert(never<Where>, "Pool2d: a pad as large as the kernel leaves a window without data; pad less");
};
template <class Where> struct NormExtent { static_assert(never<Where>, "BatchNorm2d: channels must be at least 1"); };
template <class Where> struct NormOptions { static_assert(never<Where>, "BatchNorm2d: the only option is Eps, once"); };
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
    else if constexpr (R == Rule::kernel_extent)
        return static_cast<KernelExtent<Where>*>(nullptr);
    else if constexpr (R == Rule::stride_step)
        return static_cast<StrideStep<Where>*>(nullptr);
    else if constexpr (R == Rule::padding_sides)
        return static_cast<PaddingSides<Where>*>(nullptr);
    else if constexpr (R == Rule::padding_value)
        return static_cast<PaddingValue<Where>*>(nullptr);
    else if constexpr (R == Rule::dilation_distance)
        return static_cast<DilationDistance<Where>*>(nullptr);
    else if constexpr (R == Rule::groups_count)
        return static_cast<GroupsCount<Where>*>(nullptr);
    else if constexpr (R == Rule::linear_extent)
        return static_cast<LinearExtent<Where>*>(nullptr);
    else if constexpr (R == Rule::linear_options)
        return static_cast<LinearOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::conv_extent)
        return static_cast<ConvExtent<Where>*>(nullptr);
    else if constexpr (R == Rule::conv_options)
        return static_cast<ConvOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::conv_kernel)
        return static_cast<ConvKernel<Where>*>(nullptr);
    else if constexpr (R == Rule::conv_groups)
        return static_cast<ConvGroups<Where>*>(nullptr);
    else if constexpr (R == Rule::pool_options)
        return static_cast<PoolOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::pool_kernel)
        return static_cast<PoolKernel<Where>*>(nullptr);
    else if constexpr (R == Rule::pool_padding)
        return static_cast<PoolPadding<Where>*>(nullptr);
    else if constexpr (R == Rule::norm_extent)
        return static_cast<NormExtent<Where>*>(nullptr);
    else if constexpr (R == Rule::norm_options)
        return static_cast<NormOptions<Where>*>(nullptr);
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
template <class Text> struct Pointee<Text*> { using type = Text; };

/// The text class of the fault of Facts, still uninstantiated; naming its size prints the error. Passed when there is
/// none.
template <class Facts>
using Verdict = typename Pointee<
    decltype(select_text<Facts::fault.rule, decltype(where_of<Facts, Facts::fault.depth>()),
                         Found<ShapeOf<Facts::fault.found>>, Wanted<ShapeOf<Facts::fault.wanted>>>())>::type;

} // namespace check
} // namespace tarn
