#pragma once
// Paths between two ends under the constraints of one query.

#include <cstdint>
#include <limits>
#include <optional>

#include "mad/records/path_records.h"
#include "sm/sa/paths/common_p_key.h"
#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/path_constraints.h"
#include "sm/sa/paths/path_index.h"
#include "sm/sa/query/record_type.h"

namespace sa {

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
