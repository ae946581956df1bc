#include "sm/ops/api/partition_resources.h"

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/ops/api/list.h"
#include "sm/ops/partition_rows.h"

namespace sm {
namespace asio = boost::asio;
namespace step = partitions::step;

namespace {

using web::Method;
using web::problem;
using web::Request;
using web::Response;
using Answer = asio::awaitable<Response>;

constexpr std::uint16_t kDefaultKey = 0x7FFF;
constexpr unsigned kTimeoutMs = 5'000, kTimeoutMsMax = 30'000;

Response fault(const api::BodyFault& fault) {
  return problem(fault.too_long ? 413 : 400, fault.detail, fault.remedy, fault.pointer);
}

partitions::UnixTime now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

/// Reads limit and cursor; `parse` reads the key of a row from a cursor.
template <class Key>
tl::expected<api::PageFrom<Key>, Response> read_page(
    const Request& request, std::optional<Key> (*parse)(std::string_view)) {
  api::Parameters parameters(request);
  const api::Page page = api::make_page(parameters);
  if (parameters.fault()) return tl::unexpected(*parameters.fault());
  const auto first = page.cursor ? parse(*page.cursor) : Key{};
  if (!first) return tl::unexpected(api::bad_cursor(*page.cursor));
  return api::PageFrom<Key>{.first = *first, .limit = page.limit};
}

/// Reads from the query how long to wait for the fabric; nullopt means no wait.
tl::expected<std::optional<mad::Duration>, Response> wait_of(const Request& request) {
  unsigned ms = kTimeoutMs;
  if (const auto timeout = request.query_value("timeout_ms")) {
    const auto value = mad::parse_number<unsigned>(*timeout);
    if (!value || *value > kTimeoutMsMax)
      return tl::unexpected(
          problem(400, "timeout_ms is no number in 0..30000", "write such as timeout_ms=5000"));
    ms = *value;
  }
  const auto wait = request.query_value("wait");
  if (!wait) return std::nullopt;
  if (*wait != "applied")
    return tl::unexpected(problem(400, "wait is unknown", "write wait=applied, or leave it out"));
  return std::chrono::milliseconds(ms);
}

class Handlers {
 public:
  explicit Handlers(PartitionService service) : service_(std::move(service)) {}

  Answer list(Request request) const {
    const auto page = read_page(request, parse_p_key);
    if (!page) co_return page.error();
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    co_return Response{.body = api::partitions_json(snapshot, file_.of(snapshot).get(), *page),
                       .etag = std::to_string(snapshot.stored->revision())};
  }

  Answer get(Request request) const {
    const auto key = api::read_key(request.parameter("p_key"), "");
    if (!key) co_return fault(key.error());
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    auto body = api::partition_json(snapshot, file_.of(snapshot).get(), *key);
    if (!body) co_return absent(*key);
    co_return Response{.body = std::move(*body), .etag = etag(snapshot, *key)};
  }

  Answer members(Request request) const {
    const auto key = api::read_key(request.parameter("p_key"), "");
    if (!key) co_return fault(key.error());
    const auto page = read_page(request, parse_member_guid);
    if (!page) co_return page.error();
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    auto body = api::members_json(snapshot, file_.of(snapshot).get(), *key, *page);
    if (!body) co_return absent(*key);
    co_return Response{.body = std::move(*body), .etag = etag(snapshot, *key)};
  }

  Answer changes(Request) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    co_return Response{.body = changes_json(snapshot)};
  }

  Answer create(Request request) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const api::BodyContext context = body_context(snapshot);
    auto read = api::read_new_partition(request.body, context);
    if (!read) co_return fault(read.error());
    const std::uint16_t key = read->key;
    Response response = co_await change(request, std::move(*read), key);
    if (response.status == 200) {
      response.status = 201;
      response.headers.emplace_back("Location", fmt::format("/v1/partitions/{:#06x}", key));
    }
    co_return response;
  }

  Answer put(Request request) const { return write(std::move(request), true); }
  Answer patch(Request request) const { return write(std::move(request), false); }

