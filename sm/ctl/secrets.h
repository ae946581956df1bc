#pragma once
// Secrets in texts, and these texts without them: keys and passwords of configuration files,
// command lines, logs and the output of other programs.

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace sm::ctl {

/// Replaces secrets by config::kMasked. Which names are those of secrets, config/schema.h says
/// (is_name_of_secret); besides: "password" and its like. Masked are:
/// - in a configuration file the value of such a name, or of a misspelled one;
/// - in a text a number behind such a name ("M_Key 0x12", "SM Key <0x12>", "m_key=12", "-k 0x12"),
///   and what is assigned to a password ("password=...", "password: ..." at the end of a line);
/// - everywhere: values that were learned, user and password in a URL, private keys (PEM).
/// 0 and 1 are not masked: the defaults, which are public. Prose that mentions a name stays.
class Secrets {
 public:
  /// A value to be masked wherever it stands, in whatever notation: a number above 0xFFFF (smaller
  /// ones may be anything), or a text of at least six characters.
  void learn(std::string_view value);
  /// The values of secrets in a file.
  void learn_conf(std::string_view text);
  void learn_yaml(std::string_view text);
  void learn_command_line(std::span<const std::string> arguments);
  /// The second word of each line of guid2mkey.
  void learn_guid2mkey(std::string_view text);

  /// An opensm.conf, or another file with a name and a value in a line.
  std::string masked_conf(std::string_view text) const;
  /// A YAML file. Errors: it is not YAML, or its secrets cannot be distinguished, in words:
  /// such a text must not be passed on.
  tl::expected<std::string, std::string> masked_yaml(std::string_view text) const;
  /// A log, or the output of a program.
  std::string masked_text(std::string_view text) const;
  /// The arguments of a process with blanks between.
  std::string masked_command_line(std::span<const std::string> arguments) const;

 private:
  std::string masked_line(std::string_view line) const;
  void replace_learned(std::string& line) const;

  std::set<std::uint64_t> numbers_;
  std::set<std::string, std::less<>> texts_;
};

}  // namespace sm::ctl
