#include "virt/vnic/vnic_configuration.h"

#include <fnmatch.h>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "config/value.h"
#include "config/yaml_position.h"
#include "mad/format.h"

namespace vnic {
namespace {

using config::Severity;

/// Protocols of RoutingControl, each with the first of its three bits.
constexpr std::array<std::pair<std::string_view, unsigned>, 7> kProtocols{{{"default", 0},
                                                                           {"ipv4", 4},
                                                                           {"ipv4_udp", 8},
                                                                           {"ipv4_tcp", 12},
                                                                           {"ipv6", 16},
                                                                           {"ipv6_tcp", 20},
                                                                           {"ipv6_udp", 24}}};
constexpr std::uint64_t kRoutingControlMax = 7;
constexpr std::uint64_t kIntervalMax = 3600;

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Configuration read(const YAML::Node& root) {
    if (!root.IsMap()) {
      error(root, "the file is not a map", "write switches: and a list of them");
      return {};
    }
    for_each_key(
        root,
        [&](std::string_view key, const YAML::Node& value) {
          if (key == "port_guid")
            return result_.port_guid.value = number(value, "port_guid", 1, ~0ull), true;
          if (key == "interval")
            return result_.interval =
                       std::chrono::seconds(number(value, "interval", 1, kIntervalMax)),
                   true;
          if (key == "macs_per_port_max")
            return result_.macs_per_port_max = static_cast<unsigned>(
                       number(value, "macs_per_port_max", 0, kMacsPerPortMax)),
                   true;
          if (key == "ports") return read_list(value, "ports", &Reader::read_port), true;
          if (key == "switches") return read_list(value, "switches", &Reader::read_switch), true;
          return false;
        },
        "port_guid, interval, macs_per_port_max, ports or switches");
    if (result_.switches.empty() && findings_.empty())
      error(root, "the file has no switch", "write switches: and a list of them");
    if (findings_.empty()) check_contradictions();
    return std::move(result_);
  }

  config::Diagnostics take_findings() {
    config::sort_by_position(findings_);
    return std::move(findings_);
  }

 private:
  void error(const YAML::Node& at, std::string what, std::string remedy) {
    const config::YamlPosition position = config::yaml_position(at.Mark());
    findings_.push_back({.severity = Severity::error,
                         .file = file_,
                         .line = position.line,
                         .column = position.column,
                         .what = std::move(what),
                         .remedy = std::move(remedy)});
  }