  Answer remove(Request request) const {
    const auto key = api::read_key(request.parameter("p_key"), "");
    if (!key) co_return fault(key.error());
    if (*key == kDefaultKey)
      co_return problem(409, "0x7fff is the default partition, which is not deleted",
                        "remove its members");
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const bool in_file = snapshot.is_configured(*key);
    if (snapshot.stored->partitions().find(*key) == nullptr) {
      if (!in_file) co_return absent(*key);
      co_return problem(409, fmt::format("partition {:#06x} is in partitions.conf alone", *key),
                        "change that file, and reload");
    }
    auto match = match_of(request, *key, true);
    if (!match) co_return match.error();
    api::ReadChange change;
    if (*match) change.add(std::move(**match), "");
    change.add(step::Delete{*key}, "");
    if (in_file)
      note(fmt::format("partition {:#06x} is in partitions.conf, too: that stays", *key));
    co_return co_await this->change(request, std::move(change), std::nullopt);
  }

  Answer put_member(Request request) const {
    const auto key = api::read_key(request.parameter("p_key"), "");
    if (!key) co_return fault(key.error());
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const api::BodyContext context = body_context(snapshot);
    const auto guid = api::read_member_guid(request.parameter("guid"), "", context.resolve);
    if (!guid) co_return fault(guid.error());
    auto read = api::read_member(request.body, *key, *guid, context);
    if (!read) co_return fault(read.error());
    if (!snapshot.has_partition(*key)) co_return absent(*key);
    co_return co_await with_match(request, std::move(*read), *key);
  }

  Answer remove_member(Request request) const {
    const auto key = api::read_key(request.parameter("p_key"), "");
    if (!key) co_return fault(key.error());
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const auto guid =
        api::read_member_guid(request.parameter("guid"), "", body_context(snapshot).resolve);
    if (!guid) co_return fault(guid.error());
    api::ReadChange read;
    read.removed.emplace_back(*key, *guid);
    read.add(step::Remove{*key, *guid}, "");
    co_return co_await with_match(request, std::move(read), *key);
  }

