// SPDX-License-Identifier: MIT
// A convolution by cuDNN: the fastest algorithm that it finds by trying all, in either layout.
// Beside conv_no_cudnn.cpp. Knows cuDNN and Ops; nothing of tarn's kernels.
#include "conv_vendor.hpp"
#include "dnn.hpp"

namespace tarn_bench {

namespace {

constexpr std::size_t workspace_bytes = std::size_t{512} << 20;
constexpr int most_algorithms = 2 * CUDNN_CONVOLUTION_FWD_ALGO_COUNT;

const char* name_of(cudnnConvolutionFwdAlgo_t algorithm) {
    static const char* const names[] = {
        "implicit GEMM", "implicit precomputed GEMM", "GEMM", "direct", "FFT", "FFT by tiles",
        "Winograd",      "Winograd, not fused"};
    const auto at = static_cast<std::size_t>(algorithm);
    return at < sizeof names / sizeof *names ? names[at] : "unknown";
}

/// [rows, columns] to [columns, rows], count times one after another.
std::vector<float> transposed(const std::vector<float>& from, std::size_t count, std::size_t rows,
                              std::size_t columns) {
    std::vector<float> made(from.size());
    for (std::size_t n = 0; n < count; ++n)
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c)
                made[(n * columns + c) * rows + r] = from[(n * rows + r) * columns + c];
    return made;
}
std::size_t size_of(int a, int b, int c = 1) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

VendorConv in_layout(const Stream& stream, const tarn::Op& op, const std::vector<float>& x,
                     const std::vector<float>& weight, bool tf32, cudnnTensorFormat_t layout,
                     const DeviceBlock& workspace) {
    const bool pixels_last = layout == CUDNN_TENSOR_NCHW;
    const tarn::Window& w = op.window;
    const DnnHandle handle(stream);
    const DnnTensor in, out;
    const DnnFilter filter;
    const DnnConv conv;
    must(cudnnSetTensor4dDescriptor(in, layout, CUDNN_DATA_FLOAT, 1, op.in[2], op.in[0], op.in[1]),
         "cudnnSetTensor4dDescriptor");
    must(cudnnSetTensor4dDescriptor(out, layout, CUDNN_DATA_FLOAT, 1, op.out[2], op.out[0], op.out[1]),
         "cudnnSetTensor4dDescriptor");
    must(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, layout, op.out[2], op.in[2], w.kernel_h, w.kernel_w),
         "cudnnSetFilter4dDescriptor");
    must(cudnnSetConvolution2dDescriptor(conv, w.pad_top, w.pad_left, w.stride_h, w.stride_w, w.dilation_h,
                                         w.dilation_w, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
         "cudnnSetConvolution2dDescriptor");
    must(cudnnSetConvolutionMathType(conv, tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH), "cudnnSetConvolutionMathType");

    const DeviceBlock input(pixels_last ? transposed(x, 1, size_of(op.in[0], op.in[1]), size_of(op.in[2], 1)) : x);
    const DeviceBlock factors(
        pixels_last ? weight
                    : transposed(weight, size_of(op.out[2], 1), size_of(op.in[2], 1), size_of(w.kernel_h, w.kernel_w)));
    const DeviceBlock output(op.out.elems() * sizeof(float));
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // the stream waits for no other
    cudnnConvolutionFwdAlgoPerf_t found[most_algorithms];
    int count = 0;
    must(cudnnFindConvolutionForwardAlgorithmEx(handle, in, input.get(), filter, factors.get(), conv, out, output.get(),
                                                most_algorithms, &count, found, workspace.get(), workspace.bytes()),
         "cudnnFindConvolutionForwardAlgorithmEx");
    if (count == 0) throw Fault{"cuDNN has no algorithm"};
    must(found[0].status, "cudnnFindConvolutionForwardAlgorithmEx");
    if (tf32) must(cudnnSetConvolutionMathType(conv, found[0].mathType), "cudnnSetConvolutionMathType");
    const float one = 1.F, zero = 0.F;
    const auto enqueue = [&] {
        must(cudnnConvolutionForward(handle, &one, in, input.get(), filter, factors.get(), conv, found[0].algo,
                                     workspace.get(), workspace.bytes(), &zero, out, output.get()),
             "cudnnConvolutionForward");
    };
    enqueue();
    stream.wait();
    VendorConv made;
    made.how = std::string(pixels_last ? "NCHW, " : "NHWC, ") + name_of(found[0].algo);
    if (!pixels_last) made.result = output.download(op.out.elems());
    made.ms = device_ms(stream, enqueue);
    return made;
}

} // namespace

VendorConv vendor_conv(const Stream& stream, const tarn::Op& op, const std::vector<float>& x,
                       const std::vector<float>& weight, bool tf32) {
    const DeviceBlock workspace(workspace_bytes);
    VendorConv best;
    best.how = "none";
    for (const cudnnTensorFormat_t layout : {CUDNN_TENSOR_NHWC, CUDNN_TENSOR_NCHW}) {
        try {
            VendorConv one = in_layout(stream, op, x, weight, tf32, layout, workspace);
            if (best.ms > 0.0 && best.ms <= one.ms) continue;
            if (one.result.empty()) one.result = best.result; // to compare with, whichever is faster
            best = std::move(one);
        } catch (const Fault& fault) {
            if (best.ms == 0.0) best.how = fault.text;
        }
    }
    return best;
}

} // namespace tarn_bench
