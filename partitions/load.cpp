#include "partitions/load.h"

#include "mad/format.h"

namespace partitions {

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
    return parse_partitions_yaml({options.partitions.file, options.partitions.text}, out);
  }
  if (content) return parse_partitions_conf({path, *content}, out);
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
