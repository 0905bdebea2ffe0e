// SPDX-License-Identifier: MIT
// Whole networks in the emulated grid: an MLP, a CNN with residuals, a MobileNet block, a U-Net with concat and a
// recurrent one, as one launch and as one for each step, against the CPU to 1e-5.
// Knows networks by their public face.
#include "cuda/network_check.hpp"
#include "cuda/networks.hpp"
#include "support/model_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

using TestGrid = tarn::cuda::DeviceGrid<64, 3, Factor::f32, 2000>;

template <class TheModel>
void check_runs(std::span<const float* const> parameters, std::span<const float> inputs,
                std::span<const float> expected) {
    EmulatedDevice<TheModel> device(parameters);
    for (const Execution& execution : fibre_executions) {
        INFO("order " << static_cast<int>(execution.order.kind));
        REQUIRE(device.one_launch(inputs, 3, execution) == "");
        CHECK(worst_difference(expected, device.output()) <= 1e-5);
        REQUIRE(device.in_place(inputs, 4, execution) == "");
        CHECK(worst_difference(expected, device.output()) <= 1e-5);
        CHECK(device.intact());
    }
}

template <class Net, class In> void check_all(unsigned seed) {
    const RandomParameters<Net> parameters(seed);
    const std::vector<float> inputs = random_floats(In::elems, seed + 1);
    using Cpu = Model<Net, In>;
    const auto weights = std::make_unique<typename Cpu::Weights>();
    Cpu::pack(*weights, parameters.pointers());
    typename Cpu::Session session(*weights);
    const auto expected = session.forward(std::span<const float, In::elems>(inputs));
    check_runs<DeviceModel<Net, In, TestGrid, true>>(parameters.pointers(), inputs, expected);
    check_runs<DeviceModel<Net, In, TestGrid, false>>(parameters.pointers(), inputs, expected);
}

} // namespace

TEST_CASE("an MLP as one launch and as several") { check_all<Mlp, MlpIn>(1); }
TEST_CASE("rows that products overwrite, as one launch and as several") { check_all<RowNet, RowIn>(6); }
TEST_CASE("a CNN with residuals as one launch and as several") { check_all<ResidualNet, ResidualIn>(2); }
TEST_CASE("a MobileNet block as one launch and as several") { check_all<MobileNet, MobileIn>(3); }
TEST_CASE("a U-Net with concat as one launch and as several") { check_all<UNet, UNetIn>(4); }
TEST_CASE("a recurrent network as one launch and as several") { check_all<GruNet, GruIn>(5); }

TEST_CASE("rows of a capacity: no block waits for another's") {
    using Rows = DeviceModel<RowNet, RowIn, TestGrid, true>;
    constexpr auto& plan = Rows::Planning::plan;
    // The first layer reads the caller's rows, which touch; the next three overwrite rows of 40 without a barrier.
    STATIC_REQUIRE((!plan.owned[0] && plan.owned[1] && plan.owned[2] && plan.owned[3]));
    STATIC_REQUIRE((plan.before[2] == cuda::Scope::none && plan.before[3] == cuda::Scope::none));
    STATIC_REQUIRE(Rows::steps.steps[1].op.in_pitch == 0); // 40 wide itself
    STATIC_REQUIRE((Rows::steps.steps[1].op.out_pitch == 40 && Rows::steps.steps[3].op.out_pitch == 40));
    // The first and the last wait in registers, whose other sides are the caller's: 53 rows of 40 floats, rounded up to
    // 64, are all there is. The proposal's bound, the largest tensor.
    STATIC_REQUIRE((Rows::Planning::held_count == 2 && plan.held[0] && plan.held[5]));
    STATIC_REQUIRE(Rows::Planning::arena_elems == 2176);
    STATIC_REQUIRE(Rows::apart_arena_bytes > Rows::device_arena_bytes);
}

TEST_CASE("the device's plan, side by side") {
    using Small = DeviceModel<Mlp, MlpIn, TestGrid, true>;
    using Fast = DeviceModel<Mlp, MlpIn, TestGrid, false>;
    STATIC_REQUIRE(Small::device_arena_bytes <= Fast::device_arena_bytes);
    STATIC_REQUIRE(Fast::device_arena_bytes == Small::apart_arena_bytes);
    STATIC_REQUIRE(Small::device_arena_bytes % tarn::cuda::device_alignment == 0);
    STATIC_REQUIRE(sizeof(Small::Weights) == Small::device_weight_bytes);
}
