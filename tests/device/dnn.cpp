// SPDX-License-Identifier: MIT
// cuDNN's functions that a session calls, on the processor, by the manual: a descriptor is set, then finalized, then
// asked; a plan of one convolution forward runs on the places of its variant pack. Linked in the library's place;
// refuses what the manual does not allow. Beside runtime.hpp. Knows nothing of tarn.
#include "device/dnn.hpp"
#include "device/runtime.hpp"

#include <cudnn.h>

#include <algorithm>

using tarn_test::DnnEngine;
using tarn_test::FakeCuda;
using tarn_test::FakeDnn;
using tarn_test::put_on;

namespace {

struct Descriptor;
using Parts = std::vector<Descriptor*>;
using Numbers = std::vector<std::int64_t>;

/// An attribute, all of which must be set: what a value of it is, and how many there are.
struct Rule {
    cudnnBackendAttributeName_t name;
    cudnnBackendAttributeType_t type;
    std::int64_t count;
};

const std::vector<Rule>& rules_of(cudnnBackendDescriptorType_t type) {
    static const std::map<cudnnBackendDescriptorType_t, std::vector<Rule>> rules = {
        {CUDNN_BACKEND_TENSOR_DESCRIPTOR,
         {{CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1},
          {CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4},
          {CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4},
          {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1},
          {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1}}},
        {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
         {{CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1},
          {CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1},
          {CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1},
          {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2},
          {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2},
          {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2},
          {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2}}},
        {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1},
          {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1}}},
        {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
         {{CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1},
          {CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1}}},
        {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
         {{CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
          {CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1}}},
        {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
         {{CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1},
          {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1}}},
        {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
         {{CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3},
          {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3},
          {CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1}}},
        {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, {}},
        {CUDNN_BACKEND_ENGINE_DESCRIPTOR, {}},
    };
    return rules.at(type);
}

std::size_t size_of(cudnnBackendAttributeType_t type) {
    switch (type) {
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
        return 8;
    default:
        return 4;
    }
}

struct Descriptor {
    cudnnBackendDescriptorType_t type{};
    bool finalized = false;
    std::map<cudnnBackendAttributeName_t, std::vector<std::byte>> values;
    Descriptor* graph = nullptr; ///< of an engine's configuration and what follows it
    DnnEngine engine{};

    template <class T> std::vector<T> all(cudnnBackendAttributeName_t name) const {
        const std::vector<std::byte>& bytes = values.at(name);
        std::vector<T> made(bytes.size() / sizeof(T));
        std::memcpy(made.data(), bytes.data(), bytes.size());
        return made;
    }
    template <class T> T one(cudnnBackendAttributeName_t name) const { return all<T>(name).front(); }
    Descriptor& part(cudnnBackendAttributeName_t name) const { return *one<Descriptor*>(name); }
};

bool lives(const void* object) { return FakeCuda::get().library_objects.count(const_cast<void*>(object)) == 1; }
/// A finalized descriptor of a type, not destroyed.
bool ready(const Descriptor* one, cudnnBackendDescriptorType_t type) {
    return lives(one) && one->type == type && one->finalized;
}

