// SPDX-License-Identifier: MIT
// The plan on a card in words: every way an output may lie, who waits, and the bounds.
// Knows the public face only; needs no card and no CUDA.
#include "cuda/networks.hpp"
#include "support/catch.hpp"

#include <tarn/device/report.hpp>

using namespace tarn;
using namespace tarn_test;

namespace {

using Grid = cuda::DeviceGrid<64, 3, cuda::Factor::f32, 2000>;

/// Whether a line of text has all the words, in this order.
bool has_line(const std::string& text, std::initializer_list<const char*> words) {
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
        const std::string line = text.substr(begin, text.find('\n', begin) - begin);
        std::size_t at = 0;
        for (const char* word : words)
            if (at != std::string::npos && (at = line.find(word, at)) != std::string::npos) ++at;
        if (at != std::string::npos) return true;
    }
    return false;
}

} // namespace

TEST_CASE("rows, registers and barriers") {
    const std::string text = device_report_text<Model<RowNet, RowIn, Cuda<cuda::OneLaunch, Grid>>>();
    INFO(text);
    CHECK(has_line(text, {"6 steps in 1 launch"}));
    CHECK(has_line(text, {"0-1", "linear + relu", "[53, 40]", "held, then anywhere", "0 + 8,480", "nobody"}));
    CHECK(has_line(text, {"2-3", "linear + relu", "[53, 24]", "over its rows", "0 + 8,416", "the grid"}));
    CHECK(has_line(text, {"4-5", "linear + gelu", "[53, 36]", "over its rows", "nobody"}));
    CHECK(has_line(text, {"7", "layer norm", "over its input", "the grid"}));
    CHECK(has_line(text, {"arena", "8,704"}));
    CHECK(has_line(text, {"ping-pong", "16,960"}));
}

TEST_CASE("a library's steps and its workspace") {
    using Mode = cuda::Library<1024>;
    const std::string text = device_report_text<Model<ResidualNet, ResidualIn, Cuda<Mode, Grid>, Fastest>>();
    INFO(text);
    CHECK(has_line(text, {"8 steps in 8 launches"}));
    CHECK(has_line(text, {"2.body.3-4", "conv 3x3 + add + relu", "the grid", "apart"}));
    CHECK(has_line(text, {"8-9", "linear", "library", "apart"}));
    CHECK(has_line(text, {"workspace", "1,024"}));
}

TEST_CASE("small steps are one block's") {
    const std::string text = device_report_text<Model<GruNet, GruIn, Cuda<cuda::OneLaunch, Grid>>>();
    INFO(text);
    CHECK(has_line(text, {"gru", "one block", "the block"}));
}
