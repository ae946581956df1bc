#include "sm/store/atomic_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <streambuf>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/file_reader.h"
#include "mad/format.h"

namespace sm {
namespace {

/// Holds a file descriptor and closes it.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// A full disk or a network file system may report its error only on close().
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

mode_t current_umask() {  // umask() changes the value that it returns; /proc, if mounted, has it
                          // without the race
  if (std::FILE* status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    long mask = -1;
    while (mask < 0 && std::fgets(line, sizeof line, status) != nullptr)
      if (std::string_view(line).starts_with("Umask:")) mask = std::strtol(line + 6, nullptr, 8);
    std::fclose(status);
    if (mask >= 0) return static_cast<mode_t>(mask & 0777);
  }
  return 022;
}

}  // namespace

namespace {

/// Writes the output of a stream to a file descriptor. errno has the first error.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int fd) : fd_(fd) {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }

  bool flush() {
    if (failed_) errno = failed_;
    if (failed_ != 0) return false;
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    if (!write_all(fd_, {pbase(), size})) failed_ = errno;
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return failed_ == 0;
  }

 private:
  int_type overflow(int_type c) override {
    if (!flush()) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override { return flush() ? 0 : -1; }

  const int fd_;
  int failed_ = 0;
  std::array<char, 65536> bytes_{};
};

}  // namespace

std::string errno_text(int error) { return std::generic_category().message(error); }

namespace {

/// Replaces a file. `write` puts the content into a file descriptor; it returns false, with the
/// reason in errno, if that fails.
template <class Write>
tl::expected<void, std::string> replace_file(const std::filesystem::path& path, Write&& write,
                                             bool fsync, unsigned mode) {
  const auto failed = [&](std::string_view step, int error) {
    return tl::unexpected(
        fmt::format("cannot write {}: {}: {}", path.string(), step, errno_text(error)));
  };
  std::string temporary = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return failed("create a temporary file beside it", errno);
  const auto give_up = [&](std::string_view step) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return failed(step, error);
  };
  if (::fchmod(file.get(), static_cast<mode_t>(mode) & ~current_umask()) != 0)
    return give_up("chmod");
  if (!write(file.get())) return give_up("write");
  if (fsync && ::fsync(file.get()) != 0) return give_up("fsync");
  if (!file.close()) return give_up("close");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up("rename");
  if (fsync) {  // the rename is durable only after the directory is on disk
    const std::filesystem::path parent =
        path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() < 0 || (::fsync(directory.get()) != 0 && errno != EINVAL))
      return failed("fsync of its directory", errno);
  }
  return {};
}

}  // namespace

tl::expected<void, std::string> write_file_atomically(const std::filesystem::path& path,
                                                      std::string_view text, bool fsync,
                                                      unsigned mode) {
  return replace_file(path, [text](int fd) { return write_all(fd, text); }, fsync, mode);
}

tl::expected<void, std::string> write_file_atomically(const std::filesystem::path& path,
                                                      const NextPart& next_part, bool fsync,
                                                      unsigned mode) {
  const auto write = [&next_part](int fd) {
    for (std::string part; next_part(part); part.clear())
      if (!write_all(fd, part)) return false;
    return true;
  };
  return replace_file(path, write, fsync, mode);
}

tl::expected<void, std::string> write_stream_atomically(
    const std::filesystem::path& path, const std::function<void(std::ostream&)>& write, bool fsync,
    unsigned mode) {
  const auto put = [&write](int fd) {
    const auto buffer = std::make_unique<DescriptorBuffer>(fd);
    std::ostream out(buffer.get());
    write(out);
    return buffer->flush();
  };
  return replace_file(path, put, fsync, mode);
}

tl::expected<std::optional<std::string>, std::string> read_file(const std::filesystem::path& path,
                                                                std::size_t bytes_max) {
  const auto failed = [&](std::string_view why) {
    return tl::unexpected(fmt::format("cannot read {}: {}", path.string(), why));
  };
  // O_NONBLOCK keeps open() of a FIFO from blocking before fstat() can reject it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return std::optional<std::string>();
    return failed(errno_text(errno));
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return failed(errno_text(errno));
  if (!S_ISREG(status.st_mode)) return failed("it is not a regular file");
  std::string text;
  char chunk[65536];
  while (true) {
    const ssize_t n = ::read(file.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(errno_text(errno));
    if (n == 0) return std::optional<std::string>(std::move(text));
    text.append(chunk, static_cast<std::size_t>(n));
    if (text.size() > bytes_max)
      return failed(fmt::format("it is longer than {} bytes", bytes_max));
  }
}

tl::expected<void, std::string> ensure_directory(const std::filesystem::path& dir) {
  if (::mkdir(dir.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return tl::unexpected(
      fmt::format("cannot create directory {}: {}", dir.string(), errno_text(errno)));
}

tl::expected<std::filesystem::path, std::string> move_aside(const std::filesystem::path& path) {
  for (unsigned n = 1; n < 10000; ++n) {
    std::filesystem::path aside = fmt::format("{}.corrupt-{}", path.string(), n);
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) == 0)
      return aside;
    if (errno == EINVAL || errno == ENOSYS) {  // a file system without RENAME_NOREPLACE: a hard
                                               // link does not replace either
      if (::link(path.c_str(), aside.c_str()) == 0) {
        ::unlink(path.c_str());
        return aside;
      }
    }
    if (errno != EEXIST)
      return tl::unexpected(
          fmt::format("cannot move {} aside: {}", path.string(), errno_text(errno)));
  }
  return tl::unexpected(fmt::format("cannot move {} aside: {}.corrupt-1 to -9999 exist",
                                    path.string(), path.string()));
}

tl::expected<std::string, std::string> read_secret_file(const std::filesystem::path& path) {
  constexpr std::size_t kSecretBytesMax = 4096;
  if (const std::string fault = config::secret_file_fault(path); !fault.empty())
    return tl::unexpected(fmt::format("{}: {}", path.string(), fault));
  auto text = read_file(path, kSecretBytesMax);
  if (!text) return tl::unexpected(std::move(text.error()));
  if (!*text) return tl::unexpected(fmt::format("{} does not exist", path.string()));
  return (*text)->substr(0, (*text)->find_first_of("\r\n"));
}

}  // namespace sm
