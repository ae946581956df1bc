#include "sim/server/server_options.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "config/build/build.h"
#include "config/common_command_line.h"
#include "sim/wire/ibsim_protocol.h"
#include "sim/world/vendor_features.h"

namespace sim::server {
namespace {

constexpr const char* kFooter =
    R"(ibsim's -N -S -P -L -M (sizes), -d -p (debugging) and -I (duplicates) are accepted and
ignored: all sizes are as the topology needs them. Type help on the console for its commands.

Examples:
  heddle-topo fat-tree --hosts 324 > fabric.net
  heddle-sim -s fabric.net
  heddle-sim -s --replay fabric.rec
  heddle-sim --daemon --speed 0 --seed 7 --scenario faults.yaml --trace events.txt fabric.net

Exit codes: 0 ended by Quit, SIGTERM or SIGINT; 1 wrong command line; 2 wrong topology, scenario or
file; 3 sockets not to be had.
)";

constexpr std::size_t kSocketNameMax = 80;

void add_ibsim_options(CLI::App& app) {
  for (const char* name :
       {"-N,--Nodes", "-S,--Switches", "-P,--Ports", "-L,--Linearcap", "-M,--Mcastcap"})
    app.add_option(name)->expected(1)->group("");
  for (const char* name : {"-I,--Ignoredups", "-d,--debug", "-p,--parsedebug"})
    app.add_flag(name)->group("");
}

void add_options_of_a_run(CLI::App& app, Options& options) {
  app.add_option("--kernel", options.kernel_nodes,
                 "these nodes appear as HCAs of this machine, by the kernel module of sim/kernel")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NODE[,NODE...]");
  app.add_option("--adaptive-routing", options.adaptive_routing,
                 "all switches have adaptive routing, and all CAs put packets in order: basic,\n"
                 "recovery (FREn can be 1) or pfrn (and pFRNEn); the console's adaptive changes\n"
                 "one switch")
      ->type_name("KIND")
      ->check([](const std::string& name) {
        return std::ranges::find(adaptive_kinds(), name, &AdaptiveKind::name) !=
                       adaptive_kinds().end()
                   ? std::string()
                   : fmt::format("'{}' is none of basic, recovery and pfrn", name);
      });
  app.add_flag("--omni-path", options.omni_path,
               "ports have MADs of 2,048 bytes; the console's ethernet loads agents of VNICs");
  app.add_option("--scenario", options.scenario, "events to happen from the start on")
      ->type_name("FILE");
  app.add_option("-c,--command", options.commands,
                 "a console command to run at the start; may come several times")
      ->allow_extra_args(false)
      ->option_text("TEXT");
  app.add_option("--trace", options.trace, "writes every event to a file")->type_name("FILE");
}

}  // namespace

tl::expected<Options, EarlyEnd> parse_options(int argc, const char* const argv[]) {
  Options options;
  if (const char* name = std::getenv(wire::kEnvSocketName); name != nullptr)
    options.socket_name = name;
  if (options.socket_name.empty()) options.socket_name = wire::kDefaultSocketName;
  bool no_console = false, daemon = false, remote = false;
  std::uint16_t port = wire::kDefaultUdpPort;

  CLI::App app(
      "Simulates an InfiniBand fabric. Programs attach to it with the preload library of\n"
      "this project (heddle-sim-run), or with umad2sim of ibsim.",
      "heddle-sim");
  config::prepare(app);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.footer(kFooter);
  app.set_help_flag("-h,--help,-u,--usage", "this text");
  app.set_version_flag("-V,--version,--Version", config::version_text("heddle-sim"));
  CLI::Option* const topology =
      app.add_option("TOPOLOGY", options.topology,
                     "what ibnetdiscover prints, with ibsim's extensions, or YAML (*.yaml) from\n"
                     "heddle-topo")
          ->type_name("");
  CLI::Option* const replay =
      app.add_option("--replay", options.replay,
                     "instead: what `heddlectl record` wrote; devices answer as recorded")
          ->type_name("FILE")
          ->excludes(topology);
  app.add_flag("-s,--start", options.start,
               "let clients in at once; else the console's Start does");
  app.add_flag("-n,--no-console", no_console, "read nothing from stdin; needs --start");
  app.add_flag("--daemon", daemon, "the same, and start at once");
  app.add_option("--socket", options.socket_name,
                 "base of the socket names; else IBSIM_SOCKNAME, or \"sim\"")
      ->type_name("NAME")
      ->check([](const std::string& name) {
        return name.empty() || name.size() > kSocketNameMax
                   ? fmt::format("a name of 1 to {} characters is needed", kSocketNameMax)
                   : std::string();
      });
  app.add_flag("-r,--remote", remote, "UDP instead of unix sockets");
  app.add_option("-l,--listen", port, "... with control on this port, client n on port + 1 + n")
      ->type_name("PORT")
      ->check(config::between(1u, 65000u));
  app.add_option("--speed", options.speed,
                 "seconds of the fabric per real second, up to 1000000; 0: as fast as possible")
      ->type_name("X")
      ->check(config::between(0.0, 1e6));
  app.add_option("--seed", options.seed, "of everything that is left to chance")
      ->type_name("N")
      ->check(config::between(std::uint64_t{0}, UINT64_MAX));
  app.add_option("--timeout", options.answer_timeout_ms,
                 "a client's request without an answer comes back to it after that time, in\n"
                 "milliseconds")
      ->type_name("MS")
      ->check(config::between(std::uint64_t{1}, std::uint64_t{3'600'000}));
  add_options_of_a_run(app, options);
  app.add_option("-f,--file", options.output, "the console prints to this file")->type_name("FILE");
  app.add_flag("-v,--verbose", options.verbosity, "says more; again: even more");
  add_ibsim_options(app);

  try {
    app.parse(argc, argv);
    if (topology->empty() && replay->empty()) throw CLI::RequiredError("TOPOLOGY or --replay");
    // Without a console, Start cannot be typed, and no client could attach.
    if (no_console && !options.start && !daemon)
      throw CLI::RequiresError("--no-console", "--start");
  } catch (const CLI::ParseError& end) {
    std::ostringstream text;
    const bool asked_for = app.exit(end, text, text) == 0;
    return tl::unexpected(EarlyEnd{asked_for ? ExitCode::ok : ExitCode::usage, text.str()});
  }
  options.start = options.start || daemon;
  options.console = !no_console && !daemon;
  if (remote) options.udp_port = port;
  return options;
}

}  // namespace sim::server
