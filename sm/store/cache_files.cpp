#include <algorithm>
#include <tuple>
#include <vector>

#include "mad/format.h"
#include "mad/hex.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"
#include "sm/store/cache_files.h"

namespace sm {
namespace {

constexpr std::size_t kFileMessagesMax = 20;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::vector<FileToken> split(std::string_view line, int number) {
  std::vector<FileToken> tokens;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    tokens.push_back({line.substr(at, end - at), number, static_cast<int>(at) + 1});
    at = end;
  }
  return tokens;
}

}  // namespace

std::string FileError::text(std::string_view file) const {
  return fmt::format("{}:{}:{}: {}", file, line, column, what);
}

std::vector<std::string> as_messages(const std::vector<FileError>& errors, std::string_view file) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < errors.size() && i < kFileMessagesMax; ++i)
    out.push_back(errors[i].text(file));
  if (errors.size() > kFileMessagesMax)
    out.push_back(fmt::format("{}: {} more like these", file, errors.size() - kFileMessagesMax));
  return out;
}

KeyValueText parse_key_values(std::string_view text, unsigned values) {
  KeyValueText out;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    std::vector<FileToken> tokens = split(line, number);
    if (tokens.empty()) continue;
    if (tokens.front().column != 1) {
      out.errors.push_back(
          {number, tokens.front().column,
           fmt::format("'{}' should begin in column 1", in_quotes(tokens.front().text))});
    } else if (tokens.size() < values + 1) {
      const FileToken& last = tokens.back();
      out.errors.push_back({number, last.column + static_cast<int>(last.text.size()),
                            fmt::format("the line ends here, but should have a key and {} value{}",
                                        values, values == 1 ? "" : "s")});
    } else if (tokens.size() > values + 1) {
      out.errors.push_back(
          {number, tokens[values + 1].column,
           fmt::format("'{}' is too much: a line has a key and {} value{}",
                       in_quotes(tokens[values + 1].text), values, values == 1 ? "" : "s")});
    } else {
      const FileToken key = tokens.front();
      tokens.erase(tokens.begin());
      out.records.push_back({key, std::move(tokens)});
    }
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += c >= 0x20 && c < 0x7F ? c : '?';
  if (text.size() > 40) out += "...";
  return out;
}

namespace {

constexpr std::size_t kGuid2MKeyBytesMax = 16u << 20;

}  // namespace

std::string to_text(const Guid2MKey& guid2mkey) {
  std::string out;
  out.reserve(guid2mkey.size() * 39);
  for (const auto& [guid, key] : guid2mkey)
    fmt::format_to(std::back_inserter(out), "0x{:016x} 0x{:016x}\n\n", guid.value, key.value);
  return out;
}

LoadedGuid2MKey load_guid2mkey(const std::filesystem::path& dir, std::string_view file) {
  LoadedGuid2MKey out;
  const std::filesystem::path path = dir / file;
  const auto text = read_file(path, kGuid2MKeyBytesMax);
  if (!text) {
    out.messages.push_back(text.error());
    return out;
  }
  if (!*text) return out;
  KeyValueText lines = parse_key_values(**text, 1);
  std::vector<FileError> warnings;
  for (const KeyValueRecord& record : lines.records) {
    const auto guid = mad::parse_hex(record.key.text), key = mad::parse_hex(record.values[0].text);
    if (!guid || *guid == 0)
      lines.errors.push_back({record.key.line, 1,
                              fmt::format("'{}' is not a port GUID such as 0x0002c90000000001",
                                          in_quotes(record.key.text))});
    else if (!key)  // the word is not quoted: it may be a mistyped secret
      lines.errors.push_back({record.key.line, record.values[0].column,
                              "this is not an M_Key (0x and up to 16 hexadecimal digits)"});
    else if (!out.value.emplace(mad::Guid{*guid}, mad::MKey{*key}).second)
      warnings.push_back({record.key.line, 1,
                          fmt::format("duplicate {}; the first record is used", mad::Guid{*guid})});
  }
  for (const auto* errors : {&warnings, &lines.errors})
    for (std::string& message : as_messages(*errors, path.string()))
      out.messages.push_back(std::move(message));
  if (lines.errors.empty()) return out;
  const auto aside = move_aside(path);
  out.messages.push_back(aside
                             ? fmt::format("{} is corrupt; moved to {}, its valid records are used",
                                           path.string(), aside->string())
                             : fmt::format("{} is corrupt; its valid records are used; {}",
                                           path.string(), aside.error()));
  if (aside)
    if (const auto saved = save_guid2mkey(dir, out.value, true, file); !saved)
      out.messages.push_back(saved.error());
  return out;
}

tl::expected<void, std::string> save_guid2mkey(const std::filesystem::path& dir,
                                               const Guid2MKey& guid2mkey, bool fsync,
                                               std::string_view file) {
  return ensure_directory(dir).and_then(
      [&] { return write_file_atomically(dir / file, to_text(guid2mkey), fsync, 0600); });
}

namespace {

struct End {
  mad::Guid guid;
  mad::PortNum port;
  auto operator<=>(const End&) const = default;
};

/// Finds the GUIDs of links' ends for the file: all ports of a switch have the GUID of port 0. GUID
/// 0 marks a port that was not read, or whose M_Key is not known: it is not an end port yet, and
/// will be new once it is.
class Ends {
 public:
  explicit Ends(const Fabric& fabric) : fabric_(fabric), of_switch_(fabric.nodes.size()) {
    for (const NodeIndex index : fabric.nodes.indices()) {
      const Node& node = fabric.nodes[index];
      if (node.is_switch()) of_switch_[index] = known_guid(fabric.ports[node.first_port]);
    }
  }
  mad::Guid find_guid(PortIndex index) const {
    const Port& port = fabric_.ports[index];
    const mad::Guid guid = of_switch_[port.node];
    return guid == mad::Guid{} && !fabric_.nodes[port.node].is_switch() ? known_guid(port) : guid;
  }
  static mad::Guid known_guid(const Port& port) { return port.known ? port.guid : mad::Guid{}; }

