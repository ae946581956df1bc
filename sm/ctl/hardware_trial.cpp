#include "sm/ctl/hardware_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <system_error>
#include <utility>

#include "config/file_reader.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/attributes/virtualization.h"
#include "mad/format.h"
#include "sm/ctl/hardware_questions.h"
#include "sm/store/atomic_file.h"

namespace sm::ctl {
namespace asio = boost::asio;

using mad::AttributeId;
using mad::SmpAnswer;
using mad::SmpData;

namespace {

/// Returns a value as a Set writes it back: fields that are commands or events say "no change".
SmpData as_set(AttributeId attribute, SmpData data) {
  if (attribute == AttributeId::port_info) {
    mad::PortInfo info{std::span(data)};
    info.set_port_state(mad::PortState::no_change);
    info.set_port_physical_state(mad::PortPhysicalState::no_change);
    info.set_client_reregister(false);
    std::ranges::copy(info.bytes(), data.begin());
  } else if (attribute == AttributeId::switch_info) {
    mad::SwitchInfo info{std::span(data)};
    info.set_port_state_change(false);
    std::ranges::copy(info.bytes(), data.begin());
  } else if (attribute == AttributeId::virtualization_info) {
    mad::VirtualizationInfo info{std::span(data)};
    info.set_vport_state_change(false);
    info.set_vclient_reregistration(false);
    std::ranges::copy(info.bytes(), data.begin());
  }
  return data;
}

/// Returns the part of a value that a manager sets, by which two readings are compared: without
/// counters, and without what the link itself decides.
SmpData settings_of(AttributeId attribute, const SmpData& data) {
  SmpData out = as_set(attribute, data);
  if (attribute == AttributeId::port_info) {
    mad::PortInfo info{std::span(out)};
    if (info.link_speed_ext_enabled() == mad::link_speed_ext::kDisableAll)
      info.set_link_speed_ext_enabled(mad::link_speed_ext::kNone);  // as which it may be read
    info.set_m_key({});                                             // no text may have it
    info.set_capability_mask(0);                                    // IsSM: of programs on the host
    info.set_m_key_violations(0);
    info.set_p_key_violations(0);
    info.set_q_key_violations(0);
    info.set_link_round_trip_latency(0);
    std::ranges::copy(info.bytes(), out.begin());
  }
  return out;
}

/// True for attributes with settings of several purposes, and some that devices or other programs
/// change: of these only what the trial has changed is written back. Others are blocks of tables.
bool has_many_settings(AttributeId attribute) {
  return attribute == AttributeId::port_info || attribute == AttributeId::switch_info ||
         attribute == AttributeId::virtualization_info ||
         attribute == AttributeId::adaptive_routing_info;
}

/// Returns the value to write where `now` is read: `now` with the bits from before
/// that the trial has changed.
SmpData merged(const FormerValue& value, const SmpData& now) {
  if (!has_many_settings(value.attribute)) return value.data;
  SmpData out = now;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t changed = value.data[i] ^ value.written[i];
    out[i] = static_cast<std::uint8_t>((out[i] & ~changed) | (value.data[i] & changed));
  }
  return out;
}

/// A PortInfo whose M_Key is hidden reads 0 there: a Set of it would remove the key.
bool hides_m_key(AttributeId attribute, const SmpData& data) {
  if (attribute != AttributeId::port_info) return false;
  const mad::PortInfo info{std::span(data)};
  return info.m_key() == mad::MKey{} && info.m_key_protect_bits() != 0;
}

std::string fate(const SmpAnswer& answer) {
  return answer.fault == mad::SmpFault::bad_status
             ? fmt::format("refused with status {:#06x}", answer.status)
             : fmt::format("without an answer ({})", mad::name(answer.fault));
}

std::string differing_bytes(const SmpData& read, const SmpData& written) {
  std::string out;
  for (std::size_t i = 0; i < read.size(); ++i)
    if (read[i] != written[i])
      out += fmt::format("{}byte {} is {:#04x}, {:#04x} was written", out.empty() ? "" : "; ", i,
                         read[i], written[i]);
  return out;
}

bool is_up(const mad::PortInfo& info) {
  return info.port_physical_state() == mad::PortPhysicalState::link_up &&
         info.port_state() != mad::PortState::down;
}

bool is_as_fast(const mad::PortInfo& now, const mad::PortInfo& before) {
  return now.link_speed_active() == before.link_speed_active() &&
         now.link_speed_ext_active() == before.link_speed_ext_active() &&
         now.link_width_active() == before.link_width_active();
}

}  // namespace

