#pragma once
// A round visits the devices of a class: it reads their keys and writes the keys that they are to
// have.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "sm/agents/visits.h"
#include "sm/keys/class_keys.h"

namespace sm {

/// Holds the state of a visit to one end port.
struct KeyVisit {
  enum class Step : std::uint8_t { class_port_info, key_info, trap, key, end };
  mad::Guid port;
  mad::MadAddress to;
  std::uint8_t lmc = 0;
  Step step = Step::class_port_info;
  ClassKeyCandidates keys;
  unsigned attempt = 0;
  mad::GmpData trap{};  // ClassPortInfo as it is to be
};

/// A KeyRound is the source of requests of one round. Each device gets one request at a time:
/// ClassPortInfo once, KeyInfo to see its key and to keep its lease from expiring, then the trap
/// destination and the key, as far as they differ. A request without a response is repeated with
/// the next key that the device may have. If no key brings a response, that is one time-out; after
/// kGivenUpAfter time-outs in a row the device gets no queries until it returns.
class KeyRound final : public Visits<mad::Guid, KeyVisit> {
 public:
  static constexpr unsigned kGivenUpAfter = 3;
  static constexpr std::size_t kDevicesAtATime = 1024;
  /// The round tries each key this often, since MADs may be lost.
  static constexpr unsigned kAttemptsPerKey = 2;
  /// Returns the current subnet; null ends the round.
  using Current = std::function<std::shared_ptr<const Subnet>()>;

  /// Holds what a device reports beside its key.
  struct Finding {
    mad::Guid port;
    std::uint16_t violations = 0;  // more than at the round before
  };

  /// `keys` must outlive the round. A device that has answered within `refresh_before` of `now`
  /// gets no requests if nothing is to be written.
  KeyRound(ClassKeys& keys, std::vector<mad::Guid> ports, Current current,
           std::function<mad::TimePoint()> now, mad::Sl sl);

  bool next(mad::GmpRequest& request) override;

  std::size_t written() const { return written_; }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  using Step = KeyVisit::Step;

  bool open(const mad::Guid& port, KeyVisit& visit) override;
  bool has_request(const KeyVisit& visit) const override { return visit.step != Step::end; }
  void fill(KeyVisit& visit, mad::GmpRequest& request) override;
  void take(KeyVisit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) override;
  std::uint64_t header_key(const KeyVisit& visit) const;
  Step next_step(const KeyVisit& visit) const;
  void take_response(KeyVisit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply);
  void take_key_info(KeyVisit& visit, const mad::GmpReply& reply);
  void reject(KeyVisit& visit, std::uint16_t status);
  void no_response(KeyVisit& visit);
  void end(KeyVisit& visit) { visit.step = Step::end; }

  ClassKeys& keys_;
  const KeyedClass& class_;
  Current current_;
  std::function<mad::TimePoint()> now_;
  mad::Sl sl_;
  std::size_t written_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace sm
