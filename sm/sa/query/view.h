#pragma once

#include "config/check.h"
#include "config/options.h"
#include "sm/fabric/subnet.h"

namespace sa {

struct Registrations;

/// What answers are made of: the published subnet, what clients have registered, and the operator's wishes. Nobody changes any of it during an answer.
struct View {
  const sm::Subnet& subnet;
  const Registrations& registrations;
  const config::Options& options;
  const config::InputFiles& files;
};

}  // namespace sa
