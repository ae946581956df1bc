#pragma once
// The form of tables of keys (schema.cpp). A key is the name of its member, so it is written once.

#include "config/key.h"

namespace config {

template <auto Member>
Ref at(Options& options) {
  return &(options.*Member);
}

}  // namespace config

#define KEY(member, help) \
  Key { #member, &at<&Options::member>, kSection, help }
