#pragma once
// Managers that copy their state from each other (state_store peers), on simulated connections.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "property/shared_state/stores.h"
#include "sm/store/peers/peer_store.h"
#include "support/simulated_network.h"

namespace shared_state {

class Peers final : public Stores {
 public:
  static constexpr std::size_t kPlaces = 2;

  explicit Peers(sim::VirtualRuntime& runtime) : network_(runtime) {}

  /// Changes what managers send to each other, for tests of the checker.
  void spoil(std::function<bool(const std::string&, const std::string&, std::string&)> link) {
    network_.on_send = std::move(link);
  }
  std::shared_ptr<sm::StateStore> open(const Process& process) override {
    sm::peers::PeerSettings settings{.port_guid = process.port,
                                     .subnet_prefix = 0xFE80000000000000,
                                     .file = process.directory / "peer-store"};
    for (std::size_t place = 0; place < kPlaces; ++place)
      settings.peers.push_back({.host = name(place), .port = 1});
    settings.fsync = false;
    auto transport = network_.attach(name(process.place));
    programs_[process.number] = network_.program(name(process.place));
    auto store =
        sm::peers::PeerStore::create(*process.runtime, std::move(settings), std::move(transport));
    EXPECT_TRUE(store) << store.error();
    if (!store) return nullptr;
    stores_[process.number] = *store;
    return *store;
  }
  void suspend(const Process& process) override { network_.suspend(programs_.at(process.number)); }
  void resume(const Process& process) override { network_.resume(programs_.at(process.number)); }
  void kill(const Process& process) override { network_.kill(programs_.at(process.number)); }
  void cut(std::size_t place, bool one_way) override {
    cuts_[place] = one_way;
    set_links();
  }
  void join(std::size_t place) override {
    cuts_.erase(place);
    set_links();
  }
  bool is_shared(const Process& process) const override {
    const auto store = stores_.at(process.number).lock();
    const auto copies = store ? store->copies() : std::nullopt;
    return copies && copies->current > 0;
  }
  bool is_a_server() const override { return false; }
  std::vector<std::string> conflicts(const Process& process) const override {
    // Conditions name files of earlier merges after a restart, too. Two managers may give files of
    // one second the same name.
    std::vector<std::string> texts;
    for (const auto& file : std::filesystem::directory_iterator(process.directory)) {
      const std::string file_name = file.path().filename().string();
      if (!file_name.starts_with("state-conflicts-")) continue;
      std::stringstream lines;
      lines << std::ifstream(file.path()).rdbuf();
      const std::size_t content = std::hash<std::string>()(lines.str());
      for (std::string line; std::getline(lines, line);)
        if (!line.starts_with(' ') && !line.starts_with('#'))
          texts.push_back(fmt::format("{} ({:x}) {}", file_name, content, line));
    }
    return texts;
  }

 private:
  static std::string name(std::size_t place) { return "manager-" + std::to_string(place); }
  void set_links() {
    network_.heal();
    for (const auto& [place, one_way] : cuts_) {
      for (std::size_t other = 0; other < kPlaces; ++other) {
        if (other == place) continue;
        network_.cut(name(place), name(other));
        if (!one_way) network_.cut(name(other), name(place));
      }
    }
  }

  support::SimulatedNetwork network_;
  std::map<std::size_t, bool> cuts_;  // by place; true: only what it sends
  // By process
  std::map<std::size_t, support::SimulatedNetwork::Program> programs_;
  std::map<std::size_t, std::weak_ptr<sm::peers::PeerStore>> stores_;
};

}  // namespace shared_state
