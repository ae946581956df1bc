// For any file: no crash, findings have positions, and what is accepted is within its limits and
// makes attributes that read as they were written.
#include <cstdint>
#include <cstdlib>

#include "virt/vnic/policy.h"

namespace {
void require(bool condition) {
  if (!condition) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = vnic::read_configuration({"fuzz", {reinterpret_cast<const char*>(data), size}});
  if (!read) {
    require(!read.error().empty());
    for (const auto& d : read.error())
      require(d.line >= 1 && d.column >= 1 && d.text().find('\n') == std::string::npos);
    return 0;
  }
  require(!read->switches.empty() && read->switches.size() <= vnic::kSwitchesMax);
  const vnic::EndPort port{{1}, {5}, "n1"};
  for (const vnic::SwitchConfiguration& of : read->switches) {
    require(of.key.vesw_id >= 1 && of.key.vesw_id <= vnic::kVeswIdMax && !of.members.empty());
    require(of.mtu >= vnic::kMtuMin && of.mtu <= vnic::kMtuMax && of.vnic <= vnic::kVnicNumberMax);
    const auto info =
        make_port_info(of, port, {&port, 1}, of.multicast_lid, mad::VnicState::forwarding);
    require(info.vesw_id() == of.key.vesw_id && vnic::is_set(info, info));
    require(!info.base_mac().is_multicast() && info.base_mac().value != 0);
  }
  require(choose_numbers(*read, {}).size() == read->switches.size());
  return 0;
}