tl::expected<std::vector<FormerValue>, std::string> read_former_values(
    const std::filesystem::path& file) {
  const auto text = config::read_file(file.string());
  if (!text) return tl::unexpected(fmt::format("{}: {}", file.string(), text.error().message()));
  const auto recording = read_recording({file.string(), *text});
  if (!recording) return tl::unexpected(recording.error().front().text());
  // Two nodes a value: the one before, and the one that was written. The first answer of each is
  // the NodeInfo by which the place is known.
  const auto value_of = [](const RecordedNode& node) -> const RecordedAnswer* {
    const RecordedPort& port = node.ports.front();
    return port.answers.size() == 2 ? &port.answers.back() : nullptr;
  };
  std::vector<FormerValue> out;
  for (std::size_t i = 0; i < recording->nodes.size(); i += 2) {
    const RecordedPort& port = recording->nodes[i].ports.front();
    const RecordedAnswer* const before = value_of(recording->nodes[i]);
    const RecordedAnswer* const written =
        i + 1 < recording->nodes.size() ? value_of(recording->nodes[i + 1]) : nullptr;
    if (before == nullptr || written == nullptr || before->attribute != written->attribute ||
        before->modifier != written->modifier)
      return tl::unexpected(file.string() + ": not a file that hardware-report --writes has left");
    FormerValue value{.place = {.info = mad::NodeInfo{std::span(port.answers.front().data)},
                                .number = port.number,
                                .route = port.route},
                      .attribute = before->attribute,
                      .modifier = before->modifier};
    std::ranges::copy(before->data, value.data.begin());
    std::ranges::copy(written->data, value.written.begin());
    out.push_back(value);
  }
  return out;
}

std::vector<std::string> differing_settings(const Recording& before, const Recording& after) {
  using Place = std::pair<mad::Guid, std::uint8_t>;
  std::map<Place, const RecordedPort*> ports;
  for (const RecordedNode& node : after.nodes)
    for (const RecordedPort& port : node.ports) ports[{node.info.node_guid(), port.number}] = &port;
  std::vector<std::string> out;
  for (const RecordedNode& node : before.nodes) {
    const std::string type = device_type(node.info);
    for (const RecordedPort& port : node.ports) {
      const auto found = ports.find({node.info.node_guid(), port.number});
      if (found == ports.end()) {
        out.push_back(fmt::format("{}: port {} does not answer any more", type, port.number));
        continue;
      }
      for (const RecordedAnswer& answer : port.answers) {
        if (answer.attribute == AttributeId::sm_info || !answer.outcome.ok()) continue;
        const RecordedAnswer* const later = found->second->find(answer.attribute, answer.modifier);
        if (later == nullptr || !later->outcome.ok() ||
            settings_of(answer.attribute, answer.data) !=
                settings_of(answer.attribute, later->data))
          out.push_back(
              fmt::format("{}: {} {:#010x}", type, mad::name(answer.attribute), answer.modifier));
      }
    }
  }
  return out;
}

Trial::Trial(mad::SmpClient& client, mad::Runtime& runtime, std::filesystem::path undo_file)
    : client_(client), runtime_(runtime), undo_file_(std::move(undo_file)) {}

asio::awaitable<SmpAnswer> Trial::get(const TrialPlace& place, AttributeId attribute,
                                      std::uint32_t modifier) {
  co_return co_await client_.ask({.attribute = attribute,
                                  .modifier = modifier,
                                  .route = place.route,
                                  .node = place.info.node_guid(),
                                  .port = place.info.port_guid()});
}

asio::awaitable<SmpAnswer> Trial::set(const TrialPlace& place, AttributeId attribute,
                                      std::uint32_t modifier, const SmpData& data) {
  co_return co_await client_.ask({.method = mad::Method::set,
                                  .attribute = attribute,
                                  .modifier = modifier,
                                  .route = place.route,
                                  .node = place.info.node_guid(),
                                  .port = place.info.port_guid(),
                                  .data = data});
}

