#pragma once

#include <string>
#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// A complete, commented opensm.conf (or heddle.yaml) that says `options`; what the flag -c writes.
/// Shape:  every key that OpenSM 3.3.23 knows; keys that it does not know are comments unless they
/// differ from the default. Errors: values that opensm.conf has no way to write (with `#`, or over
/// several lines), each with the key's name. YAML can write all.
tl::expected<std::string, Diagnostics> dump_opensm_conf(const Options& options);
std::string dump_yaml(const Options& options);

/// The one of both that fits the file's name.
tl::expected<std::string, Diagnostics> dump_for(std::string_view path, const Options& options);

/// `-c` chooses by the file's name, `-F` does the same: .yaml and .yml are YAML, all else
/// opensm.conf.
bool is_yaml_name(std::string_view path);

}  // namespace config