  /// Calls `take` for each key; it returns false for a key that it does not know.
  void for_each_key(const YAML::Node& map,
                    const std::function<bool(std::string_view, const YAML::Node&)>& take,
                    std::string_view known) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (!seen.insert(key).second)
        error(entry.first, fmt::format("{} is there twice", config::in_quotes(key)), "remove one");
      else if (!take(key, entry.second))
        error(entry.first, fmt::format("{} is no key here", config::in_quotes(key)),
              fmt::format("write {}", known));
    }
  }

  void read_list(const YAML::Node& list, std::string_view name,
                 void (Reader::*entry_reader)(const YAML::Node&)) {
    if (!list.IsSequence())
      return error(list, fmt::format("{} is not a list", name), "begin each entry with - ");
    for (const auto& entry : list) (this->*entry_reader)(entry);
  }

  std::uint64_t number(const YAML::Node& node, std::string_view name, std::uint64_t min,
                       std::uint64_t max) {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const auto value = config::parse_number(text);
    if (value && *value >= min && *value <= max) return *value;
    error(node, fmt::format("{} is not a value for {}", config::in_quotes(text), name),
          max == ~0ull ? "write a number other than 0"
                       : fmt::format("write a number in {}..{}", min, max));
    return min;
  }

  std::string word(const YAML::Node& node, std::string_view name) {
    if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
    error(node, fmt::format("{} has no value", name), "write a word");
    return {};
  }

  void read_port(const YAML::Node& map) {
    if (!map.IsMap())
      return error(map, "a port is not a map", "write one such as {port_guid: 0x1, lid: 5}");
    EndPort port;
    for_each_key(
        map,
        [&](std::string_view key, const YAML::Node& value) {
          if (key == "port_guid") return port.guid.value = number(value, key, 1, ~0ull), true;
          if (key == "lid")
            return port.lid.value = static_cast<std::uint16_t>(
                       number(value, key, mad::kUnicastLidMin.value, mad::kUnicastLidMax.value)),
                   true;
          if (key == "description") return port.description = word(value, key), true;
          return false;
        },
        "port_guid, lid or description");
    const auto is_known = [&](const EndPort& other) {
      return other.guid == port.guid || other.lid == port.lid;
    };
    if (port.guid.value == 0 || port.lid.value == 0)
      return error(map, "a port has no port_guid or no lid", "write both");
    if (std::ranges::any_of(result_.ports, is_known))
      return error(map, "another port has this port_guid or lid", "correct one of them");
    result_.ports.push_back(std::move(port));
  }

  void read_switch(const YAML::Node& map) {
    if (!map.IsMap())
      return error(map, "a switch is not a map",
                   "write one such as {name: storage, id: 1, members: [all]}");
    SwitchConfiguration made;
    const std::size_t before = findings_.size();
    for_each_key(
        map,
        [&](std::string_view key, const YAML::Node& value) {
          return read_numbers(made, key, value) || read_parts(made, key, value);
        },
        "name, id, fabric_id, p_key, mtu, vnic, multicast_lid, routing_control, priorities, "
        "members or default_ports");
    if (findings_.size() > before) return;
    if (made.key.vesw_id == 0)
      error(map, "a switch has no id", "write id: and a number in 1..4095");
    if (made.members.empty()) error(map, "a switch has no members", "write members: [all]");
    if (made.name.empty()) made.name = fmt::format("{}", made.key.vesw_id);
    result_.switches.push_back(std::move(made));
    positions_.push_back(map);
  }

  bool read_numbers(SwitchConfiguration& made, std::string_view key, const YAML::Node& value) {
    const auto take = [&](auto& into, std::uint64_t min, std::uint64_t max) {
      into = static_cast<std::remove_reference_t<decltype(into)>>(number(value, key, min, max));
      return true;
    };
    if (key == "id") return take(made.key.vesw_id, 1, kVeswIdMax);
    if (key == "fabric_id") return take(made.key.fabric_id, 0, kFabricIdMax);
    if (key == "mtu") return take(made.mtu, kMtuMin, kMtuMax);
    if (key == "vnic") return take(made.vnic, 1, kVnicNumberMax);
    if (key == "multicast_lid") return take(made.multicast_lid, mad::kMlidMin.value, 0xFFFFFF);
    if (key != "p_key") return false;
    // A member of the switch sends to all others, so it must be a full member of the partition.
    made.p_key =
        mad::full_member_key(static_cast<std::uint16_t>(number(value, key, 1, 0xFFFF) & 0x7FFF));
    if (mad::p_key_base(made.p_key) == 0) error(value, "P_Key 0 is no partition", "write another");
    return true;
  }

  bool read_parts(SwitchConfiguration& made, std::string_view key, const YAML::Node& value) {
    if (key == "name") return made.name = word(value, key), true;
    if (key == "routing_control") return read_routing_control(made, value), true;
    if (key == "priorities") return read_priorities(made, value), true;
    if (key == "members") {
      if (!value.IsSequence()) return error(value, "members is not a list", "write [all]"), true;
      for (const auto& entry : value) read_member(made, entry);
      return true;
    }
    if (key != "default_ports") return false;
    if (!value.IsSequence() || value.size() > mad::kVeswDefaultPorts)
      return error(value, "default_ports is not a list of up to 16 PortGUIDs", "write one"), true;
    for (const auto& entry : value)
      made.default_ports.push_back({number(entry, "a default port", 1, ~0ull)});
    return true;
  }

  void read_routing_control(SwitchConfiguration& made, const YAML::Node& map) {
    if (!map.IsMap()) return error(map, "routing_control is not a map", "write {default: 0}");
    for_each_key(
        map,
        [&](std::string_view key, const YAML::Node& value) {
          const auto found =
              std::ranges::find(kProtocols, key, &decltype(kProtocols)::value_type::first);
          if (found == kProtocols.end()) return false;
          made.routing_control |= static_cast<std::uint32_t>(
              number(value, key, 0, kRoutingControlMax) << found->second);
          return true;
        },
        "default, ipv4, ipv4_udp, ipv4_tcp, ipv6, ipv6_udp or ipv6_tcp");
  }

  void read_priorities(SwitchConfiguration& made, const YAML::Node& map) {
    if (!map.IsMap())
      return error(map, "priorities is not a map", "write unicast: and multicast: there");
    for_each_key(
        map,
        [&](std::string_view key, const YAML::Node& value) {
          if (key == "unicast") return read_lanes(made.unicast, value), true;
          if (key == "multicast") return read_lanes(made.multicast, value), true;
          return false;
        },
        "unicast or multicast");
  }

  void read_lanes(Lanes& lanes, const YAML::Node& map) {
    if (!map.IsMap()) return error(map, "this is not a map", "write sc: and a list of 8 numbers");
    for_each_key(
        map,
        [&](std::string_view key, const YAML::Node& value) {
          if (key == "sc") return read_eight(lanes.sc, value, key, kScMax), true;
          if (key == "vl") return read_eight(lanes.vl, value, key, kVlMax), true;
          if (key == "untagged_sc")
            return lanes.untagged_sc = static_cast<std::uint8_t>(number(value, key, 0, kScMax)),
                   true;
          if (key == "untagged_vl")
            return lanes.untagged_vl = static_cast<std::uint8_t>(number(value, key, 0, kVlMax)),
                   true;
          return false;
        },
        "sc, vl, untagged_sc or untagged_vl");
  }

  void read_eight(std::array<std::uint8_t, mad::kVlanPriorities>& into, const YAML::Node& list,
                  std::string_view name, std::uint64_t max) {
    if (!list.IsSequence() || list.size() != into.size())
      return error(list, fmt::format("{} is not a list of 8 numbers", name),
                   "write one for each priority of a virtual LAN, from 0 on");
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i] = static_cast<std::uint8_t>(number(list[i], name, 0, max));
  }

  void read_member(SwitchConfiguration& made, const YAML::Node& node) {
    Member member;
    if (node.IsScalar() && node.Scalar() == "all") {
      member.all = true;
    } else if (node.IsScalar()) {
      member.port_guid.value = number(node, "a member", 1, ~0ull);
    } else if (node.IsMap()) {
      for_each_key(
          node,
          [&](std::string_view key, const YAML::Node& value) {
            if (key == "port_guid")
              return member.port_guid.value = number(value, key, 1, ~0ull), true;
            if (key == "description") return member.description = word(value, key), true;
            if (key == "base_mac") return member.base_mac = mac(value), true;
            return false;
          },
          "port_guid, description or base_mac");
      if ((member.port_guid.value == 0) == member.description.empty())
        return error(node, "a member has no port_guid or description, or both",
                     "write one of them");
      if (member.base_mac && member.port_guid.value == 0)
        return error(node, "a base_mac belongs to one port", "write the port_guid of the member");
    } else {
      return error(node, "this is no member", "write all, a PortGUID, or a map");
    }
    made.members.push_back(std::move(member));
  }

  mad::Mac mac(const YAML::Node& node) {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const auto parsed = parse_mac(text);
    if (parsed && parsed->value != 0 && !parsed->is_multicast()) return *parsed;
    error(node, fmt::format("{} is no MAC address of an interface", config::in_quotes(text)),
          "write six octets such as 02:00:00:00:00:01, the first one even");
    return {};
  }

  /// Finds defects that only the whole file shows.
  void check_contradictions() {
    if (result_.switches.size() > kSwitchesMax)
      error(positions_[kSwitchesMax], "there are more than 255 switches", "remove some");
    for (std::size_t i = 0; i < result_.switches.size(); ++i) {
      const SwitchConfiguration& one = result_.switches[i];
      std::set<mad::Mac> macs;
      for (const Member& member : one.members)
        if (member.base_mac && !macs.insert(*member.base_mac).second)
          error(positions_[i], fmt::format("two members have base_mac {}", text(*member.base_mac)),
                "give one of them another");
      for (std::size_t j = 0; j < i; ++j) {
        const SwitchConfiguration& other = result_.switches[j];
        if (one.key == other.key)
          error(positions_[i], "another switch has this id", "give one of them another");
        if (one.name == other.name)
          error(positions_[i], "another switch has this name", "give one of them another");
        if (one.vnic != 0 && one.vnic == other.vnic)
          error(positions_[i], "another switch has this vnic", "give one of them another");
      }
    }
  }

  std::string file_;
  Configuration result_;
  std::vector<YAML::Node> positions_;  // of the switches
  config::Diagnostics findings_;
};

}  // namespace

