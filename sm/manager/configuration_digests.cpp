#include "sm/manager/configuration_digests.h"

#include <algorithm>
#include <array>

#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"

namespace sm {
namespace {

/// Options that belong to one host begin with one of these.
constexpr std::array<std::string_view, 25> kLocal{
    "guid",           "sm_priority",     "master_sm_priority",
    "sm_inactive",    "ignore_other_sm", "allowed_sm_guids",
    "sminfo_polling", "polling_retry",   "log_",
    "force_log",      "accum_log",       "per_module_logging",
    "syslog",         "dump_files_dir",  "cache_files_dir",
    "pid_file",       "daemon",          "console",
    "etcd_",          "state_store",     "fsync",
    "sa_db",          "subnet_lst_file", "enable_subnet_lst",
    "dump_ar"};
constexpr std::size_t kNamed = 10;

bool is_local(std::string_view name) {
  return std::ranges::any_of(kLocal,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

bool names_a_file(std::string_view name) {
  return name.ends_with("_file") || name == "torus_config" || name == "node_name_map_name";
}

}  // namespace

Records configuration_digests(const config::Options& options, const config::FileReader& reader,
                              const RecordSeal& seal) {
  Records digests;
  config::Options copy = options;
  for (const config::Key& key : config::keys()) {
    if (is_local(key.name)) continue;
    std::string text = config::value_text(key, options);
    if (names_a_file(key.name)) {
      const config::Ref ref = key.ref(copy);
      if (const auto* const path = std::get_if<std::string*>(&ref); path && !(*path)->empty())
        text = reader(**path).value_or(std::string());
    }
    std::string name = fmt::format("{}/{}", section::kConfiguration, key.name);
    std::string digest = seal.digest(name, text);
    digests.emplace(std::move(name), std::move(digest));
  }
  return digests;
}

std::vector<Condition> configuration_differences(const Records& masters, const Records& own) {
  if (masters.empty()) return {};
  std::vector<std::string_view> names;
  for (const auto& [key, digest] : own) {
    const auto other = masters.find(key);
    // A master of another version may not have this option.
    if (other != masters.end() && other->second != digest)
      names.push_back(std::string_view(key).substr(section::kConfiguration.size() + 1));
  }
  if (names.empty()) return {};
  const std::size_t more = names.size() - std::min(names.size(), kNamed);
  names.resize(names.size() - more);
  return {{.id = ConditionId::configuration_differs,
           .text = fmt::format("options with other values than the master's, or files with other "
                               "contents: {}{}",
                               fmt::join(names, ", "),
                               more == 0 ? "" : fmt::format(" and {} more", more))}};
}

}  // namespace sm
