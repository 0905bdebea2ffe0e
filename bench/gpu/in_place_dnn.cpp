// SPDX-License-Identifier: MIT
// cuDNN with an output on an input, operation by operation. One part of bench/gpu, left out where there is no cuDNN.
// Compiled without nvcc. Knows cuDNN; nothing of tarn's kernels.
#include "dnn.hpp"
#include "in_place_trial.hpp"

namespace {

using namespace tarn_bench;

constexpr float one = 1.F, zero = 0.F;

std::string text_of(cudnnStatus_t answer) { return answer == CUDNN_STATUS_SUCCESS ? "" : cudnnGetErrorString(answer); }

struct Size {
    int n, c, h, w;

    std::size_t elems() const {
        return static_cast<std::size_t>(n) * static_cast<std::size_t>(c) * static_cast<std::size_t>(h) *
               static_cast<std::size_t>(w);
    }
    std::string text() const {
        return ", " + std::to_string(n) + " x " + std::to_string(c) + " x " + std::to_string(h) + " x " +
               std::to_string(w);
    }
};

/// What every trial of a size shares: x and y have one descriptor, or y another.
class Trials {
  public:
    Trials(Report& report, const Stream& stream, Size size)
        : report_(report), stream_(stream), dnn_(stream), size_(size), x_(random_floats(size.elems(), 1)),
          workspace_(std::size_t{256} << 20) {
        lay(pixels_, CUDNN_TENSOR_NCHW, size);
        lay(channels_, CUDNN_TENSOR_NHWC, size);
        lay(line_, CUDNN_TENSOR_NCHW, {1, size.c, 1, 1});
    }
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    void activations() {
        const struct {
            const char* name;
            cudnnActivationMode_t mode;
        } all[] = {{"ReLU", CUDNN_ACTIVATION_RELU},
                   {"sigmoid", CUDNN_ACTIVATION_SIGMOID},
                   {"tanh", CUDNN_ACTIVATION_TANH},
                   {"ELU", CUDNN_ACTIVATION_ELU}};
        for (const auto& [name, mode] : all) {
            const DnnActivation how;
            must(cudnnSetActivationDescriptor(how, mode, CUDNN_NOT_PROPAGATE_NAN, 1.0), "cudnnSetActivationDescriptor");
            one_input(std::string("cudnnActivationForward, ") + name, "allowed", [&](const float* x, float* y) {
                return cudnnActivationForward(dnn_, how, &one, pixels_, x, &zero, pixels_, y);
            });
        }
    }
    void softmax() {
        one_input("cudnnSoftmaxForward, of channels", "silent", [&](const float* x, float* y) {
            return cudnnSoftmaxForward(dnn_, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, pixels_, x,
                                       &zero, pixels_, y);
        });
        one_input("cudnnSoftmaxForward, of images", "silent", [&](const float* x, float* y) {
            return cudnnSoftmaxForward(dnn_, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, pixels_, x,
                                       &zero, pixels_, y);
        });
    }
    void pools() {
        const auto pool = [&](const char* name, cudnnPoolingMode_t mode) {
            const DnnPooling how;
            must(cudnnSetPooling2dDescriptor(how, mode, CUDNN_NOT_PROPAGATE_NAN, 3, 3, 1, 1, 1, 1),
                 "cudnnSetPooling2dDescriptor");
            one_input(name, "silent", [&](const float* x, float* y) {
                return cudnnPoolingForward(dnn_, how, &one, pixels_, x, &zero, pixels_, y);
            });
        };
        pool("cudnnPoolingForward, largest of 3x3", CUDNN_POOLING_MAX);
        pool("cudnnPoolingForward, mean of 3x3", CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING);
    }
    void sums() {
        const DnnOpTensor how;
        must(cudnnSetOpTensorDescriptor(how, CUDNN_OP_TENSOR_ADD, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN),
             "cudnnSetOpTensorDescriptor");
        const std::vector<float> other = random_floats(size_.elems(), 2), line = random_floats(channels_of_size(), 3);
        const auto op_tensor = [&](const std::vector<float*>& in, float* out) {
            return text_of(cudnnOpTensor(dnn_, how, &one, pixels_, in[0], &one, pixels_, in[1], &zero, pixels_, out));
        };
        const auto op_line = [&](const std::vector<float*>& in, float* out) {
            return text_of(cudnnOpTensor(dnn_, how, &one, pixels_, in[0], &one, line_, in[1], &zero, pixels_, out));
        };
        const auto add = [&](const std::vector<float*>& in, float* out) {
            return text_of(cudnnAddTensor(dnn_, &one, pixels_, in[0], &one, pixels_, out));
        };
        trial("cudnnOpTensor, sum, C on A", "allowed", {x_, other}, 0, op_tensor);
        trial("cudnnOpTensor, sum, C on B", "forbidden", {x_, other}, 1, op_tensor);
        trial("cudnnOpTensor, sum with a line, C on A", "allowed", {x_, line}, 0, op_line);
        trial("cudnnAddTensor, C on A", "silent", {x_}, 0, add);
    }
    void transforms() {
        one_input("cudnnTransformTensor, same layout", "forbidden", [&](const float* x, float* y) {
            return cudnnTransformTensor(dnn_, &one, pixels_, x, &zero, pixels_, y);
        });
        one_input("cudnnTransformTensor, NCHW to NHWC", "forbidden", [&](const float* x, float* y) {
            return cudnnTransformTensor(dnn_, &one, pixels_, x, &zero, channels_, y);
        });
    }
    void norms() {
        const std::vector<float> scale = random_floats(channels_of_size(), 4),
                                 shift = random_floats(channels_of_size(), 5),
                                 mean = random_floats(channels_of_size(), 6);
        std::vector<float> variance = random_floats(channels_of_size(), 7, 0.5F);
        for (float& value : variance) value += 1.F;
        trial("cudnnBatchNormalizationForwardInference", "silent", {x_, scale, shift, mean, variance}, 0,
              [&](const std::vector<float*>& in, float* out) {
                  return text_of(cudnnBatchNormalizationForwardInference(dnn_, CUDNN_BATCHNORM_SPATIAL, &one, &zero,
                                                                         pixels_, in[0], pixels_, out, line_, in[1],
                                                                         in[2], in[3], in[4], 1e-5));
              });
        const DnnLrn how;
        must(cudnnSetLRNDescriptor(how, 5, 1e-1, 0.75, 1.0), "cudnnSetLRNDescriptor");
        one_input("cudnnLRNCrossChannelForward", "silent", [&](const float* x, float* y) {
            return cudnnLRNCrossChannelForward(dnn_, how, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, pixels_, x, &zero,
                                               pixels_, y);
        });
    }
    void convolutions(int kernel) {
        const DnnFilter filter;
        const DnnConv conv;
        must(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, size_.c, size_.c, kernel, kernel),
             "cudnnSetFilter4dDescriptor");
        must(cudnnSetConvolution2dDescriptor(conv, kernel / 2, kernel / 2, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                             CUDNN_DATA_FLOAT),
             "cudnnSetConvolution2dDescriptor");
        must(cudnnSetConvolutionMathType(conv, CUDNN_FMA_MATH), "cudnnSetConvolutionMathType");
        const std::size_t taps = channels_of_size() * static_cast<std::size_t>(kernel * kernel);
        const std::vector<float> weight =
            random_floats(channels_of_size() * taps, 8, std::sqrt(3.F / static_cast<float>(taps)));
        const std::string window = std::to_string(kernel) + "x" + std::to_string(kernel);
        const struct {
            const char* name;
            cudnnConvolutionFwdAlgo_t algorithm;
        } all[] = {{", implicit GEMM", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
                   {", precomputed GEMM", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM},
                   {", Winograd", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD},
                   {", Winograd not fused", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED}};
        for (const auto& [name, algorithm] : all) {
            const auto chosen = algorithm;
            if (kernel != 3 && chosen != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM &&
                chosen != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)
                continue;
            trial("cudnnConvolutionForward, " + window + name, "silent", {x_, weight}, 0,
                  [&](const std::vector<float*>& in, float* out) {
                      return text_of(cudnnConvolutionForward(dnn_, &one, pixels_, in[0], filter, in[1], conv, chosen,
                                                             workspace_.get(), workspace_.bytes(), &zero, pixels_,
                                                             out));
                  });
        }
        const DnnActivation relu;
        must(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0.0),
             "cudnnSetActivationDescriptor");
        const std::vector<float> bias = random_floats(channels_of_size(), 9), z = random_floats(size_.elems(), 10);
        const auto fused = [&](const std::vector<float*>& in, float* out) {
            return text_of(cudnnConvolutionBiasActivationForward(
                dnn_, &one, pixels_, in[0], filter, in[1], conv, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                workspace_.get(), workspace_.bytes(), &one, pixels_, in[2], line_, in[3], relu, pixels_, out));
        };
        trial("cudnnConvolutionBiasActivationForward, " + window + ", y on z", "silent", {x_, weight, z, bias}, 2,
              fused);
        trial("cudnnConvolutionBiasActivationForward, " + window + ", y on x", "silent", {x_, weight, z, bias}, 0,
              fused);
    }

