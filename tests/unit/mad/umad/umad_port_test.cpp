#include "mad/umad/umad_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "mad/format.h"
#include "mad/smp.h"
#include "mad/smp_client.h"
#include "unit/mad/umad/fake_umad.h"

namespace umad_port_test {

using fake_umad::kernel;
using mad::umad::IssmHold;
using mad::umad::LocalPort;
using mad::umad::UmadPort;
using testing::HasSubstr;
using namespace std::chrono_literals;

LocalPort local_port() {
  return {.device = "mlx5_0", .number = 1, .guid = mad::Guid{0x2c9000000042}, .state = 4};
}

class UmadPortTest : public testing::Test {
 protected:
  UmadPortTest() { kernel().reset(); }
  ~UmadPortTest() override { port.reset(); }

  void open() {
    auto opened = UmadPort::open(local_port(), *runtime);
    ASSERT_TRUE(opened) << opened.error();
    port = std::move(*opened);
    port->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      EXPECT_EQ(std::this_thread::get_id(), test_thread);
      received.insert(received.end(), mads.begin(), mads.end());
      ++batches;
    });
  }
  /// Runs the loop until `count` MADs were received, or for five real seconds.
  void wait_for(std::size_t count) {
    for (int i = 0; i < 500 && received.size() < count; ++i) {
      context.restart();
      context.run_for(10ms);
    }
    EXPECT_EQ(received.size(), count);
  }
  /// Runs the loop until this is true, under the kernel's mutex, or for five real seconds.
  void wait_until(const std::function<bool()>& is_true) {
    const auto holds = [&] {
      const std::lock_guard lock(kernel().mutex);
      return is_true();
    };
    for (int i = 0; i < 500 && !holds(); ++i) {
      context.restart();
      context.run_for(10ms);
    }
    EXPECT_TRUE(holds());
  }
  static fake_umad::Arrival arrival(std::uint32_t number) {
    fake_umad::Arrival out;
    mad::make_dr_smp(out.bytes, mad::Method::get_resp, mad::AttributeId::port_info, number, {}, {},
                     number);
    out.lid = 17;
    return out;
  }
  static std::uint32_t number_from(const mad::ReceivedMad& mad) {
    return mad::ConstSmpView{std::span<const std::uint8_t, mad::kMadSizeBytes>(mad.bytes)}
        .attribute_modifier();
  }

  boost::asio::io_context context;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> stays_open =
      boost::asio::make_work_guard(context);  // or run_for() returns at once
  std::unique_ptr<mad::Runtime> runtime = mad::make_asio_runtime(context.get_executor());
  std::unique_ptr<UmadPort> port;
  std::vector<mad::ReceivedMad> received;
  unsigned batches = 0;
  std::thread::id test_thread = std::this_thread::get_id();
};

