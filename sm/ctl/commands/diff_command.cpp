// heddlectl diff compares the present fabric with a saved topology; heddlectl check checks the
// subnet as a whole.

#include <iostream>
#include <memory>

#include "config/common_command_line.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/diff_topology.h"
#include "sm/ctl/fabric_check.h"

namespace sm::commands {

namespace {

constexpr int kSame = 0, kDiffers = 1, kNotCompared = 2;

struct DiffOptions {
  bool json = false;
  std::string saved, topology;  // `topology` empty: what the daemon knows
  ManagerChoice managers = {};
};

/// Returns nothing if the file cannot be read. The findings in it are on standard error.
std::optional<ComparedTopology> topology_in(const std::string& file) {
  config::Diagnostics findings;
  auto read = ctl::read_compared(file, config::read_file, &findings);
  if (!read) findings = std::move(read.error());
  for (const config::Diagnostic& finding : findings) std::cerr << finding.text() << '\n';
  if (read) return std::move(*read);
  return std::nullopt;
}

std::optional<ComparedTopology> topology_of_manager(const ManagerChoice& managers) {
  constexpr int kAttempts = 3;  // the subnet may be read again between the two answers
  std::string error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto api = find_only_api(managers);
    if (!api) return complain(api.error()), std::nullopt;
    const auto nodes = api->all_rows("/v1/nodes", "nodes");
    if (!nodes) return complain(nodes.error()), std::nullopt;
    const auto links = api->all_rows("/v1/links", "links");
    if (!links) return complain(links.error()), std::nullopt;
    auto read = ctl::compared(*nodes, *links);
    if (read && read->nodes.empty())
      return complain(
                 "the manager has not read the subnet yet, or is on standby and reads nothing; "
                 "`heddlectl status` says more"),
             std::nullopt;
    if (read) return std::move(*read);
    error = read.error();
  }
  complain(fmt::format("the manager's lists do not fit each other: {}", error));
  return std::nullopt;
}

int diff(const DiffOptions& options) {
  const auto saved = topology_in(options.saved);
  if (!saved) return kNotCompared;
  const auto now = options.topology.empty() ? topology_of_manager(options.managers)
                                            : topology_in(options.topology);
  if (!now) return kNotCompared;
  const std::vector<Difference> found = differences(*saved, *now);
  if (options.json) {
    std::cout << ctl::differences_json(found).dump(2, ' ', false, Json::error_handler_t::replace)
              << '\n';
  } else {
    std::cout << ctl::differences_text(found, now->nodes.size(), now->links.size());
  }
  return found.empty() ? kSame : kDiffers;
}

struct FabricCheckOptions {
  bool json = false;
  std::string saved;
  ManagerChoice managers = {};
  double errors_per_hour = 10;
};

/// Reads the answers that the check combines. Errors: as the API's.
tl::expected<ctl::CheckedAnswers, std::string> read_checked_answers(
    const ManagerApi& api, const FabricCheckOptions& options) {
  ctl::CheckedAnswers answers{.errors_per_hour_max = options.errors_per_hour};
  auto status = api.status();
  if (!status) return tl::unexpected(status.error());
  auto links = api.all_rows("/v1/links", "links");
  if (!links) return tl::unexpected(links.error());
  auto counters = api.get("/v1/counters?sort=errors&limit=10000");
  if (!counters) return tl::unexpected(counters.error());
  auto partitions = api.all_rows("/v1/partitions", "partitions");
  if (!partitions) return tl::unexpected(partitions.error());
  answers.status = std::move(*status);
  answers.links = std::move(*links);
  answers.counters = std::move(*counters);
  answers.partitions = std::move(*partitions);
  return answers;
}

int check_subnet(const FabricCheckOptions& options) {
  const auto api = find_only_api(options.managers);
  if (!api) return complain(api.error()), kNotCompared;
  auto answers = read_checked_answers(*api, options);
  if (!answers) return complain(answers.error()), kNotCompared;
  if (!options.saved.empty()) {
    const auto saved = topology_in(options.saved);
    const auto now = saved ? topology_of_manager(options.managers) : std::nullopt;
    if (!now) return kNotCompared;
    answers->differences = differences(*saved, *now).size();
  }
  const std::vector<ctl::CheckedTopic> topics = ctl::check_fabric(*answers);
  if (options.json)
    std::cout << dumped(ctl::checked_json(topics)) << '\n';
  else
    std::cout << ctl::checked_text(topics, uses_colour());
  return ctl::has_findings(topics) ? kDiffers : kSame;
}

}  // namespace

void add_check_command(const AddCommand& add) {
  const auto options = std::make_shared<FabricCheckOptions>();
  CLI::App& command = add(
      "check", "Judges the subnet as a whole, with one exit code.",
      "Managers, conditions, slow links, error counters, partitions of the API, and the topology\n"
      "if a saved one is named. Nothing is sent to the fabric.",
      "  heddlectl check\n"
      "  heddlectl record good.rec; heddlectl check --topology good.rec\n",
      [=] { return check_subnet(*options); });
  command.add_option("--topology", options->saved, "a saved topology, as of `heddlectl diff`")
      ->type_name("FILE");
  command
      .add_option("--errors-per-hour", options->errors_per_hour,
                  "more errors of a port in an hour are a finding (default 10), if 5 or more came "
                  "between two polls")
      ->type_name("NUMBER")
      ->check(config::between(0.0, 1e12));
  add_answer_options(command, options->json, "the result as JSON", options->managers);
  set_exit_codes(command,
                 "Exit codes: 0 no findings, 1 there are some, 2 not read, or the command line is "
                 "wrong.\n");
}

void add_diff_command(const AddCommand& add) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App& command =
      add("diff", "Compares the fabric with a topology that was saved.",
          "Nodes that are missing, extra or moved (all of their links lead elsewhere) or have\n"
          "another description; links that are missing or extra, lead to other ports, or have\n"
          "another width or speed. Nodes are identified by NodeGUID, so the file must have them.\n"
          "A rate that the file does not state is not compared; FDR10 counts as QDR.\n"
          "The fabric is what the manager here knows, or with --topology another file.",
          "  ibnetdiscover > good.net; heddlectl diff good.net\n"
          "  heddlectl record good.rec; heddlectl diff --json good.rec\n"
          "  heddlectl diff --topology after.net before.net\n",
          [=] { return diff(*options); });
  command
      .add_option("FILE", options->saved,
                  "the saved topology: a recording of `heddlectl record`, the YAML of\n"
                  "heddle-topo (.yaml, .yml), or what ibnetdiscover prints")
      ->required()
      ->type_name("");
  CLI::Option* const topology =
      command
          .add_option("--topology", options->topology,
                      "the fabric from another file of any of these kinds; else the live one")
          ->type_name("FILE");
  add_answer_options(command, options->json, "the differences as JSON", options->managers);
  command.get_option("--guid")->excludes(topology);
  set_exit_codes(command,
                 "Exit codes: 0 no difference, 1 some, 2 nothing was compared (the message says "
                 "why).\n");
}

}  // namespace sm::commands
