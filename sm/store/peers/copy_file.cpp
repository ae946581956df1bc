#include "sm/store/peers/copy_file.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"

namespace sm::peers {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kSubnetWord = "subnet", kForgottenWord = "forgotten", kLostWord = "lost";
/// Changes that a full disk keeps from the file; more of them are taken from the copy later.
constexpr std::size_t kPendingBytesMax = std::size_t{16} << 20;
/// A store that was stopped ends its last write.
constexpr std::chrono::milliseconds kLockWait{200};
constexpr std::size_t kSliceRecords = 500;  // formatted at a time: below 1 ms

struct Content {
  StoreCopy copy{};
  std::optional<std::uint64_t> subnet_prefix{};  // nothing: its line is damaged
  bool lost = false;
  std::vector<std::string> errors{};
};

Content parse_content(std::string_view text, const std::filesystem::path& path) {
  Content out;
  for (const JournalLine& line : parse_journal(text).lines) {
    std::string_view rest = line.text;
    const std::string_view word = take_word(rest);
    if (word == kSubnetWord) {
      if (const auto prefix = mad::parse_number(take_word(rest), 16)) out.subnet_prefix = *prefix;
    } else if (word == kForgottenWord) {
      out.copy.set_forgotten(
          static_cast<StoreRevision>(mad::parse_number(take_word(rest), 16).value_or(0)));
    } else if (word == kLostWord) {
      out.lost = true;
    } else if (const auto term = parse_term(line.text)) {
      out.copy.history.add(*term);
    } else if (auto record = parse_record(line.text)) {
      out.copy.put(std::move(*record));
    } else {
      out.lost = true;
      out.errors.push_back(
          fmt::format("{}:{}: {}; the line is left out", path.string(), line.line, record.error()));
    }
  }
  return out;
}

}  // namespace

tl::expected<CopyFile::Opened, std::string> CopyFile::open(mad::Runtime& runtime,
                                                           const std::filesystem::path& path,
                                                           std::uint64_t subnet_prefix,
                                                           bool fsync) {
  auto lock = HeldLock::take(path.string() + ".lock", kLockWait);
  if (!lock) return tl::unexpected(std::move(lock.error()));
  auto opened = Journal::open(path, fsync, std::string(kLostWord) + '\n');
  if (!opened) return tl::unexpected(std::move(opened.error()));
  Opened out{.messages = std::move(opened->messages)};
  const bool damaged = !out.messages.empty();
  Content content = parse_content(opened->text, path);
  std::ranges::move(content.errors, std::back_inserter(out.messages));
  if (!content.copy.entries().empty() && !content.subnet_prefix) {
    content.lost = true;
    out.messages.push_back(
        fmt::format("{} does not say its subnet prefix; its records are kept, and replaced by "
                    "those of another manager",
                    path.string()));
  }
  if (!content.copy.entries().empty() &&
      content.subnet_prefix.value_or(subnet_prefix) != subnet_prefix) {
    const auto aside = move_aside(path);
    if (!aside) return tl::unexpected(aside.error());
    out.messages.push_back(fmt::format("{} is of the subnet prefix {:#x}; moved to {}",
                                       path.string(), *content.subnet_prefix, aside->string()));
    auto fresh = Journal::open(path, fsync);
    if (!fresh) return tl::unexpected(std::move(fresh.error()));
    *opened = std::move(*fresh);
    content = {};
  }
  out.file.reset(new CopyFile(runtime, std::move(opened->journal), subnet_prefix, fsync));
  out.file->lock_ = *std::move(lock);
  out.lost = content.lost || (damaged && !content.copy.entries().empty());
  // Without a history, another manager sends all that it has.
  if (out.lost) content.copy.history = {};
  out.file->lost_ = out.lost;
  out.file->in_file_ = content.copy.history;
  out.file->written_ = content.copy.head();
  out.file->is_stale_ = content.copy.entries().empty() || out.lost;  // begins with its head lines
  out.copy = std::move(content.copy);
  return out;
}

