#include "sm/ctl/topology/topo_options.h"

#include <memory>
#include <utility>

#include "config/common_command_line.h"
#include "mad/format.h"

namespace topology::topo {

namespace {

constexpr int kUsage = 2;
constexpr unsigned kNumberMax = 1'000'000;

constexpr const char* kFooter =
    R"(heddle-topo KIND --help lists the options of a kind of fabric. Changes may stand after it;
they are made in the order of this list. "--read FILE" takes the place of the kind.

Examples:
  heddle-topo fat-tree --hosts 324 --format svg > fabric.svg
  heddle-topo fat-tree --hosts 648 --degrade 0.1 --seed 7 > degraded.net
  heddle-topo torus 4,4 --rails 2 --routers 1 > rails.net
  ibnetdiscover > real.net; heddle-topo --read real.net --degrade 0.05 --stats > worse.net

The first host of the file is where ibsim attaches a program unless SIM_HOST names another one.
Large fabrics need larger ibsim tables: ibsim -s -N <nodes> -S <switches> -P <ports> FILE.net

Exit codes: 0 done; 1 such a fabric cannot be, or the file is wrong (file:line:column says where);
2 the command line is wrong.
)";

/// Reads "18,18".
std::vector<unsigned> parse_list(const char* name, const std::string& text) {
  std::vector<unsigned> numbers;
  for (const std::string& each : CLI::detail::split(text, ',')) {
    unsigned number = 0;
    if (!config::read_number(each, number) || number > kNumberMax)
      throw CLI::ValidationError(name,
                                 fmt::format("'{}' is not a list of numbers such as 4,4,4", text));
    numbers.push_back(number);
  }
  return numbers;
}

/// A Kind of fabrics is a subcommand whose options fill `Params`, which also has their defaults.
template <class Params>
class Kind {
 public:
  /// All kinds have the options of `app`.
  Kind(CLI::App& app, Options& options, const char* name, const char* what,
       std::function<Topology(const Params&)> make, const char* example)
      : params_(std::make_shared<Params>()), command_(*app.add_subcommand(name, what)) {
    command_.group("Kinds of fabrics");
    command_.fallthrough();
    command_.footer(
        fmt::format("heddle-topo --help names the options that every kind has.\n\nExample:\n  "
                    "heddle-topo {}\n",
                    example));
    command_.callback([&options, params = params_, make = std::move(make)] {
      if constexpr (requires { params->seed; }) params->seed = options.seed;
      options.make = [params, make] { return make(*params); };
    });
  }
  Kind& number(const char* name, unsigned Params::* member, const char* help) {
    command_.add_option(name, (*params_).*member, help)
        ->type_name("N")
        ->check(config::between(0u, kNumberMax));
    return *this;
  }
  Kind& list(const char* name, std::vector<unsigned> Params::* member, const char* help,
             bool required = true) {
    command_
        .add_option_function<std::string>(
            name,
            [name, member, params = params_](const std::string& text) {
              (*params).*member = parse_list(name, text);
            },
            help)
        ->type_name("")
        ->required(required);
    return *this;
  }
  void alias(const char* name) { command_.alias(name); }

