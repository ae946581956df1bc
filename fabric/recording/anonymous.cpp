#include <map>

#include "fabric/recording/recording.h"
#include "mad/attribute_rows.h"
#include "mad/format.h"

namespace fabric {
namespace {

using mad::AttributeId;

constexpr std::uint64_t kFirstGuid = 0x0200'0000'0000'0001;  // locally administered

/// Calls visit(guid) for every GUID of an answer, and stores the GUID that visit() returns.
template <class Visit>
void for_each_guid(RecordedAnswer& answer, Visit visit) {
  for (const mad::Field& field : mad::attribute_row(answer.attribute).fields) {
    if (field.width == 64 && field.name.ends_with("GUID"))
      mad::write(answer.data, field, visit(mad::Guid{mad::read(answer.data, field)}).value);
  }
}

template <class Visit>
void for_each_answer(Recording& recording, Visit visit) {
  for (RecordedNode& node : recording.nodes) {
    for (RecordedPort& port : node.ports) {
      for (RecordedAnswer& answer : port.answers) visit(node, answer);
    }
  }
}

}  // namespace

void make_anonymous(Recording& recording) {
  // HierarchyInfo contains the rack of a node.
  for (RecordedNode& node : recording.nodes) {
    for (RecordedPort& port : node.ports)
      std::erase_if(port.answers, [](const RecordedAnswer& answer) {
        return answer.attribute == AttributeId::hierarchy_info;
      });
  }
  std::map<mad::Guid, mad::Guid> guids;
  std::map<std::string, std::string> descriptions;
  for_each_answer(recording, [&](const RecordedNode&, RecordedAnswer& answer) {
    for_each_guid(answer, [&](mad::Guid guid) {
      if (guid.value != 0) guids.emplace(guid, mad::Guid{});
      return guid;
    });
  });
  std::uint64_t next = kFirstGuid;
  for (auto& [old, replacement] : guids) replacement = mad::Guid{next++};
  for_each_answer(recording, [&](const RecordedNode& node, RecordedAnswer& answer) {
    for_each_guid(answer, [&](mad::Guid guid) { return guid.value == 0 ? guid : guids.at(guid); });
    if (answer.attribute != AttributeId::node_description || !answer.outcome.ok()) return;
    mad::NodeDescription description{std::span(answer.data)};
    auto& replacement = descriptions[description.text()];
    if (replacement.empty())
      replacement = fmt::format("{}-{}", node.is_switch() ? "switch" : "host", descriptions.size());
    description.set_text(replacement);
    std::ranges::copy(description.bytes(), answer.data.begin());
  });
  for (RecordedNode& node : recording.nodes) {
    if (const auto* info = node.ports.front().find(AttributeId::node_info))
      node.info = mad::NodeInfo{std::span(info->data)};
  }
}

}  // namespace fabric
