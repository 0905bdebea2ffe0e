// SPDX-License-Identifier: MIT
// Pools that take their input row by row into the output row: the bits of the whole, NaN and infinity among them.
// Which pools may do so.
// Knows kernels; nothing of plans.
#include "kernels/row_check.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

template <Op O> void check_accumulated(bool with_nan) {
    static_assert(accumulates(O));
    constexpr Op row = row_form(O);
    Random random(8);
    auto values = random.reals(O.in.elems());
    if (with_nan) {
        values[0] = std::numeric_limits<float>::quiet_NaN();
        values[1] = -std::numeric_limits<float>::infinity();
    }
    for_each_set<O>([&]<class Kernels>() {
        INFO(Kernels::name << " kind " << static_cast<int>(O.kind) << " in " << O.in[0] << ' ' << O.in[1]);
        Pixels whole_in(O.in, O.in_pitch, false), whole_out(O.out, O.out_pitch, false);
        Pixels in(O.in, O.in_pitch, true), out(O.out, O.out_pitch, true);
        whole_in.put(values), in.put(values);
        Kernels::template run<O, Schedule{}>(whole_in.row(0), nullptr, whole_out.row(0), nullptr, {});
        for (int y = 0; y < row_count(O.out); ++y) {
            float* const to = out.row(static_cast<std::size_t>(y));
            const TapRange range = tap_range(O, y);
            Kernels::template pool_begin<row>(to);
            for (int t = range.begin; t < range.end; ++t)
                Kernels::template pool_add<row>(in.row(static_cast<std::size_t>(tap_row(O, y, t))), to);
            Kernels::template pool_end<row>(to, range.padded, range.end - range.begin);
        }
        REQUIRE(equal_bits(out.get(), whole_out.get()));
        REQUIRE(has_nan(out.get()) == with_nan);
        REQUIRE(out.gaps_intact());
    });
}
template <Op O> void check_accumulated() {
    check_accumulated<O>(false);
    check_accumulated<O>(true);
    check_accumulated<with_gaps(O)>(false);
}

} // namespace

TEST_CASE("pools that take row after row give the bits of the whole") {
    check_accumulated<max_pool_op(extents_of(6, 8, 17), window_of(2, 2))>();
    check_accumulated<max_pool_op(extents_of(9, 4, 8), window_of(2, 3))>();
    check_accumulated<max_pool_op(extents_of(7, 5, 3), {1, 3, 1, 1, 0, 0, 1, 1, 1, 1})>();
    check_accumulated<avg_pool_op(extents_of(7, 5, 20), {7, 5, 1, 1, 0, 0, 0, 0, 1, 1})>(); // one row: no stride needed
    check_accumulated<avg_pool_op(extents_of(7, 5, 20), {7, 5, 7, 5, 0, 0, 0, 0, 1, 1})>();
    check_accumulated<avg_pool_op(extents_of(7, 6, 9), {2, 3, 2, 2, 0, 1, 1, 1, 1, 1}, false)>();
    check_accumulated<avg_pool_op(extents_of(8, 6, 9), {3, 3, 3, 2, 0, 2, 1, 1, 1, 1})>();
    check_accumulated<fused(avg_pool_op(extents_of(12, 5), {4, 1, 4, 1, 0, 0, 0, 0, 1, 1}), false, Activation::silu)>();
}

TEST_CASE("pools whose windows share rows do not") {
    CHECK_FALSE(accumulates(max_pool_op(extents_of(8, 8, 4), window_of(3, 2))));
    CHECK_FALSE(accumulates(avg_pool_op(extents_of(8, 8, 4), window_of(3, 1, 1))));
    CHECK_FALSE(accumulates(max_pool_op(extents_of(8, 8, 4), window_of(2, 2, 1))));
    CHECK_FALSE(accumulates(conv_op(extents_of(8, 8, 4), 4, window_of(2, 2))));
}
