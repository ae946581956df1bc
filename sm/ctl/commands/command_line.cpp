#include "sm/ctl/commands/command_line.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "config/build/build.h"
#include "config/common_command_line.h"
#include "config/diagnostic.h"
#include "config/engine_names.h"
#include "config/flags.h"
#include "config/nearest.h"
#include "config/schema.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"

namespace sm::commands {

namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 not done (the message says why), 2 the command line is wrong.\n";

/// Adds the option that selects the local port from which a live fabric is read.
void add_port_guid(CLI::App& command, SceneArguments& scene, const char* group) {
  command
      .add_option_function<std::uint64_t>(
          "--guid", [&](const std::uint64_t& guid) { scene.guid = mad::Guid{guid}; },
          "live: from the port with this GUID")
      ->type_name("GUID")
      ->check(check_port_guid)
      ->group(group);
}

/// Adds the options that select fabric, configuration and tables, for route, trace and plan.
void add_scene(CLI::App& command, SceneArguments& scene) {
  constexpr const char* kGroup = "Fabric, configuration and tables";
  const auto option = [&](const char* name, auto& value, const char* type, const char* help) {
    return command.add_option(name, value, help)->type_name(type)->group(kGroup);
  };
  option("--topology", scene.topology, "FILE",
         "the fabric from a file: what ibnetdiscover prints, or the YAML of\n"
         "heddle-topo; else the live one, which is only read");
  add_port_guid(command, scene, kGroup);
  option("--config", scene.config, "FILE",
         "opensm.conf or heddle.yaml: engines, roots and other options of routing");
  option("--set", scene.settings, "KEY=VALUE",
         "one setting on top of it, as in opensm.conf; may come several times")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
  option("--tables", scene.tables, "FILE",
         "forwarding tables to compare with or to follow, as opensm-lfts.dump or\n"
         "dump_fts (also with -a) have them; else the live ones");
  option("--without", scene.without, "NODE[:PORT]",
         "as if this node, or the link at this port, were gone; may come several times")
      ->option_text("NODE[:PORT]")
      ->allow_extra_args(false);
  option("--degrade", scene.degrade, "FRACTION",
         "with --topology: as if this part (0.01: one in a hundred) of all links\n"
         "between switches were gone")
      ->check(config::between(0.0, 1.0));
  option("--seed", scene.seed, "NUMBER", "of all random choices")
      ->check(config::between(std::uint64_t{0}, UINT64_MAX));
}

void add_engines(CLI::App& command, std::vector<std::string>& engines, const char* help) {
  command.add_option("--engine", engines, help)
      ->option_text("NAME[,NAME...]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& name) {
        const auto built = config::built_engines();
        return name == "all" || std::ranges::find(built, name) != built.end()
                   ? std::string()
                   : fmt::format("routing engine \"{}\" {}; {}; all: each of them", name,
                                 config::why_not_built(name), config::engine_remedy(name));
      });
}

constexpr std::string_view kOtherCommands = "Other";
/// Lists the headings of the help, with their commands.
constexpr std::pair<std::string_view, std::string_view> kCommandGroups[] = {
    {"The subnet as it is",
     " status describe nodes links lids groups partition sms vports ports congestion adaptive "
     "routers subnets show trace security "},
    {"Faults",
     " conditions explain check events counters lost diff record support-bundle "
     "hardware-report "},
    {"Before a change", " plan route verify check-config diff-config migrate-from "},
    {"Changes", " reload resweep rebalance isolate release forget log-level http-user "}};

std::string group_of(const std::string& command) {
  for (const auto& [heading, commands] : kCommandGroups)
    if (commands.find(" " + command + " ") != std::string_view::npos) return std::string(heading);
  return std::string(kOtherCommands);
}

}  // namespace

