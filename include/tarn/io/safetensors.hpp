// SPDX-License-Identifier: MIT
// Reads safetensors: judges every byte of a file, then shows its tensors where they lie.
// Between a file's bytes (mapped_file.hpp) and the module that matches names to parameters.
// Knows nothing of models; trusts nothing in the file. Allocates a small multiple of the header that is really there.
#pragma once

#include <tarn/io/json_text.hpp>
#include <tarn/io/result.hpp>
#include <tarn/io/tensor_view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tarn {

/// One entry of `__metadata__`.
struct MetadataEntry {
    std::string_view key;
    std::string_view value;
};

namespace detail {

inline constexpr std::size_t safetensors_prefix_bytes = 8;
inline constexpr std::uint64_t safetensors_most_header_bytes = 100'000'000;
inline constexpr std::string_view safetensors_metadata_key = "__metadata__";
inline constexpr const char* safetensors_advice = "; the file is damaged or wrongly written, export it again";

/// A tensor whose offsets nobody has judged yet. Offsets count from the first data byte, half open.
struct StoredTensor {
    TensorView view;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Collects faults, a line each; a hostile file may have millions, so it writes the first few and counts the rest.
template <class> class BasicFaultLines {
  public:
    void add(std::string_view tensor, std::initializer_list<std::string_view> what) {
        if (++count_ > most_lines) return;
        if (!text_.empty()) text_ += '\n';
        text_ += joined({"safetensors: tensor ", quoted(tensor), ": ", joined(what), safetensors_advice});
    }
    bool none() const noexcept { return count_ == 0; }
    Error take() {
        if (count_ > most_lines)
            text_ += joined({"\nsafetensors: and ", std::to_string(count_ - most_lines), " more faults"});
        return Error{std::move(text_)};
    }

  private:
    static constexpr std::size_t most_lines = 32;
    std::string text_;
    std::size_t count_ = 0;
};
using FaultLines = BasicFaultLines<void>;

template <class = void> std::string shape_text(const std::vector<std::int64_t>& shape) {
    constexpr std::size_t most_extents = 8;
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size() && i < most_extents; ++i)
        text += joined({i > 0 ? ", " : "", std::to_string(shape[i])});
    text += shape.size() > most_extents ? ", ...]" : "]";
    return text;
}

/// Where the item of that name stands in a list.
struct NamedIndex {
    std::string_view name;
    std::size_t index = 0;
};

/// Sorts by heap, in place: <algorithm> would cost every includer of tarn a sixth of its compile time.
template <class Item, class Before> void sort_items(std::vector<Item>& items, Before before) {
    const auto sift = [&](std::size_t at, std::size_t count) {
        for (std::size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
            if (child + 1 < count && before(items[child], items[child + 1])) ++child;
            if (!before(items[at], items[child])) return;
            std::swap(items[at], items[child]);
            at = child;
        }
    };
    for (std::size_t i = items.size() / 2; i-- > 0;) sift(i, items.size());
    for (std::size_t last = items.size(); last-- > 1;) {
        std::swap(items[0], items[last]);
        sift(0, last);
    }
}
template <class = void> void sort_by_name(std::vector<NamedIndex>& items) {
    sort_items(items, [](const NamedIndex& a, const NamedIndex& b) { return a.name < b.name; });
}

/// The order of the data; tensors without bytes stand before the one that begins where they are.
template <class = void> bool lies_before(const StoredTensor& a, const StoredTensor& b) noexcept {
    if (a.begin != b.begin) return a.begin < b.begin;
    return a.end != b.end ? a.end < b.end : a.view.name < b.view.name;
}

/// The header's JSON: fills tensors and metadata in the order of the file. True where the text obeys the format.
template <class> class BasicSafetensorsHeader {
  public:
    explicit BasicSafetensorsHeader(std::string_view text) : json_(text) {}

    std::vector<StoredTensor> tensors;
    std::vector<MetadataEntry> metadata;

    bool read() {
        return json_.object([this](std::string_view key) {
            return key == safetensors_metadata_key ? read_metadata() : read_tensor(key);
        }) && json_.ends_in_padding();
    }

    std::vector<char> take_decoded() { return json_.take_decoded(); }

    Error error() const {
        const std::string_view where = inside_.empty() ? std::string_view("header") : inside_;
        return Error{joined({"safetensors: ", where, ": ", json_.fault(), safetensors_advice})};
    }

  private:
    bool read_metadata() {
        inside_ = safetensors_metadata_key;
        if (std::exchange(has_metadata_, true)) return json_.fail("appears twice");
        const bool read = json_.object([this](std::string_view key) {
            MetadataEntry& entry = metadata.emplace_back();
            entry.key = key;
            return json_.string(entry.value);
        });
        if (!read) return false;
        std::vector<NamedIndex> by_key;
        for (const MetadataEntry& entry : metadata) by_key.push_back({entry.key, by_key.size()});
        sort_by_name(by_key);
        for (std::size_t i = 1; i < by_key.size(); ++i)
            if (by_key[i - 1].name == by_key[i].name)
                return json_.fail(joined({"key ", quoted(by_key[i].name), " appears twice"}));
        inside_.clear();
        return true;
    }

    bool read_tensor(std::string_view name) {
        inside_ = joined({"tensor ", quoted(name)});
        StoredTensor& tensor = tensors.emplace_back();
        tensor.view.name = name;
        bool has_dtype = false, has_shape = false, has_offsets = false;
        const bool read = json_.object([&](std::string_view key) {
            bool& seen = key == "dtype" ? has_dtype : key == "shape" ? has_shape : has_offsets;
            if (&seen == &has_offsets && key != "data_offsets")
                return json_.fail(joined({"unknown key ", quoted(key), "; wanted dtype, shape, data_offsets"}));
            if (std::exchange(seen, true)) return json_.fail(joined({"key ", quoted(key), " appears twice"}));
            return &seen == &has_dtype   ? read_dtype(tensor.view)
                   : &seen == &has_shape ? read_shape(tensor.view)
                                         : read_offsets(tensor);
        });
        if (!read) return false;
        if (!has_dtype) return json_.fail("key \"dtype\" is missing");
        if (!has_shape) return json_.fail("key \"shape\" is missing");
        if (!has_offsets) return json_.fail("key \"data_offsets\" is missing");
        inside_.clear();
        return true;
    }

    bool read_dtype(TensorView& view) {
        if (!json_.string(view.dtype_text)) return false;
        view.dtype = dtype_named(view.dtype_text);
        return true;
    }

    bool read_shape(TensorView& view) {
        return json_.array([&] {
            std::uint64_t extent = 0;
            if (!json_.natural(extent, std::numeric_limits<std::int64_t>::max())) return false;
            view.shape.push_back(static_cast<std::int64_t>(extent));
            return true;
        });
    }

    bool read_offsets(StoredTensor& tensor) {
        std::size_t count = 0;
        const bool read = json_.array([&] {
            std::uint64_t surplus = 0;
            ++count;
            return json_.natural(count == 1 ? tensor.begin : count == 2 ? tensor.end : surplus);
        });
        if (!read) return false;
        return count == 2 || json_.fail(joined({"data_offsets has ", std::to_string(count), " numbers and needs 2"}));
    }

    JsonText json_;
    std::string inside_;
    bool has_metadata_ = false;
};
using SafetensorsHeader = BasicSafetensorsHeader<void>;

/// Product of the extents, stopping at the first overflow as the format's reference reader does.
template <class = void> bool count_elems(const std::vector<std::int64_t>& shape, std::size_t& to) noexcept {
    to = 1;
    for (const std::int64_t stored : shape) {
        const auto extent = static_cast<std::uint64_t>(stored);
        if (extent != 0 && to > std::numeric_limits<std::size_t>::max() / extent) return false;
        to *= static_cast<std::size_t>(extent);
    }
    return true;
}

/// One tensor by itself: offsets in order and inside the data, and as many bytes as shape and type ask for.
template <class = void> void judge_extent(const StoredTensor& tensor, std::size_t data_bytes, FaultLines& faults) {
    const TensorView& view = tensor.view;
    const auto fault = [&](std::initializer_list<std::string_view> what) {
        faults.add(view.name, {"data_offsets [", std::to_string(tensor.begin), ", ", std::to_string(tensor.end), "] ",
                               joined(what)});
    };
    if (tensor.begin > tensor.end) return fault({"end before they begin"});
    if (tensor.end > data_bytes) return fault({"leave the file's ", std::to_string(data_bytes), " data bytes"});
    const std::size_t width = dtype_bytes(view.dtype);
    std::size_t elems = 0;
    if (!count_elems(view.shape, elems) || (width > 0 && elems > std::numeric_limits<std::size_t>::max() / width))
        return faults.add(view.name, {"shape ", shape_text(view.shape), " has more elements than can be counted"});
    if (width > 0 && elems * width != tensor.end - tensor.begin)
        fault({"cover ", std::to_string(tensor.end - tensor.begin), " bytes and shape ", shape_text(view.shape), " of ",
               view.dtype_text, " needs ", std::to_string(elems * width)});
}

/// All tensors together, sorted by offset: they follow each other without a gap, and the last ends with the file.
template <class = void>
void judge_layout(const std::vector<StoredTensor>& sorted, std::size_t data_bytes, FaultLines& faults) {
    std::uint64_t covered = 0;
    std::string_view before = "";
    for (const StoredTensor& tensor : sorted) {
        const std::string begin = std::to_string(tensor.begin);
        if (tensor.begin < covered)
            faults.add(tensor.view.name, {"begins at data byte ", begin, ", inside tensor ", quoted(before),
                                          " which ends at ", std::to_string(covered)});
        if (tensor.begin > covered)
            faults.add(tensor.view.name,
                       {"begins at data byte ", begin, " and the ", std::to_string(tensor.begin - covered),
                        " bytes before it belong to no tensor"});
        if (tensor.end >= covered) before = tensor.view.name;
        if (tensor.end > covered) covered = tensor.end;
    }
    if (covered < data_bytes)
        faults.add(before, {"is the last and ends at data byte ", std::to_string(covered), ", and ",
                            std::to_string(data_bytes - covered), " stray bytes follow"});
}

} // namespace detail