/// A tensor as [N, C, H, W] and strides of floats.
struct Tensor {
    explicit Tensor(const Descriptor& of)
        : extents(of.all<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS)),
          strides(of.all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES)),
          id(of.one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)),
          alignment(of.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)) {}
    /// Floats from the first element to behind the last.
    std::int64_t span() const {
        std::int64_t last = 0;
        for (std::size_t i = 0; i < 4; ++i) last += (extents[i] - 1) * strides[i];
        return last + 1;
    }
    Numbers extents, strides;
    std::int64_t id, alignment;
};
struct Convolution {
    explicit Convolution(const Descriptor& operation)
        : x(operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X)),
          w(operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W)),
          y(operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y)) {
        const Descriptor& window = operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
        strides = window.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
        dilations = window.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
        before = window.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
        behind = window.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    }
    bool fits() const {
        const std::int64_t groups = x.extents[1] / w.extents[1];
        bool right = x.extents[1] % w.extents[1] == 0 && w.extents[0] % groups == 0 && y.extents[1] == w.extents[0] &&
                     x.extents[0] == y.extents[0] && x.id != w.id && w.id != y.id && x.id != y.id;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const std::int64_t reach = (w.extents[axis + 2] - 1) * dilations[axis] + 1;
            const std::int64_t room = x.extents[axis + 2] + before[axis] + behind[axis] - reach;
            right = right && room >= 0 && y.extents[axis + 2] == room / strides[axis] + 1;
        }
        return right;
    }
    void run(const float* in, const float* weight, float* out) const {
        const std::int64_t group_in = w.extents[1], group_out = w.extents[0] / (x.extents[1] / group_in);
        for (std::int64_t o = 0; o < y.extents[1]; ++o)
            for (std::int64_t i = 0; i < y.extents[2]; ++i)
                for (std::int64_t j = 0; j < y.extents[3]; ++j)
                    out[o * y.strides[1] + i * y.strides[2] + j * y.strides[3]] =
                        static_cast<float>(sum(in, weight, o, i, j, o / group_out * group_in));
    }

    Tensor x, w, y;
    Numbers strides, dilations, before, behind;

  private:
    double sum(const float* in, const float* weight, std::int64_t o, std::int64_t i, std::int64_t j,
               std::int64_t first) const {
        double made = 0.0;
        for (std::int64_t r = 0; r < w.extents[2]; ++r) {
            for (std::int64_t s = 0; s < w.extents[3]; ++s) {
                const std::int64_t row = i * strides[0] - before[0] + r * dilations[0];
                const std::int64_t column = j * strides[1] - before[1] + s * dilations[1];
                if (row < 0 || row >= x.extents[2] || column < 0 || column >= x.extents[3]) continue;
                for (std::int64_t c = 0; c < w.extents[1]; ++c)
                    made += double{in[(first + c) * x.strides[1] + row * x.strides[2] + column * x.strides[3]]} *
                            double{weight[o * w.strides[0] + c * w.strides[1] + r * w.strides[2] + s * w.strides[3]]};
            }
        }
        return made;
    }
};

/// Whether no float of x is one of y: apart, or channels side by side at one pitch.
bool disjoint(const float* in, const Tensor& x, const float* out, const Tensor& y) {
    if (in + x.span() <= out || out + y.span() <= in) return true;
    const std::int64_t pitch = x.strides[3];
    if (pitch != y.strides[3]) return false;
    const std::int64_t distance = ((out - in) % pitch + pitch) % pitch;
    return distance >= x.extents[1] && distance + y.extents[1] <= pitch;
}

bool at_least(const Numbers& values, std::int64_t least) {
    return std::all_of(values.begin(), values.end(), [=](std::int64_t value) { return value >= least; });
}

cudnnStatus_t check(Descriptor& one) {
    switch (one.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR: {
        const Tensor tensor(one);
        const bool right = one.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE) == CUDNN_DATA_FLOAT &&
                           at_least(tensor.extents, 1) && at_least(tensor.strides, 1) && tensor.alignment >= 4 &&
                           (tensor.alignment & (tensor.alignment - 1)) == 0;
        return right ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
    }
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR: {
        const bool right =
            one.one<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS) == 2 &&
            one.one<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE) == CUDNN_DATA_FLOAT &&
            one.one<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) == CUDNN_CROSS_CORRELATION &&
            at_least(one.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES), 1) &&
            at_least(one.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS), 1) &&
            at_least(one.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS), 0) &&
            at_least(one.all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS), 0);
        return right ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
    }
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: {
        for (const auto name : {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y})
            if (!ready(&one.part(name), CUDNN_BACKEND_TENSOR_DESCRIPTOR)) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
        if (!ready(&one.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC), CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR))
            return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
        const bool plain = one.one<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA) == 1.F &&
                           one.one<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA) == 0.F;
        return plain && Convolution(one).fits() ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    }
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: {
        const bool right =
            lives(one.one<void*>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE)) &&
            ready(&one.part(CUDNN_ATTR_OPERATIONGRAPH_OPS), CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
        return right ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
    }
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
        one.graph = &one.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
        return ready(one.graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) ? CUDNN_STATUS_SUCCESS
                                                                         : CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
        const Descriptor& config = one.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
        if (!lives(one.one<void*>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE)) ||
            !ready(&config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR))
            return CUDNN_STATUS_BAD_PARAM;
        one.graph = config.graph;
        one.engine = config.engine;
        const bool unwilling = one.engine == DnnEngine::unwilling ||
                               (one.engine == DnnEngine::fallback && FakeDnn::get().fallback_is_unwilling);
        return unwilling ? CUDNN_STATUS_NOT_SUPPORTED_LAYOUT : CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
        return CUDNN_STATUS_SUCCESS;
    default:
        return CUDNN_STATUS_BAD_PARAM; // those are finalized by what they come from
    }
}

