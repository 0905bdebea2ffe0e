// SPDX-License-Identifier: MIT
// The second unit: the same model, perhaps compiled for another instruction set.
// Called by main.cpp when the processor has what this file was compiled for.
// Knows the public face only.
#include "../digits.hpp"

bool other_unit_is_right(const char*& instruction_set) {
    using consumer::Digits;
    static Digits::Weights weights;
    Digits::pack(weights, consumer::parameters);
    static Digits::InPlaceSession session{weights};
    for (std::size_t i = 0; i < consumer::image.size(); ++i) session.input()[i] = consumer::image[i];
    instruction_set = session.instruction_set();
    return consumer::right(session.forward_in_place());
}
