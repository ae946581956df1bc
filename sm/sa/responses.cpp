#include "sm/sa/responses.h"

#include <algorithm>

#include "mad/sa_attribute.h"

namespace sa {

mad::ConstSaView sa_view(const mad::ReceivedMad& received) {
  return mad::ConstSaView{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
}

mad::MadBytes single_response(const mad::ReceivedMad& received, std::uint16_t status,
                              std::span<const std::uint8_t> record) {
  mad::MadBytes bytes = received.bytes;
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(bytes)};
  // Set is answered with GetResp: there is no SetResp (IBTA Vol 1, 13.4.5 and 15.2.2).
  mad.set_method(mad.method() == mad::Method::set
                     ? mad::Method::get_resp
                     : static_cast<mad::Method>(mad::to_raw(mad.method()) | mad::kResponseBit));
  mad.set_status(status);
  mad.set_sm_key(0);
  mad.set_rmpp_flags(0);
  // The request asks for paths, and so does the answer say.
  if (static_cast<mad::SaAttributeId>(mad.attribute_id()) ==
      mad::SaAttributeId::multi_path_record) {
    mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::path_record));
  }
  if (record.empty()) return bytes;
  std::ranges::fill(mad.data(), std::uint8_t{0});
  std::ranges::copy(record.first(std::min(record.size(), mad.data().size())), mad.data().begin());
  mad.set_attribute_offset(static_cast<std::uint16_t>((record.size() + 7) / 8));
  return bytes;
}

}  // namespace sa
