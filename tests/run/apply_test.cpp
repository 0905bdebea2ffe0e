// SPDX-License-Identifier: MIT
// Tensors moved through modules one by one, in one storage: shapes consumed, bytes reused, results as the reference's.
// The original proposal's form. Knows the public face only.
#include "support/model_check.hpp"

using namespace tarn;

namespace {

/// Applies one module and compares with the reference on the same input.
template <class Module, class In, std::size_t N, std::size_t At>
auto through(CpuTensor<In, Capacity<N, At>>&& x, unsigned seed) {
    const tarn_test::RandomParameters<Module> parameters(seed);
    const auto weights = tarn_test::packed<Model<Module, In>>(parameters.pointers());
    const std::vector<float> kept(x.elements().begin(), x.elements().end());
    const auto expected =
        reference_forward<Module, In>(std::span<const float, In::elems>{kept.data(), In::elems}, parameters.pointers());
    auto y = apply<Module>(std::move(x), *weights);
    CHECK(x.storage() == nullptr);
    CHECK(tarn_test::worst_difference(expected, y.elements()) <= 1e-5);
    return y;
}

} // namespace

TEST_CASE("a convolutional network in one storage of its largest tensor") {
    tarn_test::GuardedArena<1024 * sizeof(float)> memory;
    BorrowedArena<1024 * sizeof(float)> arena(memory.bytes());
    CpuTensor<Shape<8, 8, 1>, Capacity<1024>> image(arena);
    const std::vector<float> pixels = tarn_test::random_floats(64, 1);
    std::copy(pixels.begin(), pixels.end(), image.elements().begin());
    float* const storage = image.storage();

    // 64 elements at the low end become 1024 in all of it: the last output rows are made first.
    auto a = through<Sequential<Conv2d<1, 16, Kernel<3>, Padding<1>>, ReLU>>(
        CpuTensor<Shape<8, 8, 1>, Capacity<1024>>(std::move(image)), 2);
    STATIC_REQUIRE(std::is_same_v<decltype(a)::Extents, Shape<8, 8, 16>>);
    auto b = through<MaxPool2d<2>>(std::move(a), 3);
    auto c = through<Sequential<Conv2d<16, 32, Kernel<3>, Padding<1>>, ReLU>>(std::move(b), 4);
    auto d = through<MaxPool2d<2>>(std::move(c), 5);
    auto e = through<FlattenChannelsLast>(std::move(d), 6);
    auto f = through<Linear<128, 10>>(std::move(e), 7);
    auto g = through<Softmax>(through<LayerNorm<10>>(std::move(f), 9), 8);
    CHECK(g.storage() == storage);
    STATIC_REQUIRE(std::is_same_v<decltype(g)::Extents, Shape<10>>);
    CHECK(memory.intact());
}

TEST_CASE("rows of their own: a row's output overwrites that row's input and nothing else") {
    constexpr std::size_t rows = 29, pitch = 80;
    tarn_test::GuardedArena<rows * pitch * sizeof(float)> memory;
    BorrowedArena<rows * pitch * sizeof(float)> arena(memory.bytes());
    CpuTensor<Shape<rows, 48>, PerRow<pitch>> x(arena);
    const std::vector<float> values = tarn_test::random_floats(rows * 48, 11);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(values.begin() + std::ptrdiff_t(r * 48), 48, x.row(r).begin());
    float* const storage = x.storage();

    using Net = Sequential<Linear<48, 72>, SiLU, Linear<72, 10>, LayerNorm<10>, Softmax>;
    const tarn_test::RandomParameters<Net> parameters(12);
    const auto all = parameters.pointers();
    const auto expected =
        reference_forward<Net, Shape<rows, 48>>(std::span<const float, rows * 48>{values.data(), rows * 48}, all);
    const auto wide = tarn_test::packed<Model<Linear<48, 72>, Shape<rows, 48>>>(all.subspan(0, 2));
    const auto narrow = tarn_test::packed<Model<Linear<72, 10>, Shape<rows, 72>>>(all.subspan(2, 2));
    const auto scaled = tarn_test::packed<Model<LayerNorm<10>, Shape<rows, 10>>>(all.subspan(4, 2));
    const Model<SiLU, Shape<rows, 72>>::Weights nothing{};
    const Model<Softmax, Shape<rows, 10>>::Weights nothing_either{};

    auto y = apply<Linear<48, 72>>(std::move(x), *wide);
    auto z = apply<Linear<72, 10>>(apply<SiLU>(std::move(y), nothing), *narrow);
    auto p = apply<Softmax>(apply<LayerNorm<10>>(std::move(z), *scaled), nothing_either);
    for (std::size_t r = 0; r < rows; ++r) {
        CHECK(p.row(r).data() == storage + r * pitch);
        for (std::size_t i = 0; i < 10; ++i)
            CHECK(std::abs(static_cast<double>(p.row(r)[i]) - expected[r * 10 + i]) <= 1e-6);
        CHECK(std::isnan(storage[r * pitch + 72])); // past the widest row nothing was ever written
    }
    CHECK(memory.intact());
}
