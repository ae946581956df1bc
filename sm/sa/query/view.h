#pragma once

#include "config/check.h"
#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"

namespace sa {

struct Registrations;
class PathIndex;

/// The inputs of an answer: the published subnet, what clients have registered, and the options.
/// None of it changes during an answer.
struct View {
  const sm::Subnet& subnet;
  const Registrations& registrations;
  const config::Options& options;
  const config::InputFiles& files;
  const PathIndex* paths = nullptr;     // of this subnet; null: no paths are answered
  const mad::SmInfo* own_sm = nullptr;  // of this manager; null: SMInfoRecords of the others only
};

}  // namespace sa
