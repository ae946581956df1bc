#pragma once
// The settings of hardware that options require, computed independently of Heddle.

#include <algorithm>
#include <functional>
#include <utility>

#include "config/options.h"
#include "sm/store/m_key_policy.h"
#include "support/check/expected.h"

namespace laboratory {

/// All that options alone determine: neither the master, nor partitions, groups and SL2VL. Of the
/// QoS sets the common one is used.
inline sim::Expected expected_of(const config::Options& options, std::uint64_t key_version = 0) {
  using enum config::PartEnforce;
  const std::uint32_t qos_vls = options.qos_set(config::QosScope::all).max_vls;
  const std::uint8_t qos_code = mad::vl_code(options.qos && qos_vls != 0 ? qos_vls : 15);
  std::function<mad::MKey(mad::Guid)> m_key_of;
  if (options.m_key_per_port)
    m_key_of = [keys = sm::MKeyPolicy(options, key_version)](mad::Guid port) {
      return keys.key(port);
    };
  return {.m_key = {options.m_key},
          .m_key_of = std::move(m_key_of),
          .m_key_protect_bits = static_cast<std::uint8_t>(options.m_key_protection_level & 3u),
          .m_key_lease_period_s = options.m_key_lease_period,
          .gid_prefix = options.subnet_prefix,
          .lmc = options.lmc,
          .lmc_of_enhanced_port_0 = options.lmc_esp0,
          .operational_vls_max = std::min(options.max_op_vls, qos_code),
          .enforce_inbound = options.part_enforce == in || options.part_enforce == both,
          .enforce_outbound = options.part_enforce == out || options.part_enforce == both};
}

}  // namespace laboratory
