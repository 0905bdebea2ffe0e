// SPDX-License-Identifier: MIT
// A bench's result: rows of named figures with units, printed as a table and written as JSON.
// Every bench ends in one. Knows nothing of what is measured.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace tarn_bench {

/// One figure: its column's name with the unit in it, as arena_bytes or forward_ns.
struct Figure {
    std::string column;
    double value;
};

class Table {
  public:
    explicit Table(std::string title) : title_(std::move(title)) {}

    void add(std::string name, std::vector<Figure> figures) { rows_.push_back({std::move(name), std::move(figures)}); }

    /// Prints the table; writes the JSON too when a path is given. False, with the reason printed, when it cannot.
    bool finish(const char* json_path) const {
        std::printf("%s\n", title_.c_str());
        for (const Row& row : rows_) {
            std::printf("  %-34s", row.name.c_str());
            for (const Figure& figure : row.figures) std::printf("  %s %.6g", figure.column.c_str(), figure.value);
            std::printf("\n");
        }
        if (json_path == nullptr) return true;
        std::FILE* const file = std::fopen(json_path, "w");
        if (file == nullptr) return std::perror(json_path), false;
        std::fputs("[", file);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            std::fprintf(file, "%s\n  {\"name\": \"%s\"", i > 0 ? "," : "", rows_[i].name.c_str());
            for (const Figure& figure : rows_[i].figures)
                std::fprintf(file, ", \"%s\": %.9g", figure.column.c_str(), figure.value);
            std::fputs("}", file);
        }
        std::fputs("\n]\n", file);
        return std::fclose(file) == 0;
    }

  private:
    struct Row {
        std::string name;
        std::vector<Figure> figures;
    };
    std::string title_;
    std::vector<Row> rows_;
};

} // namespace tarn_bench
