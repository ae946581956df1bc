#include "sm/log/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spdlog/details/os.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "config/bounded_text.h"
#include "config/control_characters.h"
#include "mad/format.h"
#include "sm/log/log_line.h"
#include "sm/log/output_file.h"

namespace sm {
namespace {

constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                             "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::size_t kBufferBytes = 64u << 10;

/// spdlog requires a name.
constexpr std::string_view kUnnamed = "heddle";

constexpr std::size_t kNoModule = kLogModules;
constexpr std::array<std::string_view, kLogModules> kModules{"manager", "sweep", "administration"};

enum class Format : std::uint8_t { text, json, human };

Format find_format(std::string_view name) {
  return name == "json" ? Format::json : name == "human" ? Format::human : Format::text;
}

/// spdlog compares levels by order, while the file selects by flag: returns the lowest level that
/// any flag enables.
spdlog::level::level_enum threshold_of(std::uint8_t flags) {
  if ((flags & log_flag::kDebug) != 0) return spdlog::level::trace;
  if ((flags & log_flag::kVerbose) != 0) return spdlog::level::debug;
  if ((flags & log_flag::kInfo) != 0) return spdlog::level::info;
  if ((flags & log_flag::kError) != 0) return spdlog::level::err;
  return spdlog::level::critical;
}

void to_syslog(int priority, const char* text) {
  static const bool opened = [] {
    ::openlog("OpenSM", LOG_CONS | LOG_PID, LOG_USER);
    return true;
  }();
  static_cast<void>(opened);
  ::syslog(priority, "%s", text);
}

}  // namespace

/// Buffers lines itself: stdio would allocate again with every reopen, and hides write errors.
class Log::Sink final {
 public:
  explicit Sink(const config::Options& options)
      : path_(options.log_file),
        flags_(options.log_flags),
        accumulate_(options.accum_log_file),
        force_flush_(options.force_log_flush),
        format_(find_format(options.log_format)),
        bytes_max_(bytes(options.log_max_size)),
        journal_(runs_under_journal()) {
    take_prefix(options.log_prefix);
    buffer_.reserve(kBufferBytes + 1024);
    set_syslog(options.log_syslog);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    relay_.reset();
    flush_();
    if (owned_) ::close(fd_);
  }

  tl::expected<void, std::string> open() {
    const std::lock_guard lock(mutex_);
    if (path_ == "stdout" || path_ == "-" || path_ == "stderr") {
      fd_ = path_ == "stderr" ? STDERR_FILENO : STDOUT_FILENO;
      output_ = OutputFile(fd_);
      is_journal_ = is_journal_stream(fd_, std::getenv("JOURNAL_STREAM"));
      return {};
    }
    const auto opened = open_output(path_);
    if (owned_) ::flock(fd_, LOCK_UN);  // it may be the same file
    if (!opened || !begin(*opened)) {
      const std::string why = opened ? std::generic_category().message(errno) : opened.error();
      if (opened) ::close(*opened);
      if (owned_) ::flock(fd_, LOCK_SH | LOCK_NB);
      reopen_problem_ = fmt::format("Cannot open file '{}': {}", shown_path(), why);
      if (owned_) complain(reopen_problem_);
      return tl::unexpected(reopen_problem_);
    }
    flush_();
    if (owned_) ::close(fd_);
    fd_ = *opened;
    owned_ = true;
    output_ = OutputFile(fd_);
    reopen_problem_.clear();
    // Only a regular file can be truncated and has a size; a pipe or a terminal has none.
    size_ = output_.size_bytes();
    regular_ = output_.is_regular();
    to_syslog(LOG_NOTICE, fmt::format("{} log file opened\n", shown_path()).c_str());
    return {};
  }

  /// Writes to the file only.
  void write_line(std::chrono::system_clock::time_point time, std::size_t thread,
                  std::uint8_t level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (format_ != Format::text || is_journal_) return;
    append_text(time, thread, level, "", text);
    append(level);
  }

