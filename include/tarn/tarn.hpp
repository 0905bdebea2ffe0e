// SPDX-License-Identifier: MIT
// tarn: neural-network inference with compile-time shapes, in one arena, without allocation. The table of contents,
// in reading order. Everything public is reached from here; CUDA is opt-in (tarn/cuda.hpp).
// Holds includes only.
#pragma once

// What everything speaks of
#include <tarn/core/config.hpp>
#include <tarn/core/shape.hpp>
#include <tarn/core/check.hpp>
#include <tarn/core/tensor.hpp>

// What a layer is
#include <tarn/nn/op.hpp>
#include <tarn/nn/options.hpp>
#include <tarn/nn/linear.hpp>
#include <tarn/nn/conv.hpp>
#include <tarn/nn/pool.hpp>
#include <tarn/nn/norm.hpp>
#include <tarn/nn/activation.hpp>
#include <tarn/nn/shape_ops.hpp>
#include <tarn/nn/upsample.hpp>
#include <tarn/nn/recurrent.hpp>
#include <tarn/nn/walk.hpp>
#include <tarn/nn/combine.hpp>
#include <tarn/nn/join.hpp>
#include <tarn/nn/graph.hpp>
#include <tarn/nn/reach.hpp>

// How it is computed: plainly, and fast
#include <tarn/reference/math.hpp>
#include <tarn/reference/layers.hpp>
#include <tarn/cpu/cpu.hpp>

// Where everything lies
#include <tarn/plan/network.hpp>
#include <tarn/plan/timing.hpp>
#include <tarn/plan/stream_plan.hpp>
#include <tarn/plan/stream_check.hpp>
#include <tarn/plan/counted.hpp>
#include <tarn/plan/row_counts.hpp>
#include <tarn/plan/validate.hpp>

// What runs
#include <tarn/run/model.hpp>
#include <tarn/run/rows.hpp>
#include <tarn/run/tasks.hpp>
#include <tarn/run/session.hpp>
#include <tarn/run/row_session.hpp>
#include <tarn/run/checked.hpp>
#include <tarn/run/batch.hpp>
#include <tarn/run/counted_rows.hpp>
#include <tarn/run/up_to.hpp>
#include <tarn/run/stream.hpp>
#include <tarn/run/apply.hpp>
#include <tarn/run/reference_forward.hpp>

// Where weights come from
#include <tarn/io/result.hpp>
#include <tarn/io/mapped_file.hpp>
#include <tarn/io/safetensors.hpp>
#include <tarn/io/names.hpp>
#include <tarn/io/weights.hpp>

// To be included by name, since a program that runs a network does without them and they cost compile time:
//   <tarn/io/packed.hpp>             packed weights in a file, mapped back without a copy
//   <tarn/io/safetensors_write.hpp>  writing safetensors
//   <tarn/io/report.hpp>             the plan in words
//   <tarn/io/report_svg.hpp>         the plan as a picture
