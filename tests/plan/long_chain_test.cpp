// SPDX-License-Identifier: MIT
// Long networks plan, and are judged, at every compiler's default constexpr limits: chains of 120 layers, 40 residual
// blocks, whole and by rows.
// Compiled by each compiler found (tests/plan/CMakeLists.txt), run by the build's own.
// Knows plans; runs no kernel.
#include <tarn/cpu/cpu.hpp>
#include <tarn/nn/activation.hpp>
#include <tarn/nn/conv.hpp>
#include <tarn/nn/linear.hpp>
#include <tarn/nn/norm.hpp>
#include <tarn/plan/validate.hpp>

#include <utility>

#if !defined(TARN_TEST_COMPILE_ONLY)
#include "support/catch.hpp"
#endif

using namespace tarn;

namespace {

template <class Indices, class... Layers> struct RepeatedBy;
template <int... I, class... Layers> struct RepeatedBy<std::integer_sequence<int, I...>, Layers...> {
    template <int> using One = Sequential<Layers...>;
    using type = Sequential<One<I>...>;
};
/// The same layers Times times, one after the other.
template <int Times, class... Layers>
using Repeated = typename RepeatedBy<std::make_integer_sequence<int, Times>, Layers...>::type;

template <class Net, class In, bool OwnsInput = false>
using PlanOf = Planned<Network<Net, In>, Cpu<>, WholeTensors<Smallest>, OwnsInput>;

template <int C> using ConvNorm = Sequential<Conv2d<C, C, Kernel<3>, Padding<1>, NoBias>, BatchNorm2d<C>>;

using Chain = Repeated<120, Conv2d<16, 16, Kernel<3>, Padding<1>>, ReLU>;
using Pumping = Repeated<60, Conv2d<8, 24, Kernel<1>>, ReLU, Conv2d<24, 8, Kernel<3>, Padding<1>>>;
using Residuals = Repeated<40, Residual<Sequential<ConvNorm<16>, ReLU, ConvNorm<16>>>, ReLU>;
using Perceptrons = Repeated<60, Linear<32, 48>, Tanh, Linear<48, 32>, GELU>;

using ChainPlan = PlanOf<Chain, Shape<14, 14, 16>>;
using ChainInPlace = PlanOf<Chain, Shape<14, 14, 16>, true>;
using PumpingPlan = PlanOf<Pumping, Shape<12, 12, 8>>;
using ResidualPlan = PlanOf<Residuals, Shape<14, 14, 16>>;
using PerceptronPlan = PlanOf<Perceptrons, Shape<32>>;

static_assert(ChainPlan::problem.net.count == 120 && ChainPlan::plan.found);
static_assert(ChainPlan::arena_elems == (14 * 14 + 14 + 1) * 16 + 0); // one row and one pixel, no scratch: one panel
static_assert(ChainInPlace::arena_elems == ChainPlan::arena_elems);
static_assert(PumpingPlan::problem.net.count == 120 && PumpingPlan::plan.found);
static_assert(ResidualPlan::problem.net.count == 80 && ResidualPlan::plan.found);
static_assert(ResidualPlan::arena_elems == 2 * 14 * 14 * 16);
static_assert(PerceptronPlan::problem.net.count == 120 && PerceptronPlan::plan.found);
static_assert(validate<ChainPlan>() && validate<ChainInPlace>() && validate<PumpingPlan>());
static_assert(validate<ResidualPlan>() && validate<PerceptronPlan>());

using ResidualRows = Planned<Network<Residuals, Shape<14, 14, 16>>, Cpu<>, Smallest, true>;
static_assert(validate<ResidualRows>() && ResidualRows::problem.tasks[0].rows);
static_assert(ResidualRows::arena_elems < ResidualPlan::arena_elems);

} // namespace

#if !defined(TARN_TEST_COMPILE_ONLY)
TEST_CASE("long networks have plans") {
    CHECK(ChainPlan::plan.found);
    CHECK(PumpingPlan::arena_elems < 2 * 12 * 12 * 24);
    CHECK(ResidualPlan::plan.found);
    CHECK(PerceptronPlan::plan.found);
}
#endif
