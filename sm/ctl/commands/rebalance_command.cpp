// heddlectl rebalance: running daemons choose all routes anew.

#include <iostream>

#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"

namespace sm::commands {

int rebalance(const RebalanceOptions& options) {
  return order_managers(options.guid, "/rebalance", [](const std::string& port) {
    std::cout << "port " << port << ": the next sweep begins now and chooses all routes anew\n";
  });
}

}  // namespace sm::commands