  std::uint8_t requested_flags() const { return flags_.load(std::memory_order_relaxed); }
  std::uint8_t flags() const { return requested_flags() | log_flag::kSys; }
  void set_flags(std::uint8_t flags) { flags_.store(flags, std::memory_order_relaxed); }
  /// `module` is that of a part's logger; kNoModule of the program's.
  void log(std::size_t module, const spdlog::details::log_msg& message, const LogFields& fields) {
    const std::uint8_t flag = log_flag_of(message.level);
    if ((flags() & flag) == 0) return;
    const std::lock_guard lock(mutex_);
    write(module, message, fields, flag);
  }
  void flush() {
    const std::lock_guard lock(mutex_);
    flush_();
  }
  std::string problem() {
    const std::lock_guard lock(mutex_);
    if (output_.error() != 0) return write_problem();
    if (!reopen_problem_.empty())
      return fmt::format("{}; lines go to the file that was opened before", reopen_problem_);
    if (owned_ && output_.is_deleted())
      return fmt::format("log file '{}' was deleted while it is open; its lines are lost",
                         shown_path());
    return {};
  }
  void set_force_flush(bool on) {
    const std::lock_guard lock(mutex_);
    force_flush_ = on;
    if (on) flush_();
  }
  void set_prefix(std::string_view prefix) {
    const std::lock_guard lock(mutex_);
    take_prefix(prefix);
  }
  void set_format(Format format) {
    const std::lock_guard lock(mutex_);
    format_ = format;
  }
  void set_syslog(bool on) {
    syslog_.store(on, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (relay_ || !(on || journal_)) return;
    relay_ = std::make_unique<LineRelay>([this](const LogLine& line) {
      if (journal_) send_to_journal(line);
      if (syslog_.load(std::memory_order_relaxed))
        to_syslog(syslog_priority(line), syslog_text(line).c_str());
    });
  }
  void set_accumulate(bool on) {
    const std::lock_guard lock(mutex_);
    accumulate_ = on;
  }
  void set_max_megabytes(std::uint32_t megabytes) {
    const std::lock_guard lock(mutex_);
    bytes_max_ = bytes(megabytes);
  }
  int descriptor() {
    const std::lock_guard lock(mutex_);
    return fd_;
  }

 private:
  /// A full disk must not stop the SM: lines that do not fit are lost, later lines may fit.
  void flush_() {
    if (buffer_.empty() && output_.error() == 0) return;
    const bool failed_before = output_.error() != 0;
    output_.write(buffer_, [this](std::uint64_t lost, const std::string& reason) {
      return missing_line(lost, reason);
    });
    buffer_.clear();
    if (output_.error() != 0 && !failed_before) complain(write_problem());
  }

  std::string write_problem() const {
    return fmt::format("log file '{}' cannot be written: {}; its lines are lost", shown_path(),
                       output_.reason());
  }

  /// Returns the name for messages, which terminals show, too.
  std::string shown_path() const { return config::escape_control_characters(path_); }

  /// Reports each failure once, at places that an operator may read instead of the log.
  void complain(const std::string& what) const {
    to_syslog(LOG_ERR, what.c_str());
    if (path_ == "stderr" || is_journal_) return;
    std::fprintf(stderr, "%s\n", what.c_str());
  }

  /// Returns the line in place of lines that could not be written.
  std::string missing_line(std::uint64_t lost, const std::string& reason) {
    const std::string text = fmt::format(
        "{} lines of this log are missing here: they could not be written: {}", lost, reason);
    const auto now = std::chrono::system_clock::now();
    const LogLine line{.time = now, .level = spdlog::level::err, .message = text};
    if (format_ == Format::json) return make_json(line) + '\n';
    if (format_ == Format::human) return make_human(line) + '\n';
    const std::string kept = std::exchange(line_, {});
    append_text(now, spdlog::details::os::thread_id(), log_flag::kError, "", text);
    return std::exchange(line_, kept);
  }

  /// True if this format has lines of the kind.
  bool has_line(LogLineKind kind) const {
    if (kind == LogLineKind::digest) return format_ == Format::human;
    return kind != LogLineKind::detail || format_ != Format::human ||
           (flags() & log_flag::kVerbose) != 0;
  }

  void write(std::size_t module, const spdlog::details::log_msg& message, const LogFields& fields,
             std::uint8_t flag) {
    std::string_view text(message.payload.data(), message.payload.size());
    std::string cut;
    if (text.size() > kTextBytesMax) text = cut = config::bounded_text(text, kTextBytesMax);
    const std::string_view name(message.logger_name.data(), message.logger_name.size());
    const bool is_named = !name.empty() && name != kUnnamed;
    const bool is_relayed = relay_ && (journal_ || syslog_.load(std::memory_order_relaxed));
    if (!has_line(fields.kind)) return;
    if (format_ != Format::text || is_relayed) {
      LogLine line{.time = message.time,
                   .level = message.level,
                   .manager = is_named ? std::string(name) : std::string(),
                   .prefix = std::string(raw_prefix_),
                   .message = std::string(text)};
      if (module != kNoModule) line.module = kModules[module];
      line.set(fields);
      if (format_ != Format::text && !is_journal_) {
        line_ = (format_ == Format::json ? make_json(line) : make_human(line)) + '\n';
        append(flag);
      }
      if (is_relayed) relay_->add(std::move(line));
    }
    const std::string named = is_named ? fmt::format("{}: ", name) : std::string();
    if (format_ == Format::text && !is_journal_) {
      append_text(message.time, message.thread_id, flag, owned_ ? "" : named, text);
      append(flag);
    }
    if (flag == log_flag::kSys) copy_milestone(named, text);
  }

  /// Copies a milestone to the terminal and to syslog, as OpenSM does, but not twice to one place:
  /// the journal reads both. With JSON, standard output has objects only.
  void copy_milestone(const std::string& named, std::string_view text) {
    if (journal_) return;
    std::string bare = named;
    append_printable(bare, text);
    if (!syslog_.load(std::memory_order_relaxed)) to_syslog(LOG_INFO, bare.c_str());
    if (format_ != Format::text && !owned_) return;
    // The reader of standard output may be slow, and the manager does not wait.
    pollfd ready{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, 0) == 0) return;
    std::fprintf(stdout, "%s\n\n", bare.c_str());
    std::fflush(stdout);
  }