std::int64_t workspace_of(DnnEngine engine) {
    return engine == DnnEngine::willing ? FakeDnn::workspace : engine == DnnEngine::wide ? std::int64_t{1} << 40 : 0;
}

/// Gives as many as are asked for, and says how many there are.
template <class T> cudnnStatus_t give(const std::vector<T>& values, std::int64_t room, std::int64_t* count, void* to) {
    *count = static_cast<std::int64_t>(values.size());
    const auto given = static_cast<std::size_t>(std::min(room, *count));
    if (given > 0) std::memcpy(to, values.data(), given * sizeof(T));
    return CUDNN_STATUS_SUCCESS;
}
/// Fills descriptors that the caller has created.
cudnnStatus_t fill(const std::vector<DnnEngine>& engines, Descriptor* graph, cudnnBackendDescriptorType_t type,
                   std::int64_t room, std::int64_t* count, void* to) {
    *count = static_cast<std::int64_t>(engines.size());
    for (std::int64_t i = 0; i < std::min(room, *count); ++i) {
        Descriptor* const one = static_cast<Descriptor**>(to)[i];
        if (!lives(one) || one->type != type || one->finalized) return CUDNN_STATUS_BAD_PARAM;
        one->graph = graph;
        one->engine = engines[static_cast<std::size_t>(i)];
        one->finalized = true;
    }
    return CUDNN_STATUS_SUCCESS;
}

} // namespace

struct cudnnContext {
    cudaStream_t stream = nullptr;
};

