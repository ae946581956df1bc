#pragma once
// A stage of a plan: writes of one kind, all of which have their outcome before the next stage
// begins.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "mad/smp_client.h"

namespace sm {

/// Kinds of stages, in the order of their execution: the rows of stage_kinds.def.
enum class StageKind : std::uint8_t {
#define STAGE(name, text) name,  // NOLINT(cppcoreguidelines-macro-usage)
#include "sm/sweep/devices/stage_kinds.def"
};
inline constexpr auto kStageTexts = std::to_array<std::string_view>({
#define STAGE(name, text) text,  // NOLINT(cppcoreguidelines-macro-usage)
#include "sm/sweep/devices/stage_kinds.def"
});
inline constexpr std::size_t kStageKinds = kStageTexts.size();
/// Returns the name in log lines, such as "forwarding table blocks".
constexpr std::string_view text(StageKind kind) {
  return kStageTexts[static_cast<std::size_t>(kind)];
}

/// A Write is one SubnSet (or SubnGet, of a stage that reads) to the node of `port`.
struct Write {
  mad::AttributeId attribute{};
  std::uint32_t modifier = 0;
  PortIndex port = kNoIndex;
  mad::SmpData data{};
  bool is_long = false;  // waits for long_transaction_timeout
  bool operator==(const Write&) const = default;
};
template <class Attribute>
Write make_write(const Attribute& attribute, std::uint32_t modifier, PortIndex port) {
  Write write{.attribute = Attribute::kId, .modifier = modifier, .port = port, .data = {}};
  std::ranges::copy(attribute.bytes(), write.data.begin());
  return write;
}

/// Holds the outcome of writes.
struct ApplyReport {
  std::size_t writes = 0;  // acknowledged
  std::size_t failed = 0;  // not acknowledged, or acknowledged with content that was not written
  std::size_t unanswered = 0;  // of `failed`: requests without a response
  struct Count {
    std::size_t writes = 0, failed = 0;
  };
  std::array<Count, kStageKinds> by_kind{};
  std::vector<std::string> problems;  // the first few, naming node and attribute
  std::unordered_set<mad::Guid>
      written;                      // switches whose SwitchInfo or forwarding table was written
  std::set<mad::Guid> restarted;    // switches that lost their tables since
  std::set<mad::Guid> unanswering;  // nodes that left writes without a response
  std::map<mad::Guid, std::string> unwritten;  // nodes that did not take a write, and the first one
  std::set<mad::Guid> misplaced;      // nodes that may have written elsewhere: to be read again
  std::vector<std::string> refusals;  // what devices turned out not to take
  std::vector<PortIndex> recheck;     // changed since: to be read again soon

  static constexpr std::size_t kProblemsListed = 20;  // more are only counted
  Count of(StageKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  /// Records a failure of the sweep.
  void fail(std::string text) {
    ++failed;
    note(std::move(text));
  }
  /// Records a problem that is no failure.
  void note(std::string text) {
    if (problems.size() < kProblemsListed) problems.push_back(std::move(text));
  }
};

/// Holds the writes of a stage, and handles their responses. It sends nothing itself: a sweep sends
/// the writes (apply.h), a plan predicts the responses (plan.h).
class Stage {
 public:
  explicit Stage(StageKind kind) : kind_(kind) {}
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  StageKind kind() const { return kind_; }
  /// Returns get for a stage that reads; in a plan, `data` of its writes is the expected response.
  virtual mad::Method method() const { return mad::Method::set; }
  virtual std::size_t size() const = 0;
  /// Returns a write. Neighbours go to different nodes where possible, so that none is flooded.
  virtual Write write(std::size_t number) const = 0;

  /// True if a write replaces what shows that a node lost its tables: the attribute is read right
  /// before, and confirm() decides.
  virtual bool reads_first() const { return false; }
  /// True if the node holds what the write assumes; otherwise the write must not be sent.
  virtual bool confirm(std::size_t /*number*/, std::span<const std::uint8_t, 64> /*data*/) {
    return true;
  }
  /// Handles a response without an error; `data` is what the node holds now.
  virtual void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
                      ApplyReport& report) = 0;
  /// True if after a status other than 0 the attribute is read back, and accept_rejected() decides.
  virtual bool reads_back() const { return false; }
  /// Handles a response with this status, if the node then shows `data`. The response to an earlier
  /// attempt may have been lost, and the repetition rejected.
  virtual void accept_rejected(std::size_t number, std::uint16_t /*status*/,
                               std::span<const std::uint8_t, 64> data, ApplyReport& report) {
    accept(number, data, report);
  }
  /// Handles a response with this status. Returns true if that is no failure.
  virtual bool refuse(std::size_t /*number*/, std::uint16_t /*status*/) { return false; }
  /// True if a missing response is no failure of the sweep: the stage sees to a later attempt.
  virtual bool may_fail() const { return false; }
  /// Handles a missing response, or one that refuse() did not handle: the write may have been done.
  virtual void lose(std::size_t /*number*/) {}

 private:
  StageKind kind_;
};

/// A StageSource returns stages, and computes each one when the previous one has its outcomes.
class StageSource {
 public:
  virtual ~StageSource() = default;
  /// Returns the next stage, which may be empty; null at the end. Ends the use of the previous one.
  virtual std::unique_ptr<Stage> next() = 0;
};

/// Makes stages by a list of steps, each of which is called until it returns null.
class Steps : public StageSource {
 public:
  using Step = std::function<std::unique_ptr<Stage>()>;
  explicit Steps(std::vector<Step> steps) : steps_(std::move(steps)) {}
  std::unique_ptr<Stage> next() final {
    for (; current_ < steps_.size(); ++current_)
      if (std::unique_ptr<Stage> stage = steps_[current_]()) return stage;
    return nullptr;
  }

 private:
  std::vector<Step> steps_;
  std::size_t current_ = 0;
};

/// Returns a step that makes at most one stage.
template <class Make>
Steps::Step once(Make make) {
  return [make = std::move(make), is_done = false]() mutable -> std::unique_ptr<Stage> {
    if (std::exchange(is_done, true)) return nullptr;
    return make();
  };
}
inline std::unique_ptr<StageSource> make_steps(std::vector<Steps::Step> steps) {
  return std::make_unique<Steps>(std::move(steps));
}

}  // namespace sm
