#include "unit/sim/world/requester.h"

#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"
#include "support/client/linux_function.h"
#include "support/client/sa_client.h"

// Programs on vports, and what reaches them.
namespace vport_programs_test {

using requester::Requester;
using namespace std::chrono_literals;

constexpr mad::PKey kTenant{0x8005};

/// H0 and H3 have a vport of their own LID (1) and one that shares the port's (2), all Active, all
/// with the keys of the tenant at index 1.
struct VPortPrograms : testing::Test {
  VPortPrograms() : a(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})) {
    a.bring_up();
    std::uint16_t lid = 40;
    for (const char* const host : {"H0", "H3"}) {
      const sim::PortIndex port = a.port(host);
      sim::enable_virtualization(a.world, port, 8);
      mad::VirtualizationInfo info = sim::virtualization_info(a.world.model.ports[port]);
      info.set_virtualization_enable(true);
      std::ranges::copy(info.bytes(), a.world.model.extras(port).virtualization_info.begin());
      for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}})
        sim::create_vport(a.world, port, index,
                          {.guid = {lid + 0x1000u + index}, .lid_required = index == 1});
      for (auto& [index, vport] : a.world.model.extras(port).vports) {
        mad::VPortInfo vport_data = sim::vport_info(vport);
        vport_data.set_vport_state(mad::PortState::active);
        if (index == 1) vport_data.set_vport_lid({lid});
        sim::set_vport_info(vport, vport_data);
        mad::PKeyTable keys = sim::vport_p_keys(a.world.model, port, index, 0);
        keys.set_p_key(1, kTenant);
        if (index != 0) sim::set_vport_p_keys(a.world.model, port, index, 0, keys);
      }
      for (sim::NodeModel& node : a.world.model.nodes) {
        if (!node.is_switch()) continue;
        node.sw->info.set_linear_fdb_top(60);
        node.sw->lft[lid] = node.sw->lft[a.lid(host).value];
      }
      lid = 50;
    }
  }

  struct Program {
    std::unique_ptr<sim::Attachment> attachment;
    std::vector<mad::ReceivedMad> received;
  };
  std::unique_ptr<Program> on(const char* host, std::uint16_t vport) {
    auto program = std::make_unique<Program>();
    program->attachment = a.world.attach(a.port(host), vport);
    program->attachment->set_receiver([of = program.get()](std::span<const mad::ReceivedMad> mads) {
      of->received.insert(of->received.end(), mads.begin(), mads.end());
    });
    return program;
  }
  const sim::PortModel& model(const char* host) { return a.world.model.ports[a.port(host)]; }
  mad::Gid gid(const char* host, std::uint16_t vport) { return sim::vport_gid(model(host), vport); }
  mad::MadAddress to(const char* host, std::uint16_t vport, bool grh, std::uint16_t key = 1) {
    mad::MadAddress address{.lid = sim::vport_lid(model(host), vport),
                            .qpn = 1,
                            .qkey = mad::kQp1QKey,
                            .pkey_index = key};
    if (grh) address.grh = mad::GlobalRoute{.peer = gid(host, vport), .hop_limit = 1};
    return address;
  }
  /// A ping of a vendor's class, as ibping sends it.
  void ping(Program& from, const mad::MadAddress& to, mad::Method method = mad::Method::get) {
    mad::MadBytes bytes{};
    mad::MadView mad(bytes);
    mad.set_base_version(mad::kBaseVersion);
    mad.set_mgmt_class(static_cast<mad::MgmtClass>(0x32));
    mad.set_class_version(1);
    mad.set_method(method == mad::Method::get ? mad::Method::report : mad::Method::report_resp);
    mad.set_transaction_id(++transaction);
    EXPECT_EQ(from.attachment->send(bytes, to, 100), 0);
    a.runtime.run_for(100us);
  }
  Requester a;
  std::uint64_t transaction = 7;
};

TEST_F(VPortPrograms, ReceiveByLidOrByGid) {
  const auto own = on("H3", 1), shared = on("H3", 2), port = on("H3", 0), sender = on("H0", 1);
  ping(*sender, to("H3", 1, false));
  EXPECT_EQ(own->received.size(), 1u);
  ping(*sender, to("H3", 2, true));
  ASSERT_EQ(shared->received.size(), 1u);
  EXPECT_EQ(shared->received.front().from.lid, mad::Lid{40});
  EXPECT_EQ(shared->received.front().from.pkey_index, 1);
  ASSERT_TRUE(shared->received.front().from.grh);
  EXPECT_EQ(shared->received.front().from.grh->peer, gid("H0", 1));
  EXPECT_TRUE(port->received.empty());
  ping(*sender, to("H3", 2, false, 0));
  EXPECT_EQ(shared->received.size(), 1u) << "without a GRH it is for the physical function";
  EXPECT_EQ(port->received.size(), 1u);
}

TEST_F(VPortPrograms, OfOneHostReachEachOther) {
  const auto one = on("H0", 1), other = on("H0", 2);
  ping(*one, to("H0", 2, true));
  ASSERT_EQ(other->received.size(), 1u);
  mad::MadAddress back = other->received.front().from;
  ping(*other, back, mad::Method::get_resp);
  EXPECT_EQ(one->received.size(), 1u);
}

