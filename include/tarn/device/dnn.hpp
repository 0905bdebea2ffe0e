// SPDX-License-Identifier: MIT
// Convolutions by cuDNN's graph API: one operation a plan, engines chosen and places bound once, each forward one call.
// For files that instantiate Launches of LibraryWithDnn; the only header of tarn's that wants cudnn.h.
// Knows a step's Op, its places and cuDNN; nothing of own kernels.
#pragma once

#include <tarn/cuda/filter.hpp>
#include <tarn/device/library.hpp>

#include <cudnn.h>

#include <utility>

namespace tarn::cuda::launching {

inline Status dnn_status(cudnnStatus_t answer, const char* call) noexcept {
    if (answer == CUDNN_STATUS_SUCCESS) return {};
    return {static_cast<int>(answer), call, cudnnGetErrorString(answer)};
}
/// What cuDNN could do and we cannot have.
inline Status dnn_refused() noexcept {
    return {static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED), "Session::open",
            "no engine of cuDNN's does this convolution as it lies and in the workspace there is"};
}

/// How cuDNN's attributes name a type of values.
template <class T> struct DnnType;
template <> struct DnnType<cudnnHandle_t> { static constexpr auto name = CUDNN_TYPE_HANDLE; };
template <> struct DnnType<cudnnDataType_t> { static constexpr auto name = CUDNN_TYPE_DATA_TYPE; };
template <> struct DnnType<std::int64_t> { static constexpr auto name = CUDNN_TYPE_INT64; };
template <> struct DnnType<float> { static constexpr auto name = CUDNN_TYPE_FLOAT; };
template <> struct DnnType<cudnnConvolutionMode_t> { static constexpr auto name = CUDNN_TYPE_CONVOLUTION_MODE; };
template <> struct DnnType<cudnnBackendHeurMode_t> { static constexpr auto name = CUDNN_TYPE_HEUR_MODE; };
template <> struct DnnType<cudnnBackendNumericalNote_t> { static constexpr auto name = CUDNN_TYPE_NUMERICAL_NOTE; };
template <> struct DnnType<cudnnBackendBehaviorNote_t> { static constexpr auto name = CUDNN_TYPE_BEHAVIOR_NOTE; };

/// A descriptor of the graph API, and the first call about it that failed: what follows that one is left out.
class DnnDescriptor {
  public:
    DnnDescriptor() noexcept = default;
    explicit DnnDescriptor(cudnnBackendDescriptorType_t type) noexcept { create(type); }
    DnnDescriptor(const DnnDescriptor&) = delete;
    DnnDescriptor& operator=(const DnnDescriptor&) = delete;
    ~DnnDescriptor() { reset(); }

    DnnDescriptor& create(cudnnBackendDescriptorType_t type) noexcept {
        reset();
        status_ = dnn_status(cudnnBackendCreateDescriptor(type, &made_), "cudnnBackendCreateDescriptor");
        return *this;
    }
    template <class T, std::size_t Count>
    DnnDescriptor& set(cudnnBackendAttributeName_t what, const T (&values)[Count]) noexcept {
        return set(what, DnnType<T>::name, static_cast<std::int64_t>(Count), values);
    }
    template <class T> DnnDescriptor& set(cudnnBackendAttributeName_t what, const T& value) noexcept {
        return set(what, DnnType<T>::name, 1, &value);
    }
    DnnDescriptor& set(cudnnBackendAttributeName_t what, const DnnDescriptor& part) noexcept {
        return set(what, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.made_);
    }
    /// By the type's name, where C++ has one type for two of cuDNN's.
    DnnDescriptor& set(cudnnBackendAttributeName_t what, cudnnBackendAttributeType_t type, std::int64_t count,
                       const void* values) noexcept {
        if (status_.ok())
            status_ =
                dnn_status(cudnnBackendSetAttribute(made_, what, type, count, values), "cudnnBackendSetAttribute");
        return *this;
    }
    Status finalize() noexcept {
        if (status_.ok()) status_ = dnn_status(cudnnBackendFinalize(made_), "cudnnBackendFinalize");
        return status_;
    }
    /// count: how many there are.
    template <class T>
    Status get(cudnnBackendAttributeName_t what, T* values, std::int64_t room, std::int64_t& count) const noexcept {
        return get(what, DnnType<T>::name, values, room, count);
    }
    Status get(cudnnBackendAttributeName_t what, cudnnBackendAttributeType_t type, void* values, std::int64_t room,
               std::int64_t& count) const noexcept {
        return dnn_status(cudnnBackendGetAttribute(made_, what, type, room, &count, values),
                          "cudnnBackendGetAttribute");
    }

