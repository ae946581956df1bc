#pragma once
// Where something stands in a YAML file, as every reader of YAML tells it.

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>

#include <string>

#include "config/diagnostic.h"

namespace config {

/// Units:  line and column count from 1. What yaml-cpp cannot place is at 1:1.
struct YamlPlace {
  int line = 1, column = 1;
};
YamlPlace place_of(const YAML::Mark& mark);

/// The finding that a file is not YAML, after which nothing else of it can be told. yaml-cpp's
/// message may quote a raw byte of the file: it is made printable.
Diagnostic not_yaml(std::string file, const YAML::Exception& error);

}  // namespace config
