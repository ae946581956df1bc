#pragma once
#include "mad/attribute.h"

namespace mad {

/// Further information about a node. Modifier 0.
/// Source: NVIDIA (id 0xFF91), no clause of the IBTA.
class ExtendedNodeInfo : public Attribute<ExtendedNodeInfo, AttributeId::extended_node_info> {
 public:
  static constexpr std::array kFields{
      Field{16, 8, "SL2VLAct"}, Field{24, 8, "SL2VLCap"},     Field{104, 8, "ALIDTop"},
      Field{112, 8, "ALIDCap"}, Field{120, 8, "ExtNodeType"}, Field{152, 8, "AsicMaxPlanes"},
  };
  using WireRecord::WireRecord;

  constexpr std::uint8_t sl2_vl_act() const { return get<std::uint8_t, "SL2VLAct">(); }
  constexpr void set_sl2_vl_act(std::uint8_t value) { set<"SL2VLAct">(value); }
  constexpr std::uint8_t sl2_vl_cap() const { return get<std::uint8_t, "SL2VLCap">(); }
  constexpr void set_sl2_vl_cap(std::uint8_t value) { set<"SL2VLCap">(value); }
  constexpr std::uint8_t alid_top() const { return get<std::uint8_t, "ALIDTop">(); }
  constexpr void set_alid_top(std::uint8_t value) { set<"ALIDTop">(value); }
  constexpr std::uint8_t alid_cap() const { return get<std::uint8_t, "ALIDCap">(); }
  constexpr void set_alid_cap(std::uint8_t value) { set<"ALIDCap">(value); }
  constexpr std::uint8_t ext_node_type() const { return get<std::uint8_t, "ExtNodeType">(); }
  constexpr void set_ext_node_type(std::uint8_t value) { set<"ExtNodeType">(value); }
  constexpr std::uint8_t asic_max_planes() const { return get<std::uint8_t, "AsicMaxPlanes">(); }
  constexpr void set_asic_max_planes(std::uint8_t value) { set<"AsicMaxPlanes">(value); }
};

/// Further information about a switch. Modifier 0.
/// Source: NVIDIA (id 0xFF92), no clause of the IBTA.
class ExtendedSwitchInfo : public Attribute<ExtendedSwitchInfo, AttributeId::extended_switch_info> {
 public:
  static constexpr std::array kFields{
      Field{26, 1, "ISSUApprove"}, Field{27, 1, "ISSURequest"},     Field{28, 1, "TurboPathCap"},
      Field{29, 3, "TurboPathEn"}, Field{48, 16, "ReqDelay"},       Field{64, 16, "SetTrigTh"},
      Field{80, 16, "RstTrigTh"},  Field{112, 16, "ReqTrigWindow"},
  };
  using WireRecord::WireRecord;

  constexpr bool issu_approve() const { return get<bool, "ISSUApprove">(); }
  constexpr void set_issu_approve(bool value) { set<"ISSUApprove">(value); }
  constexpr bool issu_request() const { return get<bool, "ISSURequest">(); }
  constexpr void set_issu_request(bool value) { set<"ISSURequest">(value); }
  constexpr bool turbo_path_cap() const { return get<bool, "TurboPathCap">(); }
  constexpr void set_turbo_path_cap(bool value) { set<"TurboPathCap">(value); }
  constexpr std::uint8_t turbo_path_en() const { return get<std::uint8_t, "TurboPathEn">(); }
  constexpr void set_turbo_path_en(std::uint8_t value) { set<"TurboPathEn">(value); }
  constexpr std::uint16_t req_delay() const { return get<std::uint16_t, "ReqDelay">(); }
  constexpr void set_req_delay(std::uint16_t value) { set<"ReqDelay">(value); }
  constexpr std::uint16_t set_trig_th() const { return get<std::uint16_t, "SetTrigTh">(); }
  constexpr void set_set_trig_th(std::uint16_t value) { set<"SetTrigTh">(value); }
  constexpr std::uint16_t rst_trig_th() const { return get<std::uint16_t, "RstTrigTh">(); }
  constexpr void set_rst_trig_th(std::uint16_t value) { set<"RstTrigTh">(value); }
  constexpr std::uint16_t req_trig_window() const { return get<std::uint16_t, "ReqTrigWindow">(); }
  constexpr void set_req_trig_window(std::uint16_t value) { set<"ReqTrigWindow">(value); }
};

}  // namespace mad
