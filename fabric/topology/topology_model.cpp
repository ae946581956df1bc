#include "fabric/topology/topology_model.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "mad/format.h"

namespace topology {

namespace {

constexpr std::array kWidths{std::pair{LinkWidth::x1, "1x"}, std::pair{LinkWidth::x2, "2x"},
                             std::pair{LinkWidth::x4, "4x"}, std::pair{LinkWidth::x8, "8x"},
                             std::pair{LinkWidth::x12, "12x"}};
constexpr std::array kSpeeds{std::pair{LinkSpeed::sdr, "SDR"},     std::pair{LinkSpeed::ddr, "DDR"},
                             std::pair{LinkSpeed::qdr, "QDR"},     std::pair{LinkSpeed::fdr, "FDR"},
                             std::pair{LinkSpeed::fdr10, "FDR10"}, std::pair{LinkSpeed::edr, "EDR"},
                             std::pair{LinkSpeed::hdr, "HDR"},     std::pair{LinkSpeed::ndr, "NDR"},
                             std::pair{LinkSpeed::xdr, "XDR"}};

template <class Table, class Value>
std::string_view word_of(const Table& table, Value value) {
  for (const auto& [entry, word] : table) {
    if (entry == value) return word;
  }
  return "?";
}

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

template <class Table, class Value>
bool find_value(const Table& table, std::string_view text, Value& value) {
  for (const auto& [entry, word] : table) {
    if (same_word(word, text)) {
      value = entry;
      return true;
    }
  }
  return false;
}

}  // namespace

std::size_t Topology::count(NodeType type) const {
  return static_cast<std::size_t>(std::ranges::count(nodes, type, &Node::type));
}

std::size_t Topology::find(std::string_view id_or_name) const {
  auto it = std::ranges::find(nodes, id_or_name, &Node::key);
  if (it == nodes.end()) it = std::ranges::find(nodes, id_or_name, &Node::name);
  if (it == nodes.end()) throw TopologyError(fmt::format("no node is called '{}'", id_or_name));
  return static_cast<std::size_t>(it - nodes.begin());
}

std::string_view text_of(LinkWidth width) { return word_of(kWidths, width); }
std::string_view text_of(LinkSpeed speed) { return word_of(kSpeeds, speed); }
std::string_view text_of(NodeType type) {
  return type == NodeType::ca ? "ca" : type == NodeType::switch_ ? "switch" : "router";
}
bool parse_width(std::string_view text, LinkWidth& width) {
  return find_value(kWidths, text, width);
}
bool parse_speed(std::string_view text, LinkSpeed& speed) {
  return find_value(kSpeeds, text, speed);
}

}  // namespace topology
