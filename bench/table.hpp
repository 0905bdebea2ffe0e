// SPDX-License-Identifier: MIT
// A bench's result: rows of named figures with units, printed as a table and written as JSON.
// Every bench ends in one. Knows nothing of what is measured.
#pragma once

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace tarn_bench {

/// One figure: its column's name with the unit in it, as arena_bytes or forward_ns; or a word instead of a number.
struct Figure {
    std::string column;
    double value = 0;
    std::string word{};

    /// A word, as a verdict; none at all where nothing is known.
    static Figure said(std::string column, std::string word) { return {std::move(column), 0, std::move(word)}; }
    static Figure missing(std::string column) { return said(std::move(column), "-"); }

    std::string text() const {
        if (!word.empty()) return word;
        char digits[40];
        const bool whole = value == static_cast<double>(static_cast<long long>(value)) && value > -1e15 && value < 1e15;
        std::snprintf(digits, sizeof digits, whole ? "%.0f" : "%.4g", value);
        return digits;
    }
    std::string json() const {
        if (word == "-") return "null";
        if (!word.empty()) return '"' + word + '"';
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.9g", value);
        return digits;
    }
};

class Table {
  public:
    explicit Table(std::string title) : title_(std::move(title)) {}

    void add(std::string name, std::vector<Figure> figures) { rows_.push_back({std::move(name), std::move(figures)}); }

    /// Prints the table; writes the JSON too when a path is given. False, with the reason printed, when it cannot.
    bool finish(const char* json_path) const {
        print();
        return json_path == nullptr || write({this}, json_path);
    }

    /// Rows of equal columns stand under one head, whose names are broken at their underscores.
    void print() const {
        std::printf("%s\n", title_.c_str());
        for (std::size_t first = 0; first < rows_.size();) {
            std::size_t end = first + 1;
            while (end < rows_.size() && same_columns(rows_[first], rows_[end])) ++end;
            print_block(first, end);
            first = end;
        }
    }

    /// The rows of several tables in one JSON file.
    static bool write(std::initializer_list<const Table*> tables, const char* path) {
        std::FILE* const file = std::fopen(path, "w");
        if (file == nullptr) return std::perror(path), false;
        const char* before = "[";
        for (const Table* table : tables) {
            for (const Row& row : table->rows_) {
                std::fprintf(file, "%s\n  {\"name\": \"%s\"", before, row.name.c_str());
                for (const Figure& figure : row.figures)
                    std::fprintf(file, ", \"%s\": %s", figure.column.c_str(), figure.json().c_str());
                std::fputs("}", file);
                before = ",";
            }
        }
        std::fprintf(file, "%s\n]\n", *before == '[' ? "[" : "");
        return std::fclose(file) == 0;
    }

  private:
    struct Row {
        std::string name;
        std::vector<Figure> figures;
    };

    static bool same_columns(const Row& a, const Row& b) {
        return std::equal(a.figures.begin(), a.figures.end(), b.figures.begin(), b.figures.end(),
                          [](const Figure& x, const Figure& y) { return x.column == y.column; });
    }
    static std::vector<std::string> words(const std::string& column) {
        std::vector<std::string> parts(1);
        for (const char letter : column) letter == '_' ? parts.emplace_back() : parts.back() += letter;
        return parts;
    }

    /// Rows [first, end), as many of their columns at a time as a line holds.
    void print_block(std::size_t first, std::size_t end) const {
        const std::size_t columns = rows_[first].figures.size();
        std::size_t name_width = 0;
        for (std::size_t r = first; r < end; ++r) name_width = std::max(name_width, rows_[r].name.size());
        for (std::size_t from = 0; from < columns || from == 0;) {
            std::vector<std::size_t> widths;
            std::size_t used = 2 + name_width;
            for (std::size_t c = from; c < columns; ++c) {
                const std::size_t width = width_of(c, first, end);
                if (c > from && used + 2 + width > line_width) break;
                widths.push_back(width);
                used += 2 + width;
            }
            if (from > 0) std::printf("\n");
            print_columns(first, end, from, widths, static_cast<int>(name_width));
            from += widths.size() + (columns == 0 ? 1 : 0);
        }
    }
    std::size_t width_of(std::size_t column, std::size_t first, std::size_t end) const {
        std::size_t width = 0;
        for (const std::string& word : words(rows_[first].figures[column].column)) width = std::max(width, word.size());
        for (std::size_t r = first; r < end; ++r) width = std::max(width, rows_[r].figures[column].text().size());
        return width;
    }
    void print_columns(std::size_t first, std::size_t end, std::size_t from, const std::vector<std::size_t>& widths,
                       int name_width) const {
        std::vector<std::vector<std::string>> heads;
        std::size_t lines = 0;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            heads.push_back(words(rows_[first].figures[from + i].column));
            lines = std::max(lines, heads[i].size());
        }
        const auto cell = [&](std::size_t i, const std::string& text) {
            std::printf("  %*s", static_cast<int>(widths[i]), text.c_str());
        };
        for (std::size_t line = 0; line < lines; ++line) {
            std::printf("  %-*s", name_width, "");
            for (std::size_t i = 0; i < widths.size(); ++i) {
                const std::size_t above = lines - heads[i].size(); // heads stand on the rows
                cell(i, line >= above ? heads[i][line - above] : "");
            }
            std::printf("\n");
        }
        for (std::size_t r = first; r < end; ++r) {
            std::printf("  %-*s", name_width, rows_[r].name.c_str());
            for (std::size_t i = 0; i < widths.size(); ++i) cell(i, rows_[r].figures[from + i].text());
            std::printf("\n");
        }
    }

    static constexpr std::size_t line_width = 170;

    std::string title_;
    std::vector<Row> rows_;
};

} // namespace tarn_bench
