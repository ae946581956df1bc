#include "sm/ops/ufm/ufm_resources.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "mad/format.h"
#include "sm/ops/ufm/fabric_lists.h"
#include "sm/ops/ufm/p_key_body.h"

namespace sm {
namespace asio = boost::asio;
namespace step = partitions::step;

namespace {

using web::Method;
using web::Request;
using web::Response;
using Answer = asio::awaitable<Response>;

/// The revision of UFM's API that these calls implement.
constexpr std::string_view kUfmVersion = "6.22.1";
constexpr std::uint16_t kDefaultKey = 0x7FFF;

Response answer(std::string body) { return {.status = 200, .body = std::move(body)}; }
Response error(unsigned status, std::string_view text) {
  return {.status = status,
          .body = nlohmann::json{{"error", text}}.dump(-1, ' ', false,
                                                       nlohmann::json::error_handler_t::replace)};
}

bool is_set(const Request& request, std::string_view name) {
  const auto value = request.query_value(name);
  return value && (*value == "true" || *value == "True" || *value == "1");
}
ufm::PKeyFields list_fields(const Request& request) {
  return {.guids = is_set(request, "guids_data"), .qos_conf = is_set(request, "qos_conf")};
}

class Ufm {
 public:
  explicit Ufm(PartitionService service) : service_(std::move(service)) {}

  Answer version(Request) const {
    co_return answer(
        nlohmann::json{{"ufm_release_version", kUfmVersion}, {"product", "heddle"}}.dump());
  }

  Answer list(Request request) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    co_return answer(ufm::p_keys_json(snapshot, list_fields(request)));
  }

  Answer get(Request request) const {
    const auto key = ufm::read_p_key(request.parameter("pkey"));
    if (!key) co_return error(400, key.error());
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    co_return answer(ufm::p_key_json(snapshot, *key, list_fields(request)));
  }

  Answer last_updated(Request) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    nlohmann::json body{{"last_updated", nullptr}};
    if (snapshot.changed_at) body["last_updated"] = ufm::date_text(*snapshot.changed_at);
    co_return answer(body.dump());
  }

  Answer add(Request request) const { return with_body(std::move(request), "guids", false); }
  Answer set(Request request) const { return with_body(std::move(request), "guids", true); }
  Answer define(Request request) const { return with_body(std::move(request), "", false); }

  Answer add_hosts(Request request) const {
    auto body = ufm::read_p_key_body(request.body, "hosts_names");
    if (!body) co_return error(400, body.error());
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const auto guids = guids_of(snapshot, body->hosts);
    if (!guids) co_return error(404, guids.error());
    for (const mad::Guid guid : *guids) body->members.push_back({guid, body->full});
    co_return co_await change(request, steps_of(snapshot, *body));
  }

  Answer remove(Request request) const {
    const auto body = ufm::read_p_key_body(request.body, "guids");
    if (!body) co_return error(400, body.error());
    std::vector<mad::Guid> guids;
    for (const auto& member : body->members) guids.push_back(member.guid);
    co_return co_await remove_members(request, body->p_key, guids);
  }

  Answer remove_guids(Request request) const {
    const auto key = ufm::read_p_key(request.parameter("pkey"));
    if (!key) co_return error(400, key.error());
    const auto guids = ufm::read_guids(request.parameter("guids"));
    if (!guids) co_return error(400, guids.error());
    co_return co_await remove_members(request, *key, *guids);
  }

  Answer remove_hosts(Request request) const {
    const auto key = ufm::read_p_key(request.parameter("pkey"));
    if (!key) co_return error(400, key.error());
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const auto guids = guids_of(snapshot, ufm::split(request.parameter("hosts")));
    if (!guids) co_return error(404, guids.error());
    co_return co_await remove_members(request, *key, *guids);
  }

  Answer remove_partition(Request request) const {
    const auto key = ufm::read_p_key(request.parameter("pkey"));
    if (!key) co_return error(400, key.error());
    if (*key == kDefaultKey)
      co_return error(400, "0x7fff is the default partition, and is not removed; remove GUIDs");
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    if (service_.log && snapshot.is_configured(*key))
      service_.log(
          fmt::format("partition {:#06x} is in partitions.conf, too: that stays when {} "
                      "removes it",
                      *key, request.caller.text()));
    std::vector<partitions::Step> steps;
    steps.push_back(step::Delete{*key});
    co_return co_await change(request, std::move(steps));
  }

