#include "mad/umad/local_ports.h"

#include <endian.h>
#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "mad/format.h"

namespace mad::umad {
namespace {

constexpr int kDevicesMax = 64;

LocalPort describe(const umad_port_t& port) {
  const std::string_view layer = port.link_layer;
  return {.device = port.ca_name,
          .number = static_cast<unsigned>(port.portnum),
          .guid = Guid{be64toh(port.port_guid)},
          .state = port.state,
          // Old kernels have no link_layer file, and libibumad then returns "IB".
          .infiniband = layer.empty() || layer == "IB" || layer == "InfiniBand"};
}

}  // namespace

std::string_view LocalPort::state_text() const {
  constexpr std::array<std::string_view, 6> kNames{"NoChange", "Down",   "Init",
                                                   "Armed",    "Active", "ActiveDefer"};
  return state < kNames.size() ? kNames[state] : "unknown state";
}

std::string LocalPort::text() const {
  return fmt::format("{} port {}, GUID {}, {}", device, number, guid,
                     infiniband ? state_text() : "not InfiniBand");
}

std::vector<LocalPort> list_local_ports() {
  std::vector<LocalPort> ports;
  if (umad_init() < 0) return ports;
  std::array<char[UMAD_CA_NAME_LEN], kDevicesMax> names{};
  const int devices = umad_get_cas_names(names.data(), kDevicesMax);
  for (int i = 0; i < devices; ++i) {
    umad_ca_t ca{};
    if (umad_get_ca(names[static_cast<std::size_t>(i)], &ca) < 0) continue;
    for (int number = 0; number <= ca.numports && number < UMAD_CA_MAX_PORTS; ++number) {
      if (ca.ports[number] != nullptr) ports.push_back(describe(*ca.ports[number]));
    }
    umad_release_ca(&ca);
  }
  return ports;
}

tl::expected<LocalPort, std::string> choose_port(std::span<const LocalPort> ports,
                                                 std::optional<Guid> wanted) {
  std::string listing;
  for (const LocalPort& port : ports) listing += "\n  " + port.text();
  const auto is_infiniband = [](const LocalPort& port) { return port.infiniband; };

  if (wanted) {
    const auto found = std::find_if(ports.begin(), ports.end(),
                                    [&](const LocalPort& port) { return port.guid == *wanted; });
    if (found == ports.end()) {
      return tl::unexpected(
          fmt::format("no local port has GUID {}; {}{}", *wanted,
                      ports.empty() ? "this machine has no ports" : "there are:", listing));
    }
    if (!found->infiniband)
      return tl::unexpected(
          fmt::format("port GUID {} is not an InfiniBand link; there are:{}", *wanted, listing));
    return *found;
  }
  const auto first = std::find_if(ports.begin(), ports.end(), is_infiniband);
  if (first == ports.end()) {
    return tl::unexpected(
        ports.empty()
            ? std::string(kNoPortsText)
            : fmt::format("No local ports detected! None of these is InfiniBand:{}", listing));
  }
  const auto up = std::find_if(
      first, ports.end(), [](const LocalPort& port) { return port.infiniband && port.state > 1; });
  return up != ports.end() ? *up : *first;
}

}  // namespace mad::umad
