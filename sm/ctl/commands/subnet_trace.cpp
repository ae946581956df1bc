// heddlectl trace between GIDs of two subnets follows routers there and back; each subnet's part
// comes from a manager of that subnet.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "config/base64.h"
#include "config/http_peer.h"
#include "config/value.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/subnet_trace.h"
#include "sm/ctl/describe_text.h"
#include "sm/ctl/lists_text.h"
#include "sm/http/http_client.h"
#include "sm/ops/control_socket.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {
namespace asio = boost::asio;
namespace {

/// Sends a GET. Credentials of others need TLS.
asio::awaitable<HttpResult<HttpAnswer>> request(config::HttpEndpoint address, std::string target,
                                                std::string credentials) {
  asio::ssl::context tls(asio::ssl::context::tls_client);
  boost::system::error_code ignored;  // no certificate is verified then
  if (address.tls) tls.set_default_verify_paths(ignored);
  tls.set_verify_mode(asio::ssl::verify_peer);
  const auto executor = co_await asio::this_coro::executor;
  const HttpLimits limits{.only_private = !credentials.empty()};
  HttpClient client(executor, tls, limits);
  if (const auto connected = co_await client.connect(address); !connected)
    co_return tl::unexpected(connected.error());
  HttpRequest get{.target = std::move(target)};
  get.fields = {{"Host", address.host}, {"Connection", "close"}};
  if (!credentials.empty())
    get.fields.emplace_back("Authorization", "Basic " + config::to_base64(credentials));
  co_return co_await client.exchange(std::move(get));
}

std::optional<std::uint64_t> own_prefix(const ManagerApi::Answer& subnet) {
  if (!subnet || !subnet->contains("subnet_prefix")) return std::nullopt;
  const auto prefix = config::parse_number(subnet->at("subnet_prefix").get<std::string>());
  return prefix ? std::optional(*prefix) : std::nullopt;
}

using Managers = std::map<std::uint64_t, GetApi>;
using Passed = std::vector<std::uint64_t>;  // prefixes, in order

std::string subnet_name(std::uint64_t prefix) { return fmt::format("subnet {:#018x}", prefix); }

bool contains(const Passed& passed, std::uint64_t prefix) {
  return std::ranges::find(passed, prefix) != passed.end();
}

/// Reads the answer of the manager of a subnet with `use`. The manager is another program: an
/// answer that lacks a member is an error.
template <class Use>
auto ask(const GetApi& get, std::uint64_t prefix, const std::string& target, Use use)
    -> tl::expected<decltype(use(std::declval<const Json&>())), std::string> {
  const auto answer = get(target);
  if (!answer)
    return tl::unexpected(
        fmt::format("{}: {}", subnet_name(prefix), ctl::printable(answer.error())));
  try {
    return use(*answer);
  } catch (const Json::exception&) {
    return tl::unexpected(fmt::format("{}: the answer of its manager to {} is not one of this API",
                                      subnet_name(prefix), target));
  }
}

/// Returns an empty string if the manager is of that subnet.
std::string check_manager(const GetApi& get, std::uint64_t prefix) {
  const auto own = ask(get, prefix, "/v1/subnet", [](const Json& subnet) {
    return subnet.at("subnet_prefix").get<std::string>();
  });
  if (!own) return own.error();
  if (config::parse_number(*own) == prefix) return {};
  return fmt::format("{}: the manager that subnet_peers names for it says that it is of subnet {}",
                     subnet_name(prefix), ctl::printable(*own));
}

/// Returns the port GUID of a router in the subnet of a manager; empty if it has none there.
tl::expected<std::string, std::string> port_of_router(const GetApi& get, std::uint64_t prefix,
                                                      const std::string& node_guid) {
  return ask(get, prefix, "/v1/routers?limit=10000", [&](const Json& answer) -> std::string {
    for (const Json& router : answer.at("routers"))
      if (router.at("node_guid") == node_guid && !router.at("ports").empty())
        return router.at("ports").front().at("port_guid").get<std::string>();
    return {};
  });
}

/// Returns the subnet to which the router leads, on the path to `to`: that of the destination if
/// the router has a port there, else one that the path has not passed yet. Errors: why there is
/// none.
tl::expected<std::pair<std::uint64_t, std::string>, std::string> next_subnet(
    const Managers& managers, const Passed& passed, std::uint64_t to,
    const std::string& node_guid) {
  std::vector<std::uint64_t> ahead, behind;
  if (managers.contains(to) && !contains(passed, to)) ahead.push_back(to);
  for (const auto& [prefix, get] : managers) {
    if (prefix == to || prefix == passed.back()) continue;
    (contains(passed, prefix) ? behind : ahead).push_back(prefix);
  }
  std::vector<std::string> silent;
  for (const std::uint64_t prefix : ahead) {
    auto port = port_of_router(managers.at(prefix), prefix, node_guid);
    if (!port)
      silent.push_back(port.error());
    else if (!port->empty())
      return std::pair(prefix, std::move(*port));
  }
  if (!silent.empty())
    return tl::unexpected(fmt::format("the part behind router {} is missing: {}",
                                      ctl::printable(node_guid), fmt::join(silent, "; ")));
  for (const std::uint64_t prefix : behind)
    if (const auto port = port_of_router(managers.at(prefix), prefix, node_guid);
        port && !port->empty())
      return tl::unexpected(fmt::format("router {} leads back to {}: packets do not arrive",
                                        ctl::printable(node_guid), subnet_name(prefix)));
  return tl::unexpected(
      fmt::format("no manager is known of the subnet behind router {}: name it in subnet_peers",
                  ctl::printable(node_guid)));
}

/// Holds the path in one subnet, and the router by which it leaves.
struct Part {
  Json path;
  std::string router;  // NodeGUID; empty: it does not leave
};
Part read_part(const Json& answer) {
  Part part{.path = answer.at("forward"), .router = {}};
  ctl::path_text(part.path);  // it has all that is shown
  if (answer.contains("beyond"))
    part.router = answer.at("beyond").at("node_guid").get<std::string>();
  return part;
}

/// Returns an empty string if the path continues with the next part, or is complete.
std::string fault(const Part& part, std::uint64_t prefix, std::uint64_t to) {
  if (!part.path.at("arrives").get<bool>()) return "the path does not arrive";
  if (part.router.empty() == (prefix == to)) return {};
  return prefix == to ? fmt::format("{}: its manager sends packets for it on to router {}",
                                    subnet_name(prefix), ctl::printable(part.router))
                      : fmt::format("{}: its manager says that the path ends there, not in {}",
                                    subnet_name(prefix), subnet_name(to));
}

void print(const SubnetTrace& way) {
  for (const Json& part : way.parts)
    std::cout << "subnet " << part.at("subnet_prefix").get<std::string>() << '\n'
              << ctl::path_text(part.at("path"));
  if (!way.trouble.empty()) std::cout << "  " << way.trouble << '\n';
}

}  // namespace

