#pragma once
// Managers that copy their state from each other (state_store peers), on simulated connections.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "property/shared_state/peer_network.h"
#include "property/shared_state/stores.h"
#include "sm/store/peers/peer_store.h"

namespace shared_state {

class Peers final : public Stores {
 public:
  static constexpr std::size_t kPlaces = 2;

  explicit Peers(sim::VirtualRuntime& runtime) : network_(runtime) {}

  std::shared_ptr<sm::StateStore> open(const Process& process) override {
    sm::peers::PeerSettings settings{.port_guid = process.port,
                                     .subnet_prefix = 0xFE80000000000000,
                                     .file = process.directory / "peer-store"};
    for (std::size_t place = 0; place < kPlaces; ++place)
      settings.peers.push_back(PeerNetwork::address(place));
    settings.listen = {PeerNetwork::address(process.place)};
    settings.secret = "secret";
    settings.fsync = false;
    auto store = sm::peers::PeerStore::create(
        *process.runtime, std::move(settings),
        network_.attach(process.number, process.place, *process.runtime));
    EXPECT_TRUE(store) << store.error();
    if (!store) return nullptr;
    stores_[process.number] = *store;
    return *store;
  }
  void suspend(const Process& process) override { network_.suspend(process.number); }
  void resume(const Process& process) override { network_.resume(process.number); }
  void kill(const Process& process) override { network_.kill(process.number); }
  void cut(std::size_t place, bool one_way) override { set_cut(place, true, one_way); }
  void join(std::size_t place) override { set_cut(place, false, false); }
  bool is_shared(const Process& process) const override {
    const auto store = stores_.at(process.number).lock();
    const auto copies = store ? store->copies() : std::nullopt;
    return copies && copies->current > 0;
  }
  bool is_a_server() const override { return false; }
  std::vector<std::string> conflicts(const Process& process) const override {
    const auto found = stores_.find(process.number);
    const auto store = found == stores_.end() ? nullptr : found->second.lock();
    const auto conflicts = store ? store->conflicts() : std::nullopt;
    return conflicts ? conflicts->keys : std::vector<std::string>();
  }

 private:
  void set_cut(std::size_t place, bool is_cut, bool one_way) {
    for (std::size_t other = 0; other < kPlaces; ++other) {
      if (other == place) continue;
      network_.set_cut(place, other, is_cut);
      if (!one_way) network_.set_cut(other, place, is_cut);
    }
  }

  PeerNetwork network_;
  std::map<std::size_t, std::weak_ptr<sm::peers::PeerStore>> stores_;  // by process
};

}  // namespace shared_state
