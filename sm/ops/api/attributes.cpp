// /v1/attributes: the present attributes of one node

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/attribute_rows.h"
#include "mad/format.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/list_filters.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr auto kAttributes = std::to_array<FieldInfo>({
    {"node_guid", value::kGuid},
    {"description", value::kText},
    {"node_type", value::kNodeType},
    {"lid", value::kInteger},
    {"port", value::kInteger, "As it was named, else 0"},
    {"attributes", R"({"type":"object","required":["attribute","modifier"],
"properties":{"attribute":{"type":"string"},"modifier":{"type":"integer"},
"data":{"type":"string","description":"64 bytes in hexadecimal; M_Key is 0"},
"error":{"type":"string","description":"Instead of data: why the node does not have it"}}}[])"},
});

std::string list_names() {
  std::vector<std::string_view> names;
  for (const mad::AttributeList& list : mad::attribute_lists()) names.push_back(list.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

asio::awaitable<web::Response> attributes(SharedCore core, web::Request request) {
  Parameters parameters(request);
  const auto list = parameters.one_of("list", list_names());
  const auto node = parameters.text("node");
  if (parameters.fault()) co_return *parameters.fault();
  LiveReadRequest what{.list = mad::attribute_lists()[*list].name, .node = std::string(*node)};
  const auto found = co_await core->sources.attributes(std::move(what));
  if (!found) co_return web::problem(409, found.error());
  const SharedReading reading = co_await read(core, std::move(request));
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(*found);
  co_return answer(*reading, body, false);
}

}  // namespace

void add_attributes(web::Resources& to, const SharedCore& core) {
  if (!core->sources.attributes) return;
  web::Route route = get("/v1/attributes", "readAttributes",
                         "Attributes of a node, read from it now (SubnGet)", "Attributes",
                         {query("list", list_names(), "Which attributes"),
                          query("node", value::kPartOfName,
                                "NODE or NODE:PORT; NODE is a NodeDescription or its first word, "
                                "a GUID or a LID")});
  for (web::Route::Parameter& parameter : route.parameters) parameter.required = true;
  route.least = web::Role::admin;  // each request costs the fabric packets
  add(to, std::move(route),
      [core](web::Request request) { return attributes(core, std::move(request)); });
  to.schemas.emplace_back("Attributes", answer_schema({}, kAttributes));
}

}  // namespace sm::api
