// SPDX-License-Identifier: MIT
// Lists of dense layers as kernels in every form that fits; named by a list's type and a place in it, since nvcc 13
// cannot write down a kernel whose template arguments have an Op in them.
// Included by gemm_*.cu and conv_*.cu. Knows bodies; nothing of time.
#pragma once

#include "card_facts.hpp" // written by run.sh: card_multiprocessors
#include "own_product.hpp"

#include <tarn/cuda/kernel.cuh>
#include <tarn/cuda/kernels.hpp>
#include <tarn/cuda/pack.hpp>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace tarn_bench {

enum class Form { apart, held, panel };

template <class List, int I, Form Wanted> constexpr auto own_body() noexcept {
    constexpr ProductCase one = List::cases[I];
    if constexpr (Wanted == Form::panel)
        return tarn::cuda::Panel<one.op, 256, one.panel_rows>{};
    else
        return tarn::cuda::body_for < one.op, 256, one.factor, Wanted == Form::held ? card_multiprocessors : 0 > ();
}
template <class Body> constexpr int most_blocks_of() noexcept {
    if constexpr (requires { Body::tiles; })
        return Body::tiles;
    else if constexpr (requires { Body::strips; })
        return Body::strips;
    else
        return Body::panels;
}

template <class List, int I, Form Wanted> struct OwnWork {
    static constexpr int threads = 256;
    static constexpr bool cooperative = Wanted == Form::held;
    using Body = decltype(own_body<List, I, Wanted>());

    template <class Context>
    TARN_DEVICE static void run(const Context& context, const float* in, const float* other, float* out,
                                const void* weights) {
        Body::run(context, in, other, out, *static_cast<const typename Body::Packed*>(weights));
    }
    static OwnKernel kernel() {
        constexpr auto* function = &tarn::cuda::kernel<OwnWork, const float*, const float*, float*, const void*>;
        return {reinterpret_cast<const void*>(function), threads, Body::shared_bytes,
                Wanted == Form::held ? card_multiprocessors : 0, most_blocks_of<Body>()};
    }
};

template <class List, int I> std::vector<unsigned char> packed_bytes_of(const tarn::RawWeights& raw) {
    using Packed = typename OwnWork<List, I, Form::apart>::Body::Packed;
    const auto packed = std::make_unique<Packed>();
    tarn::cuda::pack<List::cases[I].op>(*packed, raw);
    std::vector<unsigned char> bytes(sizeof(Packed));
    std::memcpy(bytes.data(), static_cast<const void*>(packed.get()), sizeof(Packed));
    return bytes;
}

template <class List, int I> OwnProduct own_product() {
    constexpr ProductCase one = List::cases[I];
    using Body = typename OwnWork<List, I, Form::apart>::Body;
    using Packed = typename Body::Packed;
    OwnProduct made;
    made.apart = OwnWork<List, I, Form::apart>::kernel();
    if constexpr (OwnWork<List, I, Form::held>::Body::fits) made.held = OwnWork<List, I, Form::held>::kernel();
    if constexpr (one.panel_rows > 0) made.panel = OwnWork<List, I, Form::panel>::kernel();
    made.packed_bytes = sizeof(Packed);
    made.bias_at = offsetof(Packed, bias);
    made.rows = Body::rows, made.depth = Body::depth, made.columns = Body::columns;
    made.column_pitch = Body::column_pitch;
    made.pack = &packed_bytes_of<List, I>;
    return made;
}

template <class List, class Time, int... I> void time_cases(const Time& time, std::integer_sequence<int, I...>) {
    (time(List::cases[I], own_product<List, I>()), ...);
}
/// time(case, own product) for each of the list.
template <class List, class Time> void time_list(const Time& time) {
    time_cases<List>(time, std::make_integer_sequence<int, static_cast<int>(std::size(List::cases))>{});
}

} // namespace tarn_bench