TEST_F(UmadPortTest, RegistersAnAgentForEachClassAndUnregistersThem) {
  open();
  {
    const std::lock_guard lock(kernel().mutex);
    // SMPs of both kinds, SA, counters, congestion control, and the two classes that have keys.
    ASSERT_EQ(kernel().registered.size(), 7u);
    EXPECT_EQ(kernel().registered[0].first, 0x81u);
    EXPECT_EQ(kernel().registered[1].first, 0x01u);
    EXPECT_EQ(kernel().registered[2].first, 0x03u);
    // Agents receive Get, Set, Trap and TrapRepress; responses are delivered by their transaction.
    EXPECT_EQ(kernel().registered[1].second[0], (1 << 1) | (1 << 2) | (1 << 5) | (1 << 7));
    EXPECT_EQ(kernel().registered[2].second[0] & ((1 << 5) | (1 << 6)), 0)
        << "Trap and Report of subnet administration are for other programs";
    EXPECT_EQ(kernel().registered[3].first, 0x04u);
    EXPECT_EQ(kernel().registered[3].second, (std::array<long, 2>{}))
        << "queries about the own counters are for the kernel's agent";
    EXPECT_EQ(kernel().registered[4].first, 0x21u);
    EXPECT_EQ(kernel().registered[5].first, 0x0Au);
    EXPECT_EQ(kernel().registered[6].first, 0x0Cu);
    for (const std::size_t agent : {5u, 6u})
      EXPECT_EQ(kernel().registered[agent].second[0], 1 << 5) << "traps about wrong keys";
  }
  port.reset();
  EXPECT_EQ(kernel().unregistered, (std::set{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(kernel().closed);
}

TEST_F(UmadPortTest, ARefusedAgentIsReportedAsAPossibleSecondSm) {
  kernel().refused_class = 0x01;
  const auto opened = UmadPort::open(local_port(), *runtime);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(),
            "mlx5_0 port 1, GUID 0x00002c9000000042, Active: cannot register an agent for "
            "management class 0x01: Device or resource busy "
            "(is another subnet manager running on this port?)");
  EXPECT_EQ(kernel().unregistered, (std::set{0}))
      << "the agent that was registered before is unregistered";
  EXPECT_TRUE(kernel().closed);
}

TEST_F(UmadPortTest, ADeviceOfItsOwnForQp1CarriesSaAndCounters) {
  LocalPort paired = local_port();
  paired.gsi_device = "mlx5_0_gsi";
  paired.gsi_number = 1;
  const auto opened = UmadPort::open(paired, *runtime);
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_EQ(kernel().opened, (std::vector<std::string>{"mlx5_0", "mlx5_0_gsi"}));
  mad::MadBytes bytes{1};
  for (const unsigned mgmt_class : {0x81u, 0x01u, 0x03u, 0x04u}) {
    bytes[1] = static_cast<std::uint8_t>(mgmt_class);
    EXPECT_EQ((*opened)->send(bytes, {}, 0), 0);
  }
  wait_until([] { return kernel().sent.size() == 4; });
  std::vector<int> ids;
  for (const fake_umad::Sent& sent : kernel().sent) ids.push_back(sent.port_id);
  const int qp0 = fake_umad::Kernel::kFirstPortId, qp1 = qp0 + 1;
  EXPECT_EQ(ids, (std::vector{qp0, qp0, qp1, qp1}));
}

TEST_F(UmadPortTest, APortWithoutQp0IsReportedAsSuch) {
  kernel().refused_class = 0x81;
  kernel().refusal = EPROTONOSUPPORT;
  const auto opened = UmadPort::open(local_port(), *runtime);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error(), testing::HasSubstr("Protocol not supported (the port has no QP0: a "
                                                 "virtual function"));
  EXPECT_THAT(opened.error(), testing::Not(testing::HasSubstr("another subnet manager")));
}

TEST_F(UmadPortTest, DevicesOfAnotherNetworkNamespaceAreReportedAsSuch) {
  kernel().open_error = EPERM;
  const auto opened = UmadPort::open(local_port(), *runtime);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error(), testing::HasSubstr("Operation not permitted (RDMA devices of this "
                                                 "machine are in one network namespace"));
  EXPECT_THAT(opened.error(), testing::HasSubstr("PrivateNetwork=no"));
}

TEST_F(UmadPortTest, APortWithoutAnAgentForCountersServesAllElse) {
  kernel().refused_class = 0x04;
  open();
  mad::MadBytes bytes{};
  bytes[1] = 0x04;
  EXPECT_EQ(port->send(bytes, {}, 0), EPROTONOSUPPORT);
  bytes[1] = 0x01;
  EXPECT_EQ(port->send(bytes, {}, 0), 0);
}

TEST_F(UmadPortTest, CountersArePassedAFewAtATime) {
  open();
  std::size_t largest = 0;
  port->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    received.insert(received.end(), mads.begin(), mads.end());
    if (mads.front().bytes[1] == 0x04) largest = std::max(largest, mads.size());
  });
  constexpr std::uint32_t kCount = 2000;
  std::jthread network([] {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      fake_umad::Arrival counters = arrival(i);
      counters.bytes[1] = 0x04;
      kernel().deliver(counters);
    }
    for (std::uint32_t i = 0; i < 10; ++i) kernel().deliver(arrival(i));
  });
  wait_for(kCount + 10);
  EXPECT_LE(largest, 32u);
  EXPECT_EQ(port->dropped().performance, 0u);
}

TEST_F(UmadPortTest, AnErrorNamesTheDevice) {
  kernel().open_error = EACCES;
  const auto opened = UmadPort::open(local_port(), *runtime);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(),
            "cannot open the umad device of mlx5_0 port 1, GUID 0x00002c9000000042, Active: "
            "Permission denied");
}

