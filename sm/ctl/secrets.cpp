#include "sm/ctl/secrets.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "config/schema.h"
#include "config/value.h"
#include "config/yaml_position.h"

namespace sm::ctl {

using config::kMasked;

namespace {

constexpr std::uint64_t kAmbiguousMax = 0xFFFF;
constexpr std::size_t kTextMin = 6, kBareHexMin = 8;
constexpr std::uint64_t kPublicMax = 1;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }

std::optional<std::uint64_t> number_in(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the end is given
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return !text.empty() && stop == end && error == std::errc() ? std::optional(value) : std::nullopt;
}

/// 0x12, 12.
std::optional<std::uint64_t> number_of(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return number_in(text.substr(2), 16);
  return number_in(text, 10);
}

bool is_public(std::string_view value) {
  const auto number = number_of(value);
  return value.empty() || value == "(null)" || value == "null" || value == "~" ||
         (number && *number <= kPublicMax);
}

/// Names of secrets that are texts, without "_" and "-".
bool is_password(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames{"password", "passwd",     "passphrase",
                                                   "secret",   "token",      "apikey",
                                                   "etcduser", "privatekey", "etcdpassword"};
  std::string bare;
  for (const char c : name)
    if (c != '_' && c != '-') bare += static_cast<char>(is_letter(c) ? c | 0x20 : c);
  return std::ranges::find(kNames, bare) != kNames.end();
}

/// Of a configuration file, where people misspell.
bool is_secret_setting(std::string_view name) {
  if (config::is_name_of_secret(name) || is_password(name)) return true;
  if (config::find_key(name) != nullptr || config::is_foreign_key(name)) return false;
  // Of partitions.conf and qos-policy.conf, in YAML too.
  constexpr std::array<std::string_view, 4> kOthers{"p_key", "pkey", "q_key", "qkey"};
  if (std::ranges::find(kOthers, name) != kOthers.end()) return false;
  const auto nearest = config::nearest_key(name);
  return nearest && config::is_name_of_secret(*nearest);
}

template <class Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// A name and its value in a line of opensm.conf; the value ends before a comment. Also with "=" or
/// ":" between, as other files and mistakes have it.
struct ConfLine {
  std::string_view before, name, between, value, after;  // in this order the whole line
};
ConfLine conf_line(std::string_view line) {
  ConfLine parts;
  std::size_t at = 0;
  const auto take = [&](auto is) {
    const std::size_t begin = at;
    while (at < line.size() && is(line[at])) ++at;
    return line.substr(begin, at - begin);
  };
  parts.before = take(is_blank);
  parts.name = take(is_name_char);
  parts.between = take([](char c) { return is_blank(c) || c == '=' || c == ':'; });
  std::size_t end = std::min(line.find('#', at), line.size());
  while (end > at && is_blank(line[end - 1])) --end;
  parts.value = line.substr(at, end - at);
  parts.after = line.substr(end);
  return parts;
}

/// The values of secrets in a YAML text, with the place of each.
struct YamlSecret {
  std::size_t at = 0;
  std::string value;
};

class YamlSecrets {
 public:
  /// Throws YAML::Exception.
  explicit YamlSecrets(std::string_view text) { visit(config::load_yaml(text), false, 0); }
  std::vector<YamlSecret> found;

 private:
  // Aliases make few characters a large tree.
  static constexpr unsigned kDepthMax = 64, kNodesMax = 200'000;

  void visit(const YAML::Node& node, bool secret, unsigned depth) {
    if (depth > kDepthMax || ++visited_ > kNodesMax)
      throw YAML::ParserException(node.Mark(), "too many maps and lists in each other");
    if (node.IsScalar() && secret && !is_public(node.Scalar()))
      found.push_back({.at = static_cast<std::size_t>(node.Mark().pos), .value = node.Scalar()});
    if (node.IsSequence())
      for (const YAML::Node& item : node) visit(item, secret, depth + 1);
    if (node.IsMap()) {
      for (const auto& entry : node) {
        const bool names = entry.first.IsScalar() && is_secret_setting(entry.first.Scalar());
        visit(entry.first, secret, depth + 1);
        visit(entry.second, secret || names, depth + 1);
      }
    }
  }

