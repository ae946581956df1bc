#include "sm/performance/poll.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/conditions.h"
#include "support/fabrics.h"
#include "unit/sm/performance/scripted_agents.h"

namespace poll_test {

using namespace scripted;
using sm::Counter, sm::PortReading;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

/// A switch with four ports, of which 1 and 2 have hosts; the manager runs on the first host.
class PollTest : public testing::Test {
 protected:
  PollTest() {
    fabrics::Maker maker;
    const auto sw = maker.sw(4, "leaf");
    maker.host(sw);
    maker.host(sw);
    auto made =
        std::make_shared<fabric::Subnet>(fabric::Subnet{.fabric = maker.build(), .lids = {}});
    made->lids = fabrics::assign_lids(made->fabric);
    made->index();
    subnet = made;
    agents.client = &client;
    for (const fabric::NodeIndex node : made->fabric.nodes.indices()) {
      const fabric::Node& of = made->fabric.nodes[node];
      lids[node] = made->lid_range(of.first_port).base.value;
      guids[node] = of.guid;
      agents.at(lids[node]);
    }
    options.log_errors = true;
  }

  sm::PollSummary poll() {
    sm::Poll one(records, options, [this] { return subnet; }, [this] { return runtime.now(); });
    const auto ended = runtime.run(run(one));
    EXPECT_TRUE(ended) << "it does not end";
    complete = one.is_complete();
    unsendable = one.is_unsendable();
    return one.summary();
  }
  boost::asio::awaitable<bool> run(sm::Poll& one) {
    co_await client.exchange(one);
    co_return true;
  }
  /// Three minutes later.
  sm::PollSummary poll_again(mad::Duration pause = 180s) {
    runtime.run_for(pause);
    return poll();
  }
  const sm::PortCounters& port(unsigned node, unsigned number) {
    return *records.at(guids[node]).counters->find(mad::PortNum{static_cast<std::uint8_t>(number)});
  }
  const sm::PortCounters& leaf(unsigned number) { return port(0, number); }
  Agent& leaf_agent() { return agents.at(lids[0]); }
  std::vector<std::string> conditions(unsigned node = 0) {
    return texts(records.at(guids[node]).conditions);
  }

  sim::VirtualRuntime runtime;
  Agents agents{runtime};
  mad::GmpClient client{runtime, agents};
  sm::NodeRecords records;
  sm::PollOptions options;
  std::shared_ptr<const fabric::Subnet> subnet;
  std::map<unsigned, unsigned> lids;
  std::map<unsigned, mad::Guid> guids;
  bool complete = false, unsendable = false;
};

TEST_F(PollTest, ReadsAllAttributesOfPortsThatAreUpAndOthersNot) {
  leaf_agent().show(1, "SymbolErrorCounter", 7);
  leaf_agent().show(1, "PortXmitData", 111);
  leaf_agent().show(1, "PortXmitWait", 9);
  leaf_agent().show_extended(1, "PortXmitData", 0x1'0000'0000);
  leaf_agent().show_extended(1, "PortUnicastRcvPkts", 5);
  leaf_agent().show_detail(1, "PortLoopingErrors", 3);
  const sm::PollSummary summary = poll();
  EXPECT_TRUE(complete);
  EXPECT_EQ(summary.ports_read, 4u);
  EXPECT_EQ(summary.ports_down, 2u);
  EXPECT_EQ(leaf(1).reading, PortReading::read);
  EXPECT_EQ(leaf(3).reading, PortReading::down);
  EXPECT_EQ(leaf(1).total(Counter::symbol_errors), 7u);
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 0x1'0000'0000u) << "the wide one";
  EXPECT_EQ(leaf(1).total(Counter::unicast_rcv_packets), 5u);
  EXPECT_EQ(leaf(1).total(Counter::xmit_wait), 9u);
  EXPECT_EQ(leaf(1).total(Counter::looping_errors), 3u);
  EXPECT_FALSE(leaf(1).has(Counter::qp1_dropped)) << "its ClassPortInfo does not offer it";
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::class_port_info], 1u);
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::port_counters], 2u);
  EXPECT_THAT(leaf_agent().sets, IsEmpty());
  EXPECT_THAT(conditions(), IsEmpty());
  poll_again();
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::class_port_info], 1u) << "once a node";
  for (const mad::MadAddress& to : agents.addresses) {
    EXPECT_EQ(to.qpn, 1u);
    EXPECT_EQ(to.qkey, mad::kQp1QKey);
  }
}

