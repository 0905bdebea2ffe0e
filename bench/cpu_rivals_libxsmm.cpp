// SPDX-License-Identifier: MIT
// Rival of cpu_bench: libxsmm, which writes a kernel for each small matrix product when the program runs.
// Matrix products without a bias, as far as it takes them.
// Knows the interface of rivals.hpp only.
#include "rivals.hpp"

#include <libxsmm.h>

namespace tarn_bench {
namespace {

void add(const Problem& p, std::vector<Contender>& to) {
    if (p.op.kind != tarn::OpKind::linear || p.m() == 1) return;
    const libxsmm_blasint m = p.m(), n = p.n(), k = p.k();
    const float alpha = 1.F, beta = 0.F;
    // Its matrices go down the columns: out^T [N, M] = weights^T [N, K] times x^T [K, M].
    const libxsmm_smmfunction kernel = libxsmm_smmdispatch(n, m, k, &n, &k, &n, &alpha, &beta, nullptr, nullptr);
    if (kernel == nullptr) return;
    const auto weights = transposed(p.parameters[0], n, k, p.pages);
    const auto out = std::make_shared<Buffer>(p.op.out.elems(), p.pages);
    Contender made = contender(
        "libxsmm", [=, x = p.input] { kernel(weights->data(), x, out->data()); }, out);
    made.result = with_bias(made.result, p);
    to.push_back(std::move(made));
}

[[maybe_unused]] const bool added = add_rival({"libxsmm", add});

} // namespace
} // namespace tarn_bench
