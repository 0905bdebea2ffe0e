// SPDX-License-Identifier: MIT
// A reader of the XML that reports are written in: its elements, or the first place where it is not well formed.
// For the tests of this folder. Knows nothing of what is drawn.
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tarn_test {

struct Element {
    std::string tag;
    std::map<std::string, std::string> attributes;
    std::string text; ///< its own and its children's
};

/// Reads an XML text without comments: elements in the order of their starts, and the first fault.
class Xml {
  public:
    explicit Xml(std::string_view text) : text_(text) { read(); }

    std::vector<Element> elements;
    std::string fault;

    std::vector<Element> of_class(const std::string& wanted) const {
        std::vector<Element> found;
        for (const Element& element : elements)
            if (const auto i = element.attributes.find("class"); i != element.attributes.end() && i->second == wanted)
                found.push_back(element);
        return found;
    }

  private:
    void read() {
        std::vector<std::size_t> open;
        while (at_ < text_.size()) {
            if (text_[at_] != '<') {
                const std::string words = plain('<');
                for (const std::size_t i : open) elements.at(i).text += words;
                if (open.empty() && words.find_first_not_of('\n') != std::string::npos) fail("text outside");
            } else if (take("</")) {
                const std::string tag = name();
                if (open.empty() || elements.at(open.back()).tag != tag || !take(">")) return fail("</" + tag);
                open.pop_back();
            } else {
                ++at_;
                if (open.empty() && !elements.empty()) return fail("a second root");
                Element element;
                element.tag = name();
                while (take(" ")) {
                    const std::string key = name();
                    if (!take("=\"")) return fail("attribute " + key);
                    if (!element.attributes.emplace(key, plain('"')).second) return fail("twice: " + key);
                    if (!take("\"")) return fail("quote after " + key);
                }
                const bool closed = take("/");
                if (element.tag.empty() || !take(">")) return fail("<" + element.tag);
                elements.push_back(std::move(element));
                if (!closed) open.push_back(elements.size() - 1);
            }
            if (!fault.empty()) return;
        }
        if (elements.empty() || !open.empty()) fail("left open");
    }
    void fail(const std::string& reason) { fault = reason + " at " + std::to_string(at_); }
    bool take(std::string_view wanted) {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }
    std::string name() {
        std::string made;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-'))
            made += text_[at_++];
        return made;
    }
    /// Characters up to `end`, entities resolved.
    std::string plain(char end) {
        std::string made;
        while (at_ < text_.size() && text_[at_] != end) {
            if (text_[at_] == '<') fail("<");
            if (take("&amp;"))
                made += '&';
            else if (take("&lt;"))
                made += '<';
            else if (take("&gt;"))
                made += '>';
            else if (take("&quot;"))
                made += '"';
            else if (text_[at_] == '&')
                return fail("&"), made;
            else
                made += text_[at_++];
        }
        return made;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace tarn_test
