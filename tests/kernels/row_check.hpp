// SPDX-License-Identifier: MIT
// Runs a kernel on whole images, row by row, and with gaps between pixels, every buffer as tight as can be, and
// compares bits with its run on plain images. Used by the row and pitch tests beside it. Knows kernels and footprints;
// nothing of plans.
#pragma once

#include "support/catch.hpp"

#include "kernels/some_ops.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace tarn_test {

/// An image [H, W, C], a sequence [T, C] or a vector, its pixels `pitch` floats apart: in one piece, or every row an
/// allocation of its own, which ends with its last channel. All is NaN until it is set.
class Pixels {
  public:
    Pixels(const tarn::Extents& e, int pitch, bool scattered)
        : rows_(static_cast<std::size_t>(tarn::row_count(e))), channels_(static_cast<std::size_t>(e.last())),
          pitch_(pitch > 0 ? static_cast<std::size_t>(pitch) : channels_), scattered_(scattered) {
        width_ = e.rows() / rows_;
        const std::size_t pixels = scattered ? width_ : width_ * rows_;
        for (std::size_t i = 0; i < (scattered ? rows_ : 1); ++i) {
            pieces_.emplace_back((pixels - 1) * pitch_ + channels_);
            std::memset(pieces_.back().data(), 0xFF, pieces_.back().size() * sizeof(float));
        }
    }
    float* row(std::size_t y) { return scattered_ ? pieces_[y].data() : pieces_[0].data() + y * width_ * pitch_; }
    void put(const std::vector<float>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) *at(i) = values[i];
    }
    std::vector<float> get() {
        std::vector<float> values(rows_ * width_ * channels_);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = *at(i);
        return values;
    }
    /// Whether everything between the pixels is as it was at first.
    bool gaps_intact() {
        std::size_t changed = 0;
        for (std::size_t y = 0; y < rows_; ++y)
            for (std::size_t x = 0; x < width_; ++x)
                for (std::size_t c = channels_; c < pitch_; ++c)
                    if (x + 1 < width_ || (!scattered_ && y + 1 < rows_)) {
                        std::uint32_t bits = 0;
                        std::memcpy(&bits, row(y) + x * pitch_ + c, sizeof bits);
                        changed += bits != 0xFFFFFFFFU ? 1 : 0;
                    }
        return changed == 0;
    }

  private:
    float* at(std::size_t i) {
        const std::size_t pixel = i / channels_;
        return row(pixel / width_) + pixel % width_ * pitch_ + i % channels_;
    }

    std::size_t rows_, width_ = 0, channels_, pitch_;
    bool scattered_;
    std::vector<std::vector<float>> pieces_;
};

/// A kernel as plain functions of pointers: the templates end here.
struct Calls {
    const char* set = "";
    void (*whole)(const float* in, const float* other, float* out, float* scratch, const void* w) = nullptr;
    void (*staged)(const float* in, const float* other, float* out, float* scratch, const void* w) = nullptr;
    void (*row)(const tarn::RowTaps& taps, const float* other, float* out, const void* w) = nullptr;
};

template <tarn::Op O, class Kernels, tarn::Schedule S>
void call_whole(const float* in, const float* other, float* out, float* scratch, const void* w) {
    Kernels::template run<O, S>(in, other, out, scratch,
                                *static_cast<const typename tarn::cpu::Geometry<O>::Packed*>(w));
}
template <tarn::Op O, class Kernels>
void call_row(const tarn::RowTaps& taps, const float* other, float* out, const void* w) {
    constexpr tarn::Op row = tarn::row_form(O);
    using Packed = typename tarn::cpu::Geometry<row>::Packed;
    static_assert(std::is_same_v<Packed, typename tarn::cpu::Geometry<O>::Packed>);
    Kernels::template row<row>(taps, other, out, *static_cast<const Packed*>(w));
}
template <tarn::Op O, class Kernels> Calls calls_of() {
    Calls calls;
    calls.set = Kernels::name;
    calls.whole = call_whole<O, Kernels, tarn::Schedule{}>;
    if constexpr (tarn::cpu::Geometry<O>::footprint().can_stage)
        calls.staged = call_whole<O, Kernels, tarn::Schedule{false, true}>;
    if constexpr (!tarn::cpu::is_recurrent(O)) calls.row = call_row<O, Kernels>;
    return calls;
}

/// One Op with random inputs, whatever the Op.
class RowCheck {
  public:
    RowCheck(const tarn::Op& op, const tarn::Footprint& footprint, Random& random)
        : op_(op), footprint_(footprint), in_(random.reals(op.in.elems())),
          other_(random.reals(tarn::cpu::reads_other(op) ? other_extents().elems() : 1)) {}