TEST_F(PollTest, CountsGrowthAndRates) {
  leaf_agent().show_extended(2, "PortRcvPkts", 1000);
  poll();
  EXPECT_EQ(leaf(2).interval, mad::Duration{});
  leaf_agent().show_extended(2, "PortRcvPkts", 19000);
  poll_again();
  EXPECT_EQ(leaf(2).total(Counter::rcv_packets), 19000u);
  EXPECT_NEAR(leaf(2).rate(Counter::rcv_packets), 100, 0.1);
  EXPECT_NEAR(std::chrono::duration<double>(leaf(2).interval).count(), 180, 0.1);
}

TEST_F(PollTest, AllCountersWithSixtyFourBitsNeedNoPortCounters) {
  leaf_agent().mask = 0x1204;
  leaf_agent().mask2 = mad::performance_capability::kAdditionalPortCountersExtended << 0;
  leaf_agent().show_extended(1, "SymbolErrorCounter", 70000);
  leaf_agent().show_extended(1, "QP1Dropped", 2);
  poll();
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::port_counters], 0u);
  EXPECT_EQ(leaf(1).total(Counter::symbol_errors), 70000u);
  EXPECT_EQ(leaf(1).total(Counter::qp1_dropped), 2u);
  EXPECT_EQ(leaf(1).present, (sm::CounterSet{1} << sm::kCounters) - 1);
}

TEST_F(PollTest, ExtendedCountersWithoutIetfHaveNoUnicastCounts) {
  leaf_agent().mask = mad::performance_capability::kExtendedWidthNoIetf;
  leaf_agent().show_extended(1, "PortUnicastXmitPkts", 99);
  leaf_agent().show_extended(1, "PortXmitPkts", 98);
  poll();
  EXPECT_FALSE(leaf(1).has(Counter::unicast_xmit_packets));
  EXPECT_EQ(leaf(1).total(Counter::xmit_packets), 98u);
  EXPECT_FALSE(leaf(1).has(Counter::xmit_wait));
}

TEST_F(PollTest, WithoutClassPortInfoPortCountersAlone) {
  options.query_class_port_info = false;
  leaf_agent().show(1, "PortXmitData", 5);
  poll();
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::class_port_info], 0u);
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::port_counters_extended], 0u);
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 5u);
}

TEST_F(PollTest, CasAreLeftOutByOption) {
  options.ignore_cas = true;
  EXPECT_EQ(poll().ports_read, 2u);
  EXPECT_FALSE(records.contains(guids[1]));
}

// ------------------------------------------------------------------------------------------
// Saturation and resets

TEST_F(PollTest, NarrowCountersStickAndNothingIsClearedByDefault) {
  leaf_agent().show(1, "LocalLinkIntegrityErrors", 15);
  leaf_agent().show(1, "LinkDownedCounter", 255);
  leaf_agent().show(1, "SymbolErrorCounter", 65535);
  poll();
  poll_again();
  EXPECT_THAT(leaf_agent().sets, IsEmpty());
  EXPECT_TRUE(leaf(1).is_saturated(Counter::symbol_errors));
  EXPECT_EQ(leaf(1).total(Counter::symbol_errors), 65535u);
  EXPECT_THAT(conditions(),
              ElementsAre(HasSubstr("SymbolErrorCounter, LinkDownedCounter, "
                                    "LocalLinkIntegrityErrors at the largest value")));
}

