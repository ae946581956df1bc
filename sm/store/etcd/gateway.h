#pragma once
// This file writes and reads the messages of etcd's JSON gateway (etcd 3.4, "gRPC gateway", /v3):
// keys and values in base64, 64-bit numbers as strings, defaults left out. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/store/replica/state_store.h"

namespace sm::etcd {

/// Returns the first key after all that begin with `prefix`; "\0", which means no end, if there is
/// none.
std::string end_of_prefix(std::string_view prefix);

// These functions return requests, as the body of a POST.
std::string authenticate_request(std::string_view user, std::string_view password);
/// Requests keys from `first` to before `end`, `limit` keys at most; revision 0 is the present one.
std::string range_request(std::string_view first, std::string_view end, unsigned limit,
                          StoreRevision revision);
std::string txn_request(const StoreGuard& guard, std::span<const StoreChange> changes);
std::string watch_request(std::string_view prefix, StoreRevision after);
std::string grant_request(std::chrono::seconds life);
std::string keep_alive_request(StoreLease lease);

// These functions parse responses. Errors: `malformed` with the defect.
struct RangeAnswer {
  std::vector<StoreEntry> entries;
  StoreRevision revision = 0;
  bool more = false;
};
StoreResult<RangeAnswer> parse_range(std::string_view body);
struct TxnAnswer {
  bool succeeded = false;
  bool changed = false;  // a key was set or deleted
  StoreRevision revision = 0;
};
StoreResult<TxnAnswer> parse_txn(std::string_view body);
/// Holds one line of the stream.
struct WatchAnswer {
  std::vector<StoreEvent> events;
  StoreRevision revision = 0;  // of the store
  bool created = false;
};
StoreResult<WatchAnswer> parse_watch(std::string_view line);
StoreResult<std::string> parse_token(std::string_view body);
StoreResult<StoreLease> parse_grant(std::string_view body);
/// Returns false if the lease does not exist.
StoreResult<bool> parse_keep_alive(std::string_view body);

/// Holds an answer with another HTTP status than 200. `says_token`: the token is to be renewed.
struct GatewayError {
  StoreError error;
  bool says_token = false;
};
GatewayError parse_error(unsigned http_status, std::string_view body);

/// Splits changes into pieces for transactions: at most `operations` and about `bytes` each.
std::vector<std::span<const StoreChange>> pieces(std::span<const StoreChange> changes,
                                                 std::size_t operations, std::size_t bytes);

}  // namespace sm::etcd