  Answer batch(Request request) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const api::BodyContext context = body_context(snapshot);
    auto read = api::read_changes(request.body, context);
    if (!read) co_return fault(read.error());
    co_return co_await change(request, std::move(*read), std::nullopt);
  }

  Answer list_kept(Request request) const {
    const auto page = read_page(request, api::parse_kept_key);
    if (!page) co_return page.error();
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    co_return Response{.body = api::kept_keys_json(snapshot, *page)};
  }
  Answer adopt_kept(Request request) const { return resolve(std::move(request), true); }
  Answer discard_kept(Request request) const { return resolve(std::move(request), false); }

 private:
  Answer resolve(Request request, bool adopts) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const api::BodyContext context = body_context(snapshot);
    auto read = api::read_kept_request(request.body, adopts, context);
    if (!read) co_return fault(read.error());
    KeptRequest meant = std::move(*read);
    const auto done = co_await service_.resolve_kept(std::move(meant), request.caller.text());
    if (!done && done.error().kind == ChangeFailure::Kind::fault)
      co_return problem(done.error().fault.kind == partitions::ChangeFault::Kind::full ? 507 : 404,
                        done.error().fault.text, "GET /v1/partitions/kept lists them");
    if (!done) co_return refusal(done.error(), {});
    co_return Response{.body = api::kept_resolved_json(*done)};
  }

  static api::BodyContext body_context(const PartitionSnapshot& snapshot) {
    return {.now = now(), .resolve = api::resolve_by(snapshot)};
  }
  static std::string changes_json(const PartitionSnapshot& snapshot) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    if (snapshot.changes)
      for (const NamedChange& change : *snapshot.changes)
        rows.push_back(
            {{"revision", change.revision}, {"at", time_text(change.at)}, {"by", change.by}});
    nlohmann::ordered_json body{{"fabric_id", api::fabric_id(snapshot)}};
    body["changes"] = std::move(rows);
    return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  static Response absent(std::uint16_t key) {
    return problem(
        404, fmt::format("there is no partition {:#06x}", key),
        "create it by `heddlectl partition create`, by POST /v1/partitions, or in partitions.conf");
  }
  static std::string etag(const PartitionSnapshot& snapshot, std::uint16_t key) {
    const auto* const stored = snapshot.stored->partitions().find(key);
    return std::to_string(stored == nullptr ? 0 : stored->revision);
  }

  /// Reads If-Match. Errors: it is needed and missing, or cannot be read.
  static tl::expected<std::optional<step::Match>, Response> match_of(const Request& request,
                                                                     std::uint16_t key,
                                                                     bool needed) {
    // Lines with the same name are one list (RFC 9110, 5.3).
    std::string tags;
    bool found = false;
    for (const auto& [name, value] : request.headers) {
      if (name != "if-match") continue;
      tags += (found ? ", " : "") + value;
      found = true;
    }
    if (!found) {
      if (!needed) return std::nullopt;
      return tl::unexpected(problem(428, "If-Match is missing",
                                    "send the ETag of the partition as it was read, or *"));
    }
    auto revisions = api::read_etags(tags);
    if (!revisions)
      return tl::unexpected(problem(400, "If-Match has something else than ETags",
                                    "send the ETag of an answer, in quotes, or *"));
    return step::Match{.key = key, .revisions = std::move(*revisions)};
  }

  Answer write(Request request, bool whole) const {
    const auto key = api::read_key(request.parameter("p_key"), "");
    if (!key) co_return fault(key.error());
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const api::BodyContext context = body_context(snapshot);
    auto read = api::read_partition(request.body, *key, whole, context);
    if (!read) co_return fault(read.error());
    const bool exists = snapshot.stored->partitions().find(*key) != nullptr;
    if (!exists && !whole) co_return absent(*key);
    auto match = match_of(request, *key, exists);
    if (!match) co_return match.error();
    if (!exists && !*match) {
      // Another client must not have created it since then.
      std::get<step::Define>(read->change.steps.front()).when = step::Define::When::absent;
    }
    co_return co_await changed_with(request, std::move(*read), std::move(*match), *key);
  }

  Answer with_match(const Request& request, api::ReadChange read, std::uint16_t key) const {
    auto match = match_of(request, key, false);
    if (!match) co_return match.error();
    co_return co_await changed_with(request, std::move(read), std::move(*match), key);
  }

  Answer changed_with(const Request& request, api::ReadChange read,
                      std::optional<step::Match> match, std::uint16_t key) const {
    if (match) {
      read.change.steps.insert(read.change.steps.begin(), std::move(*match));
      read.pointers.insert(read.pointers.begin(), "");
    }
    co_return co_await change(request, std::move(read), key);
  }

  Answer change(const Request& request, api::ReadChange read,
                std::optional<std::uint16_t> key) const {
    const auto wait = wait_of(request);
    if (!wait) co_return wait.error();
    const std::vector<std::string> pointers = std::move(read.pointers);
    const auto added = api::added_members(read.change);
    const auto done =
        co_await service_.change(std::move(read.change), request.caller.text(), *wait);
    if (!done) co_return refusal(done.error(), pointers);
    note_file_members(done->snapshot, read.removed, request.caller.text());
    Response response = changed(*done, added);
    if (key) response.etag = etag(done->snapshot, *key);
    co_return response;
  }

  /// This is not in a coroutine: GCC 12 destroys lists of temporaries there twice.
  static Response changed(const Changed& done, std::span<const partitions::MembershipKey> added) {
    const auto& [stored, snapshot] = done;
    const std::uint64_t revision = stored.revision;
    const std::vector<api::MemberResult> results = api::member_results(snapshot, added, revision);
    const bool applied =
        snapshot.applied >= revision && std::ranges::all_of(results, [](const auto& result) {
          return result.state == api::MemberState::applied;
        });
    nlohmann::ordered_json body{{"fabric_id", api::fabric_id(snapshot)},
                                {"revision", revision},
                                {"applied", applied},
                                {"applied_revision", snapshot.applied}};
    if (stored.replicated) body["replicated"] = *stored.replicated;
    nlohmann::ordered_json& members = body["members"] = nlohmann::ordered_json::array();
    for (const api::MemberResult& result : results) members.push_back(api::row(result));
    return {.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
  }

  static Response refusal(const ChangeFailure& failure, const std::vector<std::string>& pointers) {
    using Kind = partitions::ChangeFault::Kind;
    if (failure.kind == ChangeFailure::Kind::unavailable) {
      Response response =
          problem(503, failure.text + "; nothing was changed", "send the request again later");
      response.headers.emplace_back("Retry-After", "5");
      return response;
    }
    if (failure.kind == ChangeFailure::Kind::not_master)
      return problem(503, failure.text + "; nothing was changed", "send the request to the MASTER");
    const std::string pointer =
        failure.fault.step < pointers.size() ? pointers[failure.fault.step] : std::string();
    switch (failure.fault.kind) {
      case Kind::absent:
        return problem(404, failure.fault.text, "create it first", pointer);
      case Kind::exists:
        return problem(409, failure.fault.text, "change it by PATCH or PUT", pointer);
      case Kind::mismatch:
        return problem(412, failure.fault.text, "read it again, and decide again", pointer);
      case Kind::full:
        return problem(507, failure.fault.text, "remove memberships that are not needed", pointer);
    }
    return problem(500, "an unknown fault");
  }

  void note(std::string line) const {
    if (service_.log) service_.log(std::move(line));
  }
  void note_file_members(const PartitionSnapshot& snapshot,
                         std::span<const std::pair<std::uint16_t, mad::Guid>> removed,
                         const std::string& who) const {
    const auto given = std::ranges::count_if(removed, [&](const auto& member) {
      return snapshot.is_configured(member.first, member.second);
    });
    if (given > 0)
      note(fmt::format("partitions.conf gives {} of the {} memberships that {} removes; these stay",
                       given, removed.size(), who));
  }

  PartitionService service_;
  mutable api::FileMembers file_;
};

