// SPDX-License-Identifier: MIT
// A kernel body's trial on a card: which Op in which form, and what the .cu files hand to host code about its kernel.
// Between bodies.cuh and body_check.cpp. Knows Ops and packed bytes; nothing of bodies.
#pragma once

#include "report.hpp"

#include "kernels/some_ops.hpp"

#include <tarn/cuda/context.hpp>

namespace tarn_bench {

/// Where the output goes.
enum class Where { apart, on_input, on_other };

/// One line of a list of trials. held: among how many blocks outputs wait in registers, 0 for none; panel_rows,
/// kept_bytes: of row panels, and what a recurrent layer may keep in shared memory, instead of the usual body.
struct BodyCase {
    const char* name;
    tarn::Op op;
    Where out = Where::apart;
    int held = 0;
    tarn::cuda::Factor factor = tarn::cuda::Factor::f32;
    int threads = 256;
    int panel_rows = 0;
    std::size_t kept_bytes = 0;
};

/// What host code launches.
struct BodyKernel {
    const void* kernel;
    std::size_t shared_bytes;
    std::vector<unsigned char> (*pack)(const tarn::RawWeights&);
};

/// How far a product of so much depth may be off. Sums in float walk by half an ulp of what is summed, a few hundredths
/// of 2^-24 times the depth for factors in [-1, 1); rounded factors are off by 2^-12 or 2^-9 of themselves, which adds
/// up as its square root. Each allows about three times what is expected of the worst of 100,000 sums.
double tolerance_of(const BodyCase& one);

/// Runs it on grids of several sizes and judges the worst against the reference in double.
void check_body(Report& report, const BodyCase& one, const BodyKernel& kernel);

void check_dense_bodies(Report& report);
void check_held_bodies(Report& report);
void check_factor_bodies(Report& report);
void check_other_bodies(Report& report);
void check_recurrent_bodies(Report& report);
void check_bodies_beside(Report& report);

} // namespace tarn_bench
