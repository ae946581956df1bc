#pragma once
// A state store that managers keep together, without another machine: each of them has a copy, and
// reads the copies of the others (README.md).

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "mad/backoff.h"
#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/store/peers/byte_stream.h"
#include "sm/store/peers/copy_file.h"
#include "sm/store/peers/peer_messages.h"
#include "sm/store/peers/seen_managers.h"
#include "sm/store/peers/store_copy.h"
#include "sm/store/peers/tls_transport.h"
#include "sm/store/replica/state_store.h"

namespace sm::peers {

struct PeerSettings {
  mad::Guid port_guid;
  std::uint64_t subnet_prefix = 0;
  std::filesystem::path file;         // of the copy; conflicts are written beside it
  std::vector<PeerAddress> peers{};   // the manager's own address may be among them
  std::vector<PeerAddress> listen{};  // empty: no other manager can read this copy
  std::string secret{};
  std::optional<CertificateFiles> certificates{};  // used instead of the secret
  bool fsync = true;
  /// Other managers are refused until set_known_managers() has named them.
  bool only_seen = false;
};

class PeerStore final : public StateStore, public std::enable_shared_from_this<PeerStore> {
 public:
  static constexpr mad::Duration kHeartbeat = std::chrono::seconds(1),
                                 kSilence = std::chrono::seconds(3),
                                 kStall = std::chrono::seconds(2),
                                 kCommitWait = std::chrono::seconds(2);

  /// Connects by TLS. Errors: the file, the secret or a certificate cannot be used. `runtime`
  /// outlives the coroutines, which end after stop().
  static tl::expected<std::shared_ptr<PeerStore>, std::string> create(mad::Runtime& runtime,
                                                                      PeerSettings settings);
  static tl::expected<std::shared_ptr<PeerStore>, std::string> create(
      mad::Runtime& runtime, PeerSettings settings, std::unique_ptr<Transport> transport,
      ProtocolVersions versions = {});
  ~PeerStore() override;

  boost::asio::awaitable<StoreResult<StoreContent>> read(std::string prefix) override;
  /// Also waits until all managers that are connected and not behind have the changes, for
  /// kCommitWait at most. A change of the guard's key begins a term.
  boost::asio::awaitable<StoreResult<StoreRevision>> commit(
      StoreGuard guard, std::vector<StoreChange> changes) override;
  boost::asio::awaitable<StoreResult<StoreEvents>> watch(std::string prefix,
                                                         StoreRevision after) override;
  boost::asio::awaitable<StoreResult<StoreLease>> grant(std::chrono::seconds life) override;
  boost::asio::awaitable<StoreResult<bool>> keep_alive(StoreLease lease) override;
  std::optional<StoreCopies> copies() const override;
  /// Leaves out the manager's own address; has connections that were refused, for a minute.
  std::vector<StorePeer> peers() const override;
  std::optional<mad::TimePoint> copied_at(mad::Guid port) const override;
  std::vector<fabric::Condition> conditions() const override;
  void set_leading(bool leading) override;
  void set_known_managers(const std::set<mad::Guid>& ports) override;
  void name_lost(bool own_counts, const std::vector<LostChange>& changes) override;
  void stop() override;

  /// Returns what the log should have of the file, as it was opened.
  const std::vector<std::string>& messages() const { return messages_; }
  const StoreCopy& copy() const { return copy_; }
  std::size_t file_bytes() const { return file_->bytes(); }
  /// Counts the bytes of all connections, without TLS.
  std::uint64_t bytes_moved() const;

 private:
  using Self = std::shared_ptr<PeerStore>;
  struct Link;
  struct Reader;
  struct Session;
  struct Lease {
    mad::Guid owner;
    std::chrono::seconds life{};
    mad::TimePoint ends{};  // only of this manager's own leases
  };
  struct Merge;

  PeerStore(mad::Runtime& runtime, PeerSettings settings, std::unique_ptr<Transport> transport,
            ProtocolVersions versions, CopyFile::Opened opened);

