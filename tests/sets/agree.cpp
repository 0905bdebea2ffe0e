// SPDX-License-Identifier: MIT
// Every kind of layer against the reference in double, on every instruction set that the processor has of those that
// the program carries: absolute error at most 4e-6 on outputs of about one. Then whole networks, and the float mode.
// Built for several targets and run natively, by qemu-user and by wasmtime: no test framework, no exceptions.
#include "kernels/some_ops.hpp"
#include "laws/networks.hpp"

#include <tarn/cpu/avx512.hpp>
#include <tarn/reference/layers.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr double tolerance = 4e-6;
int passed = 0, failed = 0;

void judge(bool good, const char* set, const char* what, double worst = 0.0) {
    (good ? passed : failed) += 1;
    if (!good) std::printf("failed on %s: %s, off by %.2g\n", set, what, worst);
}

using Chosen = cpu::ChooseAvx512;

/// f<Kernels>() for the sets that the processor runs.
template <class Sets, class F> void for_each_set(F f, int skipped = Chosen::choose()) {
    if (skipped <= 0) f.template operator()<typename Sets::Best>();
    if constexpr (requires { typename Sets::Others; }) for_each_set<typename Sets::Others>(f, skipped - 1);
}

/// An Op with its input, weights and right answers, whatever the set.
struct Task {
    std::vector<float> in, other, out, scratch;
    std::vector<double> expected;
    SomeWeights weights;

    explicit Task(const Op& op, Random& random, float most)
        : in(random.reals(op.in.elems(), -most, most)), other(random.reals(op.out.elems())), out(op.out.elems()),
          expected(op.out.elems()), weights(op, random) {
        const Footprint footprint = cpu::footprint_of(op);
        scratch.resize(std::max(footprint.scratch_elems, footprint.direct_scratch));
        if (!cpu::is_recurrent(op)) { // outputs of about one
            const float taps = static_cast<float>(op.window.kernel_h * op.window.kernel_w * op.in.last() / op.groups);
            for (float& w : weights.weight) w /= std::sqrt(taps);
        }
        const std::vector<double> x(in.begin(), in.end()), second(other.begin(), other.end());
        const bool normed = op.kind == OpKind::batch_norm;
        reference::LayerWeights w;
        w.weight = normed ? weights.scale.data() : weights.weight.data();
        w.bias = weights.bias.data(), w.running_mean = weights.mean.data(), w.running_var = weights.variance.data();
        w.weight_hh = weights.weight_hh.data(), w.bias_hh = weights.bias_hh.data();
        if (op.kind == OpKind::layer_norm && !op.affine) w = {};
        const bool alone = op.kind == OpKind::activation; // the reference of others knows no epilogue
        reference::layer(op, x.data(), second.data(), expected.data(), w);
        if (!alone) {
            for (std::size_t i = 0; i < expected.size(); ++i) {
                if (op.add && op.kind != OpKind::add) expected[i] += second[i];
                expected[i] = reference::activate(op.act, expected[i], double{op.act_parameter()});
            }
        }
    }
    double worst() const {
        double most = 0.0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double off = std::abs(double{out[i]} - expected[i]);
            if (!std::isnan(most) && !(off <= most)) most = off; // keeps a NaN
        }
        return most;
    }
};

template <Op O> void check(const char* what, float most = 1.F) {
    Random random(static_cast<unsigned>(passed + failed));
    Task task(O, random, most);
    const auto packed = std::make_unique<typename cpu::Geometry<O>::Packed>();
    cpu::pack<O>(*packed, task.weights.raw);
    for_each_set<Chosen::Sets>([&]<class Kernels>() {
        std::fill(task.out.begin(), task.out.end(), -7.F);
        std::fill(task.scratch.begin(), task.scratch.end(), -7.F);
        Kernels::template run<O, Schedule{}>(task.in.data(), task.other.data(), task.out.data(), task.scratch.data(),
                                             *packed);
        judge(task.worst() <= tolerance, Kernels::name, what, task.worst());
    });
}

