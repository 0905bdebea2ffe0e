// SPDX-License-Identifier: MIT
// A part's rows as they come: kept in JSON after each, printed as a table at the end, whatever stopped the part.
// Between a part's main and table.hpp. Knows which exit codes run.sh reads; nothing of what is measured.
#pragma once

#include "device.hpp"
#include "table.hpp"

#include <exception>

namespace tarn_bench {

/// Words go into JSON as they are.
inline std::string plain(std::string text) {
    for (char& letter : text)
        if (letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < ' ') letter = '\'';
    return text;
}

class Report {
  public:
    Report(const char* title, const char* json) : table_(title), json_(json) {}

    void add(std::string name, std::vector<Figure> figures) {
        for (Figure& figure : figures) {
            figure.word = plain(std::move(figure.word));
            if (figure.word.empty() && !std::isfinite(figure.value)) figure.word = "infinite";
        }
        table_.add(plain(std::move(name)), std::move(figures));
        if (json_ != nullptr && !Table::write({&table_}, json_)) json_ = nullptr;
    }
    /// A row that passed or did not, which makes the part fail; compared: whether there was anything to judge by.
    void judge(std::string name, std::vector<Figure> figures, bool passed, bool compared = true) {
        if (!compared) {
            figures.push_back(Figure::missing("verdict"));
            return add(std::move(name), std::move(figures));
        }
        figures.push_back(Figure::said("verdict", passed ? "pass" : "FAIL"));
        failed_ = failed_ || !passed;
        add(std::move(name), std::move(figures));
    }
    /// Runs what one row or a few come of; says so in a row where CUDA stops it, and whether the next may go on.
    template <class Work> void attempt(const std::string& name, const Work& work) {
        try {
            work();
        } catch (const Fault& fault) {
            stopped(name, fault.text);
            // A kernel that went astray leaves every later call of the process failing.
            if (cudaDeviceSynchronize() != cudaSuccess) throw;
            static_cast<void>(cudaGetLastError());
        }
    }
    void stopped(const std::string& name, const std::string& text) {
        failed_ = true;
        add(name, {Figure::said("stopped", text)});
    }
    int finish() const {
        table_.print();
        return failed_ ? 1 : 0;
    }

  private:
    Table table_;
    const char* json_;
    bool failed_ = false;
};

/// A part's main: 77 without a card, 1 where a row failed or something stopped it.
template <class Part> int run_part(const char* title, int argc, char** argv, const Part& part) {
    int devices = 0;
    if (const cudaError_t found = cudaGetDeviceCount(&devices); found != cudaSuccess || devices == 0) {
        std::printf("skipped: there is no CUDA device: %s\n", cudaGetErrorString(found));
        return 77;
    }
    Report report(title, argc > 1 ? argv[1] : nullptr);
    try {
        part(report);
    } catch (const Fault& fault) {
        report.stopped(title, fault.text);
    } catch (const std::exception& error) {
        report.stopped(title, error.what());
    }
    return report.finish();
}

} // namespace tarn_bench
