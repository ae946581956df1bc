// Vports as clients of a whole Administrator: who they are, what they get, and with which headers.

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>

#include "mad/records/fabric_records.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/path_records.h"
#include "sm/sa/administrator.h"
#include "sm/sa/registrations/ports.h"
#include "support/fabrics.h"
#include "support/vports.h"
#include "unit/sm/sa/wire.h"
#include "unit/sm/temporary_directory.h"

namespace vport_clients_test {

using namespace sa_tests;

constexpr mad::Guid kA1{0xA1}, kA2{0xA2}, kB1{0xB1};
constexpr mad::Gid kGroup{0xff12000000000000, {0x77}};

/// Counts how often trees have to follow.
class GroupChanges final : public sm::EventListener {
 public:
  explicit GroupChanges(unsigned& count) : count_(count) {}
  using sm::EventListener::on;
  void on(const sm::GroupsChanged& /*event*/) override { ++count_; }

 private:
  unsigned& count_;
};

/// The manager's host and hosts a and b. At a: vports A1 and A2; at b: B1.
class VPortClients : public testing::Test {
 protected:
  VPortClients() {
    config::Options options;
    options.cache_files_dir = directory_.path().string();
    options.fsync_high_avail_files = false;
    context_ = sm::make_context(options, {}, partitions::default_configuration());
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(36);
    maker.host(sw);
    a_ = maker.host(sw);
    b_ = maker.host(sw);
    fabric_ = maker.build();
    start();
    wire_.on_send = [this](const Wire::Sent& sent) {
      if (sent.mad().method() == mad::Method::report)
        runtime_.after(1us, [this, sent] { sa_->on_mad(back(sent)); });
    };
    publish(standard());
  }

  /// As if the manager had been started now.
  void start() {
    sa_ = nullptr;
    sa_ = std::make_unique<sa::Administrator>(
        runtime_, wire_, client_, log_, conditions_, context_,
        sa::ManagerServices{.own_sm = [] { return mad::SmInfo(); },
                            .wall_clock = [] { return sa::UnixTime{}; },
                            .events = &changes_});
  }
  std::vector<vports::Wanted> standard() const {
    return {{.port = a_, .guid = kA1}, {.port = a_, .guid = kA2}, {.port = b_, .guid = kB1}};
  }
  std::shared_ptr<fabric::Subnet> subnet_with(std::vector<vports::Wanted> wanted) const {
    auto subnet = std::make_shared<fabric::Subnet>();
    subnet->fabric = fabric_;
    subnet->lids = fabrics::assign_lids(subnet->fabric);
    subnet->index();
    subnet->partitions.partitions = {{.key = 0x0010, .name = "ten"},
                                     {.key = 0x7FFF, .name = "Default"}};
    subnet->partitions.offsets = {0};
    for (std::size_t i = 0; i < subnet->fabric.end_ports.size(); ++i) {
      subnet->partitions.keys.push_back(mad::kDefaultPKeyFull);
      subnet->partitions.offsets.push_back(static_cast<std::uint32_t>(i + 1));
    }
    vports::give(*subnet, std::move(wanted));
    return subnet;
  }
  /// A sweep with these vports.
  void publish(std::vector<vports::Wanted> wanted) {
    subnet_ = subnet_with(std::move(wanted));
    sa_->prepare(*subnet_, *context_);
    sa_->publish(subnet_, context_, sa::Publication::programmed);
    runtime_.run_for(1s);
  }
  /// Vports alone, between two sweeps.
  void publish_vports(std::vector<vports::Wanted> wanted) {
    subnet_ = subnet_with(std::move(wanted));
    sa_->publish(subnet_, context_, sa::Publication::same);
    runtime_.run_for(1s);
  }

