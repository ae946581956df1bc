#include "fabric/topology/ibnetdiscover_parser.h"

#include "fabric/topology/node_description.h"
#include "fabric/topology/other_formats.h"
#include "mad/format.h"

namespace topology::ibnetdiscover {
namespace {

constexpr unsigned kIncludesMax = 8;
constexpr std::size_t kIncludedBytesMax =
    std::size_t{256} << 20;  // a file that includes itself twice grows exponentially
constexpr std::size_t kModuleMax = 20, kIdMax = 64;  // lengths that ibsim can store

constexpr unsigned bit_of(LinkSpeed speed) { return 1u << static_cast<unsigned>(speed); }
// Converts LinkSpeedExt bits. PortInfo's LinkSpeed bits SDR, DDR, QDR need no conversion; the
// extended ones are FDR, EDR, HDR, NDR, XDR.
unsigned extended_speeds(unsigned bits) { return bits << static_cast<unsigned>(LinkSpeed::fdr); }

constexpr const char* kLineStarts =
    "lines start with Switch, Ca, Hca, Rt, [port], @[port], switchguid=, caguid=, rtguid=, "
    "vendid=, devid=, sysimgguid=, width=, speed=, extspeed=, module=, include, do or #";

/// True for "[1] ..." and "@[1] ...", also with a wrong number, but not for the prompt of a shell
/// such as "[root@host ~]# ".
bool is_port_line(Cursor cursor) {
  if (cursor.take("@")) return true;
  if (!cursor.take("[")) return false;
  const auto inside = cursor.take_until(']');
  return !inside || inside->find_first_not_of("0123456789 ") == std::string_view::npos ||
         (inside->find_first_of("@ ") == std::string_view::npos &&
          cursor.rest().find('"') != std::string_view::npos);
}

/// True for what follows a misspelled keyword, as in "vendor=0x2c9" and "Swich 8 "S"".
bool is_like_known_line(std::string_view word, Cursor behind) {
  if (word.empty()) return false;
  behind.skip_blanks();
  if (behind.peek() == '=' || behind.peek() == '+') return true;
  if (!behind.take_number()) return false;
  behind.skip_blanks();
  return behind.peek() == '"';
}

/// Reads "lid 5 lmc 1", with any text before and after.
std::optional<CommentLid> comment_lid(std::string_view text) {
  const std::size_t at = text.find("lid ");
  if (at == std::string_view::npos) return std::nullopt;
  Cursor cursor(text.substr(at + 4));
  const std::optional<std::uint64_t> lid = cursor.take_number(10);
  cursor.skip_blanks();
  if (!lid || *lid < 1 || *lid > mad::kUnicastLidMax.value || !cursor.take("lmc "))
    return std::nullopt;
  const std::optional<std::uint64_t> lmc = cursor.take_number(10);
  if (!lmc || *lmc > 7) return std::nullopt;
  return CommentLid{static_cast<std::uint16_t>(*lid), static_cast<std::uint8_t>(*lmc)};
}

}  // namespace

void Parser::read(const config::Source& source, unsigned depth) {
  in_record_ = false;
  std::string_view text = source.text;
  int number = 0;
  while (!text.empty() && !findings_.full()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    file_ = source.file;
    line_ = ++number;
    read_line(line, depth);
  }
  in_record_ = false;
}

Position Parser::position(const Cursor& cursor) const {
  return {file_, line_, static_cast<int>(cursor.at()) + 1};
}

void Parser::OtherLines::add(const Position& position, std::string_view line) {
  if (count++ > 0) return;
  first = position;
  text = line;
}

void Parser::OtherLines::add(const OtherLines& others) {
  if (others.count == 0) return;
  if (count == 0)
    *this = others;
  else
    count += others.count;
}

std::string Parser::OtherLines::more() const {
  if (count == 1) return "";
  return fmt::format(" (and {} more line{})", count - 1, count == 2 ? "" : "s");
}

void Parser::note_known_line() {
  (has_known_line_ ? middle_ : leading_).add(latest_);
  latest_ = {};
  has_known_line_ = true;
}

void Parser::report_other_lines() {
  OtherLines wrong = middle_;
  if (!has_known_line_) wrong.add(latest_);
  if (wrong.count > 0)
    findings_.error(wrong.first,
                    fmt::format("{} is not a keyword of a topology file{}",
                                config::in_quotes(wrong.text), wrong.more()),
                    kLineStarts);
  OtherLines skipped = leading_;
  if (has_known_line_) skipped.add(latest_);
  if (skipped.count > 0)
    findings_.warning(skipped.first,
                      fmt::format("skipped before the first node or behind the last one: {}{}",
                                  config::in_quotes(skipped.text), skipped.more()),
                      "save only what ibnetdiscover prints");
  if (messages_.count > 0)
    findings_.warning(messages_.first,
                      fmt::format("a message of ibnetdiscover is among its output: {}{}; what it "
                                  "could not read is missing here",
                                  config::in_quotes(messages_.text), messages_.more()),
                      "repeat it, and save its standard output only: ibnetdiscover > FILE");
}

void Parser::read_line(std::string_view line, unsigned depth) {
  Cursor cursor(line);
  cursor.skip_blanks();
  if (cursor.done()) {
    in_record_ = false;
    return;
  }
  if (cursor.peek() == '#') return;
  if (is_program_message(cursor.rest())) return messages_.add(position(cursor), cursor.rest());
  if (is_port_line(cursor)) {
    note_known_line();
    return read_port(cursor);
  }
  in_record_ = false;
  const Cursor start = cursor;
  const std::string_view word = cursor.take_while(is_letter);
  // With -g and -s, ibnetdiscover prints such lines between the nodes.
  if (start.rest().starts_with("DR path ") || word == "Chassis" ||
      start.rest().starts_with("Non-Chassis Nodes"))
    return note_known_line();
  if (read_keyword(word, cursor, start, depth)) return note_known_line();
  if (!is_like_known_line(word, cursor)) return latest_.add(position(start), start.rest());
  note_known_line();
  findings_.error(
      position(start),
      fmt::format("{} is not a keyword of a topology file", config::in_quotes(start.rest())),
      kLineStarts);
}

/// Reads a line by its first word; returns false for a word that is not a keyword.
bool Parser::read_keyword(std::string_view word, Cursor& cursor, const Cursor& start,
                          unsigned depth) {
  const auto number = [&](std::uint64_t max) { return read_assignment(cursor, word, max); };
  if (word == "Switch") {
    read_node(cursor, NodeType::switch_, start);
  } else if (word == "Ca" || word == "Hca") {
    read_node(cursor, NodeType::ca, start);
  } else if (word == "Rt") {
    read_node(cursor, NodeType::router, start);
  } else if (word == "switchguid") {
    read_guid(cursor, NodeType::switch_);
  } else if (word == "caguid" || word == "hcaguids") {
    read_guid(cursor, NodeType::ca);
  } else if (word == "rtguid") {
    read_guid(cursor, NodeType::router);
  } else if (word == "do") {
    cursor.skip_blanks();
    console_lines_.emplace_back(cursor.rest());
  } else if (word == "include") {
    read_include(cursor, depth);
  } else if (word == "module") {
    read_module(cursor);
  } else if (word == "vendid") {
    if (const auto value = number(0xFFFFFF)) vendor_id_ = static_cast<std::uint32_t>(*value);
  } else if (word == "devid") {
    if (const auto value = number(0xFFFF)) device_id_ = static_cast<std::uint16_t>(*value);
  } else if (word == "sysimgguid") {
    if (const auto value = number(~std::uint64_t{0})) system_guid_ = mad::Guid{*value};
  } else if (word == "width") {
    if (const auto value = number(31)) defaults_.widths = static_cast<unsigned>(*value);
  } else if (word == "speed") {
    if (const auto value = number(7)) plain_speeds_ = static_cast<unsigned>(*value);
  } else if (word == "extspeed") {
    if (const auto value = number(31)) extended_speeds_ = static_cast<unsigned>(*value);
  } else if (word == "pdebug") {
    number(~std::uint64_t{0});
  } else {
    return false;
  }
  return true;
}

std::optional<std::uint64_t> Parser::read_assignment(Cursor& cursor, std::string_view word,
                                                     std::uint64_t max) {
  cursor.skip_blanks();
  if (!cursor.take("=")) {
    findings_.error(position(cursor), fmt::format("'=' missing after {}", word),
                    fmt::format("{}=NUMBER", word));
    return std::nullopt;
  }
  cursor.skip_blanks();
  const Position at = position(cursor);
  const std::optional<std::uint64_t> value = cursor.take_number();
  if (!value || *value > max) {
    findings_.error(at, fmt::format("{} is not a number from 0 to {:#x}", word, max),
                    fmt::format("for example {}=0x1", word));
    return std::nullopt;
  }
  return value;
}

/// "switchguid=0x...(...)" states the next GUID of this kind; "switchguid+0x10" counts from the
/// last one that was stated.
void Parser::read_guid(Cursor& cursor, NodeType type) {
  cursor.skip_blanks();
  const bool relative = cursor.take("+");
  if (!relative && !cursor.take("=")) {
    findings_.error(position(cursor), "'=' missing",
                    "switchguid=0x..., caguid=0x... or rtguid=0x...");
    return;
  }
  cursor.skip_blanks();
  const Position at = position(cursor);
  const std::optional<std::uint64_t> value = cursor.take_number();
  if (!value) {
    findings_.error(at, "no GUID here", "a 64-bit number, for example 0x0002c90300000001");
    return;
  }
  Guids& guids = guids_[static_cast<std::size_t>(type)];
  if (!relative) guids.base = *value;
  guids.next = relative ? guids.base + *value : *value;
}

void Parser::read_module(Cursor& cursor) {
  const std::optional<std::string_view> skipped = cursor.take_until('"');
  const Position at = position(cursor);
  const std::optional<std::string_view> name = skipped ? cursor.take_until('"') : std::nullopt;
  if (!name || name->size() > kModuleMax || name->find_first_of("#@") != std::string_view::npos ||
      node_description(*name) != *name) {
    findings_.error(at, "no name of a module here",
                    fmt::format("module=\"name\" with up to {} bytes of UTF-8, none of them # or @",
                                kModuleMax));
    return;
  }
  module_ = *name;
}

void Parser::read_include(Cursor& cursor, unsigned depth) {
  cursor.skip_blanks();
  const Position at = position(cursor);
  const std::optional<std::string_view> skipped = cursor.take_until('"');
  const std::optional<std::string_view> name = skipped ? cursor.take_until('"') : std::nullopt;
  if (!name) {
    findings_.error(at, "no file name here", "include \"file.net\"");
    return;
  }
  if (!files_) {
    findings_.error(at, "no other files can be included here");
    return;
  }
  if (depth + 1 > kIncludesMax) {
    findings_.error(at, fmt::format("files include each other more than {} deep", kIncludesMax));
    return;
  }
  const std::string path(*name);
  const auto text = files_(path);
  if (!text) {
    findings_.error(
        at, fmt::format("cannot read {}: {}", config::in_quotes(path), text.error().message()));
    return;
  }
  included_bytes_ += text->size() + 1;
  if (included_bytes_ > kIncludedBytesMax) {
    findings_.error(at, "the included files are too large together");
    return;
  }
  const int line = line_;
  std::string file = file_;
  read({path, *text}, depth + 1);
  file_ = std::move(file);
  line_ = line;
}

/// Reads e.g. Switch 8 "S1" # "description" enhanced port 0 lid 1 lmc 0
void Parser::read_node(Cursor& cursor, NodeType type, const Cursor& start) {
  skipping_ = false;
  cursor.skip_blanks();
  const Position at_ports = position(cursor);
  const std::optional<std::uint64_t> ports = cursor.take_number();
  if (!ports || *ports < 1 || *ports > mad::kPortNumMax) {
    findings_.error(at_ports, "the number of ports is not 1 to 254", R"(Switch 36 "name")");
    skip_record();
    return;
  }
  cursor.skip_blanks();
  const Position at_id = position(cursor);
  const std::optional<std::string_view> id =
      cursor.take("\"") ? cursor.take_until('"') : std::nullopt;
  if (!id || id->empty()) {
    findings_.error(at_id, "the name of the node is missing", R"(Switch 36 "name")");
    skip_record();
    return;
  }
  if (id->size() > kIdMax || id->find_first_of("#@") != std::string_view::npos ||
      node_description(*id) != *id) {
    findings_.error(at_id, fmt::format("{} is not a name", config::in_quotes(*id)),
                    "up to 64 bytes of UTF-8, none of them # or @");
    skip_record();
    return;
  }
  Record record;
  record.position = position(start);
  record.node.type = type;
  record.node.id = full_id(*id);
  record.node.port_count = static_cast<unsigned>(*ports);
  record.node.vendor_id = vendor_id_;
  record.node.device_id = device_id_;
  Guids& guids = guids_[static_cast<std::size_t>(type)];
  record.node.guid = mad::Guid{guids.next};
  guids.next += type == NodeType::switch_ ? 1 : *ports + 1;
  if (system_guid_ != record.node.guid) record.node.system_guid = system_guid_;
  system_guid_ = {};
  read_description(cursor, record);
  out_.nodes.push_back(std::move(record));
  used_ports_.clear();
  in_record_ = true;
}

/// Reads the text after '#': the description, in quotes or up to the first words about LIDs; then
/// the kind of port 0 and its LID.
void Parser::read_description(Cursor& cursor, Record& record) {
  Node& node = record.node;
  node.name = node.id;
  if (!cursor.take_until('#')) return;
  cursor.skip_blanks();
  std::string_view text = cursor.rest();
  std::string_view behind;
  if (cursor.take("\"")) {
    const std::optional<std::string_view> quoted = cursor.take_until('"');
    text = quoted ? *quoted : cursor.rest();
    behind = quoted ? cursor.rest() : std::string_view{};
  } else {
    std::size_t end = text.size();
    for (const std::string_view mark : {" enhanced port ", " base port ", " lid ", " lmc "})
      end = std::min(end, text.find(mark));
    behind = text.substr(end);
    text = text.substr(0, end);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  }
  if (!text.empty()) node.name = node_description(text);
  if (node.type == NodeType::switch_) record.lid = comment_lid(behind);
  node.enhanced_port0 =
      node.type == NodeType::switch_ && behind.find("enhanced port 0") != std::string_view::npos;
}

/// Reads e.g. [1][ext 5](2c90000000001) "S1"[2][ext 4](2c90000000002) w=4 s=7 # lid 1 lmc 0 "S1"
/// lid 2 4xQDR
void Parser::read_port(Cursor& cursor) {
  const Position at = position(cursor);
  if (!in_record_) {
    if (!skipping_)
      findings_.error(at, "a port without its node",
                      "ports follow the line of their node, with no empty line between");
    return;
  }
  Record& record = out_.nodes.back();
  const bool alias = cursor.take("@");
  Plug plug;
  plug.position = at;
  const std::optional<std::uint64_t> port =
      cursor.take("[") ? cursor.take_number(10) : std::nullopt;
  if (!port || !cursor.take("]")) {
    findings_.error(at, "no port number here", R"([1] "peer"[2])");
    return;
  }
  if (*port < 1 || *port > record.node.port_count) {
    findings_.error(at,
                    fmt::format("{} has no port {}", config::in_quotes(record.node.key()), *port),
                    fmt::format("its line says {} ports: 1 to {}", record.node.port_count,
                                record.node.port_count));
    return;
  }
  plug.port = static_cast<unsigned>(*port);
  if (!used_ports_.insert(plug.port).second) {
    findings_.error(
        at,
        fmt::format("port {} of {} is here twice", plug.port, config::in_quotes(record.node.key())),
        "a port has one line");
    return;
  }
  plug.own_guid = read_port_details(cursor);
  cursor.skip_blanks();
  plug.peer_position = position(cursor);
  const std::optional<std::string_view> peer =
      cursor.take("\"") ? cursor.take_until('"') : std::nullopt;
  if (!peer || peer->empty()) {
    findings_.error(plug.peer_position, "the name of the node at the other end is missing",
                    R"([1] "peer"[2])");
    return;
  }
  if (alias) {
    add_alias(*peer, plug);
    return;
  }
  plug.peer_id = peer->find('@') == 0 ? module_ + std::string(*peer) : full_id(*peer);
  cursor.skip_blanks();
  if (cursor.peek() == '[') {
    const Position at_port = position(cursor);
    cursor.take("[");
    cursor.skip_blanks();
    const std::optional<std::uint64_t> peer_port = cursor.take_number(10);
    cursor.skip_blanks();
    if (!peer_port || !cursor.take("]") || *peer_port < 1 || *peer_port > mad::kPortNumMax) {
      findings_.error(at_port, "the port at the other end is not 1 to 254", R"([1] "peer"[2])");
      return;
    }
    plug.peer_port = static_cast<unsigned>(*peer_port);
  }
  plug.peer_guid = read_port_details(cursor);
  if (!read_options(cursor, plug)) return;
  record.plugs.push_back(std::move(plug));
}

/// Reads "[ext 5]" and "(2c90000000001)", in any order. Returns the GUID if there is one.
std::optional<mad::Guid> Parser::read_port_details(Cursor& cursor) {
  std::optional<mad::Guid> guid;
  while (true) {
    cursor.skip_blanks();  // between two CAs, ibnetdiscover prints a blank before the GUID
    if (cursor.take("[ext")) {
      if (!cursor.take_until(']')) return guid;
    } else if (cursor.take("(")) {
      if (const std::optional<std::uint64_t> value = cursor.take_number(16))
        guid = mad::Guid{*value};
      if (!cursor.take_until(')')) return guid;
    } else {
      return guid;
    }
  }
}

bool Parser::read_options(Cursor& cursor, Plug& plug) {
  unsigned plain = plain_speeds_, extended = extended_speeds_;
  plug.enabled.widths = defaults_.widths;
  while (true) {
    cursor.skip_blanks();
    if (cursor.done()) break;
    if (cursor.peek() == '#') {
      plug.enabled.speeds = plain | extended_speeds(extended);
      read_comment(cursor.rest(), plug);
      return true;
    }
    const Position at = position(cursor);
    const std::string_view word = cursor.take_while(is_letter);
    cursor.skip_blanks();
    const bool assigned = !word.empty() && cursor.take("=");
    cursor.skip_blanks();
    const std::optional<std::uint64_t> value = assigned ? cursor.take_number() : std::nullopt;
    const std::uint64_t max = word.starts_with('s') ? 7 : 31;
    if (!value || !(word.starts_with('w') || word.starts_with('s') || word.starts_with('e')) ||
        *value > max) {
      findings_.error(at, "this is not an option of a port",
                      "w= (link widths enabled, 1 to 31), s= (speeds, 0 to 7), e= (extended "
                      "speeds, 0 to 31) or # comment");
      return false;
    }
    const auto bits = static_cast<unsigned>(*value);
    if (word.starts_with('w')) plug.enabled.widths = bits;
    if (word.starts_with('s')) plain = bits == 0 ? 4 : bits;
    if (word.starts_with('e')) extended = bits;
  }
  plug.enabled.speeds = plain | extended_speeds(extended);
  return true;
}

/// Reads the port's own LIDs, which precede the name of its peer, and the last word that is a width
/// and a speed: "... lid 2 4xQDR" (ibnetdiscover may add "s=2 ..." after it).
void Parser::read_comment(std::string_view comment, Plug& plug) {
  plug.own_lid = comment_lid(comment.substr(0, comment.find('"')));
  comment.remove_prefix(comment.rfind('"') + 1);  // without quotes: npos + 1 is 0
  Cursor words(comment);
  while (!words.done()) {
    words.skip_blanks();
    const std::string_view word = words.take_while([](char c) { return !is_blank(c); });
    const std::size_t x = word.find('x');
    LinkWidth width{};
    LinkSpeed speed{};
    if (x == std::string_view::npos || !parse_width(word.substr(0, x + 1), width) ||
        !parse_speed(word.substr(x + 1), speed))
      continue;
    plug.enabled.widths = static_cast<unsigned>(width);
    plug.enabled.speeds = bit_of(speed);
  }
}

void Parser::add_alias(std::string_view name, const Plug& plug) {
  if (name.find_first_of("#@") != std::string_view::npos || name.size() > kIdMax) {
    findings_.error(plug.peer_position,
                    fmt::format("{} is not a name for a port", config::in_quotes(name)),
                    "none of its characters is # or @");
    return;
  }
  const std::string full = fmt::format("{}@{}", module_, name);
  if (!out_.aliases.emplace(full, Alias{out_.nodes.size() - 1, plug.port}).second) {
    findings_.error(plug.peer_position,
                    fmt::format("there is a port called {} already", config::in_quotes(full)),
                    "every port needs a name of its own");
  }
}

std::string Parser::full_id(std::string_view id) const {
  return module_.empty() || id.find_first_of("#@") != std::string_view::npos
             ? std::string(id)
             : fmt::format("{}#{}", module_, id);
}

/// Skips the ports of a node whose line is invalid, so that they do not add findings.
void Parser::skip_record() {
  in_record_ = false;
  skipping_ = true;
}

}  // namespace topology::ibnetdiscover
