// heddlectl hardware-report reads what real devices answer, for those who build Heddle.

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include <fmt/chrono.h>

#include "config/build/build.h"
#include "config/control_characters.h"
#include "mad/format.h"
#include "sm/ctl/bundle.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/hardware_questions.h"
#include "sm/ctl/live.h"

namespace sm::commands {

namespace {

constexpr std::string_view kReportReadMe =
    "A hardware report of Heddle\n"
    "\n"
    "answers.txt   questions about real devices, and what those of this fabric answered\n"
    "fabric.rec    all answers, with replaced names and GUIDs (`heddlectl record --anonymous "
    "FILE`);\n"
    "              heddle-sim --replay fabric.rec runs a simulated fabric of them\n"
    "after.rec     the same after the steps of --writes, if they were run\n"
    "version.txt   the heddlectl that made it\n"
    "\n"
    "Without --writes only SubnGet was sent. LIDs, P_Keys, types of devices, their firmware's\n"
    "settings and the links of the fabric are in it; names, GUIDs and keys are not. To give it to\n"
    "the project, send the archive with an issue, or add fabric.rec to tests/hardware/recordings/\n"
    "(README.md there).\n";

// The first signal ends a trial after the step that runs, when that is taken back; a second one
// ends the program, and what was written then is in the file for --undo.
volatile std::sig_atomic_t stop_requested = 0;
void request_stop(int /*signal*/) { stop_requested = 1; }

/// Without SA_RESTART, so that a signal ends a question, too.
void catch_signals() {
  struct sigaction action{};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaction(number, &action, nullptr);
}

bool asks(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0) {
    complain("standard input is no terminal: --yes goes on without the question");
    return false;
  }
  std::cerr << question << " [y/N] ";
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

bool agrees(const HardwareReportOptions& options) {
  std::cerr << fmt::format(
      "heddlectl: this reads all nodes of the fabric, beside the subnet manager that runs: SubnGet "
      "only,\nat most {} a second. {} The archive has no names, GUIDs and keys.\n",
      options.per_second,
      options.writes ? "Then it writes to devices on trial, one step after the other, and takes "
                       "each back; not while a\nsubnet manager runs or hosts carry traffic."
                     : "Nothing is written to any device.");
  return options.yes || asks("Go on?");
}

bool may_run(const HardwareReportOptions& options, const ctl::HardwareStep& step,
             const std::string& devices) {
  static const bool caught = (catch_signals(), true);  // nothing is written before the first step
  static_cast<void>(caught);
  std::cerr << fmt::format("\n{} {}\n  writes      {}\n  to          {}\n  taken back  {}\n",
                           step.text.id, step.text.question, step.text.sent,
                           config::escape_control_characters(devices), step.undo);
  return options.yes || asks("Run this step?");
}

class Progress {
 public:
  void operator()(std::size_t nodes, std::size_t answers) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::seconds(2);
    std::cerr << fmt::format("heddlectl: {} nodes, {} answers\n", nodes, answers);
  }