  // The copy
  bool is_writer() const {
    return own_term_ != 0 && copy_.head().id == own_term_ &&
           copy_.latest() <= copy_.head().revision;
  }
  std::uint32_t next_term() const;
  bool begin_term();
  void stamp(Record record);  // as the next change of this manager's term
  void store(Record record);
  void changed(bool by_this_manager);
  StoreRevision guard_revision(const std::string& key) const;
  StoreEvents note_more(StoreEvents events);
  boost::asio::awaitable<StoreResult<StoreRevision>> wait_for_copies(
      StoreRevision made, std::vector<std::shared_ptr<Session>> sessions);

  // Leases (peer_upkeep.cpp)
  void note_lease(const Record& record);
  void check_leases();
  bool has_ended(const std::string& key) const { return ended_.contains(key); }

  // Other managers
  static boost::asio::awaitable<void> upkeep(Self self);
  void check_links();
  std::vector<std::shared_ptr<Link>> links() const;
  mad::Guid leader() const;
  Hello make_hello() const;
  /// Returns why a manager is not served or read; "" if it is.
  std::string fault(const Hello& hello) const;
  /// Returns why it may not belong to this subnet; "" if nothing speaks against it.
  std::string why_foreign(mad::Guid port) const;
  void connect_again(Reader& reader);
  void heard(Link& link, mad::Guid port);
  void end(Link& link, std::string why);

  static boost::asio::awaitable<void> read_from(Self self, std::shared_ptr<Reader> reader);
  static boost::asio::awaitable<std::string> try_ports(Self self, std::shared_ptr<Reader> reader);
  static boost::asio::awaitable<std::string> follow(Self self, std::shared_ptr<Reader> reader);
  static boost::asio::awaitable<void> send_from_reader(Self self, std::shared_ptr<Reader> reader,
                                                       std::shared_ptr<Link> link);
  std::string take(Reader& reader, Message message);
  std::string take_batch(Reader& reader, Batch batch);
  boost::asio::awaitable<void> apply_branch(Reader& reader);
  void apply(const TermHistory& theirs, std::vector<Record> records);
  void replace_copy(StoreCopy fresh, const TermHistory& theirs);
  void set_forgotten(StoreRevision revision);

  static boost::asio::awaitable<void> accept(Self self);
  static boost::asio::awaitable<void> serve(Self self, std::shared_ptr<Session> session);
  static boost::asio::awaitable<void> send_from_session(Self self,
                                                        std::shared_ptr<Session> session);
  std::string take(Session& session, Message message);
  std::string next_batch(Session& session);
  bool is_current(const Session& session) const;
  void refused(std::string who, std::string why);

  // Branches (peer_merge.cpp)
  void merge_if_possible();
  static boost::asio::awaitable<void> merge(Self self, std::shared_ptr<Reader> reader);
  boost::asio::awaitable<bool> merge_theirs(Merge& merge);
  boost::asio::awaitable<bool> merge_own(Merge& merge);
  bool can_go_on(const Merge& merge) const;
  boost::asio::awaitable<std::string> keep_conflicts(Merge& merge);
  struct Conflicts;
  boost::asio::awaitable<std::string> write_conflicts(Conflicts conflicts, std::string lines);
  static boost::asio::awaitable<void> keep_lost(Self self);
  void add_conflicts(Conflicts conflicts);
  void find_conflicts();
  static std::string describe(const Conflicts& conflicts);
  void add_behind(StorePeer& peer, const Session& session) const;

  mad::Runtime& runtime_;
  PeerSettings settings_;
  ProtocolVersions versions_;
  std::unique_ptr<Transport> transport_;
  std::shared_ptr<CopyFile> file_;
  std::vector<std::string> messages_;
  bool stopped_ = false, leading_ = false;

  StoreCopy copy_;
  std::uint64_t own_term_ = 0;      // id of the latest term that this manager began
  StoreRevision committed_ = 0;     // by the latest commit() that has returned
  StoreRevision at_heartbeat_ = 0;  // of the copy, at the latest heartbeat
  StoreRevision watch_floor_ = 0;   // a watch cannot go on from before
  unsigned copies_replaced_ = 0;
  bool watch_has_more_ = false;     // as the latest watch() has said
  std::set<StoreRevision> merged_;  // changes of another branch
  struct Conflicts {
    std::filesystem::path file{};
    bool own_counts = true;           // the values of this manager are in force
    std::size_t count = 0;            // 0: the file could not be read
    std::vector<std::string> keys{};  // the first ones
  };
  std::vector<Conflicts> conflicts_;  // by merge, the latest ones
  struct Lost {
    Conflicts conflicts;
    std::string lines;
  };
  std::deque<Lost> lost_;  // to be written
  bool is_writing_lost_ = false;
  bool is_merging_ = false;
  std::string merge_fault_;  // why the latest merge could not be finished; "" if it could
  mad::TimePoint next_merge_{};
  mad::Backoff merge_pause_{std::chrono::seconds(1), std::chrono::minutes(5)};

