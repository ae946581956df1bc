#pragma once
#include "mad/attribute.h"

namespace mad {

/// The description of a node: 64 bytes, not necessarily terminated by a NUL. Modifier 0; a Set is
/// accepted by nodes with capability2::kSetNodeDescription. Source: IBTA Vol 1, 14.2.5.2.
class NodeDescription : public Attribute<NodeDescription, AttributeId::node_description> {
 public:
  static constexpr auto kFields = repeated<kAttributeBytes>(0, 8, "NodeString");
  using WireRecord::WireRecord;

  /// The text up to the first NUL, at most 64 characters, safe to print: characters other than
  /// printable ASCII become spaces, as in the tools of infiniband-diags. (A newline would forge log
  /// lines; a broken UTF-8 sequence would break JSON.)
  std::string text() const {
    std::string out(wire_.begin(), std::find(wire_.begin(), wire_.end(), 0));
    std::replace_if(out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7E; }, ' ');
    return out;
  }
  /// Stores the first 64 bytes of `text`, padded by NUL.
  constexpr void set_text(std::string_view text) {
    wire_.fill(0);
    std::transform(text.begin(),
                   text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), wire_.size())),
                   wire_.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  }
};

}  // namespace mad