    const Status& status() const noexcept { return status_; }
    cudnnBackendDescriptor_t handle() const noexcept { return made_; }
    void swap(DnnDescriptor& other) noexcept {
        std::swap(made_, other.made_);
        std::swap(status_, other.status_);
    }
    void reset() noexcept {
        if (made_ != nullptr) static_cast<void>(cudnnBackendDestroyDescriptor(made_));
        made_ = nullptr;
        status_ = {};
    }

  private:
    cudnnBackendDescriptor_t made_ = nullptr;
    Status status_;
};

/// What an engine says of itself that a forward cannot have: kernels compiled while running; sums whose order changes
/// from run to run; and factors rounded to less than Factor says.
constexpr bool is_refused(cudnnBackendBehaviorNote_t note) noexcept {
    return note == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
}
constexpr bool is_refused(cudnnBackendNumericalNote_t note, Factor factor) noexcept {
    switch (note) {
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
        return true;
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE: // of floats: tf32
        return factor == Factor::f32;
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
        return factor == Factor::f32 || factor == Factor::tf32;
    default:
        return false;
    }
}

/// A step's operation and its plan: y = x * w, on tensors [1, H, W, C] at their pitches. What a plan was made from is
/// kept beside it.
template <class TheModel, int S> class DnnConvolution {
    using Step = DeviceStep<TheModel, S>;
    using G = typename ToFilterGeometry<Step::step.op>::type;
    static constexpr std::int64_t x_id = 1, w_id = 2, y_id = 3;
    static constexpr std::int64_t most_engines = 64; ///< that are asked for, best first; most round to tf32

  public:
    Status open(cudnnHandle_t handle, float* arena, const void* weights) noexcept {
        Status status = describe(handle);
        if (status.ok()) status = choose(handle);
        return status.ok() ? bind(arena, weights) : status;
    }
    Status enqueue(cudnnHandle_t handle, float*, cudaStream_t stream) const noexcept {
        const Status status = dnn_status(cudnnSetStream(handle, stream), "cudnnSetStream");
        if (!status.ok()) return status;
        return dnn_status(cudnnBackendExecute(handle, plan_.handle(), pack_.handle()), "cudnnBackendExecute");
    }
    void close() noexcept {
        for (DnnDescriptor* one : {&pack_, &plan_, &config_, &graph_, &operation_, &window_, &y_, &w_, &x_})
            one->reset();
    }

  private:
    /// An image at a pitch. cuDNN counts extents and strides as [N, C, H, W].
    static Status image(DnnDescriptor& made, std::int64_t id, int h, int w, int channels, int pitch,
                        std::size_t at) noexcept {
        const std::int64_t extents[] = {1, channels, h, w};
        const std::int64_t strides[] = {std::int64_t{h} * w * pitch, 1, std::int64_t{w} * pitch, pitch};
        return tensor(made, id, extents, strides, at);
    }
    static Status tensor(DnnDescriptor& made, std::int64_t id, const std::int64_t (&extents)[4],
                         const std::int64_t (&strides)[4], std::size_t at) noexcept {
        constexpr std::uint32_t widest = 16; // loads of four floats are the widest there are
        const std::uint32_t alignment = alignment_at(at) < widest ? alignment_at(at) : widest;
        return made.create(CUDNN_BACKEND_TENSOR_DESCRIPTOR)
            .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT)
            .set(CUDNN_ATTR_TENSOR_DIMENSIONS, extents)
            .set(CUDNN_ATTR_TENSOR_STRIDES, strides)
            .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
            .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{alignment})
            .finalize();
    }
    Status describe(cudnnHandle_t handle) noexcept {
        constexpr std::int64_t row = std::int64_t{G::kernel_w} * G::group_in;
        const std::int64_t filter[] = {G::out_c, G::group_in, G::kernel_h, G::kernel_w};
        const std::int64_t filter_strides[] = {G::kernel_h * row, 1, row, G::group_in};
        const std::int64_t strides[] = {G::stride_h, G::stride_w}, dilations[] = {G::dilation_h, G::dilation_w};
        const std::int64_t before[] = {G::pad_top, G::pad_left}, behind[] = {G::pad_bottom, G::pad_right};

        Status status = image(x_, x_id, G::in_h, G::in_w, G::in_c, G::in_pitch, Step::in_at);
        if (status.ok()) status = tensor(w_, w_id, filter, filter_strides, 0);
        if (status.ok()) status = image(y_, y_id, G::out_h, G::out_w, G::out_c, G::out_pitch, Step::out_at);
        if (status.ok())
            status = window_.create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)
                         .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2})
                         .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
                         .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
                         .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, strides)
                         .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilations)
                         .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, before)
                         .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, behind)
                         .finalize();
        if (status.ok())
            status = operation_.create(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
                         .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, window_)
                         .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x_)
                         .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w_)
                         .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y_)
                         .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.F)
                         .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.F)
                         .finalize();
        if (status.ok())
            status = graph_.create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
                         .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
                         .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation_)
                         .finalize();
        return status;
    }

    /// The first plan, in the order of cuDNN's heuristics, that we can have; its fallbacks last. An engine that fails
    /// leaves it to the next.
    Status choose(cudnnHandle_t handle) noexcept {
        Status status = choose_among(handle, CUDNN_HEUR_MODE_A);
        if (!status.ok()) status = choose_among(handle, CUDNN_HEUR_MODE_FALLBACK);
        return status;
    }
    Status choose_among(cudnnHandle_t handle, cudnnBackendHeurMode_t mode) noexcept {
        DnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        Status status = heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_)
                            .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode)
                            .finalize();
        DnnDescriptor configs[most_engines];
        cudnnBackendDescriptor_t found[most_engines];
        const auto results = [&](std::int64_t room, std::int64_t& count) {
            return heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                  room > 0 ? found : nullptr, room, count);
        };
        std::int64_t all = 0, count = 0;
        if (status.ok()) status = results(0, all);
        const std::int64_t room = all < most_engines ? all : most_engines;
        for (std::int64_t i = 0; status.ok() && i < room; ++i) {
            status = configs[i].create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).status();
            found[i] = configs[i].handle();
        }
        if (status.ok() && room > 0) status = results(room, count);
        if (!status.ok()) return status;
        status = dnn_refused();
        for (std::int64_t i = 0; !status.ok() && i < count && i < room; ++i) status = plan_with(handle, configs[i]);
        return status;
    }
    /// Keeps the plan, and the configuration it is of, where it is one that we can have.
    Status plan_with(cudnnHandle_t handle, DnnDescriptor& config) noexcept {
        Status status = check_notes(config);
        if (!status.ok()) return status;
        DnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        status = plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
                     .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config)
                     .finalize();
        std::int64_t bytes = 0, count = 0;
        if (status.ok()) status = plan.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, &bytes, 1, count);
        if (status.ok() && bytes > static_cast<std::int64_t>(TheModel::workspace_bytes)) status = dnn_refused();
        if (!status.ok()) return status;
        plan_.swap(plan);
        config_.swap(config);
        return {};
    }
    static Status check_notes(const DnnDescriptor& config) noexcept {
        const DnnDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
        cudnnBackendDescriptor_t handle = engine.handle();
        cudnnBackendBehaviorNote_t behaviour[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT]{};
        cudnnBackendNumericalNote_t numbers[CUDNN_NUMERICAL_NOTE_TYPE_COUNT]{};
        std::int64_t one = 0, behaviours = 0, numericals = 0;
        Status status = engine.status();
        if (status.ok())
            status = config.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, &handle, 1, one);
        if (status.ok())
            status = engine.get(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, behaviour, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT, behaviours);
        if (status.ok())
            status = engine.get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, numbers, CUDNN_NUMERICAL_NOTE_TYPE_COUNT, numericals);
        bool refused = false;
        for (std::int64_t i = 0; i < behaviours && i < CUDNN_BEHAVIOR_NOTE_TYPE_COUNT; ++i)
            refused = refused || is_refused(behaviour[i]);
        for (std::int64_t i = 0; i < numericals && i < CUDNN_NUMERICAL_NOTE_TYPE_COUNT; ++i)
            refused = refused || is_refused(numbers[i], TheModel::Grid::factor);
        return status.ok() && refused ? dnn_refused() : status;
    }

    /// Where everything lies, once for all forwards.
    Status bind(float* arena, const void* weights) noexcept {
        const auto& packed = *static_cast<const typename TheModel::Weights*>(weights);
        const auto& mine = static_cast<const tarn::detail::WeightSlot<Step::slot, typename G::Packed>&>(packed);
        const std::int64_t ids[] = {x_id, w_id, y_id};
        const void* const places[] = {arena + Step::in_at, &mine.weight[0][0][0][0], arena + Step::out_at};
        const void* const workspace =
            TheModel::workspace_bytes > 0 ? reinterpret_cast<unsigned char*>(arena) + TheModel::workspace_at : nullptr;
        return pack_.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
            .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids)
            .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, places)
            .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace)
            .finalize();
    }

    DnnDescriptor x_, w_, y_, window_, operation_, graph_, config_, plan_, pack_;
};

/// As Products.
struct Convolutions {
    using Handle = cudnnHandle_t;
    template <class TheModel, int S> using Call = DnnConvolution<TheModel, S>;
    static constexpr Doer doer = Doer::convolution;

    static Status open(Handle& handle) noexcept { return dnn_status(cudnnCreate(&handle), "cudnnCreate"); }
    static void close(Handle handle) noexcept { static_cast<void>(cudnnDestroy(handle)); }
};

} // namespace tarn::cuda::launching