/// The tensors of a safetensors file, as views into the bytes given to `parse`, which must outlive this.
/// Errors: a run-time error for every departure from the format, naming the tensor; then nothing of the file is shown.
/// Source: the format's specification, and its reference reader's demand that tensors cover the data exactly.
template <class> class BasicSafetensors {
  public:
    static Result<BasicSafetensors> parse(std::span<const std::byte> file) {
        std::span<const std::byte> data = file;
        std::string_view header_text;
        if (const std::string fault = split(file, header_text, data); !fault.empty())
            return Error{detail::joined({"safetensors: ", fault, "; this is no safetensors file, or it is damaged"})};

        detail::SafetensorsHeader header(header_text);
        if (!header.read()) return header.error();
        if (header.tensors.empty() && !data.empty())
            return Error{detail::joined({"safetensors: header: names no tensor, and ", std::to_string(data.size()),
                                         " stray bytes follow", detail::safetensors_advice})};

        detail::FaultLines faults;
        for (const detail::StoredTensor& tensor : header.tensors) detail::judge_extent(tensor, data.size(), faults);
        detail::sort_items(header.tensors, detail::lies_before<>);
        std::vector<detail::NamedIndex> by_name;
        by_name.reserve(header.tensors.size());
        for (const detail::StoredTensor& tensor : header.tensors) by_name.push_back({tensor.view.name, by_name.size()});
        detail::sort_by_name(by_name);
        judge_names(by_name, faults);
        // Gaps and overlaps mean something only between tensors that are sound themselves.
        if (faults.none()) detail::judge_layout(header.tensors, data.size(), faults);
        if (!faults.none()) return faults.take();
        return BasicSafetensors(header, std::move(by_name), data);
    }

    /// In the order of their data.
    std::span<const TensorView> tensors() const noexcept { return {tensors_.data(), tensors_.size()}; }

    /// The tensor of that name, nullptr where there is none.
    const TensorView* find(std::string_view name) const noexcept {
        std::size_t first = 0, count = by_name_.size();
        while (count > 0) {
            const std::size_t half = count / 2;
            const bool right = by_name_[first + half].name < name;
            if (right) first += half + 1;
            count = right ? count - half - 1 : half;
        }
        return first < by_name_.size() && by_name_[first].name == name ? &tensors_[by_name_[first].index] : nullptr;
    }

    /// In the order of the file.
    std::span<const MetadataEntry> metadata() const noexcept { return {metadata_.data(), metadata_.size()}; }

    // Views into decoded_ survive a move and not a copy.
    BasicSafetensors(const BasicSafetensors&) = delete;
    BasicSafetensors& operator=(const BasicSafetensors&) = delete;
    BasicSafetensors(BasicSafetensors&&) noexcept = default;
    BasicSafetensors& operator=(BasicSafetensors&&) noexcept = default;
    ~BasicSafetensors() = default;

  private:
    BasicSafetensors(detail::SafetensorsHeader& header, std::vector<detail::NamedIndex> by_name,
                     std::span<const std::byte> data)
        : by_name_(std::move(by_name)), metadata_(std::move(header.metadata)), decoded_(header.take_decoded()) {
        tensors_.reserve(header.tensors.size());
        for (detail::StoredTensor& tensor : header.tensors) {
            tensor.view.bytes = data.subspan(static_cast<std::size_t>(tensor.begin),
                                             static_cast<std::size_t>(tensor.end - tensor.begin));
            tensors_.push_back(std::move(tensor.view));
        }
    }

    // Header and data apart; the fault in words, or nothing.
    static std::string split(std::span<const std::byte> file, std::string_view& header,
                             std::span<const std::byte>& data) {
        constexpr std::size_t prefix = detail::safetensors_prefix_bytes;
        if (file.size() < prefix)
            return detail::joined(
                {"the file has ", std::to_string(file.size()), " bytes and needs 8 for the length of its header"});
        std::uint64_t header_bytes = 0;
        std::memcpy(&header_bytes, file.data(), prefix);
        const std::string stated = std::to_string(header_bytes);
        if (header_bytes > detail::safetensors_most_header_bytes)
            return detail::joined({"a header of ", stated, " bytes is beyond the format's limit of 100000000"});
        if (header_bytes > file.size() - prefix)
            return detail::joined({"a header of ", stated, " bytes does not fit into the ",
                                   std::to_string(file.size() - prefix), " bytes that follow its length"});
        const auto length = static_cast<std::size_t>(header_bytes);
        header = std::string_view(reinterpret_cast<const char*>(file.data()) + prefix, length);
        data = file.subspan(prefix + length);
        return header.starts_with('{') ? "" : "the header does not begin with '{'";
    }

    static void judge_names(const std::vector<detail::NamedIndex>& sorted, detail::FaultLines& faults) {
        for (std::size_t i = 1; i < sorted.size(); ++i)
            if (sorted[i - 1].name == sorted[i].name && (i == 1 || sorted[i - 2].name != sorted[i].name))
                faults.add(sorted[i].name, {"the name appears twice"});
    }

    std::vector<TensorView> tensors_;
    std::vector<detail::NamedIndex> by_name_;
    std::vector<MetadataEntry> metadata_;
    std::vector<char> decoded_;
};
using Safetensors = BasicSafetensors<void>;

} // namespace tarn