template <Activation F, int ParameterBits = 0> void check_activation(const char* what) {
    constexpr Op op = [] {
        Op made = fused(pixel_op(OpKind::activation, extents_of(3, 43)), false, F);
        made.act_bits = ParameterBits;
        return made;
    }();
    check<op>(what, 9.F);
}

void check_layers() {
    constexpr auto relu = Activation::relu;
    check<pixel_op(OpKind::linear, extents_of(64), 10)>("linear 64 to 10");
    check<pixel_op(OpKind::linear, extents_of(13, 33), 50)>("linear on 13 rows");
    check<pixel_op(OpKind::linear, extents_of(5, 70), 3)>("linear to 3");
    check<conv_op(extents_of(9, 11, 5), 16, window_of(3, 1, 1))>("conv 3x3");
    check<conv_op(extents_of(7, 14, 16), 32, window_of(3, 1, 1))>("conv 3x3, 14 wide");
    check<conv_op(extents_of(9, 12, 8), 7, window_of(3, 2, 1))>("conv 3x3, stride 2, to 7");
    check<conv_op(extents_of(10, 10, 3), 24, window_of(5, 2, 2))>("conv 5x5");
    check<conv_op(extents_of(11, 13, 4), 9, window_of(3, 1, 2, 2))>("conv 3x3, dilated");
    check<winograd_op(4, extents_of(9, 11, 13), 19)>("conv 3x3 by tiles of 4");
    check<winograd_op(2, extents_of(7, 5, 16), 24)>("conv 3x3 by tiles of 2");
    check<conv_op(extents_of(6, 7, 8), 12, window_of(3, 1, 1), 2)>("conv 3x3, 2 groups");
    check<fused(conv_op(extents_of(7, 13, 16), 48, window_of(1)), true, relu)>("conv 1x1 and sum");
    check<depthwise_op(extents_of(9, 10, 24), window_of(3, 1, 1))>("depthwise 3x3");
    check<fused(depthwise_op(extents_of(9, 11, 35), window_of(3, 2, 1)), false, Activation::silu)>(
        "depthwise 3x3, stride 2");
    check<depthwise_op(extents_of(8, 9, 7), window_of(5, 1, 2))>("depthwise 5x5");
    check<enlarging_op(OpKind::up_conv2d, extents_of(4, 5, 6), 20, 2, 2)>("up_conv 2x2");
    check<enlarging_op(OpKind::upsample, extents_of(4, 5, 20), 20, 2, 3)>("upsample");
    check<max_pool_op(extents_of(9, 10, 19), window_of(3, 2, 1))>("max pool 3x3");
    check<avg_pool_op(extents_of(8, 8, 16), window_of(2, 2))>("average pool 2x2");
    check<avg_pool_op(extents_of(7, 8, 5), window_of(3, 2, 1), false)>("average pool without padding");
    check<pixel_op(OpKind::batch_norm, extents_of(4, 4, 21))>("batch norm");
    check<pixel_op(OpKind::softmax, extents_of(3, 37))>("softmax", 20.F);
    check<layer_norm_op(extents_of(3, 5, 37))>("layer norm");
    check<fused(layer_norm_op(extents_of(4, 7), false), false, relu)>("layer norm of 7, no weight");
    check<fused(pixel_op(OpKind::add, extents_of(5, 7, 3)), false, relu)>("sum");
    check<pixel_op(OpKind::mul, extents_of(5, 23))>("product");
    check<pixel_op(OpKind::flatten_pytorch, extents_of(3, 5, 6))>("permutation");
    check<pixel_op(OpKind::gru, extents_of(9, 5), 8)>("GRU of 8");
    check<pixel_op(OpKind::gru, extents_of(6, 20), 33)>("GRU of 33");
    check<pixel_op(OpKind::lstm, extents_of(9, 12), 8)>("LSTM of 8");
    check<pixel_op(OpKind::lstm, extents_of(5, 3), 40)>("LSTM of 40");
    check_activation<Activation::relu6>("relu6");
    check_activation<Activation::leaky_relu, std::bit_cast<int>(0.1F)>("leaky relu");
    check_activation<Activation::sigmoid>("sigmoid");
    check_activation<Activation::tanh>("tanh");
    check_activation<Activation::gelu>("gelu");
    check_activation<Activation::gelu_tanh>("gelu tanh");
    check_activation<Activation::silu>("silu");
    check_activation<Activation::hard_swish>("hard swish");
    check_activation<Activation::elu, std::bit_cast<int>(0.7F)>("elu");
}