    std::vector<float> whole(const tarn::Op& op, const Calls& calls, const void* w, bool staged) {
        Pixels in(op.in, op.in_pitch, false), out(op.out, op.out_pitch, false);
        Pixels other(other_extents(), op.other_pitch, false);
        in.put(in_);
        other.put(other_);
        std::vector<float> scratch(staged ? footprint_.scratch_elems : footprint_.direct_scratch,
                                   std::numeric_limits<float>::quiet_NaN());
        (staged ? calls.staged : calls.whole)(in.row(0), second(other, 0), out.row(0), scratch.data(), w);
        REQUIRE(out.gaps_intact());
        return out.get();
    }
    /// Row by row, every row of input and output by itself, pointers to rows outside the image null.
    std::vector<float> by_rows(const tarn::Op& op, const Calls& calls, const void* w) {
        Pixels in(op.in, op.in_pitch, true), out(op.out, op.out_pitch, true);
        Pixels other(other_extents(), op.other_pitch, true);
        in.put(in_);
        other.put(other_);
        for (int y = 0; y < tarn::row_count(op.out); ++y) {
            std::vector<const float*> rows(static_cast<std::size_t>(tarn::tap_count(op)), nullptr);
            const tarn::TapRange range = tarn::tap_range(op, y);
            for (int t = range.begin; t < range.end; ++t)
                rows[static_cast<std::size_t>(t)] = in.row(static_cast<std::size_t>(tarn::tap_row(op, y, t)));
            const int phase = op.kind == tarn::OpKind::up_conv2d ? y % op.window.stride_h : 0;
            calls.row({rows.data(), range.begin, range.end, range.padded, phase},
                      second(other, op.broadcast ? 0 : static_cast<std::size_t>(y)),
                      out.row(static_cast<std::size_t>(y)), w);
        }
        REQUIRE(out.gaps_intact());
        return out.get();
    }

  private:
    tarn::Extents other_extents() const { return op_.broadcast ? tarn::extents_of(op_.out.last()) : op_.out; }
    const float* second(Pixels& other, std::size_t y) const {
        return tarn::cpu::reads_other(op_) ? other.row(y) : nullptr;
    }

    tarn::Op op_;
    tarn::Footprint footprint_;
    std::vector<float> in_, other_;
};

inline bool equal_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}
inline bool has_nan(const std::vector<float>& values) {
    return std::any_of(values.begin(), values.end(), [](float v) { return v != v; });
}

/// The same Op with gaps between the pixels of everything.
constexpr tarn::Op with_gaps(tarn::Op op) {
    op.in_pitch = op.in.last() + 3;
    op.out_pitch = op.out.last() + 5;
    if (tarn::cpu::reads_other(op) && !op.broadcast) op.other_pitch = op.out.last() + 2;
    return op;
}

/// Calls `check` for the baseline and, where the processor has it, the best set.
template <tarn::Op O, class Check> void for_each_set(Check check) {
    check.template operator()<tarn::cpu::BaseKernels>();
    if constexpr (!std::is_same_v<tarn::cpu::BaseKernels, tarn::cpu::BestKernels>) {
        if (tarn::Cpu<>::takes_best()) check.template operator()<tarn::cpu::BestKernels>();
    }
}

template <tarn::Op O> struct Prepared {
    Random random{static_cast<unsigned>(O.in.elems() * 31 + O.out.elems())};
    SomeWeights weights{O, random};
    std::unique_ptr<typename tarn::cpu::Geometry<O>::Packed> packed =
        std::make_unique<typename tarn::cpu::Geometry<O>::Packed>();
    RowCheck check{O, tarn::cpu::Geometry<O>::footprint(), random};

    Prepared() { tarn::cpu::pack<O>(*packed, weights.raw); }
};

/// Rows give the bits of the whole.
template <tarn::Op O> void check_rows() {
    Prepared<O> p;
    for_each_set<O>([&]<class Kernels>() {
        const Calls calls = calls_of<O, Kernels>();
        INFO(calls.set << " kind " << static_cast<int>(O.kind) << " in " << O.in[0] << ' ' << O.in[1] << ' ' << O.in[2]
                       << " kernel " << O.window.kernel_h << ' ' << O.window.kernel_w);
        const auto expected = p.check.whole(O, calls, p.packed.get(), false);
        REQUIRE(!has_nan(expected));
        REQUIRE(equal_bits(p.check.by_rows(O, calls, p.packed.get()), expected));
    });
}

/// With gaps between pixels, whole and by rows, an Op gives the bits that it gives without, and leaves the gaps alone.
template <tarn::Op O> void check_pitch() {
    constexpr tarn::Op gaps = with_gaps(O);
    constexpr tarn::Footprint f = tarn::cpu::Geometry<gaps>::footprint();
    static_assert(f.direct == tarn::Lead{} && f.staged == tarn::Lead{} && !f.second_exact);
    Prepared<O> p;
    for_each_set<O>([&]<class Kernels>() {
        const Calls calls = calls_of<gaps, Kernels>();
        INFO(calls.set << " kind " << static_cast<int>(O.kind) << " in " << O.in[0] << ' ' << O.in[1] << ' ' << O.in[2]
                       << " kernel " << O.window.kernel_h << ' ' << O.window.kernel_w);
        const auto expected = p.check.whole(O, calls_of<O, Kernels>(), p.packed.get(), false);
        REQUIRE(!has_nan(expected));
        REQUIRE(equal_bits(p.check.whole(gaps, calls, p.packed.get(), false), expected));
        if (calls.staged != nullptr) REQUIRE(equal_bits(p.check.whole(gaps, calls, p.packed.get(), true), expected));
        if (calls.row != nullptr) REQUIRE(equal_bits(p.check.by_rows(gaps, calls, p.packed.get()), expected));
    });
}

} // namespace tarn_test
