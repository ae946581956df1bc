#include "sm/sa/request_validation.h"

#include <gtest/gtest.h>

#include "support/fabrics.h"
#include "support/vports.h"

namespace request_validation_test {

fabric::Subnet subnet_with_lid_5() {
  fabric::Subnet subnet;
  subnet.lids.port_of_lid.assign(6, fabric::kNoIndex);
  subnet.lids.port_of_lid[5] = fabric::PortIndex{17};
  return subnet;
}

struct TestRequest {
  mad::ReceivedMad received;
  TestRequest() {
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
  sa::ValidatedRequest validated(const fabric::Subnet* subnet) {
    return sa::validate_request(received, mad().data(), subnet, {});
  }
};

TEST(RequestValidation, AcceptsAValidRequest) {
  const fabric::Subnet subnet = subnet_with_lid_5();
  TestRequest request;
  const sa::ValidatedRequest admission = request.validated(&subnet);
  EXPECT_EQ(admission.drop, sa::Drop::none);
  EXPECT_EQ(admission.status, 0);
  EXPECT_EQ(admission.query.method, mad::Method::get_table);
  EXPECT_EQ(admission.query.attribute, mad::SaAttributeId::path_record);
  EXPECT_EQ(admission.query.component_mask, 0x1234u);
  EXPECT_EQ(admission.query.from.port, 17u);
  EXPECT_FALSE(admission.query.from.trusted);
  EXPECT_EQ(admission.query.record.size(), 200u);
}

TEST(RequestValidation, DropsWithoutResponse) {
  const fabric::Subnet subnet = subnet_with_lid_5();
  EXPECT_EQ(TestRequest().validated(nullptr).drop, sa::Drop::not_master);
  TestRequest key;
  key.mad().set_sm_key(0xBAD);
  EXPECT_EQ(key.validated(&subnet).drop, sa::Drop::bad_sm_key);
  TestRequest cut;
  cut.received.size = 255;
  EXPECT_EQ(cut.validated(&subnet).drop, sa::Drop::too_short);
  for (const mad::Method method :
       {mad::Method::get_resp, mad::Method::report_resp, mad::Method::trap, mad::Method::report,
        mad::Method::trap_repress, mad::Method::send}) {
    TestRequest other;
    other.mad().set_method(method);
    EXPECT_EQ(other.validated(&subnet).drop, sa::Drop::no_request) << static_cast<unsigned>(method);
  }
}

TEST(RequestValidation, RefusesWithStatus) {
  const fabric::Subnet subnet = subnet_with_lid_5();
  TestRequest version;
  version.mad().set_class_version(1);
  EXPECT_EQ(version.validated(&subnet).status, mad::status::kBadVersion);
  TestRequest base;
  base.mad().set_base_version(2);
  EXPECT_EQ(base.validated(&subnet).status, mad::status::kBadVersion);
  TestRequest method;
  method.mad().set_method(static_cast<mad::Method>(0x55));
  EXPECT_EQ(method.validated(&subnet).status, mad::status::kMethodUnsupported);
}

/// One survey may have missed the host; a status would be final for its kernel.
TEST(RequestValidation, DropsWhatAnUnknownLidSends) {
  const fabric::Subnet subnet = subnet_with_lid_5();
  for (const unsigned lid : {0u, 4u, 6u, 0xBFFFu, 0xC000u, 0xFFFFu}) {
    TestRequest stranger;
    stranger.received.from.lid = mad::Lid{static_cast<std::uint16_t>(lid)};
    EXPECT_EQ(stranger.validated(&subnet).drop, sa::Drop::unknown_lid) << lid;
  }
}

TEST(RequestValidation, TheSaKeyMakesARequestTrusted) {
  const fabric::Subnet subnet = subnet_with_lid_5();
  TestRequest request;
  request.mad().set_sm_key(config::Options{}.sa_key);
  EXPECT_TRUE(request.validated(&subnet).query.from.trusted);
}

/// Hosts 1 and 2; vports A1 and A2 at the first, which has the LID of a third.
struct SubnetWithVports {
  fabric::Subnet subnet;
  fabric::PortIndex host1, host2;
  SubnetWithVports() {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(4);
    host1 = maker.host(sw), host2 = maker.host(sw);
    subnet.fabric = maker.build();
    subnet.lids = fabrics::assign_lids(subnet.fabric);
    subnet.index();
    subnet.partitions.offsets.assign(subnet.fabric.end_ports.size() + 1, 0);
    vports::give(subnet, {{.port = host1, .guid = {0xA1}},
                          {.port = host1, .guid = {0xA2}, .keys = {}, .own_lid = kOwnLid},
                          {.port = host1, .guid = {0xA3}, .hold = fabric::VPortHold::p_keys}});
  }
  static constexpr mad::Lid kOwnLid{40};
  mad::Lid lid(fabric::PortIndex port) const { return subnet.lid_range(port).base; }
  /// Guid{}: without a global route header.
  tl::expected<fabric::EndPoint, sa::Drop> source(mad::Lid lid, mad::Guid guid,
                                                  const config::Options& options = {}) const {
    mad::MadAddress from{.lid = lid, .qpn = 1};
    if (guid != mad::Guid{})
      from.grh = mad::GlobalRoute{.peer = {options.subnet_prefix, guid}, .hop_limit = 1};
    return sa::source_of(from, {&subnet, nullptr, &aliases}, options);
  }
  sa::AliasGuids aliases;
};

TEST(RequestSource, IsTheVportOfTheSourceGidOrOfItsOwnLid) {
  const SubnetWithVports site;
  const fabric::EndPoint port{.port = site.host1};
  EXPECT_EQ(site.source(site.lid(site.host1), {}), port);
  EXPECT_EQ(site.source(site.lid(site.host1), site.subnet.fabric.ports[site.host1].guid), port);
  EXPECT_EQ(site.source(site.lid(site.host1), {0xA1}), site.subnet.find({0xA1}));
  EXPECT_EQ(site.source(site.kOwnLid, {}), site.subnet.find({0xA2}));
  EXPECT_EQ(site.source(site.kOwnLid, {0xA2}), site.subnet.find({0xA2}));
}

TEST(RequestSource, IsAtThePortOfTheSourceLid) {
  SubnetWithVports site;
  const tl::unexpected<sa::Drop> wrong(sa::Drop::wrong_gid);
  EXPECT_EQ(site.source(site.lid(site.host2), {0xA1}), wrong) << "a vport of another port";
  EXPECT_EQ(site.source(site.lid(site.host2), site.subnet.fabric.ports[site.host1].guid), wrong);
  EXPECT_EQ(site.source(site.lid(site.host1), {0xA3}), wrong) << "one that is not served";
  EXPECT_EQ(site.source(site.lid(site.host1), {0x99}), wrong) << "unknown, where vports are";
  EXPECT_EQ(site.source({99}, {0xA1}), tl::unexpected<sa::Drop>(sa::Drop::unknown_lid));
  site.aliases.set({{0xA1}, 3}, {0xA0003});
  EXPECT_EQ(site.source(site.lid(site.host1), {0xA0003}), site.subnet.find({0xA1}));
}

TEST(RequestSource, WithAnUnknownGidIsThePortWhereThereAreNoVports) {
  const SubnetWithVports site;
  EXPECT_EQ(site.source(site.lid(site.host2), {0x99}), fabric::EndPoint{.port = site.host2});
  config::Options checked;
  checked.sa_check_sgid_spoofing = true;
  EXPECT_EQ(site.source(site.lid(site.host2), {0x99}, checked),
            tl::unexpected<sa::Drop>(sa::Drop::wrong_gid));
}

TEST(RequestValidation, ResponsesGoToTheSourceOfTheRequest) {
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

}  // namespace request_validation_test