TEST_F(PollTest, SaturatedCountersAloneAreClearedByOptionAndCountOn) {
  options.clear_saturated = true;
  leaf_agent().show(1, "SymbolErrorCounter", 65535);
  leaf_agent().show(1, "PortXmitWait", 0xFFFFFFFF);
  leaf_agent().show(1, "PortRcvErrors", 12);
  leaf_agent().show_detail(2, "PortMalformedPacketErrors", 65535);
  poll();
  EXPECT_THAT(leaf_agent().sets,
              testing::UnorderedElementsAre(std::pair(1u, 0x1'0001u), std::pair(2u, 0x2u)));
  EXPECT_EQ(leaf(1).saturated, 0u);
  EXPECT_THAT(conditions(), IsEmpty());
  leaf_agent().show(1, "SymbolErrorCounter", 10);
  poll_again();
  EXPECT_EQ(leaf(1).total(Counter::symbol_errors), 65545u);
  EXPECT_EQ(leaf(1).total(Counter::xmit_wait), 0xFFFFFFFFu);
  EXPECT_EQ(leaf(1).total(Counter::rcv_errors), 12u);
  EXPECT_EQ(leaf(1).resets, 0u);
}

TEST_F(PollTest, AnAgentThatAcknowledgesAndDoesNotClearAddsNothing) {
  options.clear_saturated = true;
  leaf_agent().ignores_set = true;
  leaf_agent().show(1, "SymbolErrorCounter", 65535);
  for (int times = 0; times < 4; ++times) poll_again();
  EXPECT_EQ(leaf(1).total(Counter::symbol_errors), 65535u);
}

TEST_F(PollTest, TotalsGoOnAfterResetsByOthersAndRestarts) {
  leaf_agent().show(1, "SymbolErrorCounter", 500);
  leaf_agent().show_extended(1, "PortXmitData", 1'000'000);
  poll();
  leaf_agent().show(1, "SymbolErrorCounter", 20);
  leaf_agent().show_extended(1, "PortXmitData", 300);
  poll_again();
  EXPECT_EQ(leaf(1).total(Counter::symbol_errors), 520u);
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 1'000'300u);
  EXPECT_EQ(leaf(1).resets, 1u);
  poll_again();
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::class_port_info], 2u)
      << "a node that restarted may have other firmware";
}

TEST_F(PollTest, AnotherWidthIsNoReset) {
  leaf_agent().show_extended(1, "PortXmitData", 0x5'0000'0000);
  poll();
  leaf_agent().unsupported.insert(PerformanceAttribute::port_counters_extended);
  leaf_agent().show(1, "PortXmitData", 77);
  poll_again();
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 0x5'0000'0000u);
  leaf_agent().show(1, "PortXmitData", 87);
  poll_again();
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 0x5'0000'000Au);
  EXPECT_EQ(leaf(1).resets, 0u);
}

// ------------------------------------------------------------------------------------------
// Agents that refuse, lie, or do not answer

TEST_F(PollTest, WhatAnAgentRejectsIsNotQueriedForAnHour) {
  leaf_agent().unsupported = {PerformanceAttribute::port_rcv_error_details};
  poll();
  const unsigned queried = leaf_agent().gets[PerformanceAttribute::port_rcv_error_details];
  EXPECT_LE(queried, sm::Poll::kPerNode);
  poll_again();
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::port_rcv_error_details], queried);
  EXPECT_EQ(leaf(1).reading, PortReading::read);
  EXPECT_THAT(conditions(), IsEmpty()) << "it is optional";
  leaf_agent().unsupported.clear();
  poll_again(1h);
  EXPECT_GT(leaf_agent().gets[PerformanceAttribute::port_rcv_error_details], queried);
}

