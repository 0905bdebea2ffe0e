// SPDX-License-Identifier: MIT
// Rivals of cpu_bench: OpenBLAS and BLIS, which export the same names and are therefore opened at run time, apart.
// Matrix products without a bias; of both orders in which a matrix can lie, the faster counts.
// Knows the interface of rivals.hpp only.
#include "rivals.hpp"

#include <dlfcn.h>

namespace tarn_bench {
namespace {

enum Order : int { row_major = 101 };
enum Transpose : int { as_is = 111, transposed_matrix = 112 };

struct Blas {
    void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                  const float* b, int ldb, float beta, float* c, int ldc) = nullptr;
    void (*sgemv)(int order, int trans, int m, int n, float alpha, const float* a, int lda, const float* x, int incx,
                  float beta, float* y, int incy) = nullptr;

    explicit Blas(std::initializer_list<const char*> files) {
        for (const char* file : files) {
            void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
            if (library == nullptr) continue;
            sgemm = reinterpret_cast<decltype(sgemm)>(dlsym(library, "cblas_sgemm"));
            sgemv = reinterpret_cast<decltype(sgemv)>(dlsym(library, "cblas_sgemv"));
            return;
        }
    }
    bool works() const { return sgemm != nullptr && sgemv != nullptr; }
};

void add(const char* name, const Blas& blas, const Problem& p, std::vector<Contender>& to) {
    if (p.op.kind != tarn::OpKind::linear) return;
    const int m = p.m(), n = p.n(), k = p.k();
    const float* const x = p.input;
    const float* const by_output = p.parameters[0];
    const auto by_input = transposed(by_output, n, k, p.pages);
    const auto out = std::make_shared<Buffer>(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), p.pages);
    float* const y = out->data();
    const auto add_way = [&](const auto& once) {
        Contender made = contender(name, once, out);
        made.result = with_bias(made.result, p);
        to.push_back(std::move(made));
    };
    if (m == 1) {
        add_way([=] { blas.sgemv(row_major, as_is, n, k, 1.F, by_output, k, x, 1, 0.F, y, 1); });
        add_way([=] { blas.sgemv(row_major, transposed_matrix, k, n, 1.F, by_input->data(), n, x, 1, 0.F, y, 1); });
    } else {
        add_way([=] { blas.sgemm(row_major, as_is, as_is, m, n, k, 1.F, x, k, by_input->data(), n, 0.F, y, n); });
    }
}

bool add_blas(const char* name, const Blas& (*blas)()) {
    return add_rival({name, [=](const Problem& p, std::vector<Contender>& to) { add(name, blas(), p, to); },
                      [=] { return blas().works(); }});
}
const Blas& openblas() {
    static const Blas opened{"openblas-pthread/libopenblas.so.0", "libopenblas.so.0"};
    return opened;
}
const Blas& blis() {
    static const Blas opened{"libblis.so.4"};
    return opened;
}

[[maybe_unused]] const bool added = add_blas("OpenBLAS", openblas) && add_blas("BLIS", blis);

} // namespace
} // namespace tarn_bench
