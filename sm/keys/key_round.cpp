#include "sm/keys/key_round.h"

#include <algorithm>
#include <utility>

#include "mad/attributes/class_port_info.h"
#include "mad/attributes/keyed_class.h"
#include "sm/agents/addresses.h"

namespace sm {
namespace {

using KeyFields = mad::ClassKeyInfoFields;
using PortFields = mad::ClassPortInfoFields;
constexpr auto kClassPortInfo =
    static_cast<std::uint16_t>(mad::KeyedClassAttribute::class_port_info);
constexpr std::uint32_t kTrapQp = 1;

mad::GmpData data_of(const KeyedClass& keyed, const mad::GmpReply& reply) {
  mad::GmpData data{};
  std::ranges::copy(reply.mad.subspan(keyed.data_byte, data.size()), data.begin());
  return data;
}

/// Sets the part of ClassPortInfo that a class manager writes: where traps go.
void set_trap_destination(mad::GmpData& info, const Subnet& subnet, mad::Sl sl) {
  const Fabric& fabric = subnet.fabric;
  const Port& own = fabric.ports[fabric.sm_port];
  mad::set_field<PortFields, "TrapGID.prefix">(std::span(info), own.info.gid_prefix());
  mad::set_field<PortFields, "TrapGID.guid">(std::span(info), own.guid);
  mad::set_field<PortFields, "TrapSL">(std::span(info), sl);
  mad::set_field<PortFields, "TrapLID">(std::span(info), subnet.lid_range(fabric.sm_port).base);
  mad::set_field<PortFields, "TrapP_Key">(std::span(info), mad::kDefaultPKeyFull);
  mad::set_field<PortFields, "TrapQP">(std::span(info), kTrapQp);
  mad::set_field<PortFields, "TrapQ_Key">(std::span(info), mad::kQp1QKey);
}

}  // namespace

KeyRound::KeyRound(ClassKeys& keys, std::vector<mad::Guid> ports, Current current,
                   std::function<mad::TimePoint()> now, mad::Sl sl)
    : Visits(std::move(ports), {.visits = kDevicesAtATime}),
      keys_(keys),
      class_(keys.keyed()),
      current_(std::move(current)),
      now_(std::move(now)),
      sl_(sl) {}

// ------------------------------------------------------------------------------------------
// which request is next

bool KeyRound::next(mad::GmpRequest& request) {
  if (!current_()) end_early();
  return Visits::next(request);
}

/// Returns false if the port is no longer in the subnet, or needs no query.
bool KeyRound::open(const mad::Guid& port, KeyVisit& visit) {
  const std::shared_ptr<const Subnet> subnet = current_();
  const auto found = subnet->fabric.port_of_guid.find(port);
  if (found == subnet->fabric.port_of_guid.end()) return false;
  const auto address = agent_address(*subnet, found->second, sl_);
  if (!address) return false;
  visit.port = port;
  visit.to = *address;
  visit.lmc = subnet->lid_range(found->second).lmc;
  visit.keys = keys_.candidates(port);
  visit.step = keys_.device(port).has_class ? Step::key_info : Step::class_port_info;
  set_trap_destination(visit.trap, *subnet, sl_);
  return true;
}

/// A Set whose response was lost may have given the device the new key already.
std::uint64_t KeyRound::header_key(const KeyVisit& visit) const {
  const auto& keys = visit.keys.all;
  return keys[visit.attempt % keys.size()];
}

void KeyRound::fill(KeyVisit& visit, mad::GmpRequest& request) {
  const ClassKeySettings& settings = keys_.settings();
  request.mgmt_class = class_.mgmt_class;
  request.class_version = class_.version;
  request.data_byte = class_.data_byte;
  request.key = header_key(visit);
  request.to = visit.to;
  request.lmc = visit.lmc;
  const bool sets = visit.step == Step::trap || visit.step == Step::key;
  request.method = sets ? mad::Method::set : mad::Method::get;
  const bool of_port = visit.step == Step::class_port_info || visit.step == Step::trap;
  request.attribute = of_port ? kClassPortInfo : class_.key_info;
  if (visit.step == Step::trap) request.data = visit.trap;
  if (visit.step != Step::key) return;
  const bool has_key = visit.keys.desired != 0;
  const auto data = std::span(request.data);
  mad::set_field<KeyFields, "Key">(data, visit.keys.desired);
  mad::set_field<KeyFields, "ProtectBit">(data, has_key && settings.is_protected);
  mad::set_field<KeyFields, "LeasePeriod">(data, has_key ? settings.lease_s : std::uint16_t{0});
}

KeyRound::Step KeyRound::next_step(const KeyVisit& visit) const {
  const ClassKeySettings& settings = keys_.settings();
  const ClassKeyDevice& device = *keys_.find(visit.port);
  if (visit.step == Step::class_port_info) return Step::key_info;
  const bool has_key = visit.keys.desired != 0;
  const auto trap_lid =
      mad::get_field<mad::Lid, PortFields, "TrapLID">(std::span<const std::uint8_t>(visit.trap));
  if (visit.step == Step::key_info && has_key && device.trap_lid != trap_lid) return Step::trap;
  const bool differs = device.key != visit.keys.desired ||
                       (has_key && (device.is_protected != settings.is_protected ||
                                    device.lease_s != settings.lease_s));
  return visit.step != Step::key && differs ? Step::key : Step::end;
}

// ------------------------------------------------------------------------------------------
// outcomes

void KeyRound::take(KeyVisit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) {
  switch (reply.fault) {
    case mad::GmpFault::not_sent:
      end_unsendable();
      return end(visit);
    case mad::GmpFault::none:
      return take_response(visit, request, reply);
    case mad::GmpFault::redirected:
    case mad::GmpFault::bad_status:
      return reject(visit, reply.status);
    case mad::GmpFault::timeout:
      return no_response(visit);
  }
}

void KeyRound::take_response(KeyVisit& visit, const mad::GmpRequest& request,
                             const mad::GmpReply& reply) {
  ClassKeyDevice& device = keys_.device(visit.port);
  device.silent_rounds = 0;
  device.refreshed = now_();
  // From now on the key that has worked is tried first.
  std::swap(visit.keys.all.front(), *std::ranges::find(visit.keys.all, request.key));
  visit.attempt = 0;
  const mad::GmpData data = data_of(class_, reply);
  switch (visit.step) {
    case Step::class_port_info: {
      const auto capabilities = mad::get_field<std::uint16_t, PortFields, "CapabilityMask">(
          std::span<const std::uint8_t>(data));
      device.has_class = (capabilities & class_.needed_capability) == class_.needed_capability;
      device.trap_lid =
          mad::get_field<mad::Lid, PortFields, "TrapLID">(std::span<const std::uint8_t>(data));
      if (!device.has_class) {
        device.standing = ClassKeyStanding::absent;
        return end(visit);
      }
      break;
    }
    case Step::trap:
      device.trap_lid = mad::get_field<mad::Lid, PortFields, "TrapLID">(
          std::span<const std::uint8_t>(request.data));
      ++written_;
      break;
    case Step::key_info:
      take_key_info(visit, reply);
      break;
    case Step::key:
      device.key = visit.keys.desired;
      device.is_protected = keys_.settings().is_protected;
      device.lease_s = keys_.settings().lease_s;
      ++written_;
      break;
    case Step::end:
      return;
  }
  if (device.key) keys_.acknowledged(visit.port, *device.key);
  visit.step = next_step(visit);
  if (visit.step == Step::end) device.standing = ClassKeyStanding::keyed;
}

void KeyRound::take_key_info(KeyVisit& visit, const mad::GmpReply& reply) {
  ClassKeyDevice& device = keys_.device(visit.port);
  const mad::GmpData data = data_of(class_, reply);
  const auto field = std::span<const std::uint8_t>(data);
  device.key = mad::get_field<std::uint64_t, KeyFields, "Key">(field);
  device.is_protected = mad::get_field<bool, KeyFields, "ProtectBit">(field);
  device.lease_s = mad::get_field<std::uint16_t, KeyFields, "LeasePeriod">(field);
  const auto violations = mad::get_field<std::uint16_t, KeyFields, "Violations">(field);
  if (std::exchange(device.knows_violations, true) && violations > device.violations)
    findings_.push_back({.port = visit.port, .violations = violations});
  device.violations = violations;
  // An unprotected device shows its key to all; a Set needs that key.
  auto& keys = visit.keys.all;
  const auto found = std::ranges::find(keys, *device.key);
  if (found == keys.end()) {
    keys.insert(keys.begin(), *device.key);
  } else {
    std::swap(keys.front(), *found);
  }
}

void KeyRound::reject(KeyVisit& visit, std::uint16_t status) {
  ClassKeyDevice& device = keys_.device(visit.port);
  device.silent_rounds = 0;
  device.refreshed = now_();
  device.standing = says_unsupported(status) && visit.step <= Step::key_info
                        ? ClassKeyStanding::absent
                        : ClassKeyStanding::rejected;
  end(visit);
}

void KeyRound::no_response(KeyVisit& visit) {
  if (++visit.attempt < kAttemptsPerKey * visit.keys.all.size()) return;
  ClassKeyDevice& device = keys_.device(visit.port);
  device.standing = ++device.silent_rounds >= kGivenUpAfter ? ClassKeyStanding::given_up
                                                            : ClassKeyStanding::silent;
  end(visit);
}

}  // namespace sm
