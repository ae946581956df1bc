#include "fabric/topology/topo_kinds.h"

#include <charconv>

#include "fabric/topology/topology.h"
#include "mad/format.h"

namespace sim::topo {

namespace {

constexpr std::string_view kKindsHelp = R"(kinds
  back-to-back                        two hosts, one link
  row            --switches 2 --cables 1 --hosts-per-switch 2 --ports-per-host 1
                                      switches in a row; hosts with 2 ports reach the next switch too
  fat-tree       --hosts 324 --radix 36 --levels 0
                                      full-bandwidth tree of equal switches (levels 0: as few as needed)
  xgft           CHILDREN PARENTS [CABLES]
                                      (also: pgft) one number per level, hosts first: xgft 18,18 1,9 1,2
  torus          DIMENSIONS --hosts-per-switch 1
                                      torus 4,4,4
  mesh           DIMENSIONS --hosts-per-switch 1
                                      a torus with open ends
  hypercube      --dimensions 4 --hosts-per-switch 1
  dragonfly      --switches-per-group 4 --global-cables 2 --hosts-per-switch 2 --groups 0
                                      global links are per switch (groups 0: the maximum)
  dragonfly-plus --leaves-per-group 4 --spines-per-group 4 --global-cables 2 --hosts-per-switch 4 --groups 0
                                      groups are leaf-spine networks; global links are per spine, hosts per leaf
  slim-fly       --q 5 --hosts-per-switch 0
                                      2 q^2 switches, two links apart at most; q a prime power 4w-1, 4w or 4w+1
  random         --switches 20 --hosts 40 --extra-links 20
                                      a random tree of switches and more links at random
  random-regular --switches 20 --degree 4 --hosts-per-switch 2
                                      every switch is connected to as many others, at random
)";

}  // namespace

std::uint64_t parse_number(std::string_view text, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("{}: '{}' is not a number", what, text));
  return value;
}

namespace {

unsigned narrow(std::uint64_t value, std::string_view what) {
  if (value > 1'000'000) throw UsageError(fmt::format("{}: {} is too large", what, value));
  return static_cast<unsigned>(value);
}

std::vector<unsigned> parse_list(std::string_view text) {
  std::vector<unsigned> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    numbers.push_back(narrow(parse_number(text.substr(0, comma), "list"), "list"));
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<std::string> Arguments::word() {
  if (used_ == words_.size()) return std::nullopt;
  return words_[used_++];
}

std::vector<unsigned> Arguments::list(std::string_view what) {
  const std::optional<std::string> text = word();
  if (!text) throw UsageError(fmt::format("{} missing", what));
  return parse_list(*text);
}

std::optional<std::string> Arguments::option(const std::string& name) {
  const auto it = options_.find(name);
  if (it == options_.end()) return std::nullopt;
  std::string value = std::move(it->second);
  options_.erase(it);
  return value;
}

std::uint64_t Arguments::wide_number(const std::string& name, std::uint64_t fallback) {
  const std::optional<std::string> text = option(name);
  return text ? parse_number(*text, "--" + name) : fallback;
}

unsigned Arguments::number(const std::string& name, unsigned fallback) {
  return narrow(wide_number(name, fallback), "--" + name);
}

void Arguments::expect_empty() const {
  if (used_ < words_.size())
    throw UsageError(fmt::format("unexpected argument '{}'", words_[used_]));
  if (!options_.empty())
    throw UsageError(fmt::format("--{} does not belong to this kind", options_.begin()->first));
}

Topology make(const std::string& kind, Arguments& arguments, std::uint64_t seed) {
  const auto number = [&](const char* name, unsigned fallback) {
    return arguments.number(name, fallback);
  };
  if (kind == "back-to-back") return back_to_back();
  if (kind == "row") {
    return row({.switches = number("switches", 2),
                .cables = number("cables", 1),
                .hosts_per_switch = number("hosts-per-switch", 2),
                .ports_per_host = number("ports-per-host", 1)});
  }
  if (kind == "fat-tree")
    return fat_tree({.hosts = number("hosts", 324),
                     .radix = number("radix", 36),
                     .levels = number("levels", 0)});
  if (kind == "xgft" || kind == "pgft") {
    XgftParams params;
    params.children = arguments.list("CHILDREN");
    params.parents = arguments.list("PARENTS");
    if (const std::optional<std::string> cables = arguments.word())
      params.cables = parse_list(*cables);
    return xgft(params);
  }
  if (kind == "torus" || kind == "mesh") {
    TorusParams params;
    params.dimensions = arguments.list("DIMENSIONS");
    params.hosts_per_switch = number("hosts-per-switch", 1);
    return kind == "torus" ? torus(params) : mesh(params);
  }
  if (kind == "hypercube")
    return hypercube(
        {.dimensions = number("dimensions", 4), .hosts_per_switch = number("hosts-per-switch", 1)});
  if (kind == "dragonfly") {
    return dragonfly({.switches_per_group = number("switches-per-group", 4),
                      .global_cables = number("global-cables", 2),
                      .hosts_per_switch = number("hosts-per-switch", 2),
                      .groups = number("groups", 0)});
  }
  if (kind == "dragonfly-plus") {
    return dragonfly_plus({.leaves_per_group = number("leaves-per-group", 4),
                           .spines_per_group = number("spines-per-group", 4),
                           .global_cables = number("global-cables", 2),
                           .hosts_per_leaf = number("hosts-per-switch", 4),
                           .groups = number("groups", 0)});
  }
  if (kind == "slim-fly")
    return slim_fly({.q = number("q", 5), .hosts_per_switch = number("hosts-per-switch", 0)});
  if (kind == "random") {
    return random_graph({.switches = number("switches", 20),
                         .hosts = number("hosts", 40),
                         .extra_links = number("extra-links", 20),
                         .seed = seed});
  }
  if (kind == "random-regular") {
    return random_regular({.switches = number("switches", 20),
                           .degree = number("degree", 4),
                           .hosts_per_switch = number("hosts-per-switch", 2),
                           .seed = seed});
  }
  throw UsageError(fmt::format("unknown kind '{}'", kind));
}

const std::vector<const char*>& kind_options() {
  static const std::vector<const char*> names{"switches",
                                              "cables",
                                              "hosts-per-switch",
                                              "hosts",
                                              "radix",
                                              "levels",
                                              "dimensions",
                                              "switches-per-group",
                                              "global-cables",
                                              "groups",
                                              "leaves-per-group",
                                              "spines-per-group",
                                              "q",
                                              "extra-links",
                                              "degree"};
  return names;
}

std::string_view kinds_help() { return kKindsHelp; }

}  // namespace sim::topo
