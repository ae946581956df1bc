#pragma once
// This file decides which M_Key each port is to have (IBTA Vol 1, 14.2.4).

#include <cstdint>

#include "config/options.h"
#include "mad/ids.h"

namespace sm {

/// Gives all ports the m_key, or with m_key_per_port each port its own key. A port that shows its
/// key, or a host that receives it in a TrapRepress, then shows nothing about the keys of others.
///
/// The key of a port is derive_key() for "heddle m_key" with the seed key_mgr_seed, or m_key if
/// key_mgr_seed is 0. All managers of a subnet with one seed and version (KeyVersion) have one key
/// for a port.
class MKeyPolicy {
 public:
  MKeyPolicy() = default;
  explicit MKeyPolicy(const config::Options& options, std::uint64_t version = 0)
      : key_(options.m_key),
        seed_(options.m_key_per_port ? options.m_key_seed() : options.key_mgr_seed),
        version_(version),
        per_port_(options.m_key_per_port) {}

  /// True if some port is to have a key.
  bool uses_keys() const { return (per_port_ ? seed_ : key_) != 0; }
  /// True if keys are derived: key() and former_key() then take some microseconds.
  bool derives() const { return seed_ != 0; }
  /// Returns the key of the port with this PortGUID. For Guid{}, returns the key of requests to an
  /// unknown port: 0 if each port has its own key, since the seed is never sent.
  mad::MKey key(mad::Guid port) const;
  /// Returns the policy with keys of another version.
  MKeyPolicy with_version(std::uint64_t version) const;
  std::uint64_t version() const { return version_; }
  /// True if each port has its own key, which another version changes.
  bool has_versions() const { return per_port_ && seed_ != 0; }
  /// Returns the key that the port had before m_key_per_port was set, or reset: m_key, or its
  /// derived key; 0 if it is not known. With m_key as the seed it is not known, since the seed is
  /// never sent.
  mad::MKey former_key(mad::Guid port) const;

  bool operator==(const MKeyPolicy&) const = default;

 private:
  mad::MKey derived_key(mad::Guid port) const;

  std::uint64_t key_ = 0, seed_ = 0, version_ = 0;
  bool per_port_ = false;
};

}  // namespace sm
