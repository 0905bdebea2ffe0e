// SPDX-License-Identifier: MIT
// The subjects that a bench's program was built with: each lies in a translation unit of its own, since the compiler
// has much to do for one, and puts itself on the list before main. CMakeLists.txt writes those units.
// Knows nothing of networks.
#pragma once

#include <algorithm>
#include <vector>

namespace tarn_bench {

/// One subject: its place in the order of subjects.hpp, and what the bench asks it.
template <class Answer> struct Listed {
    int order;
    const char* name;
    Answer (*ask)();
};

/// The list, to be added to before main begins and then read in order.
template <class Answer> class SubjectList {
  public:
    static bool add(Listed<Answer> subject) {
        items().push_back(subject);
        return true;
    }
    static std::vector<Listed<Answer>> in_order() {
        std::vector<Listed<Answer>> sorted = items();
        std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
        return sorted;
    }

  private:
    static std::vector<Listed<Answer>>& items() {
        static std::vector<Listed<Answer>> list;
        return list;
    }
};

} // namespace tarn_bench
