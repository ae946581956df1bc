#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "fabric/recording/recording.h"
#include "mad/format.h"
#include "mad/number.h"

namespace fabric {
namespace {

constexpr std::size_t kFindingsMax = 20;
constexpr unsigned kPortMax = 254;
constexpr std::uint64_t kTimeMax_us = std::uint64_t{3600} * 1'000'000;
constexpr unsigned kAttemptsMax = 1000;

struct Word {
  std::string_view text;
  int column = 1;
};

std::vector<Word> list_words(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back({line.substr(at, end - at), static_cast<int>(at) + 1});
    at = line.find_first_not_of(" \t\r", end);
  }
  return words;
}

/// Ends the reading of a line; its finding is stored before the throw.
struct BadLine {};

class Reader {
 public:
  explicit Reader(const config::Source& source) : source_(source) {}

  tl::expected<Recording, config::Diagnostics> read() {
    std::string_view rest = source_.text;
    while (!rest.empty() && findings_.size() < kFindingsMax) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++line_;
      read_line(rest.substr(0, end));
      // Each line of another format or version would cause the same finding.
      if (has_version_ && !is_version_known_) break;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    line_ = std::max(line_, 1);
    if (findings_.empty() && !ended_) note({}, "the file ends without an `end` line");
    if (findings_.empty()) check_links();
    if (!findings_.empty()) return tl::unexpected(std::move(findings_));
    return std::move(recording_);
  }

 private:
  void note(const Word& word, std::string what) {
    if (findings_.size() >= kFindingsMax) return;  // a line may have more than one
    findings_.push_back({.severity = config::Severity::error,
                         .file = source_.file,
                         .line = line_,
                         .column = word.column,
                         .what = std::move(what),
                         .remedy = {}});
  }
  [[noreturn]] void fail(const Word& word, std::string what) {
    note(word, std::move(what));
    throw BadLine{};
  }

  void read_line(std::string_view line) {
    words_ = list_words(line);
    next_ = 0;
    if (words_.empty() || words_.front().text.starts_with('#')) return;
    try {
      if (!std::exchange(has_version_, true)) return read_version();
      const Word first = take("a word");
      if (ended_) fail(first, "there is nothing after `end`");
      if (first.text == "node") return read_port();
      if (first.text == "end") return read_end();
      if (port_ == nullptr) fail(first, "`node N port P route R` is needed first");
      if (first.text == "link") return read_link();
      read_answer(first);
    } catch (const BadLine&) {
      // Without this line, the lines that follow cannot be assigned to a port.
      if (!words_.empty() && words_.front().text == "node") port_ = nullptr;
    }
  }

  Word take(const char* what) {
    if (next_ == words_.size()) {
      const Word& last = words_.back();
      fail({{}, last.column + static_cast<int>(last.text.size())},
           fmt::format("the line ends; {} is missing", what));
    }
    return words_[next_++];
  }
  void expect(const char* text) {
    if (const Word word = take(text); word.text != text)
      fail(word, fmt::format("{} where `{}` is needed", config::in_quotes(word.text), text));
  }
  bool accept(std::string_view text) {
    if (next_ == words_.size() || words_[next_].text != text) return false;
    ++next_;
    return true;
  }
  void expect_end() {
    if (next_ < words_.size())
      fail(words_[next_],
           fmt::format("{} is too much here", config::in_quotes(words_[next_].text)));
  }
  std::uint64_t number(const Word& word, std::string_view text, std::uint64_t max) {
    const auto value = mad::parse_hex_or_decimal(text, max);
    if (!value)
      fail(word, fmt::format("{} is not a number up to {}", config::in_quotes(text), max));
    return *value;
  }
  std::uint64_t take_number(const char* what, std::uint64_t max) {
    const Word word = take(what);
    return number(word, word.text, max);
  }
  /// Reads "key=123".
  std::uint64_t take_value(const char* key, std::uint64_t max) {
    const Word word = take(key);
    if (!word.text.starts_with(key) ||
        !word.text.substr(std::string_view(key).size()).starts_with('='))
      fail(word, fmt::format("{} where `{}=` is needed", config::in_quotes(word.text), key));
    return number(word, word.text.substr(std::string_view(key).size() + 1), max);
  }

  void read_version() {
    expect("heddle-recording");
    if (const Word version = take("the version"); version.text != "1")
      fail(version, fmt::format("version {} is not known; 1 is", config::in_quotes(version.text)));
    expect_end();
    is_version_known_ = true;
  }

