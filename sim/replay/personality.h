#pragma once
// How one device answers where it differs from a simulated one.

#include <map>
#include <optional>
#include <tuple>

#include "fabric/recording/recording.h"
#include "sim/world/model.h"

namespace sim {

/// Holds what a recording has of one node beyond its state: attributes that it refuses or does not
/// answer, and contents that the simulation does not model. Private to this directory.
class Personality {
 public:
  /// `port` is the one that answered: 0 for a switch.
  void add(unsigned port, const fabric::RecordedAnswer& answer);
  /// Adds the content of an attribute that the simulation does not model.
  void add_content(unsigned port, const fabric::RecordedAnswer& answer);
  bool empty() const { return answers_.empty(); }
  /// The reaction to a request that came in by `port`; nullopt: as a simulated device.
  std::optional<Reaction> react(mad::SmpView smp, unsigned port);

 private:
  using Key = std::tuple<unsigned, mad::AttributeId, std::uint32_t>;
  std::map<Key, fabric::RecordedAnswer> answers_;
  /// The outcome that all recorded modifiers of an attribute had; inner nullopt: they differ.
  std::map<std::pair<unsigned, mad::AttributeId>, std::optional<fabric::RecordedAnswer>> uniform_;
};

}  // namespace sim
