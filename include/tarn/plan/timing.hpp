// SPDX-License-Identifier: MIT
// Timing: on an endless time axis, after which frame each row of a value is there and which frames it comes from.
// Between steps and plan/stream_plan: rates, delays and ring lengths follow from it in closed form.
// Knows Ops' windows; nothing of memory or kernels.
#pragma once

#include <tarn/nn/reach.hpp>

#include <numeric>

namespace tarn {

/// Every `frames` frames bring `rows` rows, for ever: row y + rows has the times of row y plus frames.
struct Timing {
    static constexpr int max_rows = 64;

    int frames = 1, rows = 1;
    int latest[max_rows] = {};   ///< the frame after which row y can be made
    int earliest[max_rows] = {}; ///< the earliest frame that windows let row y see, below 0 where it sees padding

    constexpr long latest_of(long row) const noexcept { return at(latest, row); }
    constexpr long earliest_of(long row) const noexcept { return at(earliest, row); }

    /// The last row that is there once `frame` is; below 0 before the first.
    constexpr long last_row(long frame) const noexcept {
        long last = row_by(0, frame);
        for (int y = 1; y < rows; ++y) last = row_by(y, frame) > last ? row_by(y, frame) : last;
        return last;
    }
    /// One row a frame, from the first frame on.
    constexpr bool every_frame() const noexcept { return frames == 1 && rows == 1 && latest[0] == 0; }
    /// Most rows that one frame brings.
    constexpr int most_rows() const noexcept {
        int most = 1;
        for (int y = 0; y < rows; ++y) {
            int together = 1;
            while (latest_of(y + together) == latest[y]) ++together;
            most = together > most ? together : most;
        }
        return most;
    }
    friend constexpr bool operator==(const Timing&, const Timing&) = default;

  private:
    static constexpr long floor_divide(long a, long b) noexcept { return a >= 0 ? a / b : -((b - 1 - a) / b); }
    constexpr long at(const int* times, long row) const noexcept {
        const long period = floor_divide(row, rows);
        return times[row - period * rows] + period * frames;
    }
    constexpr long row_by(int y, long frame) const noexcept {
        return y + long{rows} * floor_divide(frame - latest[y], frames);
    }
};

namespace detail {

/// The same in its shortest period.
constexpr Timing shortest(const Timing& t) noexcept {
    for (int rows = 1; rows < t.rows; ++rows) {
        if (t.rows % rows != 0 || t.frames % (t.rows / rows) != 0) continue;
        Timing shorter = t;
        shorter.rows = rows;
        shorter.frames = t.frames / (t.rows / rows);
        bool same = true;
        for (int y = 0; y < t.rows; ++y)
            same = same && shorter.latest_of(y) == t.latest[y] && shorter.earliest_of(y) == t.earliest[y];
        if (!same) continue;
        for (int y = rows; y < Timing::max_rows; ++y) shorter.latest[y] = shorter.earliest[y] = 0;
        return shorter;
    }
    return t;
}

/// When rows come, without what they have seen: equal for values made at the same moments.
constexpr Timing moments(const Timing& t) noexcept {
    Timing seen = t;
    for (int y = 0; y < t.rows; ++y) seen.earliest[y] = seen.latest[y];
    return shortest(seen);
}

/// Rows that each see rows [y * stride + first, y * stride + last] of another value.
constexpr Timing windowed(const Timing& in, int stride, int first, int last) noexcept {
    const int common = std::gcd(in.rows, stride);
    Timing out;
    out.rows = in.rows / common;
    out.frames = in.frames * (stride / common);
    for (int y = 0; y < out.rows; ++y) {
        out.latest[y] = static_cast<int>(in.latest_of(long{y} * stride + last));
        out.earliest[y] = static_cast<int>(in.earliest_of(long{y} * stride + first));
    }
    return out;
}

/// Every row of another value so many times. False where the period outgrows Timing.
constexpr bool repeat(Timing& t, int times) noexcept {
    if (t.rows > Timing::max_rows / times) return false;
    const Timing in = t;
    t.rows *= times;
    for (int y = 0; y < t.rows; ++y) t.latest[y] = in.latest[y / times], t.earliest[y] = in.earliest[y / times];
    return true;
}

/// Takes in a second value, row by row. False where their rates differ or the period outgrows Timing.
constexpr bool join(Timing& t, const Timing& other) noexcept {
    if (long{t.frames} * other.rows != long{other.frames} * t.rows) return false;
    const int rows = t.rows / std::gcd(t.rows, other.rows) * other.rows;
    if (rows > Timing::max_rows) return false;
    const Timing in = t;
    t.frames = in.frames * (rows / in.rows);
    t.rows = rows;
    for (int y = 0; y < rows; ++y) {
        const long latest = in.latest_of(y), earliest = in.earliest_of(y);
        t.latest[y] = static_cast<int>(latest > other.latest_of(y) ? latest : other.latest_of(y));
        t.earliest[y] = static_cast<int>(earliest < other.earliest_of(y) ? earliest : other.earliest_of(y));
    }
    t = shortest(t);
    return true;
}

} // namespace detail
} // namespace tarn
