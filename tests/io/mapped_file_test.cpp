// SPDX-License-Identifier: MIT
// Files: mapped whole, written whole, and every way in which a path can disappoint.
// Tests include/tarn/io/mapped_file.hpp and write_file of safetensors_write.hpp.
// Knows nothing of what the bytes mean.
#include "support/catch.hpp"

#include <tarn/io/mapped_file.hpp>
#include <tarn/io/safetensors_write.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#include <unistd.h>
#endif

using tarn::MappedFile;

static_assert(!std::is_copy_constructible_v<MappedFile>);
static_assert(std::is_nothrow_move_constructible_v<MappedFile> && std::is_nothrow_move_assignable_v<MappedFile>);

namespace {

/// A folder of this test's own, gone at its end.
class Folder {
  public:
    explicit Folder(const std::filesystem::path& place = std::filesystem::temp_directory_path())
        : path_(place / ("tarn_io_" + std::to_string(std::random_device{}()))) {
        std::error_code ignored; // a test that writes here finds out
        std::filesystem::create_directory(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string operator/(const char* name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }
    std::ptrdiff_t files() const { return std::distance(std::filesystem::directory_iterator(path_), {}); }

  private:
    std::filesystem::path path_;
};

std::vector<std::byte> bytes_counting_to(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
    return bytes;
}

void refused(const std::string& path, std::string_view reason, const tarn::Result<MappedFile>& file) {
    REQUIRE_FALSE(file);
    INFO(file.error().text);
    CHECK(file.error().text.find(path) != std::string::npos);
    CHECK(file.error().text.find(reason) != std::string::npos);
}

void refused(const std::string& path, std::string_view reason) {
    refused(path, reason, MappedFile::open(path.c_str()));
}

} // namespace

TEST_CASE("mapped file: the bytes that were written", "[io]") {
    const Folder folder;
    const std::string path = folder / "x.bin";
    for (const std::size_t size : std::initializer_list<std::size_t>{1, 4095, 4096, 100'000}) {
        const auto bytes = bytes_counting_to(size);
        REQUIRE(tarn::write_file(path.c_str(), bytes));
        const auto file = MappedFile::open(path.c_str());
        REQUIRE(file);
        CHECK(std::ranges::equal(file->bytes(), bytes));
    }
    CHECK(folder.files() == 1); // no partial file stays behind
}

TEST_CASE("mapped file: moves keep the bytes and release them once", "[io]") {
    const Folder folder;
    const std::string path = folder / "x.bin", other_path = folder / "y.bin";
    const auto bytes = bytes_counting_to(5000);
    REQUIRE(tarn::write_file(path.c_str(), bytes));
    REQUIRE(tarn::write_file(other_path.c_str(), std::span(bytes).first(10)));
    auto first = MappedFile::open(path.c_str());
    auto other = MappedFile::open(other_path.c_str());
    REQUIRE((first && other));
    const std::byte* const where = first->bytes().data();
    MappedFile second = *std::move(first);
    CHECK(second.bytes().data() == where);
    CHECK(first->bytes().empty());
    *other = std::move(second);
    CHECK(other->bytes().data() == where);
    CHECK(std::ranges::equal(other->bytes(), bytes));
}

TEST_CASE("mapped file: a file replaced while mapped stays as it was", "[io]") {
    const Folder folder;
    const std::string path = folder / "x.bin";
    const auto bytes = bytes_counting_to(9000);
    REQUIRE(tarn::write_file(path.c_str(), bytes));
    const auto file = MappedFile::open(path.c_str());
    REQUIRE(file);
    REQUIRE(tarn::write_file(path.c_str(), std::span(bytes).first(1)));
    CHECK(std::ranges::equal(file->bytes(), bytes));
}

TEST_CASE("mapped file: missing, empty, a folder", "[io]") {
    const Folder folder;
    refused(folder / "nothing", "No such file");
    refused("", "No such file");
    const std::string empty = folder / "empty";
    REQUIRE(tarn::write_file(empty.c_str(), {}));
    refused(empty, "it is empty");
    refused(folder.path(), "directory");
}

TEST_CASE("write file: where it cannot be written, path and reason, and nothing is left", "[io]") {
    const Folder folder;
    const auto bytes = bytes_counting_to(10);
    const std::string nowhere = folder / "no/such/x.bin";
    const auto missing = tarn::write_file(nowhere.c_str(), bytes);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().text == "cannot create " + nowhere + ": No such file or directory");

    const std::string taken = folder / "taken";
    std::filesystem::create_directory(taken);
    const auto directory = tarn::write_file(taken.c_str(), bytes);
    REQUIRE_FALSE(directory);
    INFO(directory.error().text);
    CHECK(directory.error().text.starts_with("cannot write " + taken + ": "));
    CHECK(folder.files() == 1);
}

#if defined(__unix__) || defined(__APPLE__)

TEST_CASE("mapped file: a named pipe is refused at once", "[io]") {
    const Folder folder;
    const std::string pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    refused(pipe, "not a regular file");
}

TEST_CASE("mapped file: an unreadable file", "[io]") {
    const Folder folder;
    const std::string path = folder / "x.bin";
    REQUIRE(tarn::write_file(path.c_str(), bytes_counting_to(10)));
    REQUIRE(::chmod(path.c_str(), 0) == 0);
    // The superuser may read everything, so it steps down to "nobody" for as long as the test takes.
    const bool superuser = ::geteuid() == 0;
    if (superuser && ::seteuid(65534) != 0) return tarn_test::skip("this user may read every file");
    const auto file = MappedFile::open(path.c_str());
    if (superuser) REQUIRE(::seteuid(0) == 0);
    refused(path, "Permission denied", file);
}

TEST_CASE("mapped file: a file beyond the address space", "[io]") {
    // Sparse: takes no room. Many file systems end far below; those in memory usually do not.
    for (const std::filesystem::path& place :
         {std::filesystem::temp_directory_path(), std::filesystem::path("/dev/shm")}) {
        const Folder folder(place);
        const std::string path = folder / "huge";
        if (!tarn::write_file(path.c_str(), bytes_counting_to(1))) continue;
        if (::truncate(path.c_str(), std::numeric_limits<off_t>::max() / 2) == 0) return refused(path, "memory");
    }
    tarn_test::skip("no file system here has files of 2^62 bytes");
}

#endif
