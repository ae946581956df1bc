#include "sm/dumps/dumps.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "mad/hex.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

std::string_view type_text(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::ca:
      return "CA";
    case mad::NodeType::switch_:
      return "SW";
    case mad::NodeType::router:
      return "Rt";
  }
  return "??";
}

std::string_view width_text(std::uint8_t active) {
  switch (active) {
    case mad::link_width::k1x:
      return "1x";
    case mad::link_width::k2x:
      return "2x";
    case mad::link_width::k4x:
      return "4x";
    case mad::link_width::k8x:
      return "8x";
    case mad::link_width::k12x:
      return "12x";
    default:
      return "??";
  }
}

std::string_view state_text(mad::PortState state) {
  switch (state) {
    case mad::PortState::init:
      return "INI";
    case mad::PortState::armed:
      return "ARM";
    case mad::PortState::active:
      return "ACT";
    default:
      return "DWN";
  }
}

std::string_view speed_text(const mad::PortInfo& info) {
  switch (info.link_speed_ext_active()) {
    case mad::link_speed_ext::kNone:
      break;
    case mad::link_speed_ext::kFdr:
      return "14";
    case mad::link_speed_ext::kEdr:
      return "25";
    case mad::link_speed_ext::kHdr:
      return "50";
    case mad::link_speed_ext::kNdr:
      return "100";
    default:
      return "??";
  }
  switch (info.link_speed_active()) {
    case mad::link_speed::kSdr:
      return "2.5";
    case mad::link_speed::kDdr:
      return "5";
    case mad::link_speed::kQdr:
      return "10";
    default:
      return "??";
  }
}

/// Returns the text with parentheses in place of braces. A node chooses its description, and the
/// tools that read the list know no escapes: a brace would end it, and what follows would count as
/// fields of the node. The length stays, since they may have buffers for 64 bytes.
std::string without_braces(std::string text) {
  std::ranges::replace(text, '{', '(');
  std::ranges::replace(text, '}', ')');
  return text;
}

/// Returns both ends of each link that is up, one line each, in the order of ports.
class LinkLines {
 public:
  LinkLines(const Fabric& fabric, const LidMap& lids)
      : fabric_(fabric),
        lid_of_port_(fabric.ports.size()),
        of_switch_{TextBySwitch(fabric.switches.size()), TextBySwitch(fabric.switches.size())} {
    for (const EndPortIndex end_port : lids.of_end_port.indices())
      lid_of_port_[fabric.end_ports[end_port]] = lids.of_end_port[end_port].base;
  }

  /// Appends the lines of further ports; returns false if there are none.
  bool next(std::string& out) {
    constexpr std::size_t kPart = std::size_t{1} << 20;
    for (; next_ < fabric_.ports.size() && out.size() < kPart; ++next_) {
      const Port& port = fabric_.ports[next_];
      if (port.peer == kNoIndex || !port.is_up()) continue;
      append_end(out, next_, false);
      out += ' ';
      append_end(out, port.peer, true);
      for (const std::string_view part :
           {std::string_view(" PHY="), width_text(port.info.link_width_active()),
            std::string_view(" LOG="), state_text(port.info.port_state()),
            std::string_view(" SPD="), speed_text(port.info), std::string_view("\n")})
        out += part;
    }
    return !out.empty();
  }

 private:
  using TextBySwitch = IndexVector<SwitchIndex, std::string>;

  void append_end(std::string& out, PortIndex index, bool is_peer) {
    const Port& port = fabric_.ports[index];
    const Node& node = fabric_.nodes[port.node];
    if (node.is_switch()) {  // all of its ports have one text
      std::string& text = of_switch_[is_peer][node.switch_index];
      if (text.empty()) append_identity(text, node.first_port, is_peer);
      out += text;
    } else {
      append_identity(out, index, is_peer);
    }
    out += " PN:";
    mad::append_hex(out, port.number.value, 2, mad::HexDigits::upper);
    out += " }";
  }

  void append_identity(std::string& out, PortIndex identity, bool is_peer) const {
    const NodeIndex at = fabric_.ports[identity].node;
    const Node& node = fabric_.nodes[at];
    const bool has_sm = fabric_.sm_port != kNoIndex && fabric_.ports[fabric_.sm_port].node == at;
    using enum mad::HexDigits;
    const auto add = [&out](std::string_view name, std::uint64_t value, unsigned digits_min,
                            mad::HexDigits digits) {
      out += name;
      mad::append_hex(out, value, digits_min, digits);
    };
    out += "{ ";
    out += type_text(node.type);
    if (has_sm) out += "-SM";
    add(" Ports:", node.num_ports, 2, upper);
    add(" SystemGUID:", node.info.system_image_guid().value, 16, lower);
    add(" NodeGUID:", node.guid.value, 16, lower);
    add(" PortGUID:", fabric_.ports[identity].guid.value, 16, lower);
    add(" VenID:", node.info.vendor_id(), is_peer ? 8 : 6, upper);
    const std::uint32_t device = node.info.device_id();
    add(" DevID:", is_peer ? device << 16 : device, 4, upper);
    add(" Rev:", node.info.revision(), 8, upper);
    out += " {";
    out += without_braces(fabric_.description(at));
    add("} LID:", lid_of_port_[identity].value, 4, upper);
  }

  const Fabric& fabric_;
  IndexVector<PortIndex, mad::Lid> lid_of_port_;
  std::array<TextBySwitch, 2> of_switch_;  // as the first end of a line, as the second one
  PortIndex next_{0};
};

}  // namespace

std::string subnet_lst(const Fabric& fabric, const LidMap& lids) {
  LinkLines lines(fabric, lids);
  std::string text;
  for (std::string part; lines.next(part); part.clear()) text += part;
  return text;
}

tl::expected<void, std::string> write_subnet_lst(const config::Options& options,
                                                 const Fabric& fabric, const LidMap& lids) {
  if (!options.enable_subnet_lst) return {};
  const std::filesystem::path path =
      std::filesystem::path(options.dump_files_dir) /
      options.subnet_lst_file;  // an absolute file name has precedence
  LinkLines lines(fabric, lids);
  return write_file_atomically(
      path, [&lines](std::string& part) { return lines.next(part); }, false);
}

}  // namespace sm
