// SPDX-License-Identifier: MIT
// JSON of numbers as published weights have it, and CSV: read whole, for tests of files written elsewhere.
// Used by tests/stream/rtneural_test.cpp. A file that is not what it should be fails the test.
// Knows nothing of tarn.
#pragma once

#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tarn_test {

/// A value: a number, a text (kept as written), a list or an object, whose items then have names.
struct JsonValue {
    double number = 0.0;
    std::string text;
    std::vector<JsonValue> items;
    std::vector<std::string> names;

    const JsonValue& operator[](const std::string& name) const {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return items[i];
        FAIL("no member " << name);
        return *this;
    }
    const JsonValue& operator[](std::size_t i) const {
        REQUIRE(i < items.size());
        return items[i];
    }
    /// All numbers in it, in the order written.
    std::vector<float> numbers() const {
        std::vector<float> all;
        collect(all);
        return all;
    }

  private:
    void collect(std::vector<float>& all) const {
        if (items.empty()) all.push_back(static_cast<float>(number));
        for (const JsonValue& item : items) item.collect(all);
    }
};

class JsonReader {
  public:
    explicit JsonReader(const std::string& text) : at_(text.c_str()) {}

    JsonValue value() {
        JsonValue made;
        const char first = next();
        if (first == '[') {
            list(']', [&] { made.items.push_back(value()); });
        } else if (first == '{') {
            list('}', [&] {
                made.names.push_back(word());
                REQUIRE(next() == ':');
                ++at_;
                made.items.push_back(value());
            });
        } else if (first == '"') {
            made.text = word();
        } else if (first == 'n' || first == 't' || first == 'f') {
            while (*at_ >= 'a' && *at_ <= 'z') made.text += *at_++;
        } else {
            char* end = nullptr;
            made.number = std::strtod(at_, &end);
            REQUIRE(end != at_);
            at_ = end;
        }
        return made;
    }

  private:
    char next() {
        while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
        return *at_;
    }
    template <class F> void list(char end, F item) {
        ++at_;
        while (next() != end) {
            item();
            if (next() == ',') ++at_;
        }
        ++at_;
    }
    std::string word() {
        REQUIRE(next() == '"');
        std::string made;
        for (++at_; *at_ != '"'; ++at_) {
            REQUIRE(*at_ != '\0');
            made += *at_;
        }
        ++at_;
        return made;
    }

    const char* at_;
};

inline bool has_file(const std::string& path) { return std::ifstream(path).good(); }
inline std::string text_of(const std::string& path) {
    std::ifstream file(path);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}
inline JsonValue read_json(const std::string& path) {
    INFO(path);
    const std::string text = text_of(path);
    return JsonReader(text).value();
}
/// All numbers of a CSV file, line after line.
inline std::vector<float> read_csv(const std::string& path) {
    INFO(path);
    const std::string text = text_of(path);
    std::vector<float> made;
    for (const char* at = text.c_str(); *at != '\0';) {
        char* end = nullptr;
        const double number = std::strtod(at, &end);
        if (end == at) {
            ++at; // a comma or the end of a line
            continue;
        }
        made.push_back(static_cast<float>(number));
        at = end;
    }
    return made;
}

} // namespace tarn_test
