#include "sm/store/journal.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>
#include <boost/crc.hpp>

#include "config/file_trust.h"
#include "mad/format.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

constexpr std::string_view kName = "heddle-journal";
constexpr std::string_view kBatchEnd = ".";
constexpr std::size_t kSumDigits = 8;
constexpr std::size_t kJournalBytesMax = std::size_t{1} << 30;

std::uint32_t sum_of(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return crc.checksum();
}

void put_line(std::string& out, std::string_view text) {
  fmt::format_to(std::back_inserter(out), "{:08x} {}\n", sum_of(text), text);
}

/// Returns the text of a line if its checksum is correct.
std::optional<std::string_view> checked(std::string_view line) {
  if (line.size() <= kSumDigits || line[kSumDigits] != ' ') return std::nullopt;
  const std::string_view text = line.substr(kSumDigits + 1);
  std::uint32_t sum = 0;
  for (const char c : line.substr(0, kSumDigits)) {
    if (c >= '0' && c <= '9')
      sum = sum << 4 | static_cast<std::uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      sum = sum << 4 | static_cast<std::uint32_t>(c - 'a' + 10);
    else
      return std::nullopt;
  }
  return sum == sum_of(text) ? std::optional(text) : std::nullopt;
}

std::string first_line() { return fmt::format("{} {}", kName, kJournalVersion.text()); }

/// True for the first line of a journal whose lines this version cannot read.
bool is_other_version(FileVersion version) { return version.number != kJournalVersion.number; }

}  // namespace

JournalText parse_journal(std::string_view text) {
  JournalText out;
  std::size_t whole_lines = 0;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (number == 1) {
      const auto version = file_version_after(kName, line);
      if (!version) {
        out.errors.push_back(
            {1, 1, fmt::format("'{}' should be '{}'", in_quotes(line), first_line())});
        continue;
      }
      out.version = *version;
      if (is_other_version(*version)) {
        out.errors.push_back({1, 1,
                              fmt::format("version {} is not known; {} is", version->text(),
                                          kJournalVersion.text())});
        return out;
      }
      out.whole_bytes = at;
      continue;
    }
    const auto content = checked(line);
    if (!content) {
      out.errors.push_back(
          {number, 1,
           fmt::format("the checksum of '{}' is wrong; the line is left out", in_quotes(line))});
    } else if (*content == kBatchEnd) {
      whole_lines = out.lines.size();
      out.whole_bytes = at;
    } else {
      out.lines.push_back({*content, number});
    }
  }
  // Damage after the last complete batch is the normal result of a crash.
  out.lines.resize(whole_lines);
  const auto whole_count =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(out.whole_bytes), '\n');
  std::erase_if(out.errors,
                [&](const FileError& error) { return error.line > 1 && error.line > whole_count; });
  return out;
}