  void read_port() {
    finish_port();
    port_ = nullptr;
    const Word at = words_.front();
    const std::uint64_t node = take_number("the node's number", kRecordedNodesMax - 1);
    if (node > recording_.nodes.size())
      fail(at, fmt::format("node {} is missing before node {}", recording_.nodes.size(), node));
    if (node + 1 < recording_.nodes.size())
      fail(at, fmt::format("node {} is here and before node {}", node, node + 1));
    expect("port");
    RecordedPort port;
    port.number = static_cast<std::uint8_t>(take_number("the port", kPortMax));
    expect("route");
    port.route = read_route();
    expect_end();
    if (node == recording_.nodes.size()) recording_.nodes.emplace_back();
    if (!ports_.emplace(node, port.number).second)
      fail(at, fmt::format("node {} port {} is there twice", node, port.number));
    node_ = &recording_.nodes[node];
    port_ = &node_->ports.emplace_back(std::move(port));
    seen_.clear();
  }

  mad::DirectedRoute read_route() {
    const Word word = take("the route");
    std::vector<std::uint8_t> hops;
    std::string_view rest = word.text;
    while (true) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      hops.push_back(static_cast<std::uint8_t>(number(word, rest.substr(0, end), kPortMax)));
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
    const auto route = mad::DirectedRoute::of(std::span(hops).subspan(1));
    if (hops.front() != 0 || !route)
      fail(word, "a route is 0 and the exit ports of up to 63 hops, such as 0,1,4");
    return *route;
  }

  RecordedOutcome read_outcome() {
    RecordedOutcome outcome;
    const Word word = take("ok, a status or silent");
    if (word.text == "ok") {
      outcome.status = std::uint16_t{0};
    } else if (word.text != "silent") {
      const auto status = mad::parse_hex_or_decimal(word.text, 0x7FFF);
      if (!status || *status == 0)
        fail(word, fmt::format("{} where `ok`, a status (0x001c) or `silent` is needed",
                               config::in_quotes(word.text)));
      outcome.status = static_cast<std::uint16_t>(*status);
    }
    outcome.attempts = static_cast<unsigned>(take_value("attempts", kAttemptsMax));
    outcome.time = std::chrono::microseconds(take_value("us", kTimeMax_us));
    return outcome;
  }

  void read_data(const Word& word, std::string_view digits, RecordedAnswer& answer) {
    const int column = word.column + static_cast<int>(word.text.size() - digits.size());
    if (!answer.outcome.status) fail(word, "data of an answer that did not come");
    if (digits.empty() || digits.size() % 2 != 0 || digits.size() > 2 * answer.data.size())
      fail({digits, column},
           fmt::format("{} hexadecimal digits where 2 to 128, two for a byte, are needed",
                       digits.size()));
    for (std::size_t at = 0; at < digits.size(); at += 2) {
      const auto byte = mad::parse_number<std::uint8_t>(digits.substr(at, 2), 16);
      if (!byte)
        fail({digits, column + static_cast<int>(at)},
             fmt::format("{} are not two hexadecimal digits",
                         config::in_quotes(digits.substr(at, 2))));
      answer.data[at / 2] = *byte;
    }
  }