/// Holds the commands, and the options that their command lines set.
class CommandLine::Commands {
 public:
  Commands() {
    config::prepare(app_);
    app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app_.require_subcommand(1);
    app_.set_version_flag("--version", config::version_text("heddlectl"));
    app_.footer(std::string("heddlectl COMMAND --help says more of a command.\n") + kExitCodes);
    app_.get_formatter()->label("SUBCOMMAND", "COMMAND");
    // The help has the headings in the order in which a command of each is added first.
    add_status();
    add_explain();
    add_route();
    add_ports();
    add_check_config();
    add_trace();
    add_plan();
    add_verify();
    add_vports();
    add_record();
    add_hardware_report();
    const AddCommand more = [this](const char* name, const char* what, const char* text,
                                   const char* examples, std::function<int()> run) -> CLI::App& {
      return add(name, what, text, examples, std::move(run));
    };
    add_describe_command(more);
    add_events_command(more);
    add_list_commands(more);
    add_partition_command(more);
    add_show_command(more);
    add_check_command(more);
    add_diff_command(more);
    add_diff_config_command(more);
    add_migrate_command(more);
    add_support_bundle_command(more);
    add_order_commands(more);
    add_reload_command(more);
    add_http_user_command(more);
    add_complete();
    add("version", "The version of this tool.", "", "", [this] {
      return print_version(version_as_json_);
    }).add_flag("--json", version_as_json_, "the same as JSON");
    add("help", "The same as --help.", "", "", [this] {
      app_.clear();  // else this is the help of the command "help"
      std::cout << app_.help();
      return kOk;
    });
  }

  CLI::App& app() { return app_; }

