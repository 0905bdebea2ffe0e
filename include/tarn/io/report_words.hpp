// SPDX-License-Identifier: MIT
// Words and figures for people: what an operation is called, numbers with their thousands apart, tables in columns.
// Beside report_values.hpp, which names a plan's parts with them; report.hpp and report_svg.hpp write them out.
// Knows Ops; nothing of plans.
#pragma once

#include <tarn/nn/op.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace tarn::detail {

/// "0.body.3", "0.body.4", "0", "0" as "0.body.3-4, 0".
class PathList {
  public:
    void add(const std::string& path) {
        if (!path.empty() && path == path_) return;
        path_ = path;
        const std::size_t dot = path.rfind('.');
        const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot + 1);
        int number = 0;
        const bool numbered = read_number(path.substr(parent.size()), number);
        if (numbered && in_run_ && parent == parent_ && number == last_ + 1) {
            text_.resize(run_begin_);
            text_ += "-" + std::to_string(number);
        } else if (!path.empty()) {
            text_ += (text_.empty() ? "" : ", ") + path;
            run_begin_ = text_.size();
        }
        in_run_ = numbered;
        parent_ = parent;
        last_ = number;
    }
    const std::string& text() const noexcept { return text_; }

  private:
    static bool read_number(const std::string& digits, int& number) noexcept {
        if (digits.empty() || digits.size() > 6) return false;
        for (const char c : digits) {
            if (c < '0' || c > '9') return false;
            number = 10 * number + (c - '0');
        }
        return true;
    }

    std::string text_, path_, parent_; // path_: the last one
    std::size_t run_begin_ = 0;
    int last_ = 0;
    bool in_run_ = false;
};

/// 1234567 as "1,234,567".
inline std::string grouped(std::size_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
    return digits;
}

/// A number with so many decimals, a point whatever the locale.
inline std::string decimal(double number, int decimals) {
    long scale = 1;
    for (int i = 0; i < decimals; ++i) scale *= 10;
    const bool negative = number < 0;
    const long scaled = static_cast<long>((negative ? -number : number) * static_cast<double>(scale) + 0.5);
    char text[48];
    std::snprintf(text, sizeof text, "%s%ld.%0*ld", negative && scaled > 0 ? "-" : "", scaled / scale, decimals,
                  scaled % scale);
    return text;
}

/// "1 step", "2 steps".
inline std::string counted(std::size_t count, const char* what) {
    return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

/// "4", "4 and 6", "4, 6 and 9".
inline std::string listed(const std::vector<int>& numbers) {
    std::string words;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        words += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
    return words;
}

/// "3" or "3-5".
inline std::string span_words(int first, int last) {
    return std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
}

inline std::string extents_words(const Extents& shape) {
    std::string words = "[";
    for (int i = 0; i < shape.rank; ++i) words += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return words + "]";
}

inline const char* activation_words(Activation act) noexcept {
    constexpr const char* words[] = {"none", "relu",      "relu6", "leaky relu", "sigmoid", "tanh",
                                     "gelu", "gelu tanh", "silu",  "hard swish", "elu"};
    return words[static_cast<int>(act)];
}

/// "3x3"; of a sequence, whose images are one pixel wide, "3".
inline std::string pair_words(const Op& op, int h, int w) {
    return std::to_string(h) + (op.in.rank == 2 ? "" : "x" + std::to_string(w));
}

/// A windowed kind with its window, as "conv 3x3 /2".
inline std::string window_words(const Op& op) {
    const Window& w = op.window;
    const bool conv = op.kind == OpKind::conv2d;
    const bool depthwise = conv && op.groups > 1 && op.groups == op.in.last();
    std::string words = conv                            ? depthwise ? "depthwise" : "conv"
                        : op.kind == OpKind::max_pool2d ? "max pool"
                                                        : "avg pool";
    words += " " + pair_words(op, w.kernel_h, w.kernel_w);
    if (conv && op.groups > 1 && !depthwise) words += " groups " + std::to_string(op.groups);
    if (op.winograd > 0) words += " by tiles of " + std::to_string(op.winograd);
    if (w.dilation_h > 1 || w.dilation_w > 1) words += " dilated " + pair_words(op, w.dilation_h, w.dilation_w);
    // A pool usually moves on by its own extents.
    const bool usual = conv ? w.stride_h == 1 && w.stride_w == 1 : w.stride_h == w.kernel_h && w.stride_w == w.kernel_w;
    if (usual) return words;
    return words + " /" +
           (w.stride_h == w.stride_w ? std::to_string(w.stride_h) : pair_words(op, w.stride_h, w.stride_w));
}

inline std::string kind_words(const Op& op) {
    const Window& w = op.window;
    switch (op.kind) {
    case OpKind::linear:
        return "linear";
    case OpKind::up_conv2d:
        return "up conv " + pair_words(op, w.kernel_h, w.kernel_w);
    case OpKind::upsample:
        return "upsample " + pair_words(op, w.stride_h, w.stride_w);
    case OpKind::batch_norm:
        return "batch norm";
    case OpKind::activation:
        return activation_words(op.act);
    case OpKind::softmax:
        return "softmax";
    case OpKind::layer_norm:
        return "layer norm";
    case OpKind::flatten:
        return "flatten";
    case OpKind::flatten_pytorch:
        return "permute";
    case OpKind::add:
        return "add";
    case OpKind::mul:
        return op.broadcast ? "mul by one pixel" : "mul";
    case OpKind::gru:
        return "gru";
    case OpKind::lstm:
        return "lstm";
    case OpKind::copy:
        return "copy";
    case OpKind::concat:
        return "concat";
    case OpKind::slice:
        return "slice";
    case OpKind::input:
        return "input";
    case OpKind::avg_pool2d:
        if (op.out.rows() == 1 && op.in.rank == 3 && w.kernel_h == op.in[0] && w.kernel_w == op.in[1])
            return "global avg pool";
        return window_words(op);
    case OpKind::max_pool2d:
    case OpKind::conv2d:
        break;
    }
    return window_words(op);
}

/// Lines of cells in columns; `sides` says l or r for each column.
class TextTable {
  public:
    explicit TextTable(const char* sides) : sides_(sides), widths_(sides_.size()) {}

    void row(std::vector<std::string> cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (cells[i].size() > widths_[i]) widths_[i] = cells[i].size();
        rows_.push_back(std::move(cells));
    }
    std::string text() const {
        std::string text;
        for (const std::vector<std::string>& cells : rows_) {
            std::string line;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                const std::string gap(widths_[i] - cells[i].size(), ' ');
                line += "  " + (sides_[i] == 'r' ? gap + cells[i] : cells[i] + gap);
            }
            line.resize(line.find_last_not_of(' ') + 1);
            text += line + "\n";
        }
        return text;
    }

  private:
    std::string sides_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace tarn::detail
