#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>

#include "mad/runtime.h"

namespace sm {

/// The revision (of partitions, or of orders of operators) that the fabric has, and who waits for a
/// later one. On the runtime's thread.
class AppliedRevisions {
 public:
  static constexpr std::size_t kWaitingMax = 1'000;

  explicit AppliedRevisions(mad::Runtime& runtime);
  ~AppliedRevisions();  // all that wait get false
  AppliedRevisions(const AppliedRevisions&) = delete;
  AppliedRevisions& operator=(const AppliedRevisions&) = delete;

  std::uint64_t value() const;
  void reached(std::uint64_t revision);
  /// Returns false if that is not so before `deadline`, or if too many wait.
  boost::asio::awaitable<bool> wait(std::uint64_t revision, mad::TimePoint deadline);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace sm