TEST_F(PollTest, AnAgentWithoutCountersIsAConditionAndItsPortsAreRefused) {
  leaf_agent().unsupported = {PerformanceAttribute::port_counters,
                              PerformanceAttribute::port_counters_extended,
                              PerformanceAttribute::port_rcv_error_details};
  EXPECT_EQ(poll().ports_refused, 2u);
  EXPECT_EQ(leaf(1).reading, PortReading::refused);
  EXPECT_THAT(conditions(),
              ElementsAre(HasSubstr("agent rejects PortCounters with status 0x000c")));
  EXPECT_EQ(port(1, 1).reading, PortReading::read) << "another node";
}

TEST_F(PollTest, OnePortThatIsRejectedIsAlone) {
  leaf_agent().invalid_ports = {1};
  poll();
  EXPECT_EQ(leaf(1).reading, PortReading::refused);
  EXPECT_EQ(leaf(2).reading, PortReading::read);
}

TEST_F(PollTest, AnAttributeThatIsDroppedInsteadOfRejectedStopsNoOther) {
  leaf_agent().dropped = {PerformanceAttribute::port_rcv_error_details,
                          PerformanceAttribute::class_port_info};
  leaf_agent().show(1, "PortXmitData", 5);
  poll();
  EXPECT_EQ(leaf(1).reading, PortReading::read);
  EXPECT_EQ(leaf(2).reading, PortReading::read);
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 5u);
}

TEST_F(PollTest, ASilentNodeCostsAFewQueriesAndNothingElse) {
  leaf_agent().silent = true;
  const sm::PollSummary first = poll();
  EXPECT_EQ(first.nodes_silent, 1u);
  EXPECT_EQ(first.ports_read, 2u) << "the hosts";
  EXPECT_EQ(leaf(1).reading, PortReading::silent);
  EXPECT_THAT(conditions(), IsEmpty()) << "it may be restarting";
  agents.sent = 0;
  poll_again();
  EXPECT_LE(agents.sent, 2 * sm::Poll::kPerNode * 4 + 8u);
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("does not answer")));
  leaf_agent().silent = false;
  leaf_agent().show_extended(1, "PortUnicastXmitPkts", 5);
  poll_again();
  EXPECT_EQ(leaf(1).reading, PortReading::read);
  EXPECT_THAT(conditions(), IsEmpty());
  poll_again();
  EXPECT_EQ(leaf(1).total(Counter::unicast_xmit_packets), 5u) << "its ClassPortInfo was read again";
}

TEST_F(PollTest, ABusyAgentIsQueriedAgain) {
  leaf_agent().busy_times = 2;
  poll();
  EXPECT_EQ(leaf(1).reading, PortReading::read);
  leaf_agent().busy_times = 1000;
  poll_again();
  EXPECT_EQ(leaf(1).reading, PortReading::refused);
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("is busy")));
}

TEST_F(PollTest, ResponsesOfAnotherLidOrAttributeOrPortCountForNothing) {
  const auto expect_nothing = [&](const char* what) {
    SCOPED_TRACE(what);
    leaf_agent().show(1, "SymbolErrorCounter", 99);
    poll_again();
    EXPECT_NE(leaf(1).reading, PortReading::read);
    EXPECT_EQ(leaf(1).total(Counter::symbol_errors), 0u);
  };
  leaf_agent().edit = [](mad::MadView, mad::MadAddress& from) { from.lid = mad::Lid{77}; };
  expect_nothing("LID");
  leaf_agent().edit = [](mad::MadView mad, mad::MadAddress&) {
    mad.set_attribute_id(static_cast<mad::AttributeId>(0x16));
  };
  expect_nothing("attribute");
  leaf_agent().edit = [](mad::MadView mad, mad::MadAddress&) {
    mad.set_mgmt_class(mad::MgmtClass::sa);
  };
  expect_nothing("class");
  leaf_agent().edit = [](mad::MadView mad, mad::MadAddress&) {
    mad.set_transaction_id(mad.transaction_id() ^ 0x10000u);
  };
  expect_nothing("transaction");
  EXPECT_GT(client.statistics().stray, 0u);
  leaf_agent().edit = [](mad::MadView mad, mad::MadAddress&) {
    if (static_cast<std::uint16_t>(mad.attribute_id()) != 1) mad::gmp_data(mad)[1] ^= 3;
  };
  expect_nothing("port");
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("answers for port")));
}