  mad::Gid gid(mad::Guid guid) const { return {context_->options.subnet_prefix, guid}; }
  /// The address of a vport: it shares the LID of its port.
  mad::MadAddress address(fabric::PortIndex port, mad::Guid vport) const {
    return {.lid = subnet_->lid_range(port).base,
            .qpn = 1,
            .grh = mad::GlobalRoute{.peer = gid(vport), .hop_limit = 1}};
  }
  mad::MadAddress address(fabric::PortIndex port) const {
    return {.lid = subnet_->lid_range(port).base, .qpn = 1};
  }
  /// As they are now, for trees: what was changed before is not reported as a change again.
  std::vector<routing::MulticastGroup> groups_for_routing() {
    std::vector<routing::MulticastGroup> groups;
    std::optional<mad::Mlid> next = mad::Mlid{};
    while (next) next = sa_->append_groups_for_routing(*subnet_, *next, groups);
    return groups;
  }

  template <class Record>
  void post(const mad::MadAddress& from, mad::Method method, const Record& record,
            std::uint64_t mask, std::uint64_t transaction,
            mad::SaAttributeId attribute = Record::kId) {
    mad::ReceivedMad received;
    received.size = mad::kMadSizeBytes;
    received.from = from;
    mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(received.bytes)};
    mad.set_base_version(mad::kBaseVersion);
    mad.set_mgmt_class(mad::MgmtClass::sa);
    mad.set_class_version(mad::kSaClassVersion);
    mad.set_method(method);
    mad.set_transaction_id(transaction);
    mad.set_attribute_id(static_cast<mad::AttributeId>(attribute));
    mad.set_component_mask(mask);
    std::ranges::copy(record.bytes(), mad.data().begin());
    sa_->on_mad(received);
    runtime_.run_for(1ms);
  }
  /// The last answer with this transaction.
  std::optional<Wire::Sent> answer(std::uint64_t transaction) const {
    for (auto at = wire_.sent.rbegin(); at != wire_.sent.rend(); ++at)
      if (at->mad().transaction_id() == transaction && at->mad().is_response()) return *at;
    return std::nullopt;
  }
  std::uint16_t status(std::uint64_t transaction) const {
    const auto sent = answer(transaction);
    return sent ? sent->mad().status() : kNoAnswer;
  }
  static constexpr std::uint16_t kNoAnswer = 0xFFFF;
  static constexpr std::uint64_t make_mask(std::initializer_list<unsigned> bits) {
    std::uint64_t mask = 0;
    for (const unsigned bit : bits) mask |= std::uint64_t{1} << bit;
    return mask;
  }
  /// Joins, and creates the group if there is none. Returns the status.
  std::uint16_t join(fabric::PortIndex port, mad::Guid vport, mad::Method method = mad::Method::set,
                     mad::PKey key = mad::kDefaultPKeyFull) {
    using M = mad::McMemberRecord;
    mad::McMemberRecord record;
    record.set_mgid(kGroup);
    record.set_port_gid(gid(vport));
    record.set_join_state(1);
    record.set_p_key(key);
    const std::uint64_t transaction = next_++;
    post(address(port, vport), method, record,
         make_mask({M::kMgid, M::kPortGid, M::kJoinState, M::kPKey, M::kQKey, M::kTClass,
                    M::kFlowLabel, M::kSl}),
         transaction);
    return status(transaction);
  }
  std::uint16_t subscribe(const mad::MadAddress& from) {
    mad::InformInfo info;
    info.set_lid_range_begin({mad::InformInfo::kAll});
    info.set_is_generic(1);
    info.set_subscribe(1);
    info.set_type(mad::InformInfo::kAll);
    info.set_trap_number(mad::InformInfo::kAll);
    info.set_producer_type(mad::InformInfo::kAllProducers);
    const std::uint64_t transaction = next_++;
    post(from, mad::Method::set, info, 0, transaction, mad::SaAttributeId::inform_info);
    return status(transaction);
  }
  struct Reported {
    mad::TrapNumber trap;
    mad::Guid about;
    mad::MadAddress to;
  };
  /// Reports of traps 64 and 65 since the last call.
  std::vector<Reported> reports() {
    std::vector<Reported> out;
    for (; seen_ < wire_.sent.size(); ++seen_) {
      const Wire::Sent& sent = wire_.sent[seen_];
      if (sent.mad().method() != mad::Method::report) continue;
      const mad::Notice notice(sent.mad().data().first<mad::kAttributeBytes>());
      if (const auto about = notice.as<mad::GidNotice>();
          about && (notice.trap_number() == mad::TrapNumber::gid_in_service ||
                    notice.trap_number() == mad::TrapNumber::gid_out_of_service))
        out.push_back({notice.trap_number(), about->gid().guid, sent.to});
    }
    return out;
  }

