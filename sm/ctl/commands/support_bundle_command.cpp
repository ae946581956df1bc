// heddlectl support-bundle collects what a report of a fault needs.

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include "config/build/build.h"
#include "config/check.h"
#include "config/common_command_line.h"
#include "config/control_characters.h"
#include "config/flags.h"
#include "config/option_files.h"
#include "config/secret_files.h"
#include "mad/format.h"
#include "mad/umad/local_ports.h"
#include "sm/ctl/bundle.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/live.h"
#include "sm/ctl/running_opensm.h"
#include "sm/ops/control_socket.h"
#include "sm/ops/rows.h"
#include "sm/store/atomic_file.h"

namespace sm::commands {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLogBytes = std::size_t{4} << 20, kFileBytes = std::size_t{1} << 20;
constexpr std::size_t kLogsMax = 8;
constexpr unsigned kProgramSeconds = 20;

struct BundleOptions {
  std::string file, config;
  bool without_record = false, json = false;
};

constexpr std::string_view kReadMe =
    "What is in this support bundle of Heddle\n"
    "\n"
    "versions.txt         heddlectl and operating system\n"
    "ports.txt            InfiniBand ports of the machine\n"
    "managers/GUID.json   what the daemon on that port has published (GET /v1/support-bundle):\n"
    "                     state, options in force, conditions, events, topology, partitions,\n"
    "                     groups, services, vports, metrics\n"
    "configuration.json   the options of a configuration that no daemon here runs with\n"
    "logs/                the ends of logs, with their paths\n"
    "cache.txt            names and sizes of the files in cache_files_dir\n"
    "systemd.txt          state of the units, if systemd runs\n"
    "journal.txt          what they have logged there\n"
    "recordings/GUID.rec  what the nodes answered to SubnGet (heddle-sim --replay reads it)\n"
    "left-out.txt         what is not here, and why\n"
    "\n"
    "Configuration files, command lines and files of keys are not in it: options, and lines of\n"
    "logs about them, have MASKED in the place of keys and passwords. GUIDs, LIDs, P_Keys, node\n"
    "descriptions, names of this machine, its users and files are in it. Look through it before\n"
    "you publish it.\n";

/// Holds the places where a manager keeps its files, by its options.
struct Places {
  std::string log_file, cache_files_dir;
};

Places places_in(const Json& options) {
  Places places;
  for (const Json& option : options) {
    if (option.at("key") == "log_file") places.log_file = option.at("value").get<std::string>();
    if (option.at("key") == "cache_files_dir")
      places.cache_files_dir = option.at("value").get<std::string>();
  }
  return places;
}

class Collector {
 public:
  Collector(ctl::Bundle& bundle, const BundleOptions& options)
      : bundle_(bundle), options_(options) {
    config::load_config(config_file_, config::read_file, configuration_, findings_);
  }

  /// Errors: a file of the bundle cannot be written.
  tl::expected<void, std::string> run() {
    add_text("README", std::string(kReadMe));
    add_versions();
    add_managers();
    if (places_.empty() || !options_.config.empty()) add_configuration();
    add_logs();
    add_cache();
    add_systemd();
    if (!options_.without_record) add_recordings();
    if (!left_out_.empty())
      add_text("left-out.txt", fmt::format("{}\n", fmt::join(left_out_, "\n")));
    if (!failure_.empty()) return tl::unexpected(failure_);
    return {};
  }

  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void add_text(const fs::path& path, std::string_view text) {
    if (const auto added = bundle_.add(path, text); !added && failure_.empty())
      failure_ = added.error();
  }
  void leave_out(std::string_view what, std::string_view why) {
    left_out_.push_back(fmt::format("{}: {}", what, why));
  }

