// SPDX-License-Identifier: MIT
// Makes safetensors files byte by byte, right or wrong, for the tests of io.
// Between a test's literal header and the reader under test.
// Knows nothing of the writer, which must not vouch for the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tarn_test {

/// The given header length, header and data, in a block of exactly their size: a sanitizer sees one byte too far.
inline std::vector<std::byte> file_of(std::uint64_t stated_length, std::string_view header, std::string_view data) {
    std::vector<std::byte> file(sizeof stated_length + header.size() + data.size());
    std::memcpy(file.data(), &stated_length, sizeof stated_length);
    if (!header.empty()) std::memcpy(file.data() + sizeof stated_length, header.data(), header.size());
    if (!data.empty()) std::memcpy(file.data() + sizeof stated_length + header.size(), data.data(), data.size());
    return file;
}

inline std::vector<std::byte> file_of(std::string_view header, std::string_view data = {}) {
    return file_of(header.size(), header, data);
}

inline std::vector<std::byte> file_of(std::string_view header, std::size_t data_bytes) {
    return file_of(header.size(), header, std::string(data_bytes, '\x3f'));
}

} // namespace tarn_test