TEST_F(PollTest, APortThatSendsNothingEndsThePoll) {
  agents.refuse_with = EPROTONOSUPPORT;
  poll();
  EXPECT_TRUE(unsendable);
  EXPECT_FALSE(complete);
}

TEST_F(PollTest, EndsWhenTheManagerIsNoLongerMaster) {
  subnet = nullptr;
  poll();
  EXPECT_FALSE(complete);
  EXPECT_EQ(agents.sent, 0u);
}

// ------------------------------------------------------------------------------------------
// Redirection

std::function<void(std::span<std::uint8_t>)> redirect_to(unsigned lid, std::uint32_t qpn,
                                                         std::uint32_t qkey = 0x1234) {
  return [=](std::span<std::uint8_t> data) {
    using Fields = mad::ClassPortInfoFields;
    mad::set_field<Fields, "RedirectLID">(data, static_cast<std::uint16_t>(lid));
    mad::set_field<Fields, "RedirectQP">(data, qpn);
    mad::set_field<Fields, "RedirectQ_Key">(data, qkey);
  };
}

TEST_F(PollTest, FollowsARedirectionToAnotherQueuePairAndRemembersIt) {
  leaf_agent().redirect = redirect_to(lids[0], 42);
  Agent& target = agents.at(lids[0], 42);
  target.show_extended(1, "PortXmitData", 5);
  EXPECT_EQ(poll().nodes_redirected, 1u);
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 5u);
  EXPECT_EQ(leaf(1).reading, PortReading::read);
  const auto to_target = std::ranges::find(agents.addresses, 42u, &mad::MadAddress::qpn);
  ASSERT_NE(to_target, agents.addresses.end());
  EXPECT_EQ(to_target->qkey, 0x1234u);
  const unsigned queried = leaf_agent().gets[PerformanceAttribute::class_port_info];
  poll_again();
  EXPECT_EQ(leaf_agent().gets[PerformanceAttribute::class_port_info], queried);
}

TEST_F(PollTest, RedirectionToAnotherNodeNeedsAnOption) {
  leaf_agent().redirect = redirect_to(lids[2], 7);
  agents.at(lids[2], 7).show_extended(1, "PortXmitData", 5);
  poll();
  EXPECT_EQ(leaf(1).reading, PortReading::refused);
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("perfmgr_redir_other_nodes is FALSE")));
  EXPECT_TRUE(std::ranges::none_of(agents.addresses, [](const mad::MadAddress& to) {
    return to.qpn == 7;
  })) << "nothing is sent there";
}

TEST_F(PollTest, FollowsARedirectionWithStatusZeroElsewhereAndByGid) {
  options.other_nodes = true;
  leaf_agent().redirect_status = 0;
  leaf_agent().redirect = redirect_to(lids[2], 7);
  agents.at(lids[2], 7).show_extended(1, "PortXmitData", 5);
  poll();
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 5u);
  agents.by_address.erase({lids[2], 7});
  const mad::Guid guid =
      subnet->fabric.ports[subnet->fabric.nodes[fabric::NodeIndex(2)].first_port].guid;
  leaf_agent().redirect = [guid](std::span<std::uint8_t> data) {
    mad::set_field<mad::ClassPortInfoFields, "RedirectGID.guid">(data, guid);
    mad::set_field<mad::ClassPortInfoFields, "RedirectQP">(data, 9u);
  };
  agents.at(lids[2], 9).show_extended(1, "PortXmitData", 6);
  poll_again();  // the old target is silent
  EXPECT_EQ(leaf(1).reading, PortReading::silent);
  poll_again();
  EXPECT_EQ(leaf(1).total(Counter::xmit_data), 6u);
}

