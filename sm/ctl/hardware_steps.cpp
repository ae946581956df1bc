#include "sm/ctl/hardware_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/forwarding_blocks.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/router_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/attributes/virtualization.h"

namespace sm::ctl {
namespace asio = boost::asio;

namespace {

using mad::AttributeId;
using Kind = HardwareAnswer::Kind;
using ValueBytes = std::span<std::uint8_t, mad::kAttributeBytes>;

// ------------------------------------------------------------------------------------------
// what the recording says of a device

template <class A>
std::optional<A> recorded(const TrialTarget& target, std::uint32_t modifier = 0) {
  const RecordedAnswer* const answer = target.recorded->find(A::kId, modifier);
  if (answer == nullptr || !answer->outcome.ok()) return std::nullopt;
  return A{std::span(answer->data)};
}

bool is_switch(const TrialTarget& target) {
  return target.place.info.node_type() == mad::NodeType::switch_;
}

std::optional<mad::PortInfo> recorded_port(const TrialTarget& target, std::uint8_t port) {
  for (const bool extended : {true, false})
    if (const auto info =
            recorded<mad::PortInfo>(target, mad::PortInfo::modifier(mad::PortNum{port}, extended)))
      return info;
  return std::nullopt;
}

template <class A>
mad::SmpData data_of(const A& attribute) {
  mad::SmpData out{};
  std::ranges::copy(attribute.bytes(), out.begin());
  return out;
}

/// Makes an Alter of a change to an attribute as a value.
template <class A, class Do>
Trial::Alter altering(Do&& change) {
  return [change = std::forward<Do>(change)](ValueBytes bytes) {
    A value{std::span<const std::uint8_t, mad::kAttributeBytes>(bytes)};
    change(value);
    std::ranges::copy(value.bytes(), bytes.begin());
  };
}

// ------------------------------------------------------------------------------------------
// steps that change some values

struct Change {
  AttributeId attribute;
  std::uint32_t modifier;
  Trial::Alter alter;
  std::optional<Trial::Sent> sent = std::nullopt;
};

/// Makes the changes in their order, up to one that is not kept.
template <std::vector<Change> (*changes)(const TrialTarget&)>
asio::awaitable<HardwareAnswer> run_changes(Trial& trial, const TrialTarget& target) {
  HardwareAnswer answer{.kind = Kind::as_expected, .found = ""};
  for (const Change& change : changes(target)) {
    const Trial::Outcome outcome = co_await trial.change(
        target.place, change.attribute, change.modifier, change.alter, change.sent);
    answer.found += (answer.found.empty() ? "" : ", ") + outcome.text;
    if (!outcome.kept) {
      answer.kind = Kind::otherwise;
      break;
    }
  }
  co_return answer;
}

/// The last block that the table can have: no packet goes there.
std::uint32_t last_lft_block(const TrialTarget& target) {
  constexpr unsigned kEntries = mad::LinearForwardingTable::kEntries;
  const unsigned cap = recorded<mad::SwitchInfo>(target)->linear_fdb_cap();
  return (std::min(cap, 0xC000u) - 1) / kEntries;
}
bool has_lft(const TrialTarget& target) {
  constexpr unsigned kEntries = mad::LinearForwardingTable::kEntries;
  const auto info = recorded<mad::SwitchInfo>(target);
  return info && info->linear_fdb_cap() >= kEntries &&
         last_lft_block(target) * kEntries > info->linear_fdb_top();
}
std::vector<Change> forwarding_changes(const TrialTarget& target) {
  return {{AttributeId::linear_forwarding_table,
           mad::LinearForwardingTable::modifier(last_lft_block(target)),
           altering<mad::LinearForwardingTable>(
               [](mad::LinearForwardingTable& block) { block.set_port(0, mad::PortNum{1}); })}};
}

bool has_mft(const TrialTarget& target) {
  const auto info = recorded<mad::SwitchInfo>(target);
  return info && info->multicast_fdb_cap() >= mad::MulticastForwardingTable::kEntries;
}
std::vector<Change> multicast_changes(const TrialTarget& target) {
  const mad::SwitchInfo info = *recorded<mad::SwitchInfo>(target);
  const unsigned block = info.multicast_fdb_cap() / mad::MulticastForwardingTable::kEntries - 1;
  std::vector<Change> out{
      {AttributeId::multicast_forwarding_table, mad::MulticastForwardingTable::modifier(block, 0),
       altering<mad::MulticastForwardingTable>([](mad::MulticastForwardingTable& mft) {
         mft.set_port_mask(mad::MulticastForwardingTable::kEntries - 1, 0x0006);
       })}};
  const auto own = recorded_port(target, 0);
  if (own && (own->capability_mask() & mad::capability::kMulticastFdbTop) != 0)
    out.push_back(
        {AttributeId::switch_info, 0, altering<mad::SwitchInfo>([](mad::SwitchInfo& value) {
           value.set_multicast_fdb_top(
               static_cast<std::uint16_t>(mad::kMlidMin.value + value.multicast_fdb_cap() - 1));
         })});
  return out;
}

bool enforces(const TrialTarget& target) {
  const auto info = recorded<mad::SwitchInfo>(target);
  return info && info->partition_enforcement_cap() > 1 && target.link.has_value();
}
/// A free entry gets a P_Key that no partition of this project's examples has.
Trial::Alter with_another_p_key(unsigned capacity) {
  return altering<mad::PKeyTable>([capacity](mad::PKeyTable& table) {
    for (unsigned i = std::min(capacity, mad::PKeyTable::kEntries); i-- > 0;)
      if (table.p_key(i).value == 0) return table.set_p_key(i, mad::PKey{0x7ABC});
  });
}
std::vector<Change> enforcement_changes(const TrialTarget& target) {
  const mad::PortNum port{target.link->port};
  const unsigned capacity = recorded<mad::SwitchInfo>(target)->partition_enforcement_cap();
  return {
      {AttributeId::p_key_table, mad::PKeyTable::modifier(0, port), with_another_p_key(capacity)},
      {AttributeId::port_info, mad::PortInfo::modifier(port, false),
       altering<mad::PortInfo>([](mad::PortInfo& info) {
         info.set_partition_enforcement_inbound(!info.partition_enforcement_inbound());
         info.set_partition_enforcement_outbound(!info.partition_enforcement_outbound());
       })}};
}

bool routes_adaptively(const TrialTarget& target) {
  const auto info = recorded<mad::AdaptiveRoutingInfo>(target);
  return info && info->group_cap() >= 8 && has_lft(target);
}
constexpr std::uint16_t kTrialGroup = 2, kCopiedGroup = 4;
Trial::Alter with_two_ports(unsigned sub_groups) {
  return altering<mad::ArGroupTable>([sub_groups](mad::ArGroupTable& table) {
    for (unsigned i = 0; i < sub_groups; ++i)
      for (unsigned port = 0; port < 256; ++port)
        table.set_port(i, mad::PortNum{static_cast<std::uint8_t>(port)}, false);
    for (unsigned i = 0; i < sub_groups; ++i)
      for (const std::uint8_t port : {std::uint8_t{1}, std::uint8_t{2}})
        table.set_port(i, mad::PortNum{port});
  });
}
/// Groups first, then entries that use them, then the switch for all: with an empty mask of SLs
/// where the device has one, so that no packet is forwarded otherwise.
std::vector<Change> adaptive_changes(const TrialTarget& target) {
  const std::uint32_t block = (last_lft_block(target) + 1) * 4 - 1;
  return {
      {AttributeId::ar_group_table,
       mad::ArGroupTable::modifier(mad::ArGroupTable::block_of(kTrialGroup)), with_two_ports(1)},
      {AttributeId::ar_linear_forwarding_table, mad::ArLinearForwardingTable::modifier(block),
       altering<mad::ArLinearForwardingTable>([](mad::ArLinearForwardingTable& table) {
         table.set_entry(0, {.state = mad::ArLidState::free,
                             .static_port = mad::PortNum{1},
                             .group = kTrialGroup});
       })},
      {AttributeId::adaptive_routing_info, mad::AdaptiveRoutingInfo::kModifier,
       altering<mad::AdaptiveRoutingInfo>([](mad::AdaptiveRoutingInfo& info) {
         info.set_enable(true);
         info.set_group_top(std::max(info.group_top(), kCopiedGroup));
         info.set_by_sl_en(info.by_sl_cap());
         if (info.by_sl_cap()) info.set_enable_by_sl_mask(0);
       })}};
}
bool copies_groups(const TrialTarget& target) {
  const auto info = recorded<mad::AdaptiveRoutingInfo>(target);
  return routes_adaptively(target) && info->group_table_copy_sup() > 0;
}
std::vector<Change> copy_changes(const TrialTarget&) {
  mad::ArGroupTableCopy copy;
  copy.set_range(0, {kCopiedGroup, kCopiedGroup + 1});
  return {
      {AttributeId::ar_group_table,
       mad::ArGroupTable::modifier(mad::ArGroupTable::block_of(kTrialGroup)), with_two_ports(1)},
      {AttributeId::ar_group_table,
       mad::ArGroupTable::modifier(mad::ArGroupTable::block_of(kCopiedGroup)), with_two_ports(2),
       Trial::Sent{.attribute = AttributeId::ar_group_table_copy,
                   .modifier = mad::ArGroupTableCopy::modifier(kTrialGroup),
                   .data = data_of(copy)}}};
}

bool could_have_vports(const TrialTarget& target) {
  const auto info = recorded<mad::VirtualizationInfo>(target);
  return info && info->vport_cap() > 1 && !info->virtualization_enable();
}
std::vector<Change> vport_changes(const TrialTarget&) {
  return {{AttributeId::virtualization_info, 0,
           altering<mad::VirtualizationInfo>([](mad::VirtualizationInfo& info) {
             info.set_virtualization_enable(true);
             info.set_vport_state_change(false);
           })}};
}

bool is_router(const TrialTarget& target) {
  return target.place.info.node_type() == mad::NodeType::router;
}
std::vector<Change> router_changes(const TrialTarget& target) {
  return {{AttributeId::p_key_table, mad::PKeyTable::modifier(0, mad::PortNum{0}),
           with_another_p_key(target.place.info.partition_cap())}};
}

// ------------------------------------------------------------------------------------------
// steps that measure

bool has_link(const TrialTarget& target) { return is_switch(target) && target.link.has_value(); }

/// Extended speeds are shown to a modifier that devices without them may refuse.
std::uint32_t link_modifier(const TrialTarget& target) {
  const mad::PortNum port{target.link->port};
  const std::uint32_t extended = mad::PortInfo::modifier(port, true);
  return recorded<mad::PortInfo>(target, extended) ? extended
                                                   : mad::PortInfo::modifier(port, false);
}

/// Keeps the states of both ends.
asio::awaitable<tl::expected<void, std::string>> keep_link(Trial& trial,
                                                           const TrialTarget& target) {
  const std::uint32_t of_peer =
      mad::PortInfo::modifier(mad::PortNum{target.link->peer_port}, false);
  for (const auto& [place, modifier] :
       {std::pair{&target.place, link_modifier(target)}, std::pair{&target.link->peer, of_peer}}) {
    const mad::SmpAnswer info = co_await trial.get(*place, AttributeId::port_info, modifier);
    if (!info.ok()) co_return tl::unexpected(std::string("PortInfo is not answered"));
    auto kept = trial.keep({.place = *place,
                            .attribute = AttributeId::port_info,
                            .modifier = modifier,
                            .data = info.data,
                            .written = info.data});
    if (!kept) co_return kept;
  }
  co_return tl::expected<void, std::string>{};
}

std::string width_and_speed(const mad::PortInfo& info) {
  return fmt::format("LinkWidthActive {}, LinkSpeedActive {}, LinkSpeedExtActive {}",
                     info.link_width_active(), info.link_speed_active(),
                     info.link_speed_ext_active());
}

/// Trains the link again; `alter` changes its settings before. Expects the former speed, or the
/// lowest speed if there is an `alter`.
asio::awaitable<HardwareAnswer> train(Trial& trial, const TrialTarget& target,
                                      const Trial::Alter& alter) {
  HardwareAnswer answer{.kind = Kind::otherwise, .found = ""};
  if (const auto kept = co_await keep_link(trial, target); !kept) {
    answer.found = kept.error();
    co_return answer;
  }
  const std::uint32_t modifier = link_modifier(target);
  if (alter) {
    const Trial::Outcome set =
        co_await trial.change(target.place, AttributeId::port_info, modifier, alter);
    answer.found = set.text + ", ";
    if (!set.kept) co_return answer;
  }
  const auto before = co_await trial.get(target.place, AttributeId::port_info, modifier);
  const Trial::Training training = co_await trial.retrain(target.place, modifier);
  const auto after = co_await trial.get(target.place, AttributeId::port_info, modifier);
  if (!training.is_up || !before.ok() || !after.ok()) {
    answer.found += fmt::format("the link is not up after {} s", Trial::kTrainingLimit.count());
    co_return answer;
  }
  const mad::PortInfo was{std::span(before.data)}, is{std::span(after.data)};
  answer.found += fmt::format("up after {} ms{}: {}; before: {}", training.time.count(),
                              training.was_seen ? "" : ", and was not seen otherwise",
                              width_and_speed(is), width_and_speed(was));
  const bool is_same = is.link_speed_active() == was.link_speed_active() &&
                       is.link_speed_ext_active() == was.link_speed_ext_active();
  const bool is_lowest = is.link_speed_active() == mad::link_speed::kSdr &&
                         is.link_speed_ext_active() == mad::link_speed_ext::kNone;
  // A link in Init is in Init again afterwards: its training is not always seen.
  const bool has_trained = training.was_seen || was.port_state() <= mad::PortState::init;
  if (is.link_width_active() == was.link_width_active() && has_trained &&
      (alter ? is_lowest : is_same))
    answer.kind = Kind::as_expected;
  co_return answer;
}
asio::awaitable<HardwareAnswer> train_again(Trial& trial, const TrialTarget& target) {
  co_return co_await train(trial, target, {});
}
asio::awaitable<HardwareAnswer> train_slower(Trial& trial, const TrialTarget& target) {
  co_return co_await train(
      trial, target, altering<mad::PortInfo>([](mad::PortInfo& info) {
        info.set_link_speed_enabled(mad::link_speed::kSdr);  // all ports have it
        if (info.link_speed_ext_supported() != 0)
          info.set_link_speed_ext_enabled(mad::link_speed_ext::kDisableAll);
      }));
}

/// Writes the same block over and over with so many requests under way.
class Repeated final : public mad::SmpBatch {
 public:
  Repeated(mad::SmpRequest request, unsigned count) : request_(request), left_(count) {}
  bool next(mad::SmpRequest& request) override {
    if (left_ == 0) return false;
    --left_;
    request = request_;
    return true;
  }
  void done(const mad::SmpRequest&, const mad::SmpReply& reply) override {
    if (!reply.ok()) ++failed;
    repeated += reply.attempts > 1 ? 1u : 0u;
    times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(reply.elapsed));
  }

