#pragma once
// Which end port a person means.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"

namespace sm::ctl {

struct NamedPort {
  PortIndex port = kNoIndex;  // an end port
  mad::Lid lid;  // the one that was named, or else the port's base LID; 0 if it has none
};

/// `text`: a LID (5, 0x5), a GUID of a node or port (0x0002c90300000001), a NodeDescription or its
/// first word; each may have ":PORT" behind it for a node with several ports. A switch stands for
/// its port 0. Errors: nothing or several things are called so, in words with examples.
tl::expected<NamedPort, std::string> find_port(const Fabric& fabric, const LidMap& lids,
                                               std::string_view text);

}  // namespace sm::ctl
