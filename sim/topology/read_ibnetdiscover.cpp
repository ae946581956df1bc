#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "sim/topology/findings.h"
#include "sim/topology/graph.h"
#include "sim/topology/read.h"

namespace sim {

namespace {

constexpr unsigned kIncludesMax = 8;
constexpr std::size_t kIncludedBytesMax = std::size_t{256} << 20;  // a file that includes itself twice grows exponentially
constexpr std::size_t kModuleMax = 20, kIdMax = 64;                // lengths that ibsim has room for

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads one line from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  std::string_view rest() const { return line_.substr(at_); }
  bool done() const { return at_ == line_.size(); }
  std::size_t at() const { return at_; }
  char peek() const { return done() ? '\0' : line_[at_]; }
  void skip_blanks() {
    while (!done() && is_blank(line_[at_])) ++at_;
  }
  bool take(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  template <class Accept>
  std::string_view take_while(Accept accept) {
    const std::size_t from = at_;
    while (!done() && accept(line_[at_])) ++at_;
    return line_.substr(from, at_ - from);
  }
  /// Text up to `end`, which is skipped; nothing if it does not come.
  std::optional<std::string_view> take_until(char end) {
    const std::size_t to = line_.find(end, at_);
    if (to == std::string_view::npos) return std::nullopt;
    const std::string_view text = line_.substr(at_, to - at_);
    at_ = to + 1;
    return text;
  }
  std::optional<std::uint64_t> take_number(int base) {
    std::uint64_t value = 0;
    const char* from = line_.data() + at_;
    const auto [end, error] = std::from_chars(from, line_.data() + line_.size(), value, base);
    if (error != std::errc{}) return std::nullopt;
    at_ += static_cast<std::size_t>(end - from);
    return value;
  }
  /// As strtoull with base 0, but octal numbers are not for GUIDs: 0x... or decimal.
  std::optional<std::uint64_t> take_number() { return take("0x") || take("0X") ? take_number(16) : take_number(10); }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

// Widths and speeds that a port is enabled for, as bits; speeds in the order of LinkSpeed.
struct Enabled {
  unsigned widths = 0, speeds = 0;  // 0: the file says nothing
};

constexpr std::array kWidthsBestFirst{LinkWidth::x12, LinkWidth::x8, LinkWidth::x4, LinkWidth::x2, LinkWidth::x1};

constexpr unsigned bit_of(LinkSpeed speed) { return 1u << static_cast<unsigned>(speed); }
// PortInfo's LinkSpeed bits SDR, DDR, QDR are the same here; the extended ones are FDR, EDR, HDR, NDR, XDR.
unsigned extended_speeds(unsigned bits) { return bits << static_cast<unsigned>(LinkSpeed::fdr); }

struct Plug {
  unsigned port = 0;
  std::string peer_id;  // or alias, if it has an '@'
  unsigned peer_port = 1;
  std::optional<mad::Guid> own_guid, peer_guid;
  Enabled enabled;
  Place place, peer_place;
};

struct Record {
  Node node;
  Place place;
  std::vector<Plug> plugs;
};

struct Alias {
  std::size_t record;
  unsigned port;
};

class Reader {
 public:
  Reader(TopologyFile& out, const config::FileReader& files) : out_(out), findings_(out.findings), files_(files) {}

  void read(const config::Source& source, unsigned depth) {
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

  void finish(const std::string& file) {
    if (records_.empty()) findings_.error({file, 1, 1}, "there is no node in this file", R"(Switch 36 "name", Ca 1 "name" or Rt 2 "name")");
    fill_port_guids();
    IdentityCheck identities(findings_);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      identities.add(records_[i].node, records_[i].place);
      index_.emplace(records_[i].node.key(), i);
    }
    connect();
    if (findings_.full() || !out_.ok()) return;
    for (Record& record : records_) {
      if (record.node.id == record.node.name) record.node.id.clear();
      out_.topology.nodes.push_back(std::move(record.node));
    }
    try {
      require_lid_space(out_.topology);
    } catch (const TopologyError& error) {
      findings_.error({file, 1, 1}, error.what());
    }
  }

 private:
  Place place(const Cursor& cursor) const { return {file_, line_, static_cast<int>(cursor.at()) + 1}; }

  void read_line(std::string_view line, unsigned depth) {
    Cursor cursor(line);
    cursor.skip_blanks();
    if (cursor.done()) {
      in_record_ = false;
      return;
    }
    if (cursor.peek() == '#') return;
    if (cursor.peek() == '[' || cursor.peek() == '@') {
      read_port(cursor);
      return;
    }
    in_record_ = false;
    Cursor start = cursor;
    const std::string_view word = cursor.take_while(is_letter);
    // What ibnetdiscover prints around the nodes with -g and -s.
    if (line.starts_with("DR path ") || word == "Chassis" || line.starts_with("Non-Chassis Nodes")) return;
    if (word == "Switch") return read_node(cursor, NodeType::switch_, start);
    if (word == "Ca" || word == "Hca") return read_node(cursor, NodeType::ca, start);
    if (word == "Rt") return read_node(cursor, NodeType::router, start);
    if (word == "switchguid") return read_guid(cursor, NodeType::switch_);
    if (word == "caguid" || word == "hcaguids") return read_guid(cursor, NodeType::ca);
    if (word == "rtguid") return read_guid(cursor, NodeType::router);
    if (word == "do") {
      cursor.skip_blanks();
      out_.console_lines.emplace_back(cursor.rest());
      return;
    }
    if (word == "include") return read_include(cursor, depth);
    if (word == "module") return read_module(cursor);
    const auto number = [&](std::uint64_t max) { return read_assignment(cursor, word, max); };
    if (word == "vendid") {
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
      findings_.error(place(start), fmt::format("{} is nothing that a topology has", config::quoted(start.rest())),
                      "lines start with Switch, Ca, Hca, Rt, [port], @[port], switchguid=, caguid=, rtguid=, vendid=, devid=, sysimgguid=, "
                      "width=, speed=, extspeed=, module=, include, do or #");
    }
  }

  std::optional<std::uint64_t> read_assignment(Cursor& cursor, std::string_view word, std::uint64_t max) {
    cursor.skip_blanks();
    if (!cursor.take("=")) {
      findings_.error(place(cursor), fmt::format("'=' missing behind {}", word), fmt::format("{}=NUMBER", word));
      return std::nullopt;
    }
    cursor.skip_blanks();
    const Place at = place(cursor);
    const std::optional<std::uint64_t> value = cursor.take_number();
    if (!value || *value > max) {
      findings_.error(at, fmt::format("{} is not a number from 0 to {:#x}", word, max), fmt::format("{}=0x1, say", word));
      return std::nullopt;
    }
    return value;
  }

  // "switchguid=0x...(...)" states the next GUID of this kind; "switchguid+0x10" counts from the last one that was stated.
  void read_guid(Cursor& cursor, NodeType type) {
    cursor.skip_blanks();
    const bool relative = cursor.take("+");
    if (!relative && !cursor.take("=")) {
      findings_.error(place(cursor), "'=' missing", "switchguid=0x..., caguid=0x... or rtguid=0x...");
      return;
    }
    cursor.skip_blanks();
    const Place at = place(cursor);
    const std::optional<std::uint64_t> value = cursor.take_number();
    if (!value) {
      findings_.error(at, "no GUID here", "a 64-bit number, 0x0002c90300000001 say");
      return;
    }
    Guids& guids = guids_[static_cast<std::size_t>(type)];
    if (!relative) guids.base = *value;
    guids.next = relative ? guids.base + *value : *value;
  }

  void read_module(Cursor& cursor) {
    const std::optional<std::string_view> skipped = cursor.take_until('"');
    const Place at = place(cursor);
    const std::optional<std::string_view> name = skipped ? cursor.take_until('"') : std::nullopt;
    if (!name || name->size() > kModuleMax || name->find_first_of("#@") != std::string_view::npos) {
      findings_.error(at, "no name of a module here",
                      fmt::format("module=\"name\" with up to {} characters, none of them # or @", kModuleMax));
      return;
    }
    module_ = *name;
  }

  void read_include(Cursor& cursor, unsigned depth) {
    cursor.skip_blanks();
    const Place at = place(cursor);
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
      findings_.error(at, fmt::format("cannot read {}: {}", config::quoted(path), text.error().message()));
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

  // Switch	8 "S1"		# "description" enhanced port 0 lid 1 lmc 0
  void read_node(Cursor& cursor, NodeType type, const Cursor& start) {
    skipping_ = false;
    cursor.skip_blanks();
    const Place at_ports = place(cursor);
    const std::optional<std::uint64_t> ports = cursor.take_number();
    if (!ports || *ports < 1 || *ports > mad::kPortNumMax) {
      findings_.error(at_ports, "the number of ports is not 1 to 254", R"(Switch 36 "name")");
      skip_record();
      return;
    }
    cursor.skip_blanks();
    const Place at_id = place(cursor);
    const std::optional<std::string_view> id = cursor.take("\"") ? cursor.take_until('"') : std::nullopt;
    if (!id || id->empty()) {
      findings_.error(at_id, "the name of the node is missing", R"(Switch 36 "name")");
      skip_record();
      return;
    }
    if (id->size() > kIdMax || id->find_first_of("#@") != std::string_view::npos) {
      findings_.error(at_id, fmt::format("{} is not a name", config::quoted(*id)), "up to 64 characters, none of them # or @");
      skip_record();
      return;
    }
    Record record;
    record.place = place(start);
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
    read_description(cursor, record.node);
    records_.push_back(std::move(record));
    used_ports_.clear();
    in_record_ = true;
  }

  // Behind '#': the description, in quotes or up to the first words about LIDs; and what port 0 can do.
  static void read_description(Cursor& cursor, Node& node) {
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
      for (const std::string_view mark : {" enhanced port ", " base port ", " lid ", " lmc "}) end = std::min(end, text.find(mark));
      behind = text.substr(end);
      text = text.substr(0, end);
      while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    }
    if (!text.empty()) node.name = text.substr(0, 64);
    node.enhanced_port0 = node.type == NodeType::switch_ && behind.find("enhanced port 0") != std::string_view::npos;
  }

  // [1][ext 5](2c90000000001)	"S1"[2][ext 4](2c90000000002) w=4 s=7		# lid 1 lmc 0 "S1" lid 2 4xQDR
  void read_port(Cursor& cursor) {
    const Place at = place(cursor);
    if (!in_record_) {
      if (!skipping_) findings_.error(at, "a port without its node", "ports follow the line of their node, with no empty line between");
      return;
    }
    Record& record = records_.back();
    const bool alias = cursor.take("@");
    Plug plug;
    plug.place = at;
    const std::optional<std::uint64_t> port = cursor.take("[") ? cursor.take_number(10) : std::nullopt;
    if (!port || !cursor.take("]")) {
      findings_.error(at, "no port number here", R"([1] "peer"[2])");
      return;
    }
    if (*port < 1 || *port > record.node.port_count) {
      findings_.error(at, fmt::format("{} has no port {}", config::quoted(record.node.key()), *port),
                      fmt::format("its line says {} ports: 1 to {}", record.node.port_count, record.node.port_count));
      return;
    }
    plug.port = static_cast<unsigned>(*port);
    if (!used_ports_.insert(plug.port).second) {
      findings_.error(at, fmt::format("port {} of {} is here twice", plug.port, config::quoted(record.node.key())), "a port has one line");
      return;
    }
    plug.own_guid = read_port_details(cursor);
    cursor.skip_blanks();
    plug.peer_place = place(cursor);
    const std::optional<std::string_view> peer = cursor.take("\"") ? cursor.take_until('"') : std::nullopt;
    if (!peer || peer->empty()) {
      findings_.error(plug.peer_place, "the name of the node at the other end is missing", R"([1] "peer"[2])");
      return;
    }
    if (alias) {
      add_alias(*peer, plug);
      return;
    }
    plug.peer_id = peer->find('@') == 0 ? module_ + std::string(*peer) : full_id(*peer);
    cursor.skip_blanks();
    if (cursor.peek() == '[') {
      const Place at_port = place(cursor);
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

  // "[ext 5]" and "(2c90000000001)", in any order; the GUID if there was one.
  static std::optional<mad::Guid> read_port_details(Cursor& cursor) {
    std::optional<mad::Guid> guid;
    while (true) {
      cursor.skip_blanks();  // between two CAs, ibnetdiscover has a blank in front of the GUID
      if (cursor.take("[ext")) {
        if (!cursor.take_until(']')) return guid;
      } else if (cursor.take("(")) {
        if (const std::optional<std::uint64_t> value = cursor.take_number(16)) guid = mad::Guid{*value};
        if (!cursor.take_until(')')) return guid;
      } else {
        return guid;
      }
    }
  }

  bool read_options(Cursor& cursor, Plug& plug) {
    unsigned plain = plain_speeds_, extended = extended_speeds_;
    plug.enabled.widths = defaults_.widths;
    while (true) {
      cursor.skip_blanks();
      if (cursor.done()) break;
      if (cursor.peek() == '#') {
        plug.enabled.speeds = plain | extended_speeds(extended);
        read_comment(cursor.rest(), plug.enabled);
        return true;
      }
      const Place at = place(cursor);
      const std::string_view word = cursor.take_while(is_letter);
      cursor.skip_blanks();
      const bool assigned = !word.empty() && cursor.take("=");
      cursor.skip_blanks();
      const std::optional<std::uint64_t> value = assigned ? cursor.take_number() : std::nullopt;
      const std::uint64_t max = word.starts_with('s') ? 7 : 31;
      if (!value || !(word.starts_with('w') || word.starts_with('s') || word.starts_with('e')) || *value > max) {
        findings_.error(at, "this is no option of a port",
                        "w= (link widths enabled, 1 to 31), s= (speeds, 0 to 7), e= (extended speeds, 0 to 31) or # comment");
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

  // The last word that is a width and a speed: "... lid 2 4xQDR" (ibnetdiscover may add "s=2 ..." behind it).
  static void read_comment(std::string_view comment, Enabled& enabled) {
    comment.remove_prefix(comment.rfind('"') + 1);  // without quotes: npos + 1 is 0
    Cursor words(comment);
    while (!words.done()) {
      words.skip_blanks();
      const std::string_view word = words.take_while([](char c) { return !is_blank(c); });
      const std::size_t x = word.find('x');
      LinkWidth width{};
      LinkSpeed speed{};
      if (x == std::string_view::npos || !parse_width(word.substr(0, x + 1), width) || !parse_speed(word.substr(x + 1), speed)) continue;
      enabled.widths = static_cast<unsigned>(width);
      enabled.speeds = bit_of(speed);
    }
  }

  void add_alias(std::string_view name, const Plug& plug) {
    if (name.find_first_of("#@") != std::string_view::npos || name.size() > kIdMax) {
      findings_.error(plug.peer_place, fmt::format("{} is not a name for a port", config::quoted(name)),
                      "none of its characters is # or @");
      return;
    }
    const std::string full = fmt::format("{}@{}", module_, name);
    if (!aliases_.emplace(full, Alias{records_.size() - 1, plug.port}).second) {
      findings_.error(plug.peer_place, fmt::format("there is a port called {} already", config::quoted(full)),
                      "every port needs a name of its own");
    }
  }

  std::string full_id(std::string_view id) const {
    return module_.empty() || id.find_first_of("#@") != std::string_view::npos ? std::string(id) : fmt::format("{}#{}", module_, id);
  }

  // The line of the node was wrong: its ports need no finding each.
  void skip_record() {
    in_record_ = false;
    skipping_ = true;
  }

  // Port GUIDs as stated on either end of a cable.
  void fill_port_guids() {
    for (Record& record : records_) index_by_id_.emplace(record.node.key(), &record);
    for (const Record& record : records_) {
      for (const Plug& plug : record.plugs) {
        if (plug.own_guid) set_port_guid(*index_by_id_.at(record.node.key()), plug.port, *plug.own_guid, plug.place);
        if (!plug.peer_guid) continue;
        const auto peer = index_by_id_.find(plug.peer_id);
        if (peer != index_by_id_.end()) set_port_guid(*peer->second, plug.peer_port, *plug.peer_guid, plug.peer_place);
      }
    }
    for (Record& record : records_) {
      std::vector<mad::Guid>& guids = record.node.port_guids;
      bool usual = true;
      for (unsigned port = 1; port <= guids.size(); ++port) {
        const mad::Guid by_number{record.node.guid.value + port};
        if (guids[port - 1].value == 0) guids[port - 1] = by_number;
        usual = usual && guids[port - 1] == by_number;
      }
      if (usual) guids.clear();
    }
  }

  void set_port_guid(Record& record, unsigned port, mad::Guid guid, const Place& at) {
    if (record.node.type == NodeType::switch_ || port > record.node.port_count) return;
    record.node.port_guids.resize(record.node.port_count);
    mad::Guid& known = record.node.port_guids[port - 1];
    if (known.value != 0 && known != guid) {
      findings_.error(at,
                      fmt::format("port {} of {} has GUID {} here and {} elsewhere", port, config::quoted(record.node.key()), guid, known),
                      "both ends of a cable have to say the same");
    }
    known = guid;
  }

  struct Target {
    std::size_t record;
    unsigned port;
    bool by_alias;
  };

  std::optional<Target> target_of(const Plug& plug) {
    if (plug.peer_id.find('@') != std::string::npos) {
      const auto alias = aliases_.find(plug.peer_id);
      if (alias != aliases_.end()) return Target{alias->second.record, alias->second.port, true};
      findings_.error(plug.peer_place, fmt::format("no port is called {}", config::quoted(plug.peer_id)),
                      R"(@[1] "name" in the node that it is a port of)");
      return std::nullopt;
    }
    const auto peer = index_.find(plug.peer_id);
    if (peer == index_.end()) {
      findings_.error(plug.peer_place, fmt::format("there is no node {}", config::quoted(plug.peer_id)),
                      "every node of a cable needs a record of its own");
      return std::nullopt;
    }
    const Node& node = records_[peer->second].node;
    if (plug.peer_port > node.port_count) {
      findings_.error(plug.peer_place, fmt::format("{} has no port {}", config::quoted(node.key()), plug.peer_port),
                      fmt::format("line {} says {} ports", records_[peer->second].place.line, node.port_count));
      return std::nullopt;
    }
    return Target{peer->second, plug.peer_port, false};
  }

  void connect() {
    std::map<std::pair<std::size_t, unsigned>, const Plug*> plugs;
    std::set<std::pair<std::size_t, unsigned>> taken_aliases;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      for (const Plug& plug : records_[i].plugs) plugs[{i, plug.port}] = &plug;
    }
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const std::string& own = records_[i].node.key();
      for (const Plug& plug : records_[i].plugs) {
        const std::optional<Target> target = target_of(plug);
        if (!target) continue;
        const Node& peer = records_[target->record].node;
        const PortRef a{i, {static_cast<std::uint8_t>(plug.port)}}, b{target->record, {static_cast<std::uint8_t>(target->port)}};
        if (a == b) {
          findings_.error(plug.peer_place, fmt::format("port {} of {} is cabled to itself", plug.port, config::quoted(own)),
                          "a cable has two ends");
          continue;
        }
        if (target->by_alias) {
          if (!taken_aliases.emplace(target->record, target->port).second) {
            findings_.error(plug.peer_place, fmt::format("the port called {} has a cable already", config::quoted(plug.peer_id)),
                            "a port takes one cable");
            continue;
          }
          add_link(a, b, plug.enabled, {});
          continue;
        }
        const auto back = plugs.find({target->record, target->port});
        if (back == plugs.end()) {
          findings_.error(plug.peer_place,
                          fmt::format("port {} of {} leads to port {} of {}, which has no line of its own", plug.port, config::quoted(own),
                                      target->port, config::quoted(peer.key())),
                          fmt::format("[{}] \"{}\"[{}] below line {}", target->port, config::printable(own), plug.port,
                                      records_[target->record].place.line));
          continue;
        }
        const Plug& other = *back->second;
        if (other.peer_port != plug.port || other.peer_id != own) {
          findings_.error(plug.peer_place,
                          fmt::format("port {} of {} leads to port {} of {}, but line {} says that one leads to port {} of {}", plug.port,
                                      config::quoted(own), target->port, config::quoted(peer.key()), other.place.line, other.peer_port,
                                      config::quoted(other.peer_id)),
                          "both ends of a cable have to name each other");
          continue;
        }
        // Once per cable: from the end that comes first.
        if (i < target->record || (i == target->record && plug.port < target->port)) add_link(a, b, plug.enabled, other.enabled);
      }
    }
  }

  // The best that both have; what one side alone says is taken for both.
  void add_link(PortRef a, PortRef b, Enabled at_a, Enabled at_b) {
    Link link{a, b};
    const auto common = [](unsigned one, unsigned other) {
      if (one == 0 || other == 0) return one | other;
      return (one & other) != 0 ? one & other : std::min(one, other);
    };
    const unsigned widths = common(at_a.widths, at_b.widths), speeds = common(at_a.speeds, at_b.speeds);
    for (const LinkWidth width : kWidthsBestFirst) {
      if ((widths & static_cast<unsigned>(width)) == 0) continue;
      link.width = width;
      break;
    }
    if (speeds != 0)
      link.speed = static_cast<LinkSpeed>(
          std::min<unsigned>(static_cast<unsigned>(std::bit_width(speeds)) - 1, static_cast<unsigned>(LinkSpeed::xdr)));
    out_.topology.links.push_back(link);
  }

  struct Guids {
    std::uint64_t base, next;
  };

  TopologyFile& out_;
  Findings findings_;
  const config::FileReader& files_;
  std::string file_, module_;
  int line_ = 0;
  std::size_t included_bytes_ = 0;
  std::uint32_t vendor_id_ = 0x2c9;
  std::uint16_t device_id_ = 0;
  mad::Guid system_guid_;  // for the next node only
  Enabled defaults_;
  unsigned plain_speeds_ = 0, extended_speeds_ = 0;
  std::array<Guids, 3> guids_{Guids{0x100000, 0x100000}, {0x200000, 0x200000}, {0x300000, 0x300000}};  // by NodeType, where ibsim starts
  std::vector<Record> records_;
  bool in_record_ = false, skipping_ = false;
  std::set<unsigned> used_ports_;
  std::map<std::string, Alias> aliases_;
  std::unordered_map<std::string, Record*> index_by_id_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

TopologyFile read_ibnetdiscover(const config::Source& source, const config::FileReader& files) {
  TopologyFile file;
  Reader reader(file, files);
  reader.read(source, 0);
  reader.finish(source.file);
  return file;
}

TopologyFile read_topology(const std::string& path, const config::FileReader& files) {
  const auto text = files(path);
  if (!text) {
    TopologyFile file;
    file.findings.push_back({config::Severity::error, path, 0, 0, fmt::format("cannot be read: {}", text.error().message()), {}});
    return file;
  }
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  return yaml ? read_yaml({path, *text}) : read_ibnetdiscover({path, *text}, files);
}

}  // namespace sim
