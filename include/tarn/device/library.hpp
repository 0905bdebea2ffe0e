// SPDX-License-Identifier: MIT
// Linear and 1x1 layers by cuBLASLt: descriptors and algorithms chosen once, each forward one call a layer; and what a
// model holds of any vendor's library. Under launch_order.hpp, beside dnn.hpp.
// Knows a step's Op, its places and cuBLASLt; nothing of own kernels.
#pragma once

#include <tarn/device/status.hpp>
#include <tarn/run/network_launch.hpp>

#include <cublasLt.h>

#include <cstdint>
#include <new>
#include <tuple>

namespace tarn::cuda::launching {

inline Status library_status(cublasStatus_t answer, const char* call) noexcept {
    if (answer == CUBLAS_STATUS_SUCCESS) return {};
    return {static_cast<int>(answer), call, cublasLtGetStatusString(answer)};
}

/// The largest power of two, 256 at most, that an address at so many floats from an aligned one is a multiple of.
constexpr std::uint32_t alignment_at(std::size_t floats) noexcept {
    std::uint32_t bytes = device_alignment;
    while (floats * sizeof(float) % bytes != 0) bytes /= 2;
    return bytes;
}

constexpr cublasComputeType_t compute_type(Factor factor) noexcept {
    switch (factor) {
    case Factor::tf32:
        return CUBLAS_COMPUTE_32F_FAST_TF32;
    case Factor::bf16:
        return CUBLAS_COMPUTE_32F_FAST_16BF;
    case Factor::f16:
        return CUBLAS_COMPUTE_32F_FAST_16F;
    default:
        return CUBLAS_COMPUTE_32F;
    }
}

/// What of a dense step's epilogue cuBLASLt has: bias, sum and ReLU. Other activations follow by a kernel of ours.
constexpr bool in_library_epilogue(Activation act) noexcept {
    return act == Activation::none || act == Activation::relu;
}

/// Step S of a model as y = act(x w + bias + other). cuBLASLt counts columns first: y^T [columns, rows] = w^T x^T, so
/// that nothing is transposed.
template <class TheModel, int S> class LibraryProduct {
    using Step = DeviceStep<TheModel, S>;
    using G = DenseGeometry<kernel_key(Step::step.op)>;
    static constexpr bool adds = G::adds;

  public:
    Status open(cublasLtHandle_t handle, float*, const void* weights) noexcept {
        const auto& packed = *static_cast<const typename TheModel::Weights*>(weights);
        const auto& mine = static_cast<const tarn::detail::WeightSlot<Step::slot, typename G::Packed>&>(packed);
        weight_ = &mine.weight[0][0][0];
        const void* const bias = &mine.bias[0][0];
        const cublasLtEpilogue_t epilogue =
            G::act == Activation::relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
        constexpr auto columns = static_cast<std::uint64_t>(G::columns), rows = static_cast<std::uint64_t>(G::rows);
        constexpr auto depth = static_cast<std::uint64_t>(G::depth);

        Status status =
            library_status(cublasLtMatmulDescCreate(&product_, compute_type(TheModel::Device::factor), CUDA_R_32F),
                           "cublasLtMatmulDescCreate");
        if (status.ok()) status = set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
        if (status.ok()) status = set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
        if (status.ok()) status = lay(weight_layout_, columns, depth, G::column_pitch);
        if (status.ok()) status = lay(in_layout_, depth, rows, G::in_pitch);
        if (status.ok()) status = lay(out_layout_, columns, rows, G::out_pitch);
        if (status.ok()) status = lay(other_layout_, columns, rows, adds ? G::other_pitch : G::out_pitch);
        return status.ok() ? choose(handle) : status;
    }
    Status enqueue(cublasLtHandle_t handle, float* arena, cudaStream_t stream) const noexcept {
        const float one = 1.F, zero = 0.F;
        float* const out = arena + Step::out_at;
        const float* const other = adds ? arena + Step::other_at : out;
        void* const workspace = reinterpret_cast<unsigned char*>(arena) + TheModel::workspace_at;
        return library_status(cublasLtMatmul(handle, product_, &one, weight_, weight_layout_, arena + Step::in_at,
                                             in_layout_, adds ? &one : &zero, other, other_layout_, out, out_layout_,
                                             &algorithm_, workspace, TheModel::workspace_bytes, stream),
                              "cublasLtMatmul");
    }
    void close() noexcept {
        if (product_ != nullptr) static_cast<void>(cublasLtMatmulDescDestroy(product_));
        for (cublasLtMatrixLayout_t* layout : {&weight_layout_, &in_layout_, &other_layout_, &out_layout_}) {
            if (*layout != nullptr) static_cast<void>(cublasLtMatrixLayoutDestroy(*layout));
            *layout = nullptr;
        }
        product_ = nullptr;
    }

  private:
    template <class T> Status set(cublasLtMatmulDescAttributes_t what, const T& value) noexcept {
        return library_status(cublasLtMatmulDescSetAttribute(product_, what, &value, sizeof value),
                              "cublasLtMatmulDescSetAttribute");
    }
    static Status lay(cublasLtMatrixLayout_t& layout, std::uint64_t down, std::uint64_t across, int pitch) noexcept {
        return library_status(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, down, across, pitch),
                              "cublasLtMatrixLayoutCreate");
    }
    /// The first algorithm of its heuristics that is content with the workspace and with how operands lie.
    Status choose(cublasLtHandle_t handle) noexcept {
        cublasLtMatmulPreference_t wish = nullptr;
        Status status = library_status(cublasLtMatmulPreferenceCreate(&wish), "cublasLtMatmulPreferenceCreate");
        if (!status.ok()) return status;
        const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) {
            if (status.ok())
                status = library_status(cublasLtMatmulPreferenceSetAttribute(wish, what, &value, sizeof value),
                                        "cublasLtMatmulPreferenceSetAttribute");
        };
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{TheModel::workspace_bytes});
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, std::uint32_t{device_alignment});
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_at(Step::in_at));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_at(adds ? Step::other_at : Step::out_at));
        prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_at(Step::out_at));
        cublasLtMatmulHeuristicResult_t found{};
        int count = 0;
        if (status.ok())
            status = library_status(cublasLtMatmulAlgoGetHeuristic(handle, product_, weight_layout_, in_layout_,
                                                                   other_layout_, out_layout_, wish, 1, &found, &count),
                                    "cublasLtMatmulAlgoGetHeuristic");
        if (status.ok() && count == 0)
            status = library_status(CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmulAlgoGetHeuristic");
        algorithm_ = found.algo;
        static_cast<void>(cublasLtMatmulPreferenceDestroy(wish));
        return status;
    }

    const float* weight_ = nullptr;
    cublasLtMatmulDesc_t product_ = nullptr;
    cublasLtMatrixLayout_t weight_layout_ = nullptr, in_layout_ = nullptr, other_layout_ = nullptr,
                           out_layout_ = nullptr;
    cublasLtMatmulAlgo_t algorithm_{};
};

