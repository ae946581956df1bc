#include "sm/store/m_key_policy.h"

#include "sm/store/key_version.h"

namespace sm {

mad::MKey MKeyPolicy::derived_key(mad::Guid port) const {
  return {derive_key("heddle m_key", seed_, version_, port)};
}

mad::MKey MKeyPolicy::key(mad::Guid port) const {
  return per_port_ ? derived_key(port) : mad::MKey{key_};
}

MKeyPolicy MKeyPolicy::with_version(std::uint64_t version) const {
  MKeyPolicy other = *this;
  other.version_ = version;
  return other;
}

mad::MKey MKeyPolicy::former_key(mad::Guid port) const {
  if (!per_port_) return derived_key(port);
  return seed_ == key_ ? mad::MKey{} : mad::MKey{key_};
}

}  // namespace sm
