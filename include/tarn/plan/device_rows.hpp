// SPDX-License-Identifier: MIT
// Rows of a capacity: a network's steps with products that overwrite their own rows. Each row gets room for the widest
// tensor of the chain, and a block that owns it reads all of it before it writes any.
// Compact rows would race: a wider output row lies on the next input row, which another block may not have read yet.
// Between plan/fuse and plan/device_plan. Knows steps and lifetimes; nothing of kernels or addresses.
#pragma once

#include <tarn/plan/lifetime.hpp>

namespace tarn {

/// Steps whose tensors have been given pitches, and which of them run in place by rows.
template <int Capacity> struct OwnedRows {
    Steps<Capacity> steps{};
    bool owned[Capacity > 0 ? Capacity : 1] = {};
    int count = 0; ///< how many run so
};

namespace detail {

template <int Capacity> class RowOwner {
  public:
    constexpr explicit RowOwner(const Steps<Capacity>& net) noexcept : net_(net), lives_(lifetimes_of(net, false)) {
        for (int v = 0; v < net.storage_count; ++v) first_[v] = v;
        for (int s = 0; s < net.count; ++s) {
            const Step& step = net.steps[s];
            see(step.in, step.op.in, step.op.in_pitch);
            see(step.out, step.op.out, step.op.out_pitch);
            if (step.other && step.op.broadcast)
                of_[step.other.storage].rows = mixed;
            else if (step.other)
                see(step.other, step.op.out, step.op.other_pitch);
        }
        for (int i = 0; i < net.output_count; ++i) see(net.outputs[i].view, net.outputs[i].extents, 0);
        for (int v = 0; v < net.storage_count; ++v) of_[v].pinned = net.is_input(v) || net.is_output(v);
    }

    /// owns(op): whether a kernel overwrites its own rows for such an Op; keeps(op): whether one overwrites its input
    /// in any case, element by element or a row at a time, whose output then keeps the rows it got.
    template <class Owns, class Keeps>
    constexpr OwnedRows<Capacity> owned(const Owns& owns, const Keeps& keeps) noexcept {
        OwnedRows<Capacity> made;
        made.steps = net_;
        for (int s = 0; s < net_.count; ++s) {
            const Op& op = net_.steps[s].op;
            if (!(owns(op) || keeps(op)) || !joins(s)) continue;
            made.owned[s] = owns(op);
            made.count += made.owned[s] ? 1 : 0;
        }
        for (int v = 0; v < net_.storage_count; ++v)
            if (pitch_of(v) > 0) made.steps.storage[v] = static_cast<std::size_t>(of_[v].rows) * of_[first_[v]].widest;
        for (int s = 0; s < net_.count; ++s) {
            Step& step = made.steps.steps[s];
            if (const int pitch = pitch_of(step.in.storage)) step.op.in_pitch = pitch;
            if (const int pitch = pitch_of(step.out.storage)) step.op.out_pitch = pitch;
            if (step.other)
                if (const int pitch = pitch_of(step.other.storage)) step.op.other_pitch = pitch;
        }
        return made;
    }

  private:
    static constexpr int mixed = -1;
    /// A storage as rows that all its readers and writers see alike, or `mixed`; and the widest of those it joined.
    struct Rows {
        int rows = 0, width = 0;
        std::size_t widest = 0;
        bool pinned = false; ///< the caller's: its rows touch
    };

    constexpr void see(const View& view, const Extents& extents, int pitch) noexcept {
        Rows& at = of_[view.storage];
        const int rows = static_cast<int>(extents.rows()), width = extents.last();
        const bool all = view.offset == 0 && net_.storage[view.storage] == extents.elems();
        if (!all || (pitch > 0 && pitch != width) || (at.rows != 0 && (at.rows != rows || at.width != width))) {
            at.rows = mixed;
            return;
        }
        at.rows = rows;
        at.width = width;
        at.widest = static_cast<std::size_t>(width);
    }
    constexpr int pitch_of(int storage) const noexcept {
        const std::size_t widest = of_[first_[storage]].widest;
        if (of_[storage].rows <= 0 || widest == static_cast<std::size_t>(of_[storage].width)) return 0;
        return static_cast<int>(widest);
    }
    /// Lays a step's output on its input's rows, if everything that lies there already can have the wider one's pitch.
    constexpr bool joins(int s) noexcept {
        const Step& step = net_.steps[s];
        const int in = step.in.storage, out = step.out.storage;
        const Rows &from = of_[in], &to = of_[out];
        if (from.rows <= 0 || from.rows != to.rows || in == out || step.other.storage == in) return false;
        if (lives_.death[in] != s || lives_.birth[out] != s || net_.is_output(in)) return false;
        const int a = first_[in];
        const std::size_t widest = of_[a].widest > to.widest ? of_[a].widest : to.widest;
        for (int v = 0; v < net_.storage_count; ++v)
            if ((first_[v] == a || v == out) && of_[v].pinned && static_cast<std::size_t>(of_[v].width) != widest)
                return false;
        first_[out] = a;
        of_[a].widest = widest;
        return true;
    }

    const Steps<Capacity>& net_;
    Lifetimes<Capacity> lives_;
    Rows of_[Capacity + 1] = {};
    int first_[Capacity + 1] = {}; // by storage: the first of its chain
};

} // namespace detail

/// The steps with rows of a capacity. owns(op): whether a kernel overwrites its own rows for such an Op; keeps(op):
/// whether one overwrites its input in any case, element by element or a row at a time, whose output then keeps the
/// rows it got.
template <int Capacity, class Owns, class Keeps>
constexpr OwnedRows<Capacity> owned_rows(const Steps<Capacity>& net, const Owns& owns, const Keeps& keeps) noexcept {
    return detail::RowOwner<Capacity>(net).owned(owns, keeps);
}

} // namespace tarn
