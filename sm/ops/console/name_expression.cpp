#include "sm/ops/console/name_expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sm::console {

namespace {

using Step = NameExpression::Step;
using Steps = std::vector<Step>;
using Bytes = std::bitset<256>;

constexpr unsigned kDepthMax = 50;  // of parentheses

std::ptrdiff_t size_of(const Steps& steps) { return std::ssize(steps); }
Step fork_to(std::ptrdiff_t next, std::ptrdiff_t other) {
  return {.kind = Step::Kind::fork, .next = next, .other = other};
}
std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

struct Repetition {
  unsigned least = 0;
  std::optional<unsigned> most = {};  // nothing: any number
};

/// Reads an expression by recursive descent. The first fault ends the reading: fault() is its text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Steps read() { return read_alternatives(); }
  const std::string& fault() const { return fault_; }

 private:
  void fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
    rest_ = {};
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  char take_any() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool is_at(std::string_view any_of) const {
    return !rest_.empty() && any_of.find(rest_.front()) != std::string_view::npos;
  }

  /// Appends a part. A program that grows too long is a fault at once: nested repetitions would
  /// multiply it.
  void append(Steps& to, const Steps& part) {
    if (to.size() + part.size() > NameExpression::kStepsMax)
      return fail(fmt::format("it is too long: more than {} steps", NameExpression::kStepsMax));
    to.insert(to.end(), part.begin(), part.end());
  }

  Steps read_alternatives() {
    Steps first = read_sequence();
    while (take('|')) {
      const Steps second = read_sequence();
      Steps both{fork_to(1, size_of(first) + 2)};
      append(both, first);
      append(both, {fork_to(size_of(second) + 1, size_of(second) + 1)});
      append(both, second);
      first = std::move(both);
    }
    return first;
  }

  Steps read_sequence() {
    Steps steps;
    while (!rest_.empty() && !is_at("|") && (depth_ == 0 || !is_at(")"))) {
      const bool is_anchor = is_at("^$");
      Steps part = read_one();
      while (fault_.empty() && is_at("*+?{")) {
        if (is_anchor) fail(fmt::format("'{}' has nothing to repeat", rest_.front()));
        if (const auto times = read_repetition()) part = repeated(part, *times);
      }
      append(steps, part);
    }
    // A part without steps could be repeated without end at no cost.
    if (steps.empty()) steps.push_back(fork_to(1, 1));
    return steps;
  }

  Steps read_one() {
    const char c = take_any();
    switch (c) {
      case '(':
        return read_group();
      case '[':
        return read_set();
      case '^':
        return {{.kind = Step::Kind::text_begins}};
      case '$':
        return {{.kind = Step::Kind::text_ends}};
      case '.':
        return {{.bytes = Bytes().set()}};
      case '\\':
        return read_escaped();
      case '*':
      case '+':
      case '?':
      case '{':
        fail(fmt::format("'{}' has nothing to repeat", c));
        return {};
      default:
        return {{.bytes = Bytes().set(index_of(c))}};
    }
  }

  Steps read_group() {
    if (++depth_ > kDepthMax) {
      fail(fmt::format("more than {} parentheses are open", kDepthMax));
      return {};
    }
    Steps steps = read_alternatives();
    if (fault_.empty() && !take(')')) fail("')' is missing");
    --depth_;
    return steps;
  }

