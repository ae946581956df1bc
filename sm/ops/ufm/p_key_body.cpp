#include "sm/ops/ufm/p_key_body.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "mad/path_units.h"
#include "sm/ops/web/json_body.h"
#include "sm/partitions/partition_service.h"

namespace sm::ufm {
namespace {

using Json = nlohmann::json;
using Fault = tl::unexpected<std::string>;

constexpr std::string_view kGuidRemedy =
    "write 16 hexadecimal digits, with or without 0x, neither all 0 nor all f";

using web::shown;

/// Takes members of one object; the first error is kept.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  std::optional<bool> boolean(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    fail(fmt::format("{} is neither true nor false", name));
    return std::nullopt;
  }
  std::optional<std::string> text(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_string()) return value->get<std::string>();
    fail(fmt::format("{} is no string", name));
    return std::nullopt;
  }
  std::optional<std::uint64_t> number(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    fail(fmt::format("{} is no number that is not negative", name));
    return std::nullopt;
  }
  std::optional<double> real(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_number() && value->get<double>() >= 0) return value->get<double>();
    fail(fmt::format("{} is no number that is not negative", name));
    return std::nullopt;
  }
  const Json* find(const char* name) const {
    const auto at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }
  void fail(std::string what) {
    if (error.empty()) error = std::move(what);
  }
  std::string error;

 private:
  const Json& object_;
};

std::optional<bool> is_full(std::string_view membership) {
  if (membership == "full") return true;
  if (membership == "limited") return false;
  return std::nullopt;
}

void read_members(Reader& reader, PKeyBody& out, bool needed) {
  if (const auto membership = reader.text("membership")) {
    const auto full = is_full(*membership);
    if (!full) return reader.fail("membership is neither \"full\" nor \"limited\"");
    out.full = *full;
  }
  const Json* const guids = reader.find("guids");
  if (guids == nullptr) {
    if (needed) reader.fail("guids is missing: write a list of port GUIDs");
    return;
  }
  if (!guids->is_array()) return reader.fail("guids is no list");
  const Json* const memberships = reader.find("memberships");
  if (memberships != nullptr && (!memberships->is_array() || memberships->size() != guids->size()))
    return reader.fail("memberships is no list as long as guids");
  for (std::size_t i = 0; i < guids->size(); ++i) {
    const Json& text = (*guids)[i];
    const auto guid =
        text.is_string() ? parse_member_guid(text.get_ref<const std::string&>()) : std::nullopt;
    if (!guid) return reader.fail(fmt::format("guids[{}] is no port GUID: {}", i, kGuidRemedy));
    bool full = out.full;
    if (memberships != nullptr) {
      const Json& of = (*memberships)[i];
      const auto is = of.is_string() ? is_full(of.get_ref<const std::string&>()) : std::nullopt;
      if (!is)
        return reader.fail(fmt::format("memberships[{}] is neither \"full\" nor \"limited\"", i));
      full = *is;
    }
    out.members.push_back({*guid, full});
  }
  std::ranges::sort(out.members, {}, &PKeyBody::Member::guid);
  for (std::size_t i = 1; i < out.members.size(); ++i)
    if (out.members[i].guid == out.members[i - 1].guid &&
        out.members[i].full != out.members[i - 1].full)
      return reader.fail(fmt::format("guids has {} twice, with different memberships",
                                     guid_digits(out.members[i].guid)));
  const auto same = std::ranges::unique(out.members, {}, &PKeyBody::Member::guid);
  out.members.erase(same.begin(), same.end());
}

void read_limits(Reader& reader, PKeyBody& out) {
  if (const auto kilobytes = reader.number("mtu_limit")) {
    // UFM gives kilobytes; bytes are accepted, too.
    const auto bytes = static_cast<unsigned>(*kilobytes <= 4 ? *kilobytes * 1024 : *kilobytes);
    for (std::uint8_t code = mad::kMtuMin; code <= mad::kMtuMax; ++code)
      if (mad::mtu_bytes(code) == bytes) out.mtu = code;
    if (!out.mtu) return reader.fail("mtu_limit is neither 2 nor 4 (kilobytes)");
  }
  if (const auto gbps = reader.real("rate_limit")) {
    out.rate = mad::rate_code_of(*gbps);
    if (!out.rate) return reader.fail("rate_limit is no rate of InfiniBand, such as 100 (Gb/s)");
  }
  if (const auto level = reader.number("service_level")) {
    if (*level > 15) return reader.fail("service_level is not in 0..15");
    out.sl = static_cast<std::uint8_t>(*level);
  }
  out.partition_name = reader.text("partition_name");
  if (out.partition_name && out.partition_name->size() > partitions::kNameBytesMax)
    reader.fail(fmt::format("partition_name has more than {} bytes", partitions::kNameBytesMax));
}

void read_hosts(Reader& reader, PKeyBody& out) {
  const Json* const hosts = reader.find("hosts_names");
  if (hosts == nullptr) return reader.fail("hosts_names is missing: write names, with commas");
  if (hosts->is_string()) {
    out.hosts = split(hosts->get_ref<const std::string&>());
  } else if (hosts->is_array()) {
    for (const Json& host : *hosts) {
      if (!host.is_string()) return reader.fail("hosts_names has something else than strings");
      out.hosts.push_back(host.get<std::string>());
    }
  } else {
    return reader.fail("hosts_names is neither a string nor a list");
  }
  if (out.hosts.empty()) reader.fail("hosts_names is empty");
  // Duplicates are removed, because each host requires a search of the fabric.
  std::ranges::sort(out.hosts);
  const auto same = std::ranges::unique(out.hosts);
  out.hosts.erase(same.begin(), same.end());
}

}  // namespace

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

tl::expected<std::uint16_t, std::string> read_p_key(std::string_view text) {
  const auto key = parse_p_key(text);
  if (key && *key >= 1 && *key <= 0x7FFF) return *key;
  return Fault(
      fmt::format("'{}' is no P_Key of a partition: write 0x1 to 0x7fff (0 is invalid, and "
                  "the membership is no part of it)",
                  shown(text)));
}

tl::expected<std::vector<mad::Guid>, std::string> read_guids(std::string_view text) {
  std::vector<mad::Guid> guids;
  for (const std::string& part : split(text)) {
    const auto guid = parse_member_guid(part);
    if (!guid) return Fault(fmt::format("'{}' is no port GUID: {}", shown(part), kGuidRemedy));
    guids.push_back(*guid);
  }
  return guids;
}

tl::expected<PKeyBody, std::string> read_p_key_body(std::string_view body, std::string_view needs) {
  const auto object = web::parse_json_body(body);
  if (!object) return Fault(object.error().detail);
  Reader reader(*object);
  PKeyBody out;
  const auto text = reader.text("pkey");
  if (!text) {
    reader.fail("pkey is missing: write a P_Key such as \"0x10\"");
    return Fault(reader.error);
  }
  const auto key = read_p_key(*text);
  if (!key) return Fault("pkey: " + key.error());
  out.p_key = *key;
  out.index0 = reader.boolean("index0").value_or(false);
  out.ip_over_ib = reader.boolean("ip_over_ib");
  read_members(reader, out, needs == "guids");
  read_limits(reader, out);
  if (needs == "hosts_names") read_hosts(reader, out);
  if (!reader.error.empty()) return Fault(reader.error);
  return out;
}

}  // namespace sm::ufm
