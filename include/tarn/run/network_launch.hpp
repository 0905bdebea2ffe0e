// SPDX-License-Identifier: MIT
// NetworkLaunch: a whole network as the work of one grid, phase after phase with the cheapest sufficient barrier
// between. StepLaunch: one step of it as the work of a grid of its own, for a launch each. Under a device's launches,
// and under the emulated grid of the tests. Knows plans and bodies; nothing of streams.
#pragma once

#include <tarn/run/device_model.hpp>

#include <utility>

namespace tarn {

template <class Grid, Op O, bool Owned, int Held> struct StepBody {
    using type = typename Grid::template Body<O, Held>;
};
template <class Grid, Op O, int Held> struct StepBody<Grid, O, true, Held> {
    using type = typename Grid::template OwningBody<O>;
};

/// One step of a DeviceModel: which body, where its operands lie.
template <class TheModel, int S> struct DeviceStep {
    using Grid = typename TheModel::Grid;
    static constexpr auto& plan = TheModel::Planning::plan;
    static constexpr Step step = TheModel::steps.steps[S];
    static constexpr bool held = plan.held[S], owned = plan.owned[S], solo = plan.solo[S];
    static constexpr cuda::Scope before = plan.before[S];
    using Body = typename StepBody<Grid, step.op, owned, held ? Grid::blocks : 0>::type;

    static constexpr std::size_t in_at = plan.storage[step.in.storage] + step.in.offset;
    static constexpr std::size_t out_at = plan.storage[step.out.storage] + step.out.offset;
    static constexpr bool has_other = step.other.storage >= 0;
    static constexpr std::size_t other_at =
        has_other ? plan.storage[has_other ? step.other.storage : 0] + step.other.offset : 0;
    static constexpr int slot = step.slot;

    /// Blocks beyond these would have nothing to do.
    static constexpr int most_blocks = [] {
        if constexpr (solo)
            return 1;
        else if constexpr (requires { Body::tiles; })
            return Body::tiles;
        else if constexpr (requires { Body::panels; })
            return Body::panels;
        else if constexpr (requires { Body::strips; })
            return Body::strips;
        else
            return cuda::ceil_div(static_cast<int>(step.op.out.elems()), Grid::threads);
    }();

    template <cuda::ExecutionContext C> TARN_DEVICE static void run(const C& c, float* arena, const void* weights) {
        using Packed = typename Body::Packed;
        const float* const other = has_other ? arena + other_at : nullptr;
        const auto& all = *static_cast<const typename TheModel::Weights*>(weights);
        if constexpr (slot >= 0) // as a base class: no function of the host is called for it
            Body::run(c, arena + in_at, other, arena + out_at,
                      static_cast<const detail::WeightSlot<slot, Packed>&>(all));
        else
            Body::run(c, arena + in_at, other, arena + out_at, Packed{});
    }
};

/// Step S as a launch of its own. arena: device_arena_bytes, 256-byte aligned, the inputs already there; weights: one
/// TheModel::Weights on the device, untyped since nvcc 13 cannot write down a kernel whose template arguments or
/// parameters have a Name in them. For the same reason TheModel is a type of one's own, derived from a DeviceModel,
/// where its network has names. `cooperative` wants a grid of which every block is resident, and at least `blocks` of
/// them; without it the grid may have any size, and `blocks` is what keeps all threads busy.
template <class TheModel, int S> struct StepLaunch {
    using Step = DeviceStep<TheModel, S>;
    static constexpr int threads = TheModel::Grid::threads;
    static constexpr std::size_t shared_bytes = Step::Body::shared_bytes;
    static constexpr bool cooperative = Step::held;
    static constexpr bool one_block = Step::solo;
    static constexpr int most_blocks = Step::most_blocks;

    template <cuda::ExecutionContext C> TARN_DEVICE static void run(const C& c, float* arena, const void* weights) {
        Step::run(c, arena, weights);
    }
};

/// All steps in one launch, which must be cooperative where `cooperative` says so: all blocks resident, and at least
/// Grid::blocks of them. TheModel, arena and weights as StepLaunch's.
template <class TheModel> struct NetworkLaunch {
    static constexpr int threads = TheModel::Grid::threads;
    static constexpr int count = TheModel::step_count;

  private:
    template <int S> using Step = DeviceStep<TheModel, S>;
    using All = std::make_integer_sequence<int, count>;

  public:
    static constexpr std::size_t shared_bytes = []<int... S>(std::integer_sequence<int, S...>) {
        std::size_t most = 0;
        for (const std::size_t bytes : {std::size_t{0}, Step<S>::Body::shared_bytes...})
            most = detail::larger(most, bytes);
        return most;
    }
    (All{});
    /// How many barriers of each kind a forward waits at, those inside bodies that hold their outputs included.
    static constexpr int barriers(cuda::Scope scope) noexcept {
        int found = 0;
        for (int s = 0; s < count; ++s) {
            found += TheModel::Planning::plan.before[s] == scope ? 1 : 0;
            found += TheModel::Planning::plan.held[s] && scope == cuda::Scope::grid ? 1 : 0;
        }
        return found;
    }
    static constexpr bool cooperative = barriers(cuda::Scope::grid) > 0;
    static constexpr int most_blocks = []<int... S>(std::integer_sequence<int, S...>) {
        int most = 1;
        for (const int blocks : {1, Step<S>::most_blocks...}) most = cuda::larger(most, blocks);
        return most;
    }
    (All{});

    template <cuda::ExecutionContext C> TARN_DEVICE static void run(const C& c, float* arena, const void* weights) {
        run_all(c, arena, weights, All{});
    }

  private:
    template <cuda::ExecutionContext C, int... S>
    TARN_DEVICE static void run_all([[maybe_unused]] const C& c, [[maybe_unused]] float* arena,
                                    [[maybe_unused]] const void* weights, std::integer_sequence<int, S...>) {
        (run_phase<S>(c, arena, weights), ...);
    }
    template <int S, cuda::ExecutionContext C>
    TARN_DEVICE static void run_phase(const C& c, float* arena, const void* weights) {
        if constexpr (Step<S>::before == cuda::Scope::block) c.block_barrier();
        if constexpr (Step<S>::before == cuda::Scope::grid) c.grid_barrier();
        if constexpr (Step<S>::solo) {
            if (c.block() == 0) Step<S>::run(cuda::SoloContext<C>(c), arena, weights);
        } else {
            Step<S>::run(c, arena, weights);
        }
    }
};

} // namespace tarn