constexpr FieldInfo kKey{"p_key",
                         R"({"type":"string","pattern":"^(0[xX][0-9a-fA-F]{1,4}|[0-9]{1,5})$"})"};
constexpr std::string_view kGuidSchema = R"({"type":"string","maxLength":80})";
constexpr auto kMembership = std::to_array<FieldInfo>({
    {"membership", R"({"enum":["full","limited"],"default":"full"})", {}, true},
    {"index0", R"({"type":"boolean","default":false})", {}, true},
    {"owner", R"({"type":"string","maxLength":128})", {}, true},
    {"expires_at", value::kTime, {}, true},
});
constexpr auto kPartitionAttributes = std::to_array<FieldInfo>({
    {"name", R"({"type":"string","maxLength":64})", {}, true},
    {"ipoib", value::kBoolean, {}, true},
    {"mtu", R"({"enum":[256,512,1024,2048,4096]})", {}, true},
    {"rate_gbps", value::kNumber, {}, true},
    {"sl", R"({"type":"integer","minimum":0,"maximum":15})", {}, true},
    {"members", "NewPartitionMember[]", {}, true},
});

/// Returns the schema of a body with fields of its own and shared ones.
std::string body_schema(std::vector<FieldInfo> fields, std::span<const FieldInfo> shared) {
  fields.insert(fields.end(), shared.begin(), shared.end());
  return object_schema(fields, true);
}

void add_request_schemas(web::Resources& out) {
  const std::string change =
      body_schema(
          {{"op", "define|delete|add|remove|set"},
           kKey,
           {"if_match", R"({"type":["integer","array"],"items":{"type":"integer"}})", {}, true},
           {"guids", R"({"type":"string","maxLength":80}[])", {}, true}},
          kPartitionAttributes) +
      "[]";
  constexpr const char* kGuidText =
      "A port GUID; or NodeDescription or its first word, NAME:PORT, of a port there";
  out.schemas.insert(
      out.schemas.end(),
      {{"NewPartitionMember", body_schema({{"guid", kGuidSchema, kGuidText}}, kMembership)},
       {"PartitionMembership", body_schema({}, kMembership)},
       {"PartitionContent", body_schema({}, kPartitionAttributes)},
       {"NewPartition", body_schema({kKey}, kPartitionAttributes)},
       {"PartitionChanges", body_schema({{"changes", change}}, {})},
       {"KeptPKeys", body_schema({{"p_key", kKey.schema, "of one partition", true},
                                  {"guids", R"({"type":"string","maxLength":80}[])",
                                   "of these ports alone", true},
                                  {"all", value::kBoolean, "instead of p_key", true}},
                                 {})}});
}

