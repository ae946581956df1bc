#include "mad/sa_table_reader.h"

#include <utility>

namespace mad {

SaTable::SaTable(std::vector<std::uint8_t> message) : message_(std::move(message)) {
  if (message_.size() < rmpp_header_bytes(MgmtClass::sa)) return;
  MadBytes first{};
  std::copy_n(message_.begin(), rmpp_header_bytes(MgmtClass::sa), first.begin());
  pitch_ = ConstSaView(std::span<const std::uint8_t, kMadBytes>(first)).attribute_offset() *
           std::size_t{8};
}

std::size_t SaTable::count(std::size_t bytes) const {
  if (pitch_ == 0 || pitch_ < bytes) return 0;
  const std::size_t data = message_.size() - rmpp_header_bytes(MgmtClass::sa);
  // The last record may lack the bytes that fill it up to a multiple of 8.
  return data < bytes ? 0 : (data - bytes) / pitch_ + 1;
}

bool SaTableReader::has_ended() const {
  return abandoned_ || is_refused_ || receiver_.state() == RmppReceiver::State::complete ||
         receiver_.state() == RmppReceiver::State::failed;
}

TimePoint SaTableReader::deadline() const {
  return progress_ + (receiver_.state() == RmppReceiver::State::receiving ? kIdle : kTimeout);
}

void SaTableReader::send() {
  do {
    transaction_id_ = static_cast<std::uint32_t>(runtime_.random());
  } while (transaction_id_ == 0);
  receiver_.reset({.message_bytes_max = kBytesMax});
  is_refused_ = false;
  progress_ = runtime_.now();
  MadBytes bytes{};
  SaView mad{std::span<std::uint8_t, kMadBytes>(bytes)};
  mad.set_base_version(kBaseVersion);
  mad.set_mgmt_class(MgmtClass::sa);
  mad.set_class_version(kSaClassVersion);
  mad.set_method(Method::get_table);
  mad.set_transaction_id(transaction_id_);
  mad.set_attribute_id(static_cast<AttributeId>(query_.attribute));
  mad.set_sm_key(query_.sm_key);
  transport_.budget().take(PortBudget::Use::queries);
  is_under_way_ = true;
  transport_.send(
      bytes, query_.to,
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(kTimeout).count()));
}

boost::asio::awaitable<std::optional<SaTable>> SaTableReader::read(SaTableQuery query) {
  query_ = query;
  for (unsigned attempt = 0; attempt < kAttempts && !abandoned_; ++attempt) {
    send();
    const TimePoint last = runtime_.now() + kTransferMax;
    while (!has_ended() && runtime_.now() < std::min(last, deadline()))
      co_await wake_.wait_until(std::min(last, deadline()));
    if (abandoned_) break;  // the transport may be gone
    give_back();
    if (is_refused_) break;
    if (receiver_.state() != RmppReceiver::State::complete) continue;
    const std::span<const std::uint8_t> message = receiver_.message();
    co_return SaTable({message.begin(), message.end()});
  }
  co_return std::nullopt;
}

bool SaTableReader::on_mad(const ReceivedMad& received) {
  const ConstSaView mad{std::span<const std::uint8_t, kMadBytes>(received.bytes)};
  if (transaction_id_ == 0 || mad.mgmt_class() != MgmtClass::sa ||
      static_cast<std::uint32_t>(mad.transaction_id()) != transaction_id_ ||
      mad.attribute_id() != static_cast<AttributeId>(query_.attribute))
    return false;
  // The reader's own timer decides about requests without a response.
  if (received.send_errno != 0) return mad.method() == Method::get_table;
  if (mad.method() != Method::get_table_resp || received.size < kMadBytes ||
      received.from.lid != query_.to.lid || received.from.qpn != query_.to.qpn)
    return false;
  if (mad.status() != status::kOk || !mad.is_rmpp_active()) {
    is_refused_ = is_refused_ || (mad.status() & status::kBusy) == 0;
    if (is_refused_) wake_.signal();
    return true;
  }
  progress_ = runtime_.now();
  MadBytes answer;
  if (receiver_.on_mad(mad, runtime_.now(), answer)) transport_.send(answer, query_.to, 0);
  if (has_ended()) wake_.signal();
  return true;
}

void SaTableReader::give_back() {
  if (std::exchange(is_under_way_, false)) transport_.budget().give_back(PortBudget::Use::queries);
}

void SaTableReader::abandon() {
  abandoned_ = true;
  give_back();
  wake_.signal();
}

}  // namespace mad
