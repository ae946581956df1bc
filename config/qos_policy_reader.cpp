#include "config/qos_policy_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "config/file_reader.h"
#include "config/value.h"

namespace config {
namespace {

constexpr std::string_view kDefault = "DEFAULT";
constexpr std::uint64_t kAny64 = ~std::uint64_t{0};
constexpr std::uint64_t kSlMax = 15, kVlMax = 15, kMtuMin = 1, kMtuMax = 5, kRateMin = 2,
                        kRateMax = 26, kLifeMax = 63, kPathBitsMax = 127;
constexpr std::uint64_t kQosClassMax = 0xFFF, kPortMax = 254;

/// Names the sections; BlockForm has the section that contains each.
enum class Block : std::uint8_t {
  file,
  ulps,
  port_groups,
  port_group,
  setup,
  vlarb_tables,
  vlarb_scope,
  sl2vl_tables,
  sl2vl_scope,
  levels,
  level,
  rules,
  rule
};
struct BlockForm {
  Block block, inside;
  std::string_view word;
};
constexpr BlockForm kBlocks[] = {
    {Block::ulps, Block::file, "qos-ulps"},
    {Block::port_groups, Block::file, "port-groups"},
    {Block::port_group, Block::port_groups, "port-group"},
    {Block::setup, Block::file, "qos-setup"},
    {Block::vlarb_tables, Block::setup, "vlarb-tables"},
    {Block::vlarb_scope, Block::vlarb_tables, "vlarb-scope"},
    {Block::sl2vl_tables, Block::setup, "sl2vl-tables"},
    {Block::sl2vl_scope, Block::sl2vl_tables, "sl2vl-scope"},
    {Block::levels, Block::file, "qos-levels"},
    {Block::level, Block::levels, "qos-level"},
    {Block::rules, Block::file, "qos-match-rules"},
    {Block::rule, Block::rules, "qos-match-rule"},
};
const BlockForm* find_block(std::string_view word) {
  const auto form = std::ranges::find(kBlocks, word, &BlockForm::word);
  return form == std::end(kBlocks) ? nullptr : form;
}
const BlockForm& form_of(Block block) {
  return *std::ranges::find(kBlocks, block, &BlockForm::block);
}

class Reader : private PositionedValues {
 public:
  Reader(const Source& source, Diagnostics& out)
      : PositionedValues(source.file, out), text_(source.text) {}

  std::optional<QosPolicy> read() {
    for (const Line& line : content_lines(text_)) {
      begin(line);
      read_line(line.text);
    }
    if (block_ != Block::file) {
      const std::string_view word = form_of(block_).word;
      report(Severity::error, opened_.back(),
             fmt::format("the {} that begins here does not end", word),
             fmt::format("write end-{} after it", word));
    }
    QosPolicy policy = resolve();
    if (failed()) return std::nullopt;
    return policy;
  }

 private:
  /// Holds a name that a later line may define.
  struct Name {
    std::string text;
    Position position;
  };
  struct NamedRule {
    QosRule rule;
    std::optional<Name> level;
    std::vector<Name> sources, destinations;
  };
  struct Key {
    Block block;
    std::string_view name;
    bool once;  // may appear only once in a section
    void (Reader::*read)(std::string_view value);
  };
  static const std::span<const Key> kKeys;

  // ---- Lines and sections.

  void read_line(std::string_view text) {
    if (const BlockForm* form = find_block(text)) return open(*form, text);
    constexpr std::string_view kEnd = "end-";
    if (text.starts_with(kEnd)) {
      if (const BlockForm* form = find_block(text.substr(kEnd.size()))) return close(*form, text);
    }
    if (block_ == Block::ulps) return ulps_.read_line(text, *this);
    read_key(text);
  }

  void open(const BlockForm& form, std::string_view text) {
    if (block_ != form.inside) {
      error(text, fmt::format("a {} cannot begin {}", form.word, where()),
            form.inside == Block::file
                ? fmt::format("write end-{} in front of it", form_of(block_).word)
                : fmt::format("it belongs into {}", form_of(form.inside).word));
      if (!leave_until(form.inside)) return;
    }
    block_ = form.block;
    opened_.push_back(position(text));
    seen_.clear();
    if (block_ == Block::setup) {
      report(Severity::warning, position(text), "qos-setup has no effect",
             "SL to VL tables and VL arbitration belong into the configuration (keys qos_*)");
    } else if (block_ == Block::port_group) {
      group_ = {};
    } else if (block_ == Block::level) {
      level_ = {};
    } else if (block_ == Block::rule) {
      rule_ = {};
    }
  }

