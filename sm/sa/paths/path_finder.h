#pragma once
// Paths between two ends under the constraints of one query: selectors of MTU, rate and packet
// lifetime (IBTA Vol 1, 15.2.5.16; the returned value is OpenSM's), P_Key, SL, QoS level.

#include <cstdint>
#include <limits>
#include <optional>

#include "config/qos_policy.h"
#include "fabric/subnet.h"
#include "mad/path_units.h"
#include "mad/records/path_records.h"
#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/path_index.h"
#include "sm/sa/query/record_type.h"

namespace sa {

/// Selector and code of a request; `best` if the request has none.
struct Bound {
  mad::Selector selector = mad::Selector::best;
  std::uint8_t code = 0;
  bool is_given = false;  // by the request

  /// True unless the selector is `best`, which ignores the code.
  bool has_code() const { return selector != mad::Selector::best; }
};

/// Returns the value in the response for a path that has `available`, or nullopt if the path does
/// not satisfy the bound. greater_than: the path has more, the result is `available`. less_than:
/// the result is `available`, or the next code below the bound. exactly: the path has at least the
/// code, which is the result; for a rate, exactly the code.
std::optional<std::uint8_t> bounded_mtu(const Bound& bound, std::uint8_t available);
std::optional<std::uint8_t> bounded_rate(const Bound& bound, std::uint8_t available);
std::optional<std::uint8_t> bounded_life(const Bound& bound, std::uint8_t available);

/// Returns false if no path that has `most` or less satisfies the bound.
bool may_satisfy_mtu(const Bound& bound, std::uint8_t most);
bool may_satisfy_rate(const Bound& bound, std::uint8_t most);

/// True if a fixed `value`, such as a multicast group's, satisfies the bound.
bool holds_mtu(const Bound& bound, std::uint8_t value);
bool holds_rate(const Bound& bound, std::uint8_t value);
bool holds_life(const Bound& bound, std::uint8_t value);

// Selects the QoS level of a path (the policy: config/qos_policy.h).

/// The components of a query that select a QoS level. An absent component satisfies no condition.
struct QosTraffic {
  std::optional<std::uint16_t> qos_class;
  std::optional<std::uint64_t> service_id;
  std::optional<mad::PKey> p_key;
};

/// True if the end is in the group. A switch matches by its description with any port number, since
/// port 0 represents all its ports. A vport matches by its own GUID and P_Keys, and by its host's
/// type and name. No allocation.
bool is_in(const fabric::Subnet& subnet, fabric::EndPoint end, const config::QosPortGroup& group);

/// Returns the level of a path between two ends: the level of the first rule whose conditions all
/// hold, else the default. No allocation.
const config::QosLevel& find_qos_level(const config::QosPolicy& policy,
                                       const fabric::Subnet& subnet, fabric::EndPoint from,
                                       fabric::EndPoint to, const QosTraffic& traffic);

/// Constraints of a query that apply to every path, whatever its end ports.
struct PathConstraints {
  Bound mtu, rate, packet_life;
  std::optional<mad::PKey> p_key;
  std::optional<mad::Sl> sl;
  QosTraffic traffic;  // selects the QoS level
  bool reversible = false;
  std::size_t paths_max = 0;  // for each pair of ports
  /// Limits the pairs of LIDs that are tried for each pair of ports.
  std::size_t lid_pairs_max = std::numeric_limits<std::size_t>::max();
  mad::PathRecord
      pattern;  // repeated in answers: QoSClass, RawTraffic (not FlowLabel and TClass, as OpenSM)
};

/// Reads the fields that PathRecord and MultiPathRecord have in common. `Wire` is one of the two,
/// `Mask` its component mask bits. `constraints.traffic` lacks the ServiceID, whose layout differs.
/// Errors: kReqInvalid for an undefined MTU or rate code, kReqInsufficientComponents for half a
/// ServiceID.
template <class Wire, class Mask>
std::uint16_t read_constraints(const Wire& request, const Query& query,
                               PathConstraints& constraints);

/// Finds the paths between two ends under the constraints of a query.
class PathFinder {
 public:
  PathFinder(const View& view, const Query& query, const PathConstraints& constraints)
      : view_(view), query_(query), constraints_(constraints) {}

