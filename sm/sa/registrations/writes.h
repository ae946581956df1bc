#pragma once

#include <span>

#include "mad/attribute.h"
#include "mad/sa_attribute.h"
#include "sm/sa/registrations/outcome.h"

namespace sa {

/// A request that changes registrations, and the function that executes it.
struct WritableRecord {
  mad::SaAttributeId attribute{};
  mad::Method method{};
  std::size_t bytes = 0;  // the request's record has at least these
  Write write = nullptr;
};
/// All of them, by attribute and method. Clients can write no other attribute.
std::span<const WritableRecord> writable_records();

}  // namespace sa
