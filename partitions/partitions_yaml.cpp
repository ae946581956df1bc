#include "partitions/load.h"

#include <yaml-cpp/yaml.h>

#include "config/yaml_position.h"
#include "mad/format.h"
#include "partitions/configuration_builder.h"

namespace partitions {
namespace {

using config::Severity;

Word word(const YAML::Node& node) {
  const config::YamlPosition position = config::yaml_position(node.Mark());
  return {node.IsScalar() ? std::string_view(node.Scalar()) : std::string_view{}, position.line,
          position.column};
}

class YamlReader {
 public:
  YamlReader(const config::Source& source, config::Diagnostics& out) : builder_(source.file, out) {}

  Configuration read(const YAML::Node& list) {
    if (!list.IsSequence()) {
      error(list, "partitions is not a list",
            "write a list of maps, such as - {name: storage, key: 0x10, members: [ALL_CAS]}");
    } else {
      for (const auto& definition : list) read_definition(definition);
      if (builder_.definitions() == 0)
        error(list, "the list of partitions is empty", "define one, or remove the list");
    }
    return builder_.take();
  }

 private:
  void read_definition(const YAML::Node& map) {
    if (!map.IsMap())
      return error(map, "a partition is not a map",
                   "write one such as {name: storage, key: 0x10, members: [ALL_CAS]}");
    const YAML::Node name = map["name"], key = map["key"];
    if (!name && !key) return error(map, "a partition has neither name nor key", "add one of them");
    builder_.begin_definition(name ? word(name) : Word{{}, word(map).line, word(map).column},
                              key ? std::optional(word(key)) : std::nullopt);
    for (const auto& entry : map) {
      const std::string flag = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (flag == "name" || flag == "key") {
        if (!entry.second.IsScalar())
          error(entry.second, fmt::format("{} is not a word", flag), "write one");
      } else if (flag != "members" && flag != "groups") {
        read_flag(entry.first, entry.second);
      }
    }
    builder_.end_header();
    if (const YAML::Node members = map["members"]) read_members(members);
    if (const YAML::Node groups = map["groups"]) read_groups(groups);
  }

  void read_flag(const YAML::Node& name, const YAML::Node& value) {
    const std::string_view text = word(name).text;
    if (text == "ipoib" || text == "indx0") {
      const std::string_view said = word(value).text;
      if (said == "true") {
        builder_.flag(word(name), std::nullopt);
      } else if (said != "false") {
        error(value, fmt::format("{} is not a value for {}", config::in_quotes(said), text),
              "write true or false");
      }
    } else {
      each_value(name, value, [&](Word flag, Word one) { builder_.flag(flag, one); });
    }
  }

  void read_members(const YAML::Node& members) {
    if (members.IsMap()) {
      for (const auto& entry : members) {
        if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
          error(entry.first.IsScalar() ? entry.second : entry.first,
                "a member or its membership is not a word", "write lines of the form ALL: limited");
        } else {
          builder_.member(word(entry.first), word(entry.second));
        }
      }
    } else if (members.IsSequence()) {
      for (const auto& member : members) {
        if (member.IsScalar()) {
          builder_.member(word(member), std::nullopt);
        } else {
          error(member, "a member is not a word",
                "write a port GUID or a keyword such as ALL; memberships need a map");
        }
      }
    } else {
      error(members, "members is neither a list nor a map",
            "write [ALL, SELF] or {ALL: limited, SELF: full}");
    }
  }

  void read_groups(const YAML::Node& groups) {
    if (!groups.IsSequence())
      return error(groups, "groups is not a list",
                   "write a list of maps, such as - {mgid: \"ff12::1:2\", mtu: 4096}");
    for (const auto& group : groups) {
      if (!group.IsMap() || !group["mgid"] || !group["mgid"].IsScalar()) {
        error(group, "a group has no mgid", "write one such as {mgid: \"ff12::1:2\", mtu: 4096}");
        continue;
      }
      builder_.begin_group(word(group["mgid"]));
      for (const auto& entry : group) {
        if (entry.first.IsScalar() && entry.first.Scalar() == "mgid") continue;
        each_value(entry.first, entry.second,
                   [&](Word flag, Word one) { builder_.group_flag(flag, one); });
      }
      builder_.end_group();
    }
  }

  void each_value(const YAML::Node& name, const YAML::Node& value, auto take) {
    if (!name.IsScalar() || name.Scalar().empty())
      return error(name, "a flag is not a word", "write lines of the form mtu: 4096");
    if (value.IsScalar()) return take(word(name), word(value));
    if (!value.IsSequence())
      return error(value.IsNull() ? name : value,
                   fmt::format("{} has no value", config::printable(name.Scalar())),
                   "write a number or a word");
    for (const auto& one : value) {
      if (!one.IsScalar()) {
        error(one, "a value is not a word", "write numbers or words");
      } else {
        take(word(name), word(one));
      }
    }
  }

  void error(const YAML::Node& position, std::string what, std::string remedy) {
    Word where = word(position);
    where.text = {};
    builder_.report(Severity::error, where, std::move(what), std::move(remedy));
  }

  ConfigurationBuilder builder_;
};

}  // namespace

Configuration parse_partitions_yaml(const config::Source& source, config::Diagnostics& out) {
  try {
    const YAML::Node root = config::load_yaml(source.text);
    if (!root.IsMap() || !root["partitions"]) return default_configuration();
    return YamlReader(source, out).read(root["partitions"]);
  } catch (const YAML::Exception& fault) {
    out.push_back(config::not_yaml(source.file, fault));
    return default_configuration();
  }
}

}  // namespace partitions
