#include "config/guid_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "config/lines.h"
#include "config/value.h"

namespace config {
namespace {

struct Limits {
  std::uint64_t min, max;
};
constexpr Limits kGuid{1, ~std::uint64_t{0}}, kPort{1, 254}, kWeight{1, 255}, kId{0, ~std::uint64_t{0}};

/// Reads the words of one line from left to right; after the first wrong one it is no longer ok().
class Words {
 public:
  Words(const Line& line, const std::string& file, Diagnostics& out) : line_(line), file_(file), out_(out), rest_(line.text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  /// The next word as a number; 0 if there is none within the limits, which has then been reported.
  std::uint64_t number(std::string_view what, Limits limits) {
    if (!ok_) return 0;
    if (rest_.empty()) return fail(rest_, fmt::format("the line ends before the {}", what), what, limits);
    const std::string_view word = take();
    const auto value = parse_number(word);
    if (!value && value.error() == NumberFault::not_a_number) return fail(word, fmt::format("{} is not a {}", quoted(word), what), what, limits);
    if (!value || *value < limits.min || *value > limits.max) {
      return fail(word, fmt::format("{} {} is out of range", what, quoted(word)), what, limits);
    }
    return *value;
  }

  /// The next word as a hexadecimal number, or nothing for `*`.
  std::optional<std::uint64_t> hexadecimal_or_any(std::string_view what) {
    if (!ok_) return std::nullopt;
    if (rest_.empty()) return fail_hexadecimal(rest_, fmt::format("the line ends before the {}", what), what);
    const std::string_view word = take();
    if (word == "*") return std::nullopt;
    const auto value = parse_number(word, 16);
    if (!value) return fail_hexadecimal(word, fmt::format("{} is not a {}", quoted(word), what), what);
    return *value;
  }

  void warn(std::string_view place, std::string what) { report(Severity::warning, place, std::move(what), {}); }
  void expect_end() {
    if (ok_ && !rest_.empty()) warn(rest_, fmt::format("{} behind the entry is ignored", quoted(rest_)));
  }

 private:
  std::string_view take() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    const std::string_view behind = rest_.substr(word.size());
    rest_ = behind.substr(std::min(behind.find_first_not_of(" \t"), behind.size()));
    return word;
  }
  std::uint64_t fail(std::string_view place, std::string what, std::string_view name, Limits limits) {
    ok_ = false;
    report(Severity::error, place, std::move(what),
           limits.max > 255 ? fmt::format("write a {} such as {}", name, name == "GUID" ? "0x0002c90300a1b2c3" : "17")
                            : fmt::format("write a {} in {}..{}", name, limits.min, limits.max));
    return 0;
  }
  std::optional<std::uint64_t> fail_hexadecimal(std::string_view place, std::string what, std::string_view name) {
    ok_ = false;
    report(Severity::error, place, std::move(what), fmt::format("write a hexadecimal {}, or * for any", name));
    return std::nullopt;
  }
  void report(Severity severity, std::string_view place, std::string what, std::string remedy) {
    out_.push_back({severity, file_, line_.number, line_.column(place), std::move(what), std::move(remedy)});
  }

  const Line& line_;
  const std::string& file_;
  Diagnostics& out_;
  std::string_view rest_;
  bool ok_ = true;
};

/// Runs `read_line(words)` on each line; keeps what it returns if the line was right and its `identity` is new.
template <class Entry>
std::vector<Entry> parse_lines(const Source& source, Diagnostics& out, auto read_line, auto identity) {
  std::vector<Entry> entries;
  std::set<decltype(identity(std::declval<Entry>()))> seen;
  for (const Line& line : content_lines(source.text)) {
    Words words(line, source.file, out);
    Entry entry = read_line(words);
    words.expect_end();
    if (!words.ok()) continue;
    if (!seen.insert(identity(entry)).second) {
      words.warn(line.text, fmt::format("{} was listed before; the first one counts", quoted(line.text)));
    } else {
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

std::uint8_t port_of(Words& words) { return static_cast<std::uint8_t>(words.number("port number", kPort)); }

}  // namespace

GuidList parse_guid_list(const Source& source, Diagnostics& out) {
  return parse_lines<std::uint64_t>(source, out, [](Words& words) { return words.number("GUID", kGuid); }, [](std::uint64_t guid) { return guid; });
}

std::vector<NodeId> parse_node_ids(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::uint64_t guid = words.number("GUID", kGuid);
    return NodeId{guid, words.number("node id", kId)};
  };
  return parse_lines<NodeId>(source, out, read_line, [](const NodeId& node) { return node.guid; });
}

std::vector<HopWeight> parse_hop_weights(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::uint64_t guid = words.number("GUID", kGuid);
    const std::uint8_t port = port_of(words);
    return HopWeight{guid, port, static_cast<std::uint8_t>(words.number("weight", kWeight))};
  };
  return parse_lines<HopWeight>(source, out, read_line, [](const HopWeight& hop) { return std::pair(hop.switch_guid, hop.port); });
}

std::vector<PortOrder> parse_port_orders(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    PortOrder order{words.number("GUID", kGuid), {}};
    do order.ports.push_back(port_of(words));
    while (words.ok() && !words.at_end());
    return order;
  };
  return parse_lines<PortOrder>(source, out, read_line, [](const PortOrder& order) { return order.switch_guid; });
}

std::vector<IgnoredPort> parse_ignored_ports(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::uint64_t guid = words.number("GUID", kGuid);
    return IgnoredPort{guid, port_of(words)};
  };
  return parse_lines<IgnoredPort>(source, out, read_line, [](const IgnoredPort& port) { return std::pair(port.switch_guid, port.port); });
}

std::vector<PrefixRoute> parse_prefix_routes(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::optional<std::uint64_t> prefix = words.hexadecimal_or_any("GID prefix");
    return PrefixRoute{prefix, words.hexadecimal_or_any("GUID")};
  };
  return parse_lines<PrefixRoute>(source, out, read_line, [](const PrefixRoute& route) { return route.prefix; });
}

}  // namespace config
