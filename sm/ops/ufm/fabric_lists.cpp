#include "sm/ops/ufm/fabric_lists.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "mad/path_units.h"
#include "partitions/membership.h"
#include "sm/ops/web/rate_json.h"

namespace sm::ufm {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string key_text(std::uint16_t key) { return fmt::format("{:#x}", key); }

/// The lines of partitions.conf about a partition that name single GUIDs.
struct Configured {
  const partitions::Definition* last = nullptr;
  bool ipoib = false;
  struct Of {
    bool full = true, index0 = false;
  };
  std::map<mad::Guid, Of> members = {};
};

std::map<std::uint16_t, Configured> configured(const partitions::Configuration& configuration) {
  std::map<std::uint16_t, Configured> all;
  for (const partitions::Definition& definition : configuration.definitions) {
    Configured& of = all[definition.key];
    of.last = &definition;
    const auto broadcast = partitions::broadcast_group_of(definition.key, {});
    for (const WellKnownGroup& group : definition.groups)
      of.ipoib = of.ipoib || group.mgid == broadcast.mgid;
    for (const partitions::Member& member : definition.members)
      if (member.kind == partitions::Member::Kind::guids && member.first == member.last)
        of.members[{member.first}] = {.full = member.membership != partitions::Membership::limited,
                                      .index0 = definition.index0};
  }
  return all;
}

OrderedJson row(const PartitionSnapshot& snapshot, std::uint16_t key,
                const partitions::RuntimePartition* stored, const Configured* file,
                PKeyFields fields);

OrderedJson qos_conf(const partitions::RuntimePartition* stored, const Configured* file) {
  partitions::PartitionAttributes a;
  if (stored != nullptr) a = stored->attributes;
  if (file != nullptr) {
    a.sl = file->last->sl.value;
    if (!file->last->groups.empty()) {
      a.mtu = file->last->groups.front().mtu;
      a.rate = file->last->groups.front().rate;
    }
  }
  OrderedJson out;
  out["mtu_limit"] = mad::mtu_bytes(a.mtu) / 1024;
  out["service_level"] = a.sl;
  out["rate_limit"] = rate_json(a.rate);
  return out;
}

OrderedJson guids(const PartitionSnapshot& snapshot, std::uint16_t key, const Configured* file) {
  OrderedJson list = OrderedJson::array();
  std::map<mad::Guid, Configured::Of> rest;
  if (file != nullptr) rest = file->members;
  const auto add = [&](mad::Guid guid, bool full, bool index0) {
    OrderedJson member;
    member["guid"] = guid_digits(guid);
    member["membership"] = full ? "full" : "limited";
    member["index0"] = index0;
    list.push_back(std::move(member));
  };
  const auto& members = snapshot.stored->members();
  for (auto at = members.lower_bound({key, {}}); at != members.end() && at->first.key == key;
       ++at) {
    const auto also = rest.find(at->first.guid);
    const bool full = at->second.full || (also != rest.end() && also->second.full);
    add(at->first.guid, full, at->second.index0);
    if (also != rest.end()) rest.erase(also);
  }
  for (const auto& [guid, of] : rest) add(guid, of.full, of.index0);
  return list;
}

OrderedJson row(const PartitionSnapshot& snapshot, std::uint16_t key,
                const partitions::RuntimePartition* stored, const Configured* file,
                PKeyFields fields) {
  OrderedJson out;
  std::string name = stored == nullptr ? std::string() : stored->attributes.name;
  if (file != nullptr) name = file->last->name;
  out["partition"] = name.empty() ? "api_pkey_" + key_text(key) : name;
  out["ip_over_ib"] =
      (stored != nullptr && stored->attributes.ipoib) || (file != nullptr && file->ipoib);
  if (fields.qos_conf) out["qos_conf"] = qos_conf(stored, file);
  if (fields.guids) out["guids"] = guids(snapshot, key, file);
  return out;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, std::min(text.find(' '), text.size()));
}

}  // namespace

