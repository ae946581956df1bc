#pragma once
// The kinds of topologies that heddle-topo makes, with their parameters.

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/topology/model.h"

namespace sim::topo {

/// The command line is invalid; heddle-topo exits with 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::uint64_t parse_number(std::string_view text, std::string_view what);

/// Parameters of a kind: words without dashes in their order, options by name. Each call takes one;
/// expect_empty() throws UsageError if some are left.
class Arguments {
 public:
  void add_word(std::string word) { words_.push_back(std::move(word)); }
  void add_option(const std::string& name, std::string value) { options_[name] = std::move(value); }

  std::optional<std::string> word();
  std::vector<unsigned> list(std::string_view what);  // of the next word: 4,4,4
  std::optional<std::string> option(const std::string& name);
  unsigned number(const std::string& name, unsigned fallback);
  std::uint64_t wide_number(const std::string& name, std::uint64_t fallback);
  void expect_empty() const;

 private:
  std::vector<std::string> words_;
  std::size_t used_ = 0;
  std::map<std::string, std::string> options_;
};

/// Makes the kind that the first word names. Throws UsageError or TopologyError.
Topology make(const std::string& kind, Arguments& arguments, std::uint64_t seed);

/// Names of the options that the kinds take, for getopt.
const std::vector<const char*>& kind_options();

/// Lines of the help text about kinds.
std::string_view kinds_help();

}  // namespace sim::topo