  private:
    static void lay(const DnnTensor& tensor, cudnnTensorFormat_t layout, Size size) {
        must(cudnnSetTensor4dDescriptor(tensor, layout, CUDNN_DATA_FLOAT, size.n, size.c, size.h, size.w),
             "cudnnSetTensor4dDescriptor");
    }
    std::size_t channels_of_size() const { return static_cast<std::size_t>(size_.c); }
    template <class Run>
    void trial(const std::string& name, const char* documented, std::vector<std::vector<float>> inputs,
               std::size_t shared, const Run& run) {
        try_in_place(report_, stream_,
                     {name + size_.text(), documented, std::move(inputs), shared, size_.elems(), run});
    }
    template <class Run> void one_input(const std::string& name, const char* documented, const Run& run) {
        trial(name, documented, {x_}, 0,
              [&](const std::vector<float*>& in, float* out) { return text_of(run(in[0], out)); });
    }

    Report& report_;
    const Stream& stream_;
    DnnHandle dnn_;
    Size size_;
    std::vector<float> x_;
    DeviceBlock workspace_;
    DnnTensor pixels_{}, channels_{}, line_{};
};

} // namespace

int main(int argc, char** argv) {
    return run_part("cuDNN with an output on an input", argc, argv, [](Report& report) {
        const Stream stream;
        for (const Size size : {Size{1, 32, 7, 7}, Size{8, 64, 28, 28}, Size{16, 128, 56, 56}}) {
            Trials trials(report, stream, size);
            report.attempt("cudnnActivationForward", [&] { trials.activations(); });
            report.attempt("cudnnSoftmaxForward", [&] { trials.softmax(); });
            report.attempt("cudnnPoolingForward", [&] { trials.pools(); });
            report.attempt("cudnnOpTensor", [&] { trials.sums(); });
            report.attempt("cudnnTransformTensor", [&] { trials.transforms(); });
            report.attempt("cudnnBatchNormalizationForwardInference", [&] { trials.norms(); });
            report.attempt("cudnnConvolutionForward", [&] { trials.convolutions(1); });
            report.attempt("cudnnConvolutionForward", [&] { trials.convolutions(3); });
        }
    });
}
