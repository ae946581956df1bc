#include "sm/ops/partition_rows.h"

#include <fmt/ranges.h>

#include "mad/format.h"
#include "mad/path_units.h"
#include "sm/ops/web/rate_json.h"
#include "sm/partitions/partition_service.h"

namespace sm::api {
namespace {

using Answered = nlohmann::ordered_json;

constexpr std::string_view kKey = R"({"type":"string","pattern":"^0x[0-9a-f]{4}$"})",
                           kSources = "file|api[]";

nlohmann::json sources(const ConfiguredBy& by) {
  nlohmann::json names = nlohmann::json::array();
  if (by.file) names.push_back("file");
  if (by.api) names.push_back("api");
  return names;
}

constexpr auto kConfiguredPartition = std::to_array<Field<ConfiguredPartition>>({
    {{"p_key", kKey}, [](auto& of) { return fmt::format("{:#06x}", of.key); }},
    {{"sources", kSources, "file: partitions.conf"}, [](auto& of) { return sources(of.by); }},
    {{"name", value::kText}, [](auto& of) { return of.attributes.name; }},
    {{"ipoib", value::kBoolean, "it has the broadcast group of IP over InfiniBand"},
     [](auto& of) { return of.attributes.ipoib; }},
    {{"mtu", value::kInteger, "of that group, bytes"},
     [](auto& of) { return mad::mtu_bytes(of.attributes.mtu); }},
    {{"rate_gbps", value::kNumber, "of that group"},
     [](auto& of) { return rate_json(of.attributes.rate); }},
    {{"sl", value::kInteger}, [](auto& of) { return of.attributes.sl; }},
    {{"full_members", value::kInteger, "in the subnet"}, [](auto& of) { return of.full; }},
    {{"limited_members", value::kInteger, "in the subnet"}, [](auto& of) { return of.limited; }},
    {{"api_members", value::kInteger, "of the API, in the subnet or not"},
     [](auto& of) { return of.of_api; }},
    {{"absent_members", value::kInteger, "of the API, not in the subnet"},
     [](auto& of) { return of.absent; }},
    {{"file_members", value::kInteger, "that partitions.conf gives, in the subnet"},
     [](auto& of) { return of.of_file; }},
    {{"absent_file_members", value::kInteger,
      "GUIDs that partitions.conf names, and that no port or vport of the subnet has"},
     [](auto& of) { return of.absent_of_file; }},
    {{"revision", value::kInteger, "of its latest change by the API; 0: none"},
     [](auto& of) { return of.revision; }},
    {{"applied", value::kBoolean, "the fabric has that revision"},
     [](auto& of) { return of.applied; }},
});

constexpr auto kConfiguredMember = std::to_array<Field<ConfiguredMember>>({
    {{"guid", value::kGuid, "the PortGUID, or a vport's GUID"},
     [](auto& of) { return fmt::format("{}", of.guid); }},
    {{"membership", "full|limited"}, [](auto& of) { return of.full ? "full" : "limited"; }},
    {{"index0", value::kBoolean, "the P_Key belongs at index 0 of the port's table"},
     [](auto& of) { return of.index0; }},
    {{"sources", kSources, "file: partitions.conf"}, [](auto& of) { return sources(of.by); }},
    {{"present", value::kBoolean, "it is in the subnet"}, [](auto& of) { return of.present; }},
    {{"owner", value::kText, {}, true},
     [](auto& of) -> FieldValue { return of.owner ? FieldValue(*of.owner) : std::nullopt; }},
    {{"expires_at", value::kTime, "when it is removed", true},
     [](auto& of) -> FieldValue {
       return of.expires ? FieldValue(sm::time_text(*of.expires)) : std::nullopt;
     }},
});

constexpr auto kKeptRow = std::to_array<Field<KeptRow>>({
    {{"p_key", kKey, "of the partition"},
     [](auto& of) { return fmt::format("{:#06x}", mad::p_key_base(of.key)); }},
    {{"membership", "full|limited"},
     [](auto& of) { return mad::is_full_member(of.key) ? "full" : "limited"; }},
    {{"guid", value::kGuid, "the PortGUID, or a vport's GUID"},
     [](auto& of) { return fmt::format("{}", of.guid); }},
    {{"port", value::kTextOrNull, "null: it is not in the subnet"},
     [](auto& of) { return of.name.empty() ? nlohmann::json() : nlohmann::json(of.name); }},
});

/// Formats "file", "api" or "file+api".
std::string sources_text(const Answered& row) {
  return fmt::format("{}", fmt::join(row.at("sources").get<std::vector<std::string>>(), "+"));
}

std::string group_text(const Answered& row) {
  if (!row.value("ipoib", false)) return "-";
  return fmt::format("{} bytes, {} Gb/s, SL {}", field_text(row, "mtu"),
                     field_text(row, "rate_gbps"), field_text(row, "sl"));
}

std::string partition_remarks_text(const Answered& row) {
  std::vector<std::string> remarks;
  if (!row.value("applied", true)) remarks.emplace_back("not in the fabric yet");
  if (const auto absent = row.value("absent_members", std::size_t{0}); absent > 0)
    remarks.push_back(fmt::format("{} not in the subnet", absent));
  if (const auto absent = row.value("absent_file_members", std::size_t{0}); absent > 0)
    remarks.push_back(fmt::format("{} of the file not in the subnet", absent));
  return fmt::format("{}", fmt::join(remarks, ", "));
}

std::string remarks_text(const Answered& row) {
  std::vector<std::string> remarks;
  if (row.value("index0", false)) remarks.emplace_back("at index 0");
  if (!row.value("present", true)) remarks.emplace_back("not in the subnet");
  if (row.contains("expires_at")) remarks.push_back("until " + field_text(row, "expires_at"));
  return fmt::format("{}", fmt::join(remarks, ", "));
}

}  // namespace

RowInfo kept_key_info() {
  return {"KeptPKey",
          "a P_Key of unknown origin that a port has kept",
          infos_of(kKeptRow),
          {{"kept P_Key", "p_key"},
           {"membership", "membership"},
           {"PortGUID", "guid"},
           {"port", "port"}}};
}

nlohmann::ordered_json row(const KeptRow& kept) {
  return row_of<nlohmann::ordered_json>(kKeptRow, kept);
}

RowInfo partition_info() {
  return {"Partition",
          "a partition as it is configured",
          infos_of(kConfiguredPartition),
          {{"P_Key", "p_key"},
           {"name", "name"},
           {"from", {}, sources_text},
           {"full", "full_members"},
           {"limited", "limited_members"},
           {"by API", "api_members"},
           {"IPoIB group", {}, group_text},
           {"", {}, partition_remarks_text}}};
}

RowInfo partition_member_info() {
  return {"PartitionMember",
          "a member of a partition as it is configured",
          infos_of(kConfiguredMember),
          {{"PortGUID", "guid"},
           {"membership", "membership"},
           {"from", {}, sources_text},
           {"owner", "owner"},
           {"", {}, remarks_text}}};
}

nlohmann::ordered_json row(const ConfiguredPartition& partition) {
  return row_of<nlohmann::ordered_json>(kConfiguredPartition, partition);
}

nlohmann::ordered_json row(const ConfiguredMember& member) {
  return row_of<nlohmann::ordered_json>(kConfiguredMember, member);
}

}  // namespace sm::api
