#pragma once

#include <span>

#include "mad/attribute.h"
#include "mad/sa_attribute.h"
#include "sm/sa/registrations/outcome.h"

namespace sa {

/// A request that changes registrations, and who answers it.
struct WritableRecord {
  mad::SaAttributeId attribute{};
  mad::Method method{};
  std::size_t bytes = 0;  // the request's record has at least these
  Write write = nullptr;
};
/// All of them, by attribute and method. What is not here is not written by clients.
std::span<const WritableRecord> writable_records();

}  // namespace sa