std::string p_keys_json(const PartitionSnapshot& snapshot, PKeyFields fields) {
  OrderedJson out = OrderedJson::object();
  auto files = configured(snapshot.context->partitioning);
  std::map<std::uint16_t, const partitions::RuntimePartition*> all;
  for (const auto& [key, ignored] : files) all[key] = nullptr;
  for (const auto& [key, partition] : snapshot.stored->partitions()) all[key] = &partition;
  for (const auto& [key, stored] : all) {
    const auto file = files.find(key);
    out[key_text(key)] =
        row(snapshot, key, stored, file == files.end() ? nullptr : &file->second, fields);
  }
  return out.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string p_key_json(const PartitionSnapshot& snapshot, std::uint16_t key, PKeyFields fields) {
  const partitions::RuntimePartition* const stored = snapshot.stored->partitions().find(key);
  const auto files = configured(snapshot.context->partitioning);
  const auto file = files.find(key);
  if (stored == nullptr && file == files.end()) return "{}";
  return row(snapshot, key, stored, file == files.end() ? nullptr : &file->second, fields)
      .dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string ports_json(const Subnet* subnet, Systems systems) {
  std::string out = "[";
  const auto add = [&](PortIndex index) {
    const Fabric& fabric = subnet->fabric;
    const Port& port = fabric.ports[index];
    const Node& node = fabric.owning_node(index);
    const std::string description = fabric.description(port.node);
    const mad::Guid guid = node.is_switch() ? node.guid : port.guid;
    OrderedJson row;
    row["guid"] = guid_digits(guid);
    row["name"] = fmt::format("{}_{}", guid_digits(guid), port.number.value);
    row["systemID"] = guid_digits(node.guid);
    row["lid"] = subnet->lid_range(node.is_switch() ? node.first_port : index).base.value;
    const std::string_view host = first_word(description);
    const std::string device =
        host.size() < description.size() ? description.substr(host.size() + 1) : description;
    row["dname"] = fmt::format("{}/{}", device, port.number.value);
    row["system_name"] = node.is_switch() ? description : std::string(host);
    row["node_description"] = description;
    row["number"] = port.number.value;
    row["physical_state"] = mad::name(port.info.port_physical_state());
    row["logical_state"] = mad::name(port.info.port_state());
    if (out.size() > 1) out += ",\n";
    out += row.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  };
  if (subnet != nullptr) {
    for (const PortIndex port : subnet->fabric.ports.indices()) {
      const bool of_switch = subnet->fabric.owning_node(port).is_switch();
      if (systems == Systems::computers &&
          subnet->fabric.owning_node(port).type != mad::NodeType::ca)
        continue;
      if (systems == Systems::switches && !of_switch) continue;
      if (of_switch && subnet->fabric.ports[port].number.value == 0) continue;
      if (subnet->fabric.ports[port].known) add(port);
    }
  }
  return out + "]";
}

std::vector<mad::Guid> ports_of_host(const Subnet& subnet, std::string_view name) {
  std::vector<mad::Guid> guids;
  for (const PortIndex port : subnet.fabric.end_ports) {
    const Node& node = subnet.fabric.owning_node(port);
    if (node.type != mad::NodeType::ca) continue;
    const std::string operators = subnet.fabric.description(subnet.fabric.ports[port].node);
    const std::string own(node.description.text());
    for (const std::string_view text : {std::string_view(operators), std::string_view(own)}) {
      if (text != name && first_word(text) != name) continue;
      guids.push_back(subnet.fabric.ports[port].guid);
      break;
    }
  }
  return guids;
}

std::string date_text(partitions::UnixTime time) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const auto second = (time - days).count();
  return fmt::format(
      "{} {} {:>2} {:02}:{:02}:{:02} UTC {}", kDays[std::chrono::weekday(days).c_encoding()],
      kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<unsigned>(date.day()),
      second / 3600, second / 60 % 60, second % 60, static_cast<int>(date.year()));
}

}  // namespace sm::ufm
