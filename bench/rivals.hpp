// SPDX-License-Identifier: MIT
// Rivals behind one interface: a single layer as a Problem in, Contenders that can be timed and asked for a result out.
// Between the rows of cpu_bench and the translation unit of each library (cpu_rivals_*.cpp), which registers itself.
// Knows Ops; nothing of tarn's kernels, of timing or of how figures are printed.
#pragma once

#include <tarn/nn/op.hpp>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace tarn_bench {

enum class Pages { small, huge };

/// Floats on a cache line's boundary, on pages of 2 MiB where that is asked and the system grants it; zeros at first.
/// Buffers begin at different places in a page, as in an arena: equal ones would share cache sets and look alike to
/// loads and stores.
class Buffer {
  public:
    explicit Buffer(std::size_t elems, Pages pages = Pages::small) : elems_(elems) {
        static std::size_t made = 0;
        const std::size_t unit = pages == Pages::huge ? std::size_t{2} << 20 : 4096;
        const std::size_t skipped = made++ * 17 % 64 * 16; // lines of 16 floats
        const std::size_t bytes = ((skipped + elems) * sizeof(float) + unit) / unit * unit;
        memory_.reset(static_cast<float*>(std::aligned_alloc(unit, bytes)));
        if (memory_ == nullptr) std::abort();
        madvise(memory_.get(), bytes, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        for (std::size_t i = 0; i < bytes / sizeof(float); ++i) memory_.get()[i] = 0.F;
        floats_ = memory_.get() + skipped;
    }
    float* data() const { return floats_; }
    std::size_t size() const { return elems_; }

  private:
    struct Free {
        void operator()(float* memory) const { std::free(memory); }
    };
    std::unique_ptr<float, Free> memory_;
    float* floats_;
    std::size_t elems_;
};

/// One layer, batch 1. Tensors as tarn has them: images [H, W, C], matrices [M, K], sequences [T, F].
struct Problem {
    tarn::Op op{}; ///< extents, window, groups, fused activation
    const float* input = nullptr;
    /// PyTorch's layout, in the order of the layer's parameters; a recurrent layer is followed by a linear layer to one
    /// output, whose weight and bias come last.
    std::vector<const float*> parameters{};
    Pages pages = Pages::small;
    const float* other = nullptr; ///< the second input of a sum, as large as the first

    bool bias() const { return parameters.size() > 1; }
    int m() const { return static_cast<int>(op.in.rows()); }
    int n() const { return op.out.last(); }
    int k() const { return op.in.last(); }
};

/// Somebody who can do a Problem. Owns what it needs, the prepared weights included.
struct Contender {
    std::string name;
    std::function<void(int)> run{}; ///< does the layer that many times
    std::function<void(float*)>
        result{}; ///< does it once and writes the output in tarn's layout; none where it eats its input
};

/// A library: adds its contenders under its name, none where it has nothing for the Problem; where it knows several
/// ways it adds each, and the best of them counts. A library may stand on the list more than once.
struct Rival {
    std::string name;
    std::function<void(const Problem&, std::vector<Contender>&)> prepare;
    std::function<bool()> is_here = [] { return true; }; ///< asked where a library is opened at run time
};

/// The rivals that this program was built with; filled before main begins.
inline std::vector<Rival>& rivals() {
    static std::vector<Rival> list;
    return list;
}
inline bool add_rival(Rival rival) {
    rivals().push_back(std::move(rival));
    return true;
}

/// Keeps a compiler from moving or merging runs.
inline void next_run() { __asm__ volatile("" ::: "memory"); }

/// A contender from a function that does the layer once and the output that it leaves, in tarn's layout; keeps that.
template <class Once> Contender contender(std::string name, Once once, std::shared_ptr<Buffer> out) {
    return {std::move(name),
            [once, out](int times) {
                for (int i = 0; i < times; ++i) {
                    once();
                    next_run();
                }
            },
            [once, out](float* to) {
                once();
                for (std::size_t i = 0; i < out->size(); ++i) to[i] = out->data()[i];
            }};
}

/// The same on a buffer that is input and output.
template <class Once> Contender contender_in_place(std::string name, Once once, std::shared_ptr<Buffer> values) {
    Contender made = contender(std::move(name), once, std::move(values));
    made.result = nullptr;
    return made;
}
/// A copy of a Problem's input to be overwritten.
inline std::shared_ptr<Buffer> copied_input(const Problem& p) {
    auto made = std::make_shared<Buffer>(p.op.in.elems(), p.pages);
    for (std::size_t i = 0; i < made->size(); ++i) made->data()[i] = p.input[i];
    return made;
}

/// The bias of a linear layer, added to a result of somebody who was timed without it.
inline std::function<void(float*)> with_bias(std::function<void(float*)> result, const Problem& p) {
    if (!p.bias()) return result;
    return [result, bias = p.parameters[1], m = p.m(), n = p.n()](float* to) {
        result(to);
        for (int i = 0; i < m * n; ++i) to[i] += bias[i % n];
    };
}

/// [O, I] as [I, O].
inline std::shared_ptr<Buffer> transposed(const float* weight, int outputs, int inputs, Pages pages) {
    auto made = std::make_shared<Buffer>(static_cast<std::size_t>(outputs) * static_cast<std::size_t>(inputs), pages);
    for (std::ptrdiff_t o = 0; o < outputs; ++o)
        for (std::ptrdiff_t i = 0; i < inputs; ++i) made->data()[i * outputs + o] = weight[o * inputs + i];
    return made;
}

} // namespace tarn_bench
