// bench_sim_socket: load time and memory of heddle-sim, and SMPs per second of one client through
// its socket, compared with upstream's ibsim.
//
//   build/bench/bin/bench_sim_socket             324, 1,728 and 11,664 hosts, and 40,000 hosts on
//                                                3,500 switches (load only)
//   build/bench/bin/bench_sim_socket --hosts 11664 --seconds 5 --window 64 --runs 5
//
// Both simulators run in turns; the last line of each fabric is the ratio of runs that followed
// each other, median (least..most).
//
// The client keeps `window` directed-route Gets (NodeInfo and PortInfo in turn) of nodes all over
// the fabric in flight. Nothing is asserted: figures depend on the machine, whose cores both sides
// share.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measured.h"
#include "ibsim/process.h"
#include "mad/format.h"
#include "mad/smp.h"
#include "sim/wire/ibsim_protocol.h"
#include "sm/ctl/topology/topology.h"

namespace {

namespace wire = sim::wire;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::vector<unsigned> hosts{324, 1728, 11664};
  bool huge = true;
  double seconds = 3;
  unsigned window = 64;
  unsigned runs = 3;
  bool upstream = true;
  std::string program = HEDDLE_SIM_PROGRAM;
};

/// 40,000 hosts on 3,500 switches: 2,500 leaves with 16 hosts each, and 990 switches above them.
topology::Topology huge_fabric() {
  return topology::xgft({.children = {16, 50, 50}, .parents = {1, 15, 16}, .cables = {}});
}

topology::Topology build_fabric(unsigned hosts) {
  return topology::fat_tree({.hosts = hosts, .radix = hosts == 1728 ? 24u : 36u, .levels = 0});
}

struct Route {
  unsigned hops = 0;
  std::array<std::uint8_t, 64> path{};
};

/// A route from the first node to every other, breadth first.
std::vector<Route> routes_of(const topology::Topology& topology) {
  struct End {
    std::uint8_t port;
    std::size_t peer;
  };
  std::vector<std::vector<End>> cables(topology.nodes.size());
  for (const topology::Link& link : topology.links) {
    cables[link.a.node].push_back({link.a.port.value, link.b.node});
    cables[link.b.node].push_back({link.b.port.value, link.a.node});
  }
  std::vector<std::optional<Route>> to(topology.nodes.size());
  std::vector<std::size_t> queue{0};
  to[0] = Route{};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::size_t node = queue[at];
    if (node != 0 && topology.nodes[node].type != topology::NodeType::switch_) continue;
    for (const End& end : cables[node]) {
      if (to[end.peer]) continue;
      Route next = *to[node];
      next.path[++next.hops] = end.port;
      to[end.peer] = next;
      queue.push_back(end.peer);
    }
  }
  std::vector<Route> out;
  for (const auto& route : to) {
    if (route) out.push_back(*route);
  }
  return out;
}

