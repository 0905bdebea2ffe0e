// SPDX-License-Identifier: MIT
// The overlap law against brute force over pixels and taps, and against a convolution run in one buffer.
// The planner, the kernels' footprints and the bounds all stand on reach_lead.
// Knows nothing of kernels or plans.
#include "support/catch.hpp"

#include <tarn/nn/reach.hpp>

#include "plan/reads.hpp"

#include <algorithm>

using namespace tarn;
using tarn_test::pixels_read;
using tarn_test::Random;
using tarn_test::windowed;

namespace {

/// The law by its definition: for every t, all outputs before t are written, all inputs of t and later still wanted.
Lead true_lead(const Op& op, bool skip_first) {
    const auto reads = pixels_read(op);
    const long pixels = static_cast<long>(reads.size()), out_c = op.out.last(), in_c = op.in.last();
    const long nothing = Lead::never;
    Lead lead{Lead::always, Lead::always};
    long first = nothing; // that t or a later pixel reads
    for (long t = pixels; t-- > 0;) {
        for (const long pixel : reads[static_cast<std::size_t>(t)]) first = std::min(first, pixel);
        if (first < nothing && (t > 0 || !skip_first))
            lead.ascending = std::max(lead.ascending, t * out_c - first * in_c);
    }
    long end = 0; // of what t or an earlier pixel reads
    for (long t = 0; t < pixels; ++t) {
        for (const long pixel : reads[static_cast<std::size_t>(t)]) end = std::max(end, pixel + 1);
        if (end > 0 && (t + 1 < pixels || !skip_first))
            lead.descending = std::max(lead.descending, end * in_c - (t + 1) * out_c);
    }
    return lead;
}

/// What of an Op makes the closed form more careful than it must be.
struct Doubts {
    bool dilated = false; ///< taps fall between pixels at the padding's edge
    bool empty = false;   ///< a window lies wholly in the padding
    long unread = 0;      ///< columns at the right that no window reaches
};
Doubts doubts_of(const Op& op) {
    Doubts doubts;
    doubts.dilated = op.window.dilation_h > 1 || op.window.dilation_w > 1;
    const int width = tarn_test::is_image(op.kind) ? op.in[1] : static_cast<int>(op.in.rows());
    int last = -1;
    for (const auto& pixel : pixels_read(op)) {
        doubts.empty = doubts.empty || pixel.empty();
        for (const int p : pixel) last = std::max(last, p % width);
    }
    doubts.unread = width - 1 - last;
    return doubts;
}

/// Fewest elements that hold both, trying every distance.
long least_span(const Op& op, const Lead& lead) {
    const long in = static_cast<long>(op.in.elems()), out = static_cast<long>(op.out.elems());
    long least = in + out;
    for (long input_above = -in; input_above <= out; ++input_above) {
        if (input_above >= lead.ascending || -input_above >= lead.descending)
            least = std::min(least, std::max(input_above + in, out) - std::min(input_above, 0L));
    }
    return least;
}

struct Tally {
    int all = 0, exact = 0, careful = 0;
};

void compare(const Op& op, Tally& tally) {
    INFO(op);
    const Doubts doubts = doubts_of(op);
    for (const bool skip_first : {false, true}) {
        const Lead law = reach_lead(op, skip_first), truth = true_lead(op, skip_first);
        INFO("skip_first " << skip_first << " law " << law.ascending << ' ' << law.descending << " truth "
                           << truth.ascending << ' ' << truth.descending);
        const long up = law.ascending - truth.ascending, down = law.descending - truth.descending;
        REQUIRE(up >= 0); // safe, always
        REQUIRE(down >= 0);
        const long in_c = op.in.last(), in_w = tarn_test::is_image(op.kind) ? op.in[1] : 1;
        const Window& w = op.window;
        if (!doubts.empty) {
            // Where every window sees the image, the law is exact but for two cases. Dilation: the first (last) tap
            // inside the image is taken to be its first (last) pixel, up to dilation - 1 rows and columns too far.
            // Downwards, columns that no window reaches count as read when the image's last row is.
            const long between_taps = in_c * ((w.dilation_h - 1) * in_w + w.dilation_w - 1);
            REQUIRE(up <= between_taps);
            REQUIRE(down <= between_taps + in_c * doubts.unread);
            if (!doubts.dilated && doubts.unread == 0 && skip_first)
                REQUIRE(static_cast<long>(overlapped_elems(op.in.elems(), op.out.elems(), law)) ==
                        least_span(op, truth));
        }
        ++tally.all;
        ++(up == 0 && down == 0 ? tally.exact : tally.careful);
    }
}

Window square(int kernel, int stride, int pad, int dilation = 1) {
    return {kernel, kernel, stride, stride, pad, pad, pad, pad, dilation, dilation};
}

} // namespace