  TemporaryDirectory directory_;
  sim::VirtualRuntime runtime_;
  Wire wire_;
  mad::SmpClient client_{runtime_, wire_, {}};
  std::ostringstream text_;
  spdlog::logger log_{"vports", std::make_shared<spdlog::sinks::ostream_sink_st>(text_)};
  sm::ConditionLog conditions_{[this] { return runtime_.now(); }, log_};
  sm::SharedContext context_;
  fabric::Fabric fabric_;
  fabric::PortIndex a_, b_;
  std::shared_ptr<const fabric::Subnet> subnet_;
  std::unique_ptr<sa::Administrator> sa_;
  unsigned trees_ = 0;
  GroupChanges changes_{trees_};
  std::uint64_t next_ = 1000;
  std::size_t seen_ = 0;
};

TEST_F(VPortClients, AreAnsweredWithAGlobalRouteToThem) {
  ASSERT_EQ(join(a_, kA1), 0);
  const auto sent = answer(next_ - 1);
  ASSERT_TRUE(sent && sent->to.grh);
  EXPECT_EQ(sent->to.grh->peer, gid(kA1));
  EXPECT_GT(sent->to.grh->hop_limit, 1);
  EXPECT_EQ(sent->to.lid, subnet_->lid_range(a_).base);
  post(address(a_), mad::Method::get, mad::PathRecord(), 0, 5);
  ASSERT_TRUE(answer(5));
  EXPECT_FALSE(answer(5)->to.grh) << "the physical port asks without one";
}

TEST_F(VPortClients, AreTheirMembershipsOwnersAndNoOtherPortIs) {
  ASSERT_EQ(join(a_, kA1), 0);
  EXPECT_EQ(join(b_, kA1), kNoAnswer) << "from another port, with its GID";
  EXPECT_EQ(sa_->statistics().of(sa::Drop::wrong_gid), 1u);
  EXPECT_EQ(join(a_, {0x99}), kNoAnswer) << "a GID that no vport has";
  EXPECT_EQ(join(b_, kA1, mad::Method::delete_), kNoAnswer);
  EXPECT_EQ(sa_->statistics().of(sa::Drop::wrong_gid), 3u);
  const sa::Group* const group = sa_->registrations().groups.find(kGroup);
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->members.size(), 1u);
  EXPECT_EQ(group->members.begin()->second.registered_by, kA1);
  EXPECT_EQ(group->members.begin()->second.registered_at, subnet_->fabric.ports[a_].guid);
}

/// Its request may arrive before a sweep has read it: a refusal would be final for its kernel.
TEST_F(VPortClients, ThatAreNewAreAnsweredWhenTheyRepeatTheirRequest) {
  EXPECT_EQ(join(a_, {0x99}), kNoAnswer);
  auto more = standard();
  more.push_back({.port = a_, .guid = {0x99}});
  publish_vports(more);
  EXPECT_EQ(join(a_, {0x99}), 0);
}

TEST_F(VPortClients, WithOneLidAndTransactionGetAnAnswerEach) {
  // A long answer for A1 runs; a request of A2 with its transaction is no repetition of it.
  mad::NodeRecord any;
  for (const mad::Guid vport : {kA1, kA2})
    post(address(a_, vport), mad::Method::get_table, any, 0, 77);
  EXPECT_EQ(sa_->transfers().running(), 2u);
  EXPECT_EQ(sa_->statistics().repeated, 0u);
  post(address(a_, kA2), mad::Method::get_table, any, 0, 77);
  EXPECT_EQ(sa_->statistics().repeated, 1u);
}

