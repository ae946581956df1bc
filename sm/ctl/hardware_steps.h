#pragma once
// This file declares the questions about real devices that need a write, and how they are tried.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mad/gmp_client.h"
#include "sm/ctl/hardware_questions.h"
#include "sm/ctl/hardware_trial.h"

namespace sm::ctl {

/// A port of a switch and the port at the other end of its link.
struct TrialLink {
  std::uint8_t port = 0;  // of the switch
  TrialPlace peer;
  std::uint8_t peer_port = 0;  // 0 for the port of a CA
};

/// The device of a type to which a step writes.
struct TrialTarget {
  const RecordedPort* recorded = nullptr;
  TrialPlace place;
  std::optional<TrialLink> link;  // one that the own route does not take
};

struct HardwareStep {
  QuestionText text;
  std::string_view undo;  // how it is taken back
  bool (*is_for)(const TrialTarget& target);
  boost::asio::awaitable<HardwareAnswer> (*run)(Trial& trial, const TrialTarget& target);
};

std::span<const HardwareStep> hardware_steps();

/// Returns a table in Markdown of all questions, beginning with hardware_questions():
/// packaging/hardware/questions.md.
std::string hardware_questions_table();

struct HardwareTrialOptions {
  /// This is called before each step that has a device, with types, GUIDs and names; if it returns
  /// false, the step is left out.
  std::function<bool(const HardwareStep& step, const std::string& devices)> may_run;
  std::vector<mad::Guid> only;  // NodeGUIDs of devices that may be written to; empty: all
  /// If this returns true, no further step is run.
  std::function<bool()> is_stopped;
};

struct HardwareTrialResult {
  std::vector<AnsweredQuestion> answers;  // of all steps
  std::string stopped;                    // why steps are missing; empty if all were run
};

/// Runs all steps, each on one device of each type, and takes each back before the next one.
/// `recording`: the fabric before, with its names. Errors: nothing was written, since a subnet
/// manager runs, or hosts carry traffic; in words.
boost::asio::awaitable<tl::expected<HardwareTrialResult, std::string>> try_hardware(
    Trial& trial, mad::GmpClient& counters, const Recording& recording,
    const HardwareTrialOptions& options);

}  // namespace sm::ctl
