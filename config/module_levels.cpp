#include "config/module_levels.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "config/words.h"

namespace config {
namespace {

// Names of its source files without `osm_` and `.c`, in alphabetical order.
constexpr std::array<std::string_view, 24> kManager{"congestion_control",
                                                    "console",
                                                    "console_io",
                                                    "db_files",
                                                    "db_pack",
                                                    "event_plugin",
                                                    "helper",
                                                    "log",
                                                    "mad_pool",
                                                    "opensm",
                                                    "perfmgr",
                                                    "perfmgr_db",
                                                    "remote_sm",
                                                    "req",
                                                    "resp",
                                                    "sm",
                                                    "sm_mad_ctrl",
                                                    "sm_state_mgr",
                                                    "sminfo_rcv",
                                                    "state_mgr",
                                                    "subnet",
                                                    "trap_rcv",
                                                    "vendor_ibumad",
                                                    "vl15intf"};
constexpr std::array<std::string_view, 41> kSweep{"drop_mgr",
                                                  "dump",
                                                  "guid_info_rcv",
                                                  "lid_mgr",
                                                  "lin_fwd_rcv",
                                                  "link_mgr",
                                                  "mcast_fwd_rcv",
                                                  "mcast_mgr",
                                                  "mcast_tbl",
                                                  "mesh",
                                                  "mlnx_ext_port_info_rcv",
                                                  "mtree",
                                                  "node",
                                                  "node_desc_rcv",
                                                  "node_info_rcv",
                                                  "pkey",
                                                  "pkey_mgr",
                                                  "pkey_rcv",
                                                  "port",
                                                  "port_info_rcv",
                                                  "prtn",
                                                  "prtn_config",
                                                  "qos",
                                                  "qos_parser_l",
                                                  "qos_parser_y",
                                                  "qos_policy",
                                                  "router",
                                                  "slvl_map_rcv",
                                                  "sw_info_rcv",
                                                  "switch",
                                                  "torus",
                                                  "ucast_cache",
                                                  "ucast_dfsssp",
                                                  "ucast_dnup",
                                                  "ucast_file",
                                                  "ucast_ftree",
                                                  "ucast_lash",
                                                  "ucast_mgr",
                                                  "ucast_nue",
                                                  "ucast_updn",
                                                  "vl_arb_rcv"};
constexpr std::array<std::string_view, 24> kAdministration{"guid_mgr",
                                                           "inform",
                                                           "mcm_port",
                                                           "multicast",
                                                           "sa",
                                                           "sa_class_port_info",
                                                           "sa_guidinfo_record",
                                                           "sa_informinfo",
                                                           "sa_lft_record",
                                                           "sa_link_record",
                                                           "sa_mad_ctrl",
                                                           "sa_mcmember_record",
                                                           "sa_mft_record",
                                                           "sa_multipath_record",
                                                           "sa_node_record",
                                                           "sa_path_record",
                                                           "sa_pkey_record",
                                                           "sa_portinfo_record",
                                                           "sa_service_record",
                                                           "sa_slvl_record",
                                                           "sa_sminfo_record",
                                                           "sa_sw_info_record",
                                                           "sa_vlarb_record",
                                                           "service"};
static_assert(std::ranges::is_sorted(kManager) && std::ranges::is_sorted(kSweep) &&
              std::ranges::is_sorted(kAdministration));

std::optional<LogModule> module_of(std::string_view file) {
  if (file == "main.c" || file == "st.c") return LogModule::manager;
  constexpr std::string_view kPrefix = "osm_", kSuffix = ".c";
  if (!file.starts_with(kPrefix) || !file.ends_with(kSuffix)) return std::nullopt;
  file.remove_prefix(kPrefix.size());
  file.remove_suffix(std::min(kSuffix.size(), file.size()));
  if (std::ranges::binary_search(kManager, file)) return LogModule::manager;
  if (std::ranges::binary_search(kSweep, file)) return LogModule::sweep;
  if (std::ranges::binary_search(kAdministration, file)) return LogModule::administration;
  return std::nullopt;
}

}  // namespace

ModuleLevels parse_module_levels(const Source& source, Diagnostics& out) {
  ModuleLevels levels;
  std::string text(source.text);
  std::ranges::replace_if(text, [](char c) { return c == ',' || c == '='; }, ' ');
  for (const Line& line : content_lines(text)) {
    Words words(line, source.file, out);
    const std::string_view name = words.word();
    const auto module = module_of(name);
    if (!module) {
      words.error(name, fmt::format("{} is no module of OpenSM", in_quotes(name)),
                  "write the name of a source file, such as osm_lid_mgr.c");
      continue;
    }
    const std::uint64_t level = words.number("level", {0, 255});
    words.expect_end();
    if (words.ok()) levels.of(*module) |= static_cast<std::uint8_t>(level);
  }
  return levels;
}

ModuleLevels read_module_levels(const Options& options, const FileReader& reader,
                                Diagnostics& out) {
  const std::string& path = options.per_module_logging_file;
  if (path.empty()) return {};
  const auto content = reader(path);
  if (content) {
    Diagnostics found;
    const ModuleLevels levels = parse_module_levels({path, *content}, found);
    for (Diagnostic& diagnostic : as_warnings(std::move(found), "the line is left out"))
      out.push_back(std::move(diagnostic));
    return levels;
  }
  if (content.error() != std::errc::no_such_file_or_directory ||
      options.is_set("per_module_logging_file"))
    out.push_back({Severity::warning, path, 0, 0,
                   fmt::format("cannot be read: {}", content.error().message()),
                   "log_flags counts for all modules"});
  return {};
}

}  // namespace config
