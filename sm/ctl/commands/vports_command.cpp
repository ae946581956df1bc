// heddlectl vports: the SR-IOV vports that running daemons manage, and why some are not Active.

#include <iostream>

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/vports_text.h"
#include "sm/ops/control_socket.h"

namespace sm::commands {

int vports(const VPortsOptions& options) {
  const auto dir = sm::run_dir();
  int found = 0, failed = 0;
  std::size_t ports = 0;
  for (const auto& socket : sm::control_sockets(dir)) {
    if (!options.guid.empty() && socket.stem() != options.guid) continue;
    const auto answer = sm::get_from(socket, "/vports");
    auto parsed = answer ? nlohmann::json::parse(*answer, nullptr, false)
                         : nlohmann::json(nlohmann::json::value_t::discarded);
    if (!answer || parsed.is_discarded()) {
      complain(answer ? fmt::format("{}: the answer is no JSON", socket.string()) : answer.error());
      ++failed;
      continue;
    }
    ++found;
    const nlohmann::json chosen = sm::ctl::vports_of_host(std::move(parsed), options.host);
    if (!options.host.empty() && chosen.at("ports").empty()) continue;
    ports += chosen.at("ports").size();
    std::cout << (options.json ? chosen.dump(2) + '\n' : sm::ctl::vports_text(chosen));
  }
  if (found == 0 && failed == 0)
    complain(fmt::format("no Heddle runs here (nothing listens in {})", dir.string()));
  if (found > 0 && ports == 0 && !options.host.empty()) {
    complain(fmt::format("no port that can have vports is of host {}; `heddlectl vports` lists all",
                         options.host));
    ++failed;
  }
  return found > 0 && failed == 0 ? kOk : kFailed;
}

}  // namespace sm::commands
