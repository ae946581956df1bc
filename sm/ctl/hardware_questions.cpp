#include "sm/ctl/hardware_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/attributes/vendor.h"
#include "sm/ctl/recorder.h"

namespace sm::ctl {

namespace {

using mad::AttributeId;
using Kind = HardwareAnswer::Kind;

struct Outcomes {
  std::size_t answered = 0, refused = 0, silent = 0;
  void add(const RecordedOutcome& outcome) {
    ++(outcome.ok() ? answered : outcome.status ? refused : silent);
  }
};
using ByDevice = std::map<std::string, Outcomes>;

std::string text(const ByDevice& devices) {
  std::string out;
  for (const auto& [name, seen] : devices)
    out += fmt::format("{}{}: {} answers, {} refusals, {} without an answer",
                       out.empty() ? "" : "; ", name, seen.answered, seen.refused, seen.silent);
  return out;
}

template <class Visit>
void for_each_answer(const Recording& recording, Visit&& visit) {
  for (const RecordedNode& node : recording.nodes)
    for (const RecordedPort& port : node.ports)
      for (const RecordedAnswer& answer : port.answers) visit(node, answer);
}

/// Counts the outcomes of some requests by type of device.
template <class Counts>
ByDevice outcomes(const Recording& recording, Counts&& counts) {
  ByDevice devices;
  for_each_answer(recording, [&](const RecordedNode& node, const RecordedAnswer& answer) {
    if (answer.outcome.attempts > 0 && counts(node, answer))
      devices[device_type(node.info)].add(answer.outcome);
  });
  return devices;
}

/// Expects answers; refusals and silence are what another device would do.
HardwareAnswer about_attribute(const HardwareQuestion& question, const Recording& recording) {
  const ByDevice devices =
      outcomes(recording, [&](const RecordedNode&, const RecordedAnswer& answer) {
        return answer.attribute == question.attribute;
      });
  if (devices.empty()) return {};
  const bool all = std::ranges::all_of(devices, [](const auto& entry) {
    return entry.second.refused == 0 && entry.second.silent == 0;
  });
  return {.kind = all ? Kind::as_expected : Kind::otherwise, .found = text(devices)};
}

/// Returns the switch at the other end of a CA's first link; null if there is none.
const RecordedNode* switch_of(const Recording& recording, std::uint32_t ca) {
  for (const RecordedPort& port : recording.nodes[ca].ports)
    for (const RecordedLink& link : port.links)
      if (link.peer && recording.nodes[link.peer->node].is_switch())
        return &recording.nodes[link.peer->node];
  for (const RecordedNode& node : recording.nodes)
    if (node.is_switch())
      for (const RecordedPort& port : node.ports)
        for (const RecordedLink& link : port.links)
          if (link.peer && link.peer->node == ca) return &node;
  return nullptr;
}

HardwareAnswer about_aggregation_nodes(const HardwareQuestion&, const Recording& recording) {
  std::size_t named = 0, inside = 0, named_inside = 0, others = 0;
  for (std::uint32_t i = 0; i < recording.nodes.size(); ++i) {
    const RecordedNode& node = recording.nodes[i];
    if (node.info.node_type() != mad::NodeType::ca) continue;
    const RecordedAnswer* const answer = node.ports.front().find(AttributeId::node_description);
    const bool is_named = answer != nullptr && answer->outcome.ok() &&
                          mad::NodeDescription{std::span(answer->data)}.text().find(
                              "ggregation Node") != std::string::npos;
    const RecordedNode* const sw = switch_of(recording, i);
    const bool is_inside = sw != nullptr && node.info.system_image_guid().value != 0 &&
                           node.info.system_image_guid() == sw->info.system_image_guid();
    named += is_named ? 1u : 0u;
    inside += is_inside ? 1u : 0u;
    named_inside += is_named && is_inside ? 1u : 0u;
    others += is_inside && !is_named ? 1u : 0u;
  }
  if (named == 0 && inside == 0) return {};
  return {.kind = named == named_inside && others == 0 ? Kind::as_expected : Kind::otherwise,
          .found = fmt::format("{} CAs are named aggregation nodes, {} of them have their switch's "
                               "SystemImageGUID; {} other CAs have it",
                               named, named_inside, others)};
}

/// Returns what is expected, unless some device has outcomes of this kind.
HardwareAnswer without(std::size_t Outcomes::* kind, const ByDevice& devices) {
  if (devices.empty()) return {};
  const bool has_some =
      std::ranges::any_of(devices, [&](const auto& entry) { return entry.second.*kind > 0; });
  return {.kind = has_some ? Kind::otherwise : Kind::as_expected, .found = text(devices)};
}

HardwareAnswer about_refusals(const HardwareQuestion&, const Recording& recording) {
  return without(&Outcomes::silent,
                 outcomes(recording, [](const RecordedNode& node, const RecordedAnswer& answer) {
                   return node.info.vendor_id() == mad::kNvidia &&
                          static_cast<std::uint16_t>(answer.attribute) >= 0xFF00;
                 }));
}

HardwareAnswer about_extended_speeds(const HardwareQuestion&, const Recording& recording) {
  return without(&Outcomes::refused,
                 outcomes(recording, [](const RecordedNode&, const RecordedAnswer& answer) {
                   return answer.attribute == AttributeId::port_info &&
                          (answer.modifier & mad::PortInfo::kExtendedSpeeds) != 0;
                 }));
}

HardwareAnswer about_times(const HardwareQuestion&, const Recording& recording) {
  std::map<std::string, std::vector<std::int64_t>> times_us;
  std::size_t repeated = 0;
  for_each_answer(recording, [&](const RecordedNode& node, const RecordedAnswer& answer) {
    if (!answer.outcome.status) return;
    repeated += answer.outcome.attempts > 1 ? 1u : 0u;
    times_us[device_type(node.info)].push_back(answer.outcome.time.count());
  });
  std::string found;
  bool quick = repeated == 0;
  for (auto& [name, all] : times_us) {
    std::ranges::sort(all);
    quick &= all[all.size() * 99 / 100] < 35'000;
    found += fmt::format(
        "{}{}: {} answers, half of them within {} us, 99 of 100 within {}, all within {}",
        found.empty() ? "" : "; ", name, all.size(), all[all.size() / 2],
        all[all.size() * 99 / 100], all.back());
  }
  found += fmt::format("; {} answers came to a later attempt", repeated);
  return {.kind = quick ? Kind::as_expected : Kind::otherwise, .found = std::move(found)};
}

struct SwitchCaps {
  std::size_t switches = 0, odd = 0;
  std::uint16_t least = 0xFFFF, most = 0;
};

template <class Of>
SwitchCaps switch_caps(const Recording& recording, Of&& of) {
  SwitchCaps out;
  for_each_answer(recording, [&](const RecordedNode&, const RecordedAnswer& answer) {
    if (answer.attribute != AttributeId::switch_info || !answer.outcome.ok()) return;
    const std::uint16_t value = of(mad::SwitchInfo{std::span(answer.data)});
    ++out.switches;
    out.least = std::min(out.least, value);
    out.most = std::max(out.most, value);
  });
  return out;
}

HardwareAnswer about_lft_cap(const HardwareQuestion&, const Recording& recording) {
  const SwitchCaps caps =
      switch_caps(recording, [](const mad::SwitchInfo& info) { return info.linear_fdb_cap(); });
  if (caps.switches == 0) return {};
  return {.kind = caps.least >= 0xC000 ? Kind::as_expected : Kind::otherwise,
          .found = fmt::format("{} switches, LinearFDBCap {} to {}", caps.switches, caps.least,
                               caps.most)};
}

HardwareAnswer about_enforcement(const HardwareQuestion&, const Recording& recording) {
  const SwitchCaps caps = switch_caps(
      recording, [](const mad::SwitchInfo& info) { return info.partition_enforcement_cap(); });
  if (caps.switches == 0) return {};
  return {.kind = caps.least > 0 ? Kind::as_expected : Kind::otherwise,
          .found = fmt::format("{} switches, PartitionEnforcementCap {} to {}", caps.switches,
                               caps.least, caps.most)};
}

constexpr std::array kQuestions{
    HardwareQuestion{
        {"HW-AGGREGATION-NODE", "Does a CA inside of a switch have the switch's SystemImageGUID?",
         "SubnGet(NodeInfo), SubnGet(NodeDescription) to all nodes",
         "all CAs that are named aggregation nodes have it, and no other CA",
         "which CAs shape trees: another test of CAs inside of switches would be needed"},
        about_aggregation_nodes},
    HardwareQuestion{{"HW-ADAPTIVE-INFO", "Do switches answer AdaptiveRoutingInfo?",
                      "SubnGet(AdaptiveRoutingInfo) to switches of NVIDIA",
                      "an answer where GeneralInfo announces adaptive routing",
                      "switches that refuse or do not answer keep static tables"},
                     about_attribute,
                     AttributeId::adaptive_routing_info},
    HardwareQuestion{{"HW-ADAPTIVE-GROUPS", "Do they show ARGroupTable as it is laid out here?",
                      "SubnGet(ARGroupTable), the first two blocks", "an answer",
                      "groups are not written to switches whose blocks cannot be read back"},
                     about_attribute,
                     AttributeId::ar_group_table},
    HardwareQuestion{{"HW-ADAPTIVE-TABLE", "Do they show ARLinearForwardingTable?",
                      "SubnGet(ARLinearForwardingTable), the first two blocks", "an answer",
                      "as HW-ADAPTIVE-GROUPS, for forwarding tables"},
                     about_attribute,
                     AttributeId::ar_linear_forwarding_table},
    HardwareQuestion{{"HW-GENERAL-INFO", "Do NVIDIA's devices answer GeneralInfo?",
                      "SubnGet(GeneralInfo), modifier 4", "an answer",
                      "what a device can do would have to be found by trying"},
                     about_attribute,
                     AttributeId::general_info},
    HardwareQuestion{
        {"HW-EXT-PORT-INFO", "Do NVIDIA's ports answer MlnxExtPortInfo?",
         "SubnGet(MlnxExtPortInfo) to ports that are up", "an answer",
         "FDR10, and the SLs on which a host takes packets in any order, would be unknown"},
        about_attribute,
        AttributeId::mlnx_ext_port_info},
    HardwareQuestion{{"HW-PORT-INFO-EXTENDED", "Do ports that announce PortInfoExtended answer it?",
                      "SubnGet(PortInfoExtended)", "an answer", "FEC modes would be unknown"},
                     about_attribute,
                     AttributeId::port_info_extended},
    HardwareQuestion{{"HW-VIRTUALIZATION", "Do CAs that announce vports answer VirtualizationInfo?",
                      "SubnGet(VirtualizationInfo)", "an answer",
                      "virt_enabled 2 would find no vports of that host"},
                     about_attribute,
                     AttributeId::virtualization_info},
    HardwareQuestion{
        {"HW-HIERARCHY", "Do nodes that announce HierarchyInfo answer it?",
         "SubnGet(HierarchyInfo)", "an answer", "positions in chassis would come from names alone"},
        about_attribute,
        AttributeId::hierarchy_info},
    HardwareQuestion{{"HW-PORT-STATES", "Do switches that announce SwitchPortStateTable answer it?",
                      "SubnGet(SwitchPortStateTable)", "an answer",
                      "light sweeps would read PortInfo of each port"},
                     about_attribute,
                     AttributeId::switch_port_state_table},
    HardwareQuestion{
        {"HW-UNKNOWN-ATTRIBUTE", "Does a device answer an attribute that it does not know?",
         "SubnGet of NVIDIA's attributes to all devices of NVIDIA",
         "an answer or a bad status, not silence",
         "silence costs a time-out each: such requests would come last and once"},
        about_refusals},
    HardwareQuestion{
        {"HW-EXTENDED-SPEEDS", "Does a device refuse PortInfo with bit 31 of the modifier?",
         "SubnGet(PortInfo) with extended speeds", "no refusal",
         "two requests for each of its ports"},
        about_extended_speeds},
    HardwareQuestion{{"HW-TABLE-SIZE", "Do switches forward to all unicast LIDs?",
                      "SubnGet(SwitchInfo)", "LinearFDBCap of at least 49152",
                      "LIDs above the cap would not be reached over these switches"},
                     about_lft_cap},
    HardwareQuestion{
        {"HW-ENFORCEMENT", "Can switches enforce P_Keys?", "SubnGet(SwitchInfo)",
         "PartitionEnforcementCap above 0", "partitions would be kept apart by hosts alone"},
        about_enforcement},
    HardwareQuestion{{"HW-RESPONSE-TIME", "How long do responses take?", "all requests",
                      "99 of 100 within 35 ms, each to the first attempt",
                      "time-outs and requests in flight to one device"},
                     about_times},
};

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::as_expected:
      return "as expected";
    case Kind::otherwise:
      return "OTHERWISE";
    case Kind::not_here:
      return "no such device here";
    case Kind::not_run:
      return "not run";
  }
  return "";
}

}  // namespace

