#pragma once
#include "mad/sa_attribute.h"

namespace mad {

/// Membership of a port in a multicast group, and the group's parameters.
/// Units:  MTU, rate and packet life are codes of mad/path_units.h; their selectors are
/// mad::Selector. Source: IBTA Vol 1, 15.2.5.17.
class McMemberRecord : public SaRecord<McMemberRecord, SaAttributeId::mc_member_record, 52> {
 public:
  static constexpr std::array kFields{
      Field{0, 64, "MGID.prefix"},
      Field{64, 64, "MGID.guid"},
      Field{128, 64, "PortGID.prefix"},
      Field{192, 64, "PortGID.guid"},
      Field{256, 32, "Q_Key"},
      Field{288, 16, "MLID"},
      Field{304, 2, "MTUSelector"},
      Field{306, 6, "MTU"},
      Field{312, 8, "TClass"},
      Field{320, 16, "P_Key"},
      Field{336, 2, "RateSelector"},
      Field{338, 6, "Rate"},
      Field{344, 2, "PacketLifeTimeSelector"},
      Field{346, 6, "PacketLifeTime"},
      Field{352, 4, "SL"},
      Field{356, 20, "FlowLabel"},
      Field{376, 8, "HopLimit"},
      Field{384, 4, "Scope"},
      Field{388, 4, "JoinState"},
      Field{392, 1, "ProxyJoin"},
  };
  /// Bits of the component mask.
  enum Mask : unsigned {
    kMgid = 0,
    kPortGid = 1,
    kQKey = 2,
    kMlid = 3,
    kMtuSelector = 4,
    kMtu = 5,
    kTClass = 6,
    kPKey = 7,
    kRateSelector = 8,
    kRate = 9,
    kLifeSelector = 10,
    kLife = 11,
    kSl = 12,
    kFlowLabel = 13,
    kHopLimit = 14,
    kScope = 15,
    kJoinState = 16,
    kProxyJoin = 17,
  };
  using WireRecord::WireRecord;

  constexpr Gid mgid() const { return get_gid<"MGID.prefix", "MGID.guid">(); }
  constexpr void set_mgid(Gid value) { set_gid_at<"MGID.prefix", "MGID.guid">(value); }
  constexpr Gid port_gid() const { return get_gid<"PortGID.prefix", "PortGID.guid">(); }
  constexpr void set_port_gid(Gid value) { set_gid_at<"PortGID.prefix", "PortGID.guid">(value); }
  constexpr std::uint32_t q_key() const { return get<std::uint32_t, "Q_Key">(); }
  constexpr void set_q_key(std::uint32_t value) { set<"Q_Key">(value); }
  constexpr Mlid mlid() const { return get<Mlid, "MLID">(); }
  constexpr void set_mlid(Mlid value) { set<"MLID">(value); }
  constexpr std::uint8_t mtu_selector() const { return get<std::uint8_t, "MTUSelector">(); }
  constexpr void set_mtu_selector(std::uint8_t value) { set<"MTUSelector">(value); }
  constexpr std::uint8_t mtu() const { return get<std::uint8_t, "MTU">(); }
  constexpr void set_mtu(std::uint8_t value) { set<"MTU">(value); }
  constexpr std::uint8_t t_class() const { return get<std::uint8_t, "TClass">(); }
  constexpr void set_t_class(std::uint8_t value) { set<"TClass">(value); }
  constexpr PKey p_key() const { return get<PKey, "P_Key">(); }
  constexpr void set_p_key(PKey value) { set<"P_Key">(value); }
  constexpr std::uint8_t rate_selector() const { return get<std::uint8_t, "RateSelector">(); }
  constexpr void set_rate_selector(std::uint8_t value) { set<"RateSelector">(value); }
  constexpr std::uint8_t rate() const { return get<std::uint8_t, "Rate">(); }
  constexpr void set_rate(std::uint8_t value) { set<"Rate">(value); }
  constexpr std::uint8_t packet_life_selector() const {
    return get<std::uint8_t, "PacketLifeTimeSelector">();
  }
  constexpr void set_packet_life_selector(std::uint8_t value) {
    set<"PacketLifeTimeSelector">(value);
  }
  constexpr std::uint8_t packet_life() const { return get<std::uint8_t, "PacketLifeTime">(); }
  constexpr void set_packet_life(std::uint8_t value) { set<"PacketLifeTime">(value); }
  constexpr Sl sl() const { return get<Sl, "SL">(); }
  constexpr void set_sl(Sl value) { set<"SL">(value); }
  constexpr std::uint32_t flow_label() const { return get<std::uint32_t, "FlowLabel">(); }
  constexpr void set_flow_label(std::uint32_t value) { set<"FlowLabel">(value); }
  constexpr std::uint8_t hop_limit() const { return get<std::uint8_t, "HopLimit">(); }
  constexpr void set_hop_limit(std::uint8_t value) { set<"HopLimit">(value); }
  constexpr std::uint8_t scope() const { return get<std::uint8_t, "Scope">(); }
  constexpr void set_scope(std::uint8_t value) { set<"Scope">(value); }
  constexpr std::uint8_t join_state() const { return get<std::uint8_t, "JoinState">(); }
  constexpr void set_join_state(std::uint8_t value) { set<"JoinState">(value); }
  constexpr bool proxy_join() const { return get<bool, "ProxyJoin">(); }
  constexpr void set_proxy_join(bool value) { set<"ProxyJoin">(value); }
};

}  // namespace mad
