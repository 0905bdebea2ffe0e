// SPDX-License-Identifier: MIT
// cuDNN's handle and descriptors as values, for its calls before the graph interface.
// Under conv_cudnn.cpp and in_place_dnn.cpp. Knows cuDNN.
#pragma once

#include "report.hpp"

#include <cudnn.h>

// The calls that are asked about are deprecated; the graph interface has no twin for many of them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace tarn_bench {

inline void must(cudnnStatus_t answer, const char* call) {
    if (answer != CUDNN_STATUS_SUCCESS) throw Fault{std::string(call) + ": " + cudnnGetErrorString(answer)};
}

class DnnHandle {
  public:
    explicit DnnHandle(cudaStream_t stream) {
        must(cudnnCreate(&handle_), "cudnnCreate");
        must(cudnnSetStream(handle_, stream), "cudnnSetStream");
    }
    DnnHandle(const DnnHandle&) = delete;
    DnnHandle& operator=(const DnnHandle&) = delete;
    ~DnnHandle() { static_cast<void>(cudnnDestroy(handle_)); }
    operator cudnnHandle_t() const { return handle_; }

  private:
    cudnnHandle_t handle_ = nullptr;
};

/// A descriptor made by Create and taken back by Destroy.
template <class T, cudnnStatus_t (*Create)(T*), cudnnStatus_t (*Destroy)(T)> class DnnDescriptor {
  public:
    DnnDescriptor() { must(Create(&made_), "cudnnCreate..Descriptor"); }
    DnnDescriptor(const DnnDescriptor&) = delete;
    DnnDescriptor& operator=(const DnnDescriptor&) = delete;
    ~DnnDescriptor() { static_cast<void>(Destroy(made_)); }
    operator T() const { return made_; }

  private:
    T made_ = nullptr;
};
using DnnTensor = DnnDescriptor<cudnnTensorDescriptor_t, &cudnnCreateTensorDescriptor, &cudnnDestroyTensorDescriptor>;
using DnnFilter = DnnDescriptor<cudnnFilterDescriptor_t, &cudnnCreateFilterDescriptor, &cudnnDestroyFilterDescriptor>;
using DnnConv =
    DnnDescriptor<cudnnConvolutionDescriptor_t, &cudnnCreateConvolutionDescriptor, &cudnnDestroyConvolutionDescriptor>;
using DnnActivation =
    DnnDescriptor<cudnnActivationDescriptor_t, &cudnnCreateActivationDescriptor, &cudnnDestroyActivationDescriptor>;
using DnnPooling =
    DnnDescriptor<cudnnPoolingDescriptor_t, &cudnnCreatePoolingDescriptor, &cudnnDestroyPoolingDescriptor>;
using DnnOpTensor =
    DnnDescriptor<cudnnOpTensorDescriptor_t, &cudnnCreateOpTensorDescriptor, &cudnnDestroyOpTensorDescriptor>;
using DnnLrn = DnnDescriptor<cudnnLRNDescriptor_t, &cudnnCreateLRNDescriptor, &cudnnDestroyLRNDescriptor>;

} // namespace tarn_bench
