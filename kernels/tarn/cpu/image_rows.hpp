// SPDX-License-Identifier: MIT
// The input rows that each output row reads, where the whole input lies in memory: whole images run by their rows.
// Read once per instruction set by cpu/sets.hpp (its guard flips with the set).
// Knows the Op; nothing of weights or plans.
#if defined(TARN_READ_IMAGE_ROWS) == defined(TARN_SET_FLIP)
#if defined(TARN_READ_IMAGE_ROWS)
#undef TARN_READ_IMAGE_ROWS
#else
#define TARN_READ_IMAGE_ROWS
#endif

#include <tarn/cpu/geometry.hpp>
#include <tarn/cpu/simd.hpp>

namespace tarn::cpu::TARN_SET {

/// Of one image, for one output row after another.
template <Op O> class ImageRows {
  public:
    static constexpr detail::Plane plane = detail::plane_of(O);
    static constexpr std::ptrdiff_t row_elems = std::ptrdiff_t{plane.in_w} * in_pitch_of(O);

    /// Valid until the next call. in: [H, W, C] at the Op's pitch.
    RowTaps taps(const float* in, int y) noexcept {
        if constexpr (plane.in_h == 1 && plane.window == Window{}) {
            rows_[0] = in;
            return {rows_};
        } else {
            const TapRange range = tap_range(O, y);
            for (int t = range.begin; t < range.end; ++t)
                rows_[t] = in + static_cast<std::ptrdiff_t>(tap_row(O, y, t)) * row_elems;
            return {rows_, range.begin, range.end, range.padded, plane.enlarges ? y % O.window.stride_h : 0};
        }
    }

  private:
    const float* rows_[tap_count(O)] = {};
};

} // namespace tarn::cpu::TARN_SET

#endif // read for this set
