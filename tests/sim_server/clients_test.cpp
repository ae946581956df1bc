// Clients that break the protocol, byte by byte: the server drops them with one log line, and
// serves the others.

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/smp.h"
#include "sim/server/simulator.h"
#include "sm/ctl/topology/topology.h"

namespace sim::server {
namespace clients_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Both sockets of a client.
class RawClient {
 public:
  RawClient(const std::string& base, std::uint32_t id) : base_(base), id_(id) {
    control_ = bound(wire::client_control_name(base, id));
    data_ = bound(wire::client_data_name(base, id));
    connect_to(control_, wire::control_name(base));
  }
  ~RawClient() {
    close(control_);
    close(data_);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  std::optional<wire::Control> request(wire::Control record, int timeout_ms = 2000) {
    if (::send(control_, &record, sizeof record, 0) < 0) return std::nullopt;
    pollfd readable{control_, POLLIN, 0};
    if (poll(&readable, 1, timeout_ms) <= 0 ||
        recv(control_, &record, sizeof record, 0) != sizeof record)
      return std::nullopt;
    return record;
  }
  std::optional<wire::Control> request(wire::ControlType type) {
    return request({.client = client_, .type = type});
  }
  bool attach(const std::string& node, bool requests = false) {
    wire::Attach attach;
    attach.id = id_;
    attach.issm = requests ? 1 : 0;
    std::copy_n(node.begin(), std::min<std::size_t>(node.size(), 31), attach.nodeid.begin());
    wire::Control record;
    record.type = wire::ControlType::connect;
    std::memcpy(record.data.data(), &attach, sizeof attach);
    const auto answer = request(record);
    if (!answer || answer->type == wire::ControlType::error) return false;
    std::memcpy(&attach, answer->data.data(), sizeof attach);
    client_ = attach.id;
    node_ = attach.nodeid.data();
    connect_to(data_, wire::server_data_name(base_, client_));
    return true;
  }
  void send_bytes(const void* bytes, std::size_t size) {
    [[maybe_unused]] const ssize_t sent = ::send(data_, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  void send_control_bytes(const void* bytes, std::size_t size) {
    [[maybe_unused]] const ssize_t sent = ::send(control_, bytes, size, 0);
  }
  static wire::Packet get(mad::AttributeId attribute, std::uint64_t id) {
    wire::Packet packet;
    packet.dlid = packet.slid = wire::NetLid::of(0xFFFF);
    packet.length_be = htobe64(packet.mad.size());
    mad::SmpView smp{std::span<std::uint8_t, mad::kMadBytes>(packet.mad)};
    smp.set_base_version(1);
    smp.set_mgmt_class(mad::MgmtClass::sm_directed);
    smp.set_class_version(1);
    smp.set_method(mad::Method::get);
    smp.set_transaction_id(id);
    smp.set_attribute_id(attribute);
    smp.set_dr_slid(mad::kPermissiveLid);
    smp.set_dr_dlid(mad::kPermissiveLid);
    return packet;
  }
  std::optional<wire::Packet> receive(int timeout_ms = 2000) {
    wire::Packet packet;
    pollfd readable{data_, POLLIN, 0};
    if (poll(&readable, 1, timeout_ms) <= 0 ||
        recv(data_, &packet, sizeof packet, MSG_DONTWAIT) != sizeof packet)
      return std::nullopt;
    return packet;
  }
  bool served(std::uint64_t id = 1, int timeout_ms = 2000) {
    const wire::Packet request = get(mad::AttributeId::node_info, id);
    send_bytes(&request, sizeof request);
    const auto answer = receive(timeout_ms);
    return answer && answer->status() == 0 &&
           (mad::ConstSmpView(std::span<const std::uint8_t, mad::kMadBytes>(answer->mad))
                .transaction_id() &
            0xFFFFFFFF) == id;
  }
  unsigned client() const { return client_; }
  const std::string& node() const { return node_; }

 private:
  static int bound(const std::string& name) {
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const wire::SocketAddress address = wire::socket_address(name);
    EXPECT_EQ(bind(fd, address.get(), address.length), 0) << name;
    return fd;
  }
  static void connect_to(int fd, const std::string& name) {
    const wire::SocketAddress address = wire::socket_address(name);
    EXPECT_EQ(::connect(fd, address.get(), address.length), 0) << name;
  }
  std::string base_, node_;
  std::uint32_t id_;
  unsigned client_ = 0;
  int control_ = -1, data_ = -1;
};

class SimServerClients : public ::testing::Test {
 protected:
  void SetUp() override {
    SimulatorSettings settings;
    settings.socket = {.base = base_, .answer_timeout = 100ms};
    simulator_.emplace(row({.switches = 2, .cables = 1, .hosts_per_switch = 2}), settings,
                       [this](std::string_view line) {
                         const std::lock_guard lock(mutex_);
                         lines_.emplace_back(line);
                         more_lines_.notify_all();
                       });
    thread_ = std::thread([this] { simulator_->run(); });
  }
  void TearDown() override {
    simulator_->stop();
    thread_.join();
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// Waits until the log has this many lines. A test that expects no further lines first waits for
  /// the answer to a later request.
  std::vector<std::string> wait_lines(std::size_t count) {
    std::unique_lock lock(mutex_);
    more_lines_.wait_for(lock, 20s, [&] { return lines_.size() >= count; });
    return lines_;
  }

  std::string base_ = "heddle-clients-" + std::to_string(getpid());
  std::optional<Simulator> simulator_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable more_lines_;
  std::vector<std::string> lines_;
};

TEST_F(SimServerClients, AnswersRequestsOnTheControlSocket) {
  RawClient client(base_, 1001);
  ASSERT_TRUE(client.attach("H1"));
  EXPECT_EQ(client.node(), "H1");
  std::uint64_t guid = 0;
  std::memcpy(&guid, client.request(wire::ControlType::get_guid)->data.data(), sizeof guid);
  const mad::NodeInfo node{
      std::span<const std::uint8_t, 64>(client.request(wire::ControlType::get_node_info)->data)};
  EXPECT_EQ(node.node_guid().value + 1, guid);
  EXPECT_EQ(node.port_guid().value, guid);
  EXPECT_EQ(node.local_port_num(), mad::PortNum{1});
  const mad::PortInfo port{
      std::span<const std::uint8_t, 64>(client.request(wire::ControlType::get_port_info)->data)};
  EXPECT_EQ(port.port_state(), mad::PortState::init);
  const auto keys = client.request(wire::ControlType::get_p_keys);
  EXPECT_EQ(keys->data[0], 0xFF);
  EXPECT_EQ(client.request(wire::ControlType::get_vendor)->type, wire::ControlType::get_vendor);
  EXPECT_EQ(client.request(wire::ControlType::get_gid)->type, wire::ControlType::get_gid);
  EXPECT_EQ(client.request(wire::ControlType::get_port)->data[2], 2);
  EXPECT_EQ(client.request(wire::ControlType::disconnect)->type, wire::ControlType::disconnect);
  EXPECT_TRUE(lines().empty());
}

TEST_F(SimServerClients, TheDriverReadsItsDeviceWhateverMKeyProtectsIt) {
  RawClient client(base_, 1003);
  ASSERT_TRUE(client.attach("H1"));
  mad::PortInfo port{
      std::span<const std::uint8_t, 64>(client.request(wire::ControlType::get_port_info)->data)};
  port.set_m_key({7});
  port.set_m_key_protect_bits(2);
  port.set_lid({9});
  port.set_port_state(mad::PortState::no_change);
  port.set_port_physical_state(mad::PortPhysicalState::no_change);
  wire::Packet set = RawClient::get(mad::AttributeId::port_info, 5);
  mad::SmpView smp{std::span<std::uint8_t, mad::kMadBytes>(set.mad)};
  smp.set_method(mad::Method::set);
  smp.set_attribute_modifier(1);
  smp.set_data(port.bytes());
  client.send_bytes(&set, sizeof set);
  ASSERT_TRUE(client.receive());
  EXPECT_FALSE(client.served(6)) << "a program needs the key";
  const auto read = [&](mad::AttributeId attribute, std::uint32_t modifier) {
    wire::Control record{.client = client.client(), .type = wire::ControlType::read_attribute};
    const wire::ReadAttribute wanted{static_cast<std::uint32_t>(attribute), modifier};
    std::memcpy(record.data.data(), &wanted, sizeof wanted);
    return client.request(record);
  };
  const auto node = read(mad::AttributeId::node_info, 0);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->type, wire::ControlType::read_attribute);
  EXPECT_EQ(mad::NodeInfo(std::span<const std::uint8_t, 64>(node->data)).local_port_num(),
            mad::PortNum{1});
  const auto info = read(mad::AttributeId::port_info, 1);
  EXPECT_EQ(mad::PortInfo(std::span<const std::uint8_t, 64>(info->data)).lid(), mad::Lid{9});
}

TEST_F(SimServerClients, AClientThatIsNoManagerAnyMoreStillGetsTheRequestsThatItAttachedFor) {
  const auto set_is_sm = [](RawClient& client, std::uint32_t on) {
    wire::Control record{.client = client.client(), .type = wire::ControlType::set_is_sm};
    std::memcpy(record.data.data(), &on, sizeof on);
    ASSERT_TRUE(client.request(record));
  };
  RawClient all(base_, 1004), some(base_, 1005);
  ASSERT_TRUE(all.attach("H0", true));
  ASSERT_TRUE(some.attach("H1"));
  for (const std::uint32_t on : {1u, 0u}) {
    set_is_sm(all, on);
    set_is_sm(some, on);
    for (const ClientInfo& client : simulator_->server()->clients()) {
      EXPECT_EQ(client.is_sm, on == 1);
      EXPECT_EQ(client.receives_requests, on == 1 || client.number == all.client());
    }
  }
}

TEST_F(SimServerClients, AttachesByNameGuidAndPort) {
  for (const auto& [place, node] : std::vector<std::pair<std::string, std::string>>{
           {"", "H0"}, {"S1", "S1"}, {"S1:3", "S1"}, {"H3:1", "H3"}}) {
    RawClient client(base_, 1100);
    EXPECT_TRUE(client.attach(place)) << place;
    EXPECT_EQ(client.node(), node);
    client.request(wire::ControlType::disconnect);
  }
  RawClient client(base_, 1101);
  EXPECT_FALSE(client.attach("unknown"));
  EXPECT_THAT(lines().back(), HasSubstr("\"unknown\""));
}

TEST_F(SimServerClients, ARequestWithoutAnswerTimesOut) {
  RawClient client(base_, 1002);
  ASSERT_TRUE(client.attach("H0"));
  wire::Packet request = RawClient::get(mad::AttributeId::node_info, 5);
  mad::SmpView smp{std::span<std::uint8_t, mad::kMadBytes>(request.mad)};
  smp.set_hop_count(1);
  smp.initial_path()[1] = 77;
  client.send_bytes(&request, sizeof request);
  const auto back = client.receive();
  ASSERT_TRUE(back);
  EXPECT_EQ(back->status(), wire::kStatusTimedOut);
}

TEST_F(SimServerClients, SeveralClientsAtAPortReceiveTheirOwnAnswers) {
  RawClient a(base_, 1003), b(base_, 1004);
  ASSERT_TRUE(a.attach("H0"));
  ASSERT_TRUE(b.attach("H0"));
  const wire::Packet one = RawClient::get(mad::AttributeId::node_info, 42),
                     two = RawClient::get(mad::AttributeId::port_info, 42);
  a.send_bytes(&one, sizeof one);
  b.send_bytes(&two, sizeof two);
  const auto for_a = a.receive(), for_b = b.receive();
  ASSERT_TRUE(for_a && for_b);
  EXPECT_EQ(
      mad::ConstSmpView(std::span<const std::uint8_t, mad::kMadBytes>(for_a->mad)).attribute_id(),
      mad::AttributeId::node_info);
  EXPECT_EQ(
      mad::ConstSmpView(std::span<const std::uint8_t, mad::kMadBytes>(for_b->mad)).attribute_id(),
      mad::AttributeId::port_info);
  EXPECT_FALSE(a.receive(50));
  EXPECT_FALSE(b.receive(50));
}

TEST_F(SimServerClients, InvalidPacketsOnTheDataSocketDropTheClient) {
  RawClient good(base_, 1005);
  ASSERT_TRUE(good.attach("H0"));
  const std::string many(1000, 'x');
  wire::Packet long_mad = RawClient::get(mad::AttributeId::node_info, 1);
  long_mad.length_be = htobe64(257);
  std::size_t expected = 0;
  for (const auto& [bytes, size] : std::vector<std::pair<const void*, std::size_t>>{
           {many.data(), 5}, {many.data(), 1000}, {&long_mad, sizeof long_mad}, {many.data(), 0}}) {
    RawClient bad(base_, 1006);
    ASSERT_TRUE(bad.attach("H1"));
    for (int i = 0; i < 3; ++i) bad.send_bytes(bytes, size);
    wait_lines(++expected);
    EXPECT_TRUE(good.served(100 + expected));
    const auto seen = lines();
    ASSERT_EQ(seen.size(), expected);
    EXPECT_THAT(seen.back(), HasSubstr("is dropped"));
    EXPECT_FALSE(bad.served(1, 100));
    EXPECT_TRUE(good.served(expected));
  }
}

TEST_F(SimServerClients, InvalidRecordsOnTheControlSocketDropAnAttachedClient) {
  RawClient good(base_, 1007), bad(base_, 1008), other(base_, 1009);
  ASSERT_TRUE(good.attach("H0"));
  ASSERT_TRUE(bad.attach("H1"));
  wire::Control wrong;
  wrong.magic = 7;
  for (int i = 0; i < 100; ++i) other.send_control_bytes(&wrong, sizeof wrong);
  ASSERT_TRUE(good.request(wire::ControlType::get_guid)) << "which is sent after the others";
  EXPECT_EQ(wait_lines(1).size(), 1u) << "a line per second at most";
  bad.send_control_bytes(&wrong, sizeof wrong);
  EXPECT_THAT(wait_lines(2).back(), HasSubstr("is dropped"));
  ASSERT_TRUE(bad.attach("H1"));
  const auto unknown =
      bad.request({.client = bad.client(), .type = static_cast<wire::ControlType>(99)});
  EXPECT_EQ(unknown->type, wire::ControlType::error);
  EXPECT_THAT(wait_lines(3).back(), HasSubstr("type 99"));
  const auto not_mine =
      other.request({.client = good.client(), .type = wire::ControlType::disconnect});
  EXPECT_EQ(not_mine->type, wire::ControlType::error);
  EXPECT_TRUE(good.served());
}

TEST_F(SimServerClients, AClientThatDisappearsIsDroppedAndItsIsSmCleared) {
  RawClient good(base_, 1010);
  ASSERT_TRUE(good.attach("H1"));
  const auto is_sm = [&] {
    const mad::PortInfo port{
        std::span<const std::uint8_t, 64>(good.request(wire::ControlType::get_port_info)->data)};
    return (port.capability_mask() & mad::capability::kIsSm) != 0;
  };
  {
    RawClient ended(base_, 1011);
    ASSERT_TRUE(ended.attach("H1"));
    wire::Control record{.client = ended.client(), .type = wire::ControlType::set_is_sm};
    record.data[0] = 1;
    ASSERT_EQ(ended.request(record)->type, wire::ControlType::set_is_sm);
    EXPECT_TRUE(is_sm());
  }
  wait_lines(1);
  EXPECT_TRUE(good.served(2));
  const auto seen = lines();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_THAT(seen[0], HasSubstr("disappeared"));
  EXPECT_FALSE(is_sm());
  EXPECT_TRUE(good.served());
}

TEST_F(SimServerClients, AClientThatDoesNotReadDelaysNoOther) {
  RawClient good(base_, 1012), lazy(base_, 1013);
  ASSERT_TRUE(good.attach("H0"));
  ASSERT_TRUE(lazy.attach("H0"));
  const wire::Packet request = RawClient::get(mad::AttributeId::node_info, 1);
  for (int i = 0; i < 60'000; ++i) lazy.send_bytes(&request, sizeof request);
  for (std::uint64_t id = 1; id <= 100; ++id) ASSERT_TRUE(good.served(id)) << id;
  EXPECT_TRUE(lines().empty());
  EXPECT_TRUE(lazy.receive());
}

TEST_F(SimServerClients, ServesHundredsOfClients) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::uint32_t i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<RawClient>(base_, 2000 + i));
    ASSERT_TRUE(clients.back()->attach(i % 2 == 0 ? "H0" : "H1")) << i;
  }
  for (auto& client : clients) ASSERT_TRUE(client->served());
}

}  // namespace clients_test
}  // namespace sim::server
