#pragma once
#include <optional>

#include "mad/attribute.h"

namespace mad {

enum class NoticeType : std::uint8_t {
  fatal = 0,
  urgent = 1,
  security = 2,
  subnet_management = 3,
  informational = 4,
  empty = 0x7F
};
enum class ProducerType : std::uint32_t {
  ca = 1,
  switch_ = 2,
  router = 3,
  class_manager = 4
};  // else: an OUI, where is_generic is false
enum class TrapNumber : std::uint16_t {
  gid_in_service = 64,
  gid_out_of_service = 65,
  multicast_group_created = 66,
  multicast_group_deleted = 67,
  link_state_change = 128,
  local_link_integrity = 129,
  excessive_buffer_overrun = 130,
  flow_control_watchdog = 131,
  local_change = 144,
  system_image_guid_change = 145,
  bad_m_key = 256,
  bad_p_key = 257,
  bad_q_key = 258,
  switch_bad_p_key = 259,
};

/// Header of all notices, and the common base of the views of each trap's details.
/// Source: IBTA Vol 1, 13.4.8.2 and 14.2.5.1.
template <class Self>
class NoticeBase
    : public Attribute<Self,
                       AttributeId::notice> {  // NOLINT(bugprone-crtp-constructor-accessibility):
                                               // see Attribute
 public:
  static constexpr std::array kHeaderFields{
      Field{0, 1, "IsGeneric"},     Field{1, 7, "Type"},        Field{8, 24, "ProducerType"},
      Field{32, 16, "TrapNumber"},  Field{48, 16, "IssuerLID"}, Field{64, 1, "NoticeToggle"},
      Field{65, 15, "NoticeCount"},
  };
  using Base = Attribute<Self, AttributeId::notice>;
  using Base::Base;

  constexpr bool is_generic() const { return this->template get<bool, "IsGeneric">(); }
  constexpr void set_is_generic(bool value) { this->template set<"IsGeneric">(value); }
  constexpr NoticeType type() const { return this->template get<NoticeType, "Type">(); }
  constexpr void set_type(NoticeType value) { this->template set<"Type">(value); }
  constexpr ProducerType producer_type() const {
    return this->template get<ProducerType, "ProducerType">();
  }
  constexpr void set_producer_type(ProducerType value) {
    this->template set<"ProducerType">(value);
  }
  constexpr TrapNumber trap_number() const {
    return this->template get<TrapNumber, "TrapNumber">();
  }
  constexpr void set_trap_number(TrapNumber value) { this->template set<"TrapNumber">(value); }
  constexpr Lid issuer_lid() const { return this->template get<Lid, "IssuerLID">(); }
  constexpr void set_issuer_lid(Lid value) { this->template set<"IssuerLID">(value); }
  constexpr bool notice_toggle() const { return this->template get<bool, "NoticeToggle">(); }
  constexpr void set_notice_toggle(bool value) { this->template set<"NoticeToggle">(value); }
  constexpr std::uint16_t notice_count() const {
    return this->template get<std::uint16_t, "NoticeCount">();
  }
  constexpr void set_notice_count(std::uint16_t value) { this->template set<"NoticeCount">(value); }
};

/// The data of a trap, or an entry of a notice queue. as<>() gives access to the details.
class Notice : public NoticeBase<Notice> {
 public:
  static constexpr auto kFields = joined(kHeaderFields, repeated<54>(80, 8, "DataDetails"));
  using NoticeBase::NoticeBase;

  /// Returns the notice as class T, or nullopt if it is of another trap or not generic.
  template <class T>
  constexpr std::optional<T> as() const {
    if (!is_generic() ||
        std::find(T::kTraps.begin(), T::kTraps.end(), trap_number()) == T::kTraps.end())
      return std::nullopt;
    return T(bytes());
  }
  /// Returns the generic view of a specific notice, the reverse of as<>().
  template <class T>
  static constexpr Notice of(const T& notice) {
    return Notice(notice.bytes());
  }
};

/// Traps 64..67: an end port appeared or disappeared, a multicast group was created or deleted.
/// Only the SM reports them, to subscribers.
class GidNotice : public NoticeBase<GidNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::gid_in_service, TrapNumber::gid_out_of_service,
                                     TrapNumber::multicast_group_created,
                                     TrapNumber::multicast_group_deleted};
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{128, 64, "GID.prefix"},
                                                            Field{192, 64, "GID.guid"},
                                                        });
  using NoticeBase::NoticeBase;

  constexpr Gid gid() const {
    return {get<std::uint64_t, "GID.prefix">(), get<Guid, "GID.guid">()};
  }
  constexpr void set_gid(Gid value) {
    set<"GID.prefix">(value.prefix);
    set<"GID.guid">(value.guid);
  }
};

/// Trap 128: the state of some port of the switch `lid` changed; SwitchInfo::port_state_change() is
/// set with it.
class LinkStateNotice : public NoticeBase<LinkStateNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::link_state_change};
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{80, 16, "LID"},
                                                        });
  using NoticeBase::NoticeBase;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
};