  void read_answer(const Word& name) {
    RecordedAnswer answer;
    if (const auto known =
            std::ranges::find(mad::kAttributeNames, name.text, &mad::AttributeName::name);
        known != mad::kAttributeNames.end()) {
      answer.attribute = known->id;
    } else if (const auto id = mad::parse_hex_or_decimal(name.text, 0xFFFF);
               id && name.text.starts_with("0x")) {
      answer.attribute = static_cast<mad::AttributeId>(*id);
    } else {
      fail(name, fmt::format("{} is no attribute (a name such as PortInfo, or 0xff90)",
                             config::in_quotes(name.text)));
    }
    answer.modifier = static_cast<std::uint32_t>(take_number("the modifier", 0xFFFF'FFFF));
    answer.outcome = read_outcome();
    answer.masked = accept("masked");
    if (next_ < words_.size() && words_[next_].text.starts_with("data=")) {
      const Word word = words_[next_++];
      read_data(word, word.text.substr(5), answer);
    }
    expect_end();
    if (port_->answers.empty()) check_node_info(name, answer);
    if (!seen_.emplace(answer.attribute, answer.modifier).second)
      fail(name, "this attribute and modifier are there twice");
    port_->answers.push_back(answer);
  }

  /// Checks the NodeInfo that all further lines of the port rely on.
  void check_node_info(const Word& at, const RecordedAnswer& answer) {
    if (answer.attribute != mad::AttributeId::node_info || answer.modifier != 0 ||
        !answer.outcome.ok())
      fail(at, "the first answer of a port is its NodeInfo, modifier 0, ok");
    const mad::NodeInfo info{std::span(answer.data)};
    const unsigned type = info.node_type_raw(), ports = info.num_ports();
    if (type < 1 || type > 3) fail(at, fmt::format("NodeType {} where 1 to 3 is possible", type));
    if (ports < 1 || ports > kPortMax)
      fail(at, fmt::format("NumPorts {} where 1 to {} is possible", ports, kPortMax));
    const bool is_switch = info.node_type() == mad::NodeType::switch_;
    if (is_switch ? port_->number != 0 : port_->number < 1 || port_->number > ports)
      fail(at, fmt::format("port {} of this node cannot be reached", port_->number));
    if (node_->ports.size() == 1) {
      node_->info = info;
    } else if (info.node_type() != node_->info.node_type() ||
               info.num_ports() != node_->info.num_ports()) {
      fail(at, "the ports of this node differ in NodeType or NumPorts");
    }
  }

  void read_link() {
    const Word at = words_.front();
    RecordedLink link;
    link.port = static_cast<std::uint8_t>(take_number("the port", kPortMax));
    link.outcome = read_outcome();
    if (link.outcome.ok()) {
      link.peer = RecordedPeer{
          .node = static_cast<std::uint32_t>(take_value("node", kRecordedNodesMax - 1)),
          .port = static_cast<std::uint8_t>(take_value("port", kPortMax))};
    }
    expect_end();
    if (link.port < 1 || (!port_->answers.empty() && link.port > node_->info.num_ports()))
      fail(at, fmt::format("the node has no port {}", link.port));
    link_lines_.push_back(line_);
    port_->links.push_back(link);
  }

  void read_end() {
    take_value("nodes", kRecordedNodesMax);
    take_value("answers", UINT32_MAX);
    recording_.duration = std::chrono::milliseconds(take_value("ms", UINT32_MAX));
    recording_.complete = !accept("incomplete");
    expect_end();
    finish_port();
    if (recording_.nodes.empty()) fail(words_.front(), "no node in there");
    ended_ = true;
  }

  void finish_port() {
    if (port_ != nullptr && port_->answers.empty())
      note({}, "the port before this line has no answers");
  }

  /// Checks that both ends of every link exist, and that no port has two links.
  void check_links() {
    std::set<std::pair<std::uint32_t, std::uint8_t>> used;
    auto line = link_lines_.begin();
    for (std::uint32_t index = 0; index < recording_.nodes.size(); ++index) {
      for (const RecordedPort& port : recording_.nodes[index].ports) {
        for (const RecordedLink& link : port.links) {
          line_ = *line++;
          if (findings_.size() >= kFindingsMax) return;
          check_link(index, link, used);
        }
      }
    }
  }
  void check_link(std::uint32_t index, const RecordedLink& link,
                  std::set<std::pair<std::uint32_t, std::uint8_t>>& used) {
    if (!used.emplace(index, link.port).second)
      return note({}, fmt::format("node {} port {} has two links", index, link.port));
    if (!link.peer) return;
    const auto [far, port] = *link.peer;
    if (far >= recording_.nodes.size() || port < 1 || port > recording_.nodes[far].info.num_ports())
      return note({}, fmt::format("there is no node {} port {}", far, port));
    if (std::pair(far, port) != std::pair(index, link.port) && !used.emplace(far, port).second)
      note({}, fmt::format("node {} port {} has two links", far, port));
  }

  config::Source source_;
  Recording recording_;
  config::Diagnostics findings_;
  int line_ = 0;
  std::vector<Word> words_;
  std::size_t next_ = 0;
  bool has_version_ = false, is_version_known_ = false, ended_ = false;
  RecordedNode* node_ = nullptr;  // of port_
  RecordedPort* port_ = nullptr;  // that lines are for
  std::set<std::pair<std::uint64_t, std::uint8_t>> ports_;
  std::set<std::pair<mad::AttributeId, std::uint32_t>> seen_;  // of port_
  std::vector<int> link_lines_;
};

}  // namespace

tl::expected<Recording, config::Diagnostics> read_recording(const config::Source& source) {
  return Reader(source).read();
}

}  // namespace fabric