void CopyFile::start(std::shared_ptr<const void> owner, const StoreCopy& copy,
                     std::function<void()> on_written) {
  owner_ = std::move(owner);
  copy_ = &copy;
  on_written_ = std::move(on_written);
  asio::co_spawn(runtime_.executor(), run(shared_from_this()), asio::detached);
}

void CopyFile::stop() {
  stopped_ = true;
  on_written_ = {};
  wake_.signal();
}

void CopyFile::add(const Record& record) {
  if (is_stale_ && !rewriting_) return;  // the new file will have it
  (pending_ += to_line(record)) += '\n';
  if (pending_.size() > kPendingBytesMax) begin_again();
  wake_.signal();
}

void CopyFile::add_forgotten() {
  if (is_stale_ && !rewriting_) return;  // the new file will have it
  pending_ += forgotten_line();
  wake_.signal();
}

void CopyFile::replace() {
  lost_ = false;
  begin_again();
}

void CopyFile::begin_again() {
  is_stale_ = true;
  ++replacements_;
  in_file_ = {};
  pending_.clear();
  since_rewrite_.clear();
  wake_.signal();
}

std::string CopyFile::head_lines() const {
  std::string out = fmt::format("{} {:x}\n", kSubnetWord, subnet_prefix_);
  if (copy_->forgotten() > 0) out += forgotten_line();
  if (lost_) (out += kLostWord) += '\n';
  return out;
}

std::string CopyFile::forgotten_line() const {
  return fmt::format("{} {:x}\n", kForgottenWord, static_cast<std::uint64_t>(copy_->forgotten()));
}

std::string CopyFile::changed_terms() const {
  std::string out;
  const std::vector<Term>& terms = copy_->history.terms();
  const auto first = std::ranges::mismatch(terms, in_file_.terms()).in1;
  for (auto term = first; term != terms.end(); ++term) (out += to_line(*term)) += '\n';
  return out;
}

asio::awaitable<void> CopyFile::run(Self self) {
  CopyFile& file = *self;
  for (;;) {
    if (file.rewritten_) {
      co_await file.take_rewritten();
      continue;
    }
    const bool has_changes = file.copy_->history != file.in_file_ || !file.pending_.empty();
    const bool is_due = file.runtime_.now() >= file.next_try_;
    const bool can_append = has_changes && is_due && !file.is_stale_ && !file.journal_->is_broken();
    if (can_append) {
      co_await file.append();
      continue;
    }
    if (file.stopped_ && !file.rewriting_) break;
    const bool must_rewrite = (file.is_stale_ && has_changes) || file.journal_->needs_replacing();
    if (must_rewrite && file.runtime_.now() >= file.next_rewrite_ && !file.rewriting_) {
      file.rewriting_ = true;
      file.since_rewrite_.clear();
      asio::co_spawn(file.runtime_.executor(), rewrite(self), asio::detached);
      continue;
    }
    mad::TimePoint next = mad::TimePoint::max();
    if (has_changes && !is_due) next = file.next_try_;
    if (must_rewrite && !file.rewriting_) next = std::min(next, file.next_rewrite_);
    co_await file.wake_.wait_until(next);
  }
  file.lock_ = {};
  file.owner_.reset();
}

asio::awaitable<void> CopyFile::append() {
  auto lines = std::make_shared<std::string>(std::exchange(pending_, {}) + changed_terms());
  const TermHistory history = copy_->history;
  const unsigned replacements = replacements_;
  auto outcome = std::make_shared<tl::expected<void, std::string>>();
  std::function<void()> work = [lines, outcome, journal = journal_] {
    *outcome = journal->append(*lines);
  };
  co_await run_aside(mad::Runtime::Lane::journal, std::move(work));
  if (replacements != replacements_) co_return;
  if (!*outcome) {
    if (!is_stale_) pending_.insert(0, *lines);
    co_return failed(std::move(outcome->error()));
  }
  if (rewriting_) since_rewrite_ += *lines;
  in_file_ = history;
  wrote(history.head());
}

