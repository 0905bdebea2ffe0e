// SPDX-License-Identifier: MIT
// The digits network on a card, in each mode, and the label of its scores.
// Shared by main.cpp and kernels.cu. Knows the public face only.
#pragma once

#include "../digits/digits.hpp"

#include <tarn/cuda.hpp>

template <class Mode> using DigitsOn = tarn::Model<DigitsNet, tarn::Shape<8, 8, 1>, tarn::Cuda<Mode>, tarn::Fastest>;

/// Enqueues the place of the largest of ten scores, both on the card, so that four bytes come back and no scores.
cudaError_t enqueue_label(const float* scores, int* label, cudaStream_t stream);
