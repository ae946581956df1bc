#include "sm/keys/class_key_manager.h"

#include <algorithm>

#include "mad/attributes/keyed_class.h"
#include "mad/format.h"
#include "sm/keys/class_key_conditions.h"

namespace sm {
namespace asio = boost::asio;

namespace {

using NoticeFields = mad::ClassKeyNoticeFields;
constexpr unsigned kRequestsPerSecond = 5000;
/// At most this number of silent devices are active conditions.
constexpr std::size_t kSilentNamed = 100;

std::string sender_text(const Subnet& subnet, mad::Lid lid) {
  const PortIndex port = mad::is_unicast(lid) ? subnet.lids.owner(lid) : kNoIndex;
  return port == kNoIndex ? fmt::format("LID {}", lid) : subnet.fabric.port_name(port);
}

/// True if the port's link carries data and is not isolated: agents on queue pair 1 can be reached.
bool is_reachable(const Fabric& fabric, PortIndex index) {
  const Port& port = fabric.ports[index];
  if (!port.known) return false;
  if (fabric.owning_node(index).is_switch()) return !port.isolated;
  return port.peer != kNoIndex && !port.isolated && !fabric.ports[port.peer].isolated &&
         port.info.port_state() == mad::PortState::active;
}

}  // namespace

ClassKeyManager::ClassKeyManager(Surroundings surroundings, std::function<KeyVersion()> version)
    : AgentLoop(std::move(surroundings)), stored_version_(std::move(version)) {
  for (const KeyedClass& keyed : keyed_classes()) classes_.push_back({.keys = ClassKeys(keyed)});
}

bool ClassKeyManager::is_enabled(const config::Options& options) const {
  return std::ranges::any_of(classes_, [&](const Class& its) {
    return its.keys.keyed().settings(options).mode != ClassKeyMode::leave;
  });
}

void ClassKeyManager::configure() {
  const SharedContext now = latest_context();
  if (configured_ == nullptr || !same_settings(configured_, now)) {
    configured_ = now;
    for (Class& its : classes_) {
      for (const std::string& problem : its.keys.configure(now->options)) log_.error("{}", problem);
      its.due = {};
    }
  }
  const KeyVersion version = stored_version_();
  if (version_ == version) return;
  version_ = version;
  for (Class& its : classes_) {
    its.keys.set_version(version);
    its.due = {};
  }
}

asio::awaitable<void> ClassKeyManager::step() {
  configure();
  if (const std::shared_ptr<const Subnet> latest = latest_subnet(); seen_ != latest) {
    for (Class& its : classes_) {
      update_devices(its, *latest);
      its.due = {};
    }
    seen_ = latest;
  }
  mad::TimePoint next = mad::TimePoint::max();
  for (Class& its : classes_) {
    if (its.keys.settings().mode == ClassKeyMode::leave || stopping_) continue;
    if (its.due <= runtime_.now()) co_await round(its);
    next = std::min(next, its.due);
  }
  if (!stopping_) co_await wake_.wait_until(next);
}

void ClassKeyManager::withdraw() { conditions_.set_active(ConditionSource::class_keys, {}); }

/// Devices that leave the subnet count as new when they return.
void ClassKeyManager::update_devices(Class& its, const Subnet& subnet) const {
  auto& devices = its.keys.devices();
  for (auto& [port, device] : devices) device.seen = false;
  for (const PortIndex index : subnet.fabric.end_ports)
    if (is_reachable(subnet.fabric, index))
      its.keys.device(subnet.fabric.ports[index].guid).seen = true;
  std::erase_if(devices, [](const auto& entry) { return !entry.second.seen; });
}

void ClassKeyManager::note_ports(const Fabric& fabric) {
  for (const PortIndex index : fabric.end_ports) {
    const Port& port = fabric.ports[index];
    if (port.known && port.info.port_state() == mad::PortState::init)
      for (Class& its : classes_) its.keys.note_returned(port.guid);
  }
}

mad::Duration ClassKeyManager::refresh_interval(const Class& its) const {
  const ClassKeySettings& settings = its.keys.settings();
  if (settings.mode != ClassKeyMode::set || settings.lease_s == 0) return mad::Duration::max();
  return std::max<mad::Duration>(kRefreshMin, std::chrono::seconds(settings.lease_s) / kLeaseShare);
}

std::vector<mad::Guid> ClassKeyManager::ports_due(Class& its, const Subnet& subnet) const {
  std::vector<mad::Guid> ports;
  const mad::TimePoint now = runtime_.now();
  const mad::Duration refresh = refresh_interval(its);
  for (const PortIndex index : subnet.fabric.end_ports) {
    const mad::Guid port = subnet.fabric.ports[index].guid;
    const ClassKeyDevice* const device = its.keys.find(port);
    if (device == nullptr) continue;  // it cannot be reached
    const bool is_refreshed = refresh != mad::Duration::max() && now >= device->refreshed + refresh;
    const bool is_due = device->standing == ClassKeyStanding::open ||
                        device->standing == ClassKeyStanding::silent ||
                        (device->standing == ClassKeyStanding::keyed &&
                         (is_refreshed || its.reported.contains(port) ||
                          device->key != its.keys.candidates(port).desired));
    if (is_due) ports.push_back(port);
  }
  return ports;
}

asio::awaitable<void> ClassKeyManager::round(Class& its) {
  const std::shared_ptr<const Subnet> latest = latest_subnet();
  const config::Options& options = configured_->options;
  client_.set_limits({.timeout = std::chrono::milliseconds(options.transaction_timeout),
                      .retries = 0,
                      .window = its.keys.settings().window,
                      .per_second = kRequestsPerSecond});
  const mad::TimePoint begin = runtime_.now();
  KeyRound round(
      its.keys, ports_due(its, *latest), [this] { return subnet_if_wanted(); },
      [this] { return runtime_.now(); }, mad::Sl{options.sm_sl});
  co_await client_.exchange(round);
  if (stopping_) co_return;
  report(its, round, *latest);
  save(its);
  bool retries = round.is_unsendable();
  for (const auto& [port, device] : its.keys.devices())
    retries = retries || device.standing == ClassKeyStanding::silent;
  const mad::Duration refresh = refresh_interval(its);
  its.due = refresh == mad::Duration::max() ? mad::TimePoint::max() : begin + refresh;
  if (retries) its.due = std::min(its.due, runtime_.now() + kRetry);
}

void ClassKeyManager::report(Class& its, const KeyRound& round, const Subnet& subnet) {
  const KeyedClass& keyed = its.keys.keyed();
  if (round.written() > 0)
    log_.info("keys of the {} class: {} attributes written", keyed.name, round.written());
  for (const KeyRound::Finding& finding : round.findings()) {
    if (its.reported.contains(finding.port)) continue;  // its trap has named the sender
    const auto port = subnet.fabric.port_of_guid.find(finding.port);
    if (port == subnet.fabric.port_of_guid.end()) continue;
    ++its.violations;
    conditions_.occurred(
        {.id = kClassKeyConditions.class_key_violation,
         .text = fmt::format("wrong key of the {} class: {} counted {} requests with one",
                             keyed.name, subnet.fabric.port_name(port->second), finding.violations),
         .guid = finding.port});
  }
  its.reported.clear();
  report_silent();
}

/// Reports silent devices that have shown that they have the class, or that guid2vskey names.
void ClassKeyManager::report_silent() {
  std::vector<Condition> active;
  const std::shared_ptr<const Subnet> subnet = latest_subnet();
  for (const Class& its : classes_) {
    if (!subnet || its.keys.settings().mode == ClassKeyMode::leave) continue;
    for (const auto& [guid, device] : its.keys.devices()) {
      const bool is_known = device.has_class || its.keys.has_stored(guid);
      if (device.standing != ClassKeyStanding::given_up || !is_known) continue;
      const auto port = subnet->fabric.port_of_guid.find(guid);
      if (port == subnet->fabric.port_of_guid.end() || active.size() >= kSilentNamed) continue;
      active.push_back(
          {.id = kClassKeyConditions.class_key_unknown,
           .text = fmt::format("{} does not answer requests of the {} class with any key that it "
                               "may have",
                               subnet->fabric.port_name(port->second), its.keys.keyed().name),
           .guid = guid});
    }
  }
  conditions_.set_active(ConditionSource::class_keys, std::move(active));
}

void ClassKeyManager::save(Class& its) {
  std::optional<Guid2MKey> keys = its.keys.unsaved();
  if (!keys) return;
  const config::Options& options = configured_->options;
  const auto written = std::make_shared<Guid2MKey>(std::move(*keys));
  run_aside(
      [written, directory = options.cache_files_dir, file = its.keys.keyed().file,
       fsync = options.fsync_high_avail_files] {
        const auto saved = save_guid2mkey(directory, *written, fsync, file);
        return saved ? std::string() : saved.error();
      },
      [this, &its, written](const std::string& problem) {
        if (!problem.empty()) return log_.error("{}", problem);
        its.keys.saved(std::move(*written));
      });
}

// ------------------------------------------------------------------------------------------
// MADs

bool ClassKeyManager::receives(mad::MgmtClass mgmt_class) const {
  return std::ranges::any_of(
      classes_, [&](const Class& its) { return its.keys.keyed().mgmt_class == mgmt_class; });
}

void ClassKeyManager::on_mad(const mad::ReceivedMad& received) {
  const mad::ConstMadView mad{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  if (received.send_errno == 0 && mad.method() == mad::Method::trap) return on_trap(received);
  client_.on_mad(received);
}

/// Accepts traps only from an end port of the subnet that has the class. TrapRepress shows the
/// sender no key but its own.
void ClassKeyManager::on_trap(const mad::ReceivedMad& received) {
  const mad::ConstMadView mad{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  const std::shared_ptr<const Subnet> subnet = subnet_if_wanted();
  const auto its = std::ranges::find_if(classes_, [&](const Class& each) {
    return each.keys.keyed().mgmt_class == mad.mgmt_class();
  });
  if (!subnet || its == classes_.end() || its->keys.settings().mode == ClassKeyMode::leave) return;
  const PortIndex port =
      mad::is_unicast(received.from.lid) ? subnet->lids.owner(received.from.lid) : kNoIndex;
  if (port == kNoIndex) return;
  const mad::Guid guid = subnet->fabric.ports[port].guid;
  const ClassKeyDevice* const device = its->keys.find(guid);
  if (device == nullptr || !device->has_class) return;
  const auto notice = mad.bytes().subspan(its->keys.keyed().data_byte, mad::kGmpDataBytes);
  mad::MadBytes repress = received.bytes;
  mad::MadView answer{std::span<std::uint8_t, mad::kMadSizeBytes>(repress)};
  answer.set_method(mad::Method::trap_repress);
  mad::set_field<mad::KeyedClassHeaderFields, "Key">(answer.bytes(), device->key.value_or(0));
  transport_.send(repress, received.from, 0);
  const auto number = mad::get_field<std::uint16_t, NoticeFields, "TrapNumber">(notice);
  if (number == mad::class_key_trap::kMisconfigured) {
    its->keys.note_returned(guid);
    its->due = {};
    return wake();
  }
  if (number != mad::class_key_trap::kViolation) return;
  const auto from = mad::get_field<mad::Lid, NoticeFields, "SLID">(notice);
  if (from == subnet->lid_range(subnet->fabric.sm_port).base) return;  // while it searched the key
  ++its->violations;
  its->reported.insert(guid);
  const auto method = mad::get_field<std::uint8_t, NoticeFields, "Method">(notice);
  conditions_.occurred(
      {.id = kClassKeyConditions.class_key_violation,
       .text = fmt::format("wrong key of the {} class: {} received {} of attribute {:#06x} from {}",
                           its->keys.keyed().name, subnet->fabric.port_name(port),
                           mad::name(static_cast<mad::Method>(method)),
                           mad::get_field<std::uint16_t, NoticeFields, "AttributeID">(notice),
                           sender_text(*subnet, from)),
       .guid = guid});
}

std::vector<ClassKeyStatus> ClassKeyManager::status() const {
  std::vector<ClassKeyStatus> all;
  for (const Class& its : classes_) {
    const KeyedClass& keyed = its.keys.keyed();
    ClassKeyStatus& status = all.emplace_back();
    status.name = keyed.name;
    status.option = keyed.option;
    status.mgmt_class = static_cast<std::uint8_t>(keyed.mgmt_class);
    status.mode = keyed.settings(latest_context()->options).mode;
    status.violations = its.violations;
    for (const auto& [port, device] : its.keys.devices()) {
      switch (device.standing) {
        case ClassKeyStanding::open:
          ++status.open;
          break;
        case ClassKeyStanding::keyed:
          ++status.keyed;
          break;
        case ClassKeyStanding::absent:
          ++status.absent;
          break;
        case ClassKeyStanding::rejected:
          ++status.rejected;
          break;
        case ClassKeyStanding::silent:
        case ClassKeyStanding::given_up:
          ++status.silent;
          break;
      }
    }
  }
  return all;
}

}  // namespace sm
