#include "sm/ops/api/partition_resources.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "config/bounded_text.h"
#include "config/control_characters.h"
#include "config/diagnostic.h"
#include "mad/format.h"
#include "mad/number.h"
#include "mad/path_units.h"
#include "sm/ops/web/json_body.h"

namespace sm::api {
namespace {

using Json = nlohmann::json;
namespace step = partitions::step;

constexpr std::size_t kPortNameBytesMax = 80;
constexpr std::size_t kFaultBytesMax = 1'000;

using web::json_pointer;
using web::shown;

/// Reads members of one object. The first defect is kept, and all later reads return nullopt.
class Object {
 public:
  Object(const Json& json, std::string pointer, std::optional<BodyFault>& fault)
      : json_(json), pointer_(std::move(pointer)), fault_(fault) {
    if (!json.is_object()) fail(pointer_, "this is no JSON object", "write {...}");
  }

  const Json* find(const char* name) {
    known_.insert(name);
    if (fault_ || !json_.is_object()) return nullptr;
    const auto at = json_.find(name);
    return at == json_.end() || at->is_null() ? nullptr : &*at;
  }
  std::optional<std::string> text(const char* name, std::size_t bytes_max) {
    const Json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) return wrong(name, "is no string", "write a string");
    std::string text = value->get<std::string>();
    if (text.size() > bytes_max)
      return wrong(name, fmt::format("has {} bytes", text.size()),
                   fmt::format("write at most {} bytes", bytes_max));
    if (config::has_control_characters(text))
      return wrong(name, "has control characters", "leave them out");
    return text;
  }
  std::optional<bool> boolean(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_boolean()) return wrong(name, "is no truth value", "write true or false");
    return value->get<bool>();
  }
  std::nullopt_t wrong(const char* name, std::string_view what, std::string remedy) {
    fail(json_pointer(pointer_, name), fmt::format("{} {}", name, what), std::move(remedy));
    return std::nullopt;
  }
  void missing(const char* name, std::string remedy) {
    fail(pointer_, fmt::format("{} is missing", name), std::move(remedy));
  }
  void fail(std::string pointer, std::string detail, std::string remedy) {
    if (!fault_) fault_ = BodyFault{std::move(detail), std::move(remedy), std::move(pointer)};
  }
  /// Members that no read has named are unknown.
  void finish() {
    if (fault_ || !json_.is_object()) return;
    for (const auto& [name, value] : json_.items()) {
      if (known_.contains(name)) continue;
      std::string all;
      for (const std::string& each : known_) all += (all.empty() ? "" : ", ") + each;
      return fail(json_pointer(pointer_, name), fmt::format("\"{}\" is unknown here", shown(name)),
                  "there are " + all);
    }
  }
  const std::string& pointer() const { return pointer_; }
  bool failed() const { return fault_.has_value(); }
  std::optional<BodyFault>& fault() { return fault_; }

 private:
  const Json& json_;
  std::string pointer_;
  std::optional<BodyFault>& fault_;
  std::set<std::string, std::less<>> known_;
};

std::optional<std::uint16_t> make_key(Object& object) {
  const Json* const value = object.find("p_key");
  if (value == nullptr) {
    object.missing("p_key", "write a P_Key such as \"0x0010\"");
    return std::nullopt;
  }
  // A list or an object is not formatted as text, because a client chooses its depth.
  const std::string text = value->is_string() ? value->get<std::string>()
                           : value->is_number_unsigned()
                               ? std::to_string(value->get<std::uint64_t>())
                               : std::string(value->type_name());
  auto key = read_key(text, json_pointer(object.pointer(), "p_key"));
  if (key) return *key;
  object.fail(key.error().pointer, key.error().detail, key.error().remedy);
  return std::nullopt;
}

/// Reads two digits, at most `max`.
std::optional<int> two_digits(std::string_view text, std::size_t at, unsigned max) {
  const auto value = mad::parse_number<unsigned>(text.substr(at, 2));
  if (!value || *value > max) return std::nullopt;
  return static_cast<int>(*value);
}

