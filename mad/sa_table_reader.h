#pragma once
// Reads tables of subnet administration as a client does: SubnAdmGetTable, and the message of many
// segments that answers it.

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mad/rmpp.h"
#include "mad/rmpp/receiver.h"
#include "mad/runtime.h"
#include "mad/sa_attribute.h"
#include "mad/transport.h"

namespace mad {

/// Holds the records of one response, as received.
class SaTable {
 public:
  /// `message`: the headers of the first segment, then the data of all segments.
  explicit SaTable(std::vector<std::uint8_t> message);

  /// Returns the number of records that are at least `bytes` long; 0 if the records are shorter.
  std::size_t count(std::size_t bytes) const;
  /// Returns a record. Precondition: at < count(Record::kBytes).
  template <class Record>
  Record record(std::size_t at) const {
    return Record(std::span<const std::uint8_t, Record::kBytes>(
        message_.data() + rmpp_header_bytes(MgmtClass::sa) + at * pitch_, Record::kBytes));
  }

 private:
  std::vector<std::uint8_t> message_;
  std::size_t pitch_ = 0;  // bytes from record to record
};

/// Names all records of a type, and the port whose subnet administration has them.
struct SaTableQuery {
  SaAttributeId attribute{};
  MadAddress to;             // with QPN and Q_Key
  std::uint64_t sm_key = 0;  // sa_key, or 0
};

/// Reads one table at a time. Single-threaded: everything runs on the runtime's executor. Responses
/// count if they come from the LID and queue pair that were queried, with the transaction id of the
/// latest attempt.
class SaTableReader {
 public:
  static constexpr unsigned kAttempts = 3;
  /// Bounds the time until the first segment of a response, and between two segments.
  static constexpr Duration kTimeout = std::chrono::milliseconds(500),
                            kIdle = std::chrono::seconds(2);
  /// Bounds one attempt: its time, and the bytes of its response. The records of all LIDs have
  /// less.
  static constexpr Duration kTransferMax = std::chrono::minutes(2);
  static constexpr std::size_t kBytesMax = std::size_t{16} << 20;

  /// Owns none of the references.
  SaTableReader(Runtime& runtime, MadTransport& transport)
      : runtime_(runtime), transport_(transport), wake_(runtime) {}
  SaTableReader(const SaTableReader&) = delete;
  SaTableReader& operator=(const SaTableReader&) = delete;

  /// Returns nullopt without a complete response, for a response with another status than 0, and
  /// after abandon().
  boost::asio::awaitable<std::optional<SaTable>> read(SaTableQuery query);
  /// Returns true if the MAD belongs to the latest attempt, also if the transport returns it.
  bool on_mad(const ReceivedMad& received);
  /// Ends a read at once, and further ones without sending them. The transport is not used any more
  /// afterwards, and may be destroyed.
  void abandon();

 private:
  void send();
  void give_back();
  bool has_ended() const;
  TimePoint deadline() const;

  Runtime& runtime_;
  MadTransport& transport_;
  WakeUp wake_;
  SaTableQuery query_;
  std::uint32_t transaction_id_ = 0;  // the low half: the kernel owns the other; 0: no request yet
  RmppReceiver receiver_;
  TimePoint progress_{};       // when the request was sent, or the latest segment arrived
  bool is_under_way_ = false;  // it counts in the budget
  bool is_refused_ = false, abandoned_ = false;
};

}  // namespace mad
