// SPDX-License-Identifier: MIT
// Lists of body trials as kernels: trial I of a list is a kernel named by the list's type and I, since nvcc 13 cannot
// write down a kernel whose template arguments have an Op in them.
// Included by bodies_*.cu. Knows bodies and packing; nothing of what is expected.
#pragma once

#include "body_case.hpp"

#include <tarn/cuda/kernel.cuh>
#include <tarn/cuda/kernels.hpp>
#include <tarn/cuda/pack.hpp>

#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace tarn_bench {

template <class List, int I> constexpr auto body_of_case() noexcept {
    constexpr BodyCase one = List::cases[I];
    if constexpr (one.panel_rows > 0)
        return tarn::cuda::Panel<one.op, one.threads, one.panel_rows>{};
    else if constexpr (one.kept_bytes > 0)
        return tarn::cuda::Recurrent<one.op, one.threads, one.kept_bytes>{};
    else
        return tarn::cuda::body_for<one.op, one.threads, one.factor, one.held>();
}

template <class List, int I> struct CaseWork {
    static constexpr int threads = List::cases[I].threads;
    static constexpr bool cooperative = List::cases[I].held > 0;
    using Body = decltype(body_of_case<List, I>());
    using Packed = typename Body::Packed;

    template <class Context>
    TARN_DEVICE static void run(const Context& context, const float* in, const float* other, float* out,
                                const void* weights) {
        Body::run(context, in, other, out, *static_cast<const Packed*>(weights));
    }
    static std::vector<unsigned char> pack(const tarn::RawWeights& raw) {
        const auto packed = std::make_unique<Packed>();
        tarn::cuda::pack<List::cases[I].op>(*packed, raw);
        std::vector<unsigned char> bytes(sizeof(Packed));
        std::memcpy(bytes.data(), static_cast<const void*>(packed.get()), sizeof(Packed));
        return bytes;
    }
};

template <class List, int I> void check_case(Report& report) {
    using Work = CaseWork<List, I>;
    constexpr auto* function = &tarn::cuda::kernel<Work, const float*, const float*, float*, const void*>;
    check_body(report, List::cases[I],
               {reinterpret_cast<const void*>(function), Work::Body::shared_bytes, &Work::pack});
}
template <class List, int... I> void check_cases(Report& report, std::integer_sequence<int, I...>) {
    (check_case<List, I>(report), ...);
}
/// List: a type with an array `cases`.
template <class List> void check_list(Report& report) {
    check_cases<List>(report, std::make_integer_sequence<int, static_cast<int>(std::size(List::cases))>{});
}

} // namespace tarn_bench
