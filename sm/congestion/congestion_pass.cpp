#include "sm/congestion/congestion_pass.h"

#include <algorithm>
#include <utility>

#include "sm/agents/addresses.h"

namespace sm {
namespace {

using mad::CongestionControlAttribute;
using mad::GmpFault;

mad::GmpData copy(std::span<const std::uint8_t, mad::kGmpDataBytes> bytes) {
  mad::GmpData data{};
  std::ranges::copy(bytes, data.begin());
  return data;
}

/// Returns the keys to try, without duplicates, in this order.
std::vector<std::uint64_t> candidate_keys(const CongestionRecord& record, std::uint64_t of_options,
                                          const std::vector<std::uint64_t>& earlier) {
  std::vector<std::uint64_t> keys;
  const auto add = [&](std::uint64_t key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  };
  if (record.key) add(*record.key);
  add(of_options);
  for (const std::uint64_t key : earlier) add(key);
  return keys;
}

void show(CongestionDevice& device, CongestionControlAttribute attribute,
          const mad::GmpData& data) {
  using Switch = mad::SwitchCongestionSettingFields;
  if (attribute == CongestionControlAttribute::switch_congestion_setting) {
    device.control_map = mad::get_field<std::uint32_t, Switch, "ControlMap">(data);
    device.threshold = mad::get_field<std::uint8_t, Switch, "Threshold">(data);
    device.marking_rate = mad::get_field<std::uint16_t, Switch, "MarkingRate">(data);
  } else if (attribute == CongestionControlAttribute::ca_congestion_setting) {
    device.control_map =
        mad::get_field<std::uint16_t, mad::CaCongestionSettingFields, "ControlMap">(data);
  } else if (attribute == CongestionControlAttribute::congestion_control_table) {
    device.table_limit =
        mad::get_field<std::uint16_t, mad::CongestionControlTableFields, "CCTILimit">(data);
  }
}

}  // namespace

CongestionPass::CongestionPass(Inputs inputs, std::vector<CongestionPlace> places)
    : Visits(std::move(places), {}), inputs_(std::move(inputs)) {}

// ------------------------------------------------------------------------------------------
// The next request

bool CongestionPass::open(const CongestionPlace& place, Visit& visit) {
  CongestionRecord& record = *place.record;
  const auto address = agent_address(*inputs_.subnet, place.port, inputs_.sl);
  const bool was_urgent = std::exchange(record.is_urgent, false);
  if (!address) {  // it has no LID yet
    record.failures = 1;
    record.pause.reset();
    record.due = inputs_.now() + record.pause.next();
    return false;
  }
  static_cast<CongestionPlace&>(visit) = place;
  visit.settings = record.shown.is_switch ? &inputs_.plan.of_switch : &inputs_.plan.of_ca_port;
  visit.to = *address;
  visit.lmc = inputs_.subnet->lid_range(place.port).lmc;
  visit.keys = candidate_keys(record, inputs_.plan.key, inputs_.earlier_keys);
  visit.was_configured = record.shown.state == CongestionState::configured && !was_urgent;
  visit.step = place.log_only ? Step::log : Step::info;
  visit.fault.state = CongestionState::configured;
  return true;
}

void CongestionPass::fill(Visit& visit, mad::GmpRequest& request) {
  request.mgmt_class = mad::MgmtClass::congestion_control;
  request.class_version = mad::kCongestionControlClassVersion;
  request.to = visit.to;
  request.lmc = visit.lmc;
  request.key = visit.step == Step::key_check_new ? inputs_.plan.key_info->key : visit.keys.front();
  const bool writes = visit.step == Step::write || visit.step == Step::key_write;
  request.method = writes ? mad::Method::set : mad::Method::get;
  auto attribute = CongestionControlAttribute::congestion_key_info;
  if (visit.step == Step::info) attribute = CongestionControlAttribute::congestion_info;
  if (visit.step == Step::log) attribute = CongestionControlAttribute::congestion_log;
  if (visit.step == Step::key_write) request.data = visit.key_info;
  if (visit.step == Step::read || visit.step == Step::write) {
    const CongestionSetting& setting = (*visit.settings)[visit.setting];
    attribute = setting.attribute;
    request.modifier = setting.modifier;
    if (visit.step == Step::write) request.data = setting.data;
  }
  request.attribute = static_cast<std::uint16_t>(attribute);
  ++(writes ? sets_ : gets_);
}

// ------------------------------------------------------------------------------------------
// Outcomes

void CongestionPass::take(Visit& visit, const mad::GmpRequest& /*request*/,
                          const mad::GmpReply& reply) {
  if (reply.fault == GmpFault::not_sent) {  // or the exchange is abandoned
    if (!has_sent_) end_unsendable();
    visit.has_ended = !fail(visit, CongestionState::silent);
    return;
  }
  has_sent_ = true;
  if (reply.fault != GmpFault::timeout) visit.record->has_answered = true;
  visit.has_ended = !handle(visit, reply);
}

bool CongestionPass::handle(Visit& visit, const mad::GmpReply& reply) {
  switch (visit.step) {
    case Step::info:
      return take_info(visit, reply);
    case Step::key_read:
      return take_key_info(visit, reply);
    case Step::key_write:
      return take_key_written(visit, reply);
    case Step::key_check_new:
    case Step::key_check_old:
      return take_key_check(visit, reply);
    case Step::read:
      return take_setting(visit, reply);
    case Step::write:
      return take_written(visit, reply);
    case Step::key_lookup:
      return look_up_key(visit, reply);
    case Step::log:
      take_log(visit, reply);
      return false;
  }
  return false;
}

bool CongestionPass::fail(Visit& visit, CongestionState state) {
  visit.fault.state = state;
  return false;
}

void CongestionPass::refuse(Visit& visit, CongestionControlAttribute attribute,
                            std::uint32_t modifier, std::uint16_t status) {
  if (visit.fault.state == CongestionState::refused) return;  // the first one is reported
  visit.fault.state = CongestionState::refused;
  visit.fault.refuses = attribute;
  visit.fault.refuses_modifier = modifier;
  visit.fault.status = status;
}

bool CongestionPass::take_info(Visit& visit, const mad::GmpReply& reply) {
  if (reply.fault == GmpFault::timeout) {
    // A device whose key is protected does not answer requests with another key.
    visit.keys.erase(visit.keys.begin());
    return !visit.keys.empty() || fail(visit, CongestionState::silent);
  }
  if (reply.fault == GmpFault::bad_status && says_unsupported(reply.status))
    return fail(visit, CongestionState::unsupported);
  if (reply.fault != GmpFault::none) {
    refuse(visit, CongestionControlAttribute::congestion_info, 0, reply.status);
    return false;
  }
  visit.record->shown.table_blocks_max =
      mad::get_field<std::uint8_t, mad::CongestionInfoFields, "ControlTableCap">(reply.data);
  visit.step = inputs_.plan.key_info ? Step::key_read : Step::read;
  return true;
}

bool CongestionPass::take_key_info(Visit& visit, const mad::GmpReply& reply) {
  using Fields = mad::CongestionKeyInfoFields;
  if (reply.fault == GmpFault::timeout) return fail(visit, CongestionState::silent);
  visit.step = Step::read;
  if (reply.fault != GmpFault::none) {
    refuse(visit, CongestionControlAttribute::congestion_key_info, 0, reply.status);
    return true;
  }
  const CongestionKey& wanted = *inputs_.plan.key_info;
  if (mad::get_field<std::uint64_t, Fields, "CC_Key">(reply.data) == wanted.key &&
      mad::get_field<bool, Fields, "CC_KeyProtectBit">(reply.data) == wanted.protect &&
      mad::get_field<std::uint16_t, Fields, "CC_KeyLeasePeriod">(reply.data) ==
          wanted.lease_period_s) {
    visit.record->key = wanted.key;
    return true;
  }
  // Any manager may replace a key that can be read.
  if (const auto shown = mad::get_field<std::uint64_t, Fields, "CC_Key">(reply.data); shown != 0)
    visit.keys.insert(visit.keys.begin(), shown);
  visit.key_info = copy(reply.data);  // the violation counter stays
  mad::set_field<Fields, "CC_Key">(std::span(visit.key_info), wanted.key);
  mad::set_field<Fields, "CC_KeyProtectBit">(std::span(visit.key_info), wanted.protect);
  mad::set_field<Fields, "CC_KeyLeasePeriod">(std::span(visit.key_info), wanted.lease_period_s);
  visit.step = Step::key_write;
  return true;
}

bool CongestionPass::take_key_written(Visit& visit, const mad::GmpReply& reply) {
  if (reply.fault == GmpFault::timeout) {
    visit.step = Step::key_check_new;
    return true;
  }
  visit.step = Step::read;
  if (reply.fault != GmpFault::none) {
    refuse(visit, CongestionControlAttribute::congestion_key_info, 0, reply.status);
    return true;
  }
  ++visit.record->shown.sets;
  visit.record->key = inputs_.plan.key_info->key;
  visit.keys.insert(visit.keys.begin(), *visit.record->key);
  return true;
}

/// Finds out which key the device has: the response to the Set is missing.
bool CongestionPass::take_key_check(Visit& visit, const mad::GmpReply& reply) {
  using Fields = mad::CongestionKeyInfoFields;
  const std::uint64_t wanted = inputs_.plan.key_info->key;
  if (reply.fault == GmpFault::none) {
    const auto shown = mad::get_field<std::uint64_t, Fields, "CC_Key">(reply.data);
    if (shown == wanted || (visit.step == Step::key_check_new && shown == 0)) {
      visit.record->key = wanted;
      visit.keys.insert(visit.keys.begin(), wanted);
      visit.step = Step::read;
      return true;
    }
    if (std::ranges::find(visit.keys, shown) != visit.keys.end()) visit.record->key = shown;
    return fail(visit, CongestionState::other_key);
  }
  if (visit.step == Step::key_check_new && reply.fault == GmpFault::timeout) {
    visit.step = Step::key_check_old;
    return true;
  }
  return fail(visit, CongestionState::silent);
}

bool CongestionPass::next_setting(Visit& visit) {
  visit.step = Step::read;
  const CongestionDevice& device = visit.record->shown;
  while (++visit.setting < visit.settings->size()) {
    const CongestionSetting& setting = (*visit.settings)[visit.setting];
    if (setting.attribute != CongestionControlAttribute::congestion_control_table ||
        inputs_.plan.table_blocks <= device.table_blocks_max)
      return true;
    // A truncated table would be a different one.
    refuse(visit, setting.attribute, setting.modifier, mad::status::kInvalidValue);
  }
  visit.step = Step::log;
  return true;
}

bool CongestionPass::take_setting(Visit& visit, const mad::GmpReply& reply) {
  const CongestionSetting& setting = (*visit.settings)[visit.setting];
  if (reply.fault == GmpFault::timeout) return fail(visit, CongestionState::silent);
  if (reply.fault != GmpFault::none) {
    refuse(visit, setting.attribute, setting.modifier, reply.status);
    return next_setting(visit);
  }
  const mad::GmpData data = copy(reply.data);
  show(visit.record->shown, setting.attribute, data);
  const auto kept = visit.record->kept.find({setting.attribute, setting.modifier});
  if (have_same_fields(setting.attribute, data, setting.data)) {
    if (kept != visit.record->kept.end()) visit.record->kept.erase(kept);
    return next_setting(visit);
  }
  if (kept != visit.record->kept.end() && have_same_fields(setting.attribute, data, kept->second)) {
    refuse(visit, setting.attribute, setting.modifier, mad::status::kOk);
    return next_setting(visit);
  }
  visit.step = Step::write;
  return true;
}

bool CongestionPass::take_written(Visit& visit, const mad::GmpReply& reply) {
  const CongestionSetting& setting = (*visit.settings)[visit.setting];
  if (reply.fault == GmpFault::timeout) {
    if (visit.looked_up) return fail(visit, CongestionState::silent);
    visit.step = Step::key_lookup;
    return true;
  }
  if (reply.fault != GmpFault::none) {
    refuse(visit, setting.attribute, setting.modifier, reply.status);
    return next_setting(visit);
  }
  const mad::GmpData data = copy(reply.data);
  show(visit.record->shown, setting.attribute, data);
  visit.record->key = visit.keys.front();
  ++visit.record->shown.sets;
  if (visit.was_configured) {
    ++mended_settings_;
    if (!std::exchange(visit.is_mended, true)) mended_.push_back(visit.port);
  }
  if (!have_same_fields(setting.attribute, data, setting.data)) {
    visit.record->kept[{setting.attribute, setting.modifier}] = data;
    refuse(visit, setting.attribute, setting.modifier, mad::status::kOk);
  }
  return next_setting(visit);
}

/// Takes the key that the device shows to a request without one, if the options have had that key.
bool CongestionPass::look_up_key(Visit& visit, const mad::GmpReply& reply) {
  visit.looked_up = true;
  if (reply.fault != GmpFault::none) return fail(visit, CongestionState::silent);
  const auto shown =
      mad::get_field<std::uint64_t, mad::CongestionKeyInfoFields, "CC_Key">(reply.data);
  const auto found = std::ranges::find(visit.keys, shown);
  if (shown != 0 && found == visit.keys.end()) return fail(visit, CongestionState::other_key);
  if (shown != 0) std::rotate(visit.keys.begin(), found, found + 1);
  visit.step = Step::write;
  return true;
}

void CongestionPass::take_log(Visit& visit, const mad::GmpReply& reply) {
  using Switch = mad::SwitchCongestionLogFields;
  using Ca = mad::CaCongestionLogFields;
  CongestionRecord& record = *visit.record;
  if (reply.fault != GmpFault::none) {
    if (reply.fault == GmpFault::bad_status && says_unsupported(reply.status))
      record.shown.has_log = false;
    return;
  }
  const auto log = reply.mad.subspan<mad::kCongestionLogByte, mad::kCongestionLogBytes>();
  const auto type = mad::get_field<std::uint8_t, Switch, "LogType">(log);
  record.shown.has_log = type == (record.shown.is_switch ? Switch::kLogType : Ca::kLogType);
  if (!record.shown.has_log) return;
  const auto counter = mad::get_field<std::uint16_t, Switch, "EventCounter">(log);
  if (record.counter) record.shown.events += static_cast<std::uint16_t>(counter - *record.counter);
  record.counter = counter;
}

void CongestionPass::close(Visit& visit) {
  CongestionRecord& record = *visit.record;
  record.shown.read_at = inputs_.now();
  if (visit.log_only) return;
  record.generation = inputs_.generation;
  record.shown.state = visit.fault.state;
  record.shown.refuses = visit.fault.refuses;
  record.shown.refuses_modifier = visit.fault.refuses_modifier;
  record.shown.status = visit.fault.status;
  const bool is_final = visit.fault.state == CongestionState::configured ||
                        visit.fault.state == CongestionState::unsupported;
  record.failures = is_final ? 0 : record.failures + 1;
  if (is_final) record.pause.reset();
  record.due = is_final ? mad::TimePoint::max() : inputs_.now() + record.pause.next();
}

}  // namespace sm
