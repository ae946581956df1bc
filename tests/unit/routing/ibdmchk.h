#pragma once
// Has ibdmchk trace all paths of some tables.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "mad/format.h"
#include "sm/dumps/dumps.h"
#include "support/fabrics.h"
#include "support/scratch.h"

namespace ibdmchk {

/// Returns what ibdmchk prints.
inline std::string check(const fabrics::Subnet& subnet, const fabric::ForwardingTables& lfts) {
  std::string pattern = (support::parent_of_scratch() / "ibdmchk-XXXXXX").string();
  const std::filesystem::path directory = mkdtemp(pattern.data());
  std::ofstream(directory / "lst") << sm::subnet_lst(subnet.fabric, subnet.lids);
  std::ofstream fdbs(directory / "fdbs");
  sm::dumps::write_fdbs(fdbs, {subnet.fabric, subnet.graph, subnet.lids, lfts});
  fdbs.close();
  std::ofstream(directory / "mcfdbs").close();
  FILE* const pipe = popen(
      fmt::format("ibdmchk -s {0}/lst -f {0}/fdbs -m {0}/mcfdbs 2>&1", directory.string()).c_str(),
      "r");
  std::string out;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  pclose(pipe);
  std::filesystem::remove_all(directory);
  return out;
}

}  // namespace ibdmchk
