// SPDX-License-Identifier: MIT
// tarn on CUDA: the umbrella for host code, compiled by any compiler that finds CUDA's runtime header.
// Beside tarn.hpp, which needs none of it. Kernels: one .cu file includes <tarn/device/launches.cuh>.
// Holds includes only.
#pragma once

#include <tarn/tarn.hpp>

#include <tarn/device/graph.hpp>
#include <tarn/device/mode.hpp>
#include <tarn/device/model.hpp>
#include <tarn/device/session.hpp>
#include <tarn/device/status.hpp>
