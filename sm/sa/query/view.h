#pragma once

#include "config/check.h"
#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"

namespace sa {

struct Registrations;
class PathIndex;

/// What answers are made of: the published subnet, what clients have registered, and the operator's
/// wishes. Nobody changes any of it during an answer.
struct View {
  const sm::Subnet& subnet;
  const Registrations& registrations;
  const config::Options& options;
  const config::InputFiles& files;
  const PathIndex* paths = nullptr;     // of this very subnet; without it there are no paths
  const mad::SmInfo* own_sm = nullptr;  // as this manager presents itself to others; without it
                                        // only others have an SMInfoRecord
};

}  // namespace sa
