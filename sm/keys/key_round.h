#pragma once
// A round visits the devices of a class: it reads their keys and writes the keys that they are to
// have.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "mad/gmp_client.h"
#include "sm/keys/class_keys.h"

namespace sm {

/// A KeyRound is the source of requests of one round. Each device gets one request at a time:
/// ClassPortInfo once, KeyInfo to see its key and to keep its lease from expiring, then the trap
/// destination and the key, as far as they differ. A request without a response is repeated with
/// the next key that the device may have. If no key brings a response, that is one time-out; after
/// kGivenUpAfter time-outs in a row the device gets no queries until it returns.
class KeyRound final : public mad::GmpBatch {
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
  void done(const mad::GmpRequest& request, const mad::GmpReply& reply) override;

  /// True if this manager's port sends no requests of this class: no agent could be registered
  /// there.
  bool is_unsendable() const { return unsendable_; }
  std::size_t written() const { return written_; }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  enum class Step : std::uint8_t { class_port_info, key_info, trap, key, end };
  struct Visit {
    mad::Guid port;
    mad::MadAddress to;
    std::uint8_t lmc = 0;
    Step step = Step::class_port_info;
    ClassKeyCandidates keys;
    unsigned attempt = 0;
    mad::GmpData trap{};  // ClassPortInfo as it is to be
  };

  bool open(Visit& visit);
  void fill(const Visit& visit, mad::GmpRequest& request) const;
  std::uint64_t header_key(const Visit& visit) const;
  void go_on(std::uint32_t at);
  Step next_step(const Visit& visit) const;
  void take(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply);
  void take_key_info(Visit& visit, const mad::GmpReply& reply);
  void reject(Visit& visit, std::uint16_t status);
  void no_response(Visit& visit);
  void end(Visit& visit) { visit.step = Step::end; }

  ClassKeys& keys_;
  const KeyedClass& class_;
  Current current_;
  std::function<mad::TimePoint()> now_;
  mad::Sl sl_;
  std::vector<mad::Guid> ports_;
  std::size_t next_port_ = 0;
  std::vector<Visit> visits_;
  std::vector<std::uint32_t> free_;
  std::deque<std::uint32_t> ready_;
  std::size_t open_ = 0, written_ = 0;
  std::vector<Finding> findings_;
  bool ended_early_ = false, unsendable_ = false;
};

}  // namespace sm
