#pragma once
// Holds requests that were sent and have no outcome yet.

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "mad/runtime.h"

namespace mad {

/// Puts the numbers below 2^bits into an order that other programs do not know; no number repeats
/// before all were used. Not for secrets of any worth: it makes transaction ids hard to guess.
class PseudorandomOrder {
 public:
  /// `bits` is 2..31.
  PseudorandomOrder(Runtime& runtime, unsigned bits)
      : mask_((1u << bits) - 1), shift_((bits + 1) / 2) {
    for (Round& round : rounds_) {
      const std::uint64_t drawn = runtime.random();
      round = {static_cast<std::uint32_t>(drawn) | 1u, static_cast<std::uint32_t>(drawn >> 32)};
    }
  }

  /// Returns the number at this place, modulo 2^bits.
  std::uint32_t at(std::uint32_t place) const {
    std::uint32_t number = place & mask_;
    for (const Round& round : rounds_) {  // each step can be undone, so that none repeats
      number = (number * round.factor + round.summand) & mask_;
      number ^= number >> shift_;
    }
    return number;
  }

 private:
  struct Round {
    std::uint32_t factor = 1, summand = 0;  // the factor is odd
  };
  std::uint32_t mask_;
  unsigned shift_;
  std::array<Round, 3> rounds_{};
};

// This program chooses the low 32 bits of a transaction id (the kernel overwrites the others): the
// slot, the attempt, and a generation that distinguishes responses to an earlier use of the slot.
// Each attempt needs its own id, because the kernel refuses an id whose transaction is still open.
// The transactions of all attempts stay open until the request ends, since a late response to any
// of them counts.
inline constexpr unsigned kTransactionSlotBits = 13;
inline constexpr unsigned kTransactionAttemptBits = 3;

/// Holds the table's data of each request; a client's slots derive from it.
struct Transaction {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  static constexpr std::uint32_t kAttemptMask = (1u << kTransactionAttemptBits) - 1;

  TimePoint deadline{};                               // of the latest attempt
  std::array<TimePoint, kAttemptMask + 1> sent_at{};  // of the latest attempts
  unsigned attempts = 0;                              // sent so far
  std::uint32_t uses = 0, generation = 0;
  std::uint32_t older = kNone, newer = kNone;  // by deadline
  bool is_open = false;
};

/// Holds slots by index, finds them by a response's transaction id, and orders them by deadline. A
/// slot is open from open() to close(). Only more open slots than ever before need an allocation.
template <std::derived_from<Transaction> Slot>
class TransactionTable {
 public:
  static constexpr std::uint32_t kNone = Transaction::kNone;
  static constexpr std::size_t kSlotsMax = std::size_t{1} << kTransactionSlotBits;

  /// No other program can predict the ids, so none can answer in a node's place.
  explicit TransactionTable(Runtime& runtime)
      : generations_(runtime, kGenerationBits),
        stride_(static_cast<std::uint32_t>(runtime.random())) {}

  Slot& operator[](std::uint32_t index) { return slots_[index]; }
  const Slot& operator[](std::uint32_t index) const { return slots_[index]; }
  /// Counts all slots, open or not.
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::size_t open_count() const { return slots_.size() - free_.size(); }

  /// Opens a slot with attempts 0; the client's own fields have the values of the previous request.
  /// References to slots are no longer valid.
  std::uint32_t open() {
    std::uint32_t index;
    if (free_.empty()) {
      index = size();
      slots_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Slot& slot = slots_[index];
    slot.attempts = 0;
    slot.generation = generations_.at(slot.uses++ + index * stride_);
    slot.is_open = true;
    return index;
  }
  /// Closes a slot: responses to its request no longer belong to any request.
  void close(std::uint32_t index) {
    slots_[index].is_open = false;
    free_.push_back(index);
  }

  /// Returns the transaction id of the next attempt.
  std::uint32_t next_id(std::uint32_t index) const {
    const Slot& slot = slots_[index];
    return (slot.generation << kTransactionAttemptBits |
            (slot.attempts & Transaction::kAttemptMask))
               << kTransactionSlotBits |
           index;
  }
  struct Found {
    std::uint32_t index;
    unsigned attempt;  // the latest one with these bits, counted from 0
  };
  /// Returns nullopt if no open request has this transaction id.
  std::optional<Found> find(std::uint64_t transaction_id) const {
    const auto id = static_cast<std::uint32_t>(transaction_id);
    const std::uint32_t index = id & kSlotMask;
    if (index >= slots_.size()) return std::nullopt;
    const Slot& slot = slots_[index];
    if (!slot.is_open || slot.generation != id >> (kTransactionSlotBits + kTransactionAttemptBits))
      return std::nullopt;
    const unsigned bits = id >> kTransactionSlotBits & Transaction::kAttemptMask;
    const unsigned latest = slot.attempts - 1;
    return Found{index, latest - ((latest - bits) & Transaction::kAttemptMask)};
  }

  /// Returns the request with the next deadline, or kNone if none has a deadline.
  std::uint32_t first() const { return oldest_; }
  /// Inserts the slot by its deadline. Most are the latest: timeouts are equal, except for a few.
  void link(std::uint32_t index) {
    Slot& slot = slots_[index];
    slot.older = newest_;
    slot.newer = kNone;
    while (slot.older != kNone && slots_[slot.older].deadline > slot.deadline) {
      slot.newer = slot.older;
      slot.older = slots_[slot.older].older;
    }
    (slot.older == kNone ? oldest_ : slots_[slot.older].newer) = index;
    (slot.newer == kNone ? newest_ : slots_[slot.newer].older) = index;
  }
  void unlink(std::uint32_t index) {
    Slot& slot = slots_[index];
    (slot.older == kNone ? oldest_ : slots_[slot.older].newer) = slot.newer;
    (slot.newer == kNone ? newest_ : slots_[slot.newer].older) = slot.older;
  }

 private:
  static constexpr std::uint32_t kSlotMask = (1u << kTransactionSlotBits) - 1;
  static constexpr unsigned kGenerationBits = 32 - kTransactionSlotBits - kTransactionAttemptBits;

  PseudorandomOrder generations_;
  std::uint32_t stride_;  // from slot to slot
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;
};

}  // namespace mad