  std::vector<std::chrono::microseconds> times;
  unsigned failed = 0, repeated = 0;

 private:
  mad::SmpRequest request_;
  unsigned left_;
};

asio::awaitable<HardwareAnswer> load(Trial& trial, const TrialTarget& target) {
  constexpr unsigned kRequests = 512;
  const std::uint32_t modifier = mad::LinearForwardingTable::modifier(last_lft_block(target));
  const mad::SmpAnswer before =
      co_await trial.get(target.place, AttributeId::linear_forwarding_table, modifier);
  HardwareAnswer answer{.kind = Kind::as_expected, .found = ""};
  if (!before.ok()) co_return HardwareAnswer{.kind = Kind::otherwise, .found = "not read"};
  for (const unsigned at_once : {1u, 4u, 16u, 64u}) {
    trial.client().set_limits({.window = at_once, .per_node = at_once});
    Repeated batch({.method = mad::Method::set,
                    .attribute = AttributeId::linear_forwarding_table,
                    .modifier = modifier,
                    .route = target.place.route,
                    .node = target.place.info.node_guid(),
                    .port = target.place.info.port_guid(),
                    .data = before.data},
                   kRequests);
    co_await trial.client().exchange(batch);
    std::ranges::sort(batch.times);
    answer.found += fmt::format(
        "{}{} at once: half within {} us, all within {} us, {} repeated, {} without an answer",
        answer.found.empty() ? "" : "; ", at_once, batch.times[kRequests / 2].count(),
        batch.times.back().count(), batch.repeated, batch.failed);
    if (batch.failed > 0 || (at_once <= 4 && batch.repeated > 0)) answer.kind = Kind::otherwise;
  }
  trial.client().set_limits({});
  co_return answer;
}

// ------------------------------------------------------------------------------------------

constexpr std::string_view kWrittenBack = "the block that was read before is written back";

constexpr std::array kSteps{
    HardwareStep{{"HW-WRITE-FORWARDING", "Does a switch keep entries above LinearFDBTop?",
                  "SubnSet(LinearForwardingTable), the last block: its first LID leads to port 1",
                  "read back as written", "tables are written before LinearFDBTop"},
                 kWrittenBack,
                 has_lft,
                 run_changes<forwarding_changes>},
    HardwareStep{{"HW-WRITE-MULTICAST", "Does it keep multicast entries, and MulticastFDBTop?",
                  "SubnSet(MulticastForwardingTable), the last block, position 0: its last MLID "
                  "leads to ports 1 and 2; SubnSet(SwitchInfo): MulticastFDBTop, if it has one",
                  "read back as written", "multicast trees would be programmed otherwise"},
                 kWrittenBack,
                 has_mft,
                 run_changes<multicast_changes>},
    HardwareStep{{"HW-WRITE-ENFORCEMENT", "Do P_Key tables of switch ports work?",
                  "SubnSet(P_KeyTable), block 0 of a port that is up: P_Key 0x7abc in the last "
                  "free entry; SubnSet(PortInfo): the other PartitionEnforcement",
                  "read back as written", "part_enforce would protect nothing on such switches"},
                 "both values that were read before are written back",
                 enforces,
                 run_changes<enforcement_changes>},
    HardwareStep{{"HW-WRITE-ADAPTIVE", "Are groups, their use and E kept as they are laid out?",
                  "SubnSet(ARGroupTable): ports 1 and 2 in group 2; "
                  "SubnSet(ARLinearForwardingTable), the last LIDs: free, group 2; "
                  "SubnSet(AdaptiveRoutingInfo): E, GroupTop, no SL where it has a mask of SLs",
                  "read back as written",
                  "adaptive routing stays off for switches that show something else"},
                 "the three values that were read before are written back, E first",
                 routes_adaptively,
                 run_changes<adaptive_changes>},
    HardwareStep{
        {"HW-WRITE-ADAPTIVE-COPY", "Does ARGroupTableCopy copy ports to a range of groups?",
         "SubnSet(ARGroupTable): ports 1 and 2 in group 2; SubnSet(ARGroupTableCopy): "
         "group 2 to groups 4 and 5",
         "groups 4 and 5 have these ports",
         "enable_ar_group_copy would write each group of such switches"},
        kWrittenBack,
        copies_groups,
        run_changes<copy_changes>},
    HardwareStep{{"HW-WRITE-VPORTS", "Can virtualization be switched on and off?",
                  "SubnSet(VirtualizationInfo): VirtualizationEnable", "read back as written",
                  "virt_enabled 2 would have to know how else vports are had"},
                 "VirtualizationEnable as it was read before",
                 could_have_vports,
                 run_changes<vport_changes>},
    HardwareStep{{"HW-WRITE-ROUTER-PKEY", "Does a router keep a further P_Key of its port?",
                  "SubnSet(P_KeyTable), block 0: P_Key 0x7abc in the last free entry",
                  "read back as written", "paths of partitions through the router"},
                 kWrittenBack,
                 is_router,
                 run_changes<router_changes>},
    HardwareStep{{"HW-WRITE-TRAINING", "Does a link come back after a command to train?",
                  "SubnSet(PortInfo): PortPhysicalState Polling",
                  "up within 30 s, as wide and fast as before",
                  "links would be lost after changes of their settings"},
                 "both ends are set Armed and Active, if they were",
                 has_link,
                 train_again},
    HardwareStep{
        {"HW-WRITE-SPEED", "Does LinkSpeedEnabled limit the speed of the next training?",
         "SubnSet(PortInfo): LinkSpeedEnabled 1 (2.5 Gb/s), LinkSpeedExtEnabled 30 (none), "
         "then Polling",
         "up within 30 s at that speed", "force_link_speed would do something else"},
        "both fields as before, trained again, Armed and Active if it was",
        has_link,
        train_slower},
    HardwareStep{{"HW-WRITE-LOAD", "How long do writes take with many under way?",
                  "512 SubnSet(LinearForwardingTable) of a block as it is; 1, 4, 16, 64 at once",
                  "each is answered, without a repetition at up to 4 at once",
                  "time-outs, and the number of requests to one device"},
                 "nothing is changed",
                 has_lft,
                 load},
};

}  // namespace

std::span<const HardwareStep> hardware_steps() { return kSteps; }

std::string hardware_questions_table() {
  constexpr std::string_view kHead =
      "| id | question | sent | expected | what another answer changes |\n|---|---|---|---|---|\n";
  std::string out =
      "# Questions about real devices\n"
      "`heddlectl hardware-report` answers these for the devices of a fabric; `heddlectl "
      "hardware-report --questions` prints this page. What it reads:\n\n";
  const auto row = [&out](const QuestionText& text, const std::string& sent) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", text.id, text.question, sent, text.expected,
                       text.matters);
  };
  out += kHead;
  for (const HardwareQuestion& question : hardware_questions())
    row(question.text, std::string(question.text.sent));
  out +=
      "\nWhat it writes with `--writes`, on one spare device of each type, one step after the "
      "other:\n\n";
  out += kHead;
  for (const HardwareStep& step : kSteps)
    row(step.text, fmt::format("{}. Taken back: {}", step.text.sent, step.undo));
  return out;
}

}  // namespace sm::ctl
