// SPDX-License-Identifier: MIT
// Compares a Model of UpTo at some counts of rows with the Models of just these counts: bit for bit, arena poisoned and
// guarded, without an allocation; in place as well.
// Used by tests of UpTo. Knows the public face only.
#pragma once

#include "support/model_check.hpp"

#include <tarn/run/up_to.hpp>

namespace tarn_test {

template <class TheShape, int Rows> struct WithRows;
template <int First, int... Rest, int Rows> struct WithRows<tarn::Shape<First, Rest...>, Rows> {
    using type = tarn::Shape<Rows, Rest...>;
};

template <class Net, class TheShape, class Device, class Policy> class UpToCheck {
    using Counted = tarn::Model<Net, tarn::UpTo<TheShape>, Device, Policy>;

  public:
    explicit UpToCheck(unsigned seed)
        : parameters_(seed), weights_(packed<Counted>(parameters_.pointers())), session_(*weights_, arena_.bytes()),
          owning_(*weights_, owned_.bytes()), input_(random_floats(TheShape::elems, seed + 1)) {
        static_assert(tarn::validate<typename Counted::template PlanOf<false>>());
        static_assert(tarn::validate<typename Counted::template PlanOf<true>>());
    }

    template <int Rows> void at() {
        using In = typename WithRows<TheShape, Rows>::type;
        INFO("rows: " << Rows << ", on " << session_.instruction_set());
        const std::span<const float> rows(input_.data(), In::elems);
        arena_.poison();
        owned_.poison();
        std::copy(rows.begin(), rows.end(), owning_.input().begin());
        tarn::Checked<std::span<const float>> made(tarn::SizeError::empty), in_place = made;
        CHECK(calls_to_memory_of([&] {
                  made = session_.forward(rows);
                  in_place = owning_.forward_in_place(Rows);
              }) == 0);
        CHECK(arena_.intact());
        CHECK(owned_.intact());
        if constexpr (tarn::Accepts<Net, In>) {
            REQUIRE(made);
            REQUIRE(in_place);
            using Fixed = tarn::Model<Net, In, Device, tarn::WholeTensors<tarn::Smallest>>;
            const auto weights = packed<Fixed>(parameters_.pointers());
            const auto fixed = std::make_unique<typename Fixed::Session>(*weights);
            fixed->forward(std::span<const float, In::elems>{rows});
            [&]<int... I>(std::integer_sequence<int, I...>) {
                (check_output(fixed->template output<I>(), session_.template output<I>(), owning_.template output<I>()),
                 ...);
            }
            (std::make_integer_sequence<int, Fixed::output_count>{});
            CHECK(made->data() == session_.output().data());
        } else {
            const auto rule = tarn::flatten<Net, In>().fault.rule;
            const bool window =
                rule == tarn::Rule::conv_window || rule == tarn::Rule::pool_window || rule == tarn::Rule::frames_window;
            CHECK(made.error() == (window ? tarn::SizeError::too_small : tarn::SizeError::uneven));
            CHECK(in_place.error() == made.error());
        }
    }

  private:
    static void check_output(std::span<const float> fixed, std::span<const float> made,
                             std::span<const float> in_place) {
        CHECK(made.size() == fixed.size());
        CHECK(std::equal(made.begin(), made.end(), fixed.begin(), fixed.end(), same_float));
        CHECK(std::equal(in_place.begin(), in_place.end(), fixed.begin(), fixed.end(), same_float));
    }
    static bool same_float(float a, float b) { return std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b); }

    RandomParameters<Net> parameters_;
    std::unique_ptr<typename Counted::Weights> weights_;
    GuardedArena<Counted::arena_bytes> arena_;
    GuardedArena<Counted::arena_bytes_in_place> owned_;
    typename Counted::BorrowedSession session_;
    typename Counted::BorrowedInPlaceSession owning_;
    std::vector<float> input_;
};

/// At the given counts, in the order given: sizes of calls may change either way.
template <class Net, class TheShape, int... Rows, class Device = tarn::Cpu<tarn::cpu::Baseline>,
          class Policy = tarn::Smallest>
void check_up_to(unsigned seed, std::integer_sequence<int, Rows...>, Device = {}, Policy = {}) {
    const auto check = std::make_unique<UpToCheck<Net, TheShape, Device, Policy>>(seed);
    (check->template at<Rows>(), ...);
}
template <int... Rows> inline constexpr std::integer_sequence<int, Rows...> counts{};

} // namespace tarn_test
