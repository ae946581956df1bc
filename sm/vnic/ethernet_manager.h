#pragma once
// The Ethernet Manager: reads what ports and agents show, decides by policy.h, writes the
// difference.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include <spdlog/logger.h>

#include "mad/backoff.h"
#include "mad/gsi_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/vnic/ethernet_agents.h"
#include "sm/vnic/store.h"
#include "sm/vnic/vnic_administration.h"
#include "sm/vnic/vnic_status.h"
#include "virt/vnic/policy.h"

namespace vnic {

struct ManagerOptions {
  std::filesystem::path folder;  // of the store; it exists
  std::size_t window = 32;       // ports that are queried at a time
};

/// One coroutine makes all passes; a pass covers all ports or the ports that sent traps. Within a
/// pass, up to `window` ports are served concurrently. Single-threaded.
class Manager {
 public:
  /// `stored` is the content that load_store() has read. `log` is not owned.
  Manager(mad::Runtime& runtime, mad::GsiTransport& transport, spdlog::logger& log,
          Configuration configuration, Stored stored, ManagerOptions options);
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Runs until stop(). VNICs then stay as they are: frames are forwarded without a manager.
  boost::asio::awaitable<void> run();
  void stop();
  /// Replaces the configuration from the next pass on.
  void reload(Configuration configuration);
  /// Sets further active conditions, those of the process.
  void set_conditions(std::vector<fabric::Condition> active);

  /// Returns the status as of the latest pass. Any thread may call this.
  std::shared_ptr<const Status> status() const;

 private:
  struct Vnic {
    VeswKey key;
    std::size_t of = 0;  // index of the switch
    bool read = false;   // in this pass, without a fault
    mad::VeswPortInfo info;
    MacList macs;
    bool macs_known = false;
    std::shared_ptr<const MacTable> at_node;  // null: not known
    std::optional<AgentFault> fault;
  };
  struct Port {
    EndPort end;
    bool has_agent = false;
    bool attention = false;         // a trap has come; the port is read
    mad::TimePoint attention_at{};  // not before this
    mad::Backoff trap_pause{std::chrono::milliseconds(100), std::chrono::seconds(10)};
    std::optional<AgentFault> fault;  // of ClassPortInfo
    mad::TimePoint next_query{};
    mad::Backoff pause{std::chrono::seconds(30), std::chrono::minutes(2)};
    std::map<unsigned, Vnic> vnics;  // by number
  };
  struct Group {
    std::uint32_t multicast_lid = 0;
    mad::PKey p_key;
    std::set<mad::Guid> joined;
    std::string fault;
  };
  struct Table {
    std::shared_ptr<const MacTable> table = std::make_shared<MacTable>();
    std::map<mad::Mac, mad::Guid> owners;
    std::set<Duplicate> duplicates;
    std::size_t left_out = 0;
  };
  struct Leave {
    VeswKey key;
    mad::PKey p_key;
    mad::Guid port;
  };
  /// Serves several ports concurrently.
  struct Batch;
  using Step = boost::asio::awaitable<void> (Manager::*)(mad::Guid port);

  // ethernet_manager.cpp has the loop and the steps of a pass.
  boost::asio::awaitable<void> pass(bool full);
  boost::asio::awaitable<bool> read_ports();
  void take_configuration();
  boost::asio::awaitable<void> wait(mad::TimePoint next_pass);
  boost::asio::awaitable<void> at_each(std::vector<mad::Guid> ports, Step step);
  boost::asio::awaitable<void> work(std::shared_ptr<Batch> batch, Step step);
  void on_mad(const mad::GsiMad& mad);
  void on_trap(const mad::GsiMad& mad);
  void plan_members();
  void plan_port(const EndPort& end, const std::vector<std::size_t>& switches);
  void plan_switches();
  boost::asio::awaitable<void> store_created();
  boost::asio::awaitable<void> save();
  boost::asio::awaitable<void> join_groups();
  boost::asio::awaitable<void> leave_groups();
  boost::asio::awaitable<void> join(mad::Guid port);
  void build_tables();

  // ethernet_manager_ports.cpp has the steps at one port or one VNIC.
  boost::asio::awaitable<void> find_agent(mad::Guid port);
  boost::asio::awaitable<void> survey(mad::Guid port);
  boost::asio::awaitable<void> survey_vnic(Port& port, unsigned number, Vnic& vnic);
  boost::asio::awaitable<void> read_macs(Port& port, unsigned number, Vnic& vnic);
  boost::asio::awaitable<void> program(mad::Guid port);
  boost::asio::awaitable<void> program_vnic(Port& port, unsigned number, Vnic& vnic);
  boost::asio::awaitable<void> remove_old();
  boost::asio::awaitable<bool> remove(CreatedVnic old, mad::Lid lid);
  mad::VeswPortInfo desired(const Port& port, const Vnic& vnic, mad::VnicState state) const;
  std::uint32_t multicast_lid(const Vnic& vnic) const;
  bool is_created(mad::Guid port) const;

  // ethernet_manager_report.cpp
  void report();
  std::vector<fabric::Condition> conditions() const;
  void add_port_conditions(const Port& port, std::vector<fabric::Condition>& out) const;
  void add_switch_conditions(std::vector<fabric::Condition>& out) const;
  Status make_status() const;

  mad::Runtime& runtime_;
  mad::GsiTransport& transport_;
  spdlog::logger& log_;
  Configuration configuration_;
  std::optional<Configuration> next_configuration_;
  Stored stored_;
  ManagerOptions options_;
  mad::GsiClient client_;
  EthernetAgents agents_;
  Administration administration_;
  sm::ConditionLog conditions_;
  std::vector<fabric::Condition> of_process_;

  std::vector<EndPort> ends_;        // of the fabric
  std::map<mad::Guid, Port> ports_;  // members; changes only at the begin of a pass
  std::map<mad::Lid, mad::Guid> by_lid_;
  std::map<VeswKey, unsigned> numbers_;
  std::map<VeswKey, Group> groups_;
  std::map<VeswKey, Table> tables_;
  std::vector<Leave> leaves_;
  std::string administration_fault_, store_fault_;
  mad::Lid sm_lid_;  // at the latest pass of all ports
  unsigned passes_until_join_ = 0;
  unsigned lines_left_ = 0;  // of the log, in this pass of all ports
  Totals totals_;
  mutable std::mutex status_mutex_;  // of the next one
  std::shared_ptr<const Status> status_ = std::make_shared<const Status>();

  mad::WakeUp wake_, paused_;
  bool stopping_ = false, full_wanted_ = true;
};

}  // namespace vnic
