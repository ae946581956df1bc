#pragma once
// Positions in the history of a store that managers copy from each other, and how two histories
// relate: a claim of the store begins a term, and only one manager writes in a term.

#include <cstdint>
#include <vector>

#include "sm/store/replica/state_store.h"

namespace sm::peers {

inline constexpr std::uint32_t kTermMax = 0x7FFFFFFF;

/// A revision is term * 2^32 + sequence, both above 0.
constexpr StoreRevision make_revision(std::uint32_t term, std::uint32_t sequence) {
  return static_cast<StoreRevision>(std::uint64_t{term} << 32 | sequence);
}
constexpr std::uint32_t term_number(StoreRevision revision) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(revision) >> 32);
}
constexpr std::uint32_t sequence_number(StoreRevision revision) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(revision) & 0xFFFFFFFF);
}

/// A term, and the last sequence of it that belongs to a history.
struct Term {
  std::uint32_t number = 0;
  std::uint64_t id = 0;  // random: two managers may begin terms of one number
  std::uint32_t last = 0;
  bool operator==(const Term&) const = default;
};

/// The state of a store after one change.
struct Position {
  StoreRevision revision = 0;  // 0: before all changes
  std::uint64_t id = 0;        // of the term
  bool operator==(const Position&) const = default;
};

/// The terms that led to a state. A merge joins the terms of two histories under a new term.
class TermHistory {
 public:
  /// A longer history forgets its oldest terms.
  static constexpr std::size_t kTermsMax = 1024;

  const std::vector<Term>& terms() const { return terms_; }
  Position head() const;
  /// True if the state at `position` was a state of this history.
  bool contains(const Position& position) const;
  /// Returns the latest state of both; {} if they have no common state.
  Position common(const TermHistory& other) const;
  /// Returns the history up to a revision.
  TermHistory until(StoreRevision revision) const;
  /// Adds a term, or extends the term with this number and id.
  void add(const Term& term);
  bool operator==(const TermHistory&) const = default;

 private:
  std::vector<Term> terms_;  // by number
};

}  // namespace sm::peers