 private:
  std::shared_ptr<Params> params_;
  CLI::App& command_;
};

struct NoParams {};

constexpr const char* kHostsPerSwitch = "hosts of each switch";

void add_trees(CLI::App& app, Options& options) {
  Kind<FatTreeParams>(app, options, "fat-tree", "Full-bandwidth tree of equal switches.", fat_tree,
                      "fat-tree --hosts 324 --radix 36 > fabric.net")
      .number("--hosts", &FatTreeParams::hosts, "hosts")
      .number("--radix", &FatTreeParams::radix, "ports of every switch")
      .number("--levels", &FatTreeParams::levels, "levels of switches; 0: as few as needed");
  Kind<XgftParams>(app, options, "xgft", "Tree by numbers for each level, hosts first.", xgft,
                   "xgft 18,18 1,9 1,2 > fabric.net")
      .list("CHILDREN", &XgftParams::children, "nodes below a switch, by level: 18,18")
      .list("PARENTS", &XgftParams::parents, "switches above a node, by level: 1,9")
      .list("CABLES", &XgftParams::cables, "parallel cables of each such pair: 1,2", false)
      .alias("pgft");
}

void add_grids(CLI::App& app, Options& options) {
  // NOLINTNEXTLINE(bugprone-unused-raii): the constructor adds the kind to `app`
  Kind<NoParams>(
      app, options, "back-to-back", "Two hosts, one cable.",
      [](const NoParams&) { return back_to_back(); }, "back-to-back > pair.net");
  // --ports-per-host of all kinds would come too late: the cables to the next switch are part of
  // the row.
  Kind<RowParams>(app, options, "row", "Switches in a row, each with its hosts.", row,
                  "row --switches 3 --cables 2 > fabric.net")
      .number("--switches", &RowParams::switches, "switches")
      .number("--cables", &RowParams::cables, "parallel cables between neighbours")
      .number("--hosts-per-switch", &RowParams::hosts_per_switch, kHostsPerSwitch)
      .number("--ports-per-host", &RowParams::ports_per_host,
              "2: the second port goes to the next switch");
  for (const bool closed : {true, false}) {
    Kind<TorusParams>(
        app, options, closed ? "torus" : "mesh",
        closed ? "Grid of switches with closed rings." : "Grid of switches with open ends.",
        closed ? torus : mesh, closed ? "torus 4,4,4 > fabric.net" : "mesh 4,4 > fabric.net")
        .list("DIMENSIONS", &TorusParams::dimensions, "switches along each dimension: 4,4,4")
        .number("--hosts-per-switch", &TorusParams::hosts_per_switch, kHostsPerSwitch);
  }
  Kind<HypercubeParams>(app, options, "hypercube", "2^N switches, a cable each per dimension.",
                        hypercube, "hypercube --dimensions 6 > fabric.net")
      .number("--dimensions", &HypercubeParams::dimensions, "dimensions")
      .number("--hosts-per-switch", &HypercubeParams::hosts_per_switch, kHostsPerSwitch);
}

void add_low_diameter(CLI::App& app, Options& options) {
  constexpr const char* kGroups = "groups; 0: as many as all can reach each other directly";
  Kind<DragonflyParams>(app, options, "dragonfly", "Groups of switches, all joined to each other.",
                        dragonfly, "dragonfly --groups 9 > fabric.net")
      .number("--switches-per-group", &DragonflyParams::switches_per_group, "switches of a group")
      .number("--global-cables", &DragonflyParams::global_cables,
              "cables of a switch to other groups")
      .number("--hosts-per-switch", &DragonflyParams::hosts_per_switch, kHostsPerSwitch)
      .number("--groups", &DragonflyParams::groups, kGroups);
  Kind<DragonflyPlusParams>(app, options, "dragonfly-plus", "Groups that are leaf-spine networks.",
                            dragonfly_plus, "dragonfly-plus --groups 5 > fabric.net")
      .number("--leaves-per-group", &DragonflyPlusParams::leaves_per_group, "leaves of a group")
      .number("--spines-per-group", &DragonflyPlusParams::spines_per_group, "spines of a group")
      .number("--global-cables", &DragonflyPlusParams::global_cables,
              "cables of a spine to other groups")
      .number("--hosts-per-switch", &DragonflyPlusParams::hosts_per_leaf, "hosts of each leaf")
      .number("--groups", &DragonflyPlusParams::groups, kGroups);
  Kind<SlimFlyParams>(app, options, "slim-fly", "2 q^2 switches, two cables apart at most.",
                      slim_fly, "slim-fly --q 5 > fabric.net")
      .number("--q", &SlimFlyParams::q, "a prime power 4w-1, 4w or 4w+1")
      .number("--hosts-per-switch", &SlimFlyParams::hosts_per_switch,
              "hosts of each switch; 0: half of its cables to switches");
  Kind<RandomParams>(app, options, "random", "Random tree of switches, and random cables more.",
                     random_graph, "random --switches 20 --hosts 40 --seed 7 > fabric.net")
      .number("--switches", &RandomParams::switches, "switches")
      .number("--hosts", &RandomParams::hosts, "hosts")
      .number("--extra-links", &RandomParams::extra_links, "cables beyond the tree");
  Kind<RandomRegularParams>(app, options, "random-regular",
                            "Every switch is joined to as many others, at random.", random_regular,
                            "random-regular --switches 20 --degree 4 > fabric.net")
      .number("--switches", &RandomRegularParams::switches, "switches")
      .number("--degree", &RandomRegularParams::degree, "other switches that each is joined to")
      .number("--hosts-per-switch", &RandomRegularParams::hosts_per_switch, kHostsPerSwitch);
}

/// Reads "NAME:PORT".
Change drop_link_at(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  unsigned port = 0;
  if (colon == std::string::npos || !config::read_number(text.substr(colon + 1), port) ||
      port < 1 || port > mad::kPortNumMax)
    throw CLI::ValidationError("--drop-link", fmt::format("'{}' is not NAME:PORT, with a port from "
                                                          "1 to {}",
                                                          text, mad::kPortNumMax));
  return [name = text.substr(0, colon), port](const Topology& topology) {
    return drop_link(topology, name, {static_cast<std::uint8_t>(port)});
  };
}

void add_changes(CLI::App& app, Options& options) {
  constexpr const char* kGroup = "Changes";
  const auto change = [&](const char* name, const char* type, const char* help, auto make) {
    // Options apply at once: changes of single nodes come in the order of the command line.
    app.add_option_function<std::string>(
           name,
           [&options, make](const std::string& text) { options.changes.push_back(make(text)); },
           help)
        ->type_name(type)
        ->trigger_on_parse()
        ->group(kGroup);
  };
  change("--drop-node", "NAME", "take a node out; this and the next two may come several times",
         [](const std::string& name) -> Change {
           return [name](const Topology& topology) { return drop_node(topology, name); };
         });
  change("--drop-link", "NAME:PORT", "take out the cable at this port", drop_link_at);
  change("--add-host", "SWITCH", "a new host on this switch",
         [](const std::string& name) -> Change {
           return [name](const Topology& topology) { return add_host(topology, name); };
         });
  const auto number = [&](const char* name, std::optional<unsigned>& value, const char* help) {
    return app.add_option(name, value, help)
        ->type_name("N")
        ->check(config::between(0u, 100'000u))
        ->group(kGroup);
  };
  number("--ports-per-host", options.ports_per_host,
         "hosts with one cable get N, to as many leaf switches");
  number("--parallel", options.parallel, "every cable between switches becomes N");
  const auto degrade = app.add_option("--degrade", options.degrade,
                                      "take out this part (0 to 1) of the cables between "
                                      "switches, subnets\nstaying whole")
                           ->type_name("FRACTION")
                           ->check(config::between(0.0, 1.0))
                           ->group(kGroup);
  app.add_flag("--may-break", options.may_break,
               "... or not: --stats says how many subnets there are")
      ->needs(degrade)
      ->group(kGroup);
  const auto rails = number("--rails", options.rails,
                            "N copies as subnets of their own; every host has an HCA in each");
  app.add_flag("--multi-port", options.multi_port, "... or one HCA with a port in each")
      ->needs(rails)
      ->group(kGroup);
  number("--routers", options.routers, "N routers, with a port in each subnet");
  app.add_option_function<std::string>(
         "--width",
         [&](const std::string& text) {
           LinkWidth width{};
           if (!parse_width(text, width))
             throw CLI::ValidationError("--width",
                                        fmt::format("'{}' is not 1x, 2x, 4x, 8x or 12x", text));
           options.width = width;
         },
         "of all cables: 1x, 2x, 4x, 8x or 12x")
      ->type_name("WIDTH")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--speed",
         [&](const std::string& text) {
           LinkSpeed speed{};
           if (!parse_speed(text, speed))
             throw CLI::ValidationError(
                 "--speed",
                 fmt::format("'{}' is not SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR", text));
           options.speed = speed;
         },
         "of all cables: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR")
      ->type_name("SPEED")
      ->group(kGroup);
}

/// Adds an option with a few words as its values; the error message and the help name them.
template <class Value>
void add_choice(CLI::App& app, const char* name, Value& value, const char* help,
                const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& [text, ignored] : choices) names.push_back(text);
  app.add_option_function<std::string>(
         name,
         [name, &value, choices, names](const std::string& text) {
           for (const auto& [known, meaning] : choices) {
             if (known != text) continue;
             value = meaning;
             return;
           }
           throw CLI::ValidationError(
               name, fmt::format("'{}' is not one of: {}", text, fmt::join(names, ", ")));
         },
         fmt::format("{}: {}", help, fmt::join(names, ", ")))
      ->type_name("NAME")
      ->default_str(names.front());
}

}  // namespace

