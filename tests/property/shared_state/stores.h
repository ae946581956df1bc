#pragma once
// How the managers of a test share their state, with the faults of their connections.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mad/runtime.h"
#include "sm/store/replica/state_store.h"
#include "support/fake_state_store.h"

namespace shared_state {

/// A process that runs a manager. The process that is started after a killed one has another
/// number; both have the place of the manager, from 0 on.
struct Process {
  std::size_t number = 0, place = 0;
  mad::Guid port{};
  mad::Runtime* runtime = nullptr;    // that stops with the process
  std::filesystem::path directory{};  // of its files
};

class Stores {
 public:
  virtual ~Stores() = default;
  virtual std::shared_ptr<sm::StateStore> open(const Process& process) = 0;
  /// SIGSTOP and SIGCONT: what arrives for the process waits.
  virtual void suspend(const Process& /*process*/) {}
  virtual void resume(const Process& /*process*/) {}
  /// kill -9: its connections end.
  virtual void kill(const Process& process) = 0;
  /// Cuts a manager off from the others, or loses what it sends (`one_way`).
  virtual void cut(std::size_t place, bool one_way) = 0;
  virtual void join(std::size_t place) = 0;
  /// True if another manager or a server holds all that this process has stored.
  virtual bool is_shared(const Process& process) const = 0;
  /// True if a change that is acknowledged without a number of copies is never lost.
  virtual bool is_a_server() const = 0;
  /// Returns texts that name records that lost when two branches were merged, each once.
  virtual std::vector<std::string> conflicts(const Process& /*process*/) const { return {}; }
};

/// A server that never fails, as etcd is with three members.
class OneServer final : public Stores {
 public:
  explicit OneServer(mad::Runtime& runtime) : server_(runtime) {}

  std::shared_ptr<sm::StateStore> open(const Process& process) override {
    auto store = std::make_shared<support::FakeStateStore>(*process.runtime, server_);
    clients_[process.number] = {process.place, store};
    set_links();
    return store;
  }
  void kill(const Process& process) override {
    if (const auto store = clients_.at(process.number).store.lock()) store->set_reachable(false);
    clients_.erase(process.number);
  }
  void cut(std::size_t place, bool one_way) override {
    links_[place] = one_way ? Link::answers_are_lost : Link::none;
    set_links();
  }
  void join(std::size_t place) override {
    links_[place] = Link::good;
    set_links();
  }
  bool is_shared(const Process&) const override { return true; }
  bool is_a_server() const override { return true; }

 private:
  enum class Link : std::uint8_t { good, answers_are_lost, none };
  struct Client {
    std::size_t place = 0;
    std::weak_ptr<support::FakeStateStore> store;
  };
  void set_links() {
    for (const auto& [number, client] : clients_) {
      const auto store = client.store.lock();
      if (!store) continue;
      store->set_reachable(links_[client.place] != Link::none);
      store->lose_answers = links_[client.place] == Link::answers_are_lost;
    }
  }

  support::FakeStore server_;
  std::map<std::size_t, Client> clients_;  // by number of the process
  std::map<std::size_t, Link> links_;      // by place
};

}  // namespace shared_state
