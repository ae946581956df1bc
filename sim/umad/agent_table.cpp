#include "sim/umad/agent_table.h"

#include <algorithm>
#include <cerrno>

#include "mad/rmpp.h"

namespace sim::umad {
namespace {

constexpr std::uint8_t kClassesMax = 0x50;  // of classes without bit 7
constexpr std::uint8_t kClassVersionsMax = 0x83;

bool is_smp(std::uint8_t mgmt_class) { return mgmt_class == 0x01 || mgmt_class == 0x81; }
bool has_oui(std::uint8_t mgmt_class) { return mgmt_class >= 0x30 && mgmt_class <= 0x4F; }

bool is_valid(const Registration& wanted) {
  if (wanted.qpn > 1) return false;
  if (wanted.rmpp_version > mad::kRmppVersion) return false;
  if (wanted.mgmt_class == 0) return !wanted.user_rmpp;
  if (wanted.class_version >= kClassVersionsMax) return false;
  if (wanted.mgmt_class >= kClassesMax && wanted.mgmt_class != 0x81) return false;
  if (has_oui(wanted.mgmt_class) && wanted.oui == 0) return false;
  if (mad::rmpp_header_bytes(static_cast<mad::MgmtClass>(wanted.mgmt_class)) == 0 &&
      wanted.rmpp_version != 0)
    return false;
  return is_smp(wanted.mgmt_class) == (wanted.qpn == 0);
}

bool overlap(const Registration& a, const Registration& b) {
  return a.mgmt_class == b.mgmt_class && a.class_version == b.class_version &&
         (!has_oui(a.mgmt_class) || a.oui == b.oui) &&
         ((a.methods[0] & b.methods[0]) | (a.methods[1] & b.methods[1])) != 0;
}

}  // namespace

tl::expected<Agent*, int> AgentTable::add(const Registration& registration, UmadFile* file,
                                          std::uint32_t id) {
  if (!is_valid(registration)) return tl::unexpected(EINVAL);
  if (registration.mgmt_class != 0) {
    for (const auto& [key, agent] : agents_)
      if (agent->registration.mgmt_class != 0 && overlap(agent->registration, registration))
        return tl::unexpected(EINVAL);
  }
  if (agents_.size() >= kOwnKey - 1u) return tl::unexpected(ENOMEM);
  // Keys are not reused soon, because a late response must match only its requester.
  while (next_key_ == 0 || next_key_ == kOwnKey || agents_.contains(next_key_)) ++next_key_;
  auto agent = std::make_unique<Agent>(
      Agent{.key = next_key_, .file = file, .id = id, .registration = registration});
  Agent* out = agent.get();
  agents_.emplace(next_key_++, std::move(agent));
  return out;
}

void AgentTable::remove(const Agent& agent) { agents_.erase(agent.key); }

Agent* AgentTable::by_key(std::uint16_t key) {
  const auto found = agents_.find(key);
  return found == agents_.end() ? nullptr : found->second.get();
}

Agent* AgentTable::for_request(std::span<const std::uint8_t, mad::kMadBytes> bytes) {
  const mad::ConstMadView mad(bytes);
  const auto mgmt_class = mad::to_raw(mad.mgmt_class());
  const unsigned method = mad::to_raw(mad.method()) & 0x7Fu;
  const std::uint32_t oui =
      std::uint32_t{bytes[37]} << 16 | std::uint32_t{bytes[38]} << 8 | bytes[39];
  for (const auto& [key, agent] : agents_) {
    const Registration& wanted = agent->registration;
    if (wanted.mgmt_class != mgmt_class || wanted.class_version != mad.class_version()) continue;
    if ((wanted.methods[method / 64] >> (method % 64) & 1u) == 0) continue;
    if (has_oui(static_cast<std::uint8_t>(mgmt_class)) && wanted.oui != oui) continue;
    return agent.get();
  }
  return nullptr;
}

bool AgentTable::receives_requests() const {
  return std::any_of(agents_.begin(), agents_.end(),
                     [](const auto& row) { return row.second->registration.receives_requests(); });
}

}  // namespace sim::umad
