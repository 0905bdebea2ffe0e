// SPDX-License-Identifier: MIT
// An independent judge of plans for a card: every float of the arena carries the name of what was written there last,
// and every two steps that touch a float have to be ordered by a barrier or meet it in one thread or one block.
// No line is shared with the planner. Knows plans and footprints by their meaning only.
#pragma once

#include <tarn/plan/device_plan.hpp>

#include <string>
#include <vector>

namespace tarn_test {

template <int Capacity> class DeviceJudge {
  public:
    DeviceJudge(const tarn::Steps<Capacity>& net, const tarn::DevicePlan<Capacity>& plan,
                const tarn::cuda::Footprint* facts)
        : net_(net), plan_(plan), facts_(facts), arena_(plan.arena_elems, Name{}) {}

    /// What is wrong, or an empty text.
    std::string fault() {
        for (int v = 0; v < net_.storage_count; ++v)
            if (plan_.storage[v] % 64 != 0 && used(v)) return "storage " + std::to_string(v) + " is not aligned";
        for (int i = 0; i < net_.input_count; ++i) {
            const tarn::Port& port = net_.inputs[i];
            for (std::size_t e = 0; e < port.extents.elems(); ++e)
                arena_.at(plan_.storage[port.view.storage] + e) = {port.view.storage, port.view.offset + e};
        }
        for (int s = 0; s < net_.count; ++s)
            if (const std::string wrong = run(s); !wrong.empty()) return "step " + std::to_string(s) + ": " + wrong;
        for (int i = 0; i < net_.output_count; ++i) {
            const tarn::Port& port = net_.outputs[i];
            const Touch all = touch(port.view, port.extents, 0);
            if (!holds(all)) return "output " + std::to_string(i) + " is lost";
        }
        for (int s = 1; s < net_.count; ++s)
            for (int p = 0; p < s; ++p)
                if (const std::string wrong = race(p, s); !wrong.empty())
                    return "steps " + std::to_string(p) + " and " + std::to_string(s) + ": " + wrong;
        return {};
    }

  private:
    /// What a float is: an element of a storage.
    struct Name {
        int storage = -1;
        std::size_t element = 0;
        bool operator==(const Name&) const = default;
    };
    /// A tensor as a step sees it: element (r, c) lies at places[r * width + c].
    struct Touch {
        std::vector<std::size_t> places;
        std::vector<Name> names;
        std::size_t width = 1;
    };

    bool used(int v) const {
        for (int s = 0; s < net_.count; ++s)
            if (net_.steps[s].in.storage == v || net_.steps[s].out.storage == v) return true;
        return false;
    }
    Touch touch(const tarn::View& view, const tarn::Extents& extents, int pitch) const {
        Touch made;
        made.width = static_cast<std::size_t>(extents.last());
        const std::size_t step = pitch > 0 ? static_cast<std::size_t>(pitch) : made.width;
        for (std::size_t r = 0; r < extents.rows(); ++r) {
            for (std::size_t c = 0; c < made.width; ++c) {
                const std::size_t element = view.offset + r * step + c;
                made.places.push_back(plan_.storage[view.storage] + element);
                made.names.push_back({view.storage, element});
            }
        }
        return made;
    }
    Touch input(int s) const { return touch(net_.steps[s].in, net_.steps[s].op.in, net_.steps[s].op.in_pitch); }
    Touch other(int s) const {
        const tarn::Step& step = net_.steps[s];
        if (!step.other) return {};
        return touch(step.other, step.op.broadcast ? tarn::extents_of(step.op.out.last()) : step.op.out,
                     step.op.broadcast ? 0 : step.op.other_pitch);
    }
    Touch output(int s) const { return touch(net_.steps[s].out, net_.steps[s].op.out, net_.steps[s].op.out_pitch); }
    bool holds(const Touch& t) const {
        for (std::size_t i = 0; i < t.places.size(); ++i)
            if (t.places[i] >= arena_.size() || !(arena_[t.places[i]] == t.names[i])) return false;
        return true;
    }

    /// Index + 1 of each place's element in a touch, 0 where it has none.
    std::vector<std::size_t> by_place(const Touch& t) const {
        std::vector<std::size_t> at(arena_.size(), 0);
        for (std::size_t i = 0; i < t.places.size(); ++i) at.at(t.places[i]) = i + 1;
        return at;
    }
    std::string run(int s) {
        const Touch in = input(s), second = other(s), out = output(s);
        if (!holds(in)) return "its input is lost";
        if (!holds(second)) return "its other input is lost";
        for (const std::size_t place : out.places)
            if (place >= arena_.size()) return "writes behind the arena";
        const auto written = by_place(out);
        const tarn::cuda::Footprint& f = facts_[s];
        for (std::size_t i = 0; i < in.places.size() && !plan_.held[s]; ++i) {
            const std::size_t at = written[in.places[i]];
            if (at == 0) continue;
            const bool same_element = at - 1 == i && in.width == out.width;
            const bool own_row = (at - 1) / out.width == i / in.width;
            if (!(f.on_input && same_element) && !(plan_.owned[s] && own_row)) return "overwrites what others read";
        }
        for (std::size_t i = 0; i < second.places.size() && !plan_.held[s]; ++i) {
            const std::size_t at = written[second.places[i]];
            if (at != 0 && !(f.on_other && at - 1 == i)) return "overwrites what others read of the second";
        }
        for (std::size_t i = 0; i < out.places.size(); ++i) arena_[out.places[i]] = out.names[i];
        return {};
    }

    std::string race(int p, int s) const {
        tarn::cuda::Scope between = tarn::cuda::Scope::none;
        for (int i = p + 1; i <= s; ++i)
            if (plan_.before[i] > between) between = plan_.before[i];
        if (between == tarn::cuda::Scope::grid) return {};
        const Touch before[] = {output(p), input(p), other(p)}, after[] = {output(s), input(s), other(s)};
        for (int i = 0; i < 3; ++i) {
            const auto at = by_place(before[i]);
            for (int j = 0; j < 3; ++j) {
                if (i > 0 && j > 0) continue; // both read
                for (std::size_t k = 0; k < after[j].places.size(); ++k) {
                    const std::size_t first = at[after[j].places[k]];
                    if (first != 0 && !ordered(p, s, between, before[i], first - 1, after[j], k))
                        return "race for float " + std::to_string(after[j].places[k]);
                }
            }
        }
        return {};
    }
    /// Whether element a of p's and element b of s's are touched one after the other without a barrier of the grid.
    bool ordered(int p, int s, tarn::cuda::Scope between, const Touch& first, std::size_t a, const Touch& second,
                 std::size_t b) const {
        const tarn::Op &op = net_.steps[p].op, &next = net_.steps[s].op;
        const bool alike =
            plan_.solo[p] == plan_.solo[s] && op.out.elems() == next.out.elems() && op.out.last() == next.out.last();
        if (facts_[p].elementwise && facts_[s].elementwise && alike && a == b) return true; // one thread
        const bool waited = between == tarn::cuda::Scope::block || facts_[p].settles;
        if (plan_.solo[p] && plan_.solo[s]) return waited;
        return plan_.owned[p] && plan_.owned[s] && facts_[p].owns == facts_[s].owns && waited &&
               op.out.rows() == next.out.rows() && a / first.width == b / second.width; // one block
    }

    const tarn::Steps<Capacity>& net_;
    const tarn::DevicePlan<Capacity>& plan_;
    const tarn::cuda::Footprint* facts_;
    std::vector<Name> arena_;
};

} // namespace tarn_test
