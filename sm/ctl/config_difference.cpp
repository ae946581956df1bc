#include "sm/ctl/config_difference.h"

#include <cstdint>
#include <map>
#include <optional>

#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"
#include "mad/number.h"
#include "sm/ctl/lists_text.h"

namespace sm::ctl {
namespace {

using Json = nlohmann::ordered_json;

std::string text_in(const Json& row, const char* field) {
  const auto found = row.find(field);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Maps the keys of options to their values.
std::map<std::string, std::string> values_of(const Json& rows) {
  std::map<std::string, std::string> values;
  for (const Json& row : rows)
    if (row.is_object()) values.emplace(text_in(row, "key"), text_in(row, "value"));
  return values;
}

/// Returns the GUID of a manager that shares state; nothing if no manager has this name.
std::optional<std::uint64_t> shared_manager(const Json& subnet, std::string_view name) {
  const auto store = subnet.find("store");
  if (store == subnet.end()) return std::nullopt;
  const std::optional<std::uint64_t> guid = mad::parse_hex(name);
  if (guid && guid == mad::parse_hex(text_in(*store, "master"))) return guid;
  for (const Json& peer : store->value("peers", Json::array())) {
    const std::optional<std::uint64_t> of_peer = mad::parse_hex(text_in(peer, "port_guid"));
    const std::string address = text_in(peer, "address");
    const std::string host = address.substr(0, address.rfind(':'));
    if (name == address || name == host || (guid && guid == of_peer)) return of_peer;
  }
  return std::nullopt;
}

}  // namespace

bool is_shared_manager(const Json& subnet, std::string_view name) {
  return shared_manager(subnet, name).has_value();
}

std::string why_not_compared(const Json& subnet, std::string_view name) {
  const auto store = subnet.find("store");
  if (store == subnet.end() || text_in(subnet, "state") != "Standby")
    return "only a standby with state_store knows the configuration of the master; run this on "
           "the standby, or name a file that `heddlectl diff-config --dump` wrote on the other "
           "host";
  if (!name.empty() && shared_manager(subnet, name) != mad::parse_hex(text_in(*store, "master")))
    return fmt::format(
        "{} is not the master, and only the master shares its configuration; name a file that "
        "`heddlectl diff-config --dump` wrote there",
        name);
  if (!store->value("has_configuration", true))
    return "the shared state does not have the master's configuration yet";
  return "";
}

std::vector<OptionDifference> options_of_master(const Json& rows) {
  std::vector<OptionDifference> found;
  for (const Json& row : rows) {
    if (!row.contains("master")) continue;
    OptionDifference& difference = found.emplace_back();
    difference.key = text_in(row, "key");
    difference.here = text_in(row, "value");
    difference.there = text_in(row, "master");
    if (difference.here == difference.there)
      difference.note = difference.here == config::kMasked ? "the secrets differ"
                                                           : "the contents of the files differ";
  }
  return found;
}

std::vector<OptionDifference> differing_options(const Json& here, const Json& there) {
  std::vector<OptionDifference> found;
  const std::map<std::string, std::string> others = values_of(there);
  for (const auto& [name, value] : values_of(here)) {
    const config::Key* const key = config::find_key(name);
    const auto other = others.find(name);
    if (key == nullptr || key->is_of_host || other == others.end() || value == other->second)
      continue;
    OptionDifference& difference = found.emplace_back();
    difference.key = name;
    difference.here = value;
    difference.there = other->second;
  }
  return found;
}

Json config_differences_json(const std::vector<OptionDifference>& differences) {
  Json rows = Json::array();
  for (const OptionDifference& of : differences) {
    Json row{{"option", of.key}, {"here", of.here}, {"there", of.there}};
    if (!of.note.empty()) row["note"] = of.note;
    rows.push_back(std::move(row));
  }
  Json answer;
  answer["differences"] = std::move(rows);
  return answer;
}

std::string config_differences_text(const std::vector<OptionDifference>& differences) {
  if (differences.empty()) return "no option differs\n";
  std::vector<std::vector<std::string>> rows{{"OPTION", "HERE", "THERE", ""}};
  for (const OptionDifference& of : differences)
    rows.push_back({of.key, printable(of.here), printable(of.there), of.note});
  return table(rows);
}

}  // namespace sm::ctl