/// Reads "2026-11-24T12:00:00Z", with Z or an offset, in capitals (RFC 3339); fractions of seconds
/// are cut off. Nothing for other text, for days that do not exist, and before 1970.
std::optional<partitions::UnixTime> parse_time(std::string_view text) {
  // A time reads 2026-11-24T12:00:00Z.
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < kShape.size() + 1) return std::nullopt;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) return std::nullopt;
  }
  const auto year = mad::parse_number<int>(text.substr(0, 4));
  const auto month = two_digits(text, 5, 12), day = two_digits(text, 8, 31),
             hour = two_digits(text, 11, 23), minute = two_digits(text, 14, 59),
             second = two_digits(text, 17, 60);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  text.remove_prefix(kShape.size());
  if (text.starts_with('.')) {
    const std::size_t end = text.find_first_not_of("0123456789", 1);
    if (end == 1 || end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end);
  }
  std::chrono::minutes offset{0};
  if (text != "Z") {
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':')
      return std::nullopt;
    const auto hours = two_digits(text, 1, 23), minutes = two_digits(text, 4, 59);
    if (!hours || !minutes) return std::nullopt;
    offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    if (text[0] == '-') offset = -offset;
  }
  const partitions::UnixTime time = std::chrono::sys_days(date) + std::chrono::hours(*hour) +
                                    std::chrono::minutes(*minute) + std::chrono::seconds(*second) -
                                    offset;
  if (time.time_since_epoch().count() < 0) return std::nullopt;
  return time;
}

/// Reads membership, index0, owner, expires_at.
void member_values(Object& object, step::Put& put, const BodyContext& context) {
  if (const auto membership = object.text("membership", 16)) {
    if (*membership != "full" && *membership != "limited")
      object.wrong("membership", fmt::format("is '{}'", shown(*membership)),
                   "write \"full\" or \"limited\"");
    put.full = *membership == "full";
  }
  put.index0 = object.boolean("index0").value_or(false);
  put.owner = object.text("owner", partitions::kOwnerBytesMax).value_or("");
  if (const auto text = object.text("expires_at", 64)) {
    const auto time = parse_time(*text);
    if (!time)
      object.wrong("expires_at", "is no time of RFC 3339", "write such as 2026-11-24T12:00:00Z");
    else if (*time <= context.now)
      object.wrong("expires_at",
                   fmt::format("is not in the future: it is {} now", sm::time_text(context.now)),
                   "write a later time, or remove the member");
    put.expires = time;
  }
}

void members(Object& object, ReadChange& out, std::uint16_t key, bool all,
             const BodyContext& context) {
  const Json* const list = object.find("members");
  if (list == nullptr) {
    if (all) out.add(step::Keep{key, {}}, object.pointer());
    return;
  }
  if (!list->is_array()) return void(object.wrong("members", "is no list", "write [...]"));
  std::map<mad::Guid, std::size_t> seen;
  std::vector<step::Put> puts;
  const std::string pointer = json_pointer(object.pointer(), "members");
  for (std::size_t i = 0; i < list->size() && !object.failed(); ++i) {
    Object member((*list)[i], json_pointer(pointer, std::to_string(i)), object.fault());
    const auto text = member.text("guid", kPortNameBytesMax);
    if (!text) {
      if (!object.failed())
        member.missing("guid", "write a port GUID such as \"0x0002c90300a1b2c3\"");
      return;
    }
    const auto guid =
        read_member_guid(*text, json_pointer(member.pointer(), "guid"), context.resolve);
    if (!guid) return object.fail(guid.error().pointer, guid.error().detail, guid.error().remedy);
    const auto [before, first] = seen.emplace(*guid, i);
    if (!first)
      return object.fail(
          json_pointer(member.pointer(), "guid"),
          fmt::format("{} is in the list twice, as member {} and {}", *guid, before->second, i),
          "leave one of the two out");
    step::Put put{.key = key, .guid = *guid};
    member_values(member, put, context);
    member.finish();
    puts.push_back(std::move(put));
  }
  if (all) {
    step::Keep keep{.key = key, .guids = {}};
    for (const auto& [guid, index] : seen) keep.guids.push_back(guid);
    out.add(std::move(keep), pointer);
  }
  for (std::size_t i = 0; i < puts.size(); ++i)
    out.add(std::move(puts[i]), json_pointer(pointer, std::to_string(i)));
}

