#pragma once
#include "mad/attribute.h"

namespace mad {

/// The forward error correction in use on a link.
enum class FecMode : std::uint16_t { none = 0, fire_code = 1, rs = 2, low_latency_rs = 3 };

/// Holds the error correction settings of one port, if the port has capability2::kPortInfoExtended.
/// Source: IBTA Vol 1, 14.2.5 (PortInfoExtended).
class PortInfoExtended : public Attribute<PortInfoExtended, AttributeId::port_info_extended> {
 public:
  static constexpr std::array kFields{
      Field{0, 32, "CapabilityMask"},        Field{32, 16, "FECModeActive"},
      Field{48, 16, "FDRFECModeSupported"},  Field{64, 16, "FDRFECModeEnabled"},
      Field{80, 16, "EDRFECModeSupported"},  Field{96, 16, "EDRFECModeEnabled"},
      Field{112, 16, "HDRFECModeSupported"}, Field{128, 16, "HDRFECModeEnabled"},
      Field{144, 16, "NDRFECModeSupported"}, Field{160, 16, "NDRFECModeEnabled"},
  };
  /// This bit of capability_mask means that the FEC fields are valid.
  static constexpr std::uint32_t kFecModes = 1u << 0;
  static constexpr std::uint32_t modifier(PortNum port) { return port.value; }
  using WireRecord::WireRecord;

  constexpr std::uint32_t capability_mask() const { return get<std::uint32_t, "CapabilityMask">(); }
  constexpr void set_capability_mask(std::uint32_t value) { set<"CapabilityMask">(value); }
  constexpr FecMode fec_mode_active() const { return get<FecMode, "FECModeActive">(); }
  constexpr void set_fec_mode_active(FecMode value) { set<"FECModeActive">(value); }
  constexpr std::uint16_t fdr_fec_mode_supported() const {
    return get<std::uint16_t, "FDRFECModeSupported">();
  }
  constexpr void set_fdr_fec_mode_supported(std::uint16_t value) {
    set<"FDRFECModeSupported">(value);
  }
  constexpr std::uint16_t fdr_fec_mode_enabled() const {
    return get<std::uint16_t, "FDRFECModeEnabled">();
  }
  constexpr void set_fdr_fec_mode_enabled(std::uint16_t value) { set<"FDRFECModeEnabled">(value); }
  constexpr std::uint16_t edr_fec_mode_supported() const {
    return get<std::uint16_t, "EDRFECModeSupported">();
  }
  constexpr void set_edr_fec_mode_supported(std::uint16_t value) {
    set<"EDRFECModeSupported">(value);
  }
  constexpr std::uint16_t edr_fec_mode_enabled() const {
    return get<std::uint16_t, "EDRFECModeEnabled">();
  }
  constexpr void set_edr_fec_mode_enabled(std::uint16_t value) { set<"EDRFECModeEnabled">(value); }
  constexpr std::uint16_t hdr_fec_mode_supported() const {
    return get<std::uint16_t, "HDRFECModeSupported">();
  }
  constexpr void set_hdr_fec_mode_supported(std::uint16_t value) {
    set<"HDRFECModeSupported">(value);
  }
  constexpr std::uint16_t hdr_fec_mode_enabled() const {
    return get<std::uint16_t, "HDRFECModeEnabled">();
  }
  constexpr void set_hdr_fec_mode_enabled(std::uint16_t value) { set<"HDRFECModeEnabled">(value); }
  constexpr std::uint16_t ndr_fec_mode_supported() const {
    return get<std::uint16_t, "NDRFECModeSupported">();
  }
  constexpr void set_ndr_fec_mode_supported(std::uint16_t value) {
    set<"NDRFECModeSupported">(value);
  }
  constexpr std::uint16_t ndr_fec_mode_enabled() const {
    return get<std::uint16_t, "NDRFECModeEnabled">();
  }
  constexpr void set_ndr_fec_mode_enabled(std::uint16_t value) { set<"NDRFECModeEnabled">(value); }
};

}  // namespace mad
