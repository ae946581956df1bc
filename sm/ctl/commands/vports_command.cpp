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
  const int code = with_each_api(
      options.managers, [&](const ManagerApi& api) -> tl::expected<void, std::string> {
        const auto subnet = api.get("/v1/subnet");
        if (!subnet) return tl::unexpected(subnet.error());
        auto all = api.all_rows("/v1/virtualized-ports", "ports");
        if (!all) return tl::unexpected(all.error());
        ++answers;
        (*all)["virt_enabled"] = subnet->at("virt_enabled");
        const Json chosen = ctl::vports_of_host(std::move(*all), options.host);
        if (!options.host.empty() && chosen.at("ports").empty()) return {};
        ports += chosen.at("ports").size();
        std::cout << (options.json
                          ? chosen.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                          : ctl::vports_text(chosen));
        return {};
      });
  if (answers == 0 || ports > 0 || options.host.empty()) return code;
  complain(fmt::format("no port that can have vports is of host {}; `heddlectl vports` lists all",
                       options.host));
  return kFailed;
}

}  // namespace sm::commands
