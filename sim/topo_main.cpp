// heddle-topo: prints a generated topology for ibsim.
//
//   heddle-topo fat-tree --hosts 324 > fabric.net
//   ibsim -s -N 14000 -S 1700 -P 80000 fabric.net

#include <charconv>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/topology.h"

namespace {

constexpr std::string_view kHelp = R"(usage: heddle-topo KIND [numbers] [--option N ...] > FILE.net

Prints the cabling of a made-up InfiniBand fabric in the text form of ibnetdiscover, which ibsim reads.

kinds
  back-to-back                        two hosts, one cable
  row        --switches 2 --cables 1 --hosts-per-switch 2 --ports-per-host 1
                                      switches in a row; hosts with 2 ports reach the next switch too
  fat-tree   --hosts 324 --radix 36 --levels 0
                                      full-bandwidth tree of equal switches (levels 0: as few as needed)
  xgft       CHILDREN PARENTS [CABLES]
                                      one number per level, hosts first: xgft 18,18 1,9 1,2
  torus      DIMENSIONS --hosts-per-switch 1
                                      torus 4,4,4
  random     --switches 20 --hosts 40 --extra-links 20 --seed 1

options of every kind
  --stats    print how many hosts, switches and cables there are to stderr too
  --help     this text

The first host of the file is where ibsim attaches a program unless SIM_HOST names another one.
Large fabrics need larger ibsim tables: ibsim -s -N <nodes> -S <switches> -P <ports> FILE.net
)";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::uint64_t parse_number(std::string_view text, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) throw UsageError(fmt::format("{}: '{}' is not a number", what, text));
  return value;
}

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

// What was typed: the kind, its plain numbers, and options, each of which must be asked for once.
class CommandLine {
 public:
  CommandLine(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view word = argv[i];
      if (!word.starts_with("--")) {
        plain_.emplace_back(word);
      } else if (word == "--help" || word == "--stats") {
        options_[std::string(word.substr(2))] = 1;
      } else {
        if (i + 1 == argc) throw UsageError(fmt::format("{} needs a number", word));
        options_[std::string(word.substr(2))] = parse_number(argv[++i], word);
      }
    }
  }

  bool flag(const std::string& name) { return options_.erase(name) > 0; }
  std::uint64_t wide(const std::string& name, std::uint64_t fallback) {
    const auto it = options_.find(name);
    if (it == options_.end()) return fallback;
    const std::uint64_t value = it->second;
    options_.erase(it);
    return value;
  }
  unsigned number(const std::string& name, unsigned fallback) { return narrow(wide(name, fallback), name); }
  std::optional<std::string> plain() {
    if (used_ == plain_.size()) return std::nullopt;
    return plain_[used_++];
  }
  std::vector<unsigned> list(std::string_view what) {
    const std::optional<std::string> text = plain();
    if (!text) throw UsageError(fmt::format("{} missing", what));
    return parse_list(*text);
  }
  void expect_empty() const {
    if (used_ < plain_.size()) throw UsageError(fmt::format("'{}' is one word too many", plain_[used_]));
    if (!options_.empty()) throw UsageError(fmt::format("--{} does not belong to this kind", options_.begin()->first));
  }

 private:
  std::vector<std::string> plain_;
  std::size_t used_ = 0;
  std::map<std::string, std::uint64_t> options_;
};

sim::Topology generate(const std::string& kind, CommandLine& line) {
  if (kind == "back-to-back") return sim::back_to_back();
  if (kind == "row") {
    return sim::row({.switches = line.number("switches", 2),
                     .cables = line.number("cables", 1),
                     .hosts_per_switch = line.number("hosts-per-switch", 2),
                     .ports_per_host = line.number("ports-per-host", 1)});
  }
  if (kind == "fat-tree") {
    return sim::fat_tree({.hosts = line.number("hosts", 324), .radix = line.number("radix", 36), .levels = line.number("levels", 0)});
  }
  if (kind == "xgft") {
    sim::XgftParams params;
    params.children = line.list("CHILDREN");
    params.parents = line.list("PARENTS");
    if (const std::optional<std::string> cables = line.plain()) params.cables = parse_list(*cables);
    return sim::xgft(params);
  }
  if (kind == "torus") {
    sim::TorusParams params;
    params.dimensions = line.list("DIMENSIONS");
    params.hosts_per_switch = line.number("hosts-per-switch", 1);
    return sim::torus(params);
  }
  if (kind == "random") {
    return sim::random_graph({.switches = line.number("switches", 20),
                              .hosts = line.number("hosts", 40),
                              .extra_links = line.number("extra-links", 20),
                              .seed = line.wide("seed", 1)});
  }
  throw UsageError(fmt::format("unknown kind '{}'", kind));
}

int run(int argc, char** argv) {
  CommandLine line(argc, argv);
  if (line.flag("help")) {
    std::cout << kHelp;
    return 0;
  }
  const std::optional<std::string> kind = line.plain();
  if (!kind) throw UsageError("say which kind of fabric");
  const bool stats = line.flag("stats");
  const sim::Topology topology = generate(*kind, line);
  line.expect_empty();
  sim::write_ibsim(topology, std::cout);
  if (stats) {
    fmt::print(stderr, "{} hosts, {} switches, {} cables\n", topology.count(sim::NodeType::ca), topology.count(sim::NodeType::switch_),
               topology.links.size());
  }
  std::cout.flush();
  return std::cout.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    fmt::print(stderr, "heddle-topo: {}\nTry: heddle-topo --help\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle-topo: {}\n", error.what());
    return 1;
  }
}
