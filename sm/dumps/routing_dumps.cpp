#include "sm/dumps/routing_dumps.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "mad/format.h"
#include "sm/dumps/dumps.h"

namespace sm {

namespace {

/// Writes a temporary file, then renames it. Streamed: the text of a large fabric does not fit into
/// memory.
template <class Write>
std::string write_file(const std::filesystem::path& path, Write&& write) {
  const std::filesystem::path beside = path.string() + ".new";
  std::ofstream out(beside);
  if (out) write(out);
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(beside, path, error);
  if (out && !error) return {};
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return fmt::format("{} cannot be written{}", path.string(), error ? ": " + error.message() : "");
}

}  // namespace

tl::expected<void, std::string> write_routing_dumps(const config::Options& options,
                                                    const Subnet& subnet) {
  if ((options.log_flags & kLogRouting) == 0 || !subnet.lfts || !subnet.routing) return {};
  const SwitchGraph graph = make_switch_graph(subnet.fabric);
  const dumps::Tables tables{subnet.fabric, graph, subnet.lids, *subnet.lfts};
  const PublishedRouting& routing = *subnet.routing;
  std::string problem;
  const auto write = [&](const char* name, auto&& text) {
    std::string failed = write_file(std::filesystem::path(options.dump_files_dir) / name, text);
    if (problem.empty()) problem = std::move(failed);
  };
  write("opensm-lfts.dump", [&](std::ostream& out) { dumps::write_lfts(out, tables); });
  write("opensm-lid-matrix.dump", [&](std::ostream& out) { dumps::write_lid_matrix(out, tables); });
  write("opensm.fdbs", [&](std::ostream& out) { dumps::write_fdbs(out, tables); });
  if (subnet.mfts)
    write("opensm.mcfdbs",
          [&](std::ostream& out) { dumps::write_mcfdbs(out, subnet.fabric, *subnet.mfts); });
  if (!routing.roots.empty())
    write("opensm-updn-roots.dump",
          [&](std::ostream& out) { dumps::write_roots(out, routing.roots); });
  if (!routing.ca_order.empty())
    write("opensm-ftree-ca-order.dump", [&](std::ostream& out) {
      dumps::write_ca_order(out, subnet.fabric, subnet.lids, routing.ca_order);
    });
  if (!routing.sl_to_vl.empty())
    write("opensm-sl2vl.dump", [&](std::ostream& out) {
      dumps::write_sl_to_vl(out, subnet.fabric, subnet.lids, routing.sl_to_vl);
    });
  if (!problem.empty()) return tl::unexpected(problem);
  return {};
}

}  // namespace sm
