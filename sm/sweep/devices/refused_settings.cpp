// Learns unsupported fields of PortInfo, and reads and writes their file.

#include <algorithm>
#include <array>
#include <sstream>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"
#include "sm/store/file_version.h"
#include "sm/sweep/devices/refusals.h"

namespace sm {
namespace {

constexpr std::array kLearnable{mad::PortInfo::field<"M_KeyLeasePeriod">(),
                                mad::PortInfo::field<"LinkWidthEnabled">(),
                                mad::PortInfo::field<"LinkSpeedEnabled">(),
                                mad::PortInfo::field<"LinkSpeedExtEnabled">(),
                                mad::PortInfo::field<"VLHighLimit">(),
                                mad::PortInfo::field<"VLStallCount">(),
                                mad::PortInfo::field<"HOQLife">(),
                                mad::PortInfo::field<"SubnetTimeOut">(),
                                mad::PortInfo::field<"LocalPhyErrors">(),
                                mad::PortInfo::field<"OverrunErrors">(),
                                mad::PortInfo::field<"LinkDownDefaultState">()};
/// Two lines with every field for each of 65,536 nodes. On ibsim all nodes are in the file.
constexpr std::size_t kBytesMax = std::size_t{32} << 20;
constexpr std::string_view kFormat = "# heddle-refused-settings";
constexpr FileVersion kVersion{.number = 1, .revision = 0};
constexpr std::string_view kPort0 = "port0", kPorts = "ports";

bool has(const PortInfoMask& mask, const mad::Field& field) { return mad::read(mask, field) != 0; }

Refusals::Subject kind_subject(mad::Guid node, bool is_port_0) {
  return {.node = node,
          .port = {},
          .attribute = mad::AttributeId::port_info,
          .item = is_port_0 ? 1U : 0U};
}

Refusals::Subject ports_like(const Fabric& fabric, PortIndex port) {
  const Node& node = fabric.owning_node(port);
  return kind_subject(node.guid, node.is_switch() && fabric.ports[port].number.value == 0);
}

}  // namespace

PortInfoMask Refusals::unsupported(const Fabric& fabric, PortIndex port) const {
  if (unsupported_.empty()) return {};
  const auto found = unsupported_.find(ports_like(fabric, port));
  return found == unsupported_.end() ? PortInfoMask{} : found->second;
}

std::vector<std::string_view> Refusals::learn(const Fabric& fabric, PortIndex port,
                                              const mad::PortInfo& before,
                                              const mad::PortInfo& asked,
                                              const mad::PortInfo& answered) {
  std::vector<std::string_view> newly_unsupported;
  const PortInfoMask refused = unsupported_fields(asked, answered);
  const PortInfoMask known = unsupported(fabric, port);
  PortInfoMask now = known;
  for (const mad::Field& field : kLearnable) {
    const bool was_asked = mad::read(before.bytes(), field) != mad::read(asked.bytes(), field);
    if (has(refused, field) && !has(known, field)) {
      mad::write(now, field, ~std::uint64_t{0});
      newly_unsupported.push_back(field.name);
    } else if (was_asked && !has(refused, field) && has(known, field)) {
      mad::write(now, field, 0);  // it does take it, after all
    }
  }
  if (now != known) {
    if (now == PortInfoMask{}) {
      unsupported_.erase(ports_like(fabric, port));
    } else {
      unsupported_[ports_like(fabric, port)] = now;
    }
    changed_ = true;
  }
  return newly_unsupported;
}

std::string Refusals::to_text() const {
  std::string text = fmt::format(
      "{} {}: PortInfo fields that devices acknowledge and do not take: NodeGUID kind fields. May "
      "be deleted; Heddle learns it again.\n",
      kFormat, kVersion.text());
  for (const auto& [ports, mask] : unsupported_) {
    text += fmt::format("{} {}", ports.node, ports.item == 1 ? kPort0 : kPorts);
    for (const mad::Field& field : kLearnable) {
      if (has(mask, field)) text += fmt::format(" {}", field.name);
    }
    text += '\n';
  }
  return text;
}

tl::expected<void, std::string> Refusals::read(std::string_view text) {
  std::map<Subject, PortInfoMask> result;
  const FileVersion version = file_version_after(kFormat, text).value_or(kVersion);
  if (version.number != kVersion.number)
    return tl::unexpected(fmt::format("{}:1: version {} is not known; {} is", kFile, version.text(),
                                      kVersion.text()));
  const bool newer = version > kVersion;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto wrong = [&](std::string_view what) {
      return tl::unexpected(fmt::format("{}:{}: {}", kFile, number, what));
    };
    line.resize(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    std::string guid, kind;
    if (!(words >> guid)) continue;
    words >> kind;
    const auto node = mad::parse_guid(guid);
    if (!node) return wrong("the NodeGUID must be hexadecimal, as in 0x0002c90300a1b2c0");
    if (kind != kPort0 && kind != kPorts) {
      if (newer) continue;
      return wrong("the kind is one of port0, ports");
    }
    PortInfoMask mask{};
    for (std::string name; words >> name;) {
      const auto* field = std::ranges::find(kLearnable, name, &mad::Field::name);
      if (field == kLearnable.end() && newer) continue;
      if (field == kLearnable.end())
        return wrong("a field that is not known, or that is never recorded");
      mad::write(mask, *field, ~std::uint64_t{0});
    }
    if (mask != PortInfoMask{}) result[kind_subject(*node, kind == kPort0)] = mask;
  }
  unsupported_ = std::move(result);
  return {};
}

tl::expected<void, std::string> Refusals::load(const std::filesystem::path& folder) {
  const auto text = read_file(folder / kFile, kBytesMax);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return {};
  return read(**text);
}

}  // namespace sm