/// The file is a recording: two nodes for each value, with the value before, and the value that is
/// written.
tl::expected<void, std::string> Trial::save() const {
  if (former_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(undo_file_, ignored);
    return {};
  }
  Recording recording;
  for (const FormerValue& value : former_) {
    for (const SmpData* const data : {&value.data, &value.written}) {
      RecordedNode& node = recording.nodes.emplace_back();
      node.info = value.place.info;
      RecordedAnswer info{.attribute = AttributeId::node_info, .outcome = {.status = 0}},
          answer{
              .attribute = value.attribute, .modifier = value.modifier, .outcome = {.status = 0}};
      std::ranges::copy(value.place.info.bytes(), info.data.begin());
      std::ranges::copy(*data, answer.data.begin());
      node.ports.push_back({.number = value.place.number,
                            .route = value.place.route,
                            .answers = {info, answer},
                            .links = {}});
    }
  }
  // Mode 0600, since a PortInfo has the M_Key.
  return write_file_atomically(undo_file_, write_recording(recording), true, 0600);
}

tl::expected<void, std::string> Trial::keep(const FormerValue& value) {
  former_.push_back(value);
  auto saved = save();
  if (!saved) former_.pop_back();
  return saved;
}

asio::awaitable<Trial::Outcome> Trial::change(const TrialPlace& place, AttributeId attribute,
                                              std::uint32_t modifier, Alter alter,
                                              std::optional<Sent> sent) {
  const std::string what = fmt::format("{} {:#010x}", mad::name(attribute), modifier);
  const SmpAnswer before = co_await get(place, attribute, modifier);
  if (!before.ok()) co_return Outcome{.text = fmt::format("{}: SubnGet {}", what, fate(before))};
  if (hides_m_key(attribute, before.data))
    co_return Outcome{.text = what + ": not written, since its M_Key is hidden"};
  SmpData wanted = as_set(attribute, before.data);
  alter(wanted);
  SmpData written_value = before.data;
  alter(written_value);
  if (written_value == before.data)
    co_return Outcome{.text = what + ": not written, since there is nothing to change"};
  if (const auto kept = keep({.place = place,
                              .attribute = attribute,
                              .modifier = modifier,
                              .data = before.data,
                              .written = written_value});
      !kept)
    co_return Outcome{.text = fmt::format("{}: not written: {}", what, kept.error())};
  const SmpAnswer written = sent ? co_await set(place, sent->attribute, sent->modifier, sent->data)
                                 : co_await set(place, attribute, modifier, wanted);
  if (!written.ok()) co_return Outcome{.text = fmt::format("{}: SubnSet {}", what, fate(written))};
  const SmpAnswer after = co_await get(place, attribute, modifier);
  if (!after.ok())
    co_return Outcome{.text = fmt::format("{}: written; SubnGet {}", what, fate(after))};
  const SmpData settings = settings_of(attribute, after.data),
                expected = settings_of(attribute, wanted);
  if (settings == expected) co_return Outcome{.kept = true, .text = what + ": kept"};
  co_return Outcome{.text = fmt::format("{}: accepted, and another value is read back: {}", what,
                                        differing_bytes(settings, expected))};
}

asio::awaitable<void> Trial::sleep(mad::Duration time) {
  mad::WakeUp never(runtime_);
  co_await never.wait_until(runtime_.now() + time);
}

asio::awaitable<Trial::Training> Trial::retrain(const TrialPlace& place, std::uint32_t modifier) {
  const SmpAnswer now = co_await get(place, AttributeId::port_info, modifier);
  if (!now.ok() || hides_m_key(AttributeId::port_info, now.data)) co_return Training{};
  SmpData data = as_set(AttributeId::port_info, now.data);
  mad::PortInfo info{std::span(data)};
  info.set_port_physical_state(mad::PortPhysicalState::polling);
  std::ranges::copy(info.bytes(), data.begin());
  const mad::PortState before = mad::PortInfo{std::span(now.data)}.port_state();
  const mad::TimePoint begin = runtime_.now();
  if (!(co_await set(place, AttributeId::port_info, modifier, data)).ok()) co_return Training{};
  Training training;
  while (runtime_.now() - begin < kTrainingLimit) {
    co_await sleep(std::chrono::milliseconds(5));
    const SmpAnswer seen = co_await get(place, AttributeId::port_info, modifier);
    if (!seen.ok()) continue;
    const mad::PortInfo read{std::span(seen.data)};
    training.is_up = is_up(read);
    if (!training.is_up || read.port_state() < before) training.was_seen = true;
    training.time = std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin);
    if (training.is_up && (training.was_seen || training.time >= kTrainingBegins)) break;
  }
  co_return training;
}

asio::awaitable<bool> Trial::is_there(const TrialPlace& place) {
  const SmpAnswer answer = co_await get(place, AttributeId::node_info, 0);
  const mad::NodeInfo info{std::span(answer.data)};
  co_return answer.ok() && info.node_guid() == place.info.node_guid() &&
      info.port_guid() == place.info.port_guid();
}