TEST_CASE("the overlap law on windows at their limits") {
    Tally tally;
    for (const auto& channels : {std::pair{1, 1}, {5, 5}, {3, 7}, {7, 3}, {1, 9}, {9, 1}}) {
        const auto conv = [&](int h, int w, const Window& window) {
            compare(windowed(OpKind::conv2d, h, w, channels.first, channels.second, window), tally);
        };
        for (int h : {1, 2, 5, 8}) {
            for (int w : {1, 2, 7}) {
                conv(h, w, square(1, 1, 0));
                conv(h, w, square(1, 2, 0));
                conv(h, w, square(1, 4, 0)); // stride beyond the kernel
                conv(h, w, square(3, 1, 1));
                conv(h, w, square(3, 2, 1));
                conv(h, w, square(3, 4, 1));
                conv(h, w, square(7, 1, 3)); // the kernel larger than the image
                conv(h, w, square(7, 3, 6));
                conv(h, w, square(3, 1, 2, 2));
                conv(h, w, square(2, 1, 3, 3));
                conv(h, w, square(1, 1, 2)); // windows wholly in the padding
                conv(h, w, {h, w, 1, 1, 0, 0, 0, 0, 1, 1});
                conv(h, w, {h, w, h, w, 0, 0, 0, 0, 1, 1}); // the whole image at once
                conv(h, w, {2, 3, 1, 2, 1, 0, 0, 2, 1, 1}); // padding on some sides only
                conv(h, w, {2, 3, 2, 1, 0, 1, 2, 0, 1, 1});
            }
        }
    }
    for (const int ceil : {0, 1})
        for (int h : {3, 4, 5, 6, 7})
            for (const Window& window : {square(2, 2, 0), square(3, 2, 1), square(3, 3, 0), square(2, 3, 0)})
                compare(windowed(OpKind::max_pool2d, h, h + 1, 3, 3, window, ceil == 1), tally);
    CHECK(tally.all > 2000);
    CHECK(tally.exact > tally.all * 3 / 4);
}

TEST_CASE("the overlap law of layers without neighbours") {
    Tally tally;
    for (const int rows : {1, 2, 3, 6, 17}) {
        for (const auto& [c, k] : {std::pair{4, 4}, {5, 1}, {1, 5}, {16, 17}, {17, 16}}) {
            Op op;
            op.kind = OpKind::linear;
            op.in = extents_of(rows, c);
            op.out = extents_of(rows, k);
            compare(op, tally);
            // 1x1 and linear: the larger of the two is enough.
            CHECK(overlapped_elems(op.in.elems(), op.out.elems(), reach_lead(op, true)) ==
                  std::max(op.in.elems(), op.out.elems()));
        }
    }
    CHECK(tally.careful == 0);
    // Same-padded 3x3: one row and one pixel more than the tensor.
    CHECK(overlapped_elems(10 * 7 * 4, 10 * 7 * 4,
                           reach_lead(windowed(OpKind::conv2d, 10, 7, 4, 4, square(3, 1, 1)), true)) ==
          10 * 7 * 4 + (7 + 1) * 4);
}

TEST_CASE("the overlap law on random windows") {
    Random random(672);
    Tally tally;
    for (int i = 0; i < 600; ++i) compare(tarn_test::random_windowed(random, 9, 6), tally);
    for (int i = 0; i < 300; ++i) compare(tarn_test::random_windowed(random, 40, 6), tally);
    INFO("exact in " << tally.exact << " of " << tally.all);
    CHECK(tally.exact > tally.all * 2 / 3);
    CHECK(tally.careful > 0); // the careful cases were met too
}

namespace {

/// A plain convolution, pixel by pixel, each pixel's outputs written when all of them are known.
void convolve(const Op& op, const std::vector<float>& weight, const float* in, float* out, bool descending) {
    const auto reads = pixels_read(op);
    const std::size_t pixels = reads.size(), out_c = static_cast<std::size_t>(op.out.last());
    const std::size_t in_c = static_cast<std::size_t>(op.in.last());
    std::vector<float> made(out_c);
    for (std::size_t i = 0; i < pixels; ++i) {
        const std::size_t t = descending ? pixels - 1 - i : i;
        for (std::size_t k = 0; k < out_c; ++k) {
            made[k] = 0.F;
            std::size_t tap = k;
            for (const int pixel : reads[t])
                for (std::size_t c = 0; c < in_c; ++c)
                    made[k] += in[static_cast<std::size_t>(pixel) * in_c + c] * weight[tap++ % weight.size()];
        }
        std::copy(made.begin(), made.end(), out + t * out_c);
    }
}

/// The same in one buffer, the input `apart` above the output upwards, the output above the input downwards.
std::vector<float> convolve_in_one_buffer(const Op& op, const std::vector<float>& weight, const std::vector<float>& x,
                                          long apart, bool descending) {
    const long out_minus_in = descending ? apart : -apart;
    const long in_at = out_minus_in < 0 ? -out_minus_in : 0, out_at = out_minus_in < 0 ? 0 : out_minus_in;
    std::vector<float> buffer(op.in.elems() + op.out.elems() + static_cast<std::size_t>(std::abs(apart)));
    std::copy(x.begin(), x.end(), buffer.begin() + in_at);
    convolve(op, weight, buffer.data() + in_at, buffer.data() + out_at, descending);
    return {buffer.begin() + out_at, buffer.begin() + out_at + static_cast<long>(op.out.elems())};
}

} // namespace

TEST_CASE("a convolution in one buffer: right at the law, wrong one element below it") {
    Random random(388);
    int run = 0, wrong = 0;
    while (run < 800) {
        const Op op = tarn_test::random_windowed(random, 9, 6);
        const Doubts doubts = doubts_of(op);
        const Lead lead = reach_lead(op, true);
        if (doubts.empty || doubts.dilated || doubts.unread > 0) continue;
        INFO(op);
        const auto weight = random.reals(97), x = random.reals(op.in.elems());
        std::vector<float> expected(op.out.elems());
        convolve(op, weight, x.data(), expected.data(), false);
        for (const bool descending : {false, true}) {
            const long apart = descending ? lead.descending : lead.ascending;
            if (apart <= Lead::always) continue; // one pixel: all is read before anything is written
            REQUIRE(convolve_in_one_buffer(op, weight, x, apart, descending) == expected);
            ++run;
            wrong += convolve_in_one_buffer(op, weight, x, apart - 1, descending) != expected ? 1 : 0;
        }
    }
    WARN("one element below the law, " << wrong << " of " << run << " convolutions in one buffer came out wrong");
    CHECK(wrong == run);
}
