// SPDX-License-Identifier: MIT
// Packed weights in a file: written once as they lie in memory, mapped back without a copy.
// Beside weights.hpp: for programs that start often or share weights between processes.
// Knows models and files; nothing of kernels.
#pragma once

#include <tarn/io/safetensors_write.hpp>
#include <tarn/io/weights.hpp>

#include <cstring>

namespace tarn {

namespace detail {

/// What stands before packed weights: enough to refuse a file packed for another network, layout or version.
struct PackedHeader {
    char magic[8] = {'t', 'a', 'r', 'n', 'p', 'a', 'c', 'k'};
    std::uint64_t version = TARN_VERSION_MAJOR * 1'000'000ULL + TARN_VERSION_MINOR * 1'000ULL + TARN_VERSION_PATCH;
    std::uint64_t fingerprint = 0;
    std::uint64_t weight_bytes = 0;
    std::uint64_t checksum = 0;
    std::uint64_t reserved[3] = {};
};
static_assert(sizeof(PackedHeader) == arena_alignment, "the weights after the header must stay on a cache line");

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
    return (hash ^ value) * 0x100000001b3ULL; // FNV-1a, a word at a time
}

/// Of every step's operation, so of the layout of every packed parameter.
template <class TheModel> constexpr std::uint64_t fingerprint_of() noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto add = [&](int value) { hash = mix(hash, static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); };
    const auto add_extents = [&](const Extents& e) {
        add(e.rank);
        for (int i = 0; i < Extents::max_rank; ++i) add(e[i]);
    };
    for (int s = 0; s < TheModel::step_count; ++s) {
        const Step& step = TheModel::Facts::steps.steps[s];
        const Window& w = step.op.window;
        add(static_cast<int>(step.op.kind));
        add_extents(step.op.in);
        add_extents(step.op.out);
        add_extents(step.permuted);
        for (const int value :
             {w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.pad_top, w.pad_bottom, w.pad_left, w.pad_right,
              w.dilation_h, w.dilation_w, step.op.groups, step.op.winograd, static_cast<int>(step.op.act),
              step.op.act_bits, step.op.add ? 1 : 0, step.in.storage, step.other.storage,
              static_cast<int>(step.in.offset), static_cast<int>(step.other.offset)})
            add(value);
    }
    return hash;
}

inline std::uint64_t checksum_of(std::span<const std::byte> bytes) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

} // namespace detail

/// Writes packed weights, tagged with the network's steps and tarn's version.
/// Errors: the path and the reason.
template <class TheModel> Result<Unit> save_packed(const char* path, const typename TheModel::Weights& weights) {
    const std::span<const std::byte> bytes{reinterpret_cast<const std::byte*>(&weights), TheModel::weight_bytes};
    detail::PackedHeader header;
    header.fingerprint = detail::fingerprint_of<TheModel>();
    header.weight_bytes = TheModel::weight_bytes;
    header.checksum = detail::checksum_of(bytes);
    std::vector<std::byte> file(sizeof header + bytes.size());
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, bytes.data(), bytes.size());
    return write_file(path, file);
}

/// Packed weights lying in a mapped file: `*weights` refers to its pages. Lives as long as sessions use them.
template <class Weights> class MappedWeights {
  public:
    explicit MappedWeights(MappedFile file) noexcept : file_(std::move(file)) {}

    const Weights& operator*() const noexcept {
        return *reinterpret_cast<const Weights*>(file_.bytes().data() + sizeof(detail::PackedHeader));
    }
    const Weights* operator->() const noexcept { return &**this; }

  private:
    MappedFile file_;
};

/// Maps packed weights back, without copying them. Reads every byte once, for the checksum.
/// Errors: no such file, another network's or version's, cut short, or damaged: the path and which.
template <class TheModel> Result<MappedWeights<typename TheModel::Weights>> map_packed(const char* path) {
    static_assert(alignof(typename TheModel::Weights) <= arena_alignment,
                  "map_packed: in a file weights lie on a cache line; map them for the device without Aligned");
    Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    const std::span<const std::byte> bytes = file->bytes();
    const auto refuse = [&](const std::string& why) { return Error{std::string(path) + ": " + why}; };
    const detail::PackedHeader wanted;
    detail::PackedHeader header;
    if (bytes.size() < sizeof header) return refuse("too short for packed weights");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, wanted.magic, sizeof header.magic) != 0)
        return refuse("not packed weights; write them with save_packed");
    if (header.version != wanted.version) return refuse("packed by another version of tarn; pack the weights again");
    if (header.fingerprint != detail::fingerprint_of<TheModel>() || header.weight_bytes != TheModel::weight_bytes)
        return refuse("packed for another network; pack the weights again");
    if (bytes.size() != sizeof header + TheModel::weight_bytes)
        return refuse("holds " + std::to_string(bytes.size()) + " bytes, wanted " +
                      std::to_string(sizeof header + TheModel::weight_bytes));
    if (reinterpret_cast<std::size_t>(bytes.data()) % arena_alignment != 0)
        return refuse("the system gave no aligned pages for it");
    if (header.checksum != detail::checksum_of(bytes.subspan(sizeof header))) return refuse("damaged: wrong checksum");
    return MappedWeights<typename TheModel::Weights>(std::move(*file));
}

} // namespace tarn