 private:
  const Fabric& fabric_;
  IndexVector<NodeIndex, mad::Guid> of_switch_;  // GUID 0: of others
};

}  // namespace

namespace {

constexpr std::size_t kLinkBytes = 46;  // of a record, for the reserved size

/// Calls `take` with each direction of each link, in order of GUID and port.
template <class Take>
void for_links(const Fabric& fabric, Take&& take) {
  const Ends ends(fabric);
  // All ports of a switch have one GUID, and follow each other by number.
  std::vector<std::pair<mad::Guid, PortIndex>> firsts;  // the first port of each
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    const std::size_t ports = node.is_switch() ? 1u : node.num_ports;
    for (PortIndex port = node.first_port; port < node.first_port + ports; ++port) {
      if (const mad::Guid guid = ends.find_guid(port); guid != mad::Guid{})
        firsts.emplace_back(guid, port);
    }
  }
  std::ranges::sort(firsts);
  for (const auto& [guid, first] : firsts) {
    const Node& node = fabric.owning_node(first);
    const std::size_t ports = node.is_switch() ? node.num_ports + 1u : 1u;
    for (PortIndex port = first; port < first + ports; ++port) {
      const PortIndex peer = fabric.ports[port].peer;
      if (peer == kNoIndex) continue;
      const mad::Guid to = ends.find_guid(peer);
      if (to == mad::Guid{}) continue;
      take(NeighborLink{.guid = guid,
                        .port = fabric.ports[port].number,
                        .peer = to,
                        .peer_port = fabric.ports[peer].number});
    }
  }
}

void append_link(std::string& out, const NeighborLink& link) {
  const auto add = [&out](mad::Guid guid, mad::PortNum port) {
    out += "0x";
    mad::append_hex(out, guid.value, 16);
    out += ':';
    out += std::to_string(port.value);
  };
  add(link.guid, link.port);
  out += ' ';
  add(link.peer, link.peer_port);
  out += "\n\n";
}

}  // namespace

std::string neighbors_text(const Fabric& fabric) {
  const auto has_link = [](const Port& port) { return port.peer != kNoIndex; };
  std::string out;
  out.reserve(static_cast<std::size_t>(std::ranges::count_if(fabric.ports, has_link)) * kLinkBytes);
  for_links(fabric, [&out](const NeighborLink& link) { append_link(out, link); });
  return out;
}

std::string neighbors_text(std::span<const NeighborLink> links) {
  std::string out;
  out.reserve(links.size() * kLinkBytes);
  for (const NeighborLink& link : links) append_link(out, link);
  return out;
}

std::vector<NeighborLink> neighbor_links(const Fabric& fabric) {
  std::vector<NeighborLink> links;
  for_links(fabric, [&links](const NeighborLink& link) { links.push_back(link); });
  return links;
}

std::vector<NeighborLink> neighbor_links(std::string_view text) {
  const auto end_of_text = [](std::string_view word) -> std::optional<End> {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto guid = mad::parse_guid(word.substr(0, colon));
    const auto port = mad::parse_number<std::uint8_t>(word.substr(colon + 1));
    if (!guid || !port) return std::nullopt;
    return End{.guid = *guid, .port = mad::PortNum{*port}};
  };
  std::vector<NeighborLink> links;
  for (const KeyValueRecord& record : parse_key_values(text, 1).records) {
    const auto from = end_of_text(record.key.text), to = end_of_text(record.values[0].text);
    if (from && to)
      links.push_back(
          {.guid = from->guid, .port = from->port, .peer = to->guid, .peer_port = to->port});
  }
  return links;
}

std::set<mad::Guid> neighbor_guids(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  std::set<mad::Guid> guids;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with("0x") || line.size() < 2 + kDigits) continue;
    if (const auto guid = mad::parse_guid(line.substr(0, 2 + kDigits))) guids.insert(*guid);
  }
  return guids;
}

tl::expected<void, std::string> save_neighbors(const std::filesystem::path& dir,
                                               const Fabric& fabric, bool fsync) {
  return ensure_directory(dir).and_then(
      [&] { return write_file_atomically(dir / kNeighborsFile, neighbors_text(fabric), fsync); });
}

tl::expected<void, std::string> save_neighbors(const std::filesystem::path& dir,
                                               std::span<const NeighborLink> links, bool fsync) {
  return ensure_directory(dir).and_then(
      [&] { return write_file_atomically(dir / kNeighborsFile, neighbors_text(links), fsync); });
}

namespace {

constexpr std::size_t kNeighborsBytesMax = 64u << 20;  // 40,000 hosts need some 10 MB

}  // namespace

std::vector<NeighborLink> load_neighbor_links(const std::filesystem::path& dir) {
  const auto text = read_file(dir / kNeighborsFile, kNeighborsBytesMax);
  if (!text || !*text) return {};
  return neighbor_links(**text);
}

std::optional<std::set<mad::Guid>> load_neighbor_guids(const std::filesystem::path& dir) {
  const auto text = read_file(dir / kNeighborsFile, kNeighborsBytesMax);
  if (!text || !*text) return std::nullopt;
  return neighbor_guids(**text);
}

}  // namespace sm
