#pragma once

#include <string>
#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// A complete, commented opensm.conf (or heddle.yaml) with the values of `options`, as the flag -c
/// writes it.
/// Shape:  every key that OpenSM 3.3.23 knows; keys that it does not know are comments unless they
/// differ from the default. Errors: values that opensm.conf cannot express (with `#`, or of several
/// lines), each with the key's name. YAML can write all.
tl::expected<std::string, Diagnostics> dump_opensm_conf(const Options& options);
std::string dump_yaml(const Options& options);

/// The format that the file's name selects.
tl::expected<std::string, Diagnostics> dump_for(std::string_view path, const Options& options);

/// `-c` and `-F` select the format by the file's name: .yaml and .yml are YAML, all others
/// opensm.conf.
bool is_yaml_name(std::string_view path);

}  // namespace config
