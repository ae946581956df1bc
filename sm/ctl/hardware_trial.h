#pragma once
// This file writes attributes of devices on trial, and takes every write back.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "fabric/namespace.h"
#include "fabric/recording/recording.h"
#include "mad/smp_client.h"

namespace sm::ctl {

/// An end port whose attributes are written, as it was reached.
struct TrialPlace {
  mad::NodeInfo info;        // as that port answered it
  std::uint8_t number = 0;   // 0: of a switch
  mad::DirectedRoute route;  // to it
};

/// A value that was there before a trial, and the one that the trial writes. Both are equal where
/// the trial changes the state of a link only.
struct FormerValue {
  TrialPlace place;
  mad::AttributeId attribute = mad::AttributeId::node_info;
  std::uint32_t modifier = 0;
  mad::SmpData data{}, written{};
};

/// Returns the values of a file that a Trial left. Errors: it cannot be read, or is not such a
/// file.
tl::expected<std::vector<FormerValue>, std::string> read_former_values(
    const std::filesystem::path& file);

/// Lists the settings that two recordings of one fabric do not agree in: attribute, modifier and
/// type of device, a line each. Counters and states that change by themselves are left out.
std::vector<std::string> differing_settings(const Recording& before, const Recording& after);

/// Writes attributes, and takes the writes back. What was there before is in a file before
/// anything is written: a program that is killed leaves that file, and the next one takes back.
class Trial {
 public:
  using Alter = std::function<void(std::span<std::uint8_t, mad::kAttributeBytes>)>;

  /// Describes what became of a write: `text` names the attribute and its fate; `kept` if it is
  /// read back as written.
  struct Outcome {
    bool kept = false;
    std::string text;
  };

  /// A Set of another attribute than the one that it changes.
  struct Sent {
    mad::AttributeId attribute = mad::AttributeId::node_info;
    std::uint32_t modifier = 0;
    mad::SmpData data{};
  };

  /// The trial does not own the references.
  Trial(mad::SmpClient& client, mad::Runtime& runtime, std::filesystem::path undo_file);

  boost::asio::awaitable<mad::SmpAnswer> get(const TrialPlace& place, mad::AttributeId attribute,
                                             std::uint32_t modifier);
  boost::asio::awaitable<mad::SmpAnswer> set(const TrialPlace& place, mad::AttributeId attribute,
                                             std::uint32_t modifier, const mad::SmpData& data);

  /// Reads a value, writes what `alter` makes of it, and reads it back. With `sent`, that request
  /// is the Set in place of one of the value, which is expected to change as `alter` says.
  boost::asio::awaitable<Outcome> change(const TrialPlace& place, mad::AttributeId attribute,
                                         std::uint32_t modifier, Alter alter,
                                         std::optional<Sent> sent = std::nullopt);
  /// Notes a value that other means than change() are about to change. Errors: the file cannot be
  /// written; then nothing may be changed.
  tl::expected<void, std::string> keep(const FormerValue& value);

  struct Training {
    bool is_up = false;     // after kTrainingLimit at most
    bool was_seen = false;  // the link was down for a time, or is in Init now and was not before
    std::chrono::milliseconds time{};
  };
  /// Lets the link of this port train again, and waits until it is up. A device may begin later
  /// than it answers: a link that stays as it is counts after kTrainingBegins.
  boost::asio::awaitable<Training> retrain(const TrialPlace& place, std::uint32_t modifier);

  /// Writes all values back, latest first, and brings links back to their speed and state. Of
  /// attributes with many settings only those that the trial changed are written, into the value
  /// that is there now. Returns what does not have its former value; empty if all have. Nothing is
  /// written to a device that is not the one of the trial.
  boost::asio::awaitable<std::string> undo();
  void adopt(std::vector<FormerValue> values) { former_ = std::move(values); }

  mad::SmpClient& client() { return client_; }
  mad::Runtime& runtime() { return runtime_; }

  static constexpr std::chrono::seconds kTrainingLimit{30}, kTrainingBegins{2};

 private:
  boost::asio::awaitable<void> sleep(mad::Duration time);
  boost::asio::awaitable<bool> is_there(const TrialPlace& place);
  boost::asio::awaitable<void> write_back(const FormerValue& value);
  boost::asio::awaitable<void> bring_links_up(const std::vector<FormerValue>& links);
  boost::asio::awaitable<void> set_states(const std::vector<FormerValue>& links);
  boost::asio::awaitable<std::string> fault_of(const FormerValue& value);
  tl::expected<void, std::string> save() const;

  mad::SmpClient& client_;
  mad::Runtime& runtime_;
  std::filesystem::path undo_file_;
  std::vector<FormerValue> former_;  // in the order of the writes
};

}  // namespace sm::ctl
