// SPDX-License-Identifier: MIT
// libFuzzer target for the safetensors reader and writer.
// Stands where a hostile file would; clang -fsanitize=fuzzer,address,undefined, and safetensors.dict for speed.
// Knows nothing of models.
#include <tarn/io/safetensors_write.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

// Whatever the reader accepts can be found and read, and comes out of the writer as it went in.
void parse_and_use(std::span<const std::byte> file) {
    const auto parsed = tarn::Safetensors::parse(file);
    if (!parsed) {
        require(!parsed.error().text.empty() && parsed.error().text.size() < 100'000);
        return;
    }
    std::vector<tarn::TensorToWrite> copies;
    std::size_t total_bytes = 0;
    for (const tarn::TensorView& tensor : parsed->tensors()) {
        require(parsed->find(tensor.name) == &tensor);
        total_bytes += tensor.bytes.size();
        if (tensor.dtype == tarn::Dtype::other) continue;
        require(tensor.bytes.size() == tensor.elems() * tarn::dtype_bytes(tensor.dtype));
        copies.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.bytes});
        std::vector<float> floats(tensor.elems());
        const bool is_float =
            tensor.dtype == tarn::Dtype::f32 || tensor.dtype == tarn::Dtype::f16 || tensor.dtype == tarn::Dtype::bf16;
        require(tarn::read_floats(tensor, floats) == is_float);
    }
    require(total_bytes <= file.size());

    const auto written = tarn::to_safetensors(copies, parsed->metadata());
    require(written.has_value());
    const auto again = tarn::Safetensors::parse(*written);
    require(again && again->tensors().size() == copies.size());
    for (const tarn::TensorToWrite& copy : copies) {
        const tarn::TensorView* found = again->find(copy.name);
        require(found != nullptr && found->dtype == copy.dtype && found->shape == copy.shape);
        require(std::ranges::equal(found->bytes, copy.bytes));
    }
    require(again->metadata().size() == parsed->metadata().size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
    const std::span bytes = std::as_bytes(std::span(input, size));
    parse_and_use(bytes);

    // Once more as text and data alone, under a header length that fits: mutations seldom keep the two in step.
    const std::string_view text(reinterpret_cast<const char*>(input), size);
    const std::uint64_t header_bytes = text.rfind('}') + 1; // npos + 1 == 0
    std::vector<std::byte> framed(sizeof header_bytes + size);
    std::memcpy(framed.data(), &header_bytes, sizeof header_bytes);
    std::ranges::copy(bytes, framed.begin() + sizeof header_bytes);
    parse_and_use(framed);
    return 0;
}
