#pragma once
// Paths between two end ports under the wishes of one question.

#include <cstdint>
#include <optional>

#include "mad/records/path_record.h"
#include "sm/sa/paths/ends.h"
#include "sm/sa/paths/path_index.h"
#include "sm/sa/paths/qos_level.h"
#include "sm/sa/paths/selectors.h"
#include "sm/sa/query/record_type.h"

namespace sa {

/// What a question asks of every path, whatever its ends.
struct PathWishes {
  Bound mtu, rate, life;
  std::optional<mad::PKey> p_key;
  std::optional<mad::Sl> sl;
  QosTraffic traffic;  // that the paths are for
  bool reversible = false;
  unsigned paths_max = 0;   // for each pair of ports
  mad::PathRecord pattern;  // what answers repeat: QoSClass, RawTraffic (not FlowLabel and TClass,
                            // as OpenSM does not)
};

/// Reads the fields that PathRecord and MultiPathRecord have in common. `Wire` is one of the two;
/// `has(mask)` says whether a component was asked for. `wishes.traffic` lacks the ServiceID, which
/// they have each in its own way. Errors: kReqInvalid for a code that stands for nothing,
/// kReqInsufficientComponents for half a ServiceID.
template <class Wire, class Mask>
std::uint16_t read_wishes(const Wire& asked, const Query& query, PathWishes& wishes);

/// A path and whether it is one of those that share neither LID with another (the k-th of one end
/// with the k-th of the other).
class PathFinder {
 public:
  PathFinder(const View& view, const Query& query, const PathWishes& wishes)
      : view_(view), query_(query), wishes_(wishes) {}

  /// Gives the paths between two ends, best ones first, to the sink. False: the sink wants no more.
  bool find(const PathEnd& from, const PathEnd& to, std::uint8_t hop_limit, RecordSink& sink);

  /// Both ends may be known to who asks.
  bool is_visible(sm::PortIndex port) const;

 private:
  struct Terms {  // of a pair of ports: the same for all their LIDs
    mad::PKey p_key;
    mad::Sl sl;  // wanted: of the QoS level, else as asked, else of the partition
    std::uint8_t life = 0;
    const config::QosLevel* level = nullptr;  // null: no policy
  };
  const config::QosLevel* qos_level(sm::PortIndex from, sm::PortIndex to) const;
  std::optional<Terms> terms(sm::PortIndex from, sm::PortIndex to) const;
  mad::Sl sl_of_path(sm::PortIndex from, sm::PortIndex to, mad::Lid dlid, mad::Sl wish) const;
  std::optional<mad::PathRecord> path(const PathEnd& from, mad::Lid slid, const PathEnd& to,
                                      mad::Lid dlid, const Terms& terms) const;

  const View& view_;
  const Query& query_;
  const PathWishes& wishes_;
};

/// The P_Key with which two ports may talk: `wanted`, or that of their lowest common partition. In
/// the form of the first port: limited if it is a limited member. Nothing if there is none. Lists
/// as in sm::PartitionMap. `allowed` has the partitions that count, all if it is empty.
std::optional<mad::PKey> common_p_key(std::span<const mad::PKey> from,
                                      std::span<const mad::PKey> to,
                                      std::optional<mad::PKey> wanted,
                                      const config::NumberRanges& allowed = {});

template <class Wire, class Mask>
std::uint16_t read_wishes(const Wire& asked, const Query& query, PathWishes& wishes) {
  const bool high = query.has(Mask::kServiceIdHigh), low = query.has(Mask::kServiceIdLow);
  if (high != low) return mad::sa_status::kReqInsufficientComponents;
  const auto bound = [&](unsigned selector_bit, unsigned value_bit, std::uint8_t selector,
                         std::uint8_t code) -> Bound {
    if (!query.has(selector_bit) || !query.has(value_bit)) return {};
    return {static_cast<mad::Selector>(selector), code};
  };
  wishes.mtu =
      bound(Mask::kMtuSelector, Mask::kMtu, asked.template get<std::uint8_t, "MTUSelector">(),
            asked.template get<std::uint8_t, "MTU">());
  wishes.rate =
      bound(Mask::kRateSelector, Mask::kRate, asked.template get<std::uint8_t, "RateSelector">(),
            asked.template get<std::uint8_t, "Rate">());
  wishes.life = bound(Mask::kLifeSelector, Mask::kLife,
                      asked.template get<std::uint8_t, "PacketLifeTimeSelector">(),
                      asked.template get<std::uint8_t, "PacketLifeTime">());
  if (wishes.mtu.has_code() && !mad::is_mtu(wishes.mtu.code)) return mad::sa_status::kReqInvalid;
  if (wishes.rate.has_code() && !mad::is_rate(wishes.rate.code)) return mad::sa_status::kReqInvalid;

  if (query.has(Mask::kPKey))
    wishes.p_key = wishes.traffic.p_key = asked.template get<mad::PKey, "P_Key">();
  if (query.has(Mask::kQosClass))
    wishes.traffic.qos_class = asked.template get<std::uint16_t, "QoSClass">();
  if (query.has(Mask::kSl)) wishes.sl = asked.template get<mad::Sl, "SL">();
  wishes.reversible = query.has(Mask::kReversible) && asked.template get<bool, "Reversible">();
  mad::PathRecord& pattern = wishes.pattern;
  if (query.has(Mask::kRawTraffic))
    pattern.set<"RawTraffic">(asked.template get<bool, "RawTraffic">());
  if (wishes.traffic.qos_class) pattern.set<"QoSClass">(*wishes.traffic.qos_class);
  constexpr auto kExactly = static_cast<std::uint8_t>(mad::Selector::exactly);
  pattern.set<"MTUSelector">(kExactly);
  pattern.set<"RateSelector">(kExactly);
  pattern.set<"PacketLifeTimeSelector">(kExactly);
  return mad::status::kOk;
}

}  // namespace sa
