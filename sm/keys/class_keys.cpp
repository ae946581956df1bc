#include "sm/keys/class_keys.h"

#include <algorithm>
#include <array>

#include "mad/attributes/keyed_class.h"

namespace sm {
namespace {

constexpr auto kKeyInfo = static_cast<std::uint16_t>(mad::KeyedClassAttribute::key_info);

ClassKeySettings vendor_specific(const config::Options& options) {
  return {.mode = static_cast<ClassKeyMode>(options.vs_key_enable),
          .lease_s = options.vs_key_lease_period,
          .is_protected = options.vs_key_ci_protect_bits != 0,
          .window = options.vs_max_outstanding_mads};
}

ClassKeySettings node_to_node(const config::Options& options) {
  return {.mode = static_cast<ClassKeyMode>(options.n2n_key_enable),
          .lease_s = options.n2n_key_lease_period,
          .is_protected = options.n2n_key_protect_bit != 0,
          .window = options.n2n_max_outstanding_mads};
}

constexpr std::array kClasses{
    KeyedClass{.mgmt_class = mad::MgmtClass::vendor_0a,
               .version = mad::kKeyedClassVersion,
               .data_byte = mad::kKeyedClassDataByte,
               .key_info = kKeyInfo,
               .needed_capability = mad::class_key_capability::kVendorSpecific,
               .name = "vendor specific",
               .option = "vs_key_enable",
               .purpose = "heddle vs_key",
               .file = "guid2vskey",
               .settings = vendor_specific},
    KeyedClass{.mgmt_class = mad::MgmtClass::node_to_node,
               .version = mad::kKeyedClassVersion,
               .data_byte = mad::kKeyedClassDataByte,
               .key_info = kKeyInfo,
               .needed_capability = 0,
               .name = "node to node",
               .option = "n2n_key_enable",
               .purpose = "heddle n2n_key",
               .file = "guid2_m2n_key",
               .settings = node_to_node}};

}  // namespace

std::span<const KeyedClass> keyed_classes() { return kClasses; }

std::vector<std::string> ClassKeys::configure(const config::Options& options) {
  const ClassKeySettings before = settings_;
  settings_ = keyed_.settings(options);
  seed_ = options.key_mgr_seed;
  std::vector<std::string> messages;
  if (settings_.mode != ClassKeyMode::leave) {
    LoadedGuid2MKey loaded = load_guid2mkey(options.cache_files_dir, keyed_.file);
    stored_ = keys_ = std::move(loaded.value);
    messages = std::move(loaded.messages);
  }
  // Devices that were given up, or rejected the key, may accept other settings.
  for (auto& [port, device] : devices_)
    if (before.mode != settings_.mode || device.standing != ClassKeyStanding::absent) {
      device.standing = ClassKeyStanding::open;
      device.silent_rounds = 0;
    }
  return messages;
}

ClassKeyCandidates ClassKeys::candidates(mad::Guid port) const {
  ClassKeyCandidates keys;
  const auto add = [&](std::uint64_t key) {
    if (std::ranges::find(keys.all, key) == keys.all.end()) keys.all.push_back(key);
  };
  const std::uint64_t derived = derive_key(keyed_.purpose, seed_, version_.current, port);
  if (settings_.mode == ClassKeyMode::set) keys.desired = derived;
  if (const ClassKeyDevice* const device = find(port); device != nullptr && device->key)
    add(*device->key);
  if (const auto stored = keys_.find(port); stored != keys_.end()) add(stored->second.value);
  if (derived != 0) add(derived);
  if (const std::uint64_t previous = derive_key(keyed_.purpose, seed_, version_.previous, port);
      previous != 0)
    add(previous);
  add(0);
  return keys;
}

const ClassKeyDevice* ClassKeys::find(mad::Guid port) const {
  const auto found = devices_.find(port);
  return found == devices_.end() ? nullptr : &found->second;
}

void ClassKeys::note_returned(mad::Guid port) {
  const auto found = devices_.find(port);
  if (found == devices_.end()) return;
  ClassKeyDevice fresh;
  fresh.seen = found->second.seen;
  found->second = fresh;
}

void ClassKeys::acknowledged(mad::Guid port, std::uint64_t key) {
  if (key == 0) {
    keys_.erase(port);
  } else if (keys_.size() < kPortsMax || keys_.contains(port)) {
    keys_[port] = mad::MKey{key};
  }
}

std::optional<Guid2MKey> ClassKeys::unsaved() const {
  return keys_ == stored_ ? std::nullopt : std::optional(keys_);
}

}  // namespace sm
