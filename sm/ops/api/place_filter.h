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

/// True if the text names what was lost: a node by its names, with or without ":PORT"; a link,
/// whose nodes may be there, by "NODE:PORT" only.
bool names_lost(const LostThing& lost, std::string_view text);
/// Returns the response about a node or link that was lost and that `text` names: since when, where
/// it was, and what lists its conditions. Null: nothing that was lost is called so.
std::optional<web::Response> lost_problem(const Reading& reading, std::string_view text);

/// True if the condition names the node or one of its end ports; with a number in `place`, that
/// port. What is wrong with a link, or with a node that was lost, is named at the other end, too.
/// `lost`: ManagerStatus::lost.
bool names_place(const Condition& condition, const Fabric& fabric,
                 const LinkSupervision::SharedLost& lost, const PlaceFilter& place);

}  // namespace sm::api