asio::awaitable<void> Trial::write_back(const FormerValue& value) {
  if (!co_await is_there(value.place)) co_return;
  const SmpAnswer now = co_await get(value.place, value.attribute, value.modifier);
  if (!now.ok() || hides_m_key(value.attribute, now.data)) co_return;
  const SmpData wanted = merged(value, now.data);
  if (settings_of(value.attribute, now.data) != settings_of(value.attribute, wanted))
    co_await set(value.place, value.attribute, value.modifier, as_set(value.attribute, wanted));
}

/// Trains links again that are down, or slower than before.
asio::awaitable<void> Trial::bring_links_up(const std::vector<FormerValue>& links) {
  for (const FormerValue& value : links) {
    const mad::PortInfo before{std::span(value.data)};
    if (!is_up(before) || !co_await is_there(value.place)) continue;
    const SmpAnswer now = co_await get(value.place, value.attribute, value.modifier);
    if (!now.ok()) continue;
    const mad::PortInfo info{std::span(now.data)};
    if (!is_up(info) || !is_as_fast(info, before)) co_await retrain(value.place, value.modifier);
  }
}

/// A link that trained again is in Init. Both of its ends have to be Armed before one of them can
/// be Active.
asio::awaitable<void> Trial::set_states(const std::vector<FormerValue>& links) {
  for (const mad::PortState state : {mad::PortState::armed, mad::PortState::active}) {
    for (const FormerValue& value : links) {
      if (mad::PortInfo{std::span(value.data)}.port_state() < state) continue;
      if (!co_await is_there(value.place)) continue;
      const SmpAnswer now = co_await get(value.place, value.attribute, value.modifier);
      if (!now.ok() || hides_m_key(value.attribute, now.data)) continue;
      const mad::PortInfo read{std::span(now.data)};
      if (read.port_state() >= state || read.port_state() == mad::PortState::down) continue;
      SmpData data = as_set(value.attribute, now.data);
      mad::PortInfo info{std::span(data)};
      info.set_port_state(state);
      std::ranges::copy(info.bytes(), data.begin());
      co_await set(value.place, value.attribute, value.modifier, data);
    }
  }
}

/// Returns what is wrong with a value that was written back; empty: nothing.
asio::awaitable<std::string> Trial::fault_of(const FormerValue& value) {
  if (!co_await is_there(value.place)) co_return "it does not answer at its route";
  const SmpAnswer now = co_await get(value.place, value.attribute, value.modifier);
  if (!now.ok()) co_return fate(now);
  if (hides_m_key(value.attribute, now.data)) co_return "its M_Key is hidden";
  const SmpData settings = settings_of(value.attribute, now.data),
                wanted = settings_of(value.attribute, merged(value, now.data));
  if (settings != wanted) co_return differing_bytes(settings, wanted);
  if (value.attribute != AttributeId::port_info) co_return "";
  const mad::PortInfo info{std::span(now.data)}, before{std::span(value.data)};
  if (info.port_state() < before.port_state()) co_return "the link is not in its former state";
  if (is_up(before) && !is_as_fast(info, before))
    co_return "the link does not have its former speed";
  co_return "";
}

asio::awaitable<std::string> Trial::undo() {
  const std::vector<FormerValue> values = std::exchange(former_, {});
  std::vector<FormerValue> links;
  for (const FormerValue& value : values)
    if (value.attribute == AttributeId::port_info) links.push_back(value);
  // Twice, since a device may be reached again only when a link is up; and a device that did not
  // answer the trial may answer now.
  for (int i = 0; i < 2; ++i) {
    client_.forget_silence();
    for (const FormerValue& value : values | std::views::reverse) co_await write_back(value);
    co_await bring_links_up(links);
  }
  client_.forget_silence();
  co_await set_states(links);

  std::string wrong;
  for (const FormerValue& value : values) {
    const std::string fault = co_await fault_of(value);
    if (fault.empty()) continue;
    former_.push_back(value);
    wrong += fmt::format("{}{} {:#010x} of node {}: {}", wrong.empty() ? "" : "; ",
                         mad::name(value.attribute), value.modifier, value.place.info.node_guid(),
                         fault);
  }
  if (const auto saved = save(); !saved) wrong += "; " + saved.error();
  co_return wrong;
}

}  // namespace sm::ctl
