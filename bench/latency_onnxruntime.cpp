// SPDX-License-Identifier: MIT
// OnnxRuntime: finding the library, its table of functions, a session and its tensors.
// Source: onnxruntime_c_api.h, version 1 of the table, whose order its authors keep for existing programs.
// Knows nothing of networks.
#include "latency_onnxruntime.hpp"

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <glob.h>

namespace tarn_bench {

namespace {

using Status = void*;

/// Places in the table.
enum Place : int {
    error_message = 2,
    create_env = 3,
    create_session_from_array = 8,
    run_session = 9,
    create_session_options = 10,
    set_graph_optimization = 23,
    set_intra_threads = 24,
    set_inter_threads = 25,
    create_tensor = 49,
    create_cpu_memory = 69,
};

struct Library {
    const void* const* table = nullptr;
    void* env = nullptr;
    std::string why{};

    template <class F> F* function(Place place) const { return reinterpret_cast<F*>(const_cast<void*>(table[place])); }
    void check(Status status) const {
        if (status == nullptr) return;
        std::fprintf(stderr, "ONNX Runtime: %s\n", function<const char*(Status)>(error_message)(status));
        std::exit(1);
    }

    Library() {
        glob_t found{};
        const std::string pattern =
            TARN_SOURCE_DIR "/build/venv-*/lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so*";
        const bool any = glob(pattern.c_str(), 0, nullptr, &found) == 0 && found.gl_pathc > 0;
        const std::string path = any ? found.gl_pathv[0] : "libonnxruntime.so";
        globfree(&found);
        void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* const base = library != nullptr ? dlsym(library, "OrtGetApiBase") : nullptr;
        if (base == nullptr) {
            why = "there is no ONNX Runtime here (tools/bench models installs it): left out";
            return;
        }
        struct Base {
            const void* const* (*get_api)(std::uint32_t version);
            const char* (*version)();
        };
        const Base* const api = reinterpret_cast<const Base* (*)()>(base)();
        table = api->get_api(1);
        why = std::string("ONNX Runtime ") + api->version();
        check(function<Status(int, const char*, void**)>(create_env)(3, "latency", &env));
    }
};

const Library& library() {
    static const Library opened;
    return opened;
}

} // namespace

struct OnnxRuntime::Parts {
    std::string model;
    void* session = nullptr;
    std::vector<const char*> input_names{}, output_names{};
    std::vector<void*> inputs{}, outputs{};
};

bool OnnxRuntime::available() { return library().table != nullptr; }
const std::string& OnnxRuntime::why() { return library().why; }

OnnxRuntime::OnnxRuntime(const std::string& model, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& outputs)
    : parts_(new Parts{model}) {
    const Library& ort = library();
    void *options = nullptr, *memory = nullptr;
    ort.check(ort.function<Status(void**)>(create_session_options)(&options));
    ort.check(ort.function<Status(void*, int)>(set_graph_optimization)(options, 99)); // all
    ort.check(ort.function<Status(void*, int)>(set_intra_threads)(options, 1));
    ort.check(ort.function<Status(void*, int)>(set_inter_threads)(options, 1));
    ort.check(ort.function<Status(void*, const void*, std::size_t, const void*, void**)>(create_session_from_array)(
        ort.env, parts_->model.data(), parts_->model.size(), options, &parts_->session));
    ort.check(ort.function<Status(int, int, void**)>(create_cpu_memory)(1, 0, &memory));
    const auto bind = [&](const std::vector<Tensor>& tensors, std::vector<const char*>& names,
                          std::vector<void*>& values) {
        for (const Tensor& tensor : tensors) {
            std::size_t elems = 1;
            for (const std::int64_t dim : tensor.dims) elems *= static_cast<std::size_t>(dim);
            void* value = nullptr;
            ort.check(
                ort.function<Status(const void*, void*, std::size_t, const std::int64_t*, std::size_t, int, void**)>(
                    create_tensor)(memory, tensor.data, elems * sizeof(float), tensor.dims.data(), tensor.dims.size(),
                                   1, &value));
            names.push_back(tensor.name);
            values.push_back(value);
        }
    };
    bind(inputs, parts_->input_names, parts_->inputs);
    bind(outputs, parts_->output_names, parts_->outputs);
}
OnnxRuntime::~OnnxRuntime() { delete parts_; } // the library's own parts last as long as the program

void OnnxRuntime::run() const {
    using Run = Status(void*, const void*, const char* const*, const void* const*, std::size_t, const char* const*,
                       std::size_t, void**);
    const Library& ort = library();
    ort.check(ort.function<Run>(run_session)(parts_->session, nullptr, parts_->input_names.data(),
                                             parts_->inputs.data(), parts_->inputs.size(), parts_->output_names.data(),
                                             parts_->output_names.size(), parts_->outputs.data()));
}

} // namespace tarn_bench