std::string device_type(const mad::NodeInfo& info) {
  const char* const type = info.node_type() == mad::NodeType::switch_  ? "switch"
                           : info.node_type() == mad::NodeType::router ? "router"
                                                                       : "CA";
  return fmt::format("{} {:#08x}/{}", type, info.vendor_id(), info.device_id());
}

std::span<const HardwareQuestion> hardware_questions() { return kQuestions; }

std::vector<AnsweredQuestion> answer_hardware_questions(const Recording& recording) {
  std::vector<AnsweredQuestion> out;
  out.reserve(kQuestions.size());
  for (const HardwareQuestion& question : kQuestions)
    out.push_back({.question = &question.text, .answer = question.answer(question, recording)});
  return out;
}

std::string hardware_answers_text(std::span<const AnsweredQuestion> answers) {
  std::string out;
  for (const auto& [question, answer] : answers)
    out += fmt::format(
        "{}: {}\n  {}\n  sent      {}\n  expected  {}\n  found     {}\n  matters   {}\n\n",
        question->id, name(answer.kind), question->question, question->sent, question->expected,
        answer.found.empty() ? "-" : answer.found, question->matters);
  return out;
}

nlohmann::ordered_json hardware_answers_json(std::span<const AnsweredQuestion> answers) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [question, answer] : answers)
    rows.push_back({{"id", question->id},
                    {"answer", name(answer.kind)},
                    {"question", question->question},
                    {"sent", question->sent},
                    {"expected", question->expected},
                    {"found", answer.found},
                    {"matters", question->matters}});
  return rows;
}

}  // namespace sm::ctl
