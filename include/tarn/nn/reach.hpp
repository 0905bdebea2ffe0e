// SPDX-License-Identifier: MIT
// Reach: which input pixels the outputs of an Op still need at each moment; from it the overlap law.
// A property of the operation alone, in closed form per row; kernels add what their own blocks cost.
// Knows nothing of devices or of where tensors lie.
#pragma once

#include <tarn/nn/op.hpp>

namespace tarn {

// What runs at run time too is inlined always: a function of its own would be one that translation units compiled for
// different processors disagree about.

/// Kinds whose outputs read a window of input pixels.
TARN_ALWAYS_INLINE constexpr bool is_windowed(OpKind kind) noexcept {
    return kind == OpKind::conv2d || kind == OpKind::max_pool2d || kind == OpKind::avg_pool2d;
}
/// Kinds whose outputs each read one pixel of a smaller image.
TARN_ALWAYS_INLINE constexpr bool is_enlarging(OpKind kind) noexcept {
    return kind == OpKind::up_conv2d || kind == OpKind::upsample;
}

/// Rows along the first axis: of an image, or the steps of a sequence. A vector is one row.
TARN_ALWAYS_INLINE constexpr int row_count(const Extents& e) noexcept { return e.rank == 2 || e.rank == 3 ? e[0] : 1; }

/// The Op of one output row. Its extents no longer say how high the image is; RowTaps say what of the window lies in
/// it.
constexpr Op row_form(const Op& op) noexcept {
    Op row = op;
    if (op.in.rank == 2 || op.in.rank == 3) row.in.d0 = row.out.d0 = 1;
    return row;
}

/// Input rows that an output row reads at most: one for each row of the window.
TARN_ALWAYS_INLINE constexpr int tap_count(const Op& op) noexcept {
    return is_windowed(op.kind) ? op.window.kernel_h : 1;
}

/// The input row that tap t of output row y reads; outside the image it may lie.
TARN_ALWAYS_INLINE constexpr long tap_row(const Op& op, long y, int t) noexcept {
    const Window& w = op.window;
    if (is_enlarging(op.kind)) return y / w.stride_h;
    return is_windowed(op.kind) ? y * w.stride_h - w.pad_top + long{t} * w.dilation_h : y;
}

/// Taps [begin, end) of an output row lie inside the image; padded: rows of its window with the padding counted, as
/// average pools want it.
struct TapRange {
    int begin = 0, end = 1;
    int padded = 1;
};
namespace detail {
/// Taps, the first in row `top`, that lie above a row of the image.
TARN_ALWAYS_INLINE constexpr int taps_above(const Window& w, long top, long row) noexcept {
    const long count = row <= top ? 0 : (row - top + w.dilation_h - 1) / w.dilation_h;
    return static_cast<int>(count < w.kernel_h ? count : w.kernel_h);
}
} // namespace detail
TARN_ALWAYS_INLINE constexpr TapRange tap_range(const Op& op, long y) noexcept {
    if (!is_windowed(op.kind)) return {};
    const Window& w = op.window;
    const long height = row_count(op.in), top = y * w.stride_h - w.pad_top;
    return {detail::taps_above(w, top, 0), detail::taps_above(w, top, height),
            detail::taps_above(w, top, height + w.pad_bottom)};
}

/// Pools whose windows share no row: an output row can hold what its input rows have come to so far, one after
/// another, and no input row has to wait. Asked of the whole Op, not of its row form.
constexpr bool accumulates(const Op& op) noexcept {
    return (op.kind == OpKind::max_pool2d || op.kind == OpKind::avg_pool2d) && op.window.pad_top == 0 &&
           (op.window.stride_h >= op.window.kernel_h || row_count(op.out) == 1);
}

/// How far an output may run into the input it is made from, in elements. Input at byte address Pi, output at Po:
/// running upwards is safe when Pi - Po >= ascending, running downwards when Po - Pi >= descending.
/// Source: docs/plan.md, "the overlap law"; checked by tests against brute force over pixels.
struct Lead {
    static constexpr long never = 1L << (sizeof(long) > 4 ? 40 : 29); ///< no arena is larger: only separate buffers do
    static constexpr long always = -never;                            ///< any position will do