tl::expected<Configuration, config::Diagnostics> read_configuration(const config::Source& source) {
  Reader reader(source.file);
  try {
    Configuration made = reader.read(config::load_yaml(source.text));
    if (config::Diagnostics findings = reader.take_findings(); !findings.empty())
      return tl::unexpected(std::move(findings));
    return made;
  } catch (const YAML::Exception& error) {
    return tl::unexpected(config::Diagnostics{config::not_yaml(source.file, error)});
  }
}

bool fits(std::string_view pattern, std::string_view text) {
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), FNM_NOESCAPE) == 0;
}

std::string text(mad::Mac mac) {
  std::string out;
  for (int shift = 40; shift >= 0; shift -= 8)
    fmt::format_to(std::back_inserter(out), "{}{:02x}", shift == 40 ? "" : ":",
                   mac.value >> shift & 0xFF);
  return out;
}

std::optional<mad::Mac> parse_mac(std::string_view text) {
  const auto octets = config::split(text, ":");
  if (octets.size() != mad::kMacBytes) return std::nullopt;
  mad::Mac mac;
  for (const std::string_view octet : octets) {
    const auto value = config::parse_number(octet, 16);
    if (octet.size() != 2 || !value || *value > 0xFF) return std::nullopt;
    mac.value = mac.value << 8 | *value;
  }
  return mac;
}

}  // namespace vnic