  void close(const BlockForm& form, std::string_view text) {
    if (block_ != form.block) {
      error(text, fmt::format("there is no {} to end here", form.word),
            block_ == Block::file
                ? "remove the line"
                : fmt::format("write end-{} in front of it", form_of(block_).word));
      if (!leave_until(form.block)) return;
    }
    finish_block();
    leave();
  }

  void leave() {
    block_ = form_of(block_).inside;
    opened_.pop_back();
  }
  /// Closes sections down to this one; closes none if it is not open.
  bool leave_until(Block wanted) {
    Block outer = block_;
    while (outer != wanted && outer != Block::file) outer = form_of(outer).inside;
    if (outer != wanted) return false;
    while (block_ != wanted) leave();
    return true;
  }
  std::string where() const {
    return block_ == Block::file ? "outside of all sections"
                                 : fmt::format("in {}", form_of(block_).word);
  }

  /// Ends a section: its content is complete.
  void finish_block() {
    if (block_ == Block::port_group) {
      if (!require("name")) return;
      if (std::ranges::any_of(policy_.port_groups, [&](const QosPortGroup& group) {
            return same_qos_name(group.name, group_.name);
          })) {
        return report(Severity::warning, opened_.back(),
                      fmt::format("there is a port-group {} already; the first one is used",
                                  in_quotes(group_.name)),
                      {});
      }
      policy_.port_groups.push_back(std::move(group_));
    } else if (block_ == Block::level) {
      const bool has_name = require("name"), has_sl = require("sl");
      if (!has_name || !has_sl) return;
      if (find_level(level_.name)) {
        return report(Severity::warning, opened_.back(),
                      fmt::format("there is a qos-level {} already; the first one is used",
                                  in_quotes(level_.name)),
                      {});
      }
      policy_.levels.push_back(std::move(level_));
    } else if (block_ == Block::rule) {
      if (require("qos-level-name")) named_rules_.push_back(std::move(rule_));
    }
  }
  bool require(std::string_view key) {
    if (std::ranges::find(seen_, key) != seen_.end()) return true;
    report(Severity::error, opened_.back(),
           fmt::format("this {} has no {}", form_of(block_).word, key),
           fmt::format("write a line '{}: ...'", key));
    return false;
  }

  void read_key(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = trim(text.substr(0, colon));
    const auto key = std::ranges::find_if(
        kKeys, [&](const Key& k) { return k.block == block_ && k.name == name; });
    if (key == kKeys.end())
      return error(text, fmt::format("{} is not known {}", in_quotes(name), where()),
                   fmt::format("allowed: {}", fmt::join(words(), ", ")));
    if (colon == std::string_view::npos)
      return error(text, fmt::format("there is no ':' after {}", name),
                   fmt::format("write '{}: ...'", name));
    if (std::ranges::find(seen_, name) != seen_.end() && key->once)
      return error(text, fmt::format("{} appears twice", name), "remove one of the two");
    seen_.push_back(key->name);
    const std::string_view value = text.substr(colon + 1);
    if (trim(value).empty())
      return error(value, fmt::format("{} has no value", name),
                   fmt::format("write '{}: ...'", name));
    (this->*key->read)(trim(value));
  }
  /// Returns the keys of the open section.
  std::vector<std::string_view> words() const {
    std::vector<std::string_view> words;
    for (const Key& key : kKeys)
      if (key.block == block_) words.push_back(key.name);
    for (const BlockForm& form : kBlocks)
      if (form.inside == block_) words.push_back(form.word);
    return words;
  }

  // ---- Values.

  void code(std::string_view text, std::string_view what, std::uint64_t min, std::uint64_t max,
            std::optional<std::uint8_t>& into) {
    if (const auto value = number(text, what, min, max)) into = static_cast<std::uint8_t>(*value);
  }
  void read_names(std::string_view list, std::vector<Name>& into) {
    for_each_part(list, [&](std::string_view part) {
      into.push_back({std::string(part), position(part)});
      return true;
    });
  }

  void ignore(std::string_view) {}
  void ignore_names(std::string_view list) {
    std::vector<Name> names;
    read_names(list, names);
  }

