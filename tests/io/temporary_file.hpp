// SPDX-License-Identifier: MIT
// A path in the system's folder for temporary files, whose file is gone at the end of the test.
// Used by tests that load from or save to a path.
// Knows nothing of what is written there.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <system_error>

namespace tarn_test {

class TemporaryFile {
  public:
    TemporaryFile()
        : path_((std::filesystem::temp_directory_path() / ("tarn_file_" + std::to_string(std::random_device{}())))
                    .string()) {}
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::string& text() const { return path_; }
    const char* path() const { return path_.c_str(); }

  private:
    std::string path_;
};

} // namespace tarn_test
