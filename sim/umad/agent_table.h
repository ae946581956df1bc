#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <tl/expected.hpp>
#include <unordered_map>

#include "mad/mad_header.h"

namespace sim::umad {

class UmadFile;

/// The parameters of an agent's registration.
struct Registration {
  unsigned qpn = 0;
  std::uint8_t mgmt_class = 0;  // 0: receives responses to its own requests only
  std::uint8_t class_version = 0;
  std::uint8_t rmpp_version = 0;
  bool user_rmpp = false;  // the program does RMPP itself although it has named a version
  std::uint32_t oui = 0;   // of vendor classes 0x30..0x4F
  std::array<std::uint64_t, 2> methods{};  // bit n: requests with method n
  bool receives_requests() const { return mgmt_class != 0 && (methods[0] | methods[1]) != 0; }
};

struct Agent {
  std::uint16_t key = 0;  // part of the transaction ids of its requests
  UmadFile* file = nullptr;
  std::uint32_t id = 0;  // its id within the file
  Registration registration;
  /// True if this library does RMPP for the agent: reassembly and segmentation.
  bool kernel_rmpp() const { return registration.rmpp_version != 0 && !registration.user_rmpp; }
};

/// Holds the agents of one port, of all files of this process, and selects the agent for a MAD.
class AgentTable {
 public:
  /// Keys count up from `first_key`. Consecutive processes should start with different keys:
  /// responders remember transactions for some time.
  explicit AgentTable(std::uint16_t first_key = 1) : next_key_(first_key) {}

  /// A key in transaction ids that no agent has; requests of this library itself use it.
  static constexpr std::uint16_t kOwnKey = 0xFFFF;

  /// Errors: an errno, as the ioctl returns it. EINVAL also for a class and method that another
  /// agent already has.
  tl::expected<Agent*, int> add(const Registration& registration, UmadFile* file, std::uint32_t id);
  void remove(const Agent& agent);
  Agent* by_key(std::uint16_t key);
  /// Returns the agent with the MAD's class, version, method (and OUI).
  Agent* for_request(std::span<const std::uint8_t, mad::kMadBytes> bytes);
  bool receives_requests() const;

 private:
  std::unordered_map<std::uint16_t, std::unique_ptr<Agent>> agents_;
  std::uint16_t next_key_;
};

}  // namespace sim::umad
