#pragma once
// Hosts that use subnet administration as IPoIB does, during all faults: they join and leave
// groups, subscribe to notices, query paths, and register again when required.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/topology/random_source.h"
#include "mad/records/mc_member_record.h"
#include "support/client/sa_client.h"

namespace soak {

class Clients {
 public:
  Clients(sim::VirtualRuntime& runtime, sim::World& world, const std::vector<sim::PortIndex>& ports,
          std::uint64_t seed);
  ~Clients();
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  /// While busy, clients join and leave groups at random; they register again at any time.
  void set_busy(bool busy) { busy_ = busy; }
  /// All clients register again, as after ClientReregister: answers that arrived while links
  /// corrupted MADs may be wrong (real links drop such packets, by their CRC).
  void register_again();
  /// A pending request of a client, or a group whose packets do not reach all its members, or reach
  /// others. "" if there is none.
  std::string complaint() const;
  /// Verifies that all subscribers get a report of a new group within a few seconds. Runs the
  /// clock. "" if so.
  std::string reports_complaint();

  std::size_t count() const { return clients_.size(); }
  sim::SaClient& program(std::size_t at) { return clients_[at]->program; }

 private:
  static constexpr std::size_t kGroups = 3;
  struct Membership {
    bool wanted = false;
    bool refused = false;                         // the latest leave
    bool maybe_known = false;                     // the manager may count it as a member
    std::optional<mad::McMemberRecord> has = {};  // the answer to the latest join
    mad::TimePoint changed = {};                  // the latest join or leave
  };
  enum class What : std::uint8_t { join, leave, subscribe, path };
  struct Pending {
    What what;
    std::size_t group;
    std::uint64_t transaction;
    mad::TimePoint sent;
  };
  struct Client {
    Client(sim::VirtualRuntime& runtime, sim::World& world, sim::PortIndex port)
        : program(runtime, world, port) {}
    sim::SaClient program;
    std::array<Membership, kGroups> groups;
    bool subscribed = false;
    std::optional<Pending> pending;
    bool active = false;
    mad::Lid lid, master;
  };

  void tick();
  void notice_events(Client& client);
  void forget_registrations(Client& client);
  void take_answer(Client& client);
  void change_mind(Client& client);
  void ask_next(Client& client);
  void post(Client& client, What what, std::size_t group, const sim::SaRequest& request);
  sim::SaRequest membership_request(const Client& client, mad::Gid mgid, mad::Method method) const;
  std::string name(const Client& client) const;
  static mad::Gid mgid(std::uint64_t number) {
    return {0xff12401bffff0000, mad::Guid{number == 0 ? 0xffffffffu : 0x1000u + number}};
  }

  sim::VirtualRuntime& runtime_;
  sim::World& world_;
  topology::Random dice_;
  std::vector<std::unique_ptr<Client>> clients_;
  bool busy_ = true;
  std::uint64_t fresh_groups_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for ticks in the queue
};

}  // namespace soak