  void add_versions() {
    utsname system{};
    uname(&system);
    const auto release = read_file("/etc/os-release", kFileBytes);
    add_text("versions.txt",
             fmt::format("{}\n\n{} {} {} {}\n\n{}", config::version_text("heddlectl"),
                         system.sysname, system.release, system.version, system.machine,
                         release && *release ? **release : ""));
    std::string ports;
    for (const mad::umad::LocalPort& port : mad::umad::list_local_ports())
      ports += fmt::format("{}  {} port {}  {}\n", port.guid, port.device, port.number,
                           port.infiniband ? port.state_text() : "Ethernet");
    add_text("ports.txt", ports.empty() ? std::string(mad::umad::kNoPortsText) + "\n" : ports);
  }

  void add_managers() {
    const auto sockets = control_sockets(run_dir());
    if (sockets.empty()) leave_out("managers/", "no Heddle runs here");
    for (const fs::path& socket : sockets) {
      const ManagerApi api(socket);
      const fs::path member = fs::path("managers") / (api.port_guid() + ".json");
      const auto published = api.get("/v1/support-bundle");
      if (!published) {
        leave_out(member.string(), published.error());
        continue;
      }
      add_text(member, published->dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
      places_.push_back(
          places_in(published->at("resources").at("/v1/options").at("body").at("options")));
    }
  }

  /// Adds the options that a daemon would have, if none runs.
  void add_configuration() {
    Json rows = option_rows(configuration_);
    places_.push_back(places_in(rows));
    add_text("configuration.json",
             dumped_by_rows({{"file", config_file_}, {"options", std::move(rows)}}));
    if (config::has_errors(findings_))
      leave_out(
          "configuration.json",
          fmt::format("what is wrong in it; heddlectl check-config {} says it", config_file_));
  }

  /// A relative name is relative to the directory of a daemon.
  fs::path absolute(const fs::path& path) {
    if (path.is_absolute()) return path;
    const ctl::RunningProcesses heddles = ctl::running_heddles();
    for (const ctl::RunningOpenSm& process : heddles.trusted)
      if (const fs::path here = fs::path(process.directory) / path; fs::exists(here)) return here;
    for (const ctl::RefusedProcess& process : heddles.refused)
      leave_out(path.string(), process.text);
    return path;
  }

  /// Adds the log, those of single ports beside it, and older ones that are not compressed.
  void add_logs() {
    std::set<fs::path> logs;
    for (const Places& places : places_) {
      const std::string& name = places.log_file;
      if (name == "stdout" || name == "stderr" || name == "-") continue;
      const fs::path log = absolute(name).lexically_normal();
      const std::string stem = log.filename().string().substr(0, log.filename().string().find('.'));
      logs.insert(log);
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(log.parent_path(), error)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(stem) && file.find(".log") != std::string::npos &&
            !file.ends_with(".gz") && !file.ends_with(".xz") && logs.size() < kLogsMax)
          logs.insert(entry.path());
      }
    }
    for (const fs::path& log : logs) {
      if (const auto text = ctl::read_tail(log, kLogBytes)) {
        add_text(fs::path("logs") / log.relative_path(), config::without_secrets(*text));
      } else {
        leave_out(log.string(), text.error());
      }
    }
  }

  void add_cache() {
    std::string text;
    for (const Places& places : places_) {
      text += places.cache_files_dir + ":\n";
      std::error_code error;
      for (fs::recursive_directory_iterator
               entry(places.cache_files_dir, fs::directory_options::skip_permission_denied, error),
           end;
           !error && entry != end; entry.increment(error)) {
        std::error_code unknown;
        if (entry->is_regular_file(unknown))
          text +=
              fmt::format("  {:>10}  {}\n", entry->file_size(unknown),
                          config::escape_control_characters(
                              entry->path().lexically_relative(places.cache_files_dir).string()));
      }
    }
    add_text("cache.txt", text);
  }

  /// Leaves out command lines, which may have keys.
  void add_systemd() {
    if (!fs::exists("/run/systemd/system")) return leave_out("systemd.txt", "systemd does not run");
    add_text("systemd.txt",
             ctl::read_output("systemctl --no-pager show 'heddle*' 'opensm*' --property "
                              "Id,LoadState,ActiveState,SubState,Result,ExecMainStatus,NRestarts,"
                              "UnitFileState,FragmentPath,DropInPaths",
                              kProgramSeconds, kFileBytes));
    add_text("journal.txt", config::without_secrets(ctl::read_output(
                                "journalctl --no-pager --lines 5000 --unit 'heddle*'",
                                kProgramSeconds, kLogBytes)));
  }

