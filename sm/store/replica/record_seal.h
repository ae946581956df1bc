#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "sm/store/replica/state_store.h"

namespace sm {

/// Authenticates the values of a replicated store. A sealed value is
/// `heddle 2 <position, 16 hexadecimal digits> <HMAC-SHA256, 64 of them> <text>`; the HMAC (RFC
/// 2104) covers the key, the position and the text, so that a value counts under its own key and
/// only where its writer put it (shared_records.h). It does not hide the text.
class RecordSeal {
 public:
  /// `secret`: the content of a key file, or sm_key as digits. The key of the HMAC is derived from
  /// it.
  explicit RecordSeal(std::string_view secret);

  struct Opened {
    std::string text;
    StoreRevision position = 0;
    bool operator==(const Opened&) const = default;
  };
  /// `position`: the revision of the store up to which the writer knows its content.
  std::string seal(std::string_view key, std::string_view text, StoreRevision position) const;
  /// Errors: what is wrong with the value, as the end of a sentence.
  tl::expected<Opened, std::string> open(std::string_view key, std::string_view value) const;
  /// Returns the text of a sealed value, for a person to read; other values as they are.
  static std::string_view unverified_text(std::string_view value);
  /// 16 hexadecimal digits by which managers with the same secret compare a text without
  /// showing it.
  std::string digest(std::string_view key, std::string_view text) const;

 private:
  using Sum = std::array<std::uint8_t, 32>;
  Sum sum(std::string_view key, std::string_view text) const;
  Sum sum(std::string_view key, std::string_view position, std::string_view text) const;
  Sum key_{};
};

}  // namespace sm
