#pragma once
// Sends the requests of one survey, and handles their responses.

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fabric/fabric_builder.h"
#include "sm/sweep/devices/port_info_forms.h"
#include "sm/sweep/observe/discovery.h"
#include "sm/sweep/observe/silences.h"

namespace sm {

enum class QueryKind : std::uint8_t {
  node_info_behind,
  node_description,
  switch_info,
  clear_port_state_change,
  port_info,
  p_key_table,
  sm_info,
  identity,    // NodeInfo of a switch, by its port `port`, or by any if that is 0
  look,        // SwitchInfo of a switch that may have something to report
  m_key_probe  // a Set of PortInfo as it was read
};

/// Names the subject of a request; sent as its cookie.
struct Query {
  QueryKind kind;
  std::uint8_t round = 0;  // 0: first time
  mad::PortNum port{};     // of `node`
  std::uint8_t block = 0;
  NodeIndex node{0};
  /// Counts from 1 which of the port's guesses a node_info_behind is for, in place of the block; 0:
  /// what is expected there.
  std::uint8_t guess = 0;

  std::uint64_t pack() const {
    return static_cast<std::uint64_t>(kind) << 56 | static_cast<std::uint64_t>(round) << 48 |
           static_cast<std::uint64_t>(port.value) << 40 |
           static_cast<std::uint64_t>(block | guess) << 32 | node;
  }
  static Query unpack(std::uint64_t cookie) {
    const auto kind = static_cast<QueryKind>(cookie >> 56);
    const auto number = static_cast<std::uint8_t>(cookie >> 32);
    const bool is_guess = kind == QueryKind::node_info_behind;
    return {.kind = kind,
            .round = static_cast<std::uint8_t>(cookie >> 48),
            .port = mad::PortNum{static_cast<std::uint8_t>(cookie >> 40)},
            .block = is_guess ? std::uint8_t{0} : number,
            .node = NodeIndex(cookie),
            .guess = is_guess ? number : std::uint8_t{0}};
  }
};
inline constexpr NodeIndex kOwnNode =
    kNoIndex;  // node_info_behind with this node: the manager's own, hop 0
/// Bounds the PortGUIDs whose keys one survey tries behind ports where they are not expected. Each
/// costs a time-out, many at a time.
inline constexpr std::size_t kGuessesMax = 128;

class Discovery final : public mad::SmpBatch {
 public:
  /// `known` is the earlier survey that a partial one updates and `builder` is made of, or null.
  Discovery(const mad::SmpClient& client, const DiscoveryOptions& options, FabricBuilder builder,
            const Fabric* known)
      : options_(options),
        known_(known),
        client_(client),
        end_(client.now() + options.bounds.time_max),
        lost_before_(client.statistics().lost),
        builder_(std::move(builder)) {
    builder_.set_node_names(options.node_names);
    if (options.m_keys != nullptr) silences_.set_key_remedy(options.m_keys->remedy_by_clock());
    if (options.trusted != nullptr) known_copies_ = copy_places(*options.trusted);
  }

  void start_everything() { push({.kind = QueryKind::node_info_behind, .node = kOwnNode}); }

  /// Queries the identity of changed switches before it reads them. Routes of the earlier survey
  /// may now lead to other switches, whose answers would be taken for theirs.
  void start_changes(std::span<const mad::Guid> changed) {
    own_node_ = builder_.port(builder_.draft().sm_port).node;
    for (const mad::Guid guid : changed) {
      const NodeIndex node = builder_.find(guid);
      if (node == kNoIndex) continue;
      if (builder_.node(node).is_switch() && node != own_node_) {
        push({.kind = QueryKind::identity, .node = node});
      } else {
        read_known_node(node);
      }
    }
    // The own port shows whether there is a fabric at all.
    if (!builder_.node(own_node_).is_switch() && !was_read(own_node_)) read_known_node(own_node_);
  }
  /// Adds what a partial survey has to query after the answers so far. Returns false if there is
  /// nothing. Ends: each switch is queried once by each of its links, and looked at once.
  bool goes_on() {
    if (ends_early()) return false;
    if (query_reported()) return true;
    if (!misses_switches()) return query_unheard();
    query_missing_again();
    return true;
  }
  /// Tries keys of ports that the survey has not found behind ports where what is expected does not
  /// answer: a host may have moved there with its key. Returns false if there is nothing to try.
  bool query_strangers();
  /// True if cables between switches changed places unnoticed: responses over routes of the earlier
  /// survey may be those of other nodes.
  bool is_unconfirmed() const { return mistook_a_node_ || cable_moved_; }
  /// Returns the port behind which nodes are invented, as far as this survey shows.
  const std::optional<SuspectPort>& suspect() const { return suspect_; }
  /// Returns copies that this survey has built in, or read as others: the next attempt leaves them
  /// out.
  const std::vector<Duplicate>& copies() const { return copies_; }
  /// Returns the switches whose PortStateChange was cleared.
  const std::vector<mad::Guid>& claimed() const { return claimed_; }