/// Traps 129..131: the node `lid` reports link integrity, buffer overrun or flow control errors at
/// `port`.
class LinkErrorNotice : public NoticeBase<LinkErrorNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::local_link_integrity,
                                     TrapNumber::excessive_buffer_overrun,
                                     TrapNumber::flow_control_watchdog};
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{96, 16, "LID"},
                                                            Field{112, 8, "PortNo"},
                                                        });
  using NoticeBase::NoticeBase;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr PortNum port() const { return get<PortNum, "PortNo">(); }
  constexpr void set_port(PortNum value) { set<"PortNo">(value); }
};

/// Trap 144: capabilities of the port `lid` changed, or, with other_local_changes, the items of
/// change_flags.
class LocalChangeNotice : public NoticeBase<LocalChangeNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::local_change};
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{96, 16, "LID"},
                                                            Field{127, 1, "OtherLocalChanges"},
                                                            Field{128, 32, "CapabilityMask"},
                                                            Field{160, 16, "ChangeFlags"},
                                                            Field{176, 16, "CapabilityMask2"},
                                                        });
  /// Bits of change_flags.
  static constexpr std::uint16_t kNodeDescription = 0x0001, kLinkWidthEnabled = 0x0002,
                                 kLinkSpeedEnabled = 0x0004, kSmPriority = 0x0008,
                                 kHierarchyInfo = 0x0010, kLinkSpeedExtEnabled = 0x0020;
  using NoticeBase::NoticeBase;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr bool other_local_changes() const { return get<bool, "OtherLocalChanges">(); }
  constexpr void set_other_local_changes(bool value) { set<"OtherLocalChanges">(value); }
  constexpr std::uint32_t capability_mask() const { return get<std::uint32_t, "CapabilityMask">(); }
  constexpr void set_capability_mask(std::uint32_t value) { set<"CapabilityMask">(value); }
  constexpr std::uint16_t change_flags() const { return get<std::uint16_t, "ChangeFlags">(); }
  constexpr void set_change_flags(std::uint16_t value) { set<"ChangeFlags">(value); }
  constexpr std::uint16_t capability_mask2() const {
    return get<std::uint16_t, "CapabilityMask2">();
  }
  constexpr void set_capability_mask2(std::uint16_t value) { set<"CapabilityMask2">(value); }
};

/// Trap 145: the node of port `lid` has a new SystemImageGUID.
class SystemImageGuidNotice : public NoticeBase<SystemImageGuidNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::system_image_guid_change};
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{96, 16, "LID"},
                                                            Field{128, 64, "SystemImageGUID"},
                                                        });
  using NoticeBase::NoticeBase;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr Guid system_image_guid() const { return get<Guid, "SystemImageGUID">(); }
  constexpr void set_system_image_guid(Guid value) { set<"SystemImageGUID">(value); }
};

/// Trap 256: a port received an SMP with a wrong M_Key. With dr_notice the SMP came by directed
/// route, from dr_slid over return_path().
class BadMKeyNotice : public NoticeBase<BadMKeyNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::bad_m_key};
  static constexpr unsigned kReturnPathBytes = 30;
  static constexpr auto kFields = joined(kHeaderFields,
                                         std::array{
                                             Field{96, 16, "LID"},
                                             Field{112, 16, "DRSLID"},
                                             Field{128, 8, "Method"},
                                             Field{144, 16, "AttributeID"},
                                             Field{160, 32, "AttributeModifier"},
                                             Field{192, 64, "M_Key"},
                                             Field{264, 1, "DRNotice"},
                                             Field{265, 1, "DRPathTruncated"},
                                             Field{266, 6, "DRHopCount"},
                                         },
                                         repeated<kReturnPathBytes>(272, 8, "DRReturnPath"));
  using NoticeBase::NoticeBase;

  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr Lid dr_slid() const { return get<Lid, "DRSLID">(); }
  constexpr void set_dr_slid(Lid value) { set<"DRSLID">(value); }
  constexpr Method method() const { return get<Method, "Method">(); }
  constexpr void set_method(Method value) { set<"Method">(value); }
  constexpr AttributeId attribute_id() const { return get<AttributeId, "AttributeID">(); }
  constexpr void set_attribute_id(AttributeId value) { set<"AttributeID">(value); }
  constexpr std::uint32_t attribute_modifier() const {
    return get<std::uint32_t, "AttributeModifier">();
  }
  constexpr void set_attribute_modifier(std::uint32_t value) { set<"AttributeModifier">(value); }
  constexpr MKey m_key() const { return get<MKey, "M_Key">(); }
  constexpr void set_m_key(MKey value) { set<"M_Key">(value); }
  constexpr bool dr_notice() const { return get<bool, "DRNotice">(); }
  constexpr void set_dr_notice(bool value) { set<"DRNotice">(value); }
  constexpr void set_dr_path_truncated(bool value) { set<"DRPathTruncated">(value); }
  constexpr std::uint8_t dr_hop_count() const { return get<std::uint8_t, "DRHopCount">(); }
  constexpr void set_dr_hop_count(std::uint8_t value) { set<"DRHopCount">(value); }
  /// The ports of the return path; dr_hop_count() of them are valid, and it may be larger than 30
  /// (then DRPathTruncated is set).
  constexpr std::span<const std::uint8_t, kReturnPathBytes> return_path() const {
    return this->bytes().template subspan<34>();
  }
};

