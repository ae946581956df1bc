#pragma once
// YAML files: loading, positions in them, and the message for a syntax error.

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/node/node.h>

#include <string>
#include <string_view>

#include "config/diagnostic.h"

namespace config {

/// Units:  line and column count from 1. 1:1 where yaml-cpp has no position.
struct YamlPosition {
  int line = 1, column = 1;
};
YamlPosition yaml_position(const YAML::Mark& mark);

/// The finding that a file is not YAML, the only one of such a file. yaml-cpp's message may quote a
/// raw byte of the file: it is made printable.
Diagnostic not_yaml(std::string file, const YAML::Exception& error);

/// The root of a file.
///
/// yaml-cpp keeps bytes that are not UTF-8 (YAML 1.2.2, 5.1 and 5.2) and writes others in their
/// place, and takes a NUL for its own mark of the end: such a file is rejected before yaml-cpp sees
/// it.
///
/// Errors:  throws YAML::ParserException with the position of the first fault.
YAML::Node load_yaml(std::string_view text);

}  // namespace config
