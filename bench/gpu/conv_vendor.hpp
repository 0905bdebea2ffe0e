// SPDX-License-Identifier: MIT
// A convolution by cuDNN, or that there is none: conv_cudnn.cpp or conv_no_cudnn.cpp, as run.sh finds the library.
// Under the timing of convolutions. Knows Ops.
#pragma once

#include "report.hpp"

#include <tarn/nn/op.hpp>

namespace tarn_bench {

/// What the vendor's fastest took; 0 where there is no vendor.
struct VendorConv {
    double ms = 0.0;
    std::string how = "not present"; ///< layout and algorithm
    std::vector<float> result{};     ///< [H, W, O] as tarn's, where it ran in that layout
};

/// x [H, W, I], weight [O, I, KH, KW] in PyTorch's layout, no bias, float. tf32: whether factors may be rounded to it.
VendorConv vendor_conv(const Stream& stream, const tarn::Op& op, const std::vector<float>& x,
                       const std::vector<float>& weight, bool tf32);

} // namespace tarn_bench
