// The operator's tool: asks a running Heddle, and checks configuration without one.

#include <getopt.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "config/check.h"
#include "config/flags.h"
#include "partitions/load.h"
#include "sm/ops/control_socket.h"
#include "sm/ops/version.h"

namespace {

constexpr int kOk = 0, kFailed = 1, kUsage = 2;

constexpr std::string_view kUsageText = R"(usage: heddlectl COMMAND [ARGUMENTS]

  status [--json] [--guid GUID]   what the subnet managers running on this machine do
  check-config [FILE]             checks a configuration (opensm.conf or heddle.yaml) and the files it names, partitions among
                                  them; says everything that is wrong with it, by line and column. Default: /etc/opensm/opensm.conf
  version                         the version of this tool
  help                            this text

Exit codes: 0 all is well, 1 it is not (the message says why), 2 the command line was not understood.
)";

int usage_error(std::string_view what) {
  std::cerr << "heddlectl: " << what << "\n\n" << kUsageText;
  return kUsage;
}

int check_config(std::span<char*> args) {
  if (args.size() > 1) return usage_error("check-config takes one file");
  const std::string path = args.empty() ? std::string(config::kDefaultConfigFile) : args[0];
  auto checked = config::check_config(path, config::read_file, config::default_options(std::getenv("OSM_TMP_DIR"), std::getenv("OSM_CACHE_DIR")));
  partitions::load(checked.options, config::read_file, checked.diagnostics);
  for (const config::Diagnostic& diagnostic : checked.diagnostics) std::cerr << diagnostic.text() << '\n';
  if (config::has_errors(checked.diagnostics)) return kFailed;
  std::cout << path << ": usable" << (checked.diagnostics.empty() ? "" : ", with the warnings above") << '\n';
  return kOk;
}

void print_status(const nlohmann::json& status) {
  const auto& sweeps = status.at("sweeps");
  std::cout << "port " << status.at("port_guid").get<std::string>() << ": " << status.at("state").get<std::string>() << ", priority " << status.at("priority")
            << "\n  last sweep   " << sweeps.at("last").get<std::string>() << " (" << sweeps.at("all") << " sweeps, " << sweeps.at("light") << " light ones)\n";
  if (status.contains("fabric")) {
    const auto& fabric = status.at("fabric");
    std::cout << "  fabric       " << fabric.at("nodes") << " nodes, " << fabric.at("switches") << " switches, " << fabric.at("end_ports") << " end ports, "
              << fabric.at("active_ports") << " ports Active, highest LID " << fabric.at("lid_top") << '\n';
    for (const auto& finding : status.at("findings")) std::cout << "  finding      " << finding.get<std::string>() << '\n';
  }
  const auto& smps = status.at("smps");
  std::cout << "  SMPs sent    " << smps.at("get").at("sent") << " Get, " << smps.at("set").at("sent") << " Set; "
            << smps.at("get").at("timed_out").get<std::uint64_t>() + smps.at("set").at("timed_out").get<std::uint64_t>() << " without an answer; window "
            << smps.at("window") << '\n';
}

int status(std::span<char*> args) {
  bool json = false;
  std::string guid;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "--json") {
      json = true;
    } else if (arg == "--guid" && i + 1 < args.size()) {
      guid = args[++i];
    } else {
      return usage_error("status does not know this argument: " + std::string(arg));
    }
  }
  const auto dir = sm::run_dir();
  int found = 0, failed = 0;
  for (const auto& socket : sm::control_sockets(dir)) {
    if (!guid.empty() && socket.stem() != guid) continue;
    const auto answer = sm::get_from(socket, "/status");
    if (!answer) {
      std::cerr << "heddlectl: " << answer.error() << " (does that daemon still run?)\n";
      ++failed;
      continue;
    }
    ++found;
    const auto parsed = nlohmann::json::parse(*answer, nullptr, false);
    if (json || parsed.is_discarded()) {
      std::cout << *answer << '\n';
    } else {
      print_status(parsed);
    }
  }
  if (found == 0 && failed == 0) std::cerr << "heddlectl: no Heddle runs here (nothing listens in " << dir.string() << ")\n";
  return found > 0 && failed == 0 ? kOk : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> args(argv, static_cast<std::size_t>(argc));
  if (args.size() < 2) return usage_error("a command is missing");
  const std::string_view command = args[1];
  try {
    if (command == "status") return status(args.subspan(2));
    if (command == "check-config") return check_config(args.subspan(2));
    if (command == "version" || command == "--version") {
      std::cout << "heddlectl " << sm::kVersion << '\n';
      return kOk;
    }
    if (command == "help" || command == "--help" || command == "-h") {
      std::cout << kUsageText;
      return kOk;
    }
  } catch (const std::exception& error) {
    std::cerr << "heddlectl: " << error.what() << '\n';
    return kFailed;
  }
  return usage_error("unknown command: " + std::string(command));
}