class UmadPortDescriptors : public UmadPortTest, public testing::WithParamInterface<bool> {};

/// Descriptors that can be read until they are empty, and those that only understand poll().
TEST_P(UmadPortDescriptors, MadsArriveInOrderOnTheRuntimesThread) {
  if (!GetParam()) kernel().device_fd = -1;
  open();
  constexpr std::uint32_t kCount = 3000;
  std::jthread network([] {
    for (std::uint32_t i = 0; i < kCount; ++i) kernel().deliver(arrival(i));
  });
  wait_for(kCount);
  for (std::uint32_t i = 0; i < received.size(); ++i) ASSERT_EQ(number_from(received[i]), i);
  EXPECT_EQ(received[0].from.lid, mad::Lid{17});
  EXPECT_EQ(received[0].size, mad::kMadSizeBytes);
  EXPECT_EQ(received[0].send_errno, 0);
}

INSTANTIATE_TEST_SUITE_P(NonBlocking, UmadPortDescriptors, testing::Bool());

TEST_F(UmadPortTest, MadsBeforeTheReceiverIsSetAreKept) {
  open();
  port->set_receiver({});
  kernel().deliver(arrival(1));
  context.run_for(50ms);
  EXPECT_TRUE(received.empty());
  port->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
    received.insert(received.end(), mads.begin(), mads.end());
  });
  wait_for(1);
}

TEST_F(UmadPortTest, AFloodOfSaRequestsLosesNoSmp) {
  open();
  constexpr std::uint8_t kSaClass = 0x03;
  constexpr std::uint32_t kFlood = 5000, kInbox = 4096, kSmps = 100;
  for (std::uint32_t i = 0; i < kFlood; ++i) {
    fake_umad::Arrival request = arrival(i);
    request.bytes[1] = kSaClass;
    kernel().deliver(request);
  }
  for (std::uint32_t i = 0; i < kSmps; ++i) kernel().deliver(arrival(i));
  const auto is_read = [] {
    const std::lock_guard lock(kernel().mutex);
    return kernel().arrivals.empty();
  };
  while (!is_read()) std::this_thread::yield();
  wait_for(kInbox + kSmps);
  EXPECT_EQ(std::ranges::count_if(
                received, [](const mad::ReceivedMad& mad) { return mad.bytes[1] != kSaClass; }),
            kSmps);
  EXPECT_EQ(port->dropped().sa, kFlood - kInbox);
  EXPECT_EQ(port->dropped().smps, 0u);
}

TEST_F(UmadPortTest, MessagesLongerThanAMadDoNotStopTheOthers) {
  open();
  fake_umad::Arrival large = arrival(1);
  large.length = 4000;
  kernel().deliver(large);
  kernel().deliver(arrival(2));
  for (int i = 0; i < 200 && (received.empty() || number_from(received.back()) != 2); ++i) {
    context.restart();
    context.run_for(10ms);
  }
  ASSERT_FALSE(received.empty());
  EXPECT_EQ(number_from(received.back()), 2u);
}

TEST_F(UmadPortTest, FailedReadsAndShortMadsAreIgnored) {
  open();
  fake_umad::Arrival refused = arrival(1), cut = arrival(2);
  refused.refuse_once = EIO;
  cut.length = 20;
  kernel().deliver(refused);
  kernel().deliver(cut);
  kernel().deliver(arrival(3));
  wait_for(3);
  EXPECT_EQ(received[1].size, 20u);
  EXPECT_EQ(number_from(received[2]), 3u);
}

TEST_F(UmadPortTest, ReturnedRequestsHaveAnErrno) {
  open();
  fake_umad::Arrival back = arrival(1);
  back.status = ETIMEDOUT;
  kernel().deliver(back);
  wait_for(1);
  EXPECT_EQ(received[0].send_errno, ETIMEDOUT);
}

