#pragma once
// The management classes whose keys are managed: a table of them.

#include <cstdint>
#include <span>
#include <string_view>

#include "config/options.h"
#include "mad/attribute.h"

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

}  // namespace sm
