// heddlectl record writes the answers of a fabric's nodes to a file.

#include <chrono>
#include <iostream>

#include "mad/format.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/live.h"
#include "sm/store/atomic_file.h"

namespace sm::commands {

namespace {

/// Prints a line every two seconds.
class RecordingProgress {
 public:
  void operator()(std::size_t nodes, std::size_t answers) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kInterval;
    std::cerr << fmt::format("heddlectl: {} nodes, {} answers\n", nodes, answers);
  }

 private:
  static constexpr std::chrono::seconds kInterval{2};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterval;
};

std::string end_line(const Recording& recording) {
  std::size_t silent = 0, refused = 0;
  const auto count = [&](const RecordedOutcome& outcome) {
    silent += !outcome.status;
    refused += outcome.status.value_or(0) != 0;
  };
  for (const RecordedNode& node : recording.nodes) {
    for (const RecordedPort& port : node.ports) {
      for (const RecordedAnswer& answer : port.answers) count(answer.outcome);
      for (const RecordedLink& link : port.links) {
        if (!link.outcome.ok()) count(link.outcome);
      }
    }
  }
  return fmt::format(
      "{} nodes, {} attributes ({} with a bad status, {} without an answer), {:.1f} s",
      recording.nodes.size(), recording.answer_count(), refused, silent,
      static_cast<double>(recording.duration.count()) / 1000);
}

}  // namespace

/// Reads with the M_Keys of the configuration and of guid2mkey, none of which goes into the file.
int record(const RecordOptions& options) {
  const auto configuration = read_configuration(options.scene);
  if (!configuration) return kFailed;
  auto recording =
      ctl::record_live(options.scene.guid, configuration->options, RecordingProgress());
  if (!recording) return complain(recording.error()), kFailed;
  if (options.anonymous) make_anonymous(*recording);
  const std::string text = write_recording(*recording);
  if (options.file == "-") {
    std::cout << text;
  } else if (const auto written = write_file_atomically(options.file, text, false); !written) {
    return complain(written.error()), kFailed;
  }
  std::cerr << "heddlectl: " << end_line(*recording) << '\n';
  if (!recording->complete) complain("the fabric has more nodes than a recording may have");
  return kOk;
}

}  // namespace sm::commands