TEST_F(VPortClients, AreInServiceWhenTheyAppearAndOutOfServiceWhenTheyGo) {
  ASSERT_EQ(subscribe(address(b_, kB1)), 0);
  ASSERT_EQ(subscribe(address(b_)), 0);
  reports();
  auto more = standard();
  more.push_back({.port = a_, .guid = {0xA9}});
  more.push_back({.port = a_, .guid = {0xAA}, .hold = fabric::VPortHold::p_keys});
  publish(more);
  auto seen = reports();
  ASSERT_EQ(seen.size(), 2u) << "one that is not served is not in service";
  for (const Reported& report : seen) {
    EXPECT_EQ(report.trap, mad::TrapNumber::gid_in_service);
    EXPECT_EQ(report.about.value, 0xA9u);
    EXPECT_EQ(report.to.lid, subnet_->lid_range(b_).base);
  }
  const auto to_vport = std::ranges::count_if(
      seen, [&](const Reported& report) { return report.to.grh.has_value(); });
  ASSERT_EQ(to_vport, 1) << "the vport finds its report by the GID";
  const auto& with_route = seen[0].to.grh ? seen[0] : seen[1];
  EXPECT_EQ(with_route.to.grh->peer, gid(kB1));
  EXPECT_GE(with_route.to.grh->hop_limit, 2);

  publish_vports(standard());
  seen = reports();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].trap, mad::TrapNumber::gid_out_of_service);
  EXPECT_EQ(seen[0].about.value, 0xA9u);
}

TEST_F(VPortClients, ThatMoveToAnotherPortAreNeitherNewNorGone) {
  ASSERT_EQ(subscribe(address(b_)), 0);
  ASSERT_EQ(join(a_, kA1), 0);
  reports();
  publish({{.port = a_, .guid = kA2}, {.port = b_, .guid = kB1}, {.port = b_, .guid = kA1}});
  EXPECT_TRUE(reports().empty());
  EXPECT_EQ(sa_->registrations().groups.find(kGroup)->members.size(), 1u);
  const auto trees = groups_for_routing();
  ASSERT_EQ(trees.size(), 1u);
  EXPECT_EQ(trees.front().receivers, std::vector<fabric::PortIndex>{b_}) << "the tree follows";
}

TEST_F(VPortClients, ThatMoveBetweenSweepsTakeTheirTreesAlong) {
  ASSERT_EQ(join(a_, kA1), 0);
  groups_for_routing();
  trees_ = 0;
  publish_vports({{.port = a_, .guid = kA2}, {.port = b_, .guid = kB1}});
  EXPECT_GT(trees_, 0u) << "it has left its group";
  ASSERT_EQ(join(a_, kA2), 0);
  groups_for_routing();
  trees_ = 0;
  publish_vports({{.port = b_, .guid = kB1}, {.port = b_, .guid = kA2}});
  EXPECT_GT(trees_, 0u);
  EXPECT_EQ(groups_for_routing().front().receivers, std::vector<fabric::PortIndex>{b_});
}

TEST_F(VPortClients, LeaveTheirGroupsBetweenSweepsWhenTheyGoOrLoseTheirKeys) {
  ASSERT_EQ(join(a_, kA1), 0);
  ASSERT_EQ(join(a_, kA2), 0);
  ASSERT_EQ(join(b_, kB1), 0);
  groups_for_routing();
  trees_ = 0;
  publish_vports(
      {{.port = a_, .guid = kA2}, {.port = b_, .guid = kB1, .keys = {mad::PKey{0x8010}}}});
  const sa::Group* const group = sa_->registrations().groups.find(kGroup);
  ASSERT_NE(group, nullptr);
  ASSERT_EQ(group->members.size(), 1u);
  EXPECT_EQ(group->members.begin()->first.guid, kA2);
  EXPECT_GT(trees_, 0u) << "b has no member any more";
}

TEST_F(VPortClients, SurviveARestartOfTheManager) {
  ASSERT_EQ(join(a_, kA1), 0);
  ASSERT_EQ(subscribe(address(a_, kA1)), 0);
  start();
  publish(standard());
  const sa::Registrations& after = sa_->registrations();
  ASSERT_NE(after.groups.find(kGroup), nullptr);
  EXPECT_EQ(after.groups.find(kGroup)->members.size(), 1u);
  EXPECT_EQ(after.subscriptions.all().size(), 1u);
  const mad::Guid port = subnet_->fabric.ports[a_].guid;
  EXPECT_EQ(after.groups.quota().at(port), 1u);
  EXPECT_EQ(after.subscriptions.quota().of(kA1), 1u);
}

