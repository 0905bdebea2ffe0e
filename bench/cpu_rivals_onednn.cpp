// SPDX-License-Identifier: MIT
// Rival of cpu_bench: oneDNN. Primitives are made once; weights lie as it likes best; bias and activation are fused.
// Convolutions in two ways, images as it likes them (blocked) and with the channels last; the faster counts.
// Knows the interface of rivals.hpp only.
#include "rivals.hpp"

#include <dnnl.hpp>

#include <unordered_map>

namespace tarn_bench {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using tarn::Activation;
using tarn::Op;
using tarn::OpKind;
using Tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;
constexpr const char* name = "oneDNN";
constexpr auto type = memory::data_type::f32;

const dnnl::engine& engine() {
    static const dnnl::engine made(dnnl::engine::kind::cpu, 0);
    return made;
}
dnnl::stream& stream() {
    static dnnl::stream made(engine());
    return made;
}
memory::desc plain(const memory::dims& dims, Tag tag) { return {dims, type, tag}; }
memory of(const memory::desc& desc, const float* data) { return {desc, engine(), const_cast<float*>(data)}; }
/// The same values as `wanted` has them.
memory as(const memory::desc& wanted, memory from) {
    memory to(wanted, engine());
    dnnl::reorder(from, to).execute(stream(), from, to);
    stream().wait();
    return to;
}

/// A primitive with its arguments; the output is turned into `plain_out` when it is asked for.
Contender running(const dnnl::primitive& primitive, const Arguments& arguments, const memory::desc& plain_out) {
    const auto once = [=] { primitive.execute(stream(), arguments); };
    return {name,
            [once](int times) {
                for (int i = 0; i < times; ++i) once();
            },
            [once, arguments, plain_out](float* to) {
                once();
                memory made = arguments.at(DNNL_ARG_DST), out = of(plain_out, to);
                dnnl::reorder(made, out).execute(stream(), made, out);
                stream().wait();
            }};
}

dnnl::primitive_attr fused(const Op& op) {
    dnnl::post_ops after;
    if (op.act == Activation::relu) after.append_eltwise(1.F, algorithm::eltwise_relu, 0.F, 0.F);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    return attributes;
}

void add_product(const Problem& p, std::vector<Contender>& to) {
    const memory::dim m = p.m(), n = p.n(), k = p.k();
    const memory::desc x = plain({m, k}, Tag::ab), y = plain({m, n}, Tag::ab);
    const dnnl::matmul::primitive_desc desc({x, {{k, n}, type, Tag::any}, y}, engine());
    const memory weights = as(desc.weights_desc(), of(plain({k, n}, Tag::ba), p.parameters[0]));
    Contender made =
        running(dnnl::matmul(desc),
                {{DNNL_ARG_SRC, of(x, p.input)}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, memory(y, engine())}}, y);
    made.result = with_bias(made.result, p);
    to.push_back(std::move(made));
}

struct Image {
    memory::dims in, out, kernel, stride, dilation, pad_front, pad_back;

    explicit Image(const Op& op)
        : in{1, op.in[2], op.in[0], op.in[1]}, out{1, op.out[2], op.out[0], op.out[1]}, kernel{op.window.kernel_h,
                                                                                               op.window.kernel_w},
          stride{op.window.stride_h, op.window.stride_w}, dilation{op.window.dilation_h - 1, op.window.dilation_w - 1},
          pad_front{op.window.pad_top, op.window.pad_left}, pad_back{op.window.pad_bottom, op.window.pad_right} {}
};

