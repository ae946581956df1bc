#include "sm/sa/gate.h"

#include <gtest/gtest.h>

namespace gate_test {

sm::Subnet subnet_with_lid_5() {
  sm::Subnet subnet;
  subnet.lids.port_of_lid.assign(6, sm::kNoIndex);
  subnet.lids.port_of_lid[5] = 17;
  return subnet;
}

struct Asked {
  mad::ReceivedMad received;
  Asked() {
    received.size = mad::kMadBytes;
    received.from.lid = mad::Lid{5};
    received.from.qpn = 1;
    mad().set_base_version(1);
    mad().set_mgmt_class(mad::MgmtClass::sa);
    mad().set_class_version(2);
    mad().set_method(mad::Method::get_table);
    mad().set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::path_record));
    mad().set_component_mask(0x1234);
  }
  mad::SaView mad() { return mad::SaView{std::span<std::uint8_t, mad::kMadBytes>(received.bytes)}; }
  sa::Admission judged(const sm::Subnet* subnet) {
    return sa::admit(received, mad().data(), subnet, {});
  }
};

TEST(Gate, AProperRequestPasses) {
  const sm::Subnet subnet = subnet_with_lid_5();
  Asked asked;
  const sa::Admission admission = asked.judged(&subnet);
  EXPECT_EQ(admission.drop, sa::Drop::none);
  EXPECT_EQ(admission.status, 0);
  EXPECT_EQ(admission.query.method, mad::Method::get_table);
  EXPECT_EQ(admission.query.attribute, mad::SaAttributeId::path_record);
  EXPECT_EQ(admission.query.component_mask, 0x1234u);
  EXPECT_EQ(admission.query.from.port, 17u);
  EXPECT_FALSE(admission.query.from.trusted);
  EXPECT_EQ(admission.query.record.size(), 200u);
}

TEST(Gate, ReasonsToBeDropped) {
  const sm::Subnet subnet = subnet_with_lid_5();
  EXPECT_EQ(Asked().judged(nullptr).drop, sa::Drop::not_master);
  Asked key;
  key.mad().set_sm_key(0xBAD);
  EXPECT_EQ(key.judged(&subnet).drop, sa::Drop::bad_sm_key);
  Asked cut;
  cut.received.size = 255;
  EXPECT_EQ(cut.judged(&subnet).drop, sa::Drop::too_short);
  for (const mad::Method method :
       {mad::Method::get_resp, mad::Method::report_resp, mad::Method::trap, mad::Method::report,
        mad::Method::trap_repress, mad::Method::send}) {
    Asked other;
    other.mad().set_method(method);
    EXPECT_EQ(other.judged(&subnet).drop, sa::Drop::no_request) << static_cast<unsigned>(method);
  }
}

TEST(Gate, ReasonsToBeRefused) {
  const sm::Subnet subnet = subnet_with_lid_5();
  Asked version;
  version.mad().set_class_version(1);
  EXPECT_EQ(version.judged(&subnet).status, mad::status::kBadVersion);
  Asked base;
  base.mad().set_base_version(2);
  EXPECT_EQ(base.judged(&subnet).status, mad::status::kBadVersion);
  Asked method;
  method.mad().set_method(static_cast<mad::Method>(0x55));
  EXPECT_EQ(method.judged(&subnet).status, mad::status::kMethodUnsupported);
  for (const unsigned lid : {0u, 4u, 6u, 0xBFFFu, 0xC000u, 0xFFFFu}) {
    Asked stranger;
    stranger.received.from.lid = mad::Lid{static_cast<std::uint16_t>(lid)};
    EXPECT_EQ(stranger.judged(&subnet).status, mad::sa_status::kReqInvalid) << lid;
  }
}

TEST(Gate, TheRightKeyIsTrusted) {
  const sm::Subnet subnet = subnet_with_lid_5();
  Asked asked;
  asked.mad().set_sm_key(config::Options{}.sa_key);
  EXPECT_TRUE(asked.judged(&subnet).query.from.trusted);
}

TEST(Gate, AnswersGoBackTheSameWay) {
  mad::MadAddress from{.lid = mad::Lid{5}, .qpn = 9, .qkey = 1, .sl = mad::Sl{3}, .pkey_index = 2};
  from.grh = mad::GlobalRoute{.peer = {1, mad::Guid{2}},
                              .own_gid_index = 1,
                              .hop_limit = 1,
                              .traffic_class = 4,
                              .flow_label = 5};
  const mad::MadAddress to = sa::answer_to(from);
  EXPECT_EQ(to.lid, from.lid);
  EXPECT_EQ(to.qpn, 9u);
  EXPECT_EQ(to.qkey, 0x80010000u);
  EXPECT_EQ(to.sl, from.sl);
  EXPECT_EQ(to.pkey_index, 2);
  ASSERT_TRUE(to.grh);
  EXPECT_EQ(to.grh->peer, from.grh->peer);
  EXPECT_EQ(to.grh->hop_limit, 255);
}

}  // namespace gate_test
