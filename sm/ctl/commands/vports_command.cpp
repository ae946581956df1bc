// heddlectl vports: the SR-IOV vports that running daemons manage, and why some are not Active.

#include <iostream>

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/vports_text.h"

namespace sm::commands {

int vports(const VPortsOptions& options) {
  std::size_t ports = 0, answers = 0;
  const int code =
      ask_managers(options.guid, "/vports",
                   [&](const std::string&, const std::string&, const nlohmann::json& parsed) {
                     ++answers;
                     const nlohmann::json chosen = ctl::vports_of_host(parsed, options.host);
                     if (!options.host.empty() && chosen.at("ports").empty()) return;
                     ports += chosen.at("ports").size();
                     std::cout << (options.json ? chosen.dump(2) + '\n' : ctl::vports_text(chosen));
                   });
  if (answers == 0 || ports > 0 || options.host.empty()) return code;
  complain(fmt::format("no port that can have vports is of host {}; `heddlectl vports` lists all",
                       options.host));
  return kFailed;
}

}  // namespace sm::commands
