#pragma once
// The query parameter that names a node or port as heddlectl's commands do.

#include <optional>
#include <string_view>
#include <tl/expected.hpp>

#include "fabric/condition.h"
#include "sm/ops/api/core.h"

namespace sm::api {

/// A node, or one of its ports.
struct PlaceFilter {
  NodeIndex node = kNoIndex;
  std::optional<mad::PortNum> number = {};  // nothing: all ports of the node

  bool passes(const Port& port) const {
    return port.node == node && (!number || port.number == *number);
  }
};

/// Returns what `text` names. Errors: 404 with the names that are possible, also before the first
/// sweep.
tl::expected<PlaceFilter, web::Response> find_place(const Reading& reading, std::string_view text);
/// Does so for a parameter that may be absent.
tl::expected<std::optional<PlaceFilter>, web::Response> find_place(
    const Reading& reading, const std::optional<std::string_view>& text);

/// True if the condition names the node or one of its end ports; with a number in `place`, that
/// port.
bool names_place(const Condition& condition, const Fabric& fabric, const PlaceFilter& place);

}  // namespace sm::api
