// SPDX-License-Identifier: MIT
// Numbers where other libraries went wrong: softmax of far logits, and weights that drifted.
// Answers computed by hand.
// Knows the public face only.
#include "cases/answer.hpp"

#include <cstdint>

using namespace tarn;
using tarn_test::answer;
using Values = std::vector<float>;

TEST_CASE("softmax of logits around minus three million", "[cases]") {
    const Values found =
        answer<Softmax, Shape<6>>({-3056833.F, -3053894.5F, -3058091.F, -3056993.2F, -3053893.5F, -3062269.5F});
    const Values wanted{0.F, 0.268941F, 0.F, 0.F, 0.731059F, 0.F};
    CHECK(tarn_test::worst_difference(wanted, found) <= 1e-6);
}

TEST_CASE("softmax of large logits has no infinity in it", "[cases]") {
    const Values found = answer<Softmax, Shape<5>>({378.1F, 300.F, -378.1F, 378.F, 0.F});
    double sum = 0.0;
    for (const float value : found) {
        CHECK(std::isfinite(value));
        sum += static_cast<double>(value);
    }
    CHECK(std::abs(sum - 1.0) <= 1e-6);
}

TEST_CASE("softmax of a row does not change when all its logits move by 10000", "[cases]") {
    const Values found = answer<Softmax, Shape<2, 4>>({0, 1, 2, 3, 10000, 10001, 10002, 10003});
    const Values row{0.0320586F, 0.0871443F, 0.2368828F, 0.6439143F};
    Values wanted = row;
    wanted.insert(wanted.end(), row.begin(), row.end());
    CHECK(tarn_test::worst_difference(wanted, found) <= 1e-6);
}

TEST_CASE("the same input a thousand times gives the same bits and leaves the weights alone", "[cases]") {
    using Net =
        Sequential<Conv2d<3, 17, Kernel<3>, Padding<1>>, BatchNorm2d<17>, SiLU, MaxPool2d<2>,
                   Residual<Conv2d<17, 17, Kernel<3>, Padding<1>, Groups<17>>>, Flatten, Linear<153, 9>, Softmax>;
    using In = Shape<6, 7, 3>;
    using M = Model<Net, In>;
    const tarn_test::RandomParameters<Net> parameters(1);
    const auto weights = tarn_test::packed<M>(parameters.pointers());
    const auto checksum = [&] {
        std::uint64_t hash = 14695981039346656037U;
        const auto* const bytes = reinterpret_cast<const unsigned char*>(weights.get());
        for (std::size_t i = 0; i < M::weight_bytes; ++i) hash = (hash ^ bytes[i]) * 1099511628211U;
        return hash;
    };
    const Values input = tarn_test::random_floats(In::elems, 2);
    const std::span<const float, In::elems> x{input.data(), In::elems};

    const std::uint64_t before = checksum();
    const auto session = std::make_unique<M::Session>(*weights);
    const auto in_place = std::make_unique<M::InPlaceSession>(*weights);
    const auto given = session->forward(x);
    const Values first(given.begin(), given.end());
    int differing = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto again = session->forward(x);
        differing += std::memcmp(again.data(), first.data(), sizeof(float) * first.size()) != 0;
        std::copy(input.begin(), input.end(), in_place->input().begin());
        const auto owned = in_place->forward_in_place();
        differing += std::memcmp(owned.data(), first.data(), sizeof(float) * first.size()) != 0;
    }
    CHECK(differing == 0);
    CHECK(checksum() == before);
}
