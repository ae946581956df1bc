#include "sim/server/options.h"

#include <getopt.h>

#include <cmath>
#include <cstdlib>

#include "mad/format.h"
#include "sim/server/names.h"
#include "sim/wire/ibsim_protocol.h"

namespace sim::server {
namespace {

constexpr std::string_view kHelp = R"(heddle-sim [OPTIONS] TOPOLOGY
Simulates an InfiniBand fabric. Programs attach to it with the preload library of this project, or with umad2sim of ibsim.
TOPOLOGY: what ibnetdiscover prints, with ibsim's extensions, or YAML (*.yaml) from heddle-topo.

  -s, --start              let clients in at once; else the console's Start does
  -n, --no-console         read nothing from stdin
      --daemon             the same, and start at once
      --socket NAME        base of the socket names (IBSIM_SOCKNAME, or "sim")
  -r, --remote             UDP instead of unix sockets
  -l, --listen PORT        ... with control on this port (7070), client n on port + 1 + n
      --speed X            seconds of the fabric per real second (1); 0: as fast as possible
      --seed N             of everything that is left to chance (1)
      --timeout MS         a client's request without an answer comes back to it after that time (1000)
      --scenario FILE      events to happen from the start on
  -c, --command TEXT       a console command to run at the start; may be given again and again
      --trace FILE         writes every event to a file
  -f, --file FILE          the console prints to this file
  -v, --verbose            says more; again: even more
  -h, --help, -V, --version

ibsim's -N -S -P -L -M (sizes), -d -p (debugging) and -I (duplicates) are accepted and do nothing: all sizes are as the topology needs
them. Type help on the console for its commands.

Exit codes: 0 ended by Quit, SIGTERM or SIGINT; 1 wrong command line; 2 wrong topology, scenario or file; 3 sockets not to be had.
)";

enum LongOnly { kDaemon = 256, kSocket, kSpeed, kSeed, kTimeout, kScenario, kTrace };

constexpr option kLong[] = {{"start", no_argument, nullptr, 's'},
                            {"no-console", no_argument, nullptr, 'n'},
                            {"daemon", no_argument, nullptr, kDaemon},
                            {"socket", required_argument, nullptr, kSocket},
                            {"remote", no_argument, nullptr, 'r'},
                            {"listen", required_argument, nullptr, 'l'},
                            {"speed", required_argument, nullptr, kSpeed},
                            {"seed", required_argument, nullptr, kSeed},
                            {"timeout", required_argument, nullptr, kTimeout},
                            {"scenario", required_argument, nullptr, kScenario},
                            {"command", required_argument, nullptr, 'c'},
                            {"trace", required_argument, nullptr, kTrace},
                            {"file", required_argument, nullptr, 'f'},
                            {"verbose", no_argument, nullptr, 'v'},
                            {"help", no_argument, nullptr, 'h'},
                            {"usage", no_argument, nullptr, 'h'},
                            {"version", no_argument, nullptr, 'V'},
                            {"Version", no_argument, nullptr, 'V'},
                            {"Nodes", required_argument, nullptr, 'N'},
                            {"Switches", required_argument, nullptr, 'S'},
                            {"Ports", required_argument, nullptr, 'P'},
                            {"Linearcap", required_argument, nullptr, 'L'},
                            {"Mcastcap", required_argument, nullptr, 'M'},
                            {"Ignoredups", no_argument, nullptr, 'I'},
                            {"debug", no_argument, nullptr, 'd'},
                            {"parsedebug", no_argument, nullptr, 'p'},
                            {nullptr, 0, nullptr, 0}};

tl::unexpected<EarlyEnd> wrong(std::string text) {
  return tl::unexpected(EarlyEnd{
      ExitCode::usage, fmt::format("heddle-sim: {}\nheddle-sim --help tells more\n", text)});
}

}  // namespace

tl::expected<Options, EarlyEnd> parse_options(int argc, char* const argv[]) {
  Options options;
  if (const char* name = std::getenv(wire::kEnvSocketName); name != nullptr)
    options.socket_name = name;
  bool remote = false;
  std::uint16_t port = wire::kDefaultUdpPort;
  optind = 0;  // glibc: begin anew
  opterr = 0;
  for (int option = 0;
       (option = getopt_long(argc, argv, ":snrl:c:f:vhVuN:S:P:L:M:Idp", kLong, nullptr)) != -1;) {
    const std::string_view value = optarg != nullptr ? optarg : "";
    const auto number = [&](std::uint64_t max) { return parse_number(value, max); };
    switch (option) {
      case 's':
        options.start = true;
        break;
      case kDaemon:
        options.start = true;
        [[fallthrough]];
      case 'n':
        options.console = false;
        break;
      case 'r':
        remote = true;
        break;
      case 'l': {
        const auto given = number(65000);
        if (!given || *given == 0)
          return wrong(fmt::format("'{}' is not a port for --listen", value));
        port = static_cast<std::uint16_t>(*given);
        break;
      }
      case kSocket:
        if (value.empty() || value.size() > 80)
          return wrong("--socket wants a name of 1 to 80 characters");
        options.socket_name = value;
        break;
      case kSpeed: {
        char* end = nullptr;
        options.speed = std::strtod(optarg, &end);
        if (value.empty() || *end != '\0' || !std::isfinite(options.speed) || options.speed < 0 ||
            options.speed > 1e6) {
          return wrong(fmt::format(
              "'{}' is not a speed: 0 to 1000000, where 1 is real time and 0 as fast as possible",
              value));
        }
        break;
      }
      case kSeed: {
        const auto given = number(UINT64_MAX);
        if (!given) return wrong(fmt::format("'{}' is not a seed", value));
        options.seed = *given;
        break;
      }
      case kTimeout: {
        const auto given = number(3'600'000);
        if (!given || *given == 0)
          return wrong(fmt::format("'{}' is not a number of milliseconds for --timeout", value));
        options.answer_timeout_ms = *given;
        break;
      }
      case kScenario:
        options.scenario = value;
        break;
      case 'c':
        options.commands.emplace_back(value);
        break;
      case kTrace:
        options.trace = value;
        break;
      case 'f':
        options.output = value;
        break;
      case 'v':
        ++options.verbosity;
        break;
      case 'N':
      case 'S':
      case 'P':
      case 'L':
      case 'M':
      case 'I':
      case 'd':
      case 'p':
        break;
      case 'h':
      case 'u':
        return tl::unexpected(EarlyEnd{ExitCode::ok, std::string(kHelp)});
      case 'V':
        return tl::unexpected(EarlyEnd{ExitCode::ok, "heddle-sim " HEDDLE_VERSION "\n"});
      case ':':
        return wrong(fmt::format("{} wants a value", argv[optind - 1]));
      default:
        return wrong(fmt::format("what is {}?", argv[optind - 1]));
    }
  }
  if (optind + 1 != argc)
    return wrong(optind == argc ? "a topology is missing" : "one topology, please");
  options.topology = argv[optind];
  if (options.socket_name.empty()) options.socket_name = wire::kDefaultSocketName;
  if (remote) options.udp_port = port;
  if (!options.start && !options.console)
    return wrong("without a console nobody can say Start: give -s, too");
  return options;
}

}  // namespace sim::server