void add_convolution(const Problem& p, Tag layout, std::vector<Contender>& to) {
    const Image image(p.op);
    const bool grouped = p.op.groups > 1;
    const memory::dim groups = p.op.groups, inputs = image.in[1] / groups, outputs = image.out[1];
    const memory::dims shape = grouped
                                   ? memory::dims{groups, outputs / groups, inputs, image.kernel[0], image.kernel[1]}
                                   : memory::dims{outputs, inputs, image.kernel[0], image.kernel[1]};
    const memory::desc bias = plain({outputs}, Tag::a);
    const dnnl::convolution_forward::primitive_desc desc({dnnl::prop_kind::forward_inference,
                                                          algorithm::convolution_direct,
                                                          {image.in, type, layout},
                                                          {shape, type, Tag::any},
                                                          bias,
                                                          {image.out, type, layout},
                                                          image.stride,
                                                          image.dilation,
                                                          image.pad_front,
                                                          image.pad_back},
                                                         fused(p.op), engine());
    const memory input = as(desc.src_desc(), of(plain(image.in, Tag::nhwc), p.input));
    const memory weights = as(desc.weights_desc(), of(plain(shape, grouped ? Tag::goihw : Tag::oihw), p.parameters[0]));
    to.push_back(running(dnnl::convolution_forward(desc),
                         {{DNNL_ARG_SRC, input},
                          {DNNL_ARG_WEIGHTS, weights},
                          {DNNL_ARG_BIAS, of(bias, p.parameters[1])},
                          {DNNL_ARG_DST, memory(desc.dst_desc(), engine())}},
                         plain(image.out, Tag::nhwc)));
}

void add_pool(const Problem& p, Tag layout, std::vector<Contender>& to) {
    const Image image(p.op);
    const algorithm how = p.op.kind == OpKind::max_pool2d ? algorithm::pooling_max
                          : p.op.count_include_pad        ? algorithm::pooling_avg_include_padding
                                                          : algorithm::pooling_avg_exclude_padding;
    const memory::desc in = plain(image.in, layout), out = plain(image.out, layout);
    const dnnl::pooling_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, how, in, out, image.stride, image.kernel, image.pad_front, image.pad_back},
        engine());
    to.push_back(running(
        dnnl::pooling_forward(desc),
        {{DNNL_ARG_SRC, as(in, of(plain(image.in, Tag::nhwc), p.input))}, {DNNL_ARG_DST, memory(out, engine())}},
        plain(image.out, Tag::nhwc)));
}

/// Into a buffer of its own, and in place.
void add_both_ways(const dnnl::primitive& primitive, const memory::desc& values, const Problem& p,
                   std::vector<Contender>& to) {
    to.push_back(
        running(primitive, {{DNNL_ARG_SRC, of(values, p.input)}, {DNNL_ARG_DST, memory(values, engine())}}, values));
    const memory both = as(values, of(values, p.input));
    to.push_back(running(primitive, {{DNNL_ARG_SRC, both}, {DNNL_ARG_DST, both}}, values));
    to.back().result = nullptr;
}

void add_elementwise(const Problem& p, std::vector<Contender>& to) {
    const auto how = [&]() -> algorithm {
        switch (p.op.act) {
        case Activation::relu:
            return algorithm::eltwise_relu;
        case Activation::tanh:
            return algorithm::eltwise_tanh;
        case Activation::sigmoid:
            return algorithm::eltwise_logistic;
        case Activation::gelu:
            return algorithm::eltwise_gelu_erf;
        case Activation::elu:
            return algorithm::eltwise_elu;
        default:
            return algorithm::undef;
        }
    }();
    if (how == algorithm::undef) return;
    const memory::desc values = plain({static_cast<memory::dim>(p.op.in.elems())}, Tag::a);
    const float alpha = p.op.act == Activation::elu ? p.op.act_parameter() : 0.F;
    const dnnl::eltwise_forward::primitive_desc desc({dnnl::prop_kind::forward_inference, how, values, alpha, 0.F},
                                                     engine());
    add_both_ways(dnnl::eltwise_forward(desc), values, p, to);
}

void add_softmax(const Problem& p, std::vector<Contender>& to) {
    const memory::desc values = plain({p.m(), p.n()}, Tag::ab);
    const dnnl::softmax_forward::primitive_desc desc({dnnl::prop_kind::forward_inference, values, 1}, engine());
    add_both_ways(dnnl::softmax_forward(desc), values, p, to);
}

/// Adds a primitive that reads more than its input, into a buffer of its own and, where wanted, in place.
void add_norm(const dnnl::primitive& primitive, const memory::desc& values, const memory::desc& plain_values,
              Arguments arguments, const Problem& p, std::vector<Contender>& to) {
    const memory given = of(plain_values, p.input);
    arguments.insert_or_assign(DNNL_ARG_SRC, as(values, given));
    arguments.insert_or_assign(DNNL_ARG_DST, memory(values, engine()));
    to.push_back(running(primitive, arguments, plain_values));
    arguments.insert_or_assign(DNNL_ARG_SRC, as(values, given));
    arguments.insert_or_assign(DNNL_ARG_DST, arguments.at(DNNL_ARG_SRC));
    to.push_back(running(primitive, arguments, plain_values));
    to.back().result = nullptr;
}

