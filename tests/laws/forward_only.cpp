// SPDX-License-Identifier: MIT
// A translation unit that holds forwards and nothing else. Its object file may import only what object_imports.py
// lists. Compiled by that script, never linked. Knows the public face only.
#include "laws/networks.hpp"

namespace {

template <class M>
float both(typename M::Session& outside, typename M::InPlaceSession& owning,
           std::span<const float, M::Input::elems> input) noexcept {
    owning.input()[0] = outside.forward(input)[0];
    return owning.forward_in_place()[0];
}

} // namespace

/// The first output of every network on both sets; sessions and weights come from elsewhere.
float first_outputs(void* const* outside, void* const* owning, const float* input) noexcept {
    float sum = 0.F;
    int i = 0;
    tarn_test::for_each_model([&]<class M>() {
        sum += both<M>(*static_cast<typename M::Session*>(outside[i]),
                       *static_cast<typename M::InPlaceSession*>(owning[i]),
                       std::span<const float, M::Input::elems>{input, M::Input::elems});
        ++i;
    });
    return sum;
}