  void take_prefix(std::string_view text) {
    raw_prefix_ = text;
    prefix_.clear();
    append_printable(prefix_, text);
    if (!prefix_.empty()) prefix_ += ": ";
  }
  /// Erases lines of an earlier run, unless another process writes the file, too: the manager of
  /// another port, or a previous one that is still ending. Every writer holds a shared lock.
  bool begin(int fd) const {
    struct stat status{};
    const bool others = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!accumulate_ && !others && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        ::ftruncate(fd, 0) != 0)
      return false;
    ::flock(fd, LOCK_SH | LOCK_NB);
    return true;
  }
  static std::uint64_t bytes(std::uint32_t megabytes) { return std::uint64_t{megabytes} << 20; }

  /// Puts OpenSM's line into line_.
  void append_text(std::chrono::system_clock::time_point time, std::size_t thread,
                   std::uint8_t level, std::string_view name, std::string_view text) {
    const std::time_t seconds =
        std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
    const auto micros =
        std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count() -
        std::int64_t{seconds} * 1000000;
    if (seconds != last_second_) {  // formatting the date costs more than the rest of the line
      last_second_ = seconds;
      std::tm local{};
      ::localtime_r(&seconds, &local);
      calendar_ = fmt::format("{} {:2} {:02}:{:02}:{:02}",
                              kMonths[static_cast<std::size_t>(local.tm_mon) % kMonths.size()],
                              local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
    }
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "{} {:06} [{:08X}] 0x{:02x} -> ", calendar_, micros,
                   static_cast<std::uint32_t>(thread), level);
    line_ += prefix_;
    line_ += name;
    append_printable(line_, text);
    line_ += '\n';
  }
  /// Appends line_ to the file.
  void append(std::uint8_t level) {
    if (bytes_max_ > 0 && owned_ && regular_ && size_ + line_.size() > bytes_max_) {
      buffer_.clear();
      if (::ftruncate(fd_, 0) == 0) size_ = 0;
    }
    size_ += line_.size();
    buffer_ += line_;
    if (force_flush_ || (level & (log_flag::kError | log_flag::kSys)) != 0 ||
        buffer_.size() >= kBufferBytes)
      flush_();
  }

