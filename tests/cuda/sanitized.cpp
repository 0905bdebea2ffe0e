// SPDX-License-Identifier: MIT
// Bodies under ThreadSanitizer or AddressSanitizer, right ones and planted mistakes: `sanitized MISTAKE`, a number of
// planted.hpp. Races are seen whatever the order of threads, so one order is enough, the one that hides them best.
// Compiled with each sanitizer by CMakeLists.txt beside it. Knows bodies and mistakes; nothing of plans.
#include "cuda/planted.hpp"

#include <tarn/cuda/argmax.hpp>
#include <tarn/cuda/filter.hpp>
#include <tarn/cuda/kernels.hpp>

#include <cstdio>
#include <cstdlib>

using namespace tarn;
using namespace tarn_test;

namespace {

template <Op O, int Blocks = 0, Factor F = Factor::f32>
bool run_right(const Execution& execution, bool in_place = false) {
    constexpr int threads = 64, blocks = 2;
    using Body = tarn::cuda::BodyFor<O, threads, F, Blocks>;
    Random random(1);
    SomeWeights weights(O, random);
    const auto packed = std::make_unique<typename Body::Packed>();
    tarn::cuda::pack<O>(*packed, weights.raw);
    const DeviceFloats in(random.reals(std::max(O.in.elems(), O.out.elems()))), other(random.reals(O.out.elems()));
    const DeviceFloats apart(O.out.elems());
    float* const out = in_place ? in.data() : apart.data();
    const std::string fault = launch<threads>(blocks, Body::shared_bytes, execution, [&](const auto& context) {
        Body::run(context, in.data(), other.data(), out, *packed);
    });
    const bool finite = std::abs(out[0]) <= 1e30F;
    if (fault != "" || !finite) std::printf("kind %d: %s\n", static_cast<int>(O.kind), fault.c_str());
    return fault == "" && finite;
}

/// What follows a library's convolution, on its own output.
template <Op O> bool run_finish(const Execution& execution) {
    using Body = tarn::cuda::Finish<O, 64>;
    Random random(2);
    const auto packed = std::make_unique<typename Body::Packed>();
    std::memset(static_cast<void*>(packed.get()), 0, sizeof *packed);
    const DeviceFloats out(random.reals(O.out.elems())), other(random.reals(O.out.elems()));
    return launch<64>(2, Body::shared_bytes, execution,
                      [&](const auto& context) { Body::run(context, other.data(), out.data(), *packed); }) == "";
}
bool run_argmax(const Execution& execution) {
    using Body = tarn::cuda::Argmax<5, 33, 35, 64>;
    Random random(3);
    const DeviceFloats in(random.reals(5 * 35));
    const GuardedBlock out(5 * sizeof(int));
    return launch<64>(2, Body::shared_bytes, execution,
                      [&](const auto& context) { Body::run(context, in.data(), static_cast<int*>(out.data())); }) ==
               "" &&
           out.intact();
}

bool run_all(const Execution& execution) {
    constexpr Op norm = [] {
        Op op = pixel_op(OpKind::layer_norm, extents_of(5, 33));
        op.affine = true;
        return op;
    }();
    const bool right[] = {
        run_right<fused(pixel_op(OpKind::add, extents_of(5, 7, 3)), true, Activation::tanh)>(execution, true),
        run_right<broadcast(pixel_op(OpKind::mul, extents_of(5, 7, 3)))>(execution, true),
        run_right<pixel_op(OpKind::batch_norm, extents_of(5, 7, 3))>(execution, true),
        run_right<pixel_op(OpKind::softmax, extents_of(5, 33))>(execution, true),
        run_right<norm>(execution, true),
        run_right<max_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1))>(execution),
        run_right<avg_pool_op(extents_of(4, 4, 70), window_of(4, 4))>(execution),
        run_right<enlarging_op(OpKind::upsample, extents_of(3, 5, 7), 7, 2, 3)>(execution),
        run_right<pixel_op(OpKind::flatten_pytorch, extents_of(3, 5, 7))>(execution),
        run_right<depthwise_op(extents_of(5, 6, 7), window_of(3, 1, 1))>(execution),
        run_right<depthwise_op(extents_of(5, 6, 7), window_of(3, 1, 1)), 2>(execution, true),
        run_right<max_pool_op(extents_of(9, 7, 5), window_of(3, 2, 1)), 2>(execution, true),
        run_right<pixel_op(OpKind::linear, extents_of(1, 30), 70)>(execution),
        run_right<pixel_op(OpKind::linear, extents_of(1, 30), 70), 2>(execution, true),
        run_right<pixel_op(OpKind::linear, extents_of(40, 19), 20)>(execution),
        run_right<fused(conv_op(extents_of(6, 5, 4), 6, window_of(3, 1, 1), 2), true, Activation::relu)>(execution),
        run_right<conv_op(extents_of(6, 5, 4), 6, window_of(3, 1, 1)), 2>(execution, true),
        run_right<pixel_op(OpKind::linear, extents_of(40, 19), 20), 0, Factor::tf32>(execution),
        run_right<conv_op(extents_of(6, 5, 4), 6, window_of(3, 1, 1)), 2, Factor::bf16>(execution, true),
        run_right<enlarging_op(OpKind::up_conv2d, extents_of(3, 4, 5), 6, 2, 2)>(execution),
        run_right<pixel_op(OpKind::gru, extents_of(4, 5), 24)>(execution),
        run_right<pixel_op(OpKind::lstm, extents_of(4, 12), 12)>(execution, true),
        run_finish<fused(conv_op(extents_of(6, 5, 4), 6, window_of(3, 1, 1)), true, Activation::silu)>(execution),
        run_argmax(execution),
        run_bug(Bug::none, execution).right,
    };
    bool all = true;
    for (const bool one : right) all = all && one;
    return all;
}

} // namespace

int main(int argc, char** argv) {
    const auto bug = static_cast<Bug>(argc > 1 ? std::atoi(argv[1]) : 0);
    const Execution forward{{Order::forward}};
    if (bug == Bug::none) {
        const bool right = run_all(forward);
        std::printf("%s\n", right ? "all right" : "wrong");
        return right ? 0 : 1;
    }
    const Finding finding = run_bug(bug, forward);
    std::printf("mistake %d: numbers %s, %s\n", static_cast<int>(bug), finding.right ? "right" : "wrong",
                finding.fault.c_str());
    return finding.right && finding.fault == "" ? 0 : 1;
}
