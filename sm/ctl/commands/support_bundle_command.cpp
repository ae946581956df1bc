// heddlectl support-bundle: what one attaches to a report of a fault.

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include "config/build/build.h"
#include "config/check.h"
#include "config/command_line.h"
#include "config/flags.h"
#include "config/option_files.h"
#include "mad/format.h"
#include "mad/umad/local_ports.h"
#include "partitions/load.h"
#include "sm/ctl/bundle.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/live.h"
#include "sm/ctl/running_opensm.h"
#include "sm/ctl/secrets.h"
#include "sm/health/expected_topology.h"
#include "sm/ops/control_socket.h"
#include "sm/store/atomic_file.h"
#include "sm/store/cache_files.h"
#include "sm/sweep/devices/m_keys.h"

namespace sm::commands {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLogBytes = std::size_t{4} << 20, kFileBytes = std::size_t{1} << 20;
constexpr std::size_t kLogsMax = 8;
constexpr unsigned kProgramSeconds = 20;

struct BundleOptions {
  std::string file, config;
  bool without_record = false;
};

constexpr std::string_view kReadMe =
    "What is in this support bundle of Heddle\n"
    "\n"
    "versions.txt         heddlectl and operating system\n"
    "ports.txt            InfiniBand ports of the machine\n"
    "processes.txt        subnet managers that run on it, with their command lines\n"
    "managers/GUID/       what the daemon on that port says: status, options in force, "
    "conditions,\n"
    "                     nodes, links, LIDs, partitions, groups, vports (heddlectl LIST --json)\n"
    "files/               configuration files, with their paths, and the ends of logs\n"
    "configuration.txt    what heddlectl check-config says of the configuration\n"
    "cache.txt            names and sizes of the files in cache_files_dir\n"
    "systemd.txt          state of the units, if systemd runs\n"
    "journal.txt          what they have logged there\n"
    "recordings/GUID.rec  what the nodes answered to SubnGet (heddle-sim --replay reads it)\n"
    "left-out.txt         what is not here, and why\n"
    "\n"
    "Secrets are replaced by MASKED: m_key, sm_key, sa_key, cc_key, user and password at etcd,\n"
    "private keys. Not in it at all: guid2mkey, and the files of keys and passwords. GUIDs, LIDs,\n"
    "P_Keys, node descriptions, names of this machine, its users and files are in it. Look "
    "through\n"
    "it before you publish it.\n";

/// A daemon that runs here, and its configuration.
struct Daemon {
  ctl::RunningOpenSm process;
  config::CommandLine line;
};

fs::path of_process(const std::string& path, const std::string& directory) {
  return path.empty() || directory.empty() || path.front() == '/' ? fs::path(path)
                                                                  : fs::path(directory) / path;
}

class Collector {
 public:
  Collector(ctl::Bundle& bundle, const BundleOptions& options)
      : bundle_(bundle), options_(options) {}

