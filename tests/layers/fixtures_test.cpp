// SPDX-License-Identifier: MIT
// No case of the fixtures is forgotten: each is named by a test in this folder.
// Reads the fixtures' keys and the tests' own text.
// Knows nothing of layers.
#include "support/fixture.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace {

/// The text of every test in this folder but this one.
std::string text_of_tests() {
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(TARN_SOURCE_DIR "/tests/layers")) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with("_test.cpp") || name == "fixtures_test.cpp") continue;
        std::ifstream file(entry.path());
        text.append(std::istreambuf_iterator<char>(file), {});
    }
    return text;
}

/// The networks' and the streams' fixtures have tests in folders of their own, which go through all their cases.
bool named_elsewhere(const std::string& family) { return family == "zoo" || family == "stream"; }

std::vector<std::string> families() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TARN_SOURCE_DIR "/tests/fixtures"))
        if (entry.path().extension() == ".safetensors" && !named_elsewhere(entry.path().stem().string()))
            names.push_back(entry.path().stem().string());
    return names;
}

} // namespace

TEST_CASE("every case of every fixture file is named by a test", "[layers]") {
    const std::string text = text_of_tests();
    REQUIRE(families().size() >= 8);
    for (const std::string& family : families()) {
        INFO(family);
        CHECK(text.find("Fixtures file(\"" + family + "\")") != std::string::npos);
        const tarn_test::Fixtures file(family);
        std::set<std::string> cases;
        for (const tarn::TensorView& tensor : file.tensors())
            cases.emplace(tensor.name.substr(0, tensor.name.find('/')));
        CHECK_FALSE(cases.empty());
        for (const std::string& name : cases) {
            INFO(name);
            CHECK(text.find('"' + name + '"') != std::string::npos);
        }
    }
}
