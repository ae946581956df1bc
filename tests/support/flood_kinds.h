#pragma once
// MADs that hosts send without pause: a kind each, and mixtures.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "fabric/topology/random_source.h"
#include "mad/attributes/all.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/service_record.h"
#include "mad/rmpp.h"
#include "mad/sa_attribute.h"
#include "mad/smp.h"
#include "mad/smp_client.h"
#include "mad/transport.h"

namespace floods {

using Mad = mad::MadBytes;
inline std::uint64_t bits(std::initializer_list<unsigned> numbers) {
  std::uint64_t mask = 0;
  for (const unsigned number : numbers) mask |= std::uint64_t{1} << number;
  return mask;
}
inline mad::SaView sa(Mad& bytes) {
  return mad::SaView{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
}
inline mad::RmppType find_type(topology::Random& dice) {
  return static_cast<mad::RmppType>(1 + dice.below(4));
}

inline void fill(std::span<std::uint8_t> bytes, topology::Random& dice) {
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
}

inline Mad any_sa(topology::Random& dice, mad::Method method, mad::SaAttributeId attribute) {
  Mad bytes{};
  mad::SaView mad = sa(bytes);
  mad.set_base_version(mad::kBaseVersion);
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_class_version(2);
  mad.set_method(method);
  mad.set_transaction_id(dice.next());
  mad.set_attribute_id(static_cast<mad::AttributeId>(attribute));
  return bytes;
}
inline Mad any_smp(topology::Random& dice, mad::Method method, mad::AttributeId attribute,
                   std::uint32_t modifier) {
  Mad bytes{};
  mad::SmpData data;
  fill(data, dice);
  mad::make_lid_smp(bytes, method, attribute, modifier, {}, dice.next()).set_data(data);
  return bytes;
}
template <class Record>
Mad with(Mad bytes, const Record& record, std::uint64_t mask) {
  std::ranges::copy(record.bytes(), sa(bytes).data().begin());
  sa(bytes).set_component_mask(mask);
  return bytes;
}

using Make = Mad (*)(topology::Random& dice, mad::Gid own);
struct Kind {
  const char* name;
  Make make;
};

inline constexpr std::array kKinds{
    Kind{"GetSmInfo",
         [](topology::Random& dice, mad::Gid) {
           return any_smp(dice, mad::Method::get, mad::AttributeId::sm_info, 0);
         }},
    Kind{"SetSmInfo",
         [](topology::Random& dice, mad::Gid) {
           return any_smp(dice, mad::Method::set, mad::AttributeId::sm_info, dice.below(7u));
         }},
    Kind{"Traps",
         [](topology::Random& dice, mad::Gid) {
           return any_smp(dice, mad::Method::trap, mad::AttributeId::notice, 0);
         }},
    Kind{"SmpResponses",
         [](topology::Random& dice, mad::Gid) {
           return any_smp(dice, mad::Method::get_resp, mad::AttributeId::port_info, dice.below(9u));
         }},
    Kind{"AnySmp",
         [](topology::Random& dice, mad::Gid) {
           return any_smp(dice, static_cast<mad::Method>(dice.below(256u)),
                          static_cast<mad::AttributeId>(dice.below(0x40u)), dice.below(5u));
         }},
    Kind{"Joins",
         [](topology::Random& dice, mad::Gid own) {
           using M = mad::McMemberRecord;
           mad::McMemberRecord record;
           record.set_mgid({0xff12401bffff0000, mad::Guid{dice.next()}});
           record.set_port_gid(own);
           record.set_join_state(static_cast<std::uint8_t>(dice.below(8u)));
           record.set_p_key(mad::kDefaultPKeyFull);
           return with(any_sa(dice, dice.percent(70) ? mad::Method::set : mad::Method::delete_,
                              mad::SaAttributeId::mc_member_record),
                       record,
                       bits({M::kMgid, M::kPortGid, M::kJoinState, M::kPKey, M::kQKey, M::kTClass,
                             M::kFlowLabel, M::kSl}));
         }},
    Kind{"Services",
         [](topology::Random& dice, mad::Gid own) {
           mad::ServiceRecord record;
           record.set_service_id(dice.next());
           record.set_service_gid(own);
           return with(any_sa(dice, mad::Method::set, mad::SaAttributeId::service_record), record,
                       3);
         }},
    Kind{"Subscriptions",
         [](topology::Random& dice, mad::Gid) {
           mad::InformInfo record;
           record.set_lid_range_begin(mad::Lid{static_cast<std::uint16_t>(dice.next())});
           record.set_is_generic(1);
           record.set_type(0xFFFF);
           record.set_trap_number(static_cast<std::uint16_t>(dice.next()));
           record.set_subscribe(dice.percent(80));
           return with(any_sa(dice, mad::Method::set, mad::SaAttributeId::inform_info), record, 0);
         }},
    Kind{"AllPaths",
         [](topology::Random& dice, mad::Gid) {
           return any_sa(dice, mad::Method::get_table, mad::SaAttributeId::path_record);
         }},
    Kind{"UnfinishedRequests",
         [](topology::Random& dice, mad::Gid) {
           Mad bytes = any_sa(dice, mad::Method::get_multi, mad::SaAttributeId::multi_path_record);
           sa(bytes).set_rmpp_version(mad::kRmppVersion);
           sa(bytes).set_rmpp_type(mad::RmppType::data);
           sa(bytes).set_rmpp_flags(mad::rmpp_flag::kActive | mad::rmpp_flag::kFirst);
           sa(bytes).set_segment_number(1);
           sa(bytes).set_payload_length(dice.below(100'000u));
           return bytes;
         }},
    Kind{"Acknowledgements",
         [](topology::Random& dice, mad::Gid) {
           Mad bytes = any_sa(dice, mad::Method::get_table_resp, mad::SaAttributeId::path_record);
           sa(bytes).set_rmpp_version(mad::kRmppVersion);
           sa(bytes).set_rmpp_type(find_type(dice));
           sa(bytes).set_rmpp_flags(mad::rmpp_flag::kActive);
           sa(bytes).set_segment_number(dice.below(50u));
           sa(bytes).set_new_window_last(static_cast<std::uint32_t>(dice.next()));
           return bytes;
         }},
    Kind{"ReportResponses",
         [](topology::Random& dice, mad::Gid) {
           return any_sa(dice, mad::Method::report_resp, mad::SaAttributeId::notice);
         }},
    Kind{"AnySa",
         [](topology::Random& dice, mad::Gid) {
           Mad bytes = any_sa(dice, static_cast<mad::Method>(dice.below(0x20u)),
                              static_cast<mad::SaAttributeId>(dice.below(0x40u)));
           if (dice.percent(30)) sa(bytes).set_sm_key(dice.below(3u));
           sa(bytes).set_component_mask(dice.next() & dice.next());
           fill(sa(bytes).data(), dice);
           return bytes;
         }},
};

/// One MAD of a kind that is drawn.
inline Mad any_kind(topology::Random& dice, mad::Gid own) {
  return kKinds[dice.below(kKinds.size())].make(dice, own);
}

/// Few groups, each created and deleted in turn.
inline Mad toggle_group(topology::Random& dice, mad::Gid own) {
  using M = mad::McMemberRecord;
  mad::McMemberRecord record;
  record.set_mgid({0xff12401bffff0000, mad::Guid{0x100u + dice.below(64u)}});
  record.set_port_gid(own);
  record.set_join_state(1);
  record.set_p_key(mad::kDefaultPKeyFull);
  return with(any_sa(dice, dice.percent(50) ? mad::Method::set : mad::Method::delete_,
                     mad::SaAttributeId::mc_member_record),
              record,
              bits({M::kMgid, M::kPortGid, M::kJoinState, M::kPKey, M::kQKey, M::kTClass,
                    M::kFlowLabel, M::kSl}));
}

}  // namespace floods