  void add_recordings() {
    std::vector<std::optional<mad::Guid>> ports;
    for (const fs::path& socket : control_sockets(run_dir())) {
      std::uint64_t guid = 0;
      if (config::read_number(socket.stem().string(), guid)) ports.emplace_back(mad::Guid{guid});
    }
    if (ports.empty()) ports.emplace_back();
    for (const std::optional<mad::Guid> port : ports) {
      const std::string name = port ? fmt::format("{}", *port) : "default-port";
      const auto recording =
          ctl::record_live(port, configuration_, [](std::size_t, std::size_t) {});
      if (recording) {
        add_text(fmt::format("recordings/{}.rec", name), write_recording(*recording));
      } else {
        leave_out(fmt::format("recordings/{}.rec", name), recording.error());
      }
    }
  }

  ctl::Bundle& bundle_;
  const BundleOptions& options_;
  const std::string config_file_{options_.config.empty() ? config::kDefaultConfigFile
                                                         : std::string_view(options_.config)};
  config::Options configuration_ =
      config::default_options(std::getenv("OSM_TMP_DIR"), std::getenv("OSM_CACHE_DIR"));
  config::Diagnostics findings_;
  std::vector<Places> places_;  // of the managers here, or of the configuration
  std::vector<std::string> left_out_;
  std::string failure_;
};

std::string default_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("heddle-support-{}-{:%Y%m%d-%H%M%S}", host.data(),
                     fmt::localtime(std::time(nullptr)));
}

int support_bundle(const BundleOptions& options) {
  if (!options.config.empty() && !fs::exists(options.config))
    return complain(options.config + ": there is no such file"), kFailed;
  const std::string name = default_name();
  const std::string file = options.file.empty() ? name + ".tar.gz" : options.file;
  auto bundle = ctl::Bundle::create(name);
  if (!bundle) return complain(bundle.error()), kFailed;
  Collector collector(*bundle, options);
  const auto collected = collector.run();
  if (!collected) return complain(collected.error()), kFailed;
  if (const auto written = bundle->write(file); !written) return complain(written.error()), kFailed;
  if (options.json) {
    std::cout << dumped_by_rows({{"file", file}, {"left_out", collector.left_out()}});
    return kOk;
  }
  for (const std::string& what : collector.left_out()) complain("left out: " + what);
  std::cout << fmt::format(
      "{} is written; it has no keys, but names and addresses: look through it before you publish "
      "it\n",
      config::escape_control_characters(file));
  return kOk;
}

}  // namespace

void add_support_bundle_command(const AddCommand& add) {
  const auto options = std::make_shared<BundleOptions>();
  CLI::App& command = add(
      "support-bundle", "Collects what a report of a fault needs in an archive, without secrets.",
      "Versions, what the daemons here publish (state, options in force, conditions, events,\n"
      "lists), ends of logs, state of the units of systemd, a recording of the fabric. Options\n"
      "have MASKED in the place of keys and passwords; configuration files are not in it. What\n"
      "cannot be read is named; without root that is a part of it. README in the archive says\n"
      "more. The file has mode 0600. Needs tar and gzip.",
      "  heddlectl support-bundle\n"
      "  heddlectl support-bundle --without-record fault.tar.gz\n",
      [=] { return support_bundle(*options); });
  command
      .add_option("FILE", options->file,
                  "the archive; else heddle-support-HOST-TIME.tar.gz in the present directory")
      ->type_name("");
  command
      .add_option(
          "--config", options->config,
          "opensm.conf or heddle.yaml of a daemon that does not run, else the default one;\n"
          "its m_key is for the recording")
      ->type_name("FILE");
  command.add_flag("--without-record", options->without_record,
                   "no recording, which reads all nodes of the fabric");
  command.add_flag("--json", options->json, "name of the archive, and what it lacks, as JSON");
}

}  // namespace sm::commands