void attributes(Object& object, step::Define& define, bool whole) {
  const partitions::PartitionAttributes usual;
  define.name = object.text("name", partitions::kNameBytesMax);
  define.ipoib = object.boolean("ipoib");
  if (const Json* const mtu = object.find("mtu")) {
    for (std::uint8_t code = mad::kMtuMin; code <= mad::kMtuMax; ++code)
      if (mtu->is_number_unsigned() && mtu->get<std::uint64_t>() == mad::mtu_bytes(code))
        define.mtu = code;
    if (!define.mtu)
      object.wrong("mtu", "is no MTU of InfiniBand", "write 256, 512, 1024, 2048 or 4096");
  }
  if (const Json* const rate = object.find("rate_gbps")) {
    if (rate->is_number()) define.rate = mad::rate_code_of(rate->get<double>());
    if (!define.rate)
      object.wrong("rate_gbps", "is no rate of InfiniBand", "write such as 2.5, 10, 100 or 400");
  }
  if (const Json* const sl = object.find("sl")) {
    if (!sl->is_number_unsigned() || sl->get<std::uint64_t>() > 15)
      object.wrong("sl", "is no SL", "write a number in 0..15");
    else
      define.sl = static_cast<std::uint8_t>(sl->get<std::uint64_t>());
  }
  if (!whole) return;
  if (!define.name) define.name = usual.name;
  if (!define.ipoib) define.ipoib = usual.ipoib;
  if (!define.mtu) define.mtu = usual.mtu;
  if (!define.rate) define.rate = usual.rate;
  if (!define.sl) define.sl = usual.sl;
}

OrFault<Json> parsed(std::string_view body) {
  return web::parse_json_body(body).map_error([](web::JsonFault fault) {
    return BodyFault{.detail = std::move(fault.detail),
                     .remedy = std::move(fault.remedy),
                     .pointer = std::move(fault.pointer),
                     .too_long = fault.status == 413};
  });
}

void if_match(Object& object, ReadChange& out, std::uint16_t key) {
  const Json* const value = object.find("if_match");
  if (value == nullptr) return;
  step::Match match{.key = key, .revisions = {}};
  const auto add = [&](const Json& revision) {
    if (!revision.is_number_unsigned())
      return void(object.wrong("if_match", "is no revision", "write a number, or a list of them"));
    match.revisions.push_back(revision.get<std::uint64_t>());
  };
  if (value->is_array())
    for (const Json& revision : *value) add(revision);
  else
    add(*value);
  if (match.revisions.empty()) object.wrong("if_match", "is an empty list", "write a revision");
  out.add(std::move(match), json_pointer(object.pointer(), "if_match"));
}

void guids(Object& object, ReadChange& out, std::uint16_t key, const BodyContext& context) {
  const Json* const list = object.find("guids");
  if (list == nullptr || !list->is_array()) {
    if (list == nullptr)
      object.missing("guids", "write a list of port GUIDs");
    else
      object.wrong("guids", "is no list", "write [...]");
    return;
  }
  std::set<mad::Guid> seen;
  const std::string pointer = json_pointer(object.pointer(), "guids");
  for (std::size_t i = 0; i < list->size() && !object.failed(); ++i) {
    const std::string at = json_pointer(pointer, std::to_string(i));
    const Json& text = (*list)[i];
    if (!text.is_string())
      return object.fail(at, "this is no port GUID but " + std::string(text.type_name()),
                         "write a string such as \"0x0002c90300a1b2c3\"");
    const auto guid = read_member_guid(text.get_ref<const std::string&>(), at, context.resolve);
    if (!guid) return object.fail(guid.error().pointer, guid.error().detail, guid.error().remedy);
    if (!seen.insert(*guid).second)
      return object.fail(at, fmt::format("{} is in the list twice", *guid),
                         "leave one of the two out");
    out.removed.emplace_back(key, *guid);
    out.add(step::Remove{key, *guid}, at);
  }
}

