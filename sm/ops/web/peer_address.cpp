#include "sm/ops/web/peer_address.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>
#include <cerrno>
#include <vector>

namespace sm::web {
namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

namespace {

/// Returns the group ids of the process at the other end.
std::vector<gid_t> groups_of(int descriptor, gid_t primary) {
  std::vector<gid_t> groups(64);
  auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int error = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  if (error != 0 && errno == ERANGE) {  // `bytes` says how many there are
    groups.resize(bytes / sizeof(gid_t));
    error = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  }
  groups.resize(error == 0 ? bytes / sizeof(gid_t) : 0);
  groups.push_back(primary);
  return groups;
}

/// Returns nullopt if there is no such group.
std::optional<gid_t> gid_named(const std::string& group) {
  if (group.empty()) return std::nullopt;
  struct group entry{};
  struct group* found = nullptr;
  std::vector<char> text(65'536);
  if (getgrnam_r(group.c_str(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
    return std::nullopt;
  return found->gr_gid;
}

}  // namespace

std::string limited_as(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

Peer peer_of(const asio::ip::tcp::endpoint& remote, bool tls) {
  const asio::ip::address address = remote.address();
  const bool mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  const asio::ip::address plain =
      mapped ? asio::ip::address(asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()))
             : address;
  return {.address = plain.is_v6() ? fmt::format("[{}]:{}", plain.to_string(), remote.port())
                                   : fmt::format("{}:{}", plain.to_string(), remote.port()),
          .limited_as = limited_as(address),
          .user = {},
          .role = Role::none,
          .is_unix = false,
          .is_private = tls || plain.is_loopback()};
}

Peer peer_of(Local::socket& socket, const std::string& group) {
  Peer peer{.address = "unix",
            .limited_as = "unix",
            .user = {},
            .role = Role::none,
            .is_unix = true,
            .is_private = true};
  ucred of{};
  socklen_t size = sizeof of;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &of, &size) != 0) return peer;
  peer.user = fmt::format("uid {}", of.uid);
  peer.limited_as = peer.user;
  const auto gid = gid_named(group);
  const std::vector<gid_t> groups = groups_of(socket.native_handle(), of.gid);
  const bool is_member = gid && std::ranges::find(groups, *gid) != groups.end();
  if (of.uid == 0 || of.uid == geteuid() || is_member) peer.role = Role::admin;
  return peer;
}

Peer control_peer(Local::socket& socket, const std::string& manager) {
  ucred of{};
  socklen_t size = sizeof of;
  const bool known = getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &of, &size) == 0;
  return {.address = known ? fmt::format("control socket, process {}", of.pid) : "control socket",
          .limited_as = "control " + manager,
          .user = known ? fmt::format("uid {}", of.uid) : "uid unknown",
          .role = Role::admin,
          .is_unix = true,
          .is_private = true,
          .manager = manager};
}

}  // namespace sm::web
