#pragma once
// Decides which M_Key a request to a port carries (IBTA Vol 1, 14.2.4).

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "mad/smp_client.h"
#include "sm/store/cache_files.h"
#include "sm/store/key_version.h"
#include "sm/store/m_key_policy.h"

namespace sm {

/// Holds the keys of all ports. The candidates for a port are, in this order: what it showed or
/// acknowledged; the key in guid2mkey (with m_key_lookup); the key of a Set that the process may
/// not have finished; the key by MKeyPolicy; those of the versions before and soon after
/// (periodic_key_update); the key before m_key_per_port was set or reset. An unknown port behind a
/// link may be one that guid2mkey names and that no survey has found. The keys of these ports are
/// candidates if there are at most kUnseenKeysMax different ones.
///
/// A key is on disk before the Set that gives it to a port: in guid2mkey.next until the port has
/// acknowledged it, then in guid2mkey. A port whose response was lost, or whose manager ended
/// before it came, has one or the other.
class MKeys final : public mad::MKeySource {
 public:
  /// Has the keys that were about to be set when it was written, in the format of guid2mkey.
  static constexpr std::string_view kNextFile = "guid2mkey.next";
  /// Bounds the ports whose keys are kept: more than a subnet has.
  static constexpr std::size_t kPortsMax = 1 << 16;
  static constexpr std::size_t kUnseenKeysMax = 3;
  /// Bounds the ends of links that are remembered; a set of links is added as a whole.
  static constexpr std::size_t kLinkEndsMax = std::size_t{1} << 19;
  /// Clocks of managers may differ by kClockSkew: so long before a period begins, its keys are
  /// candidates. A manager that is not MASTER expects them at ports kChangeTime after its begin.
  static constexpr std::chrono::seconds kClockSkew{120}, kChangeTime{5};

  /// Reads m_key and the files, at the start and at a reload, since the operator may have edited
  /// them. Returns what is wrong with them.
  std::vector<std::string> configure(const config::Options& options);
  /// Sets the clock by which a manager that is not MASTER knows the version of keys that the MASTER
  /// uses. Without a clock it knows only the versions of the file and of the state store.
  void set_clock(std::function<std::chrono::sys_seconds()> clock) { clock_ = std::move(clock); }

  // ---- versions of keys (periodic_key_update)

  /// As MASTER this manager decides the version; otherwise it follows the clock.
  void set_leads(bool leads);
  /// Returns the newest version of the file, of other managers and of the clock.
  const KeyVersion& version() const { return version_; }
  /// Returns the version of the file: keys of a later version are not sent yet.
  const KeyVersion& version_on_disk() const { return version_on_disk_; }
  /// Takes a version that another manager stored, or a change begins; expected() stores it.
  void take_version(const KeyVersion& version);
  /// True if ports have keys of their own, which another version changes.
  bool has_versions() const { return policy_.has_versions(); }
  /// Returns how long a version lasts; 0 means for ever.
  std::chrono::minutes period() const { return period_; }
  /// Returns the time of day when the next version begins. It is in the past after a period in
  /// which no manager changed the keys. Returns nullopt if the version is later than the time of
  /// day: then the next change comes a period() after the latest one.
  std::optional<std::chrono::sys_seconds> next_change() const;
  /// Returns the version of a change that begins now.
  KeyVersion next_version() const;
  /// Returns to the version on disk, because that of a change could not be stored.
  void give_up_version();
  /// Returns the policy for the keys that ports are to have.
  MKeyPolicy policy() const { return policy_.with_version(version_now().current); }

  /// Sets the manager's own port, before anything was read.
  void set_own_port(mad::Guid port) { own_port_ = port; }
  mad::Guid own_port() const { return own_port_; }

  mad::MKeyCandidates m_keys(mad::Guid port) const override;
  /// Gets begin with the key that the port has answered to lately: it may have shown another one
  /// than it has. A port without a key, or at protection level 0, takes any one, 0 too. Get(SMInfo)
  /// never carries 0 where the port is to have another: a manager shows its SM_Key to one that
  /// knows its key, and managers that start together read each other before any port has a key.
  mad::MKeyCandidates m_keys_of(const mad::SmpRequest& request) const override;
  void answered(const mad::SmpRequest& request, mad::MKey carried,
                const mad::SmpReply& reply) override;
  /// Returns the likeliest key.
  mad::MKey key(mad::Guid port) const { return m_keys(port).of_attempt(0); }
  /// True if the holder of this key may know that of the port. Where keys are used, 0 proves
  /// nothing; where none are used, no proof is necessary.
  bool proves(mad::Guid port, mad::MKey key) const;

  enum class Standing : std::uint8_t {
    confirmed,  // the port showed or acknowledged its key
    open,       // not known, or not yet
    hidden,     // protection level 1: Gets show that the port has none of the candidates
  };
  Standing standing(mad::Guid port) const;
  /// True if the port has shown this key only in a response that contradicts itself.
  bool is_unconfirmed(mad::Guid port, mad::MKey key) const;
  /// Notes that the port has another key than the known one. It has reported the M_Key of a request
  /// of this manager (trap 256), or its device responds elsewhere.
  void note_refusal(mad::Guid port);
  /// True from note_refusal() until the port answers again: it is not hung.
  bool refuses(mad::Guid port) const;
  /// True if M_Keys are used in this subnet, or were since the start, as far as is known. O(1),
  /// since each trap calls it.
  bool in_use() const;

  // ---- ports that answer only to a key that follows from their PortGUID