  /// Errors: a file of the bundle cannot be written.
  tl::expected<void, std::string> run() {
    add_text("README", std::string(kReadMe));
    find_configurations();
    find_files();
    learn();
    add_versions();
    add_processes();
    add_managers();
    add_files();
    add_findings();
    add_logs();
    add_systemd();
    if (!options_.without_record) add_recordings();
    if (!left_out_.empty())
      add_text("left-out.txt",
               secrets_.masked_text(fmt::format("{}\n", fmt::join(left_out_, "\n"))));
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

  // ---- which configurations, files and secrets there are

  void find_configurations() {
    for (const ctl::RunningOpenSm& process : ctl::running_heddles()) {
      std::vector<const char*> arguments;
      arguments.reserve(process.arguments.size());
      for (const std::string& argument : process.arguments) arguments.push_back(argument.c_str());
      const auto or_null = [](const std::string& text) {
        return text.empty() ? nullptr : text.c_str();
      };
      const auto reader = [&](const std::string& path) {
        return config::read_file(of_process(path, process.directory).string());
      };
      daemons_.push_back(
          {.process = process,
           .line = config::parse_command_line(
               arguments, reader,
               config::default_options(or_null(process.temporary), or_null(process.cache)))});
      secrets_.learn_command_line(process.arguments);
    }
    if (!daemons_.empty() && options_.config.empty()) return;
    // What a daemon would read that does not start.
    Daemon none;
    none.line.config_file =
        options_.config.empty() ? std::string(config::kDefaultConfigFile) : options_.config;
    none.line.options =
        config::default_options(std::getenv("OSM_TMP_DIR"), std::getenv("OSM_CACHE_DIR"));
    config::Diagnostics findings;
    config::load_config(none.line.config_file, config::read_file, none.line.options, findings);
    daemons_.push_back(std::move(none));
  }

  void find_files() {
    for (const Daemon& daemon : daemons_) {
      const auto file = [&](const std::string& path) {
        if (!path.empty())
          configuration_files_.push_back(of_process(path, daemon.process.directory));
      };
      const config::Options& options = daemon.line.options;
      file(daemon.line.config_file);
      for (const std::string* const path :
           {&options.partition_config_file, &options.qos_policy_file, &options.prefix_routes_file,
            &options.per_module_logging_file, &options.root_guid_file, &options.cn_guid_file,
            &options.io_guid_file, &options.ids_guid_file, &options.guid_routing_order_file,
            &options.port_prof_ignore_file, &options.hop_weights_file,
            &options.port_search_ordering_file, &options.node_name_map_name})
        file(*path);
      if (std::ranges::find(options.routing_engine, "torus-2QoS") != options.routing_engine.end())
        file(options.torus_config);
    }
    // As the launcher reads them (packaging/systemd/launch).
    const char* const etc = std::getenv("HEDDLE_ETC");
    for (const char* const name : {"default/heddle", "sysconfig/heddle", "default/opensm",
                                   "sysconfig/opensm", "opensm/opensm.conf", "rdma/opensm.conf"})
      configuration_files_.push_back(fs::path(etc == nullptr ? "/etc" : etc) / name);
    for (fs::path& path : configuration_files_) path = path.lexically_normal();
    std::ranges::sort(configuration_files_);
    const auto repeated = std::ranges::unique(configuration_files_);
    configuration_files_.erase(repeated.begin(), repeated.end());
  }

  static bool is_shell(const fs::path& path) {
    const std::string directory = path.parent_path().filename().string();
    return directory == "default" || directory == "sysconfig";
  }

  /// Before anything is written, so that a key of one file is masked in all others.
  void learn() {
    for (const fs::path& path : configuration_files_) {
      auto text = read_file(path, kFileBytes);
      if (!text) {
        leave_out(path.string(), text.error());
      } else if (*text) {
        if (config::is_yaml_name(path.string())) {
          secrets_.learn_yaml(**text);
        } else if (!is_shell(path)) {
          secrets_.learn_conf(**text);
        }
        texts_.emplace(path, std::move(**text));
      }
    }
    for (const Daemon& daemon : daemons_) {
      const config::Options& options = daemon.line.options;
      for (const std::string& file : {options.etcd_password_file, options.state_store_key_file}) {
        if (file.empty()) continue;
        const auto text = read_file(of_process(file, daemon.process.directory), kFileBytes);
        if (text && *text) secrets_.learn((*text)->substr(0, (*text)->find('\n')));
      }
      for (const std::string_view name : {kGuid2MKeyFile, MKeys::kNextFile}) {
        const auto text = read_file(fs::path(options.cache_files_dir) / name, kFileBytes * 16);
        if (text && *text) secrets_.learn_guid2mkey(**text);
      }
    }
  }

  // ---- what is added

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

  void add_processes() {
    std::string text, cache;
    const auto add = [&](const char* what, const ctl::RunningOpenSm& process) {
      text += fmt::format("{} process {}{}{}, in {}\n  {}\n", what, process.pid,
                          process.unit.empty() ? "" : ", unit ", process.unit, process.directory,
                          secrets_.masked_command_line(process.arguments));
    };
    for (const Daemon& daemon : daemons_) {
      if (daemon.process.pid != 0) add("Heddle", daemon.process);
      const std::string& directory = daemon.line.options.cache_files_dir;
      cache += directory + ":\n";
      std::error_code error;
      for (fs::recursive_directory_iterator
               entry(directory, fs::directory_options::skip_permission_denied, error),
           end;
           !error && entry != end; entry.increment(error)) {
        std::error_code unknown;
        if (entry->is_regular_file(unknown))
          cache += fmt::format("  {:>10}  {}\n", entry->file_size(unknown),
                               entry->path().lexically_relative(directory).string());
      }
    }
    for (const ctl::RunningOpenSm& process : ctl::running_opensms()) add("OpenSM", process);
    add_text("processes.txt", text.empty() ? "no subnet manager runs here\n" : text);
    add_text("cache.txt", cache);
  }

  void add_managers() {
    const auto sockets = control_sockets(run_dir());
    if (sockets.empty()) leave_out("managers/", "no Heddle runs here");
    for (const fs::path& socket : sockets) {
      for (const char* const list : {"status", "options", "conditions", "managers", "nodes",
                                     "links", "lids", "partitions", "groups", "vports"}) {
        const auto answer = get_from(socket, std::string("/") + list);
        const fs::path path = fs::path("managers") / socket.stem() / (std::string(list) + ".json");
        if (answer) {
          add_text(path, secrets_.masked_text(*answer));
        } else {
          leave_out(path.string(), answer.error());
        }
      }
    }
  }

  void add_files() {
    for (const auto& [path, text] : texts_) {
      const fs::path member = fs::path("files") / path.relative_path();
      if (config::is_yaml_name(path.string())) {
        if (const auto masked = secrets_.masked_yaml(text)) {
          add_text(member, *masked);
        } else {
          leave_out(path.string(), masked.error());
        }
      } else {
        add_text(member, is_shell(path) ? secrets_.masked_text(text) : secrets_.masked_conf(text));
      }
    }
  }

  void add_findings() {
    std::string out;
    for (const Daemon& daemon : daemons_) {
      const fs::path path = of_process(daemon.line.config_file, daemon.process.directory);
      auto checked = config::check_config(path.string(), config::read_file);
      partitions::load(checked.options, config::read_file, checked.diagnostics);
      check_expected(checked.files.expected_topology, checked.diagnostics);
      out += path.string() + ":\n";
      for (const config::Diagnostic& finding : checked.diagnostics) out += finding.text() + '\n';
    }
    add_text("configuration.txt", secrets_.masked_text(out));
  }

  /// The log, those of single ports beside it, and older ones that are not compressed.
  void add_logs() {
    for (const Daemon& daemon : daemons_) {
      const std::string& name = daemon.line.options.log_file;
      if (name == "stdout" || name == "stderr" || name == "-") continue;
      const fs::path log = of_process(name, daemon.process.directory);
      std::vector<fs::path> logs;
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(log.parent_path(), error)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(log.stem().string()) && file.find(".log") != std::string::npos &&
            !file.ends_with(".gz") && !file.ends_with(".xz"))
          logs.push_back(entry.path());
      }
      if (std::ranges::find(logs, log) == logs.end()) logs.insert(logs.begin(), log);
      std::ranges::sort(logs);
      if (logs.size() > kLogsMax) logs.resize(kLogsMax);
      for (const fs::path& each : logs) {
        if (const auto text = ctl::tail_of(each, kLogBytes)) {
          add_text(fs::path("files") / each.lexically_normal().relative_path(),
                   secrets_.masked_text(*text));
        } else {
          leave_out(each.string(), text.error());
        }
      }
    }
  }

