#pragma once
// This file reads files about the health of nodes and links.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace config {

/// Names the action for a port or link that is not healthy.
enum class HealthAction : std::uint8_t {
  ignore,
  report,       // a condition
  isolate,      // it is kept out of use
  no_discover,  // the same; nothing is read behind a host's port
};
/// Lists the actions by name, for messages.
inline constexpr std::string_view kHealthActions = "ignore, report, isolate or no_discover";
/// Returns nothing if there is no such action.
std::optional<HealthAction> health_action(std::string_view word);

/// Holds an entry of hm_ports_health_policy_file.
struct PortHealth {
  std::uint64_t guid = 0;            // of a node, or of an end port
  std::optional<std::uint8_t> port;  // nothing: all of the node's
  bool healthy = false;
  std::optional<HealthAction> action;  // nothing: hm_sw_manual_action or hm_ca_manual_action
  bool operator==(const PortHealth&) const = default;
};

/// Reads lines of the form `guid port HEALTHY`, `guid port UNHEALTHY` or `guid port UNHEALTHY
/// action`; ports 0 and 255 stand for all ports of the node. Errors and warnings: as in
/// guid_files.h.
std::vector<PortHealth> parse_port_health(const Source& source, Diagnostics& out);

/// Holds a file that a module which knows its format parses later; copies share the text.
struct SharedSource {
  std::string file;
  std::shared_ptr<const std::string> text;  // null: there is none
  bool operator==(const SharedSource& other) const {
    return file == other.file &&
           (text == other.text || (text && other.text && *text == *other.text));
  }
};

}  // namespace config