void one_change(const Json& json, std::string pointer, ReadChange& out,
                std::optional<BodyFault>& fault, const BodyContext& context) {
  Object object(json, std::move(pointer), fault);
  const auto op = object.text("op", 16);
  if (!op && !fault) object.missing("op", "write define, delete, add, remove or set");
  const auto key = make_key(object);
  if (!op || !key) return;
  if_match(object, out, *key);
  if (*op == "define") {
    step::Define define{.key = *key};
    attributes(object, define, false);
    out.add(std::move(define), object.pointer());
  } else if (*op == "delete") {
    if (*key == 0x7FFF)
      object.wrong("p_key", "is the default partition, which is not deleted", "remove its members");
    out.add(step::Delete{*key}, object.pointer());
  } else if (*op == "add" || *op == "set") {
    if (object.find("members") == nullptr) object.missing("members", "write a list of members");
    members(object, out, *key, *op == "set", context);
  } else if (*op == "remove") {
    guids(object, out, *key, context);
  } else {
    object.wrong("op", fmt::format("is '{}'", shown(*op)),
                 "write define, delete, add, remove or set");
  }
  object.finish();
}

}  // namespace

OrFault<std::uint16_t> read_key(std::string_view text, std::string pointer) {
  const auto key = parse_p_key(text);
  if (key && *key >= 1 && *key <= 0x7FFF) return *key;
  return tl::unexpected(BodyFault{
      fmt::format("'{}' is no P_Key of a partition{}", shown(text),
                  key && *key > 0x7FFF ? ": bit 15 is the membership" : ""),
      "write 0x0001 to 0x7fff; the membership is said by \"membership\"", std::move(pointer)});
}

OrFault<mad::Guid> read_member_guid(std::string_view text, std::string pointer,
                                    const ResolvePort& resolve) {
  const auto guid = parse_member_guid(text);
  if (guid) return *guid;
  if (!resolve)
    return tl::unexpected(BodyFault{
        fmt::format("'{}' is no port GUID", shown(text)),
        "write 0x and up to 16 hexadecimal digits, neither 0 nor all ones", std::move(pointer)});
  const auto named = resolve(text);
  if (named) return *named;
  std::string why = config::escape_control_characters(named.error());
  config::bound_text(why, kFaultBytesMax);
  return tl::unexpected(BodyFault{
      std::move(why),
      "write a port GUID, or a NodeDescription or its first word, with :PORT if the node has "
      "several ports",
      std::move(pointer)});
}

OrFault<ReadChange> read_new_partition(std::string_view body, const BodyContext& context) {
  const auto json = parsed(body);
  if (!json) return tl::unexpected(json.error());
  std::optional<BodyFault> fault;
  ReadChange out;
  Object object(*json, "", fault);
  if (const auto key = make_key(object)) {
    out.key = *key;
    step::Define define{.key = *key, .when = step::Define::When::absent};
    attributes(object, define, true);
    out.add(std::move(define), "/p_key");
    members(object, out, *key, false, context);
  }
  object.finish();
  if (fault) return tl::unexpected(std::move(*fault));
  return out;
}

