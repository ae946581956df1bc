// For any file: no crash, every finding has line and column, and an accepted scenario can run.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sim/scenario/scenario.h"
#include "sm/ctl/topology/topology.h"

namespace {

void expect(bool ok) {
  if (!ok) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sim::EventQueue events;
  sim::World world(events, topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2}));
  const auto scenario = sim::parse_scenario({"fuzz.yaml", text}, world.model, 1);
  if (!scenario) {
    expect(!scenario.error().empty());
    for (const config::Diagnostic& finding : scenario.error())
      expect(finding.line >= 1 && finding.column >= 1 &&
             finding.text().find('\n') == std::string::npos);
    return 0;
  }
  std::size_t happenings = 0;
  for (const sim::ScenarioEvent& event : scenario->events) happenings += event.times;
  if (happenings > 1000) return 0;
  scenario->schedule(world);
  for (unsigned i = 0; i < 5000 && events.run_one(mad::TimePoint::max()); ++i) {
  }
  return 0;
}