  /// True if the protection level hides a port from a manager that does not know its PortGUID: each
  /// port has its own key, and needs it for Gets, too.
  bool needs_guids() const { return policy_.has_versions() && protection_ > 1; }
  /// Returns the port at the other end of a link, from `neighbors`, note_links() or an earlier
  /// survey, if the fabric does not have both ends now; 0 if not known. A switch is named by the
  /// PortGUID of port 0.
  mad::Guid behind(mad::Guid port, mad::PortNum number) const;
  void note_behind(mad::Guid port, mad::PortNum number, mad::Guid peer);
  /// Notes both ends of links. What is known of other ports stays. Returns true if this changes
  /// what is known.
  bool note_links(std::span<const NeighborLink> links);
  /// Takes the links that another store knows.
  void note_links_of(const MKeys& other);
  /// Returns the PortGUIDs that are known from links or from answers, and are not in `found`: the
  /// latest to be seen in the fabric first.
  std::vector<mad::Guid> missing(const std::unordered_set<mad::Guid>& found) const;
  /// Returns which of the `missing` ports may be behind a port of `node` (its PortGUID) where
  /// `expected` does not answer: first those that links have behind other ports of that node. At
  /// most MKeyCandidates::kMax, since each attempt shows a key to what is there.
  std::vector<mad::Guid> guesses(mad::Guid node, mad::Guid expected,
                                 std::span<const mad::Guid> missing) const;

  /// Says why the own port, which answers no Get, may not do so, and what to do.
  std::string explain_own_silence() const;
  /// Says what else to look at where the key of a port is not known; "" if keys do not change
  /// periodically. The text stays the same from survey to survey.
  std::string remedy_by_clock() const;

  /// Returns the content of guid2mkey.
  const Guid2MKey& stored() const { return stored_; }
  /// Returns the stored keys that do not follow from the seed and the version.
  Guid2MKey stored_beyond_policy() const;
  /// Adopts keys that another manager knew. They are candidates for ports without another known
  /// key, and are on disk with the next save().
  void adopt(const Guid2MKey& keys);

  /// Holds new contents of guid2mkey and guid2mkey.next; without a value, the file stays as it is.
  struct Files {
    std::optional<Guid2MKey> stored = {}, next = {};
    std::optional<KeyVersion> version = {};
    std::string directory = {};
    bool fsync = true;
    std::uint64_t of = 0;  // version of the keys in memory that these were made from

    bool empty() const { return !stored && !next && !version; }
    /// Writes the files to disk, and waits for that: it must not run on the control thread.
    tl::expected<void, std::string> write() const;
  };
  /// Returns the files to write before Sets that give all end ports their keys by policy().
  Files expected(const Fabric& fabric);
  /// Returns the files with the keys that ports have acknowledged.
  Files acknowledged();
  /// Notes that the files were written. Ignored if the files were read again, or keys adopted,
  /// since `written` was made: the next files then have both.
  void keep(Files written);

 private:
  /// Holds the keys by policy_ and version_now(). They are cached, since requests need them.
  struct PolicyKeys {
    mad::MKey key, previous, former;
  };
  PolicyKeys policy_keys(mad::Guid port) const;
  std::chrono::sys_seconds now() const;
  /// Returns the version that ports have, as far as a manager that is not MASTER can know it.
  KeyVersion version_now() const;
  std::optional<std::uint64_t> version_soon() const;
  KeyVersion version_of_ports() const;
  bool shows_version_of_another_clock(mad::Guid port, mad::MKey key) const;

  struct Known {
    std::optional<mad::MKey> confirmed;
    std::vector<mad::MKey> refuted;
    std::optional<mad::MKey> answers_to = {};   // Gets, instead of the likeliest key
    unsigned answers = 0;                       // in a row, to other keys than the likeliest
    std::optional<mad::MKey> unconfirmed = {};  // shown once by a response that contradicts itself
    bool refuses = false;    // it reported a request of this manager, and has not answered since
    std::uint64_t seen = 0;  // the latest sweep that had it in the fabric
  };
  void note_answer(mad::Guid port, mad::MKey carried);
  void confirm(mad::Guid port, mad::MKey key);
  void forget_unmet(mad::MKey key);
  void drop_oldest(Guid2MKey& stored, std::size_t count);
  bool all_stored() const;
  Files files() const;
  void on_port_info(mad::Guid port, mad::MKey carried, const mad::PortInfo& info);

  std::unordered_map<mad::Guid, Known> known_;
  std::uint64_t sweep_ = 0;
  std::uint64_t contents_ = 0;  // of stored_ and next_, as files and other managers gave them
  bool any_key_ = false;        // some port has, or had, an M_Key
  bool any_refuted_ = false;    // some port has, or had, one that is not known
  bool unsaved_ = false;        // stored_ has keys that were adopted
  Guid2MKey stored_, next_;     // as on disk; M_Key 0 is left out, since such a port accepts any
  std::map<mad::MKey, std::size_t> unseen_keys_;  // keys of stored_ that no port has confirmed yet:
                                                  // how many ports have each
  std::map<std::pair<mad::Guid, mad::PortNum>, mad::Guid> behind_;  // about kLinkEndsMax at most
  mad::Guid own_port_;
  MKeyPolicy policy_;  // of version_
  KeyVersion version_, version_on_disk_;
  std::chrono::minutes period_{};  // 0: versions do not change
  bool leads_ = false;
  std::function<std::chrono::sys_seconds()> clock_;
  mutable std::unordered_map<mad::Guid, PolicyKeys> derived_;  // of derived_version_; at most
                                                               // kPortsMax
  mutable KeyVersion derived_version_;
  std::string directory_;
  std::uint8_t protection_ = 0;  // level that ports are to have
  bool fsync_ = true;
  bool lookup_ = true;
  bool configured_once_ = false;
};

}  // namespace sm
