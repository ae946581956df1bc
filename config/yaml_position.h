#pragma once
// Positions in YAML files, and the message for a syntax error.

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>

#include <string>

#include "config/diagnostic.h"

namespace config {

/// Units:  line and column count from 1. 1:1 where yaml-cpp has no position.
struct YamlPosition {
  int line = 1, column = 1;
};
YamlPosition place_of(const YAML::Mark& mark);

/// The finding that a file is not YAML, the only one of such a file. yaml-cpp's message may quote a
/// raw byte of the file: it is made printable.
Diagnostic not_yaml(std::string file, const YAML::Exception& error);

}  // namespace config