  Steps read_escaped() {
    if (rest_.empty()) {
      fail("nothing follows '\\'");
      return {};
    }
    const char c = take_any();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0)
      fail(fmt::format("'\\{}': there are no back-references", c));
    else if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      fail(fmt::format("'\\{}' is unknown; write a class such as [[:alnum:]]", c));
    return {{.bytes = Bytes().set(index_of(c))}};
  }

  /// Reads '*', '+', '?' or an interval such as {2,3}; nothing after a fault.
  std::optional<Repetition> read_repetition() {
    if (rest_.empty()) return std::nullopt;
    switch (take_any()) {
      case '*':
        return Repetition{.least = 0};
      case '+':
        return Repetition{.least = 1};
      case '?':
        return Repetition{.least = 0, .most = 1};
      default:
        break;
    }
    const std::optional<unsigned> least = read_number();
    Repetition times{.least = least.value_or(0), .most = least};
    const bool has_comma = take(',');
    if (has_comma) times.most = read_number();
    const bool is_whole = take('}') && (least || times.most);
    if (!is_whole || (times.most && *times.most < times.least)) {
      fail("an interval is {m}, {m,} or {m,n}");
      return std::nullopt;
    }
    return times;
  }

  /// A number that is larger than any program is as good as any other.
  std::optional<unsigned> read_number() {
    std::optional<unsigned> number;
    while (is_at("0123456789"))
      number = std::min<unsigned>(number.value_or(0) * 10 + static_cast<unsigned>(take_any() - '0'),
                                  NameExpression::kStepsMax + 1);
    return number;
  }

  Steps repeated(const Steps& part, const Repetition& times) {
    Steps steps;
    for (unsigned i = 0; i < times.least && fault_.empty(); ++i) append(steps, part);
    if (!times.most) {
      append(steps, {fork_to(1, size_of(part) + 2)});
      append(steps, part);
      append(steps, {fork_to(-size_of(part) - 1, -size_of(part) - 1)});
    } else {
      for (unsigned i = times.least; i < *times.most && fault_.empty(); ++i) {
        append(steps, {fork_to(1, size_of(part) + 1)});
        append(steps, part);
      }
    }
    if (steps.empty()) steps.push_back(fork_to(1, 1));
    return steps;
  }

  Steps read_set() {
    const bool is_inverse = take('^');
    Bytes bytes;
    for (bool is_first = true; fault_.empty() && (is_first || !is_at("]")); is_first = false) {
      if (rest_.empty()) fail("']' is missing");
      if (fault_.empty()) read_member(bytes);
    }
    take(']');
    return {{.bytes = is_inverse ? ~bytes : bytes}};
  }

  void read_member(Bytes& bytes) {
    if (rest_.starts_with("[:")) return read_class(bytes);
    if (rest_.starts_with("[.") || rest_.starts_with("[="))
      return fail("[. and [= are not known in a list");
    const char first = take_any();
    const bool is_range = rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']';
    if (!is_range) {
      bytes.set(index_of(first));
      return;
    }
    take_any();
    const char last = take_any();
    if (last == '[' || index_of(last) < index_of(first))
      return fail(fmt::format("'{}-{}' is no range", first, last));
    for (std::size_t byte = index_of(first); byte <= index_of(last); ++byte) bytes.set(byte);
  }

  void read_class(Bytes& bytes) {
    struct Class {
      std::string_view name;
      int (*is_in)(int);
    };
    constexpr std::array<Class, 12> kClasses{{{"alnum", std::isalnum},
                                              {"alpha", std::isalpha},
                                              {"blank", std::isblank},
                                              {"cntrl", std::iscntrl},
                                              {"digit", std::isdigit},
                                              {"graph", std::isgraph},
                                              {"lower", std::islower},
                                              {"print", std::isprint},
                                              {"punct", std::ispunct},
                                              {"space", std::isspace},
                                              {"upper", std::isupper},
                                              {"xdigit", std::isxdigit}}};
    const std::size_t end = rest_.find(":]", 2);
    const auto found = end == std::string_view::npos
                           ? kClasses.end()
                           : std::ranges::find(kClasses, rest_.substr(2, end - 2), &Class::name);
    if (found == kClasses.end()) return fail("a class is unknown; [:alpha:] is one");
    rest_.remove_prefix(end + 2);
    for (int byte = 0; byte < 256; ++byte)
      if (found->is_in(byte) != 0) bytes.set(static_cast<std::size_t>(byte));
  }

  std::string_view rest_;
  std::string fault_;
  unsigned depth_ = 0;
};

/// Follows all positions of a program at once.
class Positions {
 public:
  explicit Positions(const Steps& steps) : steps_(steps), seen_(steps.size() + 1) {}

  /// Adds a position and those that are reached from it without a byte. Returns true if one of them
  /// is a match.
  bool add(std::size_t position, bool text_begins, bool text_ends) {
    pending_.assign(1, position);
    while (!pending_.empty()) {
      const std::size_t at = pending_.back();
      pending_.pop_back();
      if (seen_[at]) continue;
      seen_[at] = true;
      if (at == steps_.size()) return true;
      const Step& step = steps_[at];
      if (step.kind == Step::Kind::byte) waiting_.push_back(at);
      if (step.kind == Step::Kind::fork) pending_.push_back(behind(at, step.other));
      if (step.kind == Step::Kind::fork || (step.kind == Step::Kind::text_begins && text_begins) ||
          (step.kind == Step::Kind::text_ends && text_ends))
        pending_.push_back(behind(at, step.next));
    }
    return false;
  }

  /// Returns the positions that wait for a byte; add() then collects those behind that byte.
  const std::vector<std::size_t>& take() {
    seen_.assign(seen_.size(), false);
    taken_.swap(waiting_);
    waiting_.clear();
    return taken_;
  }

 private:
  static std::size_t behind(std::size_t at, std::ptrdiff_t steps) {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + steps);
  }

  const Steps& steps_;
  std::vector<bool> seen_;
  std::vector<std::size_t> pending_, waiting_, taken_;
};

}  // namespace

tl::expected<NameExpression, std::string> NameExpression::compile(std::string_view text) {
  Reader reader(text);
  Steps steps = reader.read();
  if (!reader.fault().empty()) return tl::unexpected(reader.fault());
  return NameExpression(std::move(steps));
}

bool NameExpression::matches(std::string_view text) const {
  Positions positions(steps_);
  if (positions.add(0, true, text.empty())) return true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool text_ends = at + 1 == text.size();
    for (const std::size_t position : positions.take()) {
      const Step& step = steps_[position];
      if (!step.bytes[index_of(text[at])]) continue;
      if (positions.add(position + 1, false, text_ends)) return true;
    }
    // A match may begin at each byte.
    if (positions.add(0, false, text_ends)) return true;
  }
  return false;
}

}  // namespace sm::console