TEST_F(PollTest, RedirectionsInALoopEnd) {
  leaf_agent().redirect = redirect_to(lids[0], 2);
  agents.at(lids[0], 2).redirect = redirect_to(lids[0], 3);
  agents.at(lids[0], 3).redirect = redirect_to(lids[0], 1);
  poll();
  EXPECT_LT(agents.sent, 40u);
  EXPECT_EQ(leaf(1).reading, PortReading::refused);
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("redirects queries in a loop")));
  for (unsigned qpn = 2; qpn < 30; ++qpn)
    agents.at(lids[0], qpn).redirect = redirect_to(lids[0], qpn + 1);
  agents.sent = 0;
  poll_again();
  EXPECT_LT(agents.sent, 40u) << "however long the chain is";
}

TEST_F(PollTest, RedirectionsToNowhereAreRejected) {
  options.other_nodes = true;
  for (const auto& [redirect, why] :
       std::vector<std::pair<std::function<void(std::span<std::uint8_t>)>, std::string>>{
           {redirect_to(0xC001, 1), "to LID 49153, which no port has"},
           {redirect_to(4000, 1), "to LID 4000, which no port has"},
           {redirect_to(lids[1], 0), "to queue pair 0"},
           {[](std::span<std::uint8_t> data) {
              mad::set_field<mad::ClassPortInfoFields, "RedirectGID.guid">(data, mad::Guid{0xABC});
            },
            "which is not in this subnet"}}) {
    leaf_agent().redirect = redirect;
    poll_again();
    EXPECT_THAT(conditions(), ElementsAre(HasSubstr(why)));
  }
}

TEST_F(PollTest, RedirectionIsNotFollowedAgainstTheOption) {
  options.follow_redirection = false;
  leaf_agent().redirect = redirect_to(lids[0], 42);
  poll();
  EXPECT_EQ(agents.by_address.count({lids[0], 42}), 0u);
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("perfmgr_redir is FALSE")));
}

// ------------------------------------------------------------------------------------------
// Conditions

TEST_F(PollTest, ErrorsAboveTheLimitOfAnHourAreOneConditionUntilTheyAreBelowHalf) {
  options.limits.per_hour = {100, 10, 0, 0};
  poll();
  leaf_agent().show(1, "SymbolErrorCounter", 101);
  leaf_agent().show(1, "LinkDownedCounter", 6);
  leaf_agent().show(1, "LinkErrorRecoveryCounter", 6);
  leaf_agent().show(1, "PortRcvErrors", 5000);
  poll_again();
  EXPECT_THAT(conditions(),
              ElementsAre(HasSubstr("port 1: SymbolErrorCounter grew by 101 in an hour "
                                    "(perfmgr_symbol_errors_per_hour 100); "
                                    "LinkErrorRecoveryCounter and LinkDownedCounter grew by 12")));
  leaf_agent().show(1, "SymbolErrorCounter", 130);
  const auto before = conditions();
  poll_again();
  EXPECT_EQ(conditions(), before) << "the same text, as long as it has not doubled";
  leaf_agent().show(1, "SymbolErrorCounter", 190);  // 60 in 62 minutes
  poll_again(62min);
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("SymbolErrorCounter")))
      << "58 in an hour are above half of the limit";
  poll_again(62min);
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(PollTest, PortsThatWaitAreAConditionByOption) {
  poll();
  leaf_agent().show(1, "PortXmitWait", 70000);
  poll_again();
  EXPECT_THAT(conditions(), IsEmpty());
  options.log_xmit_wait = true;
  leaf_agent().show(1, "PortXmitWait", 70000 + 65536);
  poll_again();
  EXPECT_THAT(conditions(), ElementsAre(HasSubstr("PortXmitWait grew by more than 65535 ticks")));
}

}  // namespace poll_test
