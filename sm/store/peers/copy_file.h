#pragma once
// Keeps a copy of a store in a file: a journal of its records, terms and forgotten deletions.

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/backoff.h"
#include "mad/runtime.h"
#include "sm/store/file_lock.h"
#include "sm/store/journal.h"
#include "sm/store/peers/store_copy.h"

namespace sm::peers {

/// Appends changes in batches beside the runtime's thread. When the file has grown, a new one is
/// written beside it, while changes go to both.
class CopyFile : public std::enable_shared_from_this<CopyFile> {
 public:
  struct Opened {
    std::shared_ptr<CopyFile> file{};
    StoreCopy copy{};
    bool lost = false;  // the file was damaged: the copy lacks records, and has no history
    std::vector<std::string> messages{};
  };
  /// Errors: the file cannot be read or written at all, or another store writes it. A file of
  /// another subnet is moved aside.
  static tl::expected<Opened, std::string> open(mad::Runtime& runtime,
                                                const std::filesystem::path& path,
                                                std::uint64_t subnet_prefix, bool fsync);

  /// Starts to write changes of `copy`, which lives as long as `owner`. `on_written` is called
  /// after each batch.
  void start(std::shared_ptr<const void> owner, const StoreCopy& copy,
             std::function<void()> on_written);
  /// Ends when the changes until now are written, or cannot be; another store may then open it.
  void stop();

  /// Notes a change of the copy.
  void add(const Record& record);
  /// Notes StoreCopy::forgotten().
  void add_forgotten();
  /// Notes that the history of the copy has changed.
  void changed() { wake_.signal(); }
  /// The whole copy was replaced: the file is written again.
  void replace();
  /// True if the copy lacks records of its history; until replace(), also after a restart.
  bool is_lost() const { return lost_; }

  /// The state up to which the file has the copy.
  const Position& written() const { return written_; }
  /// Returns why the latest write failed; "" if it did not.
  const std::string& fault() const { return fault_; }
  std::size_t bytes() const { return journal_->bytes(); }

 private:
  using Self = std::shared_ptr<CopyFile>;
  struct Rewritten {
    tl::expected<Journal, std::string> journal;
    TermHistory history{};
  };

  CopyFile(mad::Runtime& runtime, Journal journal, std::uint64_t subnet_prefix, bool fsync)
      : runtime_(runtime),
        wake_(runtime),
        journal_(std::make_shared<Journal>(std::move(journal))),
        path_(journal_->path()),
        subnet_prefix_(subnet_prefix),
        fsync_(fsync) {}
  static boost::asio::awaitable<void> run(Self self);
  static boost::asio::awaitable<void> rewrite(Self self);
  boost::asio::awaitable<void> append();
  boost::asio::awaitable<void> take_rewritten();
  boost::asio::awaitable<void> run_aside(mad::Runtime::Lane lane, std::function<void()> work);
  void begin_again();
  std::string head_lines() const;
  std::string forgotten_line() const;
  std::string changed_terms() const;
  void wrote(Position position);
  void failed(std::string why);
  void rewrite_failed(std::string why);

  mad::Runtime& runtime_;
  mad::WakeUp wake_;
  std::shared_ptr<Journal> journal_;
  std::filesystem::path path_;
  HeldLock lock_;  // until the last write has ended
  std::uint64_t subnet_prefix_;
  bool fsync_;
  std::shared_ptr<const void> owner_;
  const StoreCopy* copy_ = nullptr;
  std::function<void()> on_written_;
  std::string pending_;
  TermHistory in_file_;
  Position written_;
  std::string fault_;
  bool stopped_ = false, lost_ = false;
  bool is_stale_ = false;  // the file has another copy: nothing is appended until it is rewritten
  bool rewriting_ = false;
  unsigned replacements_ = 0;
  std::string since_rewrite_;  // lines that were appended while a new file is written
  std::optional<Rewritten> rewritten_;
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(1),
                                 kPauseLast = std::chrono::seconds(30);
  mad::Backoff pause_{kPauseFirst, kPauseLast}, rewrite_pause_{kPauseFirst, kPauseLast};
  mad::TimePoint next_try_{}, next_rewrite_{};
};

}  // namespace sm::peers
