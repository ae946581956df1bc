#include <algorithm>
#include <iterator>
#include <numeric>

#include "fabric/recording/recording.h"
#include "mad/format.h"

namespace fabric {
namespace {

constexpr const char* kHeader =
    "heddle-recording 1\n"
    "# Written by `heddlectl record`, replayed by `heddle-sim --replay`. After `node N port P "
    "route\n"
    "# R` follow the answers of that port to SubnGet: attribute, modifier, `ok`, a status or\n"
    "# `silent`, attempts, microseconds, data without the zeros at its end; and its links.\n"
    "# M_Key of PortInfo and SM_Key of SMInfo are zeros here, `masked` where they were not.\n";

void append(std::string& out, const RecordedOutcome& outcome) {
  if (!outcome.status) {
    out += "silent";
  } else if (outcome.ok()) {
    out += "ok";
  } else {
    fmt::format_to(std::back_inserter(out), "0x{:04x}", *outcome.status);
  }
  fmt::format_to(std::back_inserter(out), " attempts={} us={}", outcome.attempts,
                 outcome.time.count());
}

void append(std::string& out, const RecordedAnswer& answer) {
  if (const std::string_view name = mad::name(answer.attribute); !name.empty()) {
    out += name;
  } else {
    fmt::format_to(std::back_inserter(out), "0x{:04x}",
                   static_cast<std::uint16_t>(answer.attribute));
  }
  fmt::format_to(std::back_inserter(out), " 0x{:08x} ", answer.modifier);
  append(out, answer.outcome);
  if (answer.masked) out += " masked";
  const auto last = std::find_if(answer.data.rbegin(), answer.data.rend(),
                                 [](std::uint8_t byte) { return byte != 0; });
  if (last != answer.data.rend()) {
    out += " data=";
    for (auto byte = answer.data.begin(); byte != last.base(); ++byte)
      fmt::format_to(std::back_inserter(out), "{:02x}", *byte);
  }
  out += '\n';
}

void append(std::string& out, const RecordedLink& link) {
  fmt::format_to(std::back_inserter(out), "link {} ", link.port);
  append(out, link.outcome);
  if (link.peer)
    fmt::format_to(std::back_inserter(out), " node={} port={}", link.peer->node, link.peer->port);
  out += '\n';
}

}  // namespace

const RecordedAnswer* RecordedPort::find(mad::AttributeId attribute, std::uint32_t modifier) const {
  const auto found = std::ranges::find_if(answers, [&](const RecordedAnswer& answer) {
    return answer.attribute == attribute && answer.modifier == modifier;
  });
  return found == answers.end() ? nullptr : &*found;
}

std::size_t Recording::answer_count() const {
  std::size_t count = 0;
  for (const RecordedNode& node : nodes) {
    for (const RecordedPort& port : node.ports) count += port.answers.size();
  }
  return count;
}

std::string write_recording(const Recording& recording) {
  std::string out = kHeader;
  for (std::size_t index = 0; index < recording.nodes.size(); ++index) {
    for (const RecordedPort& port : recording.nodes[index].ports) {
      fmt::format_to(std::back_inserter(out), "\nnode {} port {} route {}\n", index, port.number,
                     port.route.text());
      for (const RecordedAnswer& answer : port.answers) append(out, answer);
      for (const RecordedLink& link : port.links) append(out, link);
    }
  }
  fmt::format_to(std::back_inserter(out), "\nend nodes={} answers={} ms={}{}\n",
                 recording.nodes.size(), recording.answer_count(), recording.duration.count(),
                 recording.complete ? "" : " incomplete");
  return out;
}

}  // namespace fabric
