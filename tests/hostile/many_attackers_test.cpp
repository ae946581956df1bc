// Many hosts that take all that subnet administration gives, and acknowledge nothing: the others
// get their answers.

#include <gtest/gtest.h>

#include "hostile/unfinished_requests.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"

namespace many_attackers_test {

using namespace laboratory;
using namespace unfinished_requests;
namespace status = mad::status;

class ManyAttackers : public ::testing::TestWithParam<unsigned> {
 protected:
  SaLab lab{topology::xgft({.children = {12, 12}, .parents = {1, 2}, .cables = {}})};
  const std::string honest = "H120", other = "H130";

  void SetUp() override { ASSERT_TRUE(lab.start_and_settle()) << lab.tail(); }
  template <class Act>
  void each_attacker(Act act) {
    for (unsigned number = 1; number <= GetParam(); ++number)
      act(lab.host(fmt::format("H{}", number)));
  }
};

INSTANTIATE_TEST_SUITE_P(Hosts, ManyAttackers, ::testing::Values(16u, 100u));

/// With eight tables each, 16 hosts have as many as there are places for.
TEST_P(ManyAttackers, ThatAcknowledgeNoTableDenyNoneToOthers) {
  const sim::SaRequest all_paths{.method = mad::Method::get_table,
                                 .attribute = mad::SaAttributeId::path_record},
      all_nodes{.method = mad::Method::get_table, .attribute = mad::SaAttributeId::node_record};
  const std::size_t ends = lab.status().subnet->fabric.end_ports.size();
  for (unsigned round = 0; round < 3; ++round) {
    each_attacker([&](sim::SaClient& attacker) {
      attacker.acknowledges = false;
      for (int i = 0; i < 8; ++i) attacker.post(all_paths);
    });
    lab.runtime.run_for(100ms);
    const auto nodes = lab.host(honest).query(all_nodes);
    ASSERT_TRUE(nodes) << round << lab.tail();
    EXPECT_GT(nodes->count(), ends / 2);
    const auto paths = lab.host(honest).query(all_paths);
    ASSERT_TRUE(paths) << round << lab.tail();
    EXPECT_EQ(paths->count(), ends * ends);
    lab.runtime.run_for(1s);
  }
  EXPECT_LE(lab.administrator().tables().size(), sa::TableAnswers::kTables.total);
}

TEST_P(ManyAttackers, ThatCompleteNoRequestDenyNoneToOthers) {
  for (unsigned round = 0; round < 3; ++round) {
    each_attacker([&](sim::SaClient& attacker) {
      for (unsigned i = 0; i < 20; ++i)
        attacker.send_raw(first_segment(0x7000 + 100 * round + i, lab.runtime.now()));
    });
    lab.runtime.run_for(100ms);
    EXPECT_EQ(lab.read_status(honest, multi_path_request(lab, honest, other)), status::kOk)
        << round << lab.tail();
  }
}

TEST_P(ManyAttackers, ThatAcknowledgeNoReportDelayNoneOfOthers) {
  each_attacker([&](sim::SaClient& attacker) {
    attacker.answers_reports = false;
    EXPECT_TRUE(attacker.query(lab.subscribe_request()));
  });
  ASSERT_EQ(lab.read_status(honest, lab.subscribe_request()), status::kOk);
  unsigned created = 0;
  const auto create = [&] {
    const mad::Gid mgid{0xff12401bffff0000, mad::Guid{0x1000u + ++created}};
    return lab.read_status(other, lab.create_request(other, mgid));
  };
  while (created < 60) ASSERT_EQ(create(), status::kOk);
  lab.runtime.run_for(10s);
  for (unsigned i = 0; i < 5; ++i) {
    const std::size_t before = lab.host(honest).reports.size();
    ASSERT_EQ(create(), status::kOk);
    EXPECT_TRUE(
        lab.runtime.run_until([&] { return lab.host(honest).reports.size() > before; }, 100ms))
        << i;
    lab.runtime.run_for(300ms);
  }
}

}  // namespace many_attackers_test
