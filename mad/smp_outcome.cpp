// Texts of outcomes, and counters.

#include <chrono>
#include <iterator>

#include "mad/format.h"
#include "mad/smp_client.h"

namespace mad {

std::string_view name(SmpFault fault) {
  switch (fault) {
    case SmpFault::none:
      return "ok";
    case SmpFault::timeout:
      return "timeout";
    case SmpFault::bad_status:
      return "bad status";
    case SmpFault::not_sent:
      return "not sent";
    case SmpFault::node_silent:
      return "not sent, since the node does not answer";
    case SmpFault::withheld:
      return "not sent, since another subnet manager may be MASTER";
    case SmpFault::put_off:
      return "not sent again, since another node may be there";
  }
  return "";
}

std::string describe(const SmpRequest& request, const SmpReply& reply) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(reply.elapsed).count();
  const std::string_view attribute = name(request.attribute);
  std::string text = fmt::format(
      "Subn{}({}, mod {:#x}) to {}: {}", name(request.method),
      attribute.empty() ? fmt::format("{:#06x}", static_cast<unsigned>(request.attribute))
                        : std::string(attribute),
      request.modifier, request.route.text(), name(reply.fault));
  if (reply.fault == SmpFault::bad_status)
    fmt::format_to(std::back_inserter(text), " {:#06x}", reply.status);
  if (reply.attempts > 0)
    fmt::format_to(std::back_inserter(text), " after {} attempt{}, {} ms", reply.attempts,
                   reply.attempts == 1 ? "" : "s", ms);
  return text;
}

SmpCounters SmpStatistics::total(Method method) const {
  SmpCounters sum;
  const std::size_t first = method == Method::set ? rows_.size() / 2 : 0;
  for (std::size_t i = first; i < first + rows_.size() / 2; ++i) {
    sum.sent += rows_[i].sent;
    sum.answered += rows_[i].answered;
    sum.retried += rows_[i].retried;
    sum.timed_out += rows_[i].timed_out;
    sum.bad_status += rows_[i].bad_status;
  }
  return sum;
}

std::size_t SmpStatistics::index(Method method, AttributeId attribute) {
  constexpr std::size_t kRows = 49;
  const auto id = static_cast<unsigned>(attribute);
  return (method == Method::set ? kRows : 0) + (id >= 0x10 && id < 0x40 ? id - 0x10 : kRows - 1);
}

}  // namespace mad
