// SPDX-License-Identifier: MIT
// Every body as a kernel, at sizes where tiles are full: what nvcc makes of them is read by spills.py.
// Compiled for sm_75 and sm_90, never run. Knows bodies; nothing of plans.
#include "kernels/some_ops.hpp"

#include <tarn/cuda/filter.hpp>
#include <tarn/cuda/kernel.cuh>
#include <tarn/cuda/kernels.hpp>

namespace {

using namespace tarn;
using tarn::cuda::Factor;

/// A name for each Op, since Ops may not reach a kernel's template arguments.
struct Linear {
    static constexpr Op op =
        tarn_test::fused(tarn_test::pixel_op(OpKind::linear, extents_of(100, 200), 60), true, Activation::gelu);
};
struct LargeLinear {
    static constexpr Op op = tarn_test::pixel_op(OpKind::linear, extents_of(4096, 1024), 4096);
};
struct FewRows {
    static constexpr Op op = tarn_test::pixel_op(OpKind::linear, extents_of(4, 1024), 1000);
};
struct Image {
    static constexpr Op op = tarn_test::fused(
        tarn_test::conv_op(extents_of(56, 56, 64), 64, tarn_test::window_of(3, 1, 1)), true, Activation::relu);
};
struct Grouped {
    static constexpr Op op = tarn_test::conv_op(extents_of(28, 28, 96), 192, tarn_test::window_of(5, 2, 2), 4);
};
struct LargeImage {
    static constexpr Op op = tarn_test::conv_op(extents_of(112, 112, 64), 256, tarn_test::window_of(3, 1, 1));
};
/// The largest outputs that the registers of an H200's multiprocessors hold, a block each.
struct FirstImage {
    static constexpr Op op = tarn_test::conv_op(extents_of(224, 224, 3), 64, tarn_test::window_of(3, 1, 1));
};
struct WideDepthwise {
    static constexpr Op op = tarn_test::depthwise_op(extents_of(112, 112, 96), tarn_test::window_of(3, 1, 1));
};
struct Up {
    static constexpr Op op = tarn_test::enlarging_op(OpKind::up_conv2d, extents_of(14, 14, 64), 32, 2, 2);
};
struct OneChannelEach {
    static constexpr Op op = tarn_test::fused(
        tarn_test::depthwise_op(extents_of(56, 56, 96), tarn_test::window_of(3, 1, 1)), true, Activation::relu6);
};
struct Largest {
    static constexpr Op op = tarn_test::max_pool_op(extents_of(56, 56, 64), tarn_test::window_of(3, 2, 1));
};
struct WholeImage {
    static constexpr Op op = tarn_test::avg_pool_op(extents_of(7, 7, 512), {7, 7, 7, 7});
};
struct Larger {
    static constexpr Op op = tarn_test::enlarging_op(OpKind::upsample, extents_of(14, 14, 64), 64, 2, 2);
};
struct Sum {
    static constexpr Op op =
        tarn_test::fused(tarn_test::pixel_op(OpKind::add, extents_of(28, 28, 64)), true, Activation::tanh);
};
struct Norm {
    static constexpr Op op = tarn_test::pixel_op(OpKind::batch_norm, extents_of(28, 28, 64));
};
struct Probabilities {
    static constexpr Op op = tarn_test::pixel_op(OpKind::softmax, extents_of(16, 1000));
};
struct RowNorm {
    static constexpr Op op = [] {
        Op op = tarn_test::pixel_op(OpKind::layer_norm, extents_of(16, 512));
        op.affine = true;
        return op;
    }();
};
struct Flattened {
    static constexpr Op op = tarn_test::pixel_op(OpKind::flatten_pytorch, extents_of(7, 7, 64));
};
struct Gru {
    static constexpr Op op = tarn_test::pixel_op(OpKind::gru, extents_of(100, 40), 64);
};
struct Lstm {
    static constexpr Op op = tarn_test::pixel_op(OpKind::lstm, extents_of(100, 40), 48);
};
struct Rows {
    static constexpr Op op = [] {
        Op op = tarn_test::pixel_op(OpKind::linear, extents_of(1000, 64), 128);
        op.in_pitch = op.out_pitch = 128;
        return op;
    }();
};

/// What a kernel's name says of it.
template <class Named, int Threads, Factor F = Factor::f32, int Blocks = 0> struct Layer {
    static constexpr int threads = Threads;
    static constexpr bool cooperative = Blocks > 0;
    using Body = tarn::cuda::BodyFor<Named::op, Threads, F, Blocks>;

    template <class Context>
    TARN_DEVICE static void run(const Context& context, const float* in, const float* other, float* out,
                                const typename Body::Packed* weights) {
        Body::run(context, in, other, out, *weights);
    }
};
template <class Named, int Threads, int PanelRows> struct PanelLayer {
    static constexpr int threads = Threads;
    using Body = tarn::cuda::Panel<Named::op, Threads, PanelRows>;

    template <class Context>
    TARN_DEVICE static void run(const Context& context, const float* in, const float* other, float* out,
                                const typename Body::Packed* weights) {
        Body::run(context, in, other, out, *weights);
    }
};

/// What a library's convolution leaves to do.
template <class Named, int Threads> struct FinishLayer {
    static constexpr int threads = Threads;
    using Body = tarn::cuda::Finish<Named::op, Threads>;

    template <class Context>
    TARN_DEVICE static void run(const Context& context, const float*, const float* other, float* out,
                                const typename Body::Packed* weights) {
        Body::run(context, other, out, *weights);
    }
};

template <class Work> void launch(const float* in, const float* other, float* out, const void* weights) {
    using Packed = typename Work::Body::Packed;
    tarn::cuda::kernel<Work>
        <<<132, Work::threads, Work::Body::shared_bytes>>>(in, other, out, static_cast<const Packed*>(weights));
}

} // namespace

