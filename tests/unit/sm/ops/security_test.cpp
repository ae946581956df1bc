// What is open, and what to set.

#include "sm/ops/security.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace security_test {

using config::Options;
using sm::Protection;
using sm::SecurityFinding;
using testing::HasSubstr;

/// All that can be closed is.
Options closed() {
  Options o;
  o.sm_key = o.sa_key = 0x1234;
  o.allowed_sm_guids = {0x0002c90300000001};
  o.m_key_per_port = true;
  o.key_mgr_seed = 0x5678;
  o.m_key_protection_level = 1;
  o.periodic_key_update = 1440;
  o.sa_enhanced_trust_model = o.sa_check_sgid_spoofing = true;
  o.vs_key_enable = o.n2n_key_enable = 2;
  o.part_enforce = config::PartEnforce::both;
  o.congestion_control = true;
  o.cc_key_enable = 2;
  o.cc_key = 0x9abc;
  return o;
}

sm::ManagerStatus status_with(sm::ClassKeyMode mode, std::size_t silent = 0) {
  sm::ManagerStatus status;
  for (const sm::KeyedClass& keyed : sm::keyed_classes())
    status.class_keys.push_back({.name = keyed.name,
                                 .option = keyed.option,
                                 .mgmt_class = static_cast<std::uint8_t>(keyed.mgmt_class),
                                 .mode = mode,
                                 .keyed = 8,
                                 .absent = 1,
                                 .rejected = 0,
                                 .silent = silent,
                                 .open = 0,
                                 .violations = 0});
  return status;
}

/// The findings by their options.
SecurityFinding find(const std::vector<SecurityFinding>& findings, std::string_view by) {
  for (const SecurityFinding& finding : findings)
    if (finding.by.starts_with(by)) return finding;
  ADD_FAILURE() << by;
  return {};
}

TEST(Security, WhatCanBeClosedIsClosedByTheOptionsThatTheRemediesName) {
  for (const SecurityFinding& finding :
       security_findings(closed(), status_with(sm::ClassKeyMode::set))) {
    // Some things the standard leaves open, and all devices have one CC_Key.
    const Protection expected = finding.by == "-"               ? Protection::open
                                : finding.by == "cc_key_enable" ? Protection::partly
                                                                : Protection::closed;
    EXPECT_EQ(finding.protection, expected) << finding.subject << ": " << finding.state;
    EXPECT_TRUE(finding.remedy.empty()) << finding.remedy;
  }
}

TEST(Security, EachOpenFindingOfTheDefaultsHasARemedy) {
  const auto findings = security_findings({}, status_with(sm::ClassKeyMode::leave));
  EXPECT_TRUE(std::ranges::is_sorted(findings, {}, &SecurityFinding::protection));
  for (const SecurityFinding& finding : findings)
    EXPECT_EQ(finding.remedy.empty(), finding.protection == Protection::closed || finding.by == "-")
        << finding.subject;
  for (const char* const by : {"sm_key", "m_key_per_port", "sa_key", "vs_key", "n2n_key"})
    EXPECT_EQ(find(findings, by).protection, Protection::open) << by;
}

TEST(Security, OneOptionAfterTheOtherOpensItsFindingAlone) {
  struct Case {
    void (*open)(Options&);
    std::string_view by;
    Protection protection;
    std::string_view says;
  };
  const Case cases[] = {
      {[](Options& o) { o.sm_key = 1; }, "sm_key", Protection::partly, "is the default"},
      {[](Options& o) { o.allowed_sm_guids = {}; }, "sm_key", Protection::partly, "at any port"},
      {[](Options& o) { o.m_key_per_port = false, o.m_key = 5; }, "m_key_per_port",
       Protection::partly, "one M_Key"},
      {[](Options& o) { o.m_key_protection_level = 0; }, "m_key_per_port", Protection::open,
       "show their M_Key"},
      {[](Options& o) { o.periodic_key_update = 0; }, "periodic_key_update", Protection::open,
       "stay the same"},
      {[](Options& o) { o.sa_key = 1; }, "sa_key", Protection::open, "is the default"},
      {[](Options& o) { o.part_enforce = config::PartEnforce::off; }, "part_enforce",
       Protection::open, "do not check"},
      {[](Options& o) { o.sa_check_sgid_spoofing = false; }, "sa_check_sgid_spoofing",
       Protection::open, "not compared"},
  };
  for (const Case& c : cases) {
    Options options = closed();
    c.open(options);
    const auto findings = security_findings(options, status_with(sm::ClassKeyMode::set));
    const SecurityFinding finding = find(findings, c.by);
    EXPECT_EQ(finding.protection, c.protection) << c.by;
    EXPECT_THAT(finding.state, HasSubstr(c.says));
    EXPECT_FALSE(finding.remedy.empty()) << c.by;
  }
}

TEST(Security, PeersAreProtectedByTheirSecretOrByCertificates) {
  Options options = closed();
  options.state_store = "peers";
  const auto state = [&] {
    const auto findings = security_findings(options, status_with(sm::ClassKeyMode::set));
    const SecurityFinding finding = find(findings, "state_store_key_file");
    EXPECT_EQ(finding.protection, Protection::closed);
    return finding.state;
  };
  EXPECT_THAT(state(), HasSubstr("the secret of the key file"));
  options.state_tls_cert = "/etc/opensm/state.pem";
  EXPECT_THAT(state(), HasSubstr("a certificate of state_tls_ca"));
}

TEST(Security, DevicesWithoutTheirKeyAreCounted) {
  const auto findings = security_findings(closed(), status_with(sm::ClassKeyMode::set, 2));
  const SecurityFinding finding = find(findings, "vs_key_enable");
  EXPECT_EQ(finding.protection, Protection::partly);
  EXPECT_THAT(finding.state, HasSubstr("2 do not answer"));
}

TEST(Security, DefaultKeysAreOneCondition) {
  Options options;
  ASSERT_EQ(sm::default_key_conditions(options).size(), 1u);
  EXPECT_THAT(sm::default_key_conditions(options).front().text, HasSubstr("sm_key and sa_key"));
  options.sm_key = 7;
  EXPECT_TRUE(sm::default_key_conditions(options).front().text.starts_with("sa_key has"));
  options.sa_key = 7;
  EXPECT_TRUE(sm::default_key_conditions(options).empty());
}

}  // namespace security_test