/// A parameter is about one over the root of what it sums; variances are positive.
template <class Net> std::vector<std::vector<float>> parameters_of(Random& random) {
    std::vector<std::vector<float>> made;
    for (const NamedParameter& parameter : parameter_names<Net>()) {
        const std::size_t count = parameter.shape.elems();
        const bool variance = parameter.name.ends_with("running_var");
        const float scale = 1.F / std::sqrt(static_cast<float>(count / static_cast<std::size_t>(parameter.shape[0])));
        made.push_back(random.reals(count, variance ? 0.5F : -scale, variance ? 2.F : scale));
    }
    return made;
}

/// A network by rows and layer by layer: the reference's numbers, and of both ways the same bits.
template <class Net, class In> void check_network(const char* what) {
    Random random(7);
    const auto parameters = parameters_of<Net>(random);
    std::vector<const float*> pointers;
    for (const auto& p : parameters) pointers.push_back(p.data());
    const auto x = random.reals(In::elems);
    const std::span<const float, In::elems> input(x.data(), In::elems);
    const auto expected = reference_forward<Net, In>(input, pointers);
    const auto run = [&]<class Policy>(Policy) {
        using M = Model<Net, In, Cpu<Chosen>, Policy>;
        const auto weights = std::make_unique<typename M::Weights>();
        M::pack(*weights, pointers);
        const auto session = std::make_unique<typename M::Session>(*weights);
        const auto y = session->forward(input);
        double worst = 0.0;
        for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(double{y[i]} - expected[i]));
        judge(worst <= tolerance, session->instruction_set(), what, worst);
        return std::vector<float>(y.begin(), y.end());
    };
    const auto by_rows = run(Smallest{}), whole = run(WholeTensors<Smallest>{});
    judge(std::memcmp(by_rows.data(), whole.data(), by_rows.size() * sizeof(float)) == 0, "the chosen set",
          "bits by rows and by layers");
}

/// Half of the smallest normal float, by the processor at run time: not zero as programs start.
float halved_smallest() {
    volatile float smallest = 1.17549435e-38F;
    return smallest * 0.5F;
}

void check_float_mode() {
    const char* const set = "this processor";
    judge(halved_smallest() > 0.F, set, "subnormals before");
    {
        const cpu::FlushSubnormals scope;
        judge((halved_smallest() > 0.F) != cpu::FlushSubnormals::flushes, set, "subnormals in the scope");
    }
    judge(halved_smallest() > 0.F, set, "subnormals after");

    using M = Model<Linear<2, 2>, Shape<2>, Cpu<Chosen>>;
    const std::array<float, 4> identity{1.F, 0.F, 0.F, 1.F};
    const std::array<float, 2> bias{}, x{1e-40F, -3e-39F};
    const std::array<const float*, 2> parameters{identity.data(), bias.data()};
    M::Weights weights;
    M::pack(weights, parameters);
    M::Session session(weights);
    for (const float y : session.forward(x))
        judge((y == 0.F) == cpu::FlushSubnormals::flushes, session.instruction_set(), "subnormals in forward");
    judge(halved_smallest() > 0.F, set, "subnormals after forward");
}

} // namespace

int main() {
    check_layers();
    check_network<InvertedResidual::Net, InvertedResidual::In>("inverted residual");
    check_network<Projection::Net, Projection::In>("projection");
    check_network<Sequential<GRU<4, 12>, Linear<12, 3>>, Shape<7, 4>>("GRU and linear");
    check_float_mode();
    std::printf("sets:");
    for_each_set<Chosen::Sets>([]<class Kernels>() { std::printf(" [%s]", Kernels::name); });
    std::printf("; %d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