  void group_name(std::string_view value) { group_.name = value; }
  void group_guids(std::string_view list) {
    read_ranges(list, "GUID", 0, kAny64, group_.port_guids);
  }
  void group_p_keys(std::string_view list) { read_p_keys(list, group_.p_keys); }
  void group_partitions(std::string_view list) {
    for_each_part(list, [&](std::string_view part) {
      group_.partitions.emplace_back(part);
      return true;
    });
  }
  void group_port_names(std::string_view list) {
    for_each_part(list, [&](std::string_view part) {
      const std::size_t slash = part.rfind('/');
      if (slash == std::string_view::npos || slash == 0 || slash + 1 == part.size() ||
          (part[slash + 1] != 'P' && part[slash + 1] != 'p')) {
        error(part, fmt::format("{} is not the name of a port", in_quotes(part)),
              "write the description of the node, '/P' and the port's number: node1 HCA-1/P1");
        return false;
      }
      const auto port = number(part.substr(slash + 2), "port number", 0, kPortMax);
      if (port)
        group_.port_names.push_back(
            {std::string(trim(part.substr(0, slash))), static_cast<std::uint8_t>(*port)});
      return port.has_value();
    });
  }
  void group_node_types(std::string_view list) {
    for_each_part(list, [&](std::string_view part) {
      const bool all = same_qos_name(part, "ALL"), ca = same_qos_name(part, "CA"),
                 sw = same_qos_name(part, "SWITCH"), router = same_qos_name(part, "ROUTER"),
                 self = same_qos_name(part, "SELF");
      if (!all && !ca && !sw && !router && !self) {
        error(part, fmt::format("{} is not a node type", in_quotes(part)),
              "write CA, SWITCH, ROUTER, SELF or ALL");
        return false;
      }
      group_.cas |= all || ca;
      group_.switches |= all || sw;
      group_.routers |= all || router;
      group_.self |= self;
      return true;
    });
  }

  void level_name(std::string_view value) { level_.name = value; }
  void level_sl(std::string_view value) {
    if (const auto sl = number(value, "SL", 0, kSlMax)) level_.sl = static_cast<std::uint8_t>(*sl);
  }
  void level_mtu(std::string_view value) {
    code(value, "MTU code", kMtuMin, kMtuMax, level_.mtu_limit);
  }
  void level_rate(std::string_view value) {
    code(value, "rate code", kRateMin, kRateMax, level_.rate_limit);
  }
  void level_life(std::string_view value) {
    code(value, "packet lifetime code", 0, kLifeMax, level_.packet_life);
  }
  void level_path_bits(std::string_view list) {
    read_ranges(list, "number of path bits", 0, kPathBitsMax, level_.path_bits);
  }
  void level_p_keys(std::string_view list) { read_p_keys(list, level_.p_keys); }

  void rule_level(std::string_view value) {
    rule_.level = Name{std::string(value), position(value)};
  }
  void rule_sources(std::string_view list) { read_names(list, rule_.sources); }
  void rule_destinations(std::string_view list) { read_names(list, rule_.destinations); }
  void rule_classes(std::string_view list) {
    read_ranges(list, "QoS class", 0, kQosClassMax, rule_.rule.qos_classes);
  }
  void rule_services(std::string_view list) {
    read_ranges(list, "ServiceID", 0, kAny64, rule_.rule.service_ids);
  }
  void rule_p_keys(std::string_view list) { read_p_keys(list, rule_.rule.p_keys); }

  void setup_arbitration(std::string_view list) {
    for_each_part(list, [&](std::string_view part) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) {
        error(part, fmt::format("{} has no weight", in_quotes(part)), "write VL:weight");
        return false;
      }
      const auto vl = number(part.substr(0, colon), "VL", 0, kVlMax),
                 weight = number(part.substr(colon + 1), "weight", 0, 255);
      return vl.has_value() && weight.has_value();
    });
  }
  void setup_limit(std::string_view value) { number(value, "limit", 0, 255); }
  void setup_ports(std::string_view list) {
    NumberRanges ports;
    if (list != "*") read_ranges(list, "port number", 0, kPortMax, ports);
  }
  void setup_vls(std::string_view list) {
    std::size_t count = 0;
    const bool right = for_each_part(list, [&](std::string_view part) {
      ++count;
      return number(part, "VL", 0, kVlMax).has_value();
    });
    if (right && count != kSlMax + 1)
      error(list, fmt::format("there are {} VLs here", count), "write one for each of the 16 SLs");
  }

  // ---- Resolution of names.

  std::optional<std::size_t> find_level(std::string_view name) const {
    const auto level = std::ranges::find_if(
        policy_.levels, [&](const QosLevel& l) { return same_qos_name(l.name, name); });
    if (level == policy_.levels.end()) return std::nullopt;
    return static_cast<std::size_t>(level - policy_.levels.begin());
  }
  std::vector<std::size_t> find_groups(const std::vector<Name>& names) {
    std::vector<std::size_t> found;
    for (const Name& name : names) {
      const auto group = std::ranges::find_if(policy_.port_groups, [&](const QosPortGroup& g) {
        return same_qos_name(g.name, name.text);
      });
      if (group == policy_.port_groups.end()) {
        report(Severity::error, name.position,
               fmt::format("there is no port-group {}", in_quotes(name.text)),
               "define it in port-groups");
      } else {
        found.push_back(static_cast<std::size_t>(group - policy_.port_groups.begin()));
      }
    }
    return found;
  }