extern "C" {

const char* cudnnGetErrorString(cudnnStatus_t status) {
    return status == CUDNN_STATUS_SUCCESS ? "success" : "an error of cuDNN";
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudnnCreate")) return CUDNN_STATUS_INTERNAL_ERROR;
    *handle = new cudnnContext;
    cuda.library_objects.insert(*handle);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    if (FakeCuda::get().library_objects.erase(handle) != 1) return CUDNN_STATUS_BAD_PARAM;
    delete handle;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    if (FakeCuda::get().fails("cudnnSetStream")) return CUDNN_STATUS_INTERNAL_ERROR;
    if (!lives(handle)) return CUDNN_STATUS_BAD_PARAM;
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* made) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudnnBackendCreateDescriptor")) return CUDNN_STATUS_INTERNAL_ERROR;
    auto* const one = new Descriptor;
    one->type = type;
    cuda.library_objects.insert(one);
    *made = one;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    if (FakeCuda::get().library_objects.erase(descriptor) != 1) return CUDNN_STATUS_BAD_PARAM;
    delete static_cast<Descriptor*>(descriptor);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void* values) {
    if (FakeCuda::get().fails("cudnnBackendSetAttribute")) return CUDNN_STATUS_INTERNAL_ERROR;
    if (!lives(descriptor)) return CUDNN_STATUS_BAD_PARAM;
    auto& one = *static_cast<Descriptor*>(descriptor);
    if (one.finalized) return CUDNN_STATUS_BAD_PARAM;
    for (const Rule& rule : rules_of(one.type)) {
        if (rule.name != name || rule.type != type || rule.count != count) continue;
        const auto* const first = static_cast<const std::byte*>(values);
        one.values[name].assign(first, first + static_cast<std::size_t>(count) * size_of(type));
        return CUDNN_STATUS_SUCCESS;
    }
    return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
    if (FakeCuda::get().fails("cudnnBackendFinalize")) return CUDNN_STATUS_INTERNAL_ERROR;
    if (!lives(descriptor)) return CUDNN_STATUS_BAD_PARAM;
    auto& one = *static_cast<Descriptor*>(descriptor);
    for (const Rule& rule : rules_of(one.type))
        if (one.values.count(rule.name) == 0) return CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t checked = one.finalized ? CUDNN_STATUS_BAD_PARAM : check(one);
    one.finalized = checked == CUDNN_STATUS_SUCCESS;
    return checked;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t room, int64_t* count, void* values) {
    if (FakeCuda::get().fails("cudnnBackendGetAttribute")) return CUDNN_STATUS_INTERNAL_ERROR;
    if (!lives(descriptor)) return CUDNN_STATUS_BAD_PARAM;
    const auto& one = *static_cast<const Descriptor*>(descriptor);
    if (!one.finalized) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    const bool parts = type == CUDNN_TYPE_BACKEND_DESCRIPTOR;
    if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS && parts && one.type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) {
        std::vector<DnnEngine> engines = {DnnEngine::fallback};
        if (one.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE) == CUDNN_HEUR_MODE_A)
            engines = {DnnEngine::compiled, DnnEngine::tensor_core, DnnEngine::unordered,
                       DnnEngine::wide,     DnnEngine::unwilling,   DnnEngine::willing};
        return fill(engines, one.graph, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, room, count, values);
    }
    if (name == CUDNN_ATTR_ENGINECFG_ENGINE && parts && one.type == CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)
        return fill({one.engine}, one.graph, CUDNN_BACKEND_ENGINE_DESCRIPTOR, room, count, values);
    if (name == CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE && type == CUDNN_TYPE_BEHAVIOR_NOTE &&
        one.type == CUDNN_BACKEND_ENGINE_DESCRIPTOR) {
        std::vector<cudnnBackendBehaviorNote_t> notes = {CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API};
        if (one.engine == DnnEngine::compiled) notes.push_back(CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
        return give(notes, room, count, values);
    }
    if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE && type == CUDNN_TYPE_NUMERICAL_NOTE &&
        one.type == CUDNN_BACKEND_ENGINE_DESCRIPTOR) {
        std::vector<cudnnBackendNumericalNote_t> notes;
        if (one.engine == DnnEngine::tensor_core) notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
        if (one.engine == DnnEngine::unordered)
            notes = {CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
        return give(notes, room, count, values);
    }
    if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE && type == CUDNN_TYPE_INT64 &&
        one.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
        return give(Numbers{workspace_of(one.engine)}, room, count, values);
    return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
    FakeCuda& cuda = FakeCuda::get();
    if (cuda.fails("cudnnBackendExecute")) return CUDNN_STATUS_EXECUTION_FAILED;
    const auto& how = *static_cast<const Descriptor*>(plan);
    const auto& where = *static_cast<const Descriptor*>(pack);
    if (!lives(handle) || !ready(&how, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) ||
        !ready(&where, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) ||
        !ready(&how.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG), CUDNN_BACKEND_ENGINECFG_DESCRIPTOR) ||
        !ready(how.graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) ||
        !ready(&how.graph->part(CUDNN_ATTR_OPERATIONGRAPH_OPS), CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR))
        return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    const Convolution convolution(how.graph->part(CUDNN_ATTR_OPERATIONGRAPH_OPS));
    const Numbers ids = where.all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    const auto places = where.all<float*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    bool right = true;
    const auto place_of = [&](const Tensor& tensor) {
        const auto found = std::find(ids.begin(), ids.end(), tensor.id);
        float* const at = found == ids.end() ? nullptr : places[static_cast<std::size_t>(found - ids.begin())];
        right = right && cuda.on_device(at, static_cast<std::size_t>(tensor.span()) * sizeof(float)) &&
                reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(tensor.alignment) == 0;
        return at;
    };
    const float *const x = place_of(convolution.x), *const w = place_of(convolution.w);
    float* const y = place_of(convolution.y);
    void* const workspace = where.one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
    const auto bytes = static_cast<std::size_t>(workspace_of(how.engine));
    right = right && (bytes == 0 || cuda.on_device(workspace, bytes));
    if (!right || !disjoint(x, convolution.x, y, convolution.y) || !disjoint(w, convolution.w, y, convolution.y))
        return CUDNN_STATUS_BAD_PARAM;
    FakeDnn::get().executed.push_back(how.engine);
    put_on(handle->stream, cudaGraphNodeTypeKernel, [=] {
        if (bytes > 0) std::memset(workspace, 0xFF, bytes);
        convolution.run(x, w, y);
    });
    return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
