// SPDX-License-Identifier: MIT
// Reach: which input pixels the outputs of an Op still need at each moment; from it the overlap law.
// A property of the operation alone, in closed form per row; kernels add what their own blocks cost.
// Knows nothing of devices or of where tensors lie.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn {

/// How far an output may run into the input it is made from, in elements. Input at byte address Pi, output at Po:
/// running upwards is safe when Pi - Po >= ascending, running downwards when Po - Pi >= descending.
/// Source: docs/plan.md, "the overlap law"; checked by tests against brute force over pixels.
struct Lead {
    static constexpr long never = 1L << 40; ///< larger than any arena: only separate buffers will do
    static constexpr long always = -never;  ///< any position will do

    long ascending = never;
    long descending = never;

    friend constexpr bool operator==(const Lead&, const Lead&) = default;
};

namespace detail {

/// Rows and columns an Op works through: its image, or its rows of features as an image one pixel high.
struct Plane {
    long in_h, in_w, in_c, out_h, out_w, out_c;
    Window window;

    constexpr long pixels() const noexcept { return out_h * out_w; }
};

constexpr Plane plane_of(const Op& op) noexcept {
    const bool image = op.kind == OpKind::conv2d || op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d;
    if (!image) {
        const long rows = static_cast<long>(op.in.rows());
        return {1, rows, op.in.last(), 1, rows, op.out.last(), Window{}};
    }
    const Window& w = op.window;
    const bool pointwise = w == Window{};
    if (pointwise) { // 1x1, stride 1, no padding: rows of pixels without neighbours
        const long rows = static_cast<long>(op.in.rows());
        return {1, rows, op.in.last(), 1, rows, op.out.last(), w};
    }
    return {op.in[0], op.in[1], op.in[2], op.out[0], op.out[1], op.out[2], w};
}

constexpr long clamp_to(long value, long low, long high) noexcept {
    return value < low ? low : value > high ? high : value;
}

constexpr long first_row(const Plane& p, long y) noexcept {
    return clamp_to(y * p.window.stride_h - p.window.pad_top, 0, p.in_h);
}
constexpr long end_row(const Plane& p, long y) noexcept {
    return clamp_to(y * p.window.stride_h - p.window.pad_top + p.window.reach_h(), 0, p.in_h);
}

/// First input pixel that output pixel (y, x) or any later one may read.
constexpr long first_needed(const Plane& p, long y, long x) noexcept {
    const long row = first_row(p, y);
    const bool next_row_starts_there = y + 1 < p.out_h && first_row(p, y + 1) == row;
    const long column = next_row_starts_there ? 0 : clamp_to(x * p.window.stride_w - p.window.pad_left, 0, p.in_w);
    return row * p.in_w + column;
}

/// One past the last input pixel that output pixel (y, x) or any earlier one may read.
constexpr long end_needed(const Plane& p, long y, long x) noexcept {
    const long row = end_row(p, y);
    const long before = y > 0 ? end_row(p, y - 1) * p.in_w : 0;
    if (row == 0) return 0;
    const long column = clamp_to(x * p.window.stride_w - p.window.pad_left + p.window.reach_w(), 0, p.in_w);
    const long end = (row - 1) * p.in_w + column;
    return end > before ? end : before;
}

/// Where along an axis a bound that is linear between them can peak: the ends, with one in from the last for when the
/// last pixel is left out, and where windows leave the padding before (the first turn) and meet the edge behind. Each
/// also stands for the position after it.
struct Turns {
    long at[7];
};
constexpr Turns turns_of(long in, long out, long stride, long before, long reach) noexcept {
    const long last = out - 1, first = before / stride, outside = (in + before) / stride;
    const long edge = (in + before - reach) / stride;
    return {{0, clamp_to(first - 1, 0, last), clamp_to(edge, 0, last), clamp_to(edge + 1, 0, last),
             clamp_to(outside, 0, last), clamp_to(last - 1, 0, last), clamp_to(first, 0, last)}};
}

} // namespace detail

/// The overlap law between blocks: how far apart Pi and Po must be so that writing all outputs before pixel t leaves
/// every input that pixel t and later ones read. `skip_first` leaves t = 0 out, before which nothing is written.
constexpr Lead reach_lead(const Op& op, bool skip_first) noexcept {
    const detail::Plane p = detail::plane_of(op);
    const Window& w = p.window;
    const detail::Turns rows = detail::turns_of(p.in_h, p.out_h, w.stride_h, w.pad_top, w.reach_h());
    const detail::Turns columns = detail::turns_of(p.in_w, p.out_w, w.stride_w, w.pad_left, w.reach_w());
    Lead lead{Lead::always, Lead::always};
    const auto meet = [&](long y, long x) {
        if (y >= p.out_h || x >= p.out_w) return;
        const long t = y * p.out_w + x;
        if (t > 0 || !skip_first) {
            const long up = t * p.out_c - detail::first_needed(p, y, x) * p.in_c;
            if (up > lead.ascending) lead.ascending = up;
        }
        if (t + 1 < p.pixels() || !skip_first) {
            const long down = detail::end_needed(p, y, x) * p.in_c - (t + 1) * p.out_c;
            if (down > lead.descending) lead.descending = down;
        }
    };
    long last_y = -1;
    for (const long y : rows.at) {
        if (y == last_y) continue;
        last_y = y;
        for (const long x : columns.at) {
            meet(y, x);
            meet(y, x + 1);
            meet(y + 1, x);
            meet(y + 1, x + 1);
        }
    }
    return lead;
}

/// Elements that one buffer must have to hold input and output of an Op overlapped by the law: upwards the input
/// stands `ascending` above the output, downwards the output `descending` above the input.
constexpr std::size_t overlapped_elems(std::size_t in, std::size_t out, const Lead& lead) noexcept {
    const auto above = [](long apart, std::size_t size) {
        return size + static_cast<std::size_t>(apart > 0 ? apart : 0);
    };
    const std::size_t in_above = above(lead.ascending, in), out_above = above(lead.descending, out);
    const std::size_t upwards = in_above > out ? in_above : out;
    const std::size_t downwards = out_above > in ? out_above : in;
    const std::size_t together = upwards < downwards ? upwards : downwards;
    return together < in + out ? together : in + out;
}

} // namespace tarn
