// SPDX-License-Identifier: MIT
// The overlap law of layers that enlarge and of windows over sequences, by trying every pixel; and which input rows an
// output row reads. Windows on images have the law's test in tests/plan.
// Knows Ops; nothing of kernels or plans.
#include "support/catch.hpp"

#include "kernels/some_ops.hpp"

#include <algorithm>

using namespace tarn;
using namespace tarn_test;

namespace {

/// The input pixel that each output pixel of an enlarging Op reads, in raster order.
std::vector<long> pixel_read(const Op& op) {
    std::vector<long> reads;
    const int width = op.in.rank == 3 ? op.in[1] : 1, out_width = op.out.rank == 3 ? op.out[1] : 1;
    for (int y = 0; y < op.out[0]; ++y)
        for (int x = 0; x < out_width; ++x)
            reads.push_back(long{y / op.window.stride_h} * width + x / op.window.stride_w);
    return reads;
}

/// The law by its definition, for outputs that read one pixel each.
Lead true_lead(const std::vector<long>& reads, long in_c, long out_c, bool skip_first) {
    const long pixels = static_cast<long>(reads.size());
    Lead lead{Lead::always, Lead::always};
    for (long t = 0; t < pixels; ++t) {
        const auto here = reads.begin() + t;
        const long first = *std::min_element(here, reads.end()), end = *std::max_element(reads.begin(), here + 1) + 1;
        if (t > 0 || !skip_first) lead.ascending = std::max(lead.ascending, t * out_c - first * in_c);
        if (t + 1 < pixels || !skip_first) lead.descending = std::max(lead.descending, end * in_c - (t + 1) * out_c);
    }
    return lead;
}

} // namespace

TEST_CASE("the overlap law of layers that enlarge is exact") {
    int compared = 0;
    for (const OpKind kind : {OpKind::upsample, OpKind::up_conv2d}) {
        for (const int h : {1, 2, 3, 7}) {
            for (const int w : {1, 2, 5}) {
                for (const int up : {1, 2, 3, 5}) {
                    for (const int across : {1, 2, 4}) {
                        for (const auto& [in_c, out_c] : {std::pair{4, 4}, {9, 2}, {3, 11}, {40, 1}}) {
                            if (kind == OpKind::upsample && in_c != out_c) continue;
                            const Extents in = w == 1 && across == 1 ? extents_of(h, in_c) : extents_of(h, w, in_c);
                            const Op op = enlarging_op(kind, in, out_c, up, across);
                            for (const bool skip : {false, true}) {
                                INFO("in " << h << 'x' << w << 'x' << in_c << " by " << up << 'x' << across << " to "
                                           << out_c << " skip " << skip);
                                const Lead law = reach_lead(op, skip);
                                const Lead truth = true_lead(pixel_read(op), in_c, out_c, skip);
                                CHECK(law.ascending == truth.ascending);
                                CHECK(law.descending == truth.descending);
                                ++compared;
                            }
                        }
                    }
                }
            }
        }
    }
    CHECK(compared > 1000);
}

TEST_CASE("a window over a sequence has the law of an image one pixel wide") {
    Random random(5);
    for (int i = 0; i < 300; ++i) {
        Window w;
        w.kernel_h = random.between(1, 5), w.stride_h = random.between(1, 3), w.dilation_h = random.between(1, 3);
        w.pad_top = random.between(0, w.reach_h() - 1), w.pad_bottom = random.between(0, w.reach_h() - 1);
        const int steps = random.between(w.reach_h(), 20), c = random.between(1, 6), k = random.between(1, 6);
        const Op sequence = conv_op(extents_of(steps, c), k, w), image = conv_op(extents_of(steps, 1, c), k, w);
        for (const bool skip : {false, true}) CHECK(reach_lead(sequence, skip) == reach_lead(image, skip));
    }
}

TEST_CASE("the taps of an output row are those inside the image") {
    Random random(6);
    int outside = 0;
    for (int i = 0; i < 2000; ++i) {
        Window w;
        w.kernel_h = random.between(1, 7), w.stride_h = random.between(1, 4);
        const bool pool = random.one_in(3);
        if (!pool) w.dilation_h = random.between(1, 3);
        w.pad_top = random.between(0, w.reach_h()), w.pad_bottom = random.between(0, w.reach_h());
        const int height = random.between(1, 12);
        if (height + w.pad_top + w.pad_bottom < w.reach_h()) continue;
        const Op op = pool ? avg_pool_op(extents_of(height, 3, 2), w) : conv_op(extents_of(height, 3, 2), 2, w);
        for (int y = 0; y < op.out[0]; ++y) {
            const TapRange range = tap_range(op, y);
            int padded = 0;
            for (int t = 0; t < tap_count(op); ++t) {
                const long row = tap_row(op, y, t);
                CHECK(row == y * w.stride_h - w.pad_top + t * w.dilation_h);
                CHECK((t >= range.begin && t < range.end) == (row >= 0 && row < height));
                outside += row < 0 || row >= height ? 1 : 0;
                padded += row < height + w.pad_bottom ? 1 : 0;
            }
            CHECK(range.padded == padded);
        }
    }
    CHECK(outside > 1000);
}

TEST_CASE("a row's form has one row, and a vector stays as it is") {
    constexpr Op image = row_form(conv_op(extents_of(9, 8, 3), 5, window_of(3, 2, 1)));
    static_assert(image.in == extents_of(1, 8, 3) && image.out == extents_of(1, 4, 5));
    constexpr Op sequence = row_form(pixel_op(OpKind::linear, extents_of(9, 8), 3));
    static_assert(sequence.in == extents_of(1, 8) && sequence.out == extents_of(1, 3));
    constexpr Op vector = pixel_op(OpKind::linear, extents_of(8), 3);
    static_assert(row_form(vector) == vector);
    CHECK(tap_count(image) == 3);
    CHECK(tap_count(sequence) == 1);
    CHECK(tap_row(enlarging_op(OpKind::upsample, extents_of(4, 4, 2), 2, 3, 2), 7, 0) == 2);
}
