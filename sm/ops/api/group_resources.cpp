// /v1/groups, /v1/services

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"
#include "sm/sa/registrations/ports.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::array<FieldInfo, 1> kOfOneGroup{{
    {"members", "GroupMember[]"},
}};

std::string gid_digits(mad::Gid gid) {
  return fmt::format("{:016x}{:016x}", gid.prefix, gid.guid.value);
}

using JoinStates = std::map<mad::Gid, std::uint8_t>;

/// Returns the GUID that this port has as a member of groups. Errors: the response.
tl::expected<mad::Guid, web::Response> member_guid(const Reading& reading, std::string_view text) {
  const Subnet* const subnet = reading.subnet();
  // A vport, or a port that has left, can be named only by its GUID; short numbers are LIDs.
  constexpr std::size_t kLidDigits = 6;
  const auto guid =
      text.starts_with("0x") && text.size() > kLidDigits ? read_guid(text) : std::nullopt;
  if (guid && (subnet == nullptr || subnet->find(*guid).port != kNoIndex)) return *guid;
  if (subnet == nullptr)
    return tl::unexpected(
        not_found(fmt::format("port {}", text), "try again after the first sweep"));
  const auto found = find_port(subnet->fabric, subnet->lids, text);
  if (!found && guid) return *guid;
  if (!found)
    return tl::unexpected(web::problem(
        404, found.error(),
        "a LID, a GUID, or a description or its first word, with :PORT for one of several ports"));
  const EndPoint owner = found->lid.value != 0 ? subnet->owner(found->lid) : EndPoint{found->port};
  return subnet->find_guid(owner);
}

/// `joined` is null, or has the groups of one port.
web::Response group_page(const SharedReading& reading,
                         const std::shared_ptr<const JoinStates>& joined) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto p_key = parameters.number("p_key", 1, 0xFFFF);
  const auto mlid = parameters.number("mlid", mad::kMlidMin.value, mad::kMlidMax.value);
  if (parameters.fault()) return *parameters.fault();
  const std::vector<GroupSummary>& groups = reading->view->groups;
  const auto row = [&groups, p_key, mlid, joined](std::size_t i) -> std::optional<nlohmann::json> {
    const sa::Group& group = groups[i].group;
    std::optional<std::uint8_t> join_state;
    if (joined != nullptr) {
      const auto found = joined->find(group.mgid);
      if (found == joined->end()) return std::nullopt;
      join_state = found->second;
    }
    if (p_key && mad::p_key_base(group.p_key) != (*p_key & 0x7FFFu)) return std::nullopt;
    if (mlid && group.mlid.value != *mlid) return std::nullopt;
    return group_row(group, groups[i].member_count, join_state);
  };
  const auto key = [&groups](std::size_t i) { return gid_digits(groups[i].group.mgid); };
  return list_by_key(reading, "groups", page, groups.size(), 32, key, row, false);
}

asio::awaitable<web::Response> list_groups(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  const auto port = reading->request.query_value("port");
  if (!port) co_return group_page(reading, nullptr);
  const auto guid = member_guid(*reading, *port);
  if (!guid) co_return guid.error();
  const auto joined = std::make_shared<const JoinStates>(co_await core->sources.join_states(*guid));
  co_return group_page(reading, joined);
}

asio::awaitable<web::Response> group_detail(SharedCore core, web::Request request) {
  const std::string text(request.parameter("mgid"));
  const auto mgid = read_gid(text);
  if (!mgid)
    co_return web::problem(400, fmt::format("'{}' is no MGID", text.substr(0, 100)),
                           "a GID such as ff12:401b:ffff::ffff:ffff");
  const SharedReading reading = co_await read(core, std::move(request));
  const std::optional<sa::Group> group = co_await core->sources.group(*mgid);
  if (!group) co_return not_found("group " + sa::gid_text(*mgid), "an mgid that /v1/groups lists");
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(group_row(*group, group->members.size()));
  body["members"] = member_rows(*group, reading->subnet());
  co_return answer(*reading, body, false);
}

asio::awaitable<web::Response> list_services(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto guid = parameters.guid("guid");
  const NameFilter name(parameters.text("name"));
  if (parameters.fault()) co_return *parameters.fault();
  const auto services =
      std::make_shared<const std::vector<sa::Service>>(co_await core->sources.services());
  const Subnet* const subnet = reading->subnet();
  const auto row = [=](std::size_t i) -> std::optional<nlohmann::json> {
    const sa::Service& service = (*services)[i];
    if (guid && service.record.service_gid().guid != *guid && service.registered_by != *guid)
      return std::nullopt;
    nlohmann::json json = service_row(service, subnet);
    if (name.is_set() && !name.passes(json["service_name"].get_ref<const std::string&>()))
      return std::nullopt;
    return json;
  };
  const auto key = [=](std::size_t i) {
    const sa::ServiceRid rid = sa::rid_of((*services)[i].record);
    return fmt::format("{:016x}{}{:04x}", rid.id, gid_digits(rid.gid), rid.p_key.value);
  };
  co_return list_by_key(reading, "services", page, services->size(), 52, key, row, false);
}

}  // namespace

void add_groups(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/groups", "listGroups", "Multicast groups, by MGID", "GroupList",
          filter_parameters(kGroupFilters)),
      [core](web::Request request) { return list_groups(core, std::move(request)); });
  add(to,
      get("/v1/groups/{mgid}", "getGroup", "A multicast group with its members", "GroupDetail",
          {in_path("mgid", value::kText, "MGID")}),
      [core](web::Request request) { return group_detail(core, std::move(request)); });
  add(to,
      get("/v1/services", "listServices",
          "Services that ports have registered, by ServiceID, ServiceGID and P_Key", "ServiceList",
          list_parameters(
              {query("name", value::kPartOfName, "Part of the ServiceName, either case"),
               query("guid", value::kGuid, "GUID in the ServiceGID, or of who registered it")})),
      [core](web::Request request) { return list_services(core, std::move(request)); });
  add_schemas(to, group_info(), "groups");
  to.schemas.emplace_back("GroupMember", object_schema(group_member_info().fields));
  to.schemas.emplace_back("GroupDetail", answer_schema(group_info(), kOfOneGroup));
  add_schemas(to, service_info(), "services");
}

}  // namespace sm::api