/// Traps 257 and 258: a packet with a bad P_Key or Q_Key went from lid1 to lid2. A P_Key is in the
/// low 16 bits of `key`.
class BadKeyNotice : public NoticeBase<BadKeyNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::bad_p_key, TrapNumber::bad_q_key};
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{96, 16, "LID1"},
                                                            Field{112, 16, "LID2"},
                                                            Field{128, 32, "Key"},
                                                            Field{160, 4, "SL"},
                                                            Field{168, 24, "QP1"},
                                                            Field{200, 24, "QP2"},
                                                            Field{224, 64, "GID1.prefix"},
                                                            Field{288, 64, "GID1.guid"},
                                                            Field{352, 64, "GID2.prefix"},
                                                            Field{416, 64, "GID2.guid"},
                                                        });
  using NoticeBase::NoticeBase;

  constexpr Lid lid1() const { return get<Lid, "LID1">(); }
  constexpr void set_lid1(Lid value) { set<"LID1">(value); }
  constexpr Lid lid2() const { return get<Lid, "LID2">(); }
  constexpr void set_lid2(Lid value) { set<"LID2">(value); }
  constexpr std::uint32_t key() const { return get<std::uint32_t, "Key">(); }
  constexpr void set_key(std::uint32_t value) { set<"Key">(value); }
  constexpr Sl sl() const { return get<Sl, "SL">(); }
  constexpr void set_sl(Sl value) { set<"SL">(value); }
  constexpr std::uint32_t qp1() const { return get<std::uint32_t, "QP1">(); }
  constexpr void set_qp1(std::uint32_t value) { set<"QP1">(value); }
  constexpr void set_qp2(std::uint32_t value) { set<"QP2">(value); }
  constexpr void set_gid1(Gid value) {
    set<"GID1.prefix">(value.prefix);
    set<"GID1.guid">(value.guid);
  }
  constexpr Gid gid2() const {
    return {get<std::uint64_t, "GID2.prefix">(), get<Guid, "GID2.guid">()};
  }
  constexpr void set_gid2(Gid value) {
    set<"GID2.prefix">(value.prefix);
    set<"GID2.guid">(value.guid);
  }
};

/// Trap 259: a switch port dropped a packet for its P_Key. The bits of DataValid mark the fields
/// that the switch set.
class SwitchBadPKeyNotice : public NoticeBase<SwitchBadPKeyNotice> {
 public:
  static constexpr std::array kTraps{TrapNumber::switch_bad_p_key};
  static constexpr auto kFields = joined(kHeaderFields, std::array{
                                                            Field{80, 16, "DataValid"},
                                                            Field{96, 16, "LID1"},
                                                            Field{112, 16, "LID2"},
                                                            Field{128, 16, "P_Key"},
                                                            Field{144, 4, "SL"},
                                                            Field{152, 24, "QP1"},
                                                            Field{184, 24, "QP2"},
                                                            Field{208, 64, "GID1.prefix"},
                                                            Field{272, 64, "GID1.guid"},
                                                            Field{336, 64, "GID2.prefix"},
                                                            Field{400, 64, "GID2.guid"},
                                                            Field{464, 16, "SWLIDADDR"},
                                                            Field{480, 8, "PortNo"},
                                                        });
  using NoticeBase::NoticeBase;

  constexpr void set_data_valid(std::uint16_t value) { set<"DataValid">(value); }
  constexpr Lid lid1() const { return get<Lid, "LID1">(); }
  constexpr void set_lid1(Lid value) { set<"LID1">(value); }
  constexpr Lid lid2() const { return get<Lid, "LID2">(); }
  constexpr void set_lid2(Lid value) { set<"LID2">(value); }
  constexpr PKey p_key() const { return get<PKey, "P_Key">(); }
  constexpr void set_p_key(PKey value) { set<"P_Key">(value); }
  constexpr Sl sl() const { return get<Sl, "SL">(); }
  constexpr void set_sl(Sl value) { set<"SL">(value); }
  constexpr std::uint32_t qp1() const { return get<std::uint32_t, "QP1">(); }
  constexpr void set_qp1(std::uint32_t value) { set<"QP1">(value); }
  constexpr void set_qp2(std::uint32_t value) { set<"QP2">(value); }
  constexpr void set_switch_lid(Lid value) { set<"SWLIDADDR">(value); }
  constexpr PortNum port() const { return get<PortNum, "PortNo">(); }
  constexpr void set_port(PortNum value) { set<"PortNo">(value); }
  constexpr void set_gid1(Gid value) {
    set<"GID1.prefix">(value.prefix);
    set<"GID1.guid">(value.guid);
  }
  constexpr Gid gid2() const {
    return {get<std::uint64_t, "GID2.prefix">(), get<Guid, "GID2.guid">()};
  }
  constexpr void set_gid2(Gid value) {
    set<"GID2.prefix">(value.prefix);
    set<"GID2.guid">(value.guid);
  }
};

}  // namespace mad