TEST_F(UmadPortTest, SendsByTheAgentOfTheClassWithoutKernelRetries) {
  open();
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::node_info, 0, {}, {}, 1);
  EXPECT_EQ(port->send(bytes, {}, 250), 0);
  mad::make_lid_smp(bytes, mad::Method::trap_repress, mad::AttributeId::notice, 0, {}, 2);
  mad::MadAddress nine;
  nine.lid = mad::Lid{9};
  EXPECT_EQ(port->send(bytes, nine, 0), 0);
  bytes[1] = 0x03;
  EXPECT_EQ(port->send(bytes, nine, 0), 0);
  bytes[1] = 0x06;
  EXPECT_EQ(port->send(bytes, {}, 0), EPROTONOSUPPORT)
      << "device management: no agent is registered";
  EXPECT_EQ(port->send(std::span(bytes).first(10), {}, 0), EINVAL);
  wait_until([] { return kernel().sent.size() == 3; });
  {
    const std::lock_guard lock(kernel().mutex);
    ASSERT_EQ(kernel().sent.size(), 3u);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(kernel().sent[static_cast<std::size_t>(i)].agent, i);
    EXPECT_EQ(kernel().sent[0].lid, 0xFFFF);
    EXPECT_EQ(kernel().sent[1].lid, 9);
    EXPECT_EQ(kernel().sent[0].timeout_ms, 250);
    EXPECT_EQ(kernel().sent[0].retries, 0);
    kernel().send_error = ENOBUFS;
  }
  bytes[1] = 0x81;
  EXPECT_EQ(port->send(bytes, {}, 250), 0);
  wait_for(1);
  EXPECT_EQ(received[0].send_errno, ENOBUFS) << "a refused request is returned";
  EXPECT_TRUE(received[0].refused);
  EXPECT_EQ(received[0].bytes, bytes);
  EXPECT_EQ(port->awaited(), 1) << "the one of before";
  bytes[1] = 0x03;
  EXPECT_EQ(port->send(bytes, nine, 0), 0);
  context.restart();
  context.run_for(20ms);
  EXPECT_EQ(received.size(), 1u) << "nothing waits for a response";
}

/// Firmware that hangs, or ibsim's full sockets.
TEST_F(UmadPortTest, ADeviceThatTakesNoMadsStopsNeitherTheSenderNorWhatArrives) {
  for (const bool holds_mutex : {false, true}) {
    SCOPED_TRACE(holds_mutex);
    kernel().reset();
    received.clear();
    open();
    std::vector<bool> blocked;
    port->set_on_blocked([&](bool now) { blocked.push_back(now); });
    kernel().holds_mutex = holds_mutex;
    kernel().send_blocks = true;
    mad::MadBytes bytes;
    std::size_t refused_at_once = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t number = 0; number < 600; ++number) {
      mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::port_info, number, {}, {},
                       number);
      if (port->send(bytes, {}, 250) == EAGAIN) ++refused_at_once;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
    EXPECT_EQ(refused_at_once, 600 - mad::umad::Outbox::kWaitingMax);
    EXPECT_EQ(port->awaited(), static_cast<int>(mad::umad::Outbox::kWaitingMax));

    // Responses still arrive: each wait for the device is interrupted.
    std::jthread network([] { kernel().deliver(arrival(7)); });
    wait_for(1);
    EXPECT_EQ(received.at(0).send_errno, 0);
    EXPECT_GE(kernel().sends_interrupted, holds_mutex ? 1u : 0u);

    // After a second they are returned unsent, and the operator reads of it.
    wait_for(1 + mad::umad::Outbox::kWaitingMax);
    wait_until([&] { return !blocked.empty(); });
    EXPECT_EQ(blocked, std::vector{true});
    for (std::size_t at = 1; at < received.size(); ++at) {
      ASSERT_TRUE(received[at].refused);
      ASSERT_EQ(received[at].send_errno, EAGAIN);
    }

    kernel().send_blocks = false;
    EXPECT_EQ(port->send(bytes, {}, 250), 0);
    wait_until([&] { return blocked.size() == 2; });
    EXPECT_EQ(blocked, (std::vector{true, false}));
    EXPECT_EQ(kernel().sent.size(), 1u) << "what was returned is not sent later";
    port.reset();
  }
}

TEST_F(UmadPortTest, ClosesADeviceThatTakesNoMads) {
  open();
  kernel().send_blocks = true;
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::node_info, 0, {}, {}, 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(port->send(bytes, {}, 100), 0);
  const auto begin = std::chrono::steady_clock::now();
  port.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_TRUE(kernel().closed);
}

