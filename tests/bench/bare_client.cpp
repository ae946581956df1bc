// bench_bare_client: sends SMPs through libibumad and does nothing else; what a subnet manager
// needs at least for as many SMPs with the same window. Started by bench_bringup.
//
//   bench_bare_client ROUTES GETS SETS WINDOW
//
// ROUTES: a line for each node: 1 for a switch or 0, then the ports of a directed route to it. Gets
// of NodeInfo go to all nodes in turn, Sets of LinearForwardingTable blocks to all switches, evenly
// mixed. What has no response within a second is sent again. Prints the seconds that it took.

#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mad/smp.h"
#include "mad/transport.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Destination {
  unsigned hops = 0;
  std::array<std::uint8_t, 64> path{};
};

struct Destinations {
  std::vector<Destination> all, switches;
};

Destinations read_destinations(const std::string& path) {
  std::ifstream in(path);
  Destinations read;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    int is_switch = 0;
    words >> is_switch;
    Destination to;
    for (unsigned port = 0; words >> port;) to.path.at(++to.hops) = static_cast<std::uint8_t>(port);
    read.all.push_back(to);
    if (is_switch != 0) read.switches.push_back(to);
  }
  if (read.switches.empty()) throw std::runtime_error("no routes in " + path);
  return read;
}

struct FreeUmad {
  void operator()(void* umad) const { umad_free(umad); }
};

class Client {
 public:
  explicit Client(unsigned window) : slots_(window) {
    if (umad_init() < 0) throw std::runtime_error("no umad");
    port_ = umad_open_port(nullptr, 0);
    if (port_ < 0) throw std::runtime_error("no port");
    agent_ = umad_register(port_, 0x81, 1, 0, nullptr);
    if (agent_ < 0) throw std::runtime_error("no agent");
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void run(const Destinations& to, std::uint64_t gets, std::uint64_t sets) {
    const std::uint64_t total = gets + sets;
    std::uint64_t number = 0, sets_sent = 0, answered = 0;
    for (std::size_t slot = 0; slot < slots_.size() && number < total; ++slot)
      next(slot, to, number, sets_sent, sets, total);
    const std::unique_ptr<void, FreeUmad> received(umad_alloc(1, umad_size() + 256));
    while (answered < total) {
      int length = 256;
      if (umad_recv(port_, received.get(), &length, 1000) < 0) {
        for (Slot& slot : slots_)
          if (slot.waits) send(slot);
        continue;
      }
      const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(
          static_cast<const std::uint8_t*>(umad_get_mad(received.get())), mad::kMadSizeBytes)};
      const auto id = static_cast<std::uint32_t>(smp.transaction_id());
      const std::size_t slot = id % slots_.size();
      if (!slots_[slot].waits || slots_[slot].id != id) continue;  // repeated
      slots_[slot].waits = false;
      ++answered;
      if (number < total) next(slot, to, number, sets_sent, sets, total);
    }
  }

 private:
  struct Slot {
    bool waits = false;
    std::uint32_t id = 0;
    mad::MadBytes bytes{};
  };

  void next(std::size_t at, const Destinations& to, std::uint64_t& number, std::uint64_t& sets_sent,
            std::uint64_t sets, std::uint64_t total) {
    Slot& slot = slots_[at];
    const bool is_set = sets * (number + 1) / total > sets_sent;
    const Destination& where = is_set ? to.switches[sets_sent % to.switches.size()]
                                      : to.all[(number - sets_sent) % to.all.size()];
    slot.bytes.fill(0);
    mad::SmpView smp{slot.bytes};
    smp.set_base_version(1);
    smp.set_mgmt_class(mad::MgmtClass::sm_directed);
    smp.set_class_version(1);
    smp.set_method(is_set ? mad::Method::set : mad::Method::get);
    smp.set_attribute_id(is_set ? mad::AttributeId::linear_forwarding_table
                                : mad::AttributeId::node_info);
    if (is_set) std::ranges::fill(smp.data(), std::uint8_t{0xFF});
    smp.set_dr_slid(mad::kPermissiveLid);
    smp.set_dr_dlid(mad::kPermissiveLid);
    smp.set_hop_count(static_cast<std::uint8_t>(where.hops));
    std::ranges::copy(where.path, smp.initial_path().begin());
    slot.id = static_cast<std::uint32_t>(at + slots_.size() * ++rounds_);
    smp.set_transaction_id(slot.id);
    slot.waits = true;
    ++number;
    sets_sent += is_set ? 1 : 0;
    send(slot);
  }

  void send(const Slot& slot) {
    void* const umad = buffer_.get();
    std::memset(umad, 0, umad_size());
    std::memcpy(umad_get_mad(umad), slot.bytes.data(), slot.bytes.size());
    umad_set_addr(umad, 0xFFFF, 0, 0, 0);
    if (umad_send(port_, agent_, umad, static_cast<int>(slot.bytes.size()), 0, 0) < 0)
      throw std::runtime_error("it cannot send");
  }

  int port_ = -1, agent_ = -1;
  std::vector<Slot> slots_;
  std::uint64_t rounds_ = 0;
  const std::unique_ptr<void, FreeUmad> buffer_{umad_alloc(1, umad_size() + 256)};
};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 5) throw std::invalid_argument("usage: bench_bare_client ROUTES GETS SETS WINDOW");
    const Destinations destinations = read_destinations(argv[1]);
    Client client(static_cast<unsigned>(std::stoul(argv[4])));
    const auto begin = Clock::now();
    client.run(destinations, std::stoull(argv[2]), std::stoull(argv[3]));
    std::printf("%.3f\n", std::chrono::duration<double>(Clock::now() - begin).count());
    std::fflush(stdout);
    std::_Exit(0);  // umad2sim's end frees what was never allocated
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_bare_client: %s\n", error.what());
    return 1;
  }
}