  unsigned visited_ = 0;
};

/// Where the scalar that begins at `at` ends: quoted, a block, or plain over one line or several.
/// Nothing: it is not there.
std::optional<std::size_t> scalar_end(std::string_view text, std::size_t at,
                                      const std::string& value) {
  if (at >= text.size()) return std::nullopt;
  const char first = text[at];
  if (first == '"' || first == '\'') {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      if (first == '"' && text[i] == '\\') {
        ++i;
      } else if (text[i] == first) {
        if (first == '\'' && i + 1 < text.size() && text[i + 1] == '\'') {
          ++i;
        } else {
          return i + 1;
        }
      }
    }
    return std::nullopt;
  }
  if (first == '|' || first == '>') {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t indent = 0;
    while (end < text.size()) {
      const std::size_t begin = end + 1;
      const std::size_t stop = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, stop - begin);
      const std::size_t blanks = std::min(line.find_first_not_of(" \r"), line.size());
      if (blanks < line.size()) {
        if (indent == 0) indent = blanks;
        if (blanks < indent || indent == 0) break;
      }
      end = stop;
    }
    return end;
  }
  // Plain: the same characters, with any blanks and line ends where the value has one blank.
  std::size_t i = at;
  for (const char c : value) {
    if (c == ' ' || c == '\n') {
      if (i >= text.size() || !(is_blank(text[i]) || text[i] == '\n')) return std::nullopt;
      while (i < text.size() && (is_blank(text[i]) || text[i] == '\n')) ++i;
    } else {
      if (i >= text.size() || text[i] != c) return std::nullopt;
      ++i;
    }
  }
  return i;
}

/// Behind an anchor and a tag.
std::size_t behind_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    while (at < text.size() && !is_blank(text[at]) && text[at] != '\n') ++at;
    while (at < text.size() && (is_blank(text[at]) || text[at] == '\n')) ++at;
  }
  return at;
}

/// Masks what stands behind the names of secrets in a line of text.
class LineMasker {
 public:
  explicit LineMasker(std::string_view line) : line_(line) {}

  std::string run() {
    while (at_ < line_.size()) {
      if (!is_name_char(line_[at_])) {
        out_ += line_[at_++];
        continue;
      }
      const std::size_t begin = at_;
      while (at_ < line_.size() && is_name_char(line_[at_])) ++at_;
      const std::string_view word = line_.substr(begin, at_ - begin);
      out_ += word;
      const std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
      const std::string two_words = before_ + std::string(name);  // "SM Key"
      before_ = name;
      if (config::is_name_of_secret(name) ||
          ((name == "Key" || name == "key") && config::is_name_of_secret(two_words))) {
        mask_number(word.starts_with("--"));
      } else if (is_password(name)) {
        mask_assigned();
      } else if (word == "-k") {
        mask_number(true);
      } else if (word.starts_with("-k0x")) {
        out_.resize(out_.size() - word.size());
        (out_ += "-k") += is_public(word.substr(2)) ? word.substr(2) : kMasked;
      }
    }
    return std::move(out_);
  }

 private:
  void mask_number(bool is_flag) {
    std::size_t i = at_;
    while (i < line_.size() && std::string_view(" \t\"'=:<(").find(line_[i]) != std::string::npos)
      ++i;
    std::size_t end = i;
    while (end < line_.size() && (is_letter(line_[end]) || is_digit(line_[end]))) ++end;
    const std::string_view value = line_.substr(i, end - i);
    const bool bare_hex = is_flag && std::ranges::all_of(value, is_hex);
    if (i == at_ || value.empty() || is_public(value) || (!is_digit(value[0]) && !bare_hex)) return;
    replace(i, end);
  }

  void mask_assigned() {
    std::size_t i = at_;
    bool assigned = false, quoted = false;
    for (; i < line_.size(); ++i) {
      const char c = line_[i];
      if (c == '=' && !assigned) {
        assigned = true;
      } else if (c == ':' && !assigned) {
        assigned = true;
        spaced_ = true;
      } else if (c == '"' || c == '\'') {
        quoted = assigned;
        if (assigned) {
          ++i;
          break;
        }
      } else if (!is_blank(c)) {
        break;
      }
    }
    if (!assigned || i >= line_.size()) return;
    const char quote = quoted ? line_[i - 1] : '\0';
    std::size_t end = i;
    while (end < line_.size() &&
           (quoted ? line_[end] != quote : !is_blank(line_[end]) && line_[end] != ','))
      ++end;
    // "wrong password: authentication failed" is prose.
    const bool at_end = line_.find_first_not_of(" \t\r\"'},]", end) == std::string_view::npos;
    const bool prose = std::exchange(spaced_, false) && !quoted && !at_end;
    if (end > i && !prose) replace(i, end);
  }

  void replace(std::size_t begin, std::size_t end) {
    out_ += line_.substr(at_, begin - at_);
    out_ += kMasked;
    at_ = end;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  bool spaced_ = false;
  std::string out_, before_;
};

}  // namespace

void Secrets::learn(std::string_view value) {
  while (!value.empty() && (is_blank(value.back()) || value.back() == '\n')) value.remove_suffix(1);
  while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
  if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
    value = value.substr(1, value.size() - 2);
  if (const auto number = number_of(value)) {
    if (*number > kAmbiguousMax) numbers_.insert(*number);
  } else if (value.size() >= kTextMin) {
    texts_.emplace(value);
  }
}

void Secrets::learn_conf(std::string_view text) {
  for_each_line(text, [&](std::string_view line) {
    const ConfLine parts = conf_line(line);
    // Not the user: a name such as "heddle" is in every line of a log.
    if (is_secret_setting(parts.name) && parts.name != "etcd_user") learn(parts.value);
  });
}

