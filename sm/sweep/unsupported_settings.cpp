#include "sm/sweep/unsupported_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "mad/format.h"
#include "sm/store/atomic_file.h"

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
constexpr std::size_t kBytesMax = 1 << 20;
constexpr std::array<std::string_view, 4> kKinds{"ca", "router", "switch0", "switch"};

bool has(const PortInfoMask& mask, const mad::Field& field) { return mad::read(mask, field) != 0; }

std::optional<std::uint32_t> parse_hex_word(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

UnsupportedSettings::Model UnsupportedSettings::model_of(const Fabric& fabric, PortIndex port) {
  const Node& node = fabric.node_of(port);
  const std::string_view kind = node.is_switch()
                                    ? (fabric.ports[port].number.value == 0 ? kKinds[2] : kKinds[3])
                                : node.type == mad::NodeType::router ? kKinds[1]
                                                                     : kKinds[0];
  return {.vendor_id = node.info.vendor_id(), .device_id = node.info.device_id(), .kind = kind};
}

PortInfoMask UnsupportedSettings::mask_for(const Fabric& fabric, PortIndex port) const {
  if (refused_.empty()) return {};
  const auto found = refused_.find(model_of(fabric, port));
  return found == refused_.end() ? PortInfoMask{} : found->second;
}

UnsupportedSettings::Response UnsupportedSettings::learn(const Fabric& fabric, PortIndex port,
                                                         const mad::PortInfo& before,
                                                         const mad::PortInfo& asked,
                                                         const mad::PortInfo& answered) {
  Response response;
  PortInfoMask refused = unsupported_fields(asked, answered);
  const PortInfoMask known = mask_for(fabric, port);
  PortInfoMask now = known;
  for (const mad::Field& field : kLearnable) {
    const bool was_asked = mad::read(before.bytes(), field) != mad::read(asked.bytes(), field);
    if (has(refused, field) && !has(known, field)) {
      mad::write(now, field, ~std::uint64_t{0});
      response.newly_unsupported.push_back(field.name);
    } else if (was_asked && !has(refused, field) && has(known, field)) {
      mad::write(now, field, 0);  // it does take it, after all
    }
    mad::write(refused, field, 0);
  }
  response.others_not_taken = refused != PortInfoMask{};
  if (now != known) {
    refused_[model_of(fabric, port)] = now;
    changed_ = true;
  }
  return response;
}

bool UnsupportedSettings::take_changed() { return std::exchange(changed_, false); }

std::string UnsupportedSettings::to_text() const {
  std::string text =
      "# PortInfo fields that devices acknowledge and do not take: VendorID DeviceID kind fields. "
      "May be deleted; Heddle learns it again.\n";
  for (const auto& [model, mask] : refused_) {
    if (mask == PortInfoMask{}) continue;
    text += fmt::format("{:#08x} {:#06x} {}", model.vendor_id, model.device_id, model.kind);
    for (const mad::Field& field : kLearnable) {
      if (has(mask, field)) text += fmt::format(" {}", field.name);
    }
    text += '\n';
  }
  return text;
}

tl::expected<UnsupportedSettings, std::string> UnsupportedSettings::from_text(
    std::string_view text) {
  UnsupportedSettings result;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto wrong = [&](std::string_view what) {
      return tl::unexpected(fmt::format("{}:{}: {}", kFile, number, what));
    };
    line.resize(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    std::string vendor, device, kind;
    if (!(words >> vendor)) continue;
    words >> device >> kind;
    const auto vendor_id = parse_hex_word(vendor), device_id = parse_hex_word(device);
    if (!vendor_id || !device_id || *device_id > 0xFFFF)
      return wrong("VendorID and DeviceID must be hexadecimal, as in 0x0002c9 0x1017");
    const auto* known_kind = std::ranges::find(kKinds, kind);
    if (known_kind == kKinds.end()) return wrong("the kind is one of ca, router, switch0, switch");
    PortInfoMask mask{};
    for (std::string name; words >> name;) {
      const auto* field = std::ranges::find(kLearnable, name, &mad::Field::name);
      if (field == kLearnable.end())
        return wrong("a field that is not known, or that is never given up");
      mad::write(mask, *field, ~std::uint64_t{0});
    }
    result.refused_[{.vendor_id = *vendor_id,
                     .device_id = static_cast<std::uint16_t>(*device_id),
                     .kind = *known_kind}] = mask;
  }
  return result;
}

tl::expected<UnsupportedSettings, std::string> UnsupportedSettings::load(
    const std::filesystem::path& folder) {
  const auto text = read_file(folder / kFile, kBytesMax);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return UnsupportedSettings();
  return from_text(**text);
}

}  // namespace sm
