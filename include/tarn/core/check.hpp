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
    layer_norm_channels,
    flatten_rank,
    residual_shapes,
    frames_rank,
    frames_channels,
    frames_window,
    upsample_image,
    reshape_elems,
    slice_outside,
    split_counts,
    concat_shapes,
    concat_rows_shapes,
    add_shapes,
    mul_shapes,
    one_value,
    join_count,
    list_values,
    network_outputs,
    graph_inputs,
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
    layer_norm_extent,
    layer_norm_options,
    frames_axis,
    conv1d_options,
    up_conv_options,
    up_conv_stride,
    pool1d_options,
    upsample_factor,
    slice_range,
    split_extent,
    recurrent_extent,
    recurrent_options,
    graph_name,
    graph_duplicate,
    graph_source,
    graph_output,
    graph_part,
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
template <class Where, class In, class Need> struct LayerNormChannels {
    static_assert(never<Where, In, Need>, "layer norm: input is [.., C] and this layer wants C channels; change the "
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
template <class Where, class In, class Need> struct FramesRank {
    static_assert(never<Where, In, Need>, "frames: input must be [T, C] for layers over time; reshape the input "
                                          "or remove what changes its axes before this layer");
};
template <class Where, class In, class Need> struct FramesChannels {
    static_assert(never<Where, In, Need>, "frames: input is [T, C] and this layer wants C channels; change the "
                                          "layer or the one before it");
};
template <class Where, class In, class Need> struct FramesWindow {
    static_assert(never<Where, In, Need>, "frames: the dilated kernel [K] is longer than the padded input [T]; "
                                          "pad more, use a smaller kernel or more frames");
};
template <class Where, class In, class Need> struct UpsampleImage {
    static_assert(never<Where, In, Need>, "upsample: input must be an image [H, W, C]; reshape the input or "
                                          "remove what flattens it before this layer");
};
template <class Where, class In, class Need> struct ReshapeElems {
    static_assert(never<Where, In, Need>, "reshape: input and wanted shape must have equally many elements; "
                                          "change the shape or the layer before it");
};
template <class Where, class In, class Need> struct SliceOutside {
    static_assert(never<Where, In, Need>, "slice: Begin + Count is more than the features [.., F] of the input; "
                                          "take fewer or begin earlier");
};
template <class Where, class In, class Need> struct SplitCounts {
    static_assert(never<Where, In, Need>, "split: the counts must add up to the features [.., F] of the input; "
                                          "change a count or the layer before it");
};
template <class Where, class In, class Need> struct ConcatShapes {
    static_assert(never<Where, In, Need>, "concat: all axes but the last must be equal to those of the first "
                                          "value; change the layer that makes this value");
};
template <class Where, class In, class Need> struct ConcatRowsShapes {
    static_assert(never<Where, In, Need>, "concat rows: all axes but the first must be equal to those of the "
                                          "first value; change the layer that makes this value");
};
template <class Where, class In, class Need> struct AddShapes {
    static_assert(never<Where, In, Need>, "add: all values must have the shape of the first; change the layer "
                                          "that makes this value");
};
template <class Where, class In, class Need> struct MulShapes {
    static_assert(never<Where, In, Need>, "mul: values must have one shape, or one of two be a pixel [1, 1, C] "
                                          "of the other; change the layer that makes this value");
};
template <class Where, class In, class Need> struct OneValue {
    static_assert(never<Where, In, Need>, "values: exactly one is wanted here (the shapes count them); join "
                                          "several with Concat, Add or Mul before");
};
template <class Where, class In, class Need> struct JoinCount {
    static_assert(never<Where, In, Need>, "values: too few to join (the shapes count them); put a Parallel "
                                          "before, or name more sources");
};
template <class Where, class In, class Need> struct ListValues {
    static_assert(never<Where, In, Need>, "values: too many side by side (the shapes count them); join some of "
                                          "them earlier");
};
template <class Where, class In, class Need> struct NetworkOutputs {
    static_assert(never<Where, In, Need>, "network: one to eight results may be left at its end (the shapes "
                                          "count them); join or drop some");
};
template <class Where, class In, class Need> struct GraphInputs {
    static_assert(never<Where, In, Need>, "graph: it must be given as many values as it has Input parts (the "
                                          "shapes count them); add an Input or name the shapes as Inputs<..>");
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
template <class Where> struct ConvExtent { static_assert(never<Where>, "convolution: channels must be at least 1"); };
template <class Where> struct ConvOptions {
    static_assert(never<Where>, "Conv2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), Dilation, "
                                "Groups and NoBias, each at most once");
};
template <class Where> struct ConvKernel {
    static_assert(never<Where>, "convolution: name the kernel, as in Kernel<3>");
};
template <class Where> struct ConvGroups {
    static_assert(never<Where>, "convolution: the groups must divide input and output channels");
};
template <class Where> struct PoolOptions {
    static_assert(never<Where>, "Pool2d: options are Kernel, Stride, Padding (or SameUpper, SameLower), CeilMode "
                                "and, for averages, ExcludePadding, each at most once");
};
template <class Where> struct PoolKernel { static_assert(never<Where>, "pool: name the kernel, as in Kernel<2>"); };
template <class Where> struct PoolPadding {
    static_assert(never<Where>, "pool: a pad as large as the kernel leaves a window without data; pad less");
};
template <class Where> struct NormExtent { static_assert(never<Where>, "BatchNorm2d: channels must be at least 1"); };
template <class Where> struct NormOptions { static_assert(never<Where>, "BatchNorm2d: the only option is Eps, once"); };
template <class Where> struct LayerNormExtent {
    static_assert(never<Where>, "LayerNorm: channels must be at least 1");
};
template <class Where> struct LayerNormOptions {
    static_assert(never<Where>,
                  "LayerNorm: options are Eps and, for weight and bias, NoBias or NoAffine, each at most once");
};
template <class Where> struct FramesAxis {
    static_assert(never<Where>, "frames: Kernel, Stride and Dilation take one value, Padding one value or "
                                "before and after");
};
template <class Where> struct Conv1dOptions {
    static_assert(never<Where>, "Conv1d: options are Kernel, Stride, Padding (or SameUpper, SameLower, Causal), "
                                "Dilation, Groups and NoBias, each at most once");
};
template <class Where> struct UpConvOptions {
    static_assert(never<Where>, "ConvTranspose2d: options are Kernel, Stride and NoBias, each at most once");
};
template <class Where> struct UpConvStride {
    static_assert(never<Where>, "ConvTranspose2d: the stride must be the kernel, as in Kernel<2>, Stride<2>");
};
template <class Where> struct Pool1dOptions {
    static_assert(never<Where>, "Pool1d: options are Kernel, Stride, Padding (or SameUpper, SameLower), "
                                "CeilMode and, for averages, ExcludePadding, each at most once");
};
template <class Where> struct UpsampleFactor { static_assert(never<Where>, "Upsample: factors must be at least 1"); };
template <class Where> struct SliceRange {
    static_assert(never<Where>, "Slice: Begin must not be negative and Count at least 1");
};
template <class Where> struct SplitExtent {
    static_assert(never<Where>, "Split: name the features of each value, each at least 1");
};
template <class Where> struct RecurrentExtent { static_assert(never<Where>, "GRU, LSTM: I and H must be at least 1"); };
template <class Where> struct RecurrentOptions {
    static_assert(never<Where>, "GRU, LSTM: the only option is NoBias, once");
};
template <class Where> struct GraphName {
    static_assert(never<Where>, "graph: this Input or Layer has no name; give it one");
};
template <class Where> struct GraphDuplicate {
    static_assert(never<Where>, "graph: a part before this one has the same name; rename one of them");
};
template <class Where> struct GraphSource {
    static_assert(never<Where>, "graph: this part reads a name that no Input or Layer before it has; correct "
                                "the name or move the part down");
};
template <class Where> struct GraphOutput {
    static_assert(never<Where>, "graph: it has no Output part; add one for each value that it gives");
};
template <class Where> struct GraphPart {
    static_assert(never<Where>, "graph: Input, Layer and Output stand directly in a Graph and nothing else does; use "
                                "Layer in it and Named elsewhere");
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
    else if constexpr (R == Rule::layer_norm_channels)
        return static_cast<LayerNormChannels<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::flatten_rank)
        return static_cast<FlattenRank<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::residual_shapes)
        return static_cast<ResidualShapes<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::frames_rank)
        return static_cast<FramesRank<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::frames_channels)
        return static_cast<FramesChannels<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::frames_window)
        return static_cast<FramesWindow<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::upsample_image)
        return static_cast<UpsampleImage<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::reshape_elems)
        return static_cast<ReshapeElems<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::slice_outside)
        return static_cast<SliceOutside<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::split_counts)
        return static_cast<SplitCounts<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::concat_shapes)
        return static_cast<ConcatShapes<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::concat_rows_shapes)
        return static_cast<ConcatRowsShapes<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::add_shapes)
        return static_cast<AddShapes<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::mul_shapes)
        return static_cast<MulShapes<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::one_value)
        return static_cast<OneValue<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::join_count)
        return static_cast<JoinCount<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::list_values)
        return static_cast<ListValues<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::network_outputs)
        return static_cast<NetworkOutputs<Where, In, Need>*>(nullptr);
    else if constexpr (R == Rule::graph_inputs)
        return static_cast<GraphInputs<Where, In, Need>*>(nullptr);
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
    else if constexpr (R == Rule::layer_norm_extent)
        return static_cast<LayerNormExtent<Where>*>(nullptr);
    else if constexpr (R == Rule::layer_norm_options)
        return static_cast<LayerNormOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::frames_axis)
        return static_cast<FramesAxis<Where>*>(nullptr);
    else if constexpr (R == Rule::conv1d_options)
        return static_cast<Conv1dOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::up_conv_options)
        return static_cast<UpConvOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::up_conv_stride)
        return static_cast<UpConvStride<Where>*>(nullptr);
    else if constexpr (R == Rule::pool1d_options)
        return static_cast<Pool1dOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::upsample_factor)
        return static_cast<UpsampleFactor<Where>*>(nullptr);
    else if constexpr (R == Rule::slice_range)
        return static_cast<SliceRange<Where>*>(nullptr);
    else if constexpr (R == Rule::split_extent)
        return static_cast<SplitExtent<Where>*>(nullptr);
    else if constexpr (R == Rule::recurrent_extent)
        return static_cast<RecurrentExtent<Where>*>(nullptr);
    else if constexpr (R == Rule::recurrent_options)
        return static_cast<RecurrentOptions<Where>*>(nullptr);
    else if constexpr (R == Rule::graph_name)
        return static_cast<GraphName<Where>*>(nullptr);
    else if constexpr (R == Rule::graph_duplicate)
        return static_cast<GraphDuplicate<Where>*>(nullptr);
    else if constexpr (R == Rule::graph_source)
        return static_cast<GraphSource<Where>*>(nullptr);
    else if constexpr (R == Rule::graph_output)
        return static_cast<GraphOutput<Where>*>(nullptr);
    else if constexpr (R == Rule::graph_part)
        return static_cast<GraphPart<Where>*>(nullptr);
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