TEST_F(UmadPortTest, WhatWasSentBeforeTheEndIsSent) {
  open();
  mad::MadBytes bytes;
  mad::make_lid_smp(bytes, mad::Method::trap_repress, mad::AttributeId::notice, 0, {}, 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(port->send(bytes, {}, 0), 0);
  port.reset();
  EXPECT_EQ(kernel().sent.size(), 100u);
}

/// Kernels from 4.x to RHEL 8: poll() of a removed device reports no event, reads have nothing, and
/// each write fails.
TEST_F(UmadPortTest, ADeviceThatRefusesSmpsOneAfterTheOtherIsLost) {
  mad::MadBytes smp, report{};
  mad::make_dr_smp(smp, mad::Method::get, mad::AttributeId::node_info, 0, {}, {}, 1);
  report[1] = 0x03;
  for (const int error : {EINVAL, EIO, ENODEV}) {
    kernel().reset();
    open();
    std::vector<int> lost;
    port->set_on_lost([&](int why) { lost.push_back(why); });
    const auto fail = [&](int with) {
      const std::lock_guard lock(kernel().mutex);
      kernel().send_error = with;
    };
    const auto send = [&](const mad::MadBytes& bytes, int times) {
      const auto outcomes = [&] { return received.size() + kernel().sent.size(); };
      const std::size_t before = outcomes();
      for (int i = 0; i < times; ++i) port->send(bytes, {}, 100);
      wait_until([&] { return outcomes() == before + static_cast<std::size_t>(times); });
    };
    fail(error);
    send(smp, 7);
    fail(0);
    send(smp, 1);
    fail(error);
    send(smp, 7);
    EXPECT_TRUE(lost.empty()) << "some SMPs were sent";
    send(report, 100);
    EXPECT_TRUE(lost.empty()) << "others decide to whom reports and responses go";
    fail(ENOBUFS);
    send(smp, 100);
    EXPECT_TRUE(lost.empty()) << "a full queue";
    fail(error);
    send(smp, 20);
    wait_until([&] { return !lost.empty(); });
    EXPECT_EQ(lost, (std::vector<int>{error == EINVAL ? ENODEV : error})) << "once";
    port.reset();
  }
}

TEST_F(UmadPortTest, ADeviceWhoseFileIsGoneIsLost) {
  const auto directory = std::filesystem::temp_directory_path() /
                         fmt::format("heddle-umad-{}", ::getpid()) / "infiniband";
  std::filesystem::create_directories(directory);
  const std::string file = directory / "umad0";
  const int fd = ::open(file.c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(fd, 0);
  kernel().device_fd = fd;
  open();
  int lost = 0;
  port->set_on_lost([&](int why) { lost = why; });
  context.run_for(1200ms);
  EXPECT_EQ(lost, 0);
  std::filesystem::remove_all(directory.parent_path());
  for (int i = 0; i < 300 && lost == 0; ++i) {
    context.restart();
    context.run_for(10ms);
  }
  EXPECT_EQ(lost, ENODEV);
  port.reset();
  ::close(fd);
}

TEST_F(UmadPortTest, EveryResponseCountsAsAwaited) {
  open();
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::node_info, 0, {}, {}, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(port->send(bytes, {}, 60'000), 0);
  EXPECT_EQ(port->awaited(), 4);
  fake_umad::Arrival response = arrival(1);
  for (const unsigned method : {0x81u, 0x86u, 0x92u}) {  // GetResp, ReportResp, GetTableResp
    response.bytes[3] = static_cast<std::uint8_t>(method);
    kernel().deliver(response);
  }
  fake_umad::Arrival back = arrival(2);
  back.status = ETIMEDOUT;
  kernel().deliver(back);
  kernel().deliver(response);  // of a host that was not asked
  response.bytes[3] = 0x05;    // Trap
  kernel().deliver(response);
  wait_for(6);
  EXPECT_EQ(port->awaited(), 0);
}

TEST_F(UmadPortTest, ManyPortsOpenAndCloseWhileMadsArrive) {
  std::jthread network([](const std::stop_token& stop) {
    for (std::uint32_t i = 0; i < 20'000 && !stop.stop_requested(); ++i) {
      kernel().deliver(arrival(i));
      std::this_thread::sleep_for(50us);
    }
  });
  for (int i = 0; i < 20; ++i) {
    open();
    context.restart();
    context.run_for(2ms);
    const auto begin = std::chrono::steady_clock::now();
    port.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
    const std::size_t before = received.size();
    context.restart();
    context.run_for(1ms);
    EXPECT_EQ(received.size(), before) << "nothing is delivered for a port that is closed";
  }
}

TEST_F(UmadPortTest, CarriesTheTransactionsOfAnSmpClient) {
  open();
  mad::SmpClient client(*runtime, *port, {.timeout = 5s});
  port->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& mad : mads) client.on_mad(mad);
  });
  std::jthread network([](const std::stop_token& stop) {
    std::size_t answered = 0;
    while (!stop.stop_requested()) {
      std::vector<fake_umad::Sent> sent;
      {
        const std::lock_guard lock(kernel().mutex);
        sent.assign(kernel().sent.begin() + static_cast<std::ptrdiff_t>(answered),
                    kernel().sent.end());
      }
      for (fake_umad::Sent& request : sent) {
        mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(request.bytes)};
        smp.set_transaction_id(smp.transaction_id() | std::uint64_t{0xABCD}
                                                          << 32);  // as the kernel does
        mad::make_response(smp);
        fake_umad::Arrival answer;
        answer.bytes = request.bytes;
        kernel().deliver(answer);
        ++answered;
      }
      std::this_thread::sleep_for(200us);
    }
  });
  struct Batch final : mad::SmpBatch {
    std::uint32_t requested = 0, answered = 0;
    bool next(mad::SmpRequest& request) override {
      if (requested == 500) return false;
      request.modifier = requested++;
      return true;
    }
    void done(const mad::SmpRequest&, const mad::SmpReply& reply) override {
      answered += reply.ok();
    }
  } batch;
  bool finished = false;
  boost::asio::co_spawn(context, client.exchange(batch),
                        [&](const std::exception_ptr&) { finished = true; });
  for (int i = 0; i < 1000 && !finished; ++i) {
    context.restart();
    context.run_for(10ms);
  }
  EXPECT_TRUE(finished);
  EXPECT_EQ(batch.answered, 500u);
  port->set_receiver({});
}

