#include "mad/gsi_client.h"

#include "mad/mad_header.h"

namespace mad {
namespace {

MadView gsi_header(std::vector<std::uint8_t>& bytes) {
  return MadView(std::span(bytes).first<kMadBytes>());
}
ConstMadView gsi_header(const std::vector<std::uint8_t>& bytes) {
  return ConstMadView(std::span(bytes).first<kMadBytes>());
}

}  // namespace

std::uint32_t GsiClient::draw_id() {
  for (;;) {
    const auto id = static_cast<std::uint32_t>(runtime_.random());
    if (id != 0 && !open_.contains(id)) return id;
  }
}

boost::asio::awaitable<std::optional<std::vector<std::uint8_t>>> GsiClient::exchange(
    Request request) {
  if (abandoned_ || request.bytes.size() < kMadBytes || open_.size() >= kOpenMax)
    co_return std::nullopt;
  WakeUp arrived(runtime_);
  Pending pending{&arrived, &request, {}};
  std::vector<std::uint32_t> ids;
  bool answered = false;
  for (unsigned attempt = 0; attempt < request.attempts && !answered && !abandoned_; ++attempt) {
    ids.push_back(draw_id());
    open_.emplace(ids.back(), &pending);
    gsi_header(request.bytes).set_transaction_id(ids.back());
    ++(attempt == 0 ? statistics_.sent : statistics_.repeated);
    // The kernel keeps the transaction open for all attempts: a late response counts.
    const auto open_for = request.timeout * (request.attempts - attempt);
    transport_.send(
        request.bytes, request.to,
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(open_for).count()));
    answered =
        co_await arrived.wait_until(runtime_.now() + request.timeout) && !pending.response.empty();
  }
  for (const std::uint32_t id : ids) open_.erase(id);
  ++(answered ? statistics_.answered : statistics_.timed_out);
  if (!answered) co_return std::nullopt;
  co_return std::move(pending.response);
}

bool GsiClient::on_mad(const GsiMad& mad) {
  if (mad.bytes.size() < kMadBytes) return false;
  const ConstMadView header = gsi_header(mad.bytes);
  const auto found = open_.find(static_cast<std::uint32_t>(header.transaction_id()));
  if (mad.send_errno != 0) return found != open_.end();  // the client's own timer decides
  if (!header.is_response()) return false;
  const ConstMadView sent =
      found == open_.end() ? header : gsi_header(found->second->request->bytes);
  if (found == open_.end() || mad.from.lid != found->second->request->to.lid ||
      header.mgmt_class() != sent.mgmt_class() || header.attribute_id() != sent.attribute_id() ||
      header.attribute_modifier() != sent.attribute_modifier()) {
    ++statistics_.stray;
    return false;
  }
  if ((header.status() & status::kBusy) != 0) return true;
  Pending& pending = *found->second;
  if (!pending.response.empty()) return true;
  pending.response = mad.bytes;
  pending.arrived->signal();
  return true;
}

void GsiClient::abandon() {
  abandoned_ = true;
  for (const auto& [id, pending] : open_) pending->arrived->signal();
}

}  // namespace mad
