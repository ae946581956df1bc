#pragma once
// A batch of visits: the requests to each of several devices, in an order that responses decide.

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "mad/gmp_client.h"

namespace sm {

/// True if the status of a response says that the agent does not have the class, its version, the
/// method or the attribute (IBTA Vol 1, 13.4.7).
constexpr bool says_unsupported(std::uint16_t status) {
  const std::uint16_t code = status & mad::status::kCodeMask;
  return code == mad::status::kBadVersion || code == mad::status::kMethodUnsupported ||
         code == mad::status::kMethodAttributeUnsupported;
}

/// Visits each of several places. A place says which device is visited, a Visit holds what is known
/// of it during its visit. The derived class decides the requests of a visit and interprets their
/// responses; this one keeps the open visits, and knows which of them has a request to send.
template <class Place, class Visit>
class Visits : public mad::GmpBatch {
 public:
  bool next(mad::GmpRequest& request) override;
  void done(const mad::GmpRequest& request, const mad::GmpReply& reply) final;

  /// Returns false if the batch ended before it had made all visits.
  bool is_complete() const { return !ended_early_; }
  /// True if this manager's port sends no requests of this class: no agent could be registered
  /// there.
  bool is_unsendable() const { return unsendable_; }

 protected:
  struct Bounds {
    std::size_t visits = mad::GmpClient::kWindowMax;  // open at a time
    unsigned requests = 1;                            // of one visit in flight
  };
  Visits(std::vector<Place> places, Bounds bounds) : places_(std::move(places)), bounds_(bounds) {}

  /// Returns false while no further visit may begin.
  virtual bool may_open() const { return true; }
  /// Begins the visit of a place. Returns false if there is nothing to visit.
  virtual bool open(const Place& place, Visit& visit) = 0;
  /// True if the visit has another request to send.
  virtual bool has_request(const Visit& visit) const = 0;
  /// Fills in the visit's next request. A cookie has at most 48 bits.
  virtual void fill(Visit& visit, mad::GmpRequest& request) = 0;
  /// Handles an outcome, and thereby decides the next request of the visit.
  virtual void take(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) = 0;
  /// Ends a visit that has no request to send, and waits for no response.
  virtual void close(Visit& /*visit*/) {}

  /// Sends no further requests. Outcomes of those in flight still arrive.
  void end_early() { ended_early_ = true; }
  void end_unsendable() { ended_early_ = unsendable_ = true; }
  /// Returns the cookie that fill() gave the request.
  static std::uint64_t cookie(const mad::GmpRequest& request) {
    return request.cookie >> kIndexBits;
  }

 private:
  static constexpr unsigned kIndexBits = 16;
  static_assert(mad::GmpClient::kWindowMax <= 1u << kIndexBits);
  struct Slot {
    std::optional<Visit> visit;
    unsigned in_flight = 0;
    bool queued = false;
  };

  bool is_ready(const Slot& slot) const {
    return slot.visit && has_request(*slot.visit) && slot.in_flight < bounds_.requests;
  }
  bool open_next();
  void settle(std::uint32_t at);

  std::vector<Place> places_;
  Bounds bounds_;
  std::size_t next_place_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> ready_;  // visits that may have a request to send
  bool ended_early_ = false, unsendable_ = false;
};

template <class Place, class Visit>
bool Visits<Place, Visit>::next(mad::GmpRequest& request) {
  while (!ended_early_ && (!ready_.empty() || open_next())) {
    const std::uint32_t at = ready_.front();
    ready_.pop_front();
    Slot& slot = slots_[at];
    slot.queued = false;
    if (!is_ready(slot)) continue;  // a response has changed its visit
    request = {};
    fill(*slot.visit, request);
    request.cookie = request.cookie << kIndexBits | at;
    ++slot.in_flight;
    settle(at);
    return true;
  }
  return false;
}

/// Opens visits until one has a request.
template <class Place, class Visit>
bool Visits<Place, Visit>::open_next() {
  while (!ended_early_ && next_place_ < places_.size() && may_open()) {
    if (free_.empty()) {
      if (slots_.size() >= bounds_.visits) return false;
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t at = free_.back();
    if (!open(places_[next_place_++], slots_[at].visit.emplace())) {
      slots_[at].visit.reset();
      continue;
    }
    free_.pop_back();
    settle(at);
    if (!ready_.empty()) return true;
  }
  return false;
}

/// Queues a visit that has another request, and closes a visit that has ended.
template <class Place, class Visit>
void Visits<Place, Visit>::settle(std::uint32_t at) {
  Slot& slot = slots_[at];
  if (is_ready(slot)) {
    if (!std::exchange(slot.queued, true)) ready_.push_back(at);
  } else if (slot.in_flight == 0) {
    close(*slot.visit);
    slot.visit.reset();
    free_.push_back(at);
  }
}

template <class Place, class Visit>
void Visits<Place, Visit>::done(const mad::GmpRequest& request, const mad::GmpReply& reply) {
  const auto at = static_cast<std::uint32_t>(request.cookie & ((1u << kIndexBits) - 1));
  --slots_[at].in_flight;
  take(*slots_[at].visit, request, reply);
  settle(at);
}

}  // namespace sm