class IssmHoldTest : public testing::Test {
 protected:
  IssmHoldTest()
      : path(std::filesystem::temp_directory_path() /
             ("heddle-issm-" + std::to_string(::getpid()))) {
    kernel().reset();
  }
  ~IssmHoldTest() override { std::filesystem::remove_all(path); }
  void make_device() { ::close(::open(path.c_str(), O_CREAT | O_RDWR, 0600)); }
  std::filesystem::path path;
};

TEST_F(IssmHoldTest, HoldsTheDeviceOpenUntilDestruction) {
  make_device();
  kernel().issm_path = path;
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  {
    auto hold = IssmHold::claim(local_port());
    ASSERT_TRUE(hold) << hold.error();
    EXPECT_EQ(open_files(), before + 1);
    const IssmHold moved = std::move(*hold);
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
}

TEST_F(IssmHoldTest, AHeldDeviceIsNamedWithARemedy) {
  make_device();
  kernel().issm_path = path;
  // A lease makes open() of other processes fail with EAGAIN, as the driver does for a held device.
  std::signal(SIGIO, SIG_IGN);
  const int holder = ::open(path.c_str(), O_RDWR);
  ASSERT_GE(holder, 0);
  if (::fcntl(holder, F_SETLEASE, F_WRLCK) != 0) {
    ::close(holder);
    GTEST_SKIP() << "this file system does not support leases";
  }
  const auto hold = IssmHold::claim(local_port());
  ::fcntl(holder, F_SETLEASE, F_UNLCK);
  ::close(holder);
  ASSERT_FALSE(hold);
  EXPECT_EQ(hold.error(), path.string() +
                              " is held by another process: another subnet manager runs on mlx5_0 "
                              "port 1, GUID 0x00002c9000000042, Active (see: fuser " +
                              path.string() + ")");
}

TEST_F(IssmHoldTest, MissingDeviceOrModuleIsNamed) {
  const auto module = IssmHold::claim(local_port());
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error(), HasSubstr("is the ib_umad module loaded?"));
  EXPECT_THAT(module.error(), HasSubstr("mlx5_0 port 1"));
  kernel().issm_path = path;
  const auto device = IssmHold::claim(local_port());
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error(),
            "cannot open " + path.string() +
                " for mlx5_0 port 1, GUID 0x00002c9000000042, Active: No such file or directory");
}

}  // namespace umad_port_test