  std::map<StoreLease, Lease> leases_;  // that this manager granted
  std::map<std::string, std::pair<StoreLease, Lease>, std::less<>> leased_;  // by key
  std::set<std::string, std::less<>> ended_;  // keys whose lease seems to have ended
  std::deque<StoreEvent> lease_events_;
  std::map<mad::Guid, mad::TimePoint> heard_, copied_;
  mad::TimePoint ran_at_{};  // latest turn of upkeep()
  SeenManagers seen_;

  std::vector<std::shared_ptr<Reader>> readers_;
  std::vector<std::shared_ptr<Session>> sessions_;
  struct Refused {
    std::string why;
    mad::TimePoint at;
  };
  std::uint64_t bytes_ended_ = 0;           // of connections that have ended
  std::map<std::string, Refused> refused_;  // by the other end's address
  mad::TimePoint first_contact_by_;
  mad::WakeUp watch_wake_, commit_wake_, read_wake_, upkeep_wake_;
};

// Connections: readers fetch another manager's copy, sessions serve this one's.

inline constexpr std::size_t kSessionsMax = 16;
inline constexpr unsigned kFramesOfTurn = 64;  // that are handled before others have a turn
inline constexpr std::size_t kBatchRecords = 256, kBatchBytes = std::size_t{64} << 10;

/// An open connection.
struct PeerStore::Link {
  Link(mad::Runtime& runtime, std::shared_ptr<ByteStream> connection)
      : stream(std::move(connection)), wake(runtime), heard_at(runtime.now()) {}

  std::shared_ptr<ByteStream> stream;
  mad::WakeUp wake;  // there is something to send
  FrameBuffer frames{};
  mad::Guid port{};  // 0: it has not said hello
  mad::Guid leader{};
  mad::TimePoint heard_at;
  bool must_send_hello = true, must_send_status = false, has_ended = false;
  bool is_own = false;  // the other end is this manager
  std::string why{};    // why it ended
  std::uint64_t bytes = 0;
};

struct PeerStore::Reader {
  Reader(mad::Runtime& runtime, PeerAddress where) : address(std::move(where)), wake(runtime) {}

  PeerAddress address;
  unsigned place = 0;            // of the port that is tried, below address.ports
  std::shared_ptr<Link> link{};  // null: not connected
  bool was_tried = false;        // there was an answer, or an error
  bool is_itself = false;
  mad::Guid port{};  // as it was seen last
  std::string why_not{};
  bool must_connect = false;  // without a pause
  mad::Backoff pause{std::chrono::milliseconds(500), std::chrono::seconds(30)};
  mad::WakeUp wake;

  // These belong to the present connection.
  TermHistory theirs{};
  Position at{};              // received up to here
  bool is_complete = false;   // everything that the peer has was received
  bool receives_all = false;  // a full copy arrives, until it is complete
  bool has_batch = false;
  bool begins_copy = false;  // what arrives, until it is complete, begins a copy that was empty
  std::optional<StoreCopy> branch{};  // records of another branch
  bool branch_is_full = false;
  Position acknowledged{};  // sent
};

struct PeerStore::Session {
  explicit Session(std::shared_ptr<Link> connection) : link(std::move(connection)) {}

  std::shared_ptr<Link> link;
  StoreRevision cursor = 0;  // sent up to here
  bool is_served = false, has_said_end = false;
  std::string refusal{};  // why it is not served; sent after the hello, then the connection ends
  bool begins_full = false, sends_all = false;  // a full copy
  std::optional<TermHistory> history_sent{};
  Position acknowledged{};
  std::optional<mad::TimePoint> behind_since{};
  bool is_slow = false;  // a commit has waited in vain for it
};

}  // namespace sm::peers
