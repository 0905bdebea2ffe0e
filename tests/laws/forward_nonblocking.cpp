// SPDX-License-Identifier: MIT
// Functions that promise not to block call forward and apply in every form. Compiled with -Werror=function-effects by a
// clang that has function effects: it follows the promise through the body of every kernel.
// Knows the public face only.
#include "laws/networks.hpp"

#if !__has_cpp_attribute(clang::nonblocking)
#error "this compiler has no function effects: give TARN_ZIG a newer one"
#endif

namespace {

template <class M>
float forward_both(typename M::Session& outside, typename M::InPlaceSession& owning,
                   std::span<const float, M::Input::elems> input) noexcept TARN_NONBLOCKING {
    owning.input()[0] = outside.forward(input)[0];
    return owning.forward_in_place()[0];
}

template <class M>
float forward_borrowed(typename M::BorrowedSession& outside,
                       std::span<const float, M::Input::elems> input) noexcept TARN_NONBLOCKING {
    return outside.forward(input)[0];
}

using Module = tarn::Linear<6, 4>;
using Rows = tarn::CpuTensor<tarn::Shape<3, 6>, tarn::PerRow<8>>;

float apply_rows(Rows x, const tarn::ModuleWeights<Module, tarn::Shape<3, 6>>& weights) noexcept TARN_NONBLOCKING {
    return tarn::apply<Module>(std::move(x), weights).row(0)[0];
}

} // namespace

/// Names every function above, so that each is instantiated and judged.
const void* every_function() {
    const void* last = reinterpret_cast<const void*>(&apply_rows);
    tarn_test::for_each_model([&]<class M>() {
        last = reinterpret_cast<const void*>(&forward_both<M>);
        last = reinterpret_cast<const void*>(&forward_borrowed<M>);
    });
    return last;
}
