#include "sm/store/etcd/gateway.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base64.h"
#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/cache_files.h"

namespace sm::etcd {
namespace {

using config::from_base64;
using config::to_base64;
using Json = nlohmann::json;

// These are codes of gRPC.
constexpr std::int64_t kInvalidArgument = 3, kNotFound = 5, kPermissionDenied = 7,
                       kResourceExhausted = 8, kFailedPrecondition = 9, kOutOfRange = 11,
                       kUnauthenticated = 16;
constexpr std::size_t kErrorTextMax = 200;

tl::unexpected<StoreError> malformed(std::string_view what) {
  return tl::unexpected(
      StoreError{StoreFault::malformed, fmt::format("an answer cannot be read: {}", what)});
}

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

/// Reads a 64-bit number, which is a string; returns 0 if it was left out.
std::optional<std::int64_t> number(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  if (found == nullptr) return 0;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (!found->is_string()) return std::nullopt;
  const auto& text = found->get_ref<const std::string&>();
  const auto value = mad::parse_number<std::int64_t>(text);
  return value ? std::optional(*value) : std::nullopt;
}

bool flag(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

std::string text_of(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::string> get_bytes(const Json& object, const char* name) {
  const Json* const found = member(object, name);
  if (found == nullptr) return std::string();
  if (!found->is_string()) return std::nullopt;
  return from_base64(found->get_ref<const std::string&>());
}

std::optional<StoreRevision> revision_of(const Json& answer) {
  const Json* const header = member(answer, "header");
  const auto revision = header == nullptr ? std::nullopt : number(*header, "revision");
  return revision && *revision > 0 ? revision : std::nullopt;
}

Json parse(std::string_view body) { return Json::parse(body, nullptr, false); }

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string end_of_prefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xFF) end.pop_back();
  if (end.empty()) return std::string(1, '\0');
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

std::string authenticate_request(std::string_view user, std::string_view password) {
  return dump({{"name", user}, {"password", password}});
}

std::string range_request(std::string_view first, std::string_view end, unsigned limit,
                          StoreRevision revision) {
  Json json{
      {"key", to_base64(first)}, {"range_end", to_base64(end)}, {"limit", std::to_string(limit)}};
  if (revision != 0) json["revision"] = std::to_string(revision);
  return dump(json);
}

std::string txn_request(const StoreGuard& guard, std::span<const StoreChange> changes) {
  Json operations = Json::array();
  for (const StoreChange& change : changes) {
    Json body{{"key", to_base64(change.key)}};
    if (change.value) body["value"] = to_base64(*change.value);
    if (change.value && change.lease != 0) body["lease"] = std::to_string(change.lease);
    operations.push_back({{change.value ? "request_put" : "request_delete_range", body}});
  }
  return dump({{"compare",
                {{{"key", to_base64(guard.key)},
                  {"target", "MOD"},
                  {"result", "EQUAL"},
                  {"mod_revision", std::to_string(guard.revision)}}}},
               {"success", operations}});
}

std::string watch_request(std::string_view prefix, StoreRevision after) {
  return dump({{"create_request",
                {{"key", to_base64(prefix)},
                 {"range_end", to_base64(end_of_prefix(prefix))},
                 {"start_revision", std::to_string(after + 1)}}}});
}

std::string grant_request(std::chrono::seconds life) {
  return dump({{"TTL", std::to_string(life.count())}});
}

std::string keep_alive_request(StoreLease lease) { return dump({{"ID", std::to_string(lease)}}); }

namespace {

std::optional<StoreEntry> entry_of(const Json& kv) {
  auto key = get_bytes(kv, "key"), value = get_bytes(kv, "value");
  const auto revision = number(kv, "mod_revision");
  if (!key || key->empty() || !value || !revision || *revision <= 0) return std::nullopt;
  return StoreEntry{.key = std::move(*key), .value = std::move(*value), .revision = *revision};
}

}  // namespace

StoreResult<RangeAnswer> parse_range(std::string_view body) {
  const Json json = parse(body);
  const auto revision = revision_of(json);
  if (!revision) return malformed("it has no revision");
  RangeAnswer answer{.entries = {}, .revision = *revision, .more = flag(json, "more")};
  const Json* const kvs = member(json, "kvs");
  if (kvs == nullptr) return answer;
  if (!kvs->is_array()) return malformed("kvs is no list");
  answer.entries.reserve(kvs->size());
  for (const Json& kv : *kvs) {
    auto entry = entry_of(kv);
    if (!entry) return malformed("a key or value in it");
    answer.entries.push_back(std::move(*entry));
  }
  return answer;
}

StoreResult<TxnAnswer> parse_txn(std::string_view body) {
  const Json json = parse(body);
  const auto revision = revision_of(json);
  if (!revision) return malformed("it has no revision");
  TxnAnswer answer{.succeeded = flag(json, "succeeded"), .changed = false, .revision = *revision};
  if (const Json* const responses = member(json, "responses");
      responses != nullptr && responses->is_array()) {
    answer.changed = std::ranges::any_of(*responses, [](const Json& response) {
      const Json* const deleted = member(response, "response_delete_range");
      return deleted == nullptr || number(*deleted, "deleted").value_or(0) > 0;
    });
  }
  return answer;
}

StoreResult<WatchAnswer> parse_watch(std::string_view line) {
  const Json json = parse(line);
  if (const Json* const error = member(json, "error")) {
    const std::string text =
        error->is_string() ? error->get<std::string>() : text_of(*error, "message");
    return tl::unexpected(StoreError{StoreFault::unreachable,
                                     fmt::format("the watch was ended: {}", in_quotes(text))});
  }
  const Json* const result = member(json, "result");
  if (result == nullptr) return malformed("a line of the watch");
  const auto compacted = number(*result, "compact_revision");
  if (compacted && *compacted != 0)
    return tl::unexpected(
        StoreError{StoreFault::compacted, fmt::format("compacted up to {}", *compacted)});
  if (flag(*result, "canceled"))
    return tl::unexpected(StoreError{
        StoreFault::unreachable,
        fmt::format("the watch was cancelled: {}", in_quotes(text_of(*result, "cancel_reason")))});
  const auto revision = revision_of(*result);
  if (!revision) return malformed("a line of the watch has no revision");
  WatchAnswer answer{.events = {}, .revision = *revision, .created = flag(*result, "created")};
  const Json* const events = member(*result, "events");
  if (events == nullptr) return answer;
  if (!events->is_array()) return malformed("events is no list");
  answer.events.reserve(events->size());
  for (const Json& event : *events) {
    const Json* const kv = member(event, "kv");
    auto entry = kv == nullptr ? std::nullopt : entry_of(*kv);
    if (!entry) return malformed("an event");
    const bool deleted = text_of(event, "type") == "DELETE";
    answer.events.push_back(
        {.key = std::move(entry->key),
         .value = deleted ? std::nullopt : std::optional(std::move(entry->value)),
         .revision = entry->revision});
  }
  return answer;
}

StoreResult<std::string> parse_token(std::string_view body) {
  const Json json = parse(body);
  std::string token = text_of(json, "token");
  const bool is_good =
      !token.empty() && std::ranges::all_of(token, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_good) return malformed("it has no token");
  return token;
}

StoreResult<StoreLease> parse_grant(std::string_view body) {
  const Json json = parse(body);
  const auto lease = number(json, "ID");
  if (!lease || *lease <= 0) return malformed("it has no lease");
  return *lease;
}

StoreResult<bool> parse_keep_alive(std::string_view body) {
  const Json json = parse(body);
  const Json* const result = member(json, "result");
  if (result == nullptr) return malformed("it has no result");
  return number(*result, "TTL").value_or(0) > 0;
}

GatewayError parse_error(unsigned http_status, std::string_view body) {
  const Json json = parse(body);
  const std::int64_t code = number(json, "code").value_or(0);
  std::string text = text_of(json, "message");
  if (text.empty()) text = text_of(json, "error");
  if (text.empty()) text = std::string(body.substr(0, kErrorTextMax));
  std::string safe;
  for (const char c : text.substr(0, kErrorTextMax)) safe += c >= 0x20 && c < 0x7F ? c : '?';
  GatewayError out{.error = {.fault = StoreFault::unreachable,
                             .text = fmt::format("{} (HTTP {})", safe, http_status)},
                   .says_token = safe.find("invalid auth token") != std::string::npos ||
                                 code == kUnauthenticated};
  switch (code) {
    case kUnauthenticated:
    case kPermissionDenied:
    case kInvalidArgument:
    case kFailedPrecondition:
      out.error.fault = StoreFault::refused;
      break;
    case kResourceExhausted:
      out.error.fault =
          safe.find("space") != std::string::npos ? StoreFault::full : StoreFault::unreachable;
      break;
    case kOutOfRange:
      out.error.fault = StoreFault::compacted;
      break;
    case kNotFound:
    default:
      break;
  }
  if (safe.find("auth token") != std::string::npos) out.error.fault = StoreFault::refused;
  return out;
}

std::vector<std::span<const StoreChange>> pieces(std::span<const StoreChange> changes,
                                                 std::size_t operations, std::size_t bytes) {
  std::vector<std::span<const StoreChange>> out;
  std::size_t begin = 0, size = 0;
  for (std::size_t at = 0; at < changes.size(); ++at) {
    const StoreChange& change = changes[at];
    const std::size_t more = change.key.size() + (change.value ? change.value->size() : 0);
    if (at > begin && (at - begin == operations || size + more > bytes)) {
      out.push_back(changes.subspan(begin, at - begin));
      begin = at;
      size = 0;
    }
    size += more;
  }
  if (begin < changes.size()) out.push_back(changes.subspan(begin));
  return out;
}

}  // namespace sm::etcd