  int run(int argc, const char* const* argv) {
    if (argc > 1 && is_unknown_command(argv[1])) return kUsage;
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
      return app_.exit(end) == 0 ? kOk : kUsage;
    }
    return chosen_();
  }

 private:
  /// True for a word that is neither a command nor an option; prints an error, and the command that
  /// may be meant.
  bool is_unknown_command(std::string_view word) const {
    std::vector<std::string> commands;
    bool is_known = word.starts_with('-');
    for (const CLI::App* const command :
         app_.get_subcommands([](const CLI::App*) { return true; })) {
      is_known = is_known || command->get_name() == word;
      if (!command->get_group().empty()) commands.push_back(command->get_name());
    }
    if (is_known) return false;
    const std::vector<std::string_view> names(commands.begin(), commands.end());
    const auto meant = config::nearest(word, names);
    std::cerr << fmt::format(
        "heddlectl: there is no command \"{}\"{} heddlectl --help lists them\n",
        config::printable(word), meant ? fmt::format("; did you mean \"{}\"?", *meant) : ";");
    return true;
  }

  CLI::App& add(const char* name, const char* what, const char* more, const char* examples,
                std::function<int()> run) {
    CLI::App& command = *app_.add_subcommand(name, what);
    command.group(group_of(name));
    if (*examples != '\0')
      command.footer(fmt::format("{}\n\nExamples:\n{}\n{}", more, examples, kExitCodes));
    command.callback([this, run = std::move(run)] { chosen_ = run; });
    return command;
  }

  void add_status() {
    CLI::App& command = add(
        "status", "Shows the state of the subnet managers on this machine.",
        "Answered by the daemons themselves, on their sockets in the file system. Colour is on\n"
        "terminals only, and not with NO_COLOR in the environment.",
        "  heddlectl status\n"
        "  heddlectl status --watch\n"
        "  heddlectl status --json --guid 0x0002c90300000001\n",
        [this] { return status(status_); });
    command.add_flag("--json", status_.json, "all figures as JSON");
    command
        .add_flag("--watch", status_.watch,
                  "again every two seconds, until it is interrupted; on a terminal at the\n"
                  "same place; waits for a daemon that is away")
        ->excludes("--json");
    add_manager_choice(command, status_.managers);
  }

  void add_ports() {
    CLI::App& command =
        add("ports", "The ports of this machine, and whether a Heddle runs on them.",
            "As the driver knows them; those whose link layer is Ethernet have no subnet manager.",
            "  heddlectl ports\n"
            "  heddlectl ports --guids\n",
            [this] { return ports(ports_); });
    command.add_flag("--json", ports_.json, "the same as JSON");
    command.add_flag("--guids", ports_.guids, "for scripts: only the GUIDs of InfiniBand ports")
        ->excludes("--json");
  }

  void add_check_config() {
    CLI::App& command = add(
        "check-config",
        "Checks a configuration and the files that it names, partitions among them.",
        "Reports all that is wrong with it, by line and column, and ends with a verdict:\n"
        "\"usable\", \"usable, 2 features without effect\" or \"not usable: 6 errors\". A daemon\n"
        "refuses a configuration that is not usable; of keys in a file that others than its\n"
        "owner may access it only warns. The exit code is 1 for one that is not usable, and\n"
        "with --strict also if a setting has no effect. Notes about GUIDs that the fabric does\n"
        "not have, or that are of another kind than their file is for, change neither: they\n"
        "compare the files with the fabric of --topology, or with that of the manager that\n"
        "runs on this machine, if one does.",
        "  heddlectl check-config\n"
        "  heddlectl check-config --strict heddle.yaml\n"
        "  heddlectl check-config --topology site.yaml heddle.yaml\n",
        [this] { return check_config(check_config_); });
    set_exit_codes(command, "Exit codes: 0 usable, 1 not usable, 2 the command line is wrong.\n");
    command.add_flag("--strict", check_config_.strict,
                     "exit code 1 also for what has no effect, such as an unknown key");
    command.add_flag("--json", check_config_.json, "findings and verdict as JSON");
    command
        .add_option("--topology", check_config_.topology,
                    "compares GUIDs with the fabric of this file")
        ->type_name("FILE");
    command.add_option("FILE", check_config_.file, "opensm.conf or heddle.yaml")->type_name("");
  }

  void add_route() {
    CLI::App& command =
        add("route", "Routes a fabric, live or from a file, and compares engines.",
            "Writes to no fabric. A row an engine: time, data VLs, credit loops, pairs of hosts "
            "without a path,\n"
            "links on a path, load of the busiest link (all hosts to all: against the mean;\n"
            "permutations: pairs on it, mean and worst). In a shift each host sends to the host\n"
            "so many places after it: along the tree, with the least that any tables reach\n"
            "and the mean over pairs of the busiest link on their path; by rail of hosts with\n"
            "several HCAs; by name; by LID. Then random permutations, effective bisection\n"
            "bandwidth, directions of links that no path uses; with --tables or a live fabric\n"
            "also what would change. CAs inside of switches do not count as hosts.",
            "  heddlectl route --engine all --svg hot.svg\n"
            "  heddlectl route --topology fabric.net --engine updn,dfsssp --degrade 0.01\n",
            [this] { return route(route_); });
    add_engines(command, route_.engines,
                "engines to compare; \"all\"; else those of the configuration");
    command
        .add_option("--dump", route_.dump,
                    "writes opensm-lfts.dump, opensm.fdbs, opensm-lid-matrix.dump and more, as\n"
                    "OpenSM does; several engines: a directory each")
        ->type_name("DIRECTORY");
    command
        .add_option("--svg", route_.svg,
                    "a drawing in which busy links are red; several engines: FILE with the\n"
                    "engine's name in it")
        ->type_name("FILE");
    command.add_option("--dot", route_.dot, "the same for Graphviz")->type_name("FILE");
    command.add_flag("--json", route_.json, "all figures as JSON");
    add_scene(command, route_.scene);
  }

  void add_trace() {
    CLI::App& command = add(
        "trace", "The path of packets from one port to another and back, node by node.",
        "By the tables that the manager on this machine has written, with rate and MTU; without\n"
        "one, or with --live, by those that the switches show; by those of --tables, or by those\n"
        "that an engine would make. Where switches route adaptively, all ports of a group are\n"
        "listed with their share of the packets, and the static one is marked. Between GIDs of\n"
        "two subnets each part comes from the manager of its subnet: one on this machine, or\n"
        "one of subnet_peers, as the user in HEDDLE_USER (NAME:PASSWORD) if that is set. It is "
        "sent\n"
        "to no other machine without TLS.",
        "  heddlectl trace H0 H7\n"
        "  heddlectl trace fec0::1:2:c903:0:1 fec0::2:2:c903:0:7\n"
        "  heddlectl trace --topology fabric.net --engine dfsssp 0x0002c90300000001 \"n17 "
        "mlx5_0:2\"\n",
        [this] { return trace(trace_); });
    constexpr const char* kPort =
        "a LID, a GUID, a GID, or a NodeDescription (or its first\n"
        "word); NAME:PORT for a node with several ports";
    command.add_option("FROM", trace_.from, kPort)->required()->type_name("");
    command.add_option("TO", trace_.to, "likewise")->required()->type_name("");
    command.add_flag("--json", trace_.json, "both directions as JSON");
    command.add_flag("--live", trace_.live, "read the tables of the switches (needs umad)");
    add_timeout(command, trace_.managers);
    add_engines(command, trace_.engines,
                "by the tables that this engine (or the first of a list that routes the\n"
                "fabric) would make");
    add_scene(command, trace_.scene);
  }

  void add_plan() {
    CLI::App& command = add(
        "plan", "What a daemon with this configuration would write to the fabric; writes nothing.",
        "LIDs, forwarding table blocks by switch, the paths that change or are lost; on a live\n"
        "fabric, which is only read, every attribute that a sweep would write, in its order.\n"
        "Or routes alone, of --topology compared with --tables.",
        "  heddlectl plan --config heddle.yaml\n"
        "  heddlectl plan --topology fabric.net --tables opensm-lfts.dump --without leaf-3\n",
        [this] { return plan(plan_); });
    command.add_flag("--json", plan_.json,
                     "the plan as JSON, as the answer of POST /v1/plan has it");
    add_engines(command, plan_.engines, "engines to try in turn; else those of the configuration");
    command.add_flag("--rebalance,--afresh", plan_.rebalance,
                     "what `heddlectl rebalance` would write; else routes that fulfil the\n"
                     "engine's guarantees stay as they are, as in a daemon that runs");
    command.add_option("--paths", plan_.paths, "names so many of the paths that change")
        ->type_name("N")
        ->check(config::between(std::size_t{0}, std::size_t{1'000'000}));
    command.add_option("--writes", plan_.writes, "names so many of the writes of each stage")
        ->type_name("N")
        ->check(config::between(std::size_t{0}, std::size_t{1'000'000}));
    add_scene(command, plan_.scene);
    // The command needs tables to find what would change.
    command.get_option("--topology")->needs(command.get_option("--tables"));
  }

  void add_verify() {
    CLI::App& command = add(
        "verify", "Proves what holds for all paths that an engine allows, also after losses.",
        "For engines with adaptive routing (ar_...): whatever ports of a group switches choose,\n"
        "packets arrive, and no cycle of channel dependencies is possible. Then links are lost:\n"
        "which pairs of switches with hosts keep all paths while no manager has reacted, and\n"
        "each switch knows of its own links only. For other engines, what their tables keep.\n"
        "Exit code 1 if no engine routes the fabric, or something does not hold; pairs that\n"
        "losses cut off are no failure.",
        "  heddlectl verify --topology fabric.net --config heddle.yaml\n"
        "  heddlectl verify --topology fabric.net --engine ar_updn --losses 3 --samples 500\n",
        [this] { return verify(verify_); });
    command.add_flag("--json", verify_.json, "the same as JSON");
    add_engines(command, verify_.engines,
                "engines to try in turn; else those of the configuration");
    command
        .add_option("--losses", verify_.losses,
                    "links lost at once, up to so many: each link alone, samples of more")
        ->type_name("0-3")
        ->check(config::between(0u, 3u));
    command.add_option("--samples", verify_.samples, "so many of two and of three links")
        ->type_name("N")
        ->check(config::between(std::size_t{1}, std::size_t{1'000'000}));
    add_scene(command, verify_.scene);
  }

  /// The help does not list this command, and CLI11 does not interpret the words after it.
  void add_complete() {
    CLI::App& command = add("complete", "What could stand in the place of the last word.", "", "",
                            [this] { return complete(app_, completed_->remaining()); });
    command.prefix_command()->group("");
    completed_ = &command;
  }

  void add_vports() {
    CLI::App& command = add(
        "vports", "SR-IOV virtual ports, and why some of them are not Active.",
        "Answered by the daemons that run on this machine. For each port whose device can have\n"
        "vports: index, GUIDs, state, LID (its own, or shared), P_Keys, and what keeps a vport\n"
        "from being Active. What a host's policy for it is cannot be read: Down with a GUID is\n"
        "the host's choice.",
        "  heddlectl vports\n"
        "  heddlectl vports --host n17\n"
        "  heddlectl vports --json --host 0x0002c90300000001\n",
        [this] { return vports(vports_); });
    command
        .add_option("--host", vports_.host,
                    "one host: its NodeDescription or the first word of it, its PortGUID, or\n"
                    "the GUID of one of its vports")
        ->type_name("HOST");
    command.add_flag("--json", vports_.json, "the same as JSON");
    add_manager_choice(command, vports_.managers);
  }

  void add_hardware_report() {
    CLI::App& command = add(
        "hardware-report", "Reads what real devices answer, for those who build Heddle.",
        "One command on a host of a real fabric, beside OpenSM, UFM or Heddle: reads all nodes\n"
        "(SubnGet only, at most so many a second), after a question, and writes an archive with\n"
        "answers to what is not known of real devices, and a recording without names, GUIDs and\n"
        "keys. Look through it, and send it to the project. Needs tar and gzip.\n\n"
        "--writes is for a switch and a port that are spare for a day: it also writes, step by\n"
        "step, each after a question, one device of each type at a time, and takes each step back\n"
        "before the next one. Nothing is written while a subnet manager runs or hosts carry\n"
        "traffic. Should it be killed, the values that it changed are in a file of the present\n"
        "directory, and --undo writes them back.",
        "  heddlectl hardware-report\n"
        "  heddlectl hardware-report --writes spare-switch.tar.gz\n"
        "  heddlectl hardware-report --guid 0x0002c90300000001 --per-second 100 site.tar.gz\n",
        [this] { return hardware_report(hardware_report_); });
    command
        .add_option("FILE", hardware_report_.file,
                    "the archive; else heddle-hardware-TIME.tar.gz in the present directory")
        ->type_name("");
    command.add_option("--per-second", hardware_report_.per_second, "requests a second, at most")
        ->type_name("NUMBER")
        ->check(config::between(1u, 100'000u));
    command.add_flag("--questions", hardware_report_.questions,
                     "prints the questions that it answers, and sends nothing");
    auto* const writes = command.add_flag("--writes", hardware_report_.writes,
                                          "also tries what needs writes, and takes it back");
    command
        .add_option("--device", hardware_report_.devices,
                    "with --writes: only to this device; may be given several times")
        ->type_name("NODE_GUID")
        ->check(check_port_guid)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->needs(writes);
    command.add_option("--undo", hardware_report_.undo, "writes back what a killed one has left")
        ->type_name("FILE")
        ->excludes(writes);
    command.add_flag("--yes", hardware_report_.yes, "goes on without questions");
    command.add_flag("--json", hardware_report_.json, "name of the archive and answers, as JSON");
    command
        .add_option("--config", hardware_report_.scene.config,
                    "opensm.conf or heddle.yaml, for its m_key")
        ->type_name("FILE");
    add_port_guid(command, hardware_report_.scene, "OPTIONS");
  }

  void add_record() {
    CLI::App& command = add(
        "record", "Writes what all nodes of the live fabric answer to a file; a test case.",
        "Only reads (SubnGet), as `plan` does. A line an answer: attribute, status or silence,\n"
        "response time, data. M_Keys and SM_Keys are masked, P_Keys are not. Replay it with\n"
        "`heddle-sim --replay FILE`.",
        "  heddlectl record fabric.rec\n"
        "  heddlectl record --anonymous --guid 0x0002c90300000001 - | gzip > fabric.rec.gz\n",
        [this] { return record(record_); });
    command.add_option("FILE", record_.file, "the file; \"-\" is standard output")
        ->required()
        ->type_name("");
    command.add_flag("--anonymous", record_.anonymous,
                     "other GUIDs (in the same order) and other descriptions");
    command
        .add_option("--config", record_.scene.config, "opensm.conf or heddle.yaml, for its m_key")
        ->type_name("FILE");
    add_port_guid(command, record_.scene, "OPTIONS");
  }

  void add_explain() {
    CLI::App& command = add(
        "explain", "Meaning, usual cause and remedy of a condition.",
        "Conditions are what `heddlectl status` lists and the log names in brackets. Without an\n"
        "identifier: all of them, a line each.",
        "  heddlectl explain\n"
        "  heddlectl explain SM-NODE-SILENT\n",
        [this] { return explain(explain_); });
    CLI::Option* const condition =
        command.add_option("CONDITION", explain_.condition, "an identifier such as SM-NODE-SILENT");
    command.add_flag("--table", explain_.table, "the whole registry as a Markdown table")
        ->excludes(condition);
    command.add_flag("--json", explain_.json, "the same as JSON")->excludes("--table");
  }

  CLI::App app_{"Queries running subnet managers, checks configurations, and shows routing.",
                "heddlectl"};
  std::function<int()> chosen_;
  const CLI::App* completed_ = nullptr;  // the command "complete"
  StatusOptions status_;
  PortsOptions ports_;
  VPortsOptions vports_;
  CheckConfigOptions check_config_{.file = std::string(config::kDefaultConfigFile)};
  RouteOptions route_;
  TraceOptions trace_;
  PlanOptions plan_;
  VerifyOptions verify_;
  RecordOptions record_;
  HardwareReportOptions hardware_report_;
  ExplainOptions explain_;
  bool version_as_json_ = false;
};

CommandLine::CommandLine() : commands_(std::make_unique<Commands>()) {}
CommandLine::~CommandLine() = default;

CLI::App& CommandLine::app() { return commands_->app(); }

int CommandLine::run(int argc, const char* const* argv) { return commands_->run(argc, argv); }

}  // namespace sm::commands
