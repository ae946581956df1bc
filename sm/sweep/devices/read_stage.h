#pragma once
// A stage of SubnGets.

#include <utility>
#include <vector>

#include "sm/sweep/devices/stage.h"

namespace sm {

/// Sends requests that are known from the start. In a plan, the data of a request is the response
/// that is expected.
class ReadStage : public Stage {
 public:
  std::size_t size() const override { return requests_.size(); }
  Write write(std::size_t number) const override { return requests_[number]; }
  mad::Method method() const override { return mad::Method::get; }

 protected:
  ReadStage(StageKind kind, const Fabric& fabric, std::vector<Write> requests)
      : Stage(kind), fabric_(fabric), requests_(std::move(requests)) {}

  const Node& node(std::size_t number) const { return fabric_.owning_node(requests_[number].port); }

  const Fabric& fabric_;
  const std::vector<Write> requests_;
};

}  // namespace sm