  void query_enforcing_ports();

  bool next(mad::SmpRequest& request) override;
  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override;
  std::optional<mad::DirectedRoute> alternative_route(const mad::SmpRequest& request) override;
  Survey finish();

 private:
  // Queries
  /// True if nothing is queried any more: another survey follows, or this one takes too long.
  bool ends_early() const { return is_unconfirmed() || suspect_ || out_of_time_; }
  void push(Query query) {
    (query.kind == QueryKind::node_info_behind ? probes_ : questions_).push_back(query.pack());
  }
  bool is_moot(const Query& query) const;
  bool is_cut_off(NodeIndex node) const;
  std::optional<mad::DirectedRoute> route_of(const Query& query) const;
  bool fill(const Query& query, mad::SmpRequest& request);
  void fill_attribute(const Query& query, mad::SmpRequest& request);
  bool fill_query_behind(const Query& query, mad::SmpRequest& request);
  void read_node(NodeIndex node, mad::PortNum entry);
  void read_known_node(NodeIndex node);
  void keep_last_name(NodeIndex node);
  void read_switch_ports(NodeIndex node);
  void read_other_ports(NodeIndex node);
  bool queries_extended(const Query& query);
  bool retry_in_plain_form(const Query& query, const mad::SmpRequest& request,
                           const mad::SmpReply& reply);
  bool shows_extended_speeds(const Query& query, const mad::PortInfo& info);
  void query_p_keys(NodeIndex node, mad::PortNum port, unsigned capacity);
  void query_p_key_blocks(NodeIndex node, mad::PortNum port, unsigned begin, unsigned end);
  void query_other_p_keys(NodeIndex node);
  bool may_wait_for_p_keys(const Port& port) const;
  PortIndex port_in(const Fabric& fabric, PortIndex old) const;
  void note_cut(PortIndex from, PortIndex to);
  bool traverses_cut(const mad::DirectedRoute& route) const;
  void refresh_routes();
  void reroute_around_cut_links();
  bool was_port_read(PortIndex port) const {
    return port < ports_read_.size() && ports_read_[port];
  }
  struct Followed {
    PortIndex unread = kNoIndex;  // the port before the first link that was not read; kNoIndex: all
                                  // links were
    bool leads_on = true;         // false: over a link that is gone
  };
  bool forwards(NodeIndex node) const;
  Followed follow(const mad::DirectedRoute& route) const;
  PortIndex entry_of(const mad::DirectedRoute& route) const;
  bool admits(const mad::DirectedRoute& route, const Query& query);
  void link_was_read(PortIndex link);
  bool misses_switches() const {
    return !missing_.empty() || !around_.empty() || !waiting_.empty() ||
           (!stranded_.empty() && joined_at_retry_ != joined_.size());
  }
  void query_missing_again();
  void give_up_waiting();
  bool query_reported();
  bool query_unheard();
  std::vector<NodeIndex> unheard() const;
  void on_look(NodeIndex node, const mad::SwitchInfo& info);
  void found_by_other_link(NodeIndex node, PortIndex entry, const mad::DirectedRoute& route);
  void on_missing(const Query& query, const mad::SmpRequest& request, const mad::SmpReply& reply);
  void query_behind(NodeIndex node, mad::PortNum port);
  void query_neighbours(NodeIndex changed);
  void note_port_read(PortIndex port);
  void query_identity(NodeIndex node);
  const Port* earlier(PortIndex port) const;
  mad::Guid expected_behind(PortIndex port) const;
  std::unordered_set<mad::Guid> found_guids() const;
  bool was_silent(PortIndex port) const;
  bool needs_key_first(NodeIndex node) const;
  bool shows_unconfirmed_m_key(const Query& query, const mad::PortInfo& info) const;
  bool knows_m_key(const Query& query, const mad::PortInfo& info);

