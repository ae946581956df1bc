#include "sm/health/difference_text.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "config/control_characters.h"
#include "mad/format.h"

namespace sm {
namespace {

/// Returns a text of a device or file as one line for a terminal.
std::string printable_text(std::string_view text) {
  return config::without_control_characters(text);
}

constexpr std::size_t kLinksInText = 4, kLinksJoined = 16;

std::string text_of(const DifferentNode& node) {
  return fmt::format("\"{}\" ({})", printable_text(node.description), node.guid);
}
std::string text_of(const DifferentEnd& end) {
  return fmt::format("{} port {}", text_of(end.node), end.port);
}
std::string text_of(const DifferentLink& link) {
  return fmt::format("{} <-> {}", text_of(link.a), text_of(link.b));
}
std::string text_of(const mad::LinkRate& rate) {
  return fmt::format("{} {}", mad::width_name(rate.lanes), mad::name(rate.speed));
}

std::string joined(const std::vector<DifferentLink>& links) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(links.size(), kLinksJoined); ++i)
    texts.push_back(text_of(links[i]));
  if (links.size() > texts.size())
    texts.push_back(fmt::format("{} others", links.size() - texts.size()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Returns where a node is: the other ends of its links.
std::string place(const std::vector<DifferentLink>& links) {
  std::vector<std::string> ends;
  for (std::size_t i = 0; i < std::min(links.size(), kLinksInText); ++i)
    ends.push_back(text_of(links[i].b));
  if (links.size() > ends.size())
    ends.push_back(fmt::format("{} others", links.size() - ends.size()));
  return fmt::format("{}", fmt::join(ends, ", "));
}

std::string with_place(std::string text, std::string_view before,
                       const std::vector<DifferentLink>& links) {
  return links.empty() ? text : fmt::format("{}{}{}", text, before, place(links));
}

}  // namespace

std::string describe(const Difference& of) {
  switch (of.kind) {
    case DifferenceKind::node_missing:
      return with_place("node missing: " + text_of(of.node), "; saved at ", of.saved);
    case DifferenceKind::node_extra:
      return with_place("node extra: " + text_of(of.node), " at ", of.now);
    case DifferenceKind::node_moved:
      return fmt::format("node moved: {} at {}; saved at {}", text_of(of.node), place(of.now),
                         place(of.saved));
    case DifferenceKind::description_changed:
      return fmt::format("description changed: {}; saved \"{}\"", text_of(of.node),
                         printable_text(of.saved_description));
    case DifferenceKind::link_missing:
      return "link missing: " + joined(of.saved);
    case DifferenceKind::link_extra:
      return "link extra: " + joined(of.now);
    case DifferenceKind::miscabled:
      return fmt::format("miscabled: {}; saved {}", joined(of.now), joined(of.saved));
    case DifferenceKind::link_slower:
    case DifferenceKind::link_faster:
      return fmt::format("{}: {}: {}; saved {}",
                         of.kind == DifferenceKind::link_slower ? "link slower or narrower"
                                                                : "link faster or wider",
                         joined(of.now), text_of(of.now_rate), text_of(of.saved_rate));
  }
  return {};
}

}  // namespace sm
