// heddlectl rebalance: running daemons choose all routes anew.

#include <iostream>

#include "mad/format.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ops/control_socket.h"

namespace sm::commands {

int rebalance(const RebalanceOptions& options) {
  const auto dir = sm::run_dir();
  int found = 0, taken = 0;
  for (const auto& socket : sm::control_sockets(dir)) {
    if (!options.guid.empty() && socket.stem() != options.guid) continue;
    ++found;
    if (const auto answer = sm::post_to(socket, "/rebalance"); !answer) {
      complain(answer.error());
      continue;
    }
    ++taken;
    std::cout << "port " << socket.stem().string()
              << ": the next sweep begins now and chooses all routes anew\n";
  }
  if (found == 0)
    complain(fmt::format("no Heddle runs here (nothing listens in {})", dir.string()));
  return taken > 0 ? kOk : kFailed;
}

}  // namespace sm::commands
