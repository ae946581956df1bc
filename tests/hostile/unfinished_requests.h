#pragma once
// Requests of several MADs, and what hosts send that begin one and do not finish it.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mad/rmpp/rmpp_sender.h"
#include "sim/sa_lab.h"

namespace unfinished_requests {

/// Returns the first segment of a request of several MADs, of which no other one follows.
inline mad::MadBytes first_segment(std::uint64_t transaction, mad::TimePoint now) {
  std::vector<std::uint8_t> message(56 + 3000);
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(message.data(), mad::kMadBytes)};
  mad.set_base_version(mad::kBaseVersion);
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_class_version(2);
  mad.set_method(mad::Method::get_multi);
  mad.set_attribute_id(static_cast<mad::AttributeId>(mad::SaAttributeId::multi_path_record));
  mad.set_transaction_id(transaction);
  mad::RmppSender sender;
  mad::MadBytes first{};
  EXPECT_TRUE(sender.start(message, {}, now) && sender.next_segment(first, now));
  return first;
}

inline sim::SaRequest multi_path_request(laboratory::SaLab& lab, const std::string& from,
                                         const std::string& to) {
  mad::MultiPathRecord record;
  record.set<"SGIDCount">(1);
  record.set<"DGIDCount">(1);
  using P = mad::MultiPathRecordFields::Mask;
  sim::SaRequest request{.method = mad::Method::get_multi,
                         .attribute = mad::SaAttributeId::multi_path_record,
                         .component_mask = lab.bits({P::kSgidCount, P::kDgidCount})};
  request.record.assign(record.bytes().begin(), record.bytes().end());
  for (const std::string& end : {from, to}) {
    for (const std::uint64_t half : {lab.host(end).gid().prefix, lab.host(end).gid().guid.value})
      for (int shift = 56; shift >= 0; shift -= 8)
        request.record.push_back(static_cast<std::uint8_t>(half >> shift));
  }
  return request;
}

}  // namespace unfinished_requests
