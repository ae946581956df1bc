#pragma once
// Commands that list all rows of a resource of their name, without options of their own.

#include <string>

#include "sm/ctl/commands/managers.h"
#include "sm/ctl/lists_text.h"

namespace sm::commands {

struct PlainList {
  const char *name, *what, *more;
  std::string (*text)(const Json&);
};
inline constexpr PlainList kPlainLists[]{
    {"lids", "LIDs and the ports that have them.",
     "Base LIDs, ascending; with LMC the next 2^LMC - 1 belong to the same port.", ctl::lids_text},
    {"lost", "Lists the nodes and links that were lost, the oldest first.",
     "Until they are back, for seven days, or until `heddlectl forget`.", ctl::lost_text},
    {"routers", "Lists routers with the subnets that they say they lead to.",
     "With read_router_tables TRUE. heddle-routers(7) has all of it.", ctl::routers_text},
    {"subnets", "Lists other subnets, with the routers that lead there.",
     "And where a manager of it serves the API (subnet_peers).", ctl::subnets_text}};

}  // namespace sm::commands
