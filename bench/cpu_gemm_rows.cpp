// SPDX-License-Identifier: MIT
// Rows of cpu_bench: matrix products and matrix-vector products.
// Shapes and gates are those of the project's performance anchors: cubes, and layers of transformers and small nets.
// Knows names of layers only.
#include "cpu_layer.hpp"

namespace tarn_bench {
namespace {

/// [M, K] times [K, N].
template <int M, int N, int K> constexpr auto gemm = SingleLayer<Linear<K, N>, Shape<M, K>>::make;
template <int N, int K, Pages P = Pages::small> constexpr auto gemv = SingleLayer<Linear<K, N>, Shape<K>, P>::make;

constexpr Gate tiny = peak(75, 95, "libxsmm", 1.1), usual = peak(80, 90);
constexpr Gate none{};

[[maybe_unused]] const bool added = add_rows({
    {100, "gemm", "gemm 16x16x16", tiny, gemm<16, 16, 16>},
    {101, "gemm", "gemm 32x32x32", tiny, gemm<32, 32, 32>},
    {102, "gemm", "gemm 64x64x64", usual, gemm<64, 64, 64>},
    {103, "gemm", "gemm 128x128x128", usual, gemm<128, 128, 128>},
    {104, "gemm", "gemm 256x256x256", usual, gemm<256, 256, 256>},
    {105, "gemm", "gemm 512x512x512", usual, gemm<512, 512, 512>},
    {106, "gemm", "gemm 1024x1024x1024", none, gemm<1024, 1024, 1024>},
    {107, "gemm", "gemm 8x768x768", none, gemm<8, 768, 768>},
    {108, "gemm", "gemm 32x768x768", none, gemm<32, 768, 768>},
    {109, "gemm", "gemm 128x768x768", none, gemm<128, 768, 768>},
    {110, "gemm", "gemm 6x16x64", usual, gemm<6, 16, 64>},
    {111, "gemm", "gemm 24x64x64", usual, gemm<24, 64, 64>},
    {112, "gemm", "gemm 196x256x1024", usual, gemm<196, 256, 1024>},
    {113, "gemm", "gemm 3136x256x64", usual, gemm<3136, 256, 64>},
    {200, "gemv", "gemv 512x512", bandwidth(85, 100), gemv<512, 512>},
    {201, "gemv", "gemv 4096x1024", bandwidth(85, 100), gemv<4096, 1024>},
    {202, "gemv", "gemv 1024x4096", bandwidth(85, 100), gemv<1024, 4096>},
    {203, "gemv", "gemv 4096x1024 huge pages", bandwidth(85, 140), gemv<4096, 1024, Pages::huge>},
    {204, "gemv", "gemv 1024x4096 huge pages", bandwidth(85, 140), gemv<1024, 4096, Pages::huge>},
});

} // namespace
} // namespace tarn_bench
