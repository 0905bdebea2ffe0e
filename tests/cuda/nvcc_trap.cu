// SPDX-License-Identifier: MIT
// What nvcc 13 cannot do: an Op as a template argument of a __global__ function. Its host code does not compile.
// The reason why kernels are given tag types. When this compiles one day, spills.py says so, and tags may go.
#include <tarn/nn/op.hpp>

template <tarn::Op O> __global__ void kernel(float* to) { *to = static_cast<float>(O.in.d0); }

void launch(float* to) {
    constexpr tarn::Op op{tarn::OpKind::activation, tarn::extents_of(3, 4), tarn::extents_of(3, 4)};
    kernel<op><<<1, 1>>>(to);
}