class Server {
 public:
  Server(const std::vector<std::string>& argv, const std::string& socket_name,
         const std::filesystem::path& dir)
      : name_(socket_name) {
    int in[2];
    if (pipe2(in, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    keep_open_ = in[1];
    harness::Command command{.argv = argv,
                             .env = {{"IBSIM_SOCKNAME", socket_name}},
                             .cwd = dir,
                             .out = dir / "server.out",
                             .err = dir / "server.err",
                             .in_fd = in[0]};
    const auto start = Clock::now();
    process_ = std::make_unique<harness::Process>(command);
    close(in[0]);
    while (!ready()) {
      if (!process_->running())
        throw std::runtime_error("the server ended: " + harness::read_file(dir / "server.err"));
      usleep(2000);
    }
    load_s_ = std::chrono::duration<double>(Clock::now() - start).count();
  }
  ~Server() { close(keep_open_); }

  double load_s() const { return load_s_; }
  long rss_kib() const {
    std::ifstream status(fmt::format("/proc/{}/status", process_->pid()));
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return 0;
  }
  const std::string& name() const { return name_; }

 private:
  bool ready() const {
    const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const wire::SocketAddress address = wire::socket_address(wire::control_name(name_));
    const bool there = connect(probe, address.get(), address.length) == 0;
    close(probe);
    return there;
  }
  std::string name_;
  int keep_open_ = -1;
  double load_s_ = 0;
  std::unique_ptr<harness::Process> process_;
};

class RawClient {
 public:
  RawClient(const std::string& base, const std::string& node) {
    id_ = static_cast<std::uint32_t>(getpid());
    control_ = bound(wire::client_control_name(base, id_));
    data_ = bound(wire::client_data_name(base, id_));
    attach_to(control_, wire::control_name(base));
    wire::Attach attach;
    attach.id = id_;
    std::copy_n(node.begin(), std::min<std::size_t>(node.size(), 31), attach.nodeid.begin());
    wire::Control record;
    record.type = wire::ControlType::connect;
    std::memcpy(record.data.data(), &attach, sizeof attach);
    if (send(control_, &record, sizeof record, 0) < 0 ||
        recv(control_, &record, sizeof record, 0) != sizeof record ||
        record.type == wire::ControlType::error) {
      throw std::runtime_error("the server does not attach us");
    }
    std::memcpy(&attach, record.data.data(), sizeof attach);
    client_ = attach.id;
    attach_to(data_, wire::server_data_name(base, client_));
  }
  ~RawClient() {
    wire::Control record;
    record.type = wire::ControlType::disconnect;
    record.client = client_;
    send(control_, &record, sizeof record, 0);
    close(control_);
    close(data_);
  }

  struct Rate {
    std::uint64_t answered = 0, failed = 0;
    double seconds = 0;
  };
  Rate run(const std::vector<Route>& routes, double seconds, unsigned window) {
    constexpr unsigned kBatch = 64;
    std::array<wire::Packet, kBatch> packets;
    std::array<mmsghdr, kBatch> messages;
    std::array<iovec, kBatch> parts;
    const auto prepare = [&](unsigned count) {
      for (unsigned i = 0; i < count; ++i) {
        parts[i] = {.iov_base = &packets[i], .iov_len = sizeof packets[i]};
        messages[i].msg_hdr = {};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
      }
    };
    Rate rate;
    std::uint64_t number = 0;
    unsigned in_flight = 0;
    const auto start = Clock::now();
    const auto end =
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    for (auto now = start; now < end || in_flight > 0; now = Clock::now()) {
      if (now > end + std::chrono::seconds(5)) break;
      while (now < end && in_flight < window) {
        const unsigned count = std::min(kBatch, window - in_flight);
        for (unsigned i = 0; i < count; ++i, ++number)
          fill(packets[i], routes[number / 2 % routes.size()], number);
        prepare(count);
        const int sent = sendmmsg(data_, messages.data(), count, MSG_DONTWAIT);
        if (sent < static_cast<int>(count))
          number -= count - static_cast<unsigned>(std::max(0, sent));
        if (sent <= 0) break;
        in_flight += static_cast<unsigned>(sent);
      }
      pollfd readable{data_, POLLIN, 0};
      if (poll(&readable, 1, 1000) <= 0) continue;
      prepare(kBatch);
      const int got = recvmmsg(data_, messages.data(), kBatch, MSG_DONTWAIT, nullptr);
      for (int i = 0; i < got; ++i) {
        const wire::Packet& packet = packets[static_cast<std::size_t>(i)];
        const bool ok = packet.status() == 0 &&
                        mad::ConstSmpView(std::span<const std::uint8_t, mad::kMadBytes>(packet.mad))
                            .is_response();
        ++(ok ? rate.answered : rate.failed);
      }
      in_flight -= static_cast<unsigned>(std::min(std::max(0, got), static_cast<int>(in_flight)));
    }
    rate.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return rate;
  }

 private:
  static int bound(const std::string& name) {
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const wire::SocketAddress address = wire::socket_address(name);
    if (fd < 0 || bind(fd, address.get(), address.length) < 0)
      throw std::runtime_error("cannot bind @" + name);
    return fd;
  }
  static void attach_to(int fd, const std::string& name) {
    const wire::SocketAddress address = wire::socket_address(name);
    if (connect(fd, address.get(), address.length) < 0)
      throw std::runtime_error("cannot connect to @" + name);
  }
  static void fill(wire::Packet& packet, const Route& route, std::uint64_t number) {
    packet = wire::Packet{};
    packet.dlid = packet.slid = wire::NetLid::of(0xFFFF);
    packet.length_be = htobe64(packet.mad.size());
    mad::SmpView smp{std::span<std::uint8_t, mad::kMadBytes>(packet.mad)};
    smp.set_base_version(1);
    smp.set_mgmt_class(mad::MgmtClass::sm_directed);
    smp.set_class_version(1);
    smp.set_method(mad::Method::get);
    smp.set_transaction_id(number & 0xFFFFFFFF);
    smp.set_attribute_id(number % 2 == 0 ? mad::AttributeId::node_info
                                         : mad::AttributeId::port_info);
    smp.set_dr_slid(mad::kPermissiveLid);
    smp.set_dr_dlid(mad::kPermissiveLid);
    smp.set_hop_count(static_cast<std::uint8_t>(route.hops));
    std::ranges::copy(route.path, smp.initial_path().begin());
  }
  int control_ = -1, data_ = -1;
  std::uint32_t id_ = 0;
  unsigned client_ = 0;
};

std::string size_argument(const char* name, std::size_t value) {
  return name + std::to_string(value);
}

/// SMPs per second; 0 if none were requested.
double run(const char* title, const topology::Topology& topology, const Settings& settings,
           bool heddle, bool smps) {
  harness::ScratchDir scratch;
  std::ostringstream text;
  topology::write_ibsim(topology, text);
  harness::write_file(scratch.path() / "fabric.net", text.str());
  std::size_t ports = 0;
  for (const topology::Node& node : topology.nodes) ports += node.port_count + 1;
  std::vector<std::string> argv;
  if (heddle) {
    argv = {settings.program, "-s", "fabric.net"};
  } else {
    argv = {"ibsim",
            "-s",
            size_argument("-N", topology.nodes.size() + 1),
            size_argument("-S", topology.count(topology::NodeType::switch_) + 1),
            size_argument("-P", ports + 1),
            "fabric.net"};
  }
  Server server(argv, fmt::format("bench-{}-{}", getpid(), heddle ? "h" : "i"), scratch.path());
  if (!heddle) {  // it opens its sockets first, and answers when it has read the file
    harness::wait_for_text(scratch.path() / "server.out", "simulator ready", 0,
                           harness::Milliseconds(600'000), [] { return false; });
  }
  const long loaded_kib = server.rss_kib();
  if (!smps) {
    fmt::print("{:<34} {:<11} load {:>6.2f} s  memory {:>7.1f} MiB\n", title,
               heddle ? "heddle-sim" : "ibsim", server.load_s(),
               static_cast<double>(loaded_kib) / 1024);
    return 0;
  }
  RawClient client(server.name(), topology.nodes.front().key());
  const std::vector<Route> routes = routes_of(topology);
  client.run(routes, 0.3, settings.window);
  const RawClient::Rate rate = client.run(routes, settings.seconds, settings.window);
  fmt::print("{:<34} {:<11} load {:>6.2f} s  memory {:>7.1f} MiB  {:>9.0f} SMP/s{}\n", title,
             heddle ? "heddle-sim" : "ibsim", server.load_s(),
             static_cast<double>(server.rss_kib()) / 1024,
             static_cast<double>(rate.answered) / rate.seconds,
             rate.failed > 0 ? fmt::format("  ({} not answered)", rate.failed) : "");
  return static_cast<double>(rate.answered) / rate.seconds;
}

template <class T>
T number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("'{}' is not a number", text));
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
      const std::string_view name = argv[i];
      const auto value = [&] {
        return i + 1 < argc ? std::string_view(argv[++i])
                            : throw std::invalid_argument(fmt::format("{} wants a value", name));
      };
      if (name == "--hosts") {
        settings.hosts = {number<unsigned>(value())};
        settings.huge = false;
      } else if (name == "--huge") {
        settings.hosts.clear();
      } else if (name == "--seconds") {
        settings.seconds = number<double>(value());
      } else if (name == "--window") {
        settings.window = std::max(1u, number<unsigned>(value()));
      } else if (name == "--runs") {
        settings.runs = std::max(1u, number<unsigned>(value()));
      } else if (name == "--program") {
        settings.program = value();
      } else if (name == "--no-ibsim") {
        settings.upstream = false;
      } else {
        throw std::invalid_argument(
            fmt::format("what is {}? bench_sim_socket [--hosts N | --huge] [--seconds S] [--window "
                        "N] [--runs N] [--no-ibsim] [--program HEDDLE-SIM]",
                        name));
      }
    }
    measured::print_build("bench_sim_socket");
    for (const unsigned hosts : settings.hosts) {
      const topology::Topology topology = build_fabric(hosts);
      const std::string title =
          fmt::format("{} hosts, {} switches", hosts, topology.count(topology::NodeType::switch_));
      std::vector<double> ours, upstream;
      for (unsigned round = 0; round < settings.runs; ++round) {
        ours.push_back(run(title.c_str(), topology, settings, true, true));
        if (settings.upstream)
          upstream.push_back(run(title.c_str(), topology, settings, false, true));
      }
      if (settings.upstream) {
        fmt::print("{:<34} heddle-sim / ibsim, SMP/s: {}\n", title,
                   measured::text(measured::ratios_of(ours, upstream)));
      }
    }
    if (settings.huge) {
      const topology::Topology topology = huge_fabric();
      const std::string title =
          fmt::format("{} hosts, {} switches", topology.count(topology::NodeType::ca),
                      topology.count(topology::NodeType::switch_));
      run(title.c_str(), topology, settings, true, false);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_sim_socket: {}\n", error.what());
    return 1;
  }
}