/// Who does a step: a kernel of ours, cuBLASLt, or a library of convolutions.
enum class Doer { own, product, convolution };

template <class TheModel, int S> constexpr Doer doer_of() noexcept {
    if constexpr (!TheModel::template by_library<S>)
        return Doer::own;
    else if constexpr (TheModel::Device::template convolution<TheModel::steps.steps[S].op>)
        return Doer::convolution;
    else
        return Doer::product;
}

/// cuBLASLt as a Vendor: its handle and what it does of a step.
struct Products {
    using Handle = cublasLtHandle_t;
    template <class TheModel, int S> using Call = LibraryProduct<TheModel, S>;
    static constexpr Doer doer = Doer::product;

    static Status open(Handle& handle) noexcept { return library_status(cublasLtCreate(&handle), "cublasLtCreate"); }
    static void close(Handle handle) noexcept { static_cast<void>(cublasLtDestroy(handle)); }
};
/// cuDNN as a Vendor. Defined in dnn.hpp, which a file that instantiates Launches of LibraryWithDnn includes.
struct Convolutions;

/// A step that another does.
struct NoCall {
    template <class Handle> Status open(Handle, float*, const void*) noexcept { return {}; }
    void close() noexcept {}
};
template <class Vendor, class TheModel, int S, bool Calls> struct ToCall { using type = NoCall; };
template <class Vendor, class TheModel, int S> struct ToCall<Vendor, TheModel, S, true> {
    using type = typename Vendor::template Call<TheModel, S>;
};

template <class Vendor, class TheModel, class Steps> class VendorSteps;
/// What one library does of a model, and the handle its calls share. On the heap, made by open and not touched after
/// it.
template <class Vendor, class TheModel, int... S>
class VendorSteps<Vendor, TheModel, std::integer_sequence<int, S...>> {
  public:
    static Status open(void*& made, float* arena, const void* weights) noexcept {
        auto* const all = new (std::nothrow) VendorSteps;
        if (all == nullptr) return Status::of(cudaErrorMemoryAllocation, "operator new");
        made = all;
        Status status = Vendor::open(all->handle_);
        if (status.ok())
            static_cast<void>((... && (status = std::get<S>(all->calls_).open(all->handle_, arena, weights)).ok()));
        return status;
    }
    static void close(void*& made) noexcept {
        auto* const all = static_cast<VendorSteps*>(made);
        if (all == nullptr) return;
        (std::get<S>(all->calls_).close(), ...);
        if (all->handle_ != nullptr) Vendor::close(all->handle_);
        delete all;
        made = nullptr;
    }
    template <int Step> static Status enqueue(const void* made, float* arena, cudaStream_t stream) noexcept {
        const auto* const all = static_cast<const VendorSteps*>(made);
        return std::get<Step>(all->calls_).enqueue(all->handle_, arena, stream);
    }

  private:
    typename Vendor::Handle handle_ = nullptr;
    std::tuple<typename ToCall<Vendor, TheModel, S, doer_of<TheModel, S>() == Vendor::doer>::type...> calls_;
};

} // namespace tarn::cuda::launching
