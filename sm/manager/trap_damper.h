#pragma once
// TrapDamper damps trap storms.

#include <compare>
#include <cstdint>
#include <list>
#include <map>

#include "mad/attributes/notice.h"
#include "mad/runtime.h"

namespace sm {

/// Identifies the source and the subject of a trap. Repeats have an equal key.
struct TrapKey {
  mad::Guid source;           // the end port that sent it; 0: one that is not in the subnet
  std::uint32_t number = 0;   // the trap number; for a vendor's notice its device id plus 1 << 16
  std::uint32_t subject = 0;  // traps 129 to 131: the port number; else 0
  auto operator<=>(const TrapKey&) const = default;

  static TrapKey of(mad::Guid source, const mad::Notice& notice);
};

/// Damps trap storms by (source port, trap number, subject), and by source port: repeats at
/// intervals of less than kPause are handled kHandledMax (of a source: kHandledOfSource) times,
/// then delayed. Memory is bounded by kRemembered entries; the oldest is dropped first.
class TrapDamper {
 public:
  enum class Action : std::uint8_t {
    handle,
    storm_begins,  // delayed, and to be reported
    delay,         // what the trap may be about is to be read within a second
  };
  struct Verdict {
    Action action = Action::handle;
    unsigned repeats = 1;  // this one included
  };
  Verdict admit(const TrapKey& key, mad::TimePoint now);

  static constexpr unsigned kHandledMax = 10, kHandledOfSource = 40;
  static constexpr mad::Duration kPause = std::chrono::seconds(5);
  static constexpr std::size_t kRemembered = 4096;

 private:
  struct Entry {
    TrapKey key;
    unsigned count = 0;
    mad::TimePoint last{};
  };
  unsigned count(const TrapKey& key, mad::TimePoint now);

  std::list<Entry> entries_;  // the latest first
  std::map<TrapKey, std::list<Entry>::iterator> index_;
};

}  // namespace sm
