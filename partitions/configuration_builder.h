#pragma once
// Implements the semantics of a partition configuration, which both file formats share.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "partitions/configuration.h"

namespace partitions {

/// A word of a file and its position; line and column count from 1.
struct Word {
  std::string_view text;
  int line = 0, column = 0;
};

/// Takes definitions word by word, in the order of the file; reports errors with the position of
/// the word.
/// Shape:  begin_definition, flags, end_header, then members and groups; a group is begin_group,
///         group flags, end_group.
/// Errors: text that OpenSM rejects or reads as something else is an error; text that it ignores
///         with a log line is a warning. Use take() only without errors.
/// Source: semantics of OpenSM 3.3.23's partitions.conf; RFC 4391 for IPoIB groups.
class ConfigurationBuilder {
 public:
  ConfigurationBuilder(std::string file, config::Diagnostics& out);

  /// Begins a definition. If there is no `key`, a name that begins with a digit is the key. Any
  /// other name selects the partition of that name, or a new one with the lowest free key.
  void begin_definition(Word name, std::optional<Word> key);
  void flag(Word name, std::optional<Word> value);
  void end_header();

  void member(Word name, std::optional<Word> membership);
  void begin_group(Word mgid);
  void group_flag(Word name, std::optional<Word> value);
  void end_group();

  void report(config::Severity severity, Word position, std::string what, std::string remedy = {});

  /// Returns the number of definitions so far, without the definition of the default partition.
  std::size_t definitions() const { return definitions_; }
  Configuration take() { return std::move(configuration_); }

 private:
  struct Parameters {  // of groups
    std::uint8_t mtu = 4, rate = 3, sl = 0, t_class = 0;
    std::uint32_t q_key = 0, flow_label = 0;
    std::uint16_t scopes = 0;  // bit n: scope n
  };

  Definition& current() { return configuration_.definitions.back(); }
  std::optional<std::uint16_t> make_key(Word name, std::optional<Word> key);
  std::uint16_t next_free_key();
  bool group_parameter(Word name, std::optional<Word> value, Parameters& to);
  std::optional<std::uint64_t> number(Word name, std::optional<Word> value, std::uint64_t max);
  std::optional<Membership> membership(Word value);
  std::optional<Member> member_of(Word word);
  void create_group(Word position, mad::Gid mgid, const Parameters& parameters, std::uint8_t scope);

  std::string file_;
  config::Diagnostics& out_;
  Configuration configuration_;
  std::map<std::uint16_t, const std::string> name_of_;  // by key: the first name of a partition
  std::map<std::string, std::uint16_t, std::less<>> key_of_name_;
  std::map<std::uint16_t, mad::Sl> sl_of_;
  std::map<mad::Gid, fabric::WellKnownGroup> groups_;
  std::uint16_t last_chosen_key_ = 0;
  std::size_t definitions_ = 0;
  Word start_;  // of the definition
  Membership default_membership_ = Membership::limited;
  bool ipoib_ = false;
  Parameters header_, group_;
  Word mgid_;
};

}  // namespace partitions