TEST_F(VPortPrograms, SendTheirOwnKeysWhileActive) {
  const auto sender = on("H0", 2), receiver = on("H3", 1);
  sim::set_vport_p_keys(a.world.model, a.port("H3"), 1, 0, {});
  ping(*sender, to("H3", 1, true));
  EXPECT_TRUE(receiver->received.empty());
  mad::PKeyTable keys;
  keys.set_p_key(0, kTenant);
  sim::set_vport_p_keys(a.world.model, a.port("H3"), 1, 0, keys);
  ping(*sender, to("H3", 1, true));
  EXPECT_EQ(receiver->received.size(), 1u);
  ping(*sender, to("H3", 1, true, 2));
  EXPECT_EQ(receiver->received.size(), 1u) << "there is no key at index 2";
  sim::bind_vport(a.world, a.port("H0"), 2, false);
  ping(*sender, to("H3", 1, true));
  EXPECT_EQ(receiver->received.size(), 1u);
  EXPECT_EQ(sim::vport_info(a.world.model.ports[a.port("H3")], 1).p_key_violations(), 1);
}

TEST_F(VPortPrograms, HaveNoSmi) {
  const auto program = on("H0", 1);
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::node_info, 0,
                   *mad::DirectedRoute::of({}), {}, 9);
  EXPECT_EQ(program->attachment->send(bytes, {}, 100), EPROTONOSUPPORT);
  program->attachment->set_is_sm(true);
  EXPECT_FALSE(a.world.has_subnet_manager(a.port("H0")));
}

/// Answers each SA request with itself, with or without a GRH.
struct EchoAdministration {
  EchoAdministration(sim::World& world, sim::PortIndex port) : attachment(world.attach(port)) {
    attachment->set_is_sm(true);
    attachment->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& mad : mads) {
        mad::MadBytes bytes = mad.bytes;
        if (mad::MadView(bytes).mgmt_class() != mad::MgmtClass::sa) continue;
        from.push_back(mad.from);
        mad::MadAddress back = mad.from;
        if (!with_grh) back.grh.reset();
        mad::MadView(bytes).set_method(mad::Method::get_resp);
        attachment->send(bytes, back, 0);
      }
    });
  }
  std::unique_ptr<sim::Attachment> attachment;
  std::vector<mad::MadAddress> from;
  bool with_grh = true;
};

TEST_F(VPortPrograms, GetAnswersOfAdministrationByTheirGid) {
  EchoAdministration administration(a.world, a.port("H1"));
  for (const char* const host : {"H0", "H3"}) a.info(host).set_master_sm_lid(a.lid("H1"));
  sim::SaClient own(a.runtime, a.world, a.port("H0"), 1),
      shared(a.runtime, a.world, a.port("H0"), 2);
  EXPECT_EQ(own.lid(), mad::Lid{40});
  EXPECT_EQ(shared.lid(), a.lid("H0"));
  EXPECT_TRUE(own.query({.attribute = mad::SaAttributeId::node_record}));
  EXPECT_FALSE(administration.from.back().grh) << "its LID is its own";
  EXPECT_TRUE(shared.query({.attribute = mad::SaAttributeId::node_record}));
  ASSERT_TRUE(administration.from.back().grh);
  EXPECT_EQ(administration.from.back().grh->peer, gid("H0", 2));
  administration.with_grh = false;
  EXPECT_TRUE(own.query({.attribute = mad::SaAttributeId::node_record}));
  EXPECT_FALSE(shared.query({.attribute = mad::SaAttributeId::node_record}))
      << "an answer without a GRH is lost";
}

/// mlx5_ib has no event for another SM LID.
TEST_F(VPortPrograms, UnderLinuxKeepTheirManagerUntilAnEvent) {
  for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}}) {
    sim::LinuxFunction function(a.runtime, a.world, {a.port("H0"), index});
    function.poll();
    const mad::Lid before = function.manager().lid;
    a.world.model.ports[a.port("H0")].info.set_master_sm_lid(
        {static_cast<std::uint16_t>(70 + index)});
    function.poll();
    EXPECT_EQ(function.manager().lid, before);
    function.client_reregister();
    function.poll();
    EXPECT_EQ(function.events().back(), sim::FunctionEvent::client_reregister);
    EXPECT_EQ(function.manager().lid.value, 70 + index);
    EXPECT_EQ(function.manager().grh.has_value(), index == 2) << "it shares the LID of its port";
  }
}

TEST_F(VPortPrograms, UnderLinuxRequestWithTheDefaultPartitionsKey) {
  sim::LinuxFunction function(a.runtime, a.world, {a.port("H0"), 1});
  function.poll();
  const auto set_keys = [&](std::initializer_list<std::uint16_t> keys) {
    mad::PKeyTable table;
    unsigned entry = 0;
    for (const std::uint16_t key : keys) table.set_p_key(entry++, {key});
    sim::set_vport_p_keys(a.world.model, a.port("H0"), 1, 0, table);
    function.poll();
    EXPECT_EQ(function.events().back(), sim::FunctionEvent::p_key_change);
  };
  set_keys({0x8005, 0x7FFF});
  EXPECT_EQ(function.manager().pkey_index, 1);
  EXPECT_EQ(function.partition(), mad::PKey{0x8005});
  set_keys({0x0006, 0x7FFF, 0xFFFF});
  EXPECT_EQ(function.manager().pkey_index, 2) << "full membership first";
  EXPECT_EQ(function.partition(), mad::PKey{0x8006});
}

TEST_F(VPortPrograms, UnderLinuxThePhysicalFunctionShowsVPortZero) {
  sim::LinuxFunction function(a.runtime, a.world, {a.port("H0"), 0});
  function.poll();
  EXPECT_EQ(function.attributes().state, mad::PortState::active);
  sim::VPort& vport = a.world.model.extras(a.port("H0")).vports.at(0);
  mad::VPortInfo info = sim::vport_info(vport);
  info.set_vport_state(mad::PortState::init);
  sim::set_vport_info(vport, info);
  function.poll();
  EXPECT_EQ(model("H0").info.port_state(), mad::PortState::active);
  EXPECT_EQ(function.attributes().state, mad::PortState::init);
  EXPECT_EQ(function.events().back(), sim::FunctionEvent::port_error);
}

}  // namespace vport_programs_test
