// SPDX-License-Identifier: MIT
// LaunchOrder: a forward of a model as launches of own kernels and a library's calls, one after another on a stream.
// Between Launches and whoever puts a kernel on a stream: launches.cuh with nvcc, the tests' emulated grid without.
// Knows network launches and the library; nothing of how a kernel is launched.
#pragma once

#include <tarn/cuda/filter.hpp>
#include <tarn/device/library.hpp>
#include <tarn/device/session.hpp>

namespace tarn::cuda::launching {

/// What is left to do behind cuBLASLt's product: an activation that it has not.
template <class TheModel, int S> struct ActivationLaunch {
    using Step = DeviceStep<TheModel, S>;
    static constexpr Op op = [] {
        Op made;
        made.kind = OpKind::activation;
        made.in = made.out = Step::step.op.out;
        made.in_pitch = made.out_pitch = Step::step.op.out_pitch;
        made.act = Step::step.op.act;
        made.act_bits = Step::step.op.act_bits;
        return made;
    }();
    static constexpr int threads = TheModel::Grid::threads;
    static constexpr std::size_t shared_bytes = 0;
    static constexpr bool cooperative = false;
    static constexpr int most_blocks = ceil_div(static_cast<int>(op.out.elems()), threads);

    template <ExecutionContext C> TARN_DEVICE static void run(const C& c, float* arena, const void*) {
        BodyFor<op, threads>::run(c, arena + Step::out_at, nullptr, arena + Step::out_at, NothingPacked{});
    }
};

/// What is left to do behind a library's convolution: bias, sum and activation, on its own output.
template <class TheModel, int S> struct FinishLaunch {
    using Step = DeviceStep<TheModel, S>;
    static constexpr int threads = TheModel::Grid::threads;
    using Body = Finish<kernel_key(Step::step.op), threads>;
    static constexpr std::size_t shared_bytes = Body::shared_bytes;
    static constexpr bool cooperative = false;
    static constexpr int most_blocks = ceil_div(static_cast<int>(Step::step.op.out.elems()), threads);

    template <ExecutionContext C> TARN_DEVICE static void run(const C& c, float* arena, const void* weights) {
        const auto& all = *static_cast<const typename TheModel::Weights*>(weights);
        Body::run(c, arena + Step::other_at, arena + Step::out_at,
                  static_cast<const tarn::detail::WeightSlot<Step::slot, typename Body::Packed>&>(all));
    }
};

struct NothingLeft {};
/// Our kernel of a step: all of it, what a library has left, or NothingLeft.
template <class TheModel, int S> constexpr auto own_work_of() noexcept {
    constexpr Step step = TheModel::steps.steps[S];
    constexpr Doer doer = doer_of<TheModel, S>();
    constexpr bool acts = step.op.act != Activation::none, biased = step.layer_bias || step.norm >= 0;
    if constexpr (doer == Doer::own)
        return StepLaunch<TheModel, S>{};
    else if constexpr (doer == Doer::product && !in_library_epilogue(step.op.act))
        return ActivationLaunch<TheModel, S>{};
    else if constexpr (doer == Doer::convolution && (biased || step.op.add || acts))
        return FinishLaunch<TheModel, S>{};
    else
        return NothingLeft{};
}

/// Launcher: `multiprocessors(count)`; `resident<Work>(each)`, which loads a kernel and says how many of its blocks one
/// multiprocessor holds; `launch<Work>(arena, weights, blocks, stream)`. Each returns a Status.
template <class TheModel, class Launcher> class LaunchOrder {
    static constexpr int count = TheModel::step_count;
    using All = std::make_integer_sequence<int, count>;
    template <class Vendor> using Steps = VendorSteps<Vendor, TheModel, All>;
    template <int S> using Work = decltype(own_work_of<TheModel, S>());
    using How = typename Launches<TheModel>::How;

  public:
    static Status prepare(How& how, [[maybe_unused]] float* arena, [[maybe_unused]] const void* weights) noexcept {
        int multiprocessors = 0;
        Status status = Launcher::multiprocessors(multiprocessors);
        if (!status.ok()) return status;
        if constexpr (TheModel::one_launch) {
            // Every block waits at every barrier of the grid: two a multiprocessor hide memory's delay, more only wait.
            const int most = smaller(NetworkLaunch<TheModel>::most_blocks, 2 * multiprocessors);
            return prepare_work<NetworkLaunch<TheModel>>(most, multiprocessors, how.blocks[0]);
        } else {
            if constexpr (any_by(Doer::product)) status = Steps<Products>::open(how.products, arena, weights);
            if constexpr (any_by(Doer::convolution))
                if (status.ok()) status = Steps<Convolutions>::open(how.convolutions, arena, weights);
            return status.ok() ? prepare_steps(how, multiprocessors, All{}) : status;
        }
    }
    static Status enqueue(const How& how, float* arena, const void* weights, cudaStream_t stream) noexcept {
        if constexpr (TheModel::one_launch)
            return Launcher::template launch<NetworkLaunch<TheModel>>(arena, weights, how.blocks[0], stream);
        else
            return enqueue_steps(how, arena, weights, stream, All{});
    }
    static void release([[maybe_unused]] How& how) noexcept {
        if constexpr (any_by(Doer::product)) Steps<Products>::close(how.products);
        if constexpr (any_by(Doer::convolution)) Steps<Convolutions>::close(how.convolutions);
    }

  private:
    static constexpr bool any_by(Doer doer) noexcept {
        return []<int... S>([[maybe_unused]] Doer one, std::integer_sequence<int, S...>) {
            return (false || ... || (doer_of<TheModel, S>() == one));
        }
        (doer, All{});
    }

    /// blocks: as many as are resident together and have something to do. Where all of a grid wait for each other,
    /// fewer than outputs were divided among are an error.
    template <class Work> static Status prepare_work(int most, int multiprocessors, int& blocks) noexcept {
        constexpr int wanted = Work::cooperative ? TheModel::Grid::blocks : 1;
        int each = 0;
        const Status status = Launcher::template resident<Work>(each);
        if (!status.ok()) return status;
        if (each * multiprocessors < wanted) return Status::of(cudaErrorCooperativeLaunchTooLarge, "Session::open");
        blocks = larger(smaller(most, each * multiprocessors), wanted);
        return {};
    }
    template <int S> static Status prepare_step(int multiprocessors, int& blocks) noexcept {
        if constexpr (std::is_same_v<Work<S>, NothingLeft>)
            return {};
        else
            return prepare_work<Work<S>>(Work<S>::most_blocks, multiprocessors, blocks);
    }
    template <int S>
    static Status enqueue_step(const How& how, float* arena, const void* weights, cudaStream_t stream) noexcept {
        Status status;
        if constexpr (doer_of<TheModel, S>() == Doer::product)
            status = Steps<Products>::template enqueue<S>(how.products, arena, stream);
        if constexpr (doer_of<TheModel, S>() == Doer::convolution)
            status = Steps<Convolutions>::template enqueue<S>(how.convolutions, arena, stream);
        if constexpr (!std::is_same_v<Work<S>, NothingLeft>)
            if (status.ok()) status = Launcher::template launch<Work<S>>(arena, weights, how.blocks[S], stream);
        return status;
    }
    template <int... S>
    static Status prepare_steps([[maybe_unused]] How& how, [[maybe_unused]] int multiprocessors,
                                std::integer_sequence<int, S...>) noexcept {
        Status status;
        static_cast<void>((... && (status = prepare_step<S>(multiprocessors, how.blocks[S])).ok()));
        return status;
    }
    template <int... S>
    static Status enqueue_steps([[maybe_unused]] const How& how, [[maybe_unused]] float* arena,
                                [[maybe_unused]] const void* weights, [[maybe_unused]] cudaStream_t stream,
                                std::integer_sequence<int, S...>) noexcept {
        Status status;
        static_cast<void>((... && (status = enqueue_step<S>(how, arena, weights, stream)).ok()));
        return status;
    }
};

} // namespace tarn::cuda::launching
