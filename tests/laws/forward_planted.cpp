// SPDX-License-Identifier: MIT
// The planted violations beside forward_only.cpp: a forward next to what it must never do, one kind a definition.
// object_imports.py must refuse the object file of each.
// Knows the public face only.
#include "laws/networks.hpp"

#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <vector>

using M = tarn::Model<tarn_test::TwoReaders::Net, tarn_test::TwoReaders::In>;

#if defined(PLANT_ALLOCATION)
float planted(M::Session& session, std::span<const float, M::Input::elems> input) {
    const std::vector<float> copy(input.begin(), input.end());
    return session.forward(std::span<const float, M::Input::elems>{copy.data(), M::Input::elems})[0];
}
#elif defined(PLANT_LOCK)
float planted(M::Session& session, std::span<const float, M::Input::elems> input, std::mutex& mutex) {
    const std::lock_guard lock(mutex);
    return session.forward(input)[0];
}
#elif defined(PLANT_THROW)
float planted(M::Session& session, std::span<const float, M::Input::elems> input) {
    const float first = session.forward(input)[0];
    if (first < 0.F) throw std::domain_error("negative");
    return first;
}
#elif defined(PLANT_STDIO)
float planted(M::Session& session, std::span<const float, M::Input::elems> input) {
    const float first = session.forward(input)[0];
    std::printf("%f\n", static_cast<double>(first));
    return first;
}
#else
#error "name the kind to plant"
#endif
