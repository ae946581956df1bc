#include "partitions/load.h"

#include <algorithm>

#include "mad/format.h"

namespace partitions {
namespace {

/// If qos is off, all partitions have SL 0, as with OpenSM.
Configuration with_checked_sls(Configuration configuration, const config::Options& options,
                               const std::string& file, config::Diagnostics& out) {
  const auto has_sl = [](const Definition& definition) {
    return definition.sl != mad::Sl{} ||
           std::ranges::any_of(definition.groups, [](const fabric::WellKnownGroup& group) {
             return group.sl != mad::Sl{};
           });
  };
  const auto first = std::ranges::find_if(configuration.definitions, has_sl);
  if (options.qos || first == configuration.definitions.end()) return configuration;
  out.push_back({config::Severity::warning, file, 0, 0,
                 fmt::format("sl has no effect without qos TRUE (partition {:#06x}, {}; {} "
                             "definitions in all)",
                             first->key, config::in_quotes(first->name),
                             std::ranges::count_if(configuration.definitions, has_sl)),
                 "set qos TRUE, or leave sl out"});
  return configuration;
}

}  // namespace

Configuration load(const config::Options& options, const config::FileReader& reader,
                   config::Diagnostics& out) {
  using config::Severity;
  const std::string& path = options.partition_config_file;
  const auto content =
      path.empty() ? tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory))
                   : reader(path);
  const bool missing = !content && content.error() == std::errc::no_such_file_or_directory;
  if (!options.partitions.text.empty()) {
    if (!missing) {
      out.push_back({Severity::error, path, 0, 0,
                     fmt::format("partitions are defined here and in {}", options.partitions.file),
                     "keep one of the two, or set partition_config_file to null"});
    }
    return with_checked_sls(
        parse_partitions_yaml({options.partitions.file, options.partitions.text}, out), options,
        options.partitions.file, out);
  }
  if (content)
    return with_checked_sls(parse_partitions_conf({path, *content}, out), options, path, out);
  if (!missing) {
    out.push_back({Severity::error, path, 0, 0,
                   fmt::format("cannot be read: {}", content.error().message()),
                   "make it readable, or name another file with partition_config_file"});
  } else if (options.is_set("partition_config_file") && !path.empty()) {
    out.push_back({Severity::warning, path, 0, 0,
                   fmt::format("cannot be read: {}", content.error().message()),
                   "every port becomes a full member of the default partition"});
  }
  return default_configuration();
}

}  // namespace partitions