  mutable std::mutex mutex_;
  const std::string path_;
  std::atomic<std::uint8_t> flags_;
  std::atomic<bool> syslog_{false};
  // mutex_ guards the members below.
  int fd_ = -1;
  bool owned_ = false;
  bool regular_ = false;
  bool accumulate_;
  bool force_flush_;
  Format format_;
  OutputFile output_;           // fd_
  std::string reopen_problem_;  // "": it was opened when that was wanted last
  std::uint64_t bytes_max_;
  const bool journal_;       // lines go to the journal as well
  bool is_journal_ = false;  // what fd_ would write goes to the journal without fields
  std::uint64_t size_ = 0;   // of the file, with what is still in the buffer
  std::string raw_prefix_, prefix_, line_, buffer_, calendar_;
  std::time_t last_second_ = -1;
  std::unique_ptr<LineRelay> relay_;  // null: nothing was to be sent yet
};

/// Writes to the same file for the logger of one part.
class Log::ModuleSink final : public FieldSink {
 public:
  ModuleSink(std::shared_ptr<Sink> file, std::size_t module)
      : sink_(std::move(file)), module_(module) {}
  void log(const spdlog::details::log_msg& message) override { sink_->log(module_, message, {}); }
  void log_with(const spdlog::details::log_msg& message, const LogFields& fields) override {
    sink_->log(module_, message, fields);
  }
  void flush() override { sink_->flush(); }
  void set_pattern(const std::string&) override {}  // lines have formats of their own
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  std::shared_ptr<Sink> sink_;
  const std::size_t module_;
};

std::uint8_t log_flag_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
      return log_flag::kDebug;
    case spdlog::level::debug:
      return log_flag::kVerbose;
    case spdlog::level::info:
    case spdlog::level::warn:
      return log_flag::kInfo;
    case spdlog::level::err:
      return log_flag::kError;
    default:
      return log_flag::kSys;
  }
}

tl::expected<Log, std::string> Log::open(const config::Options& options, std::string_view name) {
  auto sink = std::make_shared<Sink>(options);
  if (auto opened = sink->open(); !opened) return tl::unexpected(opened.error());
  return Log(std::move(sink)).named(name);
}

Log Log::named(std::string_view name) const {
  const std::string text(name.empty() ? kUnnamed : name);
  Log log(sink_);
  log.logger_ = std::make_shared<FieldLogger>(text, std::make_shared<ModuleSink>(sink_, kNoModule));
  for (std::size_t module = 0; module < kLogModules; ++module)
    log.modules_[module] =
        std::make_shared<FieldLogger>(text, std::make_shared<ModuleSink>(sink_, module));
  log.set_thresholds();
  return log;
}

void Log::set_thresholds() {
  logger_->set_level(threshold_of(sink_->flags()));
  for (const auto& module : modules_) module->set_level(threshold_of(sink_->flags()));
}

tl::expected<void, std::string> Log::reopen() { return sink_->open(); }

void Log::banner(std::string_view text) {
  sink_->write_line(std::chrono::system_clock::now(), spdlog::details::os::thread_id(),
                    sink_->requested_flags(), text);
  logger_->critical("{}", text);
}

std::uint8_t Log::flags() const { return sink_->flags(); }

void Log::set_flags(std::uint8_t flags) {
  sink_->set_flags(flags);
  set_thresholds();
}

void Log::set_force_flush(bool on) { sink_->set_force_flush(on); }
void Log::set_prefix(std::string_view prefix) { sink_->set_prefix(prefix); }
void Log::set_accumulate(bool on) { sink_->set_accumulate(on); }
void Log::set_max_megabytes(std::uint32_t megabytes) { sink_->set_max_megabytes(megabytes); }
void Log::set_format(std::string_view format) { sink_->set_format(find_format(format)); }
void Log::set_syslog(bool on) { sink_->set_syslog(on); }
int Log::descriptor() const { return sink_->descriptor(); }
std::string Log::problem() const { return sink_->problem(); }

tl::expected<std::shared_ptr<spdlog::logger>, std::string> make_logger(
    const config::Options& options) {
  return Log::open(options).map([](const Log& log) { return log.shared_logger(); });
}

}  // namespace sm
