#pragma once
// A host that sends MADs to the manager without pause.

#include <memory>
#include <string_view>

#include "fabric/topology/random_source.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/world.h"
#include "support/flood_kinds.h"

namespace soak {

class Flood {
 public:
  struct Plan {
    std::string_view kind;  // of flood_kinds()
    mad::Duration lasts{};
    std::uint64_t seed = 0;
  };
  Flood(sim::VirtualRuntime& runtime, sim::World& world, sim::PortIndex port, const Plan& plan);
  ~Flood() { *alive_ = false; }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

 private:
  void send();

  sim::VirtualRuntime& runtime_;
  sim::World& world_;
  std::unique_ptr<sim::Attachment> attachment_;
  floods::Make make_ = nullptr;
  mad::TimePoint end_;
  topology::Random dice_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace soak