  void add_systemd() {
    if (!fs::exists("/run/systemd/system")) return leave_out("systemd.txt", "systemd does not run");
    constexpr const char* kUnits = "'heddle*' 'opensm*'";
    add_text("systemd.txt",
             secrets_.masked_text(
                 ctl::output_of(fmt::format("systemctl --no-pager --full status {}", kUnits),
                                kProgramSeconds, kFileBytes) +
                 ctl::output_of(fmt::format("systemctl --no-pager cat {}", kUnits), kProgramSeconds,
                                kFileBytes)));
    add_text("journal.txt",
             secrets_.masked_text(ctl::output_of(
                 "journalctl --no-pager --lines 5000 --unit 'heddle*' --unit 'opensm*'",
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
          ctl::record_live(port, daemons_.front().line.options, [](std::size_t, std::size_t) {});
      if (recording) {
        add_text(fmt::format("recordings/{}.rec", name), write_recording(*recording));
      } else {
        leave_out(fmt::format("recordings/{}.rec", name), recording.error());
      }
    }
  }

  ctl::Bundle& bundle_;
  const BundleOptions& options_;
  ctl::Secrets secrets_;
  std::vector<Daemon> daemons_;  // never empty
  std::vector<fs::path> configuration_files_;
  std::map<fs::path, std::string> texts_;  // of those that could be read
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
  const std::string name = default_name();
  const std::string file = options.file.empty() ? name + ".tar.gz" : options.file;
  auto bundle = ctl::Bundle::create(name);
  if (!bundle) return complain(bundle.error()), kFailed;
  Collector collector(*bundle, options);
  const auto collected = collector.run();
  if (!collected) return complain(collected.error()), kFailed;
  if (const auto written = bundle->write(file); !written) return complain(written.error()), kFailed;
  for (const std::string& what : collector.left_out()) complain("left out: " + what);
  std::cout << fmt::format(
      "{} is written; secrets are masked, names and addresses are not: look through it before you "
      "publish it\n",
      file);
  return kOk;
}

}  // namespace

void add_support_bundle_command(const AddCommand& add) {
  const auto options = std::make_shared<BundleOptions>();
  CLI::App& command = add(
      "support-bundle", "Collects what a report of a fault needs in an archive, without secrets.",
      "Versions, command lines, status, options in force, conditions and lists of the daemons\n"
      "here, configuration files, ends of logs, units of systemd, a recording of the fabric. Keys\n"
      "and passwords are masked wherever they stand; files of them are left out. What cannot be\n"
      "read is named; without root that is a part of it. README in the archive says more. The\n"
      "file has mode 0600. Needs tar and gzip.",
      "  heddlectl support-bundle\n"
      "  heddlectl support-bundle --without-record fault.tar.gz\n",
      [=] { return support_bundle(*options); });
  command
      .add_option("FILE", options->file,
                  "the archive; else heddle-support-HOST-TIME.tar.gz in the present directory")
      ->type_name("");
  command
      .add_option("--config", options->config,
                  "opensm.conf or heddle.yaml of a daemon that does not run; else those of the\n"
                  "ones that do, or the default one")
      ->type_name("FILE");
  command.add_flag("--without-record", options->without_record,
                   "no recording, which reads all nodes of the fabric");
}

}  // namespace sm::commands
