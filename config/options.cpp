#include "config/options.h"

namespace config {

Options default_options(const char* osm_tmp_dir, const char* osm_cache_dir) {
  Options options;
  if (osm_tmp_dir != nullptr && *osm_tmp_dir != '\0') options.dump_files_dir = osm_tmp_dir;
  if (osm_cache_dir != nullptr && *osm_cache_dir != '\0') options.cache_files_dir = osm_cache_dir;
  return options;
}

}  // namespace config