  QosPolicy resolve() {
    for (NamedRule& named : named_rules_) {
      QosRule& rule = policy_.rules.emplace_back(std::move(named.rule));
      if (named.level) {
        const auto level = find_level(named.level->text);
        if (!level)
          report(Severity::error, named.level->position,
                 fmt::format("there is no qos-level {}", in_quotes(named.level->text)),
                 "define it in qos-levels");
        rule.level = level.value_or(0);
      }
      rule.sources = find_groups(named.sources);
      rule.destinations = find_groups(named.destinations);
    }
    if (const auto level = find_level(kDefault)) {
      policy_.default_level = *level;
    } else if (const auto sl = ulps_.default_sl()) {
      policy_.default_level = policy_.levels.size();
      policy_.levels.push_back({.name = {},
                                .sl = *sl,
                                .mtu_limit = {},
                                .rate_limit = {},
                                .packet_life = {},
                                .path_bits = {},
                                .p_keys = {}});
    } else {
      report(Severity::error, {}, "no level is given to paths that no rule matches",
             "define a qos-level DEFAULT, or write 'default: SL' in qos-ulps");
    }
    std::move(ulps_).append_to(policy_);
    return std::move(policy_);
  }

  std::string_view text_;
  Block block_ = Block::file;
  std::vector<Position> opened_;        // the first lines of the open sections, outermost first
  std::vector<std::string_view> seen_;  // keys of the innermost
  QosPortGroup group_;
  QosLevel level_;
  NamedRule rule_;
  std::vector<NamedRule> named_rules_;
  QosPolicy policy_;
  QosUlps ulps_;
};

const std::span<const Reader::Key> Reader::kKeys = [] {
  using enum Block;
  static constexpr Key kAll[] = {
      {port_group, "name", true, &Reader::group_name},
      {port_group, "use", true, &Reader::ignore},
      {port_group, "port-guid", false, &Reader::group_guids},
      {port_group, "port-name", false, &Reader::group_port_names},
      {port_group, "pkey", false, &Reader::group_p_keys},
      {port_group, "partition", false, &Reader::group_partitions},
      {port_group, "node-type", false, &Reader::group_node_types},
      {vlarb_scope, "group", false, &Reader::ignore_names},
      {vlarb_scope, "across", false, &Reader::ignore_names},
      {vlarb_scope, "vlarb-high", true, &Reader::setup_arbitration},
      {vlarb_scope, "vlarb-low", true, &Reader::setup_arbitration},
      {vlarb_scope, "vl-high-limit", true, &Reader::setup_limit},
      {sl2vl_scope, "group", false, &Reader::ignore_names},
      {sl2vl_scope, "from", false, &Reader::setup_ports},
      {sl2vl_scope, "to", false, &Reader::setup_ports},
      {sl2vl_scope, "across", false, &Reader::ignore_names},
      {sl2vl_scope, "across-from", false, &Reader::ignore_names},
      {sl2vl_scope, "across-to", false, &Reader::ignore_names},
      {sl2vl_scope, "sl2vl-table", true, &Reader::setup_vls},
      {level, "name", true, &Reader::level_name},
      {level, "use", true, &Reader::ignore},
      {level, "sl", true, &Reader::level_sl},
      {level, "mtu-limit", true, &Reader::level_mtu},
      {level, "rate-limit", true, &Reader::level_rate},
      {level, "packet-life", true, &Reader::level_life},
      {level, "path-bits", false, &Reader::level_path_bits},
      {level, "pkey", false, &Reader::level_p_keys},
      {rule, "use", true, &Reader::ignore},
      {rule, "qos-class", false, &Reader::rule_classes},
      {rule, "qos-level-name", true, &Reader::rule_level},
      {rule, "source", false, &Reader::rule_sources},
      {rule, "destination", false, &Reader::rule_destinations},
      {rule, "service-id", false, &Reader::rule_services},
      {rule, "pkey", false, &Reader::rule_p_keys},
  };
  return std::span<const Key>(kAll);
}();

}  // namespace

std::optional<QosPolicy> parse_qos_policy(const Source& source, Diagnostics& out) {
  return Reader(source, out).read();
}

}  // namespace config