std::string journal_batch(std::string_view lines) {
  std::string out;
  out.reserve(lines.size() + lines.size() / 4 + 16);
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    put_line(out, lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  put_line(out, kBatchEnd);
  return out;
}

tl::expected<Journal::Opened, std::string> Journal::open(const std::filesystem::path& path,
                                                         bool fsync,
                                                         std::string_view after_damage) {
  auto read = read_file(path, kJournalBytesMax);
  if (!read) return tl::unexpected(std::move(read.error()));
  Opened out{Journal(path, fsync), read->value_or(""), {}};
  Journal& journal = out.journal;
  const JournalText parsed = parse_journal(out.text);
  out.messages = as_messages(parsed.errors, path.string());
  if (!parsed.errors.empty()) {
    const auto aside = move_aside(path);
    const std::string_view use = is_other_version(parsed.version)
                                     ? "is of another version of Heddle; it is not used"
                                     : "is damaged; its valid lines are used";
    out.messages.push_back(
        aside ? fmt::format("{} {}; moved to {}", path.string(), use, aside->string())
              : fmt::format("{} {}; {}", path.string(), use, aside.error()));
  }
  // open() rewrites a new or damaged file with the valid lines; it only cuts off a truncated batch.
  if (!parsed.errors.empty() || parsed.whole_bytes == 0) {
    std::string good;
    for (const JournalLine& line : parsed.lines) (good += line.text) += '\n';
    if (!parsed.errors.empty()) good += after_damage;
    return journal.replace(good).map([&] { return std::move(out); });
  }
  if (auto opened = journal.reopen(); !opened) return tl::unexpected(std::move(opened.error()));
  if (parsed.whole_bytes < out.text.size() &&
      ::ftruncate(journal.fd_, static_cast<off_t>(parsed.whole_bytes)) != 0)
    return tl::unexpected(
        fmt::format("cannot write {}: truncate: {}", path.string(), errno_text(errno)));
  journal.bytes_ = journal.base_bytes_ = parsed.whole_bytes;
  return out;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      fsync_(other.fsync_),
      fd_(std::exchange(other.fd_, -1)),
      broken_(other.broken_),
      bytes_(other.bytes_),
      base_bytes_(other.base_bytes_) {}

Journal& Journal::operator=(Journal&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::move(other.path_);
  fsync_ = other.fsync_;
  fd_ = std::exchange(other.fd_, -1);
  broken_ = other.broken_;
  bytes_ = other.bytes_;
  base_bytes_ = other.base_bytes_;
  return *this;
}

Journal::~Journal() { close(); }

void Journal::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

tl::expected<void, std::string> Journal::reopen() {
  close();
  const auto opened = config::open_refusing_foreign_links(path_.string(), O_WRONLY | O_APPEND);
  if (!opened)
    return tl::unexpected(fmt::format("cannot write {}: {}", path_.string(), opened.error()));
  fd_ = *opened;
  return {};
}

tl::expected<void, std::string> Journal::append(std::string_view lines) {
  if (lines.empty()) return {};
  const auto failed = [&](std::string_view step, int error) {
    // No batch may follow one that may be incomplete.
    if (fd_ < 0 || ::ftruncate(fd_, static_cast<off_t>(bytes_)) != 0) broken_ = true;
    return tl::unexpected(
        fmt::format("cannot write {}: {}: {}", path_.string(), step, errno_text(error)));
  };
  if (broken_ || fd_ < 0)
    return tl::unexpected(fmt::format("cannot write {}: its end is damaged", path_.string()));
  const std::string batch = journal_batch(lines);
  for (std::string_view left = batch; !left.empty();) {
    const ssize_t n = ::write(fd_, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("write", errno);
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  if (fsync_ && ::fdatasync(fd_) != 0) {
    const int error = errno;
    broken_ = true;  // the content on disk is unknown
    return failed("fdatasync", error);
  }
  bytes_ += batch.size();
  return {};
}

tl::expected<std::string, std::string> Journal::read() const {
  auto text = read_file(path_, kJournalBytesMax);
  if (!text) return tl::unexpected(std::move(text.error()));
  if (!*text || (*text)->size() < bytes_)
    return tl::unexpected(
        fmt::format("{} has less than the {} bytes written to it", path_.string(), bytes_));
  (*text)->resize(bytes_);
  return std::move(**text);
}

tl::expected<void, std::string> Journal::replace(std::string_view lines) {
  std::string text = first_line() + '\n';
  if (!lines.empty()) text += journal_batch(lines);
  if (auto written = write_file_atomically(path_, text, fsync_, 0600); !written) return written;
  // From here on the old descriptor refers to an unlinked file.
  bytes_ = base_bytes_ = text.size();
  broken_ = true;
  return reopen().map([&] { broken_ = false; });
}

tl::expected<void, std::string> Journal::rename_to(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::rename(path_, path, error);
  if (error)
    return tl::unexpected(
        fmt::format("cannot rename {} to {}: {}", path_.string(), path.string(), error.message()));
  path_ = path;
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int fd = fsync_ ? ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    (void)::fsync(fd);
    ::close(fd);
  }
  return {};
}

}  // namespace sm
