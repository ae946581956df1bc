#include "sm/store/replica/store_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace sm {

StoreHistory::StoreHistory(std::filesystem::path file, std::string prefix)
    : file_(std::move(file)), prefix_(std::move(prefix)) {
  const StoredTerms terms = read_terms(file_, prefix_);
  complete_ = terms.complete;
  seen_ = in_file_ = {.term = std::max(terms.seen, terms.complete), .position = terms.position};
}

std::uint64_t StoreHistory::next_term(const std::optional<MasterClaim>& before) const {
  return std::max({before ? before->term : 0, complete_, seen_.term}) + 1;
}

tl::expected<void, std::string> StoreHistory::write() {
  auto written = write_terms(
      file_, prefix_, {.complete = complete_, .seen = seen_.term, .position = seen_.position});
  if (written) in_file_ = seen_;
  return written;
}

tl::expected<void, std::string> StoreHistory::complete_under(std::uint64_t term) {
  if (term == complete_) return {};
  complete_ = term;
  return write();
}

void StoreHistory::incomplete() {
  if (std::exchange(complete_, 0) == 0) return;
  if (write()) return;
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
  in_file_ = {};
}

void StoreHistory::note(const SharedRecords& content, mad::TimePoint now, bool may_be_older) {
  const std::optional<MasterClaim> claim = content.mastership();
  if (!claim) {
    why_old_.clear();  // there is nothing to use
    return;
  }
  const SharedRecords::Stored* const mark = content.find(kPositionKey);
  const Point shown{.term = claim->term,
                    .position = mark != nullptr && mark->text ? mark->position : 0};
  if (shown < seen_ && !may_be_older) {
    why_old_ = fmt::format(
        "the state store holds an older state (claim {}, position {}) than this manager has seen "
        "(claim {}, position {})",
        shown.term, shown.position, seen_.term, seen_.position);
    return;
  }
  why_old_.clear();
  seen_ = std::max(seen_, shown);
  if (seen_ == in_file_ || (seen_.term == in_file_.term && now - written_at_ < kPause)) return;
  written_at_ = now;
  (void)write();
}

void StoreHistory::close() {
  if (seen_ != in_file_) (void)write();
}

}  // namespace sm
