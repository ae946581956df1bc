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

/// What a program says when it registers an agent.
struct Registration {
  unsigned qpn = 0;
  std::uint8_t mgmt_class = 0;  // 0: answers to its own requests only
  std::uint8_t class_version = 0;
  std::uint8_t rmpp_version = 0;
  bool user_rmpp = false;  // the program does RMPP itself although it has named a version
  std::uint32_t oui = 0;   // of vendor classes 0x30..0x4F
  std::array<std::uint64_t, 2> methods{};  // bit n: requests with method n
  bool wants_requests() const { return mgmt_class != 0 && (methods[0] | methods[1]) != 0; }
};

struct Agent {
  std::uint16_t key = 0;  // stands in the transaction ids of its requests
  UmadFile* file = nullptr;
  std::uint32_t id = 0;  // the file's name for it
  Registration registration;
  /// Segments of this agent are put together here, and its messages cut.
  bool kernel_rmpp() const { return registration.rmpp_version != 0 && !registration.user_rmpp; }
};

/// The agents of one port, of all files of this process; who gets which MAD.
class AgentTable {
 public:
  /// `first_key`: where keys begin. Two processes that follow each other should not begin alike:
  /// who answers remembers transactions for a while.
  explicit AgentTable(std::uint16_t first_key = 1) : next_key_(first_key) {}

  /// Key in transaction ids that no agent has; for the questions that this library asks.
  static constexpr std::uint16_t kOwnKey = 0xFFFF;

  /// Errors: an errno, as the ioctl gives it. EINVAL also for a class and method that another agent
  /// already answers.
  tl::expected<Agent*, int> add(const Registration& registration, UmadFile* file, std::uint32_t id);
  void remove(const Agent& agent);
  Agent* by_key(std::uint16_t key);
  /// Whose class, version, method (and OUI) it is.
  Agent* for_request(std::span<const std::uint8_t, mad::kMadBytes> bytes);
  bool wants_requests() const;

 private:
  std::unordered_map<std::uint16_t, std::unique_ptr<Agent>> agents_;
  std::uint16_t next_key_;
};

}  // namespace sim::umad