    long ascending = never;
    long descending = never;

    friend constexpr bool operator==(const Lead&, const Lead&) = default;
};

namespace detail {

/// Rows and columns an Op works through: its image (a sequence is one pixel wide), or its rows of features as an image
/// one pixel high.
struct Plane {
    long in_h, in_w, in_c, out_h, out_w, out_c;
    Window window;
    bool enlarges; ///< output pixel (y, x) reads input pixel (y / stride_h, x / stride_w)

    constexpr long pixels() const noexcept { return out_h * out_w; }
};

constexpr Plane plane_of(const Op& op) noexcept {
    const bool enlarges = is_enlarging(op.kind);
    if (!enlarges && (!is_windowed(op.kind) || op.window == Window{})) { // pixels without neighbours
        const long rows = static_cast<long>(op.in.rows());
        return {1, rows, op.in.last(), 1, rows, op.out.last(), Window{}, false};
    }
    const bool image = op.in.rank > 2;
    return {op.in[0], image ? op.in[1] : 1, op.in.last(), op.out[0], image ? op.out[1] : 1, op.out.last(), op.window,
            enlarges};
}

constexpr long clamp_to(long value, long low, long high) noexcept {
    return value < low ? low : value > high ? high : value;
}

constexpr long first_row(const Plane& p, long y) noexcept {
    if (p.enlarges) return y / p.window.stride_h;
    return clamp_to(y * p.window.stride_h - p.window.pad_top, 0, p.in_h);
}
constexpr long end_row(const Plane& p, long y) noexcept {
    if (p.enlarges) return y / p.window.stride_h + 1;
    return clamp_to(y * p.window.stride_h - p.window.pad_top + p.window.reach_h(), 0, p.in_h);
}
constexpr long first_column(const Plane& p, long x) noexcept {
    if (p.enlarges) return x / p.window.stride_w;
    return clamp_to(x * p.window.stride_w - p.window.pad_left, 0, p.in_w);
}
constexpr long end_column(const Plane& p, long x) noexcept {
    if (p.enlarges) return x / p.window.stride_w + 1;
    return clamp_to(x * p.window.stride_w - p.window.pad_left + p.window.reach_w(), 0, p.in_w);
}

/// First input pixel that output pixel (y, x) or any later one may read.
constexpr long first_needed(const Plane& p, long y, long x) noexcept {
    const long row = first_row(p, y);
    const bool next_row_starts_there = y + 1 < p.out_h && first_row(p, y + 1) == row;
    const long column = next_row_starts_there ? 0 : first_column(p, x);
    return row * p.in_w + column;
}

/// One past the last input pixel that output pixel (y, x) or any earlier one may read.
constexpr long end_needed(const Plane& p, long y, long x) noexcept {
    const long row = end_row(p, y);
    const long before = y > 0 ? end_row(p, y - 1) * p.in_w : 0;
    if (row == 0) return 0;
    const long end = (row - 1) * p.in_w + end_column(p, x);
    return end > before ? end : before;
}

/// Where along an axis a bound that is linear between them can peak: the ends, with one in from the last for when the
/// last pixel is left out, and where windows leave the padding before (the first turn) and meet the edge behind. Each
/// also stands for the position after it.
struct Turns {
    long at[7];
};
constexpr Turns turns_of(bool enlarges, long in, long out, long stride, long before, long reach) noexcept {
    if (enlarges) { // the first and the last of the outputs that the first and the last input make
        const long last = out - 1, inner = clamp_to(stride - 2, 0, last);
        return {{0, inner, clamp_to(out - stride, 0, last), clamp_to(last - 1, 0, last), last, last, last}};
    }
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
    const detail::Turns rows = detail::turns_of(p.enlarges, p.in_h, p.out_h, w.stride_h, w.pad_top, w.reach_h());
    const detail::Turns columns = detail::turns_of(p.enlarges, p.in_w, p.out_w, w.stride_w, w.pad_left, w.reach_w());
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
