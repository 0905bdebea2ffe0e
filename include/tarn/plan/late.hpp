// SPDX-License-Identifier: MIT
// Late concats: which concats are put together by copies at their end, since holding their whole memory from the first
// part on would set the network's peak.
// Between fuse, which obeys, and Network, which asks for one more as long as that helps.
// Knows steps and lifetimes; nothing of kernels or places in memory.
#pragma once

#include <tarn/plan/lifetime.hpp>

#include <initializer_list>

namespace tarn {

/// Concats, by their nodes, whose parts stay apart until the last of them is there.
struct Late {
    static constexpr int room = 4;
    int node[room] = {};
    int count = 0;

    constexpr bool has(int n) const noexcept {
        for (int i = 0; i < count; ++i)
            if (node[i] == n) return true;
        return false;
    }
    constexpr Late with(int n) const noexcept {
        Late more = *this;
        more.node[more.count++] = n;
        return more;
    }
    friend constexpr bool operator==(const Late&, const Late&) = default;
};

/// A batch norm, perhaps with an activation, that only the 1x1 convolution after it reads. The two can run row by row
/// wherever a plan is to be of whole tensors: what goes before a layer is as much a part of it as what follows it.
template <int Capacity>
constexpr bool norms_the_next(const Steps<Capacity>& net, const Lifetimes<Capacity>& lives, int s) noexcept {
    if (s + 1 >= net.count) return false;
    const Step &norm = net.steps[s], &next = net.steps[s + 1];
    const int between = norm.out.storage;
    return norm.op.kind == OpKind::batch_norm && next.op.kind == OpKind::conv2d && next.op.groups == 1 &&
           next.op.window == Window{} && next.in.storage == between && next.other.storage != between &&
           lives.birth[between] == s && lives.death[between] == s + 1;
}

/// The step with the most elements alive, inputs apart, as near as it can be told before kernels are asked.
struct Neediest {
    std::size_t elems = 0;
    int concat = -1;       ///< a concat that is alive there though not all of its parts have been made
    int first_concat = -1; ///< the innermost one in it that its first part belongs to
};

template <int Capacity> constexpr Neediest neediest(const Steps<Capacity>& net) noexcept {
    const Lifetimes<Capacity> lives = lifetimes_of(net, false);
    int complete[Capacity + 1] = {}; // by storage: the last step that writes it
    for (int s = 0; s < net.count; ++s) complete[net.steps[s].out.storage] = s;
    Neediest most;
    int ring = -1; // the storage between a norm and its convolution
    for (int s = 0; s < net.count; ++s) {
        const Step& step = net.steps[s];
        if (norms_the_next(net, lives, s)) ring = step.out.storage;
        const bool overlaps = lives.birth[step.out.storage] == s && step.out.storage != ring &&
                              (step.op.out_pitch == 0 || step.op.kind == OpKind::copy);
        const auto dies = [&](const View& view) {
            return view && view.storage != ring && !net.is_input(view.storage) && lives.birth[view.storage] < s &&
                   lives.death[view.storage] == s;
        };
        std::size_t elems = 0, shared = 0;
        int partial = -1;
        for (int v = 0; v < net.storage_count; ++v) {
            if (v == ring || net.is_input(v) || lives.birth[v] > s || lives.death[v] < s) continue;
            elems += net.storage[v];
            if (complete[v] > s && net.concat[v] >= 0) partial = v;
        }
        const std::size_t out = net.storage[step.out.storage];
        for (const View& view : {step.in, step.other})
            if (overlaps && dies(view)) {
                const std::size_t in = net.storage[view.storage], least = in < out ? in : out;
                if (least > shared) shared = least;
            }
        if (elems - shared <= most.elems) continue;
        most = {elems - shared};
        if (partial >= 0) most.concat = net.concat[partial], most.first_concat = net.first_concat[partial];
    }
    return most;
}

} // namespace tarn
