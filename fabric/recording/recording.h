#pragma once
// A recording of the answers of a fabric's nodes to SubnGet: its value, text form and reader.

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "mad/attribute.h"
#include "mad/attributes/node_info.h"
#include "mad/directed_route.h"

namespace fabric {

/// The outcome of one request.
struct RecordedOutcome {
  std::optional<std::uint16_t> status;  // nullopt: no answer
  unsigned attempts = 1;                // 0: not sent, since the node had not answered others
  std::chrono::microseconds time{};     // from the first attempt to the answer or the last time-out

  bool ok() const { return status == 0; }
};

/// The answer to SubnGet(attribute, modifier).
struct RecordedAnswer {
  mad::AttributeId attribute = mad::AttributeId::node_info;
  std::uint32_t modifier = 0;
  RecordedOutcome outcome;
  bool masked = false;                                    // a key in `data` was not zero, and is
  std::array<std::uint8_t, mad::kAttributeBytes> data{};  // zeros if there was no answer
};

/// Describes the other end of a link: a node that answered NodeInfo by the port `port`, or a node
/// that did not.
struct RecordedPeer {
  std::uint32_t node = 0;  // index into Recording::nodes
  std::uint8_t port = 0;
};
struct RecordedLink {
  std::uint8_t port = 0;             // of the node that has this link in its list
  std::optional<RecordedPeer> peer;  // nullopt: `outcome` is not ok
  RecordedOutcome outcome;
};

/// Holds the answers of one end port: port 0 of a switch, or a port of a CA or router.
struct RecordedPort {
  std::uint8_t number = 0;
  mad::DirectedRoute route;  // by which it was reached
  std::vector<RecordedAnswer> answers;
  std::vector<RecordedLink> links;  // every link of the fabric once, at the end found first

  /// Returns null if there is no such request, whatever its outcome.
  const RecordedAnswer* find(mad::AttributeId attribute, std::uint32_t modifier = 0) const;
};
struct RecordedNode {
  mad::NodeInfo info;               // as the first of `ports` answered it
  std::vector<RecordedPort> ports;  // at least one
  bool is_switch() const { return info.node_type() == mad::NodeType::switch_; }
};

struct Recording {
  std::vector<RecordedNode> nodes;  // in the order of discovery; the first is the recorder's own
  std::chrono::milliseconds duration{};
  bool complete = true;  // false: a bound of the recorder was exceeded

  std::size_t answer_count() const;
};

/// Bounds a recording, and a file that is read.
inline constexpr std::size_t kRecordedNodesMax = 65'536;

/// Shape:  a line per answer, grouped by port; README.md has an example.
std::string write_recording(const Recording& recording);

/// Errors: at most 20, each with line and column: an unknown version or word, values out of range,
///         a port that does not begin with its NodeInfo, links that do not fit, no `end`.
tl::expected<Recording, config::Diagnostics> read_recording(const config::Source& source);

/// Replaces GUIDs and descriptions; equal values get equal replacements. GUIDs keep their order,
/// which managers and routing engines use to break ties.
void make_anonymous(Recording& recording);

}  // namespace fabric