OrFault<ReadChange> read_partition(std::string_view body, std::uint16_t key, bool whole,
                                   const BodyContext& context) {
  const auto json = parsed(body);
  if (!json) return tl::unexpected(json.error());
  std::optional<BodyFault> fault;
  ReadChange out{.change = {}, .pointers = {}, .key = key, .removed = {}};
  Object object(*json, "", fault);
  step::Define define{.key = key,
                      .when = whole ? step::Define::When::either : step::Define::When::present};
  attributes(object, define, whole);
  out.add(std::move(define), "");
  members(object, out, key, whole || (json->is_object() && json->contains("members")), context);
  object.finish();
  if (fault) return tl::unexpected(std::move(*fault));
  return out;
}

OrFault<ReadChange> read_member(std::string_view body, std::uint16_t key, mad::Guid guid,
                                const BodyContext& context) {
  const auto json = parsed(body.empty() ? std::string_view("{}") : body);
  if (!json) return tl::unexpected(json.error());
  std::optional<BodyFault> fault;
  ReadChange out{.change = {}, .pointers = {}, .key = key, .removed = {}};
  Object object(*json, "", fault);
  step::Put put{.key = key, .guid = guid};
  member_values(object, put, context);
  object.finish();
  if (fault) return tl::unexpected(std::move(*fault));
  out.add(std::move(put), "");
  return out;
}

OrFault<ReadChange> read_changes(std::string_view body, const BodyContext& context) {
  const auto json = parsed(body);
  if (!json) return tl::unexpected(json.error());
  std::optional<BodyFault> fault;
  ReadChange out;
  Object object(*json, "", fault);
  const Json* const list = object.find("changes");
  if (list == nullptr)
    object.missing("changes", "write a list of changes");
  else if (!list->is_array())
    object.wrong("changes", "is no list", "write [...]");
  else
    for (std::size_t i = 0; i < list->size() && !fault; ++i)
      one_change((*list)[i], fmt::format("/changes/{}", i), out, fault, context);
  object.finish();
  if (fault) return tl::unexpected(std::move(*fault));
  return out;
}

OrFault<KeptRequest> read_kept_request(std::string_view body, bool adopts,
                                       const BodyContext& context) {
  const auto json = parsed(body);
  if (!json) return tl::unexpected(json.error());
  std::optional<BodyFault> fault;
  KeptRequest out{.adopts = adopts};
  Object object(*json, "", fault);
  const bool is_all = object.boolean("all").value_or(false);
  const Json* const guids = object.find("guids");
  if (is_all && (object.find("p_key") != nullptr || guids != nullptr))
    object.wrong("all", "is there with p_key or guids", "write one of them");
  if (!is_all) out.key = make_key(object);
  if (guids != nullptr && !guids->is_array()) object.wrong("guids", "is no list", "write [...]");
  for (std::size_t i = 0; guids != nullptr && i < guids->size() && !object.failed(); ++i) {
    const std::string pointer = json_pointer("/guids", std::to_string(i));
    const Json& text = (*guids)[i];
    const auto guid = read_member_guid(
        text.is_string() ? text.get_ref<const std::string&>() : std::string_view(text.type_name()),
        pointer, context.resolve);
    if (guid)
      out.guids.push_back(*guid);
    else
      object.fail(guid.error().pointer, guid.error().detail, guid.error().remedy);
  }
  object.finish();
  if (fault) return tl::unexpected(std::move(*fault));
  return out;
}

std::optional<std::vector<std::uint64_t>> read_etags(std::string_view header) {
  std::vector<std::uint64_t> revisions;
  if (header == "*") return revisions;
  while (!header.empty()) {
    while (header.starts_with(' ') || header.starts_with(',')) header.remove_prefix(1);
    if (header.empty()) break;
    if (header.starts_with("W/") || header.front() != '"') return std::nullopt;
    const std::size_t end = header.find('"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    // A tag of another form matches nothing.
    revisions.push_back(mad::parse_number(header.substr(1, end - 1)).value_or(~std::uint64_t{0}));
    header.remove_prefix(end + 1);
  }
  if (revisions.empty()) return std::nullopt;
  return revisions;
}

}  // namespace sm::api
