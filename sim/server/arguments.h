#pragma once
// Parser of a console line: words, nodes, ports, numbers, times.

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/server/names.h"
#include "sim/world/world.h"

namespace sim::server {

/// An error in a console command, with its message.
class CommandError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A word of a line. `"some node"[3]` has the text `some node` and the tail `[3]`; a word without
/// quotes is all text.
struct Word {
  std::string text, tail;
  bool quoted = false;
  std::string whole() const { return text + tail; }
};

/// Throws CommandError if a quote is not closed. A '#' at the start of a word begins a comment.
std::vector<Word> split_words(std::string_view line);

/// Parses "300ns", "5us", "2ms", "1.5s"; throws CommandError. "0" needs no unit.
mad::Duration parse_duration(std::string_view text);
/// Parses "0.05" or "5%"; throws CommandError.
double parse_probability(std::string_view text);
std::string show(mad::Duration duration);

/// A node, or a port of it.
struct Target {
  NodeIndex node = kNone;
  std::optional<unsigned> number;
};

/// Takes the words of a line from left to right, and reports words that are missing, invalid or
/// superfluous.
class Arguments {
 public:
  Arguments(std::vector<Word> words, const Names& names, const Model& model)
      : words_(std::move(words)), names_(names), model_(model) {}

  bool empty() const { return next_ == words_.size(); }
  const Word& word(std::string_view what);
  std::string text(std::string_view what) { return word(what).whole(); }
  /// Takes all remaining words, with single blanks.
  std::string rest();
  std::uint64_t number(std::string_view what, std::uint64_t min, std::uint64_t max);
  mad::Duration duration() { return parse_duration(text("time")); }
  double probability() { return parse_probability(text("probability")); }
  /// Takes one of `choices`; returns its index.
  std::size_t choice(std::string_view what, const std::vector<std::string_view>& choices);

  /// Takes NAME, NAME:PORT or NAME[PORT], the name with or without quotes; or a GUID with 0x.
  Target target();
  NodeIndex node();
  /// Takes one node, or all of them with the word all.
  std::vector<NodeIndex> nodes();
  /// Takes a port that exists: any port of a switch (0 included, if `management`), 1... of others.
  PortIndex port(bool management = false);
  /// Takes the end port of a program: a node stands for its port 1 (switch: 0).
  PortIndex end_port();
  /// Takes a target and returns its ports: one, or all but a switch's port 0.
  std::vector<PortIndex> ports();

  void finish() const;

 private:
  PortIndex port_of(const Target& target, bool management) const;
  std::vector<Word> words_;
  std::size_t next_ = 0;
  const Names& names_;
  const Model& model_;
};

}  // namespace sim::server
