// SPDX-License-Identifier: MIT
// A strict reader of the little JSON that a safetensors header uses: objects, arrays, strings, natural numbers.
// Between the bytes of a header and safetensors.hpp, which asks for what the format allows at each place.
// Knows nothing of tensors. It never recurses, so a hostile depth costs nothing.
#pragma once

#include <tarn/io/result.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Templates only so that a program which includes tarn and loads nothing does not pay for compiling them.
namespace tarn::detail {

/// Text from a file made fit for a message: in quotes, unprintable bytes as \xNN, at most about 100 bytes of it.
template <class = void> std::string quoted(std::string_view text) {
    constexpr std::size_t most_bytes = 100;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string shown = "\"";
    for (const char c : text.substr(0, most_bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
            shown += "\\x";
            shown += digits[byte >> 4];
            shown += digits[byte & 15];
        } else {
            shown += c;
        }
    }
    shown += text.size() > most_bytes ? "...\"" : "\"";
    return shown;
}

/// Bytes of the UTF-8 sequence at the front of `text`, 0 where it is not one (overlong, surrogate, beyond U+10FFFF).
template <class = void> std::size_t utf8_sequence_bytes(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    const unsigned first = byte(0);
    const unsigned second = byte(1);
    if (first < 0x80) return text.empty() ? 0 : 1;
    if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const bool lasting = follows(1) && !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second > 0x9f);
        return lasting && follows(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool lasting = follows(1) && !(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second > 0x8f);
        return lasting && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

/// A cursor over JSON text. Every function returns false after the first fault, which `fault()` then describes.
template <class> class BasicJsonText {
  public:
    explicit BasicJsonText(std::string_view text) : text_(text) {}

    const std::string& fault() const { return fault_; }

    /// Decoded strings live here: whoever keeps the views of `string` keeps this too. A move leaves the views valid.
    std::vector<char> take_decoded() { return std::move(decoded_); }

    bool fail(std::string_view what) {
        if (fault_.empty()) fault_ = joined({what, ", at byte ", std::to_string(at_), " of the header"});
        return false;
    }

    /// `{ "key": member, ... }`: `member(key)` stands behind the colon and reads the value.
    template <class Member> bool object(Member&& member) {
        if (!expect('{', "'{'")) return false;
        if (take('}')) return true;
        do {
            std::string_view key;
            if (!string(key) || !expect(':', "':' after the key") || !member(key)) return false;
        } while (take(','));
        return expect('}', "',' or '}'");
    }

    /// `[ element, ... ]`: `element()` reads one.
    template <class Element> bool array(Element&& element) {
        if (!expect('[', "'['")) return false;
        if (take(']')) return true;
        do {
            if (!element()) return false;
        } while (take(','));
        return expect(']', "',' or ']'");
    }

    /// A string, as a view of the text itself or, where it holds escapes, of its decoded form.
    bool string(std::string_view& to) {
        if (!expect('"', "a string")) return false;
        const std::size_t first = string_first_ = at_;
        bool has_escapes = false;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (static_cast<unsigned char>(text_[at_]) < 0x20) return fail_in_string("control character");
            if (text_[at_] == '\\') {
                has_escapes = true;
                at_ += at_ + 1 < text_.size() ? 2 : 1;
                continue;
            }
            const std::size_t bytes = utf8_sequence_bytes(text_.substr(at_));
            if (bytes == 0) return fail_in_string("not UTF-8");
            at_ += bytes;
        }
        if (at_ == text_.size()) return fail_in_string("no closing quote");
        to = text_.substr(first, at_ - first);
        if (has_escapes && !decode(to)) return false;
        ++at_;
        return true;
    }

    /// A whole number without sign, point or exponent, at most `most`.
    bool natural(std::uint64_t& to, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
        skip_space();
        if (peek() == '-') return fail("negative number where 0 or more is wanted");
        if (!is_digit(peek())) return fail("wanted a whole number");
        const bool leading_zero = peek() == '0';
        std::uint64_t value = 0;
        for (const std::size_t first = at_; is_digit(peek()); ++at_) {
            const auto digit = static_cast<std::uint64_t>(peek() - '0');
            if (leading_zero && at_ > first) return fail("number with a leading zero");
            if (value > (most - digit) / 10) return fail("number too large");
            value = value * 10 + digit;
        }
        if (peek() == '.' || peek() == 'e' || peek() == 'E') return fail("fraction or exponent in a whole number");
        to = value;
        return true;
    }

    /// True where only the spaces that pad a header are left.
    bool ends_in_padding() {
        while (peek() == ' ') ++at_;
        return at_ == text_.size() || fail("something other than padding spaces after the last '}'");
    }

  private:
    static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

    // A NUL stands for the end; a NUL in the text is refused wherever it appears, so the two need no telling apart.
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_space() noexcept {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
    }

    bool take(char wanted) noexcept {
        skip_space();
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    bool expect(char wanted, const char* in_words) {
        return take(wanted) || fail(joined({at_ < text_.size() ? "wanted " : "header ends and wanted ", in_words}));
    }

    bool fail_in_string(const char* what) {
        return fail(
            joined({"string that begins ", quoted(text_.substr(string_first_, at_ - string_first_)), ": ", what}));
    }

    // `text` is the string just found, still as it was written: replaces it by its decoded form.
    bool decode(std::string_view& text) {
        // No escape is shorter than what it stands for, so one reservation serves the header and no view ever moves.
        if (decoded_.capacity() == 0) decoded_.reserve(text_.size());
        const std::size_t begin = decoded_.size();
        const std::size_t end = at_;
        for (at_ = string_first_; at_ < end;) {
            if (text_[at_] != '\\') {
                decoded_.push_back(text_[at_++]);
            } else if (!decode_escape()) {
                return false;
            }
        }
        text = std::string_view(decoded_.data() + begin, decoded_.size() - begin);
        return true;
    }

    bool decode_escape() {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        const char letter = text_[at_ + 1]; // exists: a string's closing quote is never escaped
        if (const std::size_t i = letters.find(letter); i != std::string_view::npos) {
            decoded_.push_back(meanings[i]);
            at_ += 2;
            return true;
        }
        std::uint32_t point = 0;
        if (!unicode_escape(point)) return false;
        if (point >= 0xdc00 && point <= 0xdfff) return fail_in_string("unpaired surrogate");
        if (point >= 0xd800 && point <= 0xdbff) {
            std::uint32_t low = 0;
            if (peek() != '\\' || text_[at_ + 1] != 'u' || !unicode_escape(low) || low < 0xdc00 || low > 0xdfff)
                return fail_in_string("unpaired surrogate");
            point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        }
        append_utf8(point);
        return true;
    }

    // `\uXXXX`, six bytes. Reading past the string's end meets the quote, which is no hexadecimal digit.
    bool unicode_escape(std::uint32_t& to) {
        if (text_[at_ + 1] != 'u') return fail_in_string("unknown escape");
        at_ += 2;
        to = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = peek();
            const char letter = static_cast<char>(c | 0x20);
            if (is_digit(c)) {
                to = to * 16 + static_cast<std::uint32_t>(c - '0');
            } else if (letter >= 'a' && letter <= 'f') {
                to = to * 16 + static_cast<std::uint32_t>(letter - 'a' + 10);
            } else {
                return fail_in_string("escape \\u without four hexadecimal digits");
            }
        }
        return true;
    }

    void append_utf8(std::uint32_t point) {
        const auto put = [&](std::uint32_t byte) { decoded_.push_back(static_cast<char>(byte)); };
        if (point < 0x80) {
            put(point);
        } else if (point < 0x800) {
            put(0xc0 | (point >> 6));
            put(0x80 | (point & 0x3f));
        } else if (point < 0x10000) {
            put(0xe0 | (point >> 12));
            put(0x80 | ((point >> 6) & 0x3f));
            put(0x80 | (point & 0x3f));
        } else {
            put(0xf0 | (point >> 18));
            put(0x80 | ((point >> 12) & 0x3f));
            put(0x80 | ((point >> 6) & 0x3f));
            put(0x80 | (point & 0x3f));
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t string_first_ = 0;
    std::string fault_;
    std::vector<char> decoded_;
};
using JsonText = BasicJsonText<void>;

} // namespace tarn::detail
