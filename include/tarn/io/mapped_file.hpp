// SPDX-License-Identifier: MIT
// A file's bytes, read-only: mapped where the system can (POSIX), read into memory elsewhere.
// First in the way of weights: file -> bytes -> safetensors or packed weights.
// Knows nothing of what the bytes mean.
#pragma once

#include <tarn/io/result.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <cstring>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <cstdio>
#include <memory>
#include <new>
#endif

namespace tarn {

namespace detail {

template <class = void> Error cannot_read(const char* path, std::string_view reason) {
    return Error{joined({"cannot read ", path, ": ", reason})};
}

template <class = void> Error cannot_read(const char* path, int reason) {
    return cannot_read(path, std::string_view(std::strerror(reason)));
}

} // namespace detail

/// The bytes of a file, for as long as this lives. The file must not be cut shorter meanwhile.
/// Memory: on POSIX none of its own: pages of the file, shared with every process that maps it; elsewhere a copy.
/// Errors: missing, unreadable, a directory or other non-file, empty, too large to map: the path and the reason.
class MappedFile {
  public:
    static Result<MappedFile> open(const char* path);

    std::span<const std::byte> bytes() const noexcept { return {data(), size_}; }

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    MappedFile(MappedFile&& from) noexcept
        : owner_(std::exchange(from.owner_, nullptr)), size_(std::exchange(from.size_, 0)) {}
    MappedFile& operator=(MappedFile&& from) noexcept {
        std::swap(owner_, from.owner_);
        std::swap(size_, from.size_);
        return *this;
    }

#if defined(__unix__) || defined(__APPLE__)
    ~MappedFile() {
        if (owner_ != nullptr) ::munmap(owner_, size_);
    }

  private:
    const std::byte* data() const noexcept { return static_cast<const std::byte*>(owner_); }

    void* owner_ = nullptr;
#else
    ~MappedFile() = default;

  private:
    const std::byte* data() const noexcept { return owner_.get(); }

    std::unique_ptr<std::byte[]> owner_;
#endif
    MappedFile() = default;

    std::size_t size_ = 0;
};

#if defined(__unix__) || defined(__APPLE__)

inline Result<MappedFile> MappedFile::open(const char* path) {
    // Without O_NONBLOCK a named pipe would keep us waiting for a writer; on a regular file it says nothing.
    const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return detail::cannot_read(path, errno);
    struct Closer {
        int file;
        ~Closer() { ::close(file); }
    } const closer{file};

    struct stat facts {};
    if (::fstat(file, &facts) != 0) return detail::cannot_read(path, errno);
    if (S_ISDIR(facts.st_mode)) return detail::cannot_read(path, EISDIR);
    if (!S_ISREG(facts.st_mode)) return detail::cannot_read(path, "it is not a regular file");
    if (facts.st_size <= 0) return detail::cannot_read(path, "it is empty");
    if (static_cast<std::uintmax_t>(facts.st_size) > std::numeric_limits<std::size_t>::max() / 2)
        return detail::cannot_read(path, EFBIG);

    MappedFile mapped;
    const auto size = static_cast<std::size_t>(facts.st_size);
    void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) return detail::cannot_read(path, errno);
    mapped.owner_ = bytes;
    mapped.size_ = size;
    return Result<MappedFile>(std::move(mapped)); // spelt out: nvcc would copy
}

#else

inline Result<MappedFile> MappedFile::open(const char* path) {
    struct Closer {
        std::FILE* file;
        ~Closer() {
            if (file != nullptr) std::fclose(file);
        }
    } const closer{std::fopen(path, "rb")};
    if (closer.file == nullptr) return detail::cannot_read(path, errno);
    if (std::fseek(closer.file, 0, SEEK_END) != 0) return detail::cannot_read(path, errno);
    const long end = std::ftell(closer.file);
    if (end < 0) return detail::cannot_read(path, errno);
    if (end == std::numeric_limits<long>::max()) return detail::cannot_read(path, "it is not a regular file");
    if (end == 0) return detail::cannot_read(path, "it is empty");
    std::rewind(closer.file);

    MappedFile read;
    read.size_ = static_cast<std::size_t>(end);
    read.owner_.reset(new (std::nothrow) std::byte[read.size_]);
    if (!read.owner_) return detail::cannot_read(path, ENOMEM);
    if (std::fread(read.owner_.get(), 1, read.size_, closer.file) != read.size_)
        return detail::cannot_read(path, "it cannot be read to its end; is it a directory or being written?");
    return Result<MappedFile>(std::move(read));
}

#endif

} // namespace tarn
