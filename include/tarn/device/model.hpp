// SPDX-License-Identifier: MIT
// Model on a card: Model<Net, In, Cuda<Mode, Grid>, Policy> as facts and types. device/session.hpp runs it.
// Beside run/model.hpp: the same network type, the same weights' file. Knows plans and files; nothing of launches.
#pragma once

#include <tarn/device/mode.hpp>
#include <tarn/io/weights.hpp>
#include <tarn/run/device_model.hpp>

namespace tarn {

template <class TheShape> struct UpTo;
template <int N, class TheShape> struct Batch;

namespace detail {

template <class> inline constexpr bool one_size_on_a_card = false;

template <class Policy> struct DevicePolicy {
    static_assert(std::is_same_v<Policy, Smallest>, "cuda: a card's policy is Smallest or Fastest");
    static constexpr bool smallest = true;
};
template <> struct DevicePolicy<Fastest> { static constexpr bool smallest = false; };

/// Whether the whole network runs as one launch. largest: the work of its heaviest step.
template <class Mode> constexpr bool one_launch_in(bool any_by_library, std::size_t largest) noexcept {
    if constexpr (requires { Mode::launch_from; })
        return !any_by_library && largest <= Mode::launch_from;
    else
        return Mode::one_launch;
}

} // namespace detail

/// A network on a card. Smallest: outputs wait in registers for a barrier of the grid where that makes the arena
/// smaller; Fastest: they lie apart.
/// Memory: device_arena_bytes, inputs, outputs and a library's workspace included, and device_weight_bytes; Session
/// takes both at once, nothing else is ever used.
/// Errors: as on the processor, at compile time. nvcc 13 cannot write down a kernel whose template arguments have a
/// name in them, so a network with names is given to it as a type of its own: struct Mine : Model<..> {};
template <class Net, class In, class TheMode, class TheGrid, class ThePolicy>
class Model<Net, In, Cuda<TheMode, TheGrid>, ThePolicy>
    : public DeviceModel<Net, In, Cuda<TheMode, TheGrid>, detail::DevicePolicy<ThePolicy>::smallest> {
    using Base = DeviceModel<Net, In, Cuda<TheMode, TheGrid>, detail::DevicePolicy<ThePolicy>::smallest>;

  public:
    using Device = Cuda<TheMode, TheGrid>;
    using Policy = ThePolicy;
    using typename Base::Weights;

    static constexpr bool one_launch = detail::one_launch_in<TheMode>(Base::any_by_library, [] {
        std::size_t largest = 0;
        for (int s = 0; s < Base::step_count; ++s) largest = detail::larger(largest, Base::Planning::facts.of[s].work);
        return largest;
    }());
    /// Kernels of a forward, those of a library and behind it included.
    static constexpr int launch_count = one_launch ? 1 : Base::step_count;

    /// Reads and packs weights from a safetensors file, as Model::load on the processor: the same file.
    static Loaded<Weights> load(const char* path) { return detail::load_weights<Model>(path); }
    /// The same from a safetensors file already in memory.
    static Loaded<Weights> load(std::span<const std::byte> file) { return detail::load_weights<Model>(file); }
};

/// Inputs of a size that a call brings are the processor's alone.
template <class Net, class TheShape, class TheMode, class TheGrid, class ThePolicy>
class Model<Net, UpTo<TheShape>, Cuda<TheMode, TheGrid>, ThePolicy>
    : public Model<Net, TheShape, Cuda<TheMode, TheGrid>, ThePolicy> {
    static_assert(detail::one_size_on_a_card<TheShape>,
                  "cuda: a model on a card has inputs of one size: take the Shape of UpTo's largest");
};
template <class Net, int N, class TheShape, class TheMode, class TheGrid, class ThePolicy>
class Model<Net, Batch<N, TheShape>, Cuda<TheMode, TheGrid>, ThePolicy>
    : public Model<Net, TheShape, Cuda<TheMode, TheGrid>, ThePolicy> {
    static_assert(detail::one_size_on_a_card<TheShape>,
                  "cuda: a model on a card has inputs of one size: run Batch's samples one after another");
};

} // namespace tarn
