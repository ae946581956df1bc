// heddlectl hardware-report reads what real devices answer, for those who build Heddle.

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <iostream>
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
    "fabric.rec    all answers, with replaced names and GUIDs (`heddlectl record --anonymous`);\n"
    "              heddle-sim --replay fabric.rec runs a simulated fabric of them\n"
    "version.txt   the heddlectl that made it\n"
    "\n"
    "Only SubnGet was sent. LIDs, P_Keys, types of devices, their firmware's settings and the\n"
    "links of the fabric are in it; names, GUIDs and keys are not. To give it to the project, "
    "send\n"
    "the archive with an issue, or add fabric.rec to tests/hardware/recordings/ (README.md "
    "there).\n";

bool agrees(const HardwareReportOptions& options) {
  std::cerr << fmt::format(
      "heddlectl: this reads all nodes of the fabric, beside the subnet manager that runs: SubnGet "
      "only,\nat most {} a second. Nothing is written to any device. The archive has no names, "
      "GUIDs and keys.\n",
      options.per_second);
  if (options.yes) return true;
  if (isatty(STDIN_FILENO) == 0) {
    complain("standard input is no terminal: --yes goes on without the question");
    return false;
  }
  std::cerr << "Go on? [y/N] ";
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
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

}  // namespace

int hardware_report(const HardwareReportOptions& options) {
  const auto configuration = read_configuration(options.scene);
  if (!configuration) return kFailed;
  if (!agrees(options)) return kFailed;
  auto recording =
      ctl::record_live(options.scene.guid, configuration->options, Progress(), options.per_second);
  if (!recording) return complain(recording.error()), kFailed;
  const std::vector<ctl::AnsweredQuestion> answered = ctl::answer_hardware_questions(*recording);
  const std::string answers = ctl::hardware_answers_text(answered);
  make_anonymous(*recording);
  const std::string name =
      fmt::format("heddle-hardware-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  const std::string file = options.file.empty() ? name + ".tar.gz" : options.file;
  auto bundle = ctl::Bundle::create(name);
  if (!bundle) return complain(bundle.error()), kFailed;
  const std::string recorded = write_recording(*recording);
  for (const auto& [path, text] :
       {std::pair<const char*, std::string_view>{"README", kReportReadMe},
        {"answers.txt", answers},
        {"fabric.rec", recorded},
        {"version.txt", config::version_text("heddlectl")}})
    if (const auto added = bundle->add(path, text); !added) return complain(added.error()), kFailed;
  if (const auto written = bundle->write(file); !written) return complain(written.error()), kFailed;
  std::cout << (options.json ? dumped_by_rows({{"file", file},
                                               {"answers", ctl::hardware_answers_json(answered)}})
                             : answers);
  std::cerr << fmt::format("heddlectl: {} nodes, {} answers: {}\n", recording->nodes.size(),
                           recording->answer_count(), config::escape_control_characters(file));
  return kOk;
}

}  // namespace sm::commands
