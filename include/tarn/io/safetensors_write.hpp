// SPDX-License-Identifier: MIT
// Writes safetensors: tensors in memory become the bytes of a file, and bytes become a file.
// The way out, as safetensors.hpp is the way in, and that reader judges what is written here.
// Knows nothing of models.
#pragma once

#include <tarn/io/safetensors.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tarn {

/// A tensor to be stored: `bytes` are its elements in row-major order, as they lie in memory.
struct TensorToWrite {
    std::string_view name;
    Dtype dtype = Dtype::f32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
};

namespace detail {

inline void append_json_string(std::string& json, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    json += '"';
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            json += "\\u00";
            json += digits[static_cast<unsigned char>(c) >> 4];
            json += digits[static_cast<unsigned char>(c) & 15];
        } else {
            if (c == '"' || c == '\\') json += '\\';
            json += c;
        }
    }
    json += '"';
}

inline std::string safetensors_header(std::span<const TensorToWrite* const> tensors,
                                      std::span<const MetadataEntry> metadata) {
    std::string json = "{";
    if (!metadata.empty()) {
        json += "\"__metadata__\":";
        char before = '{';
        for (const MetadataEntry& entry : metadata) {
            json += before;
            append_json_string(json, entry.key);
            json += ':';
            append_json_string(json, entry.value);
            before = ',';
        }
        json += '}';
    }
    std::size_t begin = 0;
    for (const TensorToWrite* tensor : tensors) {
        if (json.size() > 1) json += ',';
        append_json_string(json, tensor->name);
        json += ":{\"dtype\":\"";
        json += dtype_name(tensor->dtype);
        json += "\",\"shape\":[";
        for (std::size_t i = 0; i < tensor->shape.size(); ++i) {
            if (i > 0) json += ',';
            json += std::to_string(tensor->shape[i]);
        }
        json += joined({"],\"data_offsets\":[", std::to_string(begin), ","});
        begin += tensor->bytes.size();
        json += joined({std::to_string(begin), "]}"});
    }
    json += '}';
    // The file begins at a multiple of 8 wherever it is mapped, and so then do its data.
    json.append((8 - json.size() % 8) % 8, ' ');
    return json;
}

} // namespace detail

/// The bytes of a safetensors file. Widest elements first, then by name, so every tensor is aligned to its element.
/// Errors: all that the reader would refuse (bytes that do not match a shape, a name twice or not UTF-8), and `other`.
inline Result<std::vector<std::byte>> to_safetensors(std::span<const TensorToWrite> tensors,
                                                     std::span<const MetadataEntry> metadata = {}) {
    std::vector<const TensorToWrite*> sorted;
    std::size_t data_bytes = 0;
    for (const TensorToWrite& tensor : tensors) {
        if (tensor.dtype == Dtype::other)
            return Error{detail::joined({"safetensors: tensor ", detail::quoted(tensor.name),
                                         ": dtype other cannot be written; give it one of the named types"})};
        sorted.push_back(&tensor);
        data_bytes += tensor.bytes.size();
    }
    std::sort(sorted.begin(), sorted.end(), [](const TensorToWrite* a, const TensorToWrite* b) {
        const std::size_t a_width = dtype_bytes(a->dtype), b_width = dtype_bytes(b->dtype);
        return a_width != b_width ? a_width > b_width : a->name < b->name;
    });

    const std::string header = detail::safetensors_header(sorted, metadata);
    const std::uint64_t header_bytes = header.size();
    std::vector<std::byte> file(sizeof header_bytes + header.size() + data_bytes);
    std::byte* to = file.data();
    const auto put = [&to](const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
        to += bytes;
    };
    put(&header_bytes, sizeof header_bytes);
    put(header.data(), header.size());
    for (const TensorToWrite* tensor : sorted) put(tensor->bytes.data(), tensor->bytes.size());

    if (const Result<Safetensors> read_back = Safetensors::parse(file); !read_back) return read_back.error();
    return Result<std::vector<std::byte>>(std::move(file));
}

/// Writes a whole file or nothing: first beside it as `path`.partial, then renamed, so a file that someone has mapped
/// stays as it was.
/// Errors: the path and the system's reason.
inline Result<Unit> write_file(const char* path, std::span<const std::byte> bytes) {
    const std::string partial = detail::joined({path, ".partial"});
    const auto failed = [path](const char* what, int reason) {
        return Error{detail::joined({"cannot ", what, " ", path, ": ", std::string_view(std::strerror(reason))})};
    };
    std::FILE* file = std::fopen(partial.c_str(), "wb");
    if (file == nullptr) return failed("create", errno);
    errno = EIO; // for a library that fails without giving a reason
    int reason = bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() ? 0 : errno;
    if (std::fclose(file) != 0 && reason == 0) reason = errno;
    if (reason == 0 && std::rename(partial.c_str(), path) != 0) reason = errno;
    if (reason == 0) return Unit{};
    std::remove(partial.c_str());
    return failed("write", reason);
}

} // namespace tarn