void add_layer_norm(const Problem& p, std::vector<Contender>& to) {
    using dnnl::normalization_flags;
    const memory::desc values = plain({p.m(), p.n()}, Tag::ab), channels = plain({p.n()}, Tag::a);
    const dnnl::layer_normalization_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, values, p.op.eps(),
         normalization_flags::use_scale | normalization_flags::use_shift},
        engine());
    add_norm(dnnl::layer_normalization_forward(desc), values, values,
             {{DNNL_ARG_SCALE, of(channels, p.parameters[0])}, {DNNL_ARG_SHIFT, of(channels, p.parameters[1])}}, p, to);
}

void add_batch_norm(const Problem& p, Tag layout, std::vector<Contender>& to) {
    using dnnl::normalization_flags;
    const Image image(p.op);
    const memory::desc values = plain(image.in, layout), channels = plain({p.n()}, Tag::a);
    const dnnl::batch_normalization_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, values, 1e-5F,
         normalization_flags::use_global_stats | normalization_flags::use_scale | normalization_flags::use_shift},
        engine());
    add_norm(dnnl::batch_normalization_forward(desc), values, plain(image.in, Tag::nhwc),
             {{DNNL_ARG_SCALE, of(channels, p.parameters[0])},
              {DNNL_ARG_SHIFT, of(channels, p.parameters[1])},
              {DNNL_ARG_MEAN, of(channels, p.parameters[2])},
              {DNNL_ARG_VARIANCE, of(channels, p.parameters[3])}},
             p, to);
}

void add_sum(const Problem& p, std::vector<Contender>& to) {
    const memory::desc values = plain({static_cast<memory::dim>(p.op.in.elems())}, Tag::a);
    const dnnl::binary::primitive_desc desc({algorithm::binary_add, values, values, values}, engine());
    const memory a = of(values, p.input), b = of(values, p.other), both = as(values, a);
    to.push_back(running(dnnl::binary(desc),
                         {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, memory(values, engine())}}, values));
    to.push_back(
        running(dnnl::binary(desc), {{DNNL_ARG_SRC_0, both}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, both}}, values));
    to.back().result = nullptr;
}

void add_upsample(const Problem& p, Tag layout, std::vector<Contender>& to) {
    const Image image(p.op);
    const memory::desc in = plain(image.in, layout), out = plain(image.out, layout);
    const std::vector<float> factors{static_cast<float>(p.op.window.stride_h),
                                     static_cast<float>(p.op.window.stride_w)};
    const dnnl::resampling_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, algorithm::resampling_nearest, factors, in, out}, engine());
    to.push_back(running(
        dnnl::resampling_forward(desc),
        {{DNNL_ARG_SRC, as(in, of(plain(image.in, Tag::nhwc), p.input))}, {DNNL_ARG_DST, memory(out, engine())}},
        plain(image.out, Tag::nhwc)));
}

void add(const Problem& p, std::vector<Contender>& to) {
    switch (p.op.kind) {
    case OpKind::linear:
        return add_product(p, to);
    case OpKind::conv2d:
        add_convolution(p, Tag::any, to);
        return add_convolution(p, Tag::nhwc, to);
    case OpKind::max_pool2d:
    case OpKind::avg_pool2d:
        add_pool(p, Tag::nChw8c, to);
        return add_pool(p, Tag::nhwc, to);
    case OpKind::activation:
        return add_elementwise(p, to);
    case OpKind::softmax:
        return add_softmax(p, to);
    case OpKind::layer_norm:
        return add_layer_norm(p, to);
    case OpKind::batch_norm:
        add_batch_norm(p, Tag::nChw8c, to);
        return add_batch_norm(p, Tag::nhwc, to);
    case OpKind::add:
        return add_sum(p, to);
    case OpKind::upsample:
        add_upsample(p, Tag::nChw8c, to);
        return add_upsample(p, Tag::nhwc, to);
    default:
        return;
    }
}

[[maybe_unused]] const bool added = add_rival({name, add});

} // namespace
} // namespace tarn_bench
