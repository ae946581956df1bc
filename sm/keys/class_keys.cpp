#include "sm/keys/class_keys.h"

#include <algorithm>

#include "sm/store/derived_key.h"

namespace sm {

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