/// Collects the copy in slices. A record that changes while it runs comes again with its later
/// revision, so that the lines are complete when the order of revisions has ended.
asio::awaitable<void> CopyFile::rewrite(Self self) {
  CopyFile& file = *self;
  for (;;) {
    const unsigned replacements = file.replacements_;
    auto lines = std::make_shared<std::string>(file.head_lines());
    StoreRevision cursor = 0;
    for (;;) {
      const std::vector<Record> slice = file.copy_->after(cursor, kSliceRecords);
      if (slice.empty() || replacements != file.replacements_) break;
      for (const Record& record : slice) (*lines += to_line(record)) += '\n';
      cursor = slice.back().revision;
      co_await asio::post(file.runtime_.executor(), asio::use_awaitable);
    }
    if (replacements != file.replacements_) continue;
    // From here on the lines have all changes, and further ones are collected.
    if (file.is_stale_) file.pending_.clear();
    file.since_rewrite_.clear();
    const TermHistory history = file.copy_->history;
    for (const Term& term : history.terms()) (*lines += to_line(term)) += '\n';
    if (file.copy_->forgotten() > 0) *lines += file.forgotten_line();
    auto fresh = std::make_shared<tl::expected<Journal, std::string>>(
        tl::unexpected(std::string("not written")));
    std::function<void()> work = [lines, fresh, fsync = file.fsync_,
                                  path = file.path_.string() + ".new"] {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
      auto opened = Journal::open(path, fsync);
      if (!opened) {
        *fresh = tl::unexpected(std::move(opened.error()));
      } else if (auto written = opened->journal.replace(*lines); !written) {
        *fresh = tl::unexpected(std::move(written.error()));
      } else {
        *fresh = std::move(opened->journal);
      }
    };
    co_await file.run_aside(mad::Runtime::Lane::files, std::move(work));
    if (replacements != file.replacements_) continue;
    file.rewritten_.emplace(Rewritten{.journal = std::move(*fresh), .history = history});
    file.wake_.signal();
    co_return;
  }
}

asio::awaitable<void> CopyFile::take_rewritten() {
  Rewritten rewritten = std::move(*rewritten_);
  rewritten_.reset();
  if (!rewritten.journal) {
    rewriting_ = false;
    co_return rewrite_failed(std::move(rewritten.journal.error()));
  }
  const unsigned replacements = replacements_;
  auto journal = std::make_shared<Journal>(std::move(*rewritten.journal));
  auto outcome = std::make_shared<tl::expected<void, std::string>>();
  std::function<void()> work = [journal, outcome, path = path_,
                                since = std::exchange(since_rewrite_, {})] {
    *outcome = journal->append(since);
    if (*outcome) *outcome = journal->rename_to(path);
  };
  co_await run_aside(mad::Runtime::Lane::journal, std::move(work));
  rewriting_ = false;
  if (replacements != replacements_) co_return;
  if (!*outcome) co_return rewrite_failed(std::move(outcome->error()));
  journal_ = std::move(journal);
  rewrite_pause_.reset();
  // While the file was stale, no batch was appended, and its history is the new file's.
  if (std::exchange(is_stale_, false)) in_file_ = rewritten.history;
  wrote(in_file_.head());
}

asio::awaitable<void> CopyFile::run_aside(mad::Runtime::Lane lane, std::function<void()> work) {
  const auto ended = std::make_shared<mad::WakeUp>(runtime_);
  runtime_.run_aside(lane, std::move(work), [ended] { ended->signal(); });
  co_await ended->wait_until(mad::TimePoint::max());
}

void CopyFile::wrote(Position position) {
  written_ = position;
  fault_.clear();
  pause_.reset();
  next_try_ = {};
  if (on_written_) on_written_();
}

/// The old file goes on if it can be used.
void CopyFile::rewrite_failed(std::string why) {
  next_rewrite_ = runtime_.now() + rewrite_pause_.next();
  if (!is_stale_ && !journal_->is_broken()) return;
  fault_ = std::move(why);
  if (on_written_) on_written_();
}

void CopyFile::failed(std::string why) {
  fault_ = std::move(why);
  next_try_ = runtime_.now() + pause_.next();
  if (on_written_) on_written_();
}

}  // namespace sm::peers
