#include "sm/sa/request_validation.h"

#include "mad/attribute.h"
#include "mad/transport.h"

namespace sa {
namespace {

constexpr std::uint8_t kHopLimitMax = 255;

bool is_request(mad::Method method) {
  using enum mad::Method;
  switch (method) {
    case get:
    case set:
    case get_table:
    case get_trace_table:
    case get_multi:
    case delete_:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view name(Drop drop) {
  switch (drop) {
    case Drop::none:
      return "none";
    case Drop::too_short:
      return "too short";
    case Drop::no_request:
      return "no request";
    case Drop::not_master:
      return "not master";
    case Drop::bad_sm_key:
      return "bad SM_Key";
  }
  return "";
}

sm::PortIndex Answering::port_of(mad::Lid lid) const {
  if (subnet == nullptr) return sm::kNoIndex;
  const sm::PortIndex now = subnet->lids.owner(lid);
  if (now != sm::kNoIndex || before == nullptr || before == subnet) return now;
  const sm::PortIndex earlier = before->lids.owner(lid);
  if (earlier == sm::kNoIndex) return sm::kNoIndex;
  const auto found = subnet->fabric.port_of_guid.find(before->fabric.ports[earlier].guid);
  return found == subnet->fabric.port_of_guid.end() ? sm::kNoIndex : found->second;
}

ValidatedRequest validate_request(const mad::ReceivedMad& received,
                                  std::span<const std::uint8_t> record, const Answering& answering,
                                  const config::Options& options) {
  if (received.size < mad::kMadBytes) return {.drop = Drop::too_short};
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(received.bytes)};
  if (mad.is_response()) return {.drop = Drop::no_request};
  if (answering.subnet == nullptr) return {.drop = Drop::not_master};
  if (mad.base_version() != mad::kBaseVersion || mad.class_version() != mad::kSaClassVersion)
    return {.status = mad::status::kBadVersion};
  if (!is_request(mad.method())) {
    // Traps and reports are dropped; a method that does not exist is answered.
    const bool known = !name(mad.method()).empty();
    return known ? ValidatedRequest{.drop = Drop::no_request}
                 : ValidatedRequest{.status = mad::status::kMethodUnsupported};
  }
  if (mad.sm_key() != 0 && mad.sm_key() != options.sa_key) return {.drop = Drop::bad_sm_key};
  const sm::PortIndex port = answering.port_of(received.from.lid);
  if (port == sm::kNoIndex) return {.status = mad::sa_status::kReqInvalid};
  return {.drop = Drop::none,
          .status = mad::status::kOk,
          .query = {.method = mad.method(),
                    .attribute = static_cast<mad::SaAttributeId>(mad.attribute_id()),
                    .modifier = mad.attribute_modifier(),
                    .component_mask = mad.component_mask(),
                    .record = record,
                    .from = {.port = port,
                             .lid = received.from.lid,
                             .qpn = received.from.qpn,
                             .trusted = mad.sm_key() != 0}}};
}

mad::MadAddress answer_to(const mad::MadAddress& from) {
  mad::MadAddress to = from;
  to.qkey = mad::kQp1QKey;
  if (to.grh) to.grh->hop_limit = kHopLimitMax;
  return to;
}

}  // namespace sa
