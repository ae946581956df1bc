#pragma once
// Holds what is known of the keys that devices have for one management class.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/options.h"
#include "mad/attribute.h"
#include "mad/runtime.h"
#include "sm/store/cache_files.h"
#include "sm/store/key_version.h"

namespace sm {

enum class ClassKeyMode : std::uint8_t { leave = 0, remove = 1, set = 2 };  // *_key_enable

struct ClassKeySettings {
  ClassKeyMode mode = ClassKeyMode::leave;
  std::uint16_t lease_s = 0;
  bool is_protected = false;
  unsigned window = 1;  // requests in flight
};

/// One class. Its KeyInfo and ClassPortInfo have the layout of mad/attributes/keyed_class.h; data
/// begins at `data_byte` of the MAD, the key in front of it.
struct KeyedClass {
  mad::MgmtClass mgmt_class;
  std::uint8_t version;
  std::uint8_t data_byte;
  std::uint16_t key_info;           // attribute
  std::uint16_t needed_capability;  // bits of CapabilityMask; 0: who answers has the class
  std::string_view name;            // "vendor specific"
  std::string_view option;          // "vs_key_enable"
  std::string_view purpose;         // of derive_key()
  std::string_view file;            // in cache_files_dir; the format is that of guid2mkey
  ClassKeySettings (*settings)(const config::Options& options);
};

std::span<const KeyedClass> keyed_classes();

enum class ClassKeyStanding : std::uint8_t {
  open,      // not queried yet, or not to its end
  keyed,     // it has acknowledged the key that it is to have, or that it has none
  absent,    // it does not have the class
  rejected,  // it answers, and does not take the key
  silent,    // it does not answer, and is not given up yet
  given_up,  // until it returns
};

/// Describes an end port. Values that the device has acknowledged or shown are certain.
struct ClassKeyDevice {
  ClassKeyStanding standing = ClassKeyStanding::open;
  std::optional<std::uint64_t> key;  // 0: it has none
  bool is_protected = false;
  std::uint16_t lease_s = 0;
  mad::Lid trap_lid;  // as it has acknowledged it
  bool has_class = false;
  unsigned silent_rounds = 0;  // in a row
  std::uint16_t violations = 0;
  bool knows_violations = false;
  mad::TimePoint refreshed{};  // the latest response to a request with the key
  bool seen = false;           // in the latest subnet
};

/// Holds the key that a port is to have, and the keys that it may have.
struct ClassKeyCandidates {
  std::uint64_t desired = 0;
  std::vector<std::uint64_t> all;  // the likeliest first; without duplicates, never empty
};

/// Holds the keys of the devices of one class. Candidates are the keys of the file, which has what
/// devices acknowledged, of the version of keys and of the one before.
class ClassKeys {
 public:
  /// Bounds the ports whose keys are kept; a subnet has fewer.
  static constexpr std::size_t kPortsMax = 1 << 16;

  explicit ClassKeys(const KeyedClass& keyed) : keyed_(keyed) {}

  const KeyedClass& keyed() const { return keyed_; }
  /// Reads the file again, at the start and at a reload. Returns the defects of the file.
  std::vector<std::string> configure(const config::Options& options);
  const ClassKeySettings& settings() const { return settings_; }
  void set_version(const KeyVersion& version) { version_ = version; }

  ClassKeyCandidates candidates(mad::Guid port) const;
  ClassKeyDevice& device(mad::Guid port) { return devices_[port]; }
  const ClassKeyDevice* find(mad::Guid port) const;
  std::unordered_map<mad::Guid, ClassKeyDevice>& devices() { return devices_; }
  const std::unordered_map<mad::Guid, ClassKeyDevice>& devices() const { return devices_; }
  /// Notes that the port has restarted or was absent: its key is no longer certain, and the manager
  /// queries it again.
  void note_returned(mad::Guid port);
  /// True if the file has a key for the port.
  bool has_stored(mad::Guid port) const { return keys_.contains(port); }
  /// Notes that the port has acknowledged this key.
  void acknowledged(mad::Guid port, std::uint64_t key);
  /// Returns the content of the file, if it differs from what is on disk.
  std::optional<Guid2MKey> unsaved() const;
  void saved(Guid2MKey keys) { stored_ = std::move(keys); }

 private:
  const KeyedClass& keyed_;
  ClassKeySettings settings_;
  std::uint64_t seed_ = 0;
  KeyVersion version_;
  Guid2MKey stored_, keys_;  // as on disk, and as acknowledged
  std::unordered_map<mad::Guid, ClassKeyDevice> devices_;
};

}  // namespace sm