TEST_F(VPortClients, OfAnotherManagerByBothFormsOfTheirGidAreOneMember) {
  sa::Registrations theirs;
  theirs.groups.create({.mgid = kGroup, .mlid = {0xC001}, .p_key = mad::kDefaultPKeyFull});
  for (const std::uint64_t prefix : {sa::kDefaultPrefix, std::uint64_t{0xfec0000000000007}})
    theirs.groups.join(kGroup, {.port_gid = {prefix, kA1},
                                .join_state = 1,
                                .registered_by = kA1,
                                .registered_at = fabric_.ports[a_].guid});
  sa_->adopt({.registrations = std::move(theirs), .manager_lid = {}, .complete = true});
  publish(standard());
  const sa::Groups& groups = sa_->registrations().groups;
  ASSERT_NE(groups.find(kGroup), nullptr);
  EXPECT_EQ(groups.find(kGroup)->members.size(), 1u);
  EXPECT_EQ(groups.quota().of(kA1), 1u);
  EXPECT_EQ(join(a_, kA1, mad::Method::delete_), 0);
  EXPECT_EQ(groups.find(kGroup), nullptr);
}

TEST_F(VPortClients, ThatFloodDelayNoOtherPort) {
  // Without a turn of the thread in between: 1,024 of one vport wait, and thousands of its port.
  const auto post_all = [&](mad::Guid vport, unsigned count) {
    mad::ReceivedMad received;
    received.size = mad::kMadSizeBytes;
    received.from = address(a_, vport);
    mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(received.bytes)};
    mad.set_base_version(mad::kBaseVersion);
    mad.set_mgmt_class(mad::MgmtClass::sa);
    mad.set_class_version(mad::kSaClassVersion);
    mad.set_method(mad::Method::get);
    mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::class_port_info));
    for (unsigned i = 0; i < count; ++i) {
      mad.set_transaction_id(i);
      sa_->on_mad(received);
    }
  };
  post_all(kA1, 1060);
  EXPECT_EQ(sa_->statistics().busy(), 36u);
  EXPECT_EQ(sa_->statistics().of(sa::Drop::queue_full), 36u);
  EXPECT_TRUE(wire_.sent.empty()) << "dropped without an answer";
  post_all(kA2, 10);
  EXPECT_EQ(sa_->statistics().busy(), 36u) << "a sibling has a bound of its own";
  const std::size_t before = wire_.sent.size();
  post(address(b_, kB1), mad::Method::get, mad::PathRecord(), 0, 9999,
       mad::SaAttributeId::class_port_info);
  const auto own = std::ranges::find_if(
      wire_.sent.begin() + static_cast<std::ptrdiff_t>(before), wire_.sent.end(),
      [](const Wire::Sent& sent) { return sent.mad().transaction_id() == 9999; });
  ASSERT_NE(own, wire_.sent.end());
  EXPECT_LE(own - wire_.sent.begin() - static_cast<std::ptrdiff_t>(before), 1)
      << "it waits for one request of the other port";
}

TEST_F(VPortClients, ReportsThatDoNotFitAreDroppedCountedAndACondition) {
  wire_.on_send = {};  // no subscriber acknowledges
  for (std::uint32_t qpn = 1; qpn <= 256; ++qpn) {
    mad::MadAddress from = address(b_);
    from.qpn = qpn;
    ASSERT_EQ(subscribe(from), 0) << qpn;
  }
  auto more = standard();
  for (std::uint64_t i = 0; i < 100; ++i) more.push_back({.port = a_, .guid = {0x1000 + i}});
  publish_vports(more);  // 25,600 reports
  EXPECT_EQ(sa_->reports().waiting(), sa::ReportSender::Limits{}.waiting.per_port);
  EXPECT_GT(sa_->reports().statistics().dropped, 5000u);
  EXPECT_NE(text_.str().find("[SA-REPORT-DROPPED]"), std::string::npos);
}

}  // namespace vport_clients_test
