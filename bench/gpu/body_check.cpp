// SPDX-License-Identifier: MIT
// A kernel body on a card against the reference in double: at any pitch, in place or not, on grids of several sizes,
// with guards behind every operand.
// Beside bodies_*.cu, which have the kernels. Knows Ops, weights and the runtime; nothing of bodies.
#include "body_case.hpp"
#include "cuda/body_reference.hpp"

#include <tarn/cuda/geometry.hpp>

namespace tarn_bench {

namespace {

using tarn::Op;
using tarn::OpKind;
using tarn_test::expected_of, tarn_test::gathered, tarn_test::spread;

constexpr std::size_t guard_elems = 256;

/// An operand with NaNs behind it that nobody may write.
class Operand {
  public:
    explicit Operand(std::size_t elems) : elems_(elems), block_((elems + guard_elems) * sizeof(float)) {}

    float* get() const { return block_.floats(); }
    void put(const std::vector<float>& values) const {
        block_.poison();
        block_.upload(values);
    }
    std::vector<float> elems() const { return block_.download(elems_); }
    bool intact() const {
        const std::vector<float> all = block_.download(elems_ + guard_elems);
        const std::ptrdiff_t end = static_cast<std::ptrdiff_t>(elems_);
        return std::all_of(all.begin() + end, all.end(), [](float value) { return value != value; });
    }

  private:
    std::size_t elems_;
    DeviceBlock block_;
};

void launch(const BodyCase& one, const BodyKernel& kernel, int blocks, const float* in, const float* other, float* out,
            const void* weights) {
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(blocks));
    how.blockDim = dim3(static_cast<unsigned>(one.threads));
    how.dynamicSmemBytes = kernel.shared_bytes;
    how.attrs = &cooperative;
    how.numAttrs = one.held > 0 ? 1 : 0;
    void* arguments[] = {&in, &other, &out, &weights};
    must(cudaLaunchKernelExC(&how, kernel.kernel, arguments), "cudaLaunchKernelExC");
    must(cudaDeviceSynchronize(), one.name);
}

int depth_of(const Op& op) {
    switch (op.kind) {
    case OpKind::linear:
    case OpKind::conv2d:
    case OpKind::up_conv2d:
        return op.window.kernel_h * op.window.kernel_w * op.in.last() / op.groups;
    case OpKind::gru:
    case OpKind::lstm:
        return op.in.last() + op.out.last();
    default:
        return 0;
    }
}

/// Blocks for each launch of a trial: few, so that each has several turns; and as many as are resident together.
std::vector<int> grids_of(const BodyCase& one, const BodyKernel& kernel) {
    int each = 0;
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel.kernel, one.threads, kernel.shared_bytes),
         "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const int resident = each * multiprocessors();
    if (one.held == 0) return {1, 3, std::max(resident, 1)};
    if (resident < one.held) throw Fault{"its blocks are not resident together on this card"};
    return {one.held, std::min(one.held + 2, resident)};
}

void run_case(Report& report, const BodyCase& one, const BodyKernel& kernel) {
    const Op& op = one.op;
    tarn_test::Random random(static_cast<unsigned>(op.in.elems() + op.out.elems()));
    tarn_test::SomeWeights weights(op, random);
    const std::vector<float> x = random.reals(op.in.elems());
    const std::size_t other_elems = !tarn::cuda::reads_other(op) ? 0
                                    : op.broadcast               ? static_cast<std::size_t>(op.out.last())
                                                                 : op.out.elems();
    const std::vector<float> other_values = random.reals(other_elems);
    const std::vector<double> expected = expected_of(op, x, other_values, weights);
    const std::vector<unsigned char> packed = kernel.pack(weights.raw);
    const DeviceBlock on_card(packed.size());
    on_card.upload(packed.data(), packed.size());

    const int out_pitch = op.out_pitch > 0 ? op.out_pitch : op.out.last();
    const std::vector<float> in_rows = spread(x, op.in.last(), op.in_pitch);
    const std::vector<float> other_rows = spread(other_values, op.out.last(), op.broadcast ? 0 : op.other_pitch);
    const std::size_t out_elems = op.out.rows() * static_cast<std::size_t>(out_pitch);
    const Operand in(one.out == Where::on_input ? std::max(in_rows.size(), out_elems) : in_rows.size());
    const Operand other(one.out == Where::on_other ? std::max(other_rows.size(), out_elems) : other_rows.size());
    const Operand apart(out_elems);
    const Operand& out = one.out == Where::on_input ? in : one.out == Where::on_other ? other : apart;

    must(cudaFuncSetAttribute(kernel.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(kernel.shared_bytes)),
         "cudaFuncSetAttribute");
    double worst = 0.0;
    bool intact = true;
    const std::vector<int> grids = grids_of(one, kernel);
    for (const int blocks : grids) {
        in.put(in_rows);
        other.put(other_rows);
        apart.put({});
        launch(one, kernel, blocks, in.get(), other.get(), out.get(), on_card.get());
        const std::vector<float> found = gathered(out.elems().data(), expected.size(), op.out.last(), out_pitch);
        worst = std::max(worst, worst_difference(expected, found));
        intact = intact && in.intact() && other.intact() && apart.intact();
    }
    const double tolerance = tolerance_of(one);
    report.judge(one.name,
                 {{"worst_difference", worst},
                  {"tolerance", tolerance},
                  {"most_blocks", static_cast<double>(grids.back())},
                  Figure::said("guards", intact ? "whole" : "written")},
                 worst <= tolerance && intact);
}

} // namespace

double tolerance_of(const BodyCase& one) {
    const double depth = depth_of(one.op);
    switch (one.factor) {
    case tarn::cuda::Factor::tf32:
    case tarn::cuda::Factor::f16:
        return 8e-4 * std::sqrt(depth);
    case tarn::cuda::Factor::bf16:
        return 6.4e-3 * std::sqrt(depth);
    default:
        return 1e-5 + 1e-7 * depth;
    }
}

void check_body(Report& report, const BodyCase& one, const BodyKernel& kernel) {
    report.attempt(one.name, [&] { run_case(report, one, kernel); });
}

} // namespace tarn_bench
