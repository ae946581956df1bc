#pragma once
// Bodies of requests to UFM's P_Key API.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/ids.h"

namespace sm::ufm {

/// Fields that UFM does not know, or that a request does not use, are ignored, as UFM does.
struct PKeyBody {
  std::uint16_t p_key = 0;
  struct Member {
    mad::Guid guid;
    bool full = true;
  };
  std::vector<Member> members;     // ascending by GUID, each once
  std::vector<std::string> hosts;  // hosts_names
  bool full = true;                // membership
  bool index0 = false;
  std::optional<bool> ip_over_ib;
  std::optional<std::string> partition_name;
  std::optional<std::uint8_t> mtu, rate, sl;  // mtu_limit and rate_limit as codes
};

/// Reads a request that adds or removes members, or defines a partition. `needs`: the member that
/// must be there, beside pkey ("guids", "hosts_names"; empty: none). Errors: one sentence that
/// names the member and what would be right.
tl::expected<PKeyBody, std::string> read_p_key_body(std::string_view body, std::string_view needs);

/// 1..0x7fff, as "0x7fff". Errors: one sentence.
tl::expected<std::uint16_t, std::string> read_p_key(std::string_view text);
/// Reads GUIDs of a path, separated by commas.
tl::expected<std::vector<mad::Guid>, std::string> read_guids(std::string_view text);
std::vector<std::string> split(std::string_view text);

}  // namespace sm::ufm