void launch_all(const float* in, const float* other, float* out, const void* weights) {
    launch<Layer<Linear, 256>>(in, other, out, weights);
    launch<Layer<Linear, 128>>(in, other, out, weights);
    launch<Layer<Linear, 256, Factor::f32, 4>>(in, other, out, weights);
    launch<Layer<LargeLinear, 256>>(in, other, out, weights);
    launch<Layer<LargeLinear, 256, Factor::f16>>(in, other, out, weights);
    launch<Layer<LargeLinear, 256, Factor::bf16>>(in, other, out, weights);
    launch<Layer<LargeLinear, 256, Factor::tf32>>(in, other, out, weights);
    launch<Layer<FewRows, 256>>(in, other, out, weights);
    launch<Layer<FewRows, 256, Factor::f32, 8>>(in, other, out, weights);
    launch<Layer<Image, 256>>(in, other, out, weights);
    launch<Layer<Image, 256, Factor::f32, 40>>(in, other, out, weights);
    launch<Layer<FirstImage, 256, Factor::f32, 132>>(in, other, out, weights);
    launch<Layer<WideDepthwise, 256, Factor::f32, 132>>(in, other, out, weights);
    launch<Layer<Image, 256, Factor::tf32>>(in, other, out, weights);
    launch<Layer<Grouped, 256>>(in, other, out, weights);
    launch<Layer<LargeImage, 256>>(in, other, out, weights);
    launch<Layer<Up, 256>>(in, other, out, weights);
    launch<Layer<OneChannelEach, 256>>(in, other, out, weights);
    launch<Layer<Largest, 256>>(in, other, out, weights);
    launch<Layer<WholeImage, 256>>(in, other, out, weights);
    launch<Layer<Larger, 256>>(in, other, out, weights);
    launch<Layer<Sum, 256>>(in, other, out, weights);
    launch<Layer<Norm, 256>>(in, other, out, weights);
    launch<Layer<Probabilities, 256>>(in, other, out, weights);
    launch<Layer<RowNorm, 256>>(in, other, out, weights);
    launch<Layer<Flattened, 256>>(in, other, out, weights);
    launch<Layer<Gru, 256>>(in, other, out, weights);
    launch<Layer<Lstm, 256>>(in, other, out, weights);
    launch<PanelLayer<Rows, 256, 16>>(in, other, out, weights);
    launch<FinishLayer<Image, 256>>(in, other, out, weights);
}
