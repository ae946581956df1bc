#include "sm/store/peers/term_history.h"

#include <algorithm>

namespace sm::peers {

Position TermHistory::head() const {
  if (terms_.empty()) return {};
  const Term& latest = terms_.back();
  return {.revision = make_revision(latest.number, latest.last), .id = latest.id};
}

bool TermHistory::contains(const Position& position) const {
  if (position.revision == 0) return true;
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return term.number == term_number(position.revision) && term.id == position.id &&
           term.last >= sequence_number(position.revision);
  });
}

Position TermHistory::common(const TermHistory& other) const {
  for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
    for (const Term& theirs : other.terms_) {
      if (theirs.number != term->number || theirs.id != term->id) continue;
      const std::uint32_t last = std::min(theirs.last, term->last);
      if (last > 0) return {.revision = make_revision(term->number, last), .id = term->id};
    }
  }
  return {};
}

TermHistory TermHistory::until(StoreRevision revision) const {
  TermHistory out;
  for (Term term : terms_) {
    if (term.number > term_number(revision)) break;
    if (term.number == term_number(revision))
      term.last = std::min(term.last, sequence_number(revision));
    out.terms_.push_back(term);
  }
  return out;
}

void TermHistory::add(const Term& term) {
  const auto known = std::ranges::find_if(
      terms_, [&](const Term& t) { return t.number == term.number && t.id == term.id; });
  if (known != terms_.end()) {
    known->last = std::max(known->last, term.last);
    return;
  }
  terms_.insert(std::ranges::upper_bound(terms_, term.number, {}, &Term::number), term);
  if (terms_.size() > kTermsMax) terms_.erase(terms_.begin());
}

}  // namespace sm::peers
