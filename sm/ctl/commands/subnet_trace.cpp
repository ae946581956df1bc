// heddlectl trace between GIDs of two subnets: through routers, each subnet's part from a manager
// of it, there and back.

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/subnet_trace.h"
#include "sm/ctl/describe_text.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {

namespace {

constexpr std::size_t kSubnetsMax = 64;  // on one way

using Managers = std::map<std::uint64_t, GetApi>;

/// The port GUID of a router in the subnet of a manager; empty: it has none there.
std::string port_of_router(const GetApi& get, const std::string& node_guid) {
  const auto routers = get("/v1/routers?limit=10000");
  if (!routers) return {};
  for (const Json& router : routers->at("routers"))
    if (router.at("node_guid") == node_guid && !router.at("ports").empty())
      return router.at("ports").front().at("port_guid").get<std::string>();
  return {};
}

/// The subnet that the router leads into, on the way to `to`: that of the destination if the router
/// has a port there, else one that was not passed yet.
std::optional<std::pair<std::uint64_t, std::string>> next_subnet(
    const Managers& managers, const std::vector<std::uint64_t>& passed, std::uint64_t to,
    const std::string& node_guid) {
  if (const auto there = managers.find(to); there != managers.end())
    if (std::string port = port_of_router(there->second, node_guid); !port.empty())
      return std::pair(to, std::move(port));
  for (const auto& [prefix, get] : managers) {
    if (std::ranges::find(passed, prefix) != passed.end()) continue;
    if (std::string port = port_of_router(get, node_guid); !port.empty())
      return std::pair(prefix, std::move(port));
  }
  return std::nullopt;
}

void print(const SubnetTrace& way) {
  for (const Json& part : way.parts)
    std::cout << "subnet " << part.at("subnet_prefix").get<std::string>() << '\n'
              << ctl::path_text(part.at("path"));
  if (!way.trouble.empty()) std::cout << "  " << way.trouble << '\n';
}

}  // namespace

std::optional<NamedGid> parse_gid(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  NamedGid gid{.text = text};
  for (std::size_t i = 0; i < 8; ++i) gid.prefix = gid.prefix << 8 | bytes[i];
  return gid;
}

SubnetTrace trace_subnets(const Managers& managers, const NamedGid& from, const NamedGid& to) {
  SubnetTrace way;
  std::string at = from.text;
  std::vector<std::uint64_t> passed{from.prefix};
  while (passed.size() <= kSubnetsMax) {
    const auto manager = managers.find(passed.back());
    if (manager == managers.end()) {
      way.trouble = fmt::format("no manager of subnet {:#018x} is known: name it in subnet_peers",
                                passed.back());
      return way;
    }
    const auto answer = manager->second(fmt::format(
        "/v1/routing/path?from={}&to={}", web::percent_encoded(at), web::percent_encoded(to.text)));
    if (!answer) {
      way.trouble = answer.error();
      return way;
    }
    way.parts.push_back({{"subnet_prefix", fmt::format("{:#018x}", passed.back())},
                         {"path", answer->at("forward")}});
    if (!answer->at("forward").at("arrives").get<bool>()) {
      way.trouble = "the path does not arrive";
      return way;
    }
    if (!answer->contains("beyond")) return way;
    const auto router = answer->at("beyond").at("node_guid").get<std::string>();
    way.parts.back()["router"] = router;
    auto next = next_subnet(managers, passed, to.prefix, router);
    if (!next) {
      way.trouble = fmt::format(
          "no manager is known of the subnet behind router {}: name it in "
          "subnet_peers",
          router);
      return way;
    }
    passed.push_back(next->first);
    at = std::move(next->second);
  }
  way.trouble = "the path passes too many subnets";
  return way;
}

std::optional<int> trace_between_subnets(const TraceOptions& options) {
  const auto from = parse_gid(options.from), to = parse_gid(options.to);
  if (!from || !to || from->prefix == to->prefix) return std::nullopt;
  const char* const credentials = std::getenv("HEDDLE_USER");
  const Managers managers = subnet_managers(credentials == nullptr ? "" : credentials);
  const SubnetTrace forward = trace_subnets(managers, *from, *to),
                    reverse = trace_subnets(managers, *to, *from);
  if (options.json) {
    const auto text = [](const SubnetTrace& way) {
      return way.trouble.empty() ? Json() : Json(way.trouble);
    };
    std::cout << dumped({{"forward", {{"subnets", forward.parts}, {"detail", text(forward)}}},
                         {"reverse", {{"subnets", reverse.parts}, {"detail", text(reverse)}}}})
              << '\n';
  } else {
    print(forward);
    print(reverse);
  }
  return forward.trouble.empty() && reverse.trouble.empty() ? kOk : kFailed;
}

}  // namespace sm::commands