  // Answers
  void on_node_info(const Query& query, const mad::NodeInfo& info, const mad::DirectedRoute& route);
  bool has_room_for(const mad::NodeInfo& info) const;
  void suspect_branch(std::vector<std::uint64_t> weight);
  std::vector<std::uint64_t> unread_by_node() const;
  bool is_known(NodeIndex node) const;
  bool is_suspect(PortIndex port) const;
  void on_malformed_response(const Query& query, std::string text);
  bool is_repeated(NodeIndex node, const mad::SwitchInfo& info);
  void on_switch_info(const Query& query, const mad::SwitchInfo& info);
  void on_port_info(const Query& query, const mad::PortInfo& info);
  void take_port_info(const Query& query, const mad::PortInfo& info);
  void on_silence(const Query& query, const mad::SmpRequest& request, const mad::SmpReply& reply);
  unsigned extra_rounds(const Query& query) const;
  bool may_have_another_m_key(mad::Guid port);
  void leave_out_unknown_key(const Query& query);
  void note_unread_ports();
  void note_disagreeing_ends(const Fabric& fabric);
  mad::SwitchInfo checked(NodeIndex node, mad::SwitchInfo info);
  void note_silence_behind(const Query& query);
  void remember_link_of(NodeIndex node);
  bool is_elsewhere(mad::Guid port, PortIndex front) const;
  void note_silence(NodeIndex node, mad::AttributeId attribute, std::uint16_t status);
  void join(PortIndex from, PortIndex to, const mad::NodeInfo& info);
  void note_move(PortIndex port, PortIndex peer);

  // Duplicates
  /// Describes a node that has a GUID of another answer: of this survey, or, if `node` is kNoIndex,
  /// of the last subnet.
  struct Holder {
    Duplicate::Of of{};
    mad::Guid guid;
    PortPlace place = {};
    NodeIndex node = kNoIndex;
    PortIndex front = kNoIndex;
  };
  std::optional<Holder> find_holder(const Query& query, const mad::NodeInfo& info) const;
  std::optional<Holder> find_holder_now(const mad::NodeInfo& info) const;
  std::optional<PortPlace> place_in_last_subnet(const Query& query,
                                                std::span<const Port> ports) const;
  PortIndex front_of(NodeIndex node) const;
  PortIndex front_of_port(PortIndex port) const;
  PortPlace place(PortIndex port) const;
  std::pair<unsigned, PortPlace> distance(PortIndex port) const;
  bool held_guid(Duplicate::Of of, mad::Guid guid, const PortPlace& front) const;
  GuidClaim claim(const Holder& holder, NodeIndex node, PortIndex front,
                  const mad::NodeInfo& shown) const;
  mad::NodeInfo shown_by(PortIndex port) const;
  void on_duplicate(const Query& query, const mad::NodeInfo& info, const Holder& holder);
  bool is_own(NodeIndex node) const;
  PortIndex own_front() const;
  bool is_beside_own_cable(PortIndex from, PortIndex to) const;
  void contest(PortIndex claimed, PortIndex claimant, const mad::NodeInfo& info);
  void resolve_conflict(PortIndex claimed, PortIndex claimant, const mad::NodeInfo& info);
  void report_duplicates();
  void report_duplicate(const Duplicate& duplicate);
  PortPlace holder_place(const Duplicate& duplicate) const;
  std::string place_name(const PortPlace& place) const;

  void report(ConditionId kind, std::string text) { builder_.report({kind, std::move(text)}); }
  std::string last_name_behind(PortIndex port) const;
  std::string port_name(PortIndex port) const { return builder_.draft().port_name(port); }
  bool& was_read(NodeIndex node);
  std::set<mad::Guid> touched() const;