void add_answer_schemas(web::Resources& out) {
  const FieldInfo fabric{"fabric_id", value::kTextOrNull}, next{"next_cursor", value::kTextOrNull};
  const FieldInfo applied{"applied_revision", value::kInteger, "which revision the fabric has"};
  const std::array changed{
      fabric,
      FieldInfo{"revision", value::kInteger, "that has the change"},
      FieldInfo{"applied", value::kBoolean, "the fabric has it, each member"},
      applied,
      kReplicatedField,
      FieldInfo{"members", "PartitionMemberResult[]", "what became of each that was added"}};
  out.schemas.emplace_back("PartitionChanged", object_schema(changed));
  out.schemas.emplace_back("PartitionMemberResult",
                           object_schema(api::member_result_info().fields));
  std::vector<FieldInfo> one_partition = api::partition_info().fields;
  one_partition.push_back({"fabric_id", value::kTextOrNull, "of an answer", true});
  out.schemas.emplace_back("Partition", object_schema(one_partition));
  out.schemas.emplace_back("PartitionMember", object_schema(api::partition_member_info().fields));
  const std::array list{fabric, FieldInfo{"revision", value::kInteger, "of the latest change"},
                        applied, FieldInfo{"partitions", "Partition[]"}, next};
  out.schemas.emplace_back("PartitionList", object_schema(list));
  const std::array kept{fabric, FieldInfo{"kept", "KeptPKey[]"}, next};
  out.schemas.emplace_back("KeptPKey", object_schema(api::kept_key_info().fields));
  out.schemas.emplace_back("KeptPKeyList", object_schema(kept));
  const std::array resolved_row{FieldInfo{"p_key", value::kText}, FieldInfo{"guid", value::kGuid}};
  out.schemas.emplace_back("KeptPKeyResolved", object_schema(resolved_row));
  const std::array resolved{
      fabric, FieldInfo{"revision", value::kInteger, "of the partitions of the API"},
      FieldInfo{"applied", value::kBoolean, "the fabric has it"}, kReplicatedField,
      FieldInfo{"kept", "KeptPKeyResolved[]", "what was adopted or discarded"}};
  out.schemas.emplace_back("KeptPKeysResolved", object_schema(resolved));
  const FieldInfo change{"changes", R"({"type":"array","items":{"type":"object","properties":{
"revision":{"type":"integer"},"at":{"type":"string","format":"date-time"},
"by":{"type":"string"}}}})",
                         "ascending; those before the start of the manager are known with "
                         "state_store only"};
  const std::array change_list{fabric, change};
  out.schemas.emplace_back("PartitionChangeList", object_schema(change_list));
  const std::array member_list{fabric, FieldInfo{"p_key", value::kText},
                               FieldInfo{"members", "PartitionMember[]"}, next};
  out.schemas.emplace_back("PartitionMemberList", object_schema(member_list));
}

/// Makes routes of the methods of Handlers.
class RouteTable {
 public:
  explicit RouteTable(PartitionService service)
      : handlers_(std::make_shared<const Handlers>(std::move(service))) {}

  void add(Method method, const std::string& path, web::Role least,
           Answer (Handlers::*handler)(Request) const, const char* id, const char* summary,
           const char* body, const char* answer, std::vector<web::Route::Parameter> parameters) {
    routes_.push_back(
        {.method = method,
         .path = path,
         .least = least,
         .handler = [handlers = handlers_, handler, parameters](Request request) -> Answer {
           if (auto unknown = web::unknown_parameter(request, parameters))
             co_return std::move(*unknown);
           co_return co_await ((*handlers).*handler)(std::move(request));
         },
         .operation_id = id,
         .summary = summary,
         .request_schema = body,
         .response_schema = answer,
         .parameters = std::move(parameters)});
  }
  std::vector<web::Route> take() { return std::move(routes_); }

 private:
  std::shared_ptr<const Handlers> handlers_;
  std::vector<web::Route> routes_;
};

