#pragma once
// Which M_Key each port is to have (IBTA Vol 1, 14.2.4).

#include <cstdint>

#include "config/options.h"
#include "mad/ids.h"

namespace sm {

/// m_key for all ports, or with m_key_per_port a key of its own for each: a port that shows its
/// key, or a host that receives it in a TrapRepress, then shows nothing about the keys of others.
///
/// The key of a port is derive_key() for "heddle m_key" with the seed key_mgr_seed, or m_key where
/// that is 0. All managers of a subnet with one seed and version (KeyVersion) have one key for a
/// port.
class MKeyPolicy {
 public:
  MKeyPolicy() = default;
  explicit MKeyPolicy(const config::Options& options, std::uint64_t version = 0)
      : key_(options.m_key),
        seed_(options.m_key_per_port ? options.m_key_seed() : options.key_mgr_seed),
        version_(version),
        per_port_(options.m_key_per_port) {}

  /// Some port is to have a key.
  bool uses_keys() const { return (per_port_ ? seed_ : key_) != 0; }
  /// Keys are derived: key() and former_key() take some microseconds.
  bool derives() const { return seed_ != 0; }
  /// The key of the port with this PortGUID. Guid{}: what a request to a port that is not known
  /// carries. 0 with keys of their own, since the seed is not sent.
  mad::MKey key(mad::Guid port) const;
  /// Returns the policy with keys of another version.
  MKeyPolicy with_version(std::uint64_t version) const;
  std::uint64_t version() const { return version_; }
  /// Each port has a key of its own, which another version changes.
  bool has_versions() const { return per_port_ && seed_ != 0; }
  /// The key that the port had before m_key_per_port was set, or reset: m_key, or its derived key.
  /// 0: not known. With m_key as the seed it is not known, since the seed is not sent.
  mad::MKey former_key(mad::Guid port) const;

  bool operator==(const MKeyPolicy&) const = default;

 private:
  mad::MKey derived_key(mad::Guid port) const;

  std::uint64_t key_ = 0, seed_ = 0, version_ = 0;
  bool per_port_ = false;
};

}  // namespace sm
