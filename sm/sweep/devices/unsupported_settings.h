#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/fabric.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {

/// Holds tuning fields of PortInfo that a device acknowledges and does not take. Such a field alone
/// is no reason to write to that device's ports again, at this sweep or after a restart of the
/// manager. A Set that is needed for another reason still has it, and a device that takes it is
/// recorded at once. A record applies to one device, not to its model, and ends when the device
/// restarts. Fields that connectivity or isolation depend on (LID, MTU, M_Key, P_Key enforcement,
/// ...) are never recorded here: see Refusals.
class UnsupportedSettings {
 public:
  /// Returns the fields that the device does not take at ports of this kind: a switch's port 0, or
  /// any other.
  PortInfoMask mask_for(const Fabric& fabric, PortIndex port) const;

  /// Learns from `answered`, a response without an error to `asked`, when the port had `before`.
  /// Returns the names of fields that were not known to be unsupported.
  std::vector<std::string_view> learn(const Fabric& fabric, PortIndex port,
                                      const mad::PortInfo& before, const mad::PortInfo& asked,
                                      const mad::PortInfo& answered);
  /// Returns `fields` except those that are known to be unsupported.
  PortInfoMask without(const Fabric& fabric, PortIndex port, PortInfoMask fields) const;

  /// True once after something was learned or forgotten, so that it should be saved.
  bool take_changed();

  void forget(mad::Guid node);
  /// Forgets devices that have restarted: they may run another firmware.
  void update_from(const Fabric& fabric);

  /// Returns one line for each kind of port of a device: `NodeGUID kind field field ...`, kind
  /// `port0` or `ports`. `#` starts a comment; that of the first line has the version
  /// (sm/store/file_version.h), which older files lack.
  std::string to_text() const;
  /// Reads the text. Errors: what is wrong with the text, by line; then nothing of it is used,
  /// since it can be learned again.
  static tl::expected<UnsupportedSettings, std::string> from_text(std::string_view text);
  /// Loads a directory's file; empty if there is none. Errors: one line; then it is not used.
  static tl::expected<UnsupportedSettings, std::string> load(const std::filesystem::path& folder);

  static constexpr std::string_view kFile = "refused-settings";

 private:
  struct Ports {  // of one device
    mad::Guid node;
    bool port_0 = false;  // of a switch; false: all others
    auto operator<=>(const Ports&) const = default;
  };
  static Ports ports_like(const Fabric& fabric, PortIndex port);

  std::map<Ports, PortInfoMask> unsupported_;
  bool changed_ = false;
};

}  // namespace sm