 private:
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(2);
};

struct Report {
  fabric::Recording before;
  std::optional<fabric::Recording> after;  // of --writes
  std::vector<ctl::AnsweredQuestion> answers;
  std::string stopped;  // why steps are missing
};

tl::expected<Report, std::string> make_report(const HardwareReportOptions& options,
                                              const config::Options& configured,
                                              const std::string& undo_file) {
  Report report;
  if (options.writes) {
    ctl::HardwareTrialOptions steps{
        .may_run = [&options](
                       const ctl::HardwareStep& step,
                       const std::string& devices) { return may_run(options, step, devices); },
        .only = {},
        .is_stopped = [] { return stop_requested != 0; }};
    for (const std::uint64_t guid : options.devices) steps.only.push_back({guid});
    auto live = ctl::try_hardware_live(options.scene.guid, configured,
                                       {.on_progress = Progress(),
                                        .per_second = options.per_second,
                                        .undo_file = undo_file,
                                        .steps = std::move(steps)});
    if (!live) return tl::unexpected("nothing was written: " + live.error());
    report.before = std::move(live->before);
    report.after = std::move(live->after);
    report.answers = std::move(live->result.answers);
    report.stopped = std::move(live->result.stopped);
  } else {
    auto recording =
        ctl::record_live(options.scene.guid, configured, Progress(), options.per_second);
    if (!recording) return tl::unexpected(std::move(recording.error()));
    report.before = std::move(*recording);
  }
  const std::vector<ctl::AnsweredQuestion> read = ctl::answer_hardware_questions(report.before);
  report.answers.insert(report.answers.begin(), read.begin(), read.end());
  return report;
}

/// Returns the files of the archive; replaces names and GUIDs in the recordings.
std::vector<std::pair<const char*, std::string>> files_of(Report& report) {
  std::string answers = ctl::hardware_answers_text(report.answers);
  if (report.after) {
    const std::vector<std::string> differing =
        ctl::differing_settings(report.before, *report.after);
    answers += fmt::format("Settings that differ from before the steps: {}\n", differing.size());
    for (const std::string& each : differing) answers += "  " + each + "\n";
  }
  make_anonymous(report.before);
  std::vector<std::pair<const char*, std::string>> files{
      {"README", std::string(kReportReadMe)},
      {"answers.txt", std::move(answers)},
      {"fabric.rec", write_recording(report.before)},
      {"version.txt", config::version_text("heddlectl")}};
  if (report.after) {
    make_anonymous(*report.after);
    files.emplace_back("after.rec", write_recording(*report.after));
  }
  return files;
}

int undo(const HardwareReportOptions& options, const config::Options& configured) {
  if (!std::filesystem::exists(options.undo))
    return complain(options.undo +
                    ": there is no such file; a trial that was ended leaves one "
                    "named heddle-hardware-TIME.undo"),
           kFailed;
  const auto left = ctl::undo_hardware_live(options.scene.guid, configured, options.undo);
  if (!left) return complain(left.error()), kFailed;
  if (!left->empty()) return complain("not taken back: " + *left), kFailed;
  std::cerr << fmt::format("heddlectl: all values of {} are written back\n",
                           config::escape_control_characters(options.undo));
  return kOk;
}

/// Returns a file of former values in the present directory, or an empty name.
std::string left_undo_file() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(".", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("heddle-hardware-") && name.ends_with(".undo")) return name;
  }
  return "";
}

/// Returns the command that writes these values back, from the same port.
std::string undo_command(const HardwareReportOptions& options, const std::string& file) {
  std::string command = "heddlectl hardware-report --undo " + file;
  if (options.scene.guid) command += fmt::format(" --guid {}", *options.scene.guid);
  if (!options.scene.config.empty()) command += " --config " + options.scene.config;
  return command;
}

tl::expected<void, std::string> write_archive(
    const std::string& name, const std::vector<std::pair<const char*, std::string>>& files,
    const std::string& archive) {
  auto bundle = ctl::Bundle::create(name);
  if (!bundle) return tl::unexpected(bundle.error());
  for (const auto& [path, text] : files)
    if (auto added = bundle->add(path, text); !added) return added;
  return bundle->write(archive);
}

}  // namespace

int hardware_report(const HardwareReportOptions& options) {
  if (options.questions) {
    std::cout << ctl::hardware_questions_table();
    return kOk;
  }
  const auto configuration = read_configuration(options.scene);
  if (!configuration) return kFailed;
  if (!options.undo.empty()) return undo(options, configuration->options);
  if (!agrees(options)) return kFailed;
  const std::string name =
      fmt::format("heddle-hardware-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  const std::string undo_file = name + ".undo";
  if (const std::string left = options.writes ? left_undo_file() : ""; !left.empty()) {
    complain(fmt::format("{} has values that another run has left: {}", left,
                         undo_command(options, left)));
    return kFailed;
  }
  auto report = make_report(options, configuration->options, undo_file);
  if (!report) return complain(report.error()), kFailed;
  if (!report->stopped.empty()) complain(report->stopped);
  if (options.writes && std::filesystem::exists(undo_file))
    complain("tries again: " + undo_command(options, undo_file));
  const auto files = files_of(*report);
  const std::string archive = options.file.empty() ? name + ".tar.gz" : options.file;
  std::cout << (options.json
                    ? dumped_by_rows({{"file", archive},
                                      {"answers", ctl::hardware_answers_json(report->answers)}})
                    : files[1].second);
  if (const auto written = write_archive(name, files, archive); !written)
    return complain(written.error()), kFailed;
  std::cerr << fmt::format("heddlectl: {} nodes, {} answers: {}\n", report->before.nodes.size(),
                           report->before.answer_count(),
                           config::escape_control_characters(archive));
  return report->stopped.empty() ? kOk : kFailed;
}

}  // namespace sm::commands
