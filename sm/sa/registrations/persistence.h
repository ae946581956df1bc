#pragma once
// Registrations on disk: a journal (sm/store/journal.h) of additions and removals. Applying its
// lines in order gives the present state.
//
// A line is a word and numbers, all hexadecimal:
// - group <MGID> <MLID> <P_Key> <Q_Key> <MTU> <rate> <packet life> <SL> <TClass> <FlowLabel>
//   <HopLimit> <well known> <created by; 0: unknown>, which older files lack
// - member <MGID> <PortGID> <JoinState> <ProxyJoin> <registered by> [<at>]
// - service <registered by> <expires, seconds since 1970; 0: never> <the ServiceRecord's bytes>
//   [<at>]
// - subscription <subscriber's GUID> <number> <trusted> <the InformInfo's bytes> [<at>]
//   <at>: the subscriber or "registered by" is a vport, and this its physical port's PortGUID
// - alias <port GUID> <index> <alias GUID>
// - next <MGID counter> <alias counter>
// - acknowledged <PortGUID>: nothing of this port's clients is missing (AcknowledgedPorts)
// - for removals: "no-group <MGID>" (and its members), "no-member <MGID> <PortGID>", "no-service
//   <ID> <GID> <P_Key>", "no-subscription <port GUID> <number>", "no-alias <port GUID> <index>",
//   "no-acknowledged <PortGUID; 0: of all ports>"
//
// A GID is two numbers. A line about an existing entry replaces it.
//
// If a journal has a higher revision (sm/store/file_version.h), the reader leaves out kinds of
// lines that it does not know, and words behind those that it knows.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "sm/sa/registrations/registrations.h"
#include "sm/store/journal.h"

namespace sa {

inline constexpr std::string_view kRegistrationsFile = "registrations";
/// An empty file: it exists while the journal lacks registrations that were answered, since the
/// disk did not take them. Creating and removing it needs no room on a full disk.
inline constexpr std::string_view kIncompleteFile = "registrations-incomplete";

/// Returns lines for all changes since the last call; "" if there are none.
std::string take_changes(Registrations& registrations);
/// Returns lines that give the whole state when they are applied to an empty one.
std::string all_lines(const Registrations& registrations);
/// Applies one line.
/// Errors: the defect and its column in the line (from 1); nothing is changed then.
struct LineError {
  int column = 1;
  std::string what;
};
tl::expected<void, LineError> apply_line(Registrations& registrations, std::string_view line);

struct ReadRegistrations {
  Registrations registrations;
  // Report damaged lines, by file:line:column, and unknown parts of a newer version's lines. Both
  // are left out.
  std::vector<std::string> messages;
};
/// Reads a journal's text. `path` is for messages. Writes nothing.
ReadRegistrations read_registrations(std::string_view text, const std::string& path);

/// The text that a commit writes.
struct Written {
  std::string lines;        // of what changed, or of everything
  bool everything = false;  // applied to an empty state they give the present one
};

/// Writes the journal of the registrations, `<dir>/registrations`, mode 0600: it holds ServiceKeys.
///
/// A commit has two halves, since the thread that writes to the disk is not the one that changes
/// registrations. The latter calls take() and wrote(). Between them write() may run on any thread,
/// and the caller uses no other function except replace_all(). Changes in this time are in the next
/// batch.
class RegistrationStore {
 public:
  struct Loaded;
  /// Opens the journal, creating it and `dir` (one level) if they are missing, and reads it.
  /// Damaged lines are reported and left out. After damage, and with kIncompleteFile, no port
  /// counts as acknowledged. Errors: a file that cannot be read or written at all.
  static tl::expected<Loaded, std::string> load(const std::filesystem::path& dir, bool fsync);

  /// Returns all changes since the last call, and the batch that write() failed to write before, or
  /// nullopt if there are none.
  std::optional<Written> take(Registrations& registrations);
  /// Writes a batch. When this returns, the batch survives a crash, and the requests that made it
  /// may be answered. If the journal has grown too much, this rewrites it from its own text.
  /// After an error, kIncompleteFile exists until a later batch is written, which has this one.
  /// Errors: one line with file and reason.
  tl::expected<void, std::string> write(const Written& batch);
  /// Takes what write() returned for this batch.
  void wrote(Written batch, bool taken);
  /// Takes all changes since the last call, and leaves them for the next batch, because the disk
  /// takes nothing now. Returns their lines.
  Written keep(Registrations& registrations);
  /// True if a start after this failure asks all ports to register again (kIncompleteFile).
  bool is_marked() const { return is_marked_; }
  /// Calls take(), write() and wrote().
  tl::expected<Written, std::string> commit(Registrations& registrations);

  /// Puts everything in the next batch, as the registrations were replaced.
  void replace_all() { stale_ = true; }

 private:
  /// Limits the bytes of lines that the disk did not take; beyond this the next batch has
  /// everything.
  static constexpr std::size_t kPendingBytesMax = std::size_t{1} << 20;

  explicit RegistrationStore(sm::Journal journal) : journal_(std::move(journal)) {}
  tl::expected<void, std::string> write_journal(const Written& batch);
  tl::expected<void, std::string> rewrite(std::string_view lines);
  std::string take_new(Registrations& registrations);
  std::filesystem::path mark() const { return journal_.path().parent_path() / kIncompleteFile; }

  sm::Journal journal_;
  bool lost_ = false;       // the file's content is unknown: only a full batch helps
  bool stale_ = false;      // the journal lacks changes that are in no batch
  bool is_marked_ = false;  // kIncompleteFile exists
  std::string pending_;     // lines that the disk did not take
  std::pair<std::uint32_t, std::uint32_t> counters_{};
};

struct RegistrationStore::Loaded {
  RegistrationStore store;
  Registrations registrations;
  std::vector<std::string> messages;  // for the log
};

}  // namespace sa