  const DiscoveryOptions& options_;
  const Fabric* known_;  // its port indices are those of builder_, which has more behind them
  const mad::SmpClient& client_;
  mad::TimePoint end_;
  std::uint64_t lost_before_;  // SMPs, before this survey
  FabricBuilder builder_;
  std::deque<std::uint64_t>
      probes_;  // sent first, so that a link is known before its other end is read
  std::deque<std::uint64_t> questions_;
  std::deque<bool> read_;         // by node: its reading was begun in this survey
  std::vector<bool> ports_read_;  // by port: its PortInfo was read in this survey
  PortInfoForms forms_;
  std::unordered_set<NodeIndex> first_port_only_;     // switches of which the form is not known yet
  std::unordered_map<PortIndex, unsigned> contests_;  // claimed port -> rounds
  fabric::ByGuid<PortIndex> port_of_guid_;  // of nodes that answered; of a switch its port 0
  std::set<PortPlace> known_copies_;        // in the last subnet
  std::vector<Duplicate> duplicates_;       // that this survey found
  std::vector<Duplicate> copies_;
  std::vector<std::pair<PortIndex, mad::SmInfo>> sms_;
  NodeIndex own_node_ = kNoIndex;
  /// Links that are gone, each by the route to the node behind it. Routes that begin with one of
  /// these are found again before a request uses them.
  std::vector<mad::DirectedRoute> cut_;
  bool cable_joined_ = false;  // there may be shorter ones, or one again to what was cut off;
                               // searched for when a request has no response
  struct Missing {
    NodeIndex node;
    mad::DirectedRoute route;
  };
  bool query_by_other_links(const Missing& missing);
  std::vector<Missing> missing_;                    // switches that did not say who they are
  std::map<NodeIndex, std::set<PortIndex>> tried_;  // ports by which they were queried again
  std::map<NodeIndex, std::set<PortIndex>> silent_entries_;  // by which all attempts failed
  std::map<PortIndex, std::vector<std::uint64_t>> waiting_;  // queries, until this port was read
  std::vector<std::uint64_t> stranded_;  // queries whose route leads over a link that is gone, or a
                                         // switch that is missing
  std::set<PortIndex> joined_;           // partial surveys: both ends of each link that was found
  /// How many there were when stranded queries were tried again; they are tried again after more.
  std::size_t joined_at_retry_ = ~std::size_t{0};
  std::set<NodeIndex> looked_at_;
  std::vector<mad::Guid> reported_;  // of query_reported(), that were not read before
  bool has_lost_links_ = false;      // between switches, since query_unheard()
  /// Switches that have lost a link, with the unread ports in front of their other links.
  std::map<NodeIndex, std::set<PortIndex>> around_;
  std::set<NodeIndex> looked_around_;
  bool mistook_a_node_ = false;
  bool cable_moved_ = false;
  std::map<NodeIndex, mad::SwitchInfo> defective_;  // answered once
  std::set<mad::Guid> unread_;
  std::set<PortPlace> unread_p_keys_;
  std::vector<PortIndex>
      waiting_p_keys_;  // of builder_: ports of which only the first block is read
  std::vector<mad::Guid> claimed_;
  std::set<NodeIndex> key_first_;  // switches whose port 0 is read before SwitchInfo
  bool has_hidden_m_keys_ = false, has_new_silence_ = false;
  Silences silences_;
  std::vector<PortIndex> strangers_;  // in front of what does not answer to the keys of what is
                                      // expected there
  std::map<PortIndex, std::vector<mad::Guid>> guesses_;  // PortGUIDs, for the first of them
  std::size_t guesses_left_ = kGuessesMax;
  std::size_t nodes_reported_ = 0;
  std::vector<PortIndex> found_behind_;  // by node, as heaviest_branch() has it
  std::vector<std::uint64_t> too_far_;   // by node: ports from which no route leads on
  unsigned too_far_count_ = 0;
  std::optional<SuspectPort> suspect_;
  bool suspect_searched_ = false;  // once in a survey
  bool out_of_time_ = false;
  std::string first_ignored_;  // the first node for which there was no room, and where it is
  std::size_t ignored_ = 0;    // answers of such nodes
};

}  // namespace sm
