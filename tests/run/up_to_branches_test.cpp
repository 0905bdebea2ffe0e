// SPDX-License-Identifier: MIT
// UpTo on networks with branches, pools over all rows, images and every policy: the bits of a Model of just so many
// rows.
// Knows the public face only.
#include "run/up_to_check.hpp"

using namespace tarn;
using tarn_test::check_up_to;
using tarn_test::counts;

namespace {

template <int Distance>
using CausalBlock = Residual<Sequential<Conv1d<6, 6, Kernel<3>, Dilation<Distance>, Causal>, ReLU,
                                        Conv1d<6, 6, Kernel<3>, Dilation<Distance>, Causal>>>;
using Tcn = Sequential<Conv1d<4, 6, Kernel<1>>, CausalBlock<1>, ReLU, CausalBlock<2>, ReLU, Linear<6, 3>>;
using Skips =
    Sequential<Residual<Sequential<Conv1d<5, 10, Kernel<3>, Padding<1>>, ReLU, Conv1d<10, 8, Kernel<5>, Padding<2>>>,
                        Conv1d<5, 8, Kernel<1>>>,
               SiLU, Conv1d<8, 4, Kernel<3>, Stride<2>>>;
using Two = Sequential<Parallel<Conv1d<4, 6, Kernel<1>>, Sequential<Conv1d<4, 3, Kernel<3>, Padding<1>>, ReLU>,
                                MaxPool1d<3, Stride<1>, Padding<1>>>,
                       Concat, Linear<13, 5>, Softmax>;
using Classifier =
    Sequential<Conv2d<3, 8, Kernel<3, 3>, Stride<2>, Padding<1>>, ReLU6,
               Residual<Sequential<Conv2d<8, 16, Kernel<1>>, ReLU6, Conv2d<16, 16, Kernel<3>, Padding<1>, Groups<16>>,
                                   ReLU6, Conv2d<16, 8, Kernel<1>>>>,
               GlobalAvgPool2d, Flatten, Linear<8, 5>, Softmax>;
using Squeeze = Sequential<
    Conv2d<2, 4, Kernel<3>, Padding<1>>, SiLU,
    Parallel<Identity, Sequential<GlobalAvgPool2d, Conv2d<4, 2, Kernel<1>>, ReLU, Conv2d<2, 4, Kernel<1>>, Sigmoid>>,
    Mul, Conv2d<4, 3, Kernel<3>, Stride<2>, Padding<1>>>;
using Enlarged = Sequential<Conv2d<2, 4, Kernel<3>, Padding<1>>, ReLU, Upsample<2>, Conv2d<4, 3, Kernel<3>>>;
using Hourglass =
    Sequential<Conv2d<2, 4, Kernel<3>, Padding<1>>, ReLU,
               Parallel<Identity, Sequential<MaxPool2d<2>, Conv2d<4, 6, Kernel<3>, Padding<1>>, ReLU, Upsample<2>>>,
               Concat, Conv2d<10, 2, Kernel<1>>>;
using Mixed = Sequential<Conv1d<3, 6, Kernel<3>, Stride<2>, Padding<1>>, ReLU, GRU<6, 6>, Residual<Linear<6, 6>>,
                         MaxPool1d<2, Stride<2>, CeilMode>, Linear<6, 2>>;
using Heads =
    Graph<Input<"x">, Layer<"stem", Conv2d<2, 4, Kernel<3>, Padding<1>>, "x">, Layer<"act", ReLU, "stem">,
          Layer<"map", Conv2d<4, 2, Kernel<3>, Stride<2>, Padding<1>>, "act">, Layer<"mean", GlobalAvgPool2d, "act">,
          Layer<"flat", Flatten, "mean">, Layer<"score", Linear<4, 3>, "flat">, Output<"map">, Output<"score">>;

} // namespace

TEST_CASE("residual blocks of causal and of padded convolutions") {
    check_up_to<Tcn, Shape<9, 4>>(1, counts<9, 8, 7, 6, 5, 4, 3, 2, 1>);
    check_up_to<Tcn, Shape<200, 4>>(2, counts<200, 199, 1, 63>, Cpu<>{});
    check_up_to<Skips, Shape<8, 5>>(3, counts<8, 7, 6, 5, 4, 3, 2, 1>);
}

TEST_CASE("branches side by side") { check_up_to<Two, Shape<6, 4>>(4, counts<1, 2, 3, 4, 5, 6>); }

TEST_CASE("images of any height: a classifier, squeeze-excite, upsampling") {
    check_up_to<Classifier, Shape<11, 7, 3>>(5, counts<11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1>);
    check_up_to<Squeeze, Shape<6, 5, 2>>(6, counts<6, 5, 4, 3, 2, 1>);
    check_up_to<Enlarged, Shape<5, 4, 2>>(7, counts<5, 4, 3, 2, 1>);
}

TEST_CASE("a count that branches make different lengths of is an error, others run") {
    check_up_to<Hourglass, Shape<8, 4, 2>>(8, counts<8, 7, 6, 5, 4, 3, 2, 1>);
}

TEST_CASE("two results, one with a row for every other row and one of all rows") {
    check_up_to<Heads, Shape<5, 4, 2>>(9, counts<5, 4, 3, 2, 1>);
}

TEST_CASE("every policy") {
    using Baseline = Cpu<cpu::Baseline>;
    check_up_to<Mixed, Shape<9, 3>>(10, counts<9, 6, 1, 5>, Baseline{}, Smallest{});
    check_up_to<Mixed, Shape<9, 3>>(10, counts<9, 6, 1, 5>, Baseline{}, Fastest{});
    check_up_to<Mixed, Shape<9, 3>>(10, counts<9, 6, 1, 5>, Baseline{}, KeepAll{});
    check_up_to<Tcn, Shape<9, 4>>(11, counts<9, 4, 1>, Baseline{}, WholeTensors<Smallest>{});
    check_up_to<Tcn, Shape<9, 4>>(11, counts<9, 4, 1>, Baseline{}, Fastest{});
}