ManagerApi::Answer get_from(const std::string& url, const std::string& target,
                            const std::string& credentials, std::chrono::milliseconds limit) {
  const auto address = config::parse_http_endpoint(url);
  if (!address) return tl::unexpected(fmt::format("{} is no URL", url));
  asio::io_context io;
  auto response = asio::co_spawn(io, request(*address, target, credentials), asio::use_future);
  // The limit is for all: a peer that is silent, or that sends byte by byte, does not extend it.
  io.run_for(limit);
  if (response.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return tl::unexpected(fmt::format("{}: no answer within {:g} s", url,
                                      std::chrono::duration<double>(limit).count()));
  const HttpResult<HttpAnswer> answer = response.get();
  if (!answer)
    return tl::unexpected(fmt::format(
        "{}: {}", url,
        answer.error().code ? answer.error().code.message()
                            : "the password in HEDDLE_USER is not sent without TLS; write https:// "
                              "in subnet_peers, or unset HEDDLE_USER"));
  auto body = Json::parse(answer->body, nullptr, false);
  if (body.is_discarded())
    return tl::unexpected(fmt::format("{}: the answer is not one of this version", url));
  if (answer->status == 200) return body;
  return tl::unexpected(fmt::format("{}: {}", url,
                                    body.contains("detail") && body["detail"].is_string()
                                        ? body["detail"].get<std::string>()
                                        : answer->reason));
}

std::map<std::uint64_t, GetApi> subnet_managers(const std::string& credentials) {
  std::map<std::uint64_t, GetApi> managers;
  std::map<std::uint64_t, std::string> peers;
  for (const std::filesystem::path& socket : control_sockets(run_dir())) {
    const ManagerApi api(socket);
    const auto prefix = own_prefix(api.get("/v1/subnet"));
    if (!prefix) continue;
    managers.try_emplace(*prefix, [api](const std::string& target) { return api.get(target); });
    const auto options = api.get("/v1/options");
    if (!options) continue;
    for (const Json& option : options->at("options")) {
      if (option.at("key") != "subnet_peers") continue;
      const auto value = option.at("value").get<std::string>();
      for (const std::string_view text : config::split(value, ", "))
        if (const auto peer = config::parse_http_peer(text)) peers.emplace(peer->id, peer->url);
    }
  }
  for (const auto& [prefix, url] : peers)
    managers.try_emplace(prefix, [url, credentials](const std::string& target) {
      return get_from(url, target, credentials);
    });
  return managers;
}

std::optional<NamedGid> parse_gid(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  NamedGid gid{.text = text};
  for (std::size_t i = 0; i < 8; ++i) gid.prefix = gid.prefix << 8 | bytes[i];
  return gid;
}

SubnetTrace trace_subnets(const Managers& managers, const NamedGid& from, const NamedGid& to) {
  SubnetTrace way;
  const auto end = [&](std::string trouble) {
    way.trouble = std::move(trouble);
    return way;
  };
  std::string at = from.text;
  Passed passed{from.prefix};
  for (;;) {
    const std::uint64_t prefix = passed.back();
    const auto manager = managers.find(prefix);
    if (manager == managers.end())
      return end(
          fmt::format("no manager of {} is known: name it in subnet_peers", subnet_name(prefix)));
    if (std::string other = check_manager(manager->second, prefix); !other.empty())
      return end(std::move(other));
    const auto part = ask(manager->second, prefix,
                          fmt::format("/v1/routing/path?from={}&to={}", web::percent_encoded(at),
                                      web::percent_encoded(to.text)),
                          read_part);
    if (!part) return end(part.error());
    way.parts.push_back({{"subnet_prefix", fmt::format("{:#018x}", prefix)}, {"path", part->path}});
    if (!part->router.empty()) way.parts.back()["router"] = part->router;
    if (std::string trouble = fault(*part, prefix, to.prefix); !trouble.empty())
      return end(std::move(trouble));
    if (part->router.empty()) return way;
    auto next = next_subnet(managers, passed, to.prefix, part->router);
    if (!next) return end(std::move(next.error()));
    passed.push_back(next->first);
    at = std::move(next->second);
  }
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