tl::expected<Options, int> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app(
      "Prints the cabling of an InfiniBand fabric: a generated one, or one from a file, with\n"
      "changes if you like.",
      "heddle-topo");
  config::prepare(app);
  app.get_formatter()->label("SUBCOMMAND", "KIND");
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  app.add_option("--read", options.read,
                 "a fabric from a file: what ibnetdiscover prints, what ibsim reads, or YAML\n"
                 "if the name ends in .yaml")
      ->type_name("FILE");
  app.add_option("--seed", options.seed, "for what is random")
      ->type_name("N")
      ->check(config::between(std::uint64_t{0}, UINT64_MAX));
  add_choice(app, "--format", options.format, "what is printed (ibsim reads the first, too)",
             {{"ibnetdiscover", Format::ibnetdiscover},
              {"yaml", Format::yaml},
              {"dot", Format::dot},
              {"svg", Format::svg}});
  add_choice(app, "--layout", options.layout, "of the SVG drawing",
             {{"automatic", Layout::automatic},
              {"layers", Layout::layers},
              {"grid", Layout::grid},
              {"groups", Layout::groups},
              {"circle", Layout::circle}});
  app.add_flag("--stats", options.stats,
               "print on stderr how many hosts, switches, routers, cables and subnets there are");
  add_changes(app, options);
  add_grids(app, options);
  add_trees(app, options);
  add_low_diameter(app, options);
  try {
    app.parse(argc, argv);
    const bool has_kind = !app.get_subcommands().empty();
    if (has_kind && !options.read.empty())
      throw CLI::ExcludesError("--read", app.get_subcommands().front()->get_name());
    if (!has_kind && options.read.empty())
      throw CLI::RequiredError("a kind of fabrics, or a file to --read,");
  } catch (const CLI::ParseError& end) {
    return tl::unexpected(app.exit(end) == 0 ? 0 : kUsage);
  }
  return options;
}

}  // namespace topology::topo