void Secrets::learn_yaml(std::string_view text) {
  try {
    for (const YamlSecret& secret : YamlSecrets(text).found)
      if (number_of(secret.value)) learn(secret.value);
  } catch (const YAML::Exception&) {
    return;  // masked_yaml() says so
  }
}

void Secrets::learn_command_line(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const bool named = name.starts_with('-') && config::is_name_of_secret(name);
    std::string_view value;
    if (named && equals != std::string_view::npos) value = argument.substr(equals + 1);
    if (((named && equals == std::string_view::npos) || argument == "-k") &&
        i + 1 < arguments.size())
      value = arguments[i + 1];
    if (argument.starts_with("-k") && argument.size() > 2) value = argument.substr(2);
    const bool prefixed = value.starts_with("0x") || value.starts_with("0X");
    // Digits of a flag are hexadecimal with or without 0x.
    if (const auto number = number_in(prefixed ? value.substr(2) : value, 16);
        number && *number > kAmbiguousMax)
      numbers_.insert(*number);
  }
}

void Secrets::learn_guid2mkey(std::string_view text) {
  for_each_line(text, [&](std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos) learn(line.substr(blank + 1));
  });
}

void Secrets::replace_learned(std::string& line) const {
  for (const std::string& text : texts_) {
    for (std::size_t at = 0; (at = line.find(text, at)) != std::string::npos; at += kMasked.size())
      line.replace(at, text.size(), kMasked);
  }
  if (numbers_.empty()) return;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && (is_letter(line[end]) || is_digit(line[end]))) ++end;
    const std::string_view word = std::string_view(line).substr(at, end - at);
    auto value = number_of(word);
    const bool known = value && numbers_.contains(*value);
    if (!known && word.size() >= kBareHexMin && std::ranges::all_of(word, is_hex))
      value = number_in(word, 16);
    if (value && numbers_.contains(*value)) {
      line.replace(at, end - at, kMasked);
      end = at + kMasked.size();
    }
    at = end + 1;
  }
}

std::string Secrets::masked_line(std::string_view line) const {
  std::string out = LineMasker(line).run();
  replace_learned(out);
  return config::without_credentials(std::move(out));
}

std::string Secrets::masked_text(std::string_view text) const {
  std::string out;
  bool in_key = false;
  for_each_line(text, [&](std::string_view line) {
    const bool is_key = line.find("PRIVATE KEY-----") != std::string_view::npos;
    if (is_key && line.find("-----BEGIN") != std::string_view::npos) {
      in_key = true;
      (out += kMasked) += '\n';
    } else if (is_key && line.find("-----END") != std::string_view::npos) {
      if (!in_key) out = std::string(kMasked) + '\n';  // the beginning was cut off
      in_key = false;
    } else if (!in_key) {
      (out += masked_line(line)) += '\n';
    }
  });
  if (!text.ends_with('\n') && out.ends_with('\n')) out.pop_back();
  return out;
}

std::string Secrets::masked_conf(std::string_view text) const {
  std::string out;
  for_each_line(text, [&](std::string_view line) {
    const ConfLine parts = conf_line(line);
    if (is_secret_setting(parts.name) && !is_public(parts.value)) {
      out += parts.before;
      ((out += parts.name) += parts.between) += kMasked;
      out += parts.after;
    } else {
      out += line;
    }
    out += '\n';
  });
  if (!text.ends_with('\n') && out.ends_with('\n')) out.pop_back();
  return masked_text(out);
}

tl::expected<std::string, std::string> Secrets::masked_yaml(std::string_view text) const {
  constexpr const char* kUnknown = "its secrets cannot be distinguished from the rest";
  try {
    std::vector<YamlSecret> found = YamlSecrets(text).found;
    // An anchor's value is found once more at each alias.
    std::ranges::sort(found, std::greater(), &YamlSecret::at);
    const auto repeated = std::ranges::unique(found, {}, &YamlSecret::at);
    found.erase(repeated.begin(), repeated.end());
    std::string out(text);
    for (const YamlSecret& secret : found) {
      const std::size_t begin = behind_properties(out, secret.at);
      const auto end = scalar_end(out, begin, secret.value);
      if (!end) return tl::unexpected(std::string(kUnknown));
      out.replace(begin, *end - begin, kMasked);
    }
    out = masked_text(out);
    for (const YamlSecret& left : YamlSecrets(out).found)
      if (left.value != kMasked) return tl::unexpected(std::string(kUnknown));
    return out;
  } catch (const YAML::Exception& error) {
    // Without what stands in the file.
    return tl::unexpected(
        fmt::format("it is not YAML (line {}), so {}", error.mark.line + 1, kUnknown));
  }
}

std::string Secrets::masked_command_line(std::span<const std::string> arguments) const {
  std::string line;
  for (const std::string& argument : arguments) (line += line.empty() ? "" : " ") += argument;
  return masked_text(line);
}

}  // namespace sm::ctl