  Answer ports(Request request) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    const auto type = request.query_value("sys_type");
    if (type && *type != "Computer" && *type != "Switch")
      co_return error(400, "sys_type is neither Computer nor Switch");
    const auto systems = !type               ? ufm::Systems::all
                         : *type == "Switch" ? ufm::Systems::switches
                                             : ufm::Systems::computers;
    co_return answer(ufm::ports_json(snapshot.subnet.get(), systems));
  }

 private:
  /// Adds members, or (`all`) replaces all; without `needs` creates only the partition.
  Answer with_body(Request request, std::string needs, bool all) const {
    auto body = ufm::read_p_key_body(request.body, needs);
    if (!body) co_return error(400, body.error());
    if (!all && needs == "guids" && body->members.empty())
      co_return error(400, "guids is empty: write at least one port GUID");
    if (needs.empty()) body->members.clear();
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    std::vector<partitions::Step> steps = steps_of(snapshot, *body);
    if (all) {
      step::Keep keep{.key = body->p_key, .guids = {}};
      for (const auto& member : body->members) keep.guids.push_back(member.guid);
      steps.push_back(std::move(keep));
      if (body->members.empty()) steps.push_back(step::DeleteIfEmpty{body->p_key});
    }
    co_return co_await change(request, std::move(steps));
  }

  static std::vector<partitions::Step> steps_of(const PartitionSnapshot& snapshot,
                                                const ufm::PKeyBody& body) {
    const bool exists = snapshot.stored->partitions().find(body.p_key) != nullptr;
    step::Define define{.key = body.p_key,
                        .name = body.partition_name,
                        .ipoib = body.ip_over_ib,
                        .mtu = body.mtu,
                        .rate = body.rate,
                        .sl = body.sl};
    if (!exists && !define.ipoib) define.ipoib = true;
    std::vector<partitions::Step> steps;
    steps.reserve(body.members.size() + 1);
    steps.push_back(std::move(define));
    for (const auto& member : body.members)
      steps.push_back(step::Put{.key = body.p_key,
                                .guid = member.guid,
                                .full = member.full,
                                .index0 = body.index0,
                                .expires = std::nullopt,
                                .owner = {}});
    return steps;
  }

  static tl::expected<std::vector<mad::Guid>, std::string> guids_of(
      const PartitionSnapshot& snapshot, const std::vector<std::string>& hosts) {
    std::vector<mad::Guid> all;
    for (const std::string& host : hosts) {
      const auto guids =
          snapshot.subnet ? ufm::ports_of_host(*snapshot.subnet, host) : std::vector<mad::Guid>();
      if (guids.empty())
        return tl::unexpected(fmt::format(
            "no host in the fabric is called '{}': write the name that its NodeDescription begins "
            "with",
            host.substr(0, 64)));
      all.insert(all.end(), guids.begin(), guids.end());
    }
    return all;
  }

  Answer remove_members(const Request& request, std::uint16_t key,
                        std::vector<mad::Guid> guids) const {
    const PartitionSnapshot snapshot = co_await service_.snapshot();
    std::vector<partitions::Step> steps;
    std::size_t given = 0;
    for (const mad::Guid guid : guids) {
      steps.push_back(step::Remove{key, guid});
      given += snapshot.is_configured(key, guid) ? 1u : 0u;
    }
    if (given > 0 && service_.log)
      service_.log(
          fmt::format("partition {:#06x}: partitions.conf gives {} of the {} GUIDs that {} "
                      "removes; these memberships stay",
                      key, given, guids.size(), request.caller.text()));
    steps.push_back(step::DeleteIfEmpty{key});
    co_return co_await change(request, std::move(steps));
  }

  Answer change(const Request& request, std::vector<partitions::Step> steps) const {
    partitions::Change wanted{
        std::move(steps)};  // named: GCC 12 destroys a list of a co_await twice
    const auto done =
        co_await service_.change(std::move(wanted), request.caller.text(), std::nullopt);
    if (done) co_return answer("{}");
    const ChangeFailure& failure = done.error();
    if (failure.kind == ChangeFailure::Kind::fault) co_return error(400, failure.text);
    co_return error(503, failure.text);
  }

  PartitionService service_;
};

}  // namespace

web::Resources ufm_resources(PartitionService service) {
  web::Resources out;
  const auto ufm = std::make_shared<const Ufm>(std::move(service));
  const auto add = [&](Method method, const std::string& path, web::Role least,
                       Answer (Ufm::*handler)(Request) const, const char* summary) {
    for (const char* prefix : {"/ufmRest", "/ufmRestV2", "/ufmRestV3"}) {
      out.routes.push_back(
          {.method = method,
           .path = prefix + path,
           .least = least,
           .handler = [ufm,
                       handler](Request request) { return ((*ufm).*handler)(std::move(request)); },
           .operation_id = {},
           .summary = summary,
           .request_schema = {},
           .response_schema = {},
           .in_document = false});
    }
  };
  /// Each path is served with and without the final slash: a redirect would turn a POST into a GET.
  const auto both = [&](Method method, const std::string& path, web::Role least,
                        Answer (Ufm::*handler)(Request) const, const char* summary) {
    add(method, path, least, handler, summary);
    add(method, path + "/", least, handler, summary);
  };
  using web::Role;
  both(Method::get, "/app/ufm_version", Role::read, &Ufm::version, "Version");
  both(Method::head, "/app/ufm_version", Role::read, &Ufm::version, "Version");
  both(Method::get, "/resources/pkeys", Role::read, &Ufm::list, "All partitions");
  both(Method::post, "/resources/pkeys", Role::partitions, &Ufm::add, "Add GUIDs to a partition");
  both(Method::put, "/resources/pkeys", Role::partitions, &Ufm::set,
       "Set the GUIDs of a partition");
  both(Method::post, "/resources/pkeys/add", Role::partitions, &Ufm::define,
       "Create a partition without GUIDs");
  both(Method::post, "/resources/pkeys/hosts", Role::partitions, &Ufm::add_hosts,
       "Add the ports of hosts to a partition");
  both(Method::get, "/resources/pkeys/last_updated", Role::read, &Ufm::last_updated,
       "When partitions changed");
  both(Method::get, "/resources/pkeys/{pkey}", Role::read, &Ufm::get, "One partition");
  both(Method::delete_, "/resources/pkeys/{pkey}", Role::partitions, &Ufm::remove_partition,
       "Remove a partition");
  both(Method::delete_, "/resources/pkeys/{pkey}/guids/{guids}", Role::partitions,
       &Ufm::remove_guids, "Remove GUIDs from a partition");
  both(Method::delete_, "/resources/pkeys/{pkey}/hosts/{hosts}", Role::partitions,
       &Ufm::remove_hosts, "Remove the ports of hosts from a partition");
  both(Method::post, "/actions/remove_guids_from_pkey", Role::partitions, &Ufm::remove,
       "Remove GUIDs from a partition");
  both(Method::get, "/resources/ports", Role::read, &Ufm::ports, "Ports");
  return out;
}

}  // namespace sm
