#include "sm/sa/request_validation.h"

#include "mad/attribute.h"
#include "mad/transport.h"
#include "sm/sa/registrations/ports.h"

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
    case Drop::unknown_lid:
      return "unknown LID";
    case Drop::wrong_gid:
      return "wrong source GID";
    case Drop::queue_full:
      return "queue full";
    case Drop::waited:
      return "waited too long";
    case Drop::no_room:
      return "too many long responses";
    case Drop::changing:
      return "GUID table being written";
    case Drop::handed_over:
      return "handed over";
    case Drop::recent_end:
      return "end just missed";
  }
  return "";
}

fabric::EndPoint Answering::owner(mad::Lid lid) const {
  if (subnet == nullptr) return {};
  const fabric::EndPoint now = subnet->owner(lid);
  if (now.port != fabric::kNoIndex || before == nullptr || before == subnet) return now;
  const fabric::EndPoint earlier = before->owner(lid);
  return earlier.port == fabric::kNoIndex ? fabric::EndPoint{}
                                          : subnet->find(before->find_guid(earlier));
}

namespace {

/// A source GID that is not known at the port with the source LID may be an alias GUID that another
/// manager assigned: it counts as the port's, unless sa_check_sgid_spoofing is set. It is refused
/// if another port has it, or if it decides which vport has sent.
bool is_refused(const fabric::Subnet& subnet, fabric::PortIndex port, bool known_elsewhere,
                const config::Options& options) {
  return known_elsewhere || options.sa_check_sgid_spoofing ||
         (subnet.vports && subnet.vports->at(port) != nullptr);
}

}  // namespace

tl::expected<fabric::EndPoint, Drop> source_of(const mad::MadAddress& from,
                                               const Answering& answering,
                                               const config::Options& options) {
  const fabric::EndPoint owner = answering.owner(from.lid);
  if (owner.port == fabric::kNoIndex) return tl::unexpected(Drop::unknown_lid);
  if (!from.grh) return owner;
  static const AliasGuids kNone;
  const fabric::Subnet& subnet = *answering.subnet;
  const fabric::EndPoint named =
      is_local_prefix(from.grh->peer.prefix, options.subnet_prefix)
          ? find_end_point(from.grh->peer.guid, subnet,
                           answering.aliases ? *answering.aliases : kNone)
          : fabric::EndPoint{};
  if (named.port == owner.port) return named;
  if (is_refused(subnet, owner.port, named.port != fabric::kNoIndex, options))
    return tl::unexpected(Drop::wrong_gid);
  return owner;
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
  const auto source = source_of(received.from, answering, options);
  if (!source) return {.drop = source.error()};
  return {.drop = Drop::none,
          .status = mad::status::kOk,
          .query = {.method = mad.method(),
                    .attribute = static_cast<mad::SaAttributeId>(mad.attribute_id()),
                    .modifier = mad.attribute_modifier(),
                    .component_mask = mad.component_mask(),
                    .record = record,
                    .from = {.port = source->port,
                             .lid = received.from.lid,
                             .qpn = received.from.qpn,
                             .trusted = mad.sm_key() != 0,
                             .vport = source->vport}}};
}

mad::MadAddress answer_to(const mad::MadAddress& from) {
  mad::MadAddress to = from;
  to.qkey = mad::kQp1QKey;
  if (to.grh) to.grh->hop_limit = kHopLimitMax;
  return to;
}

}  // namespace sa
