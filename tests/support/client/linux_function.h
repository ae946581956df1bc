#pragma once
// One function of a device under Linux: what mlx5_ib shows of its vport, the events of its port,
// ib_core's client of subnet administration and an IPoIB interface on top, which joins its
// broadcast group and resolves paths. In virtual time.
//
// Sources (Linux): drivers/infiniband/hw/mlx5/main.c (mlx5_query_hca_port(), handle_port_change()),
// drivers/infiniband/core/sa_query.c (update_sm_ah(), ib_sa_event()), drivers/infiniband/ulp/ipoib.

#include <map>
#include <optional>
#include <vector>

#include "mad/records/mc_member_record.h"
#include "mad/records/path_records.h"
#include "sim/world/ca_vports.h"
#include "sim/world/forwarding.h"
#include "sim/world/world.h"
#include "support/client/sa_client.h"

namespace sim {

/// Holds what ib_query_port() and the tables of GIDs and P_Keys show. All of it is the vport's; the
/// physical function has vport 0.
struct FunctionAttributes {
  mad::PortState state = mad::PortState::down;
  mad::Lid lid, sm_lid;
  mad::Sl sm_sl;
  bool grh_required = false;
  mad::Gid gid;
  std::vector<mad::PKey> p_keys;  // with empty entries
  bool operator==(const FunctionAttributes&) const = default;
};

/// Events of the port that mlx5_ib passes on. There is none for another SM LID: what was read of
/// it holds until the next of these.
enum class FunctionEvent : std::uint8_t {
  port_error,  // Down, or Init
  port_active,
  lid_change,
  p_key_change,
  gid_change,
  client_reregister,
};

class LinuxFunction {
 public:
  /// Requests without an answer, or with an error status, are repeated after this time.
  static constexpr mad::Duration kRetry = std::chrono::seconds(1);

  LinuxFunction(VirtualRuntime& runtime, World& world, VPortPlace place);

  /// Handles events and answers since the last call, and sends what is to be requested. To be
  /// called every few milliseconds.
  void poll();
  /// Its vport got ClientReregister.
  void client_reregister() { pending_.push_back(FunctionEvent::client_reregister); }

  VPortPlace place() const { return {program_.port(), program_.vport()}; }
  FunctionAttributes attributes() const;
  const std::vector<FunctionEvent>& events() const { return events_; }
  /// Subnet administration as of the last event but port_error and gid_change.
  const mad::MadAddress& manager() const { return *program_.fixed_manager; }

  // ---- IPoIB, in the partition of the P_Key table's first entry.
  /// The interface's P_Key, as a full member's.
  mad::PKey partition() const { return partition_; }
  static mad::Gid broadcast_mgid(mad::PKey partition);
  /// The port is Active and has joined the broadcast group.
  bool is_up() const { return broadcast_.has_value(); }
  const std::optional<mad::McMemberRecord>& broadcast() const { return broadcast_; }
  /// Status of the latest answer to a join since the last event.
  std::optional<std::uint16_t> join_status() const { return join_status_; }

  /// Requests paths to this GID from now on, again after each event.
  void resolve(mad::Gid to) { destinations_.try_emplace(to); }
  void forget(mad::Gid to) { destinations_.erase(to); }
  struct Resolution {
    bool answered = false;
    std::uint16_t status = 0;                  // of the latest answer
    std::optional<mad::PathRecord> path = {};  // nullopt: none
  };
  /// Unanswered if the GID was never to be resolved.
  Resolution resolution(mad::Gid to) const;

  /// A data packet to the GID by its path; nullopt without one.
  std::optional<Walk> send(mad::Gid to) const;
  /// A data packet to the broadcast group; nullopt while the interface is not up.
  std::optional<Copies> send_broadcast() const;
  /// The headers of a packet that it sends by such a path.
  PacketHeader header(const mad::PathRecord& path) const;

 private:
  struct Request {
    std::uint64_t transaction = 0;
    mad::TimePoint sent{};
  };
  struct Destination {
    Resolution resolution;
    std::optional<Request> request;
  };

  void notice_events();
  void handle(FunctionEvent event);
  void update_manager();
  void flush();
  void take_join();
  void take_path(mad::Gid to, Destination& destination);
  Request post(const SaRequest& request) { return {program_.post(request), runtime_.now()}; }
  SaRequest join_request() const;
  SaRequest path_request(mad::Gid to) const;
  /// Its table's entry for the interface's partition: what its packets carry.
  mad::PKey own_key() const;

  VirtualRuntime& runtime_;
  World& world_;
  SaClient program_;
  FunctionAttributes seen_;  // as of the last poll
  std::vector<FunctionEvent> pending_, events_;
  mad::PKey partition_{};
  std::optional<Request> join_;
  std::optional<mad::McMemberRecord> broadcast_;
  std::optional<std::uint16_t> join_status_;
  std::map<mad::Gid, Destination> destinations_;
};

}  // namespace sim