std::vector<web::Route> partition_routes(PartitionService service) {
  const web::Route::Parameter key{"p_key", "path", std::string(kKey.schema),
                                  "the low 15 bits of the P_Key", true};
  const web::Route::Parameter guid{"guid", "path", std::string(kGuidSchema),
                                   "the port GUID, or the name of a port", true};
  const std::vector<web::Route::Parameter> paging{
      {"cursor", "query", R"({"type":"string"})", "next_cursor of the page before"},
      {"limit", "query", R"({"type":"integer","minimum":1,"maximum":10000,"default":1000})",
       "rows at most"}};
  const std::vector<web::Route::Parameter> waiting{
      {"wait", "query", R"({"enum":["applied"]})", "answer once the fabric has the change"},
      {"timeout_ms", "query", R"({"type":"integer","minimum":0,"maximum":30000,"default":5000})",
       "wait so long at most"}};
  RouteTable table(std::move(service));
  const auto with = [](std::vector<web::Route::Parameter> a,
                       const std::vector<web::Route::Parameter>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  using web::Role;
  const std::string all = "/v1/partitions", one = all + "/{p_key}", its_members = one + "/members",
                    member = its_members + "/{guid}";
  table.add(Method::get, all, Role::read, &Handlers::list, "listPartitions", "All partitions", "",
            "PartitionList", paging);
  table.add(Method::post, all, Role::partitions, &Handlers::create, "createPartition",
            "Create a partition", "NewPartition", "PartitionChanged", waiting);
  table.add(Method::get, one, Role::read, &Handlers::get, "getPartition", "One partition", "",
            "Partition", {key});
  table.add(Method::put, one, Role::partitions, &Handlers::put, "putPartition",
            "Create or replace a partition with its members", "PartitionContent",
            "PartitionChanged", with({key}, waiting));
  table.add(Method::patch, one, Role::partitions, &Handlers::patch, "patchPartition",
            "Change a partition", "PartitionContent", "PartitionChanged", with({key}, waiting));
  table.add(Method::delete_, one, Role::partitions, &Handlers::remove, "deletePartition",
            "Delete what the API has of a partition", "", "PartitionChanged", with({key}, waiting));
  table.add(Method::get, its_members, Role::read, &Handlers::members, "listPartitionMembers",
            "Members of a partition", "", "PartitionMemberList", with({key}, paging));
  table.add(Method::put, member, Role::partitions, &Handlers::put_member, "putPartitionMember",
            "Add or change a member", "PartitionMembership", "PartitionChanged",
            with({key, guid}, waiting));
  table.add(Method::delete_, member, Role::partitions, &Handlers::remove_member,
            "deletePartitionMember", "Remove a member", "", "PartitionChanged",
            with({key, guid}, waiting));
  table.add(Method::get, all + "/kept", Role::read, &Handlers::list_kept, "listKeptPKeys",
            "P_Keys of unknown origin that ports have kept", "", "KeptPKeyList", paging);
  table.add(Method::post, all + "/kept/adopt", Role::partitions, &Handlers::adopt_kept,
            "adoptKeptPKeys", "Make ports that have kept a P_Key members of the partition",
            "KeptPKeys", "KeptPKeysResolved", {});
  table.add(Method::post, all + "/kept/discard", Role::partitions, &Handlers::discard_kept,
            "discardKeptPKeys", "Remove P_Keys of unknown origin from ports", "KeptPKeys",
            "KeptPKeysResolved", {});
  table.add(Method::get, "/v1/partition-changes", Role::read, &Handlers::changes,
            "listPartitionChanges", "Who changed partitions of the API, and when; the latest 1,000",
            "", "PartitionChangeList", {});
  table.add(Method::post, "/v1/partition-changes", Role::partitions, &Handlers::batch,
            "changePartitions", "Change several partitions at once, all or nothing",
            "PartitionChanges", "PartitionChanged", waiting);
  return table.take();
}

}  // namespace

web::Resources partition_resources(PartitionService service) {
  web::Resources out;
  out.routes = partition_routes(std::move(service));
  add_request_schemas(out);
  add_answer_schemas(out);
  return out;
}

}  // namespace sm