  /// Adds the paths between two ends to `sink`, first paths that share no LID (the k-th LID of one
  /// end with the k-th of the other). The two ends are the sink's element; each pair of LIDs is a
  /// part of it. Returns false if the sink accepts no more, or the slice has ended.
  bool find(const PathEnd& from, const PathEnd& to, std::uint8_t hop_limit, RecordSink& sink);

  /// True if the requester may get records about the end.
  bool is_visible(fabric::EndPoint end) const;

 private:
  bool find_in_subnet(const PathEnd& from, const PathEnd& to, std::uint8_t hop_limit,
                      RecordSink& sink);
  struct Terms {  // of a pair of ends: the same for all their LIDs
    mad::PKey p_key;
    mad::Sl sl;  // requested: of the QoS level, else of the query, else of the partition
    std::uint8_t packet_life = 0;
    const config::QosLevel* level = nullptr;  // null: no policy
    bool is_beyond = false;                   // the path leads to another subnet
  };
  struct LinkValues {
    std::uint8_t mtu = 0, rate = 0;  // codes
  };
  LinkValues link_values(const PathProperties& path, fabric::PortIndex from, fabric::PortIndex to,
                         const Terms& terms) const;
  bool may_satisfy(fabric::PortIndex from, fabric::PortIndex to, const Terms& terms) const;
  const config::QosLevel* qos_level(fabric::EndPoint from, fabric::EndPoint to) const;
  std::optional<Terms> terms(const PathEnd& from, const PathEnd& to) const;
  mad::Sl sl_of_path(fabric::PortIndex from, fabric::PortIndex to, mad::Lid dlid,
                     mad::Sl requested) const;
  std::optional<mad::PathRecord> path(const PathEnd& from, mad::Lid slid, const PathEnd& to,
                                      mad::Lid dlid, const Terms& terms) const;

  const View& view_;
  const Query& query_;
  const PathConstraints& constraints_;
};

template <class Wire, class Mask>
std::uint16_t read_constraints(const Wire& request, const Query& query,
                               PathConstraints& constraints) {
  const bool high = query.has(Mask::kServiceIdHigh), low = query.has(Mask::kServiceIdLow);
  if (high != low) return mad::sa_status::kReqInsufficientComponents;
  const auto bound = [&](unsigned selector_bit, unsigned value_bit, std::uint8_t selector,
                         std::uint8_t code) -> Bound {
    if (!query.has(selector_bit) || !query.has(value_bit)) return {};
    return {static_cast<mad::Selector>(selector), code, true};
  };
  constraints.mtu =
      bound(Mask::kMtuSelector, Mask::kMtu, request.template get<std::uint8_t, "MTUSelector">(),
            request.template get<std::uint8_t, "MTU">());
  constraints.rate =
      bound(Mask::kRateSelector, Mask::kRate, request.template get<std::uint8_t, "RateSelector">(),
            request.template get<std::uint8_t, "Rate">());
  constraints.packet_life = bound(Mask::kLifeSelector, Mask::kLife,
                                  request.template get<std::uint8_t, "PacketLifeTimeSelector">(),
                                  request.template get<std::uint8_t, "PacketLifeTime">());
  if (constraints.mtu.has_code() && !mad::is_mtu(constraints.mtu.code))
    return mad::sa_status::kReqInvalid;
  if (constraints.rate.has_code() && !mad::is_rate(constraints.rate.code))
    return mad::sa_status::kReqInvalid;

  if (query.has(Mask::kPKey))
    constraints.p_key = constraints.traffic.p_key = request.template get<mad::PKey, "P_Key">();
  if (query.has(Mask::kQosClass))
    constraints.traffic.qos_class = request.template get<std::uint16_t, "QoSClass">();
  if (query.has(Mask::kSl)) constraints.sl = request.template get<mad::Sl, "SL">();
  constraints.reversible =
      query.has(Mask::kReversible) && request.template get<bool, "Reversible">();
  mad::PathRecord& pattern = constraints.pattern;
  if (query.has(Mask::kRawTraffic))
    pattern.set<"RawTraffic">(request.template get<bool, "RawTraffic">());
  if (constraints.traffic.qos_class) pattern.set<"QoSClass">(*constraints.traffic.qos_class);
  constexpr auto kExactly = static_cast<std::uint8_t>(mad::Selector::exactly);
  pattern.set<"MTUSelector">(kExactly);
  pattern.set<"RateSelector">(kExactly);
  pattern.set<"PacketLifeTimeSelector">(kExactly);
  return mad::status::kOk;
}

}  // namespace sa
