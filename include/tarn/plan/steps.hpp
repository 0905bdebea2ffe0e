// SPDX-License-Identifier: MIT
// Steps: what runs as one kernel each, and the storages that steps read and write.
// What plan/fuse makes of nodes and everything after it works on.
// Knows Ops; nothing of kernels' blocks or places in the arena.
#pragma once

#include <tarn/plan/nodes.hpp>

namespace tarn {

/// Where a step reads or writes: a storage and the first element in it. The Op knows extents and pitch.
struct View {
    int storage = -1;
    std::size_t offset = 0;

    constexpr explicit operator bool() const noexcept { return storage >= 0; }
};

/// What runs as one kernel.
struct Step {
    Op op{}; ///< with its epilogue and pitches; weights' details left out, so that steps of equal shape share a kernel
    View in{}, other{}, out{};
    int slot = -1;       ///< position among the steps with weights of their own
    int parameters = -1; ///< position of the layer's first weight, -1 without
    bool layer_bias = false;
    int feature = 0, features = 0; ///< of a convolution over parts: its first input feature, out of so many; else 0
    int norm = -1;                 ///< position of a batch norm's first weight: folded, or the step's own
    int eps_bits = 0;
    Extents permuted{}; ///< rank 3: the input's features are this image's, and the weights expect PyTorch's order
    int first_node = 0, last_node = 0;
};

/// A network's input or output: its storage, where it begins, and its extents.
struct Port {
    View view{};
    Extents extents{};
};

/// The steps of a network in the order they run. Storages [0, input_count) are its inputs; a concat and everything
/// made straight into it are one storage.
template <int Capacity> struct Steps {
    static constexpr int room = Capacity;
    static constexpr int max_ports = Nodes<1>::max_outputs;

    Step steps[Capacity > 0 ? Capacity : 1]{};
    std::size_t storage[Capacity + 1] = {}; ///< elements of each
    int concat[Capacity + 1] = {};          ///< of each: the node of the concat that it is, -1 of others
    int first_concat[Capacity + 1] = {};    ///< and of the innermost concat that its first part is in
    int count = 0;
    int storage_count = 0;
    int slot_count = 0;
    Port inputs[max_ports]{}, outputs[max_ports]{};
    int input_count = 0, output_count = 0;

    constexpr bool is_input(int storage_number) const noexcept { return storage_number < input_count; }
    constexpr bool is_output(int storage_number) const noexcept {
        for (int i = 0; i < output_count; ++i)
            if (outputs[i].view.storage == storage_number) return true;
        return false;
    }
};

/// The same steps with room for no more than there are.
template <int Exact, int Capacity> constexpr Steps<Exact> trimmed(const Steps<Capacity>& from) noexcept {
    Steps<Exact> to;
    for (int i = 0; i < from.count; ++i) to.steps[i] = from.steps[i];
    for (int i = 0; i < from.storage_count; ++i) {
        to.storage[i] = from.storage[i];
        to.concat[i] = from.concat[i];
        to.first_concat[i] = from.first_concat[i];
    }
    to.count = from.count;
    to.storage_count = from.storage_count;
    to.slot_count = from.slot_count;
    to.input_count = from.input_count;
    to.output_count = from.output_count;
    for (int i = 0; i < Steps<Exact>::max_ports; ++i) {
        to.inputs[i] = from.inputs[i];
        to.outputs[i] = from.outputs[i];
    }
    return to;
}

} // namespace tarn
