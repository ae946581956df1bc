#include "sm/sa/notices.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "mad/attributes/notice.h"
#include "mad/format.h"
#include "routing/qos/path_sl.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/sa_conditions.h"

namespace sa {

bool GroupChanges::add(const GroupNotice& notice) {
  const bool is_created = notice.trap == mad::TrapNumber::multicast_group_created;
  const auto [place, is_first] = groups_.try_emplace(notice.mgid);
  Change& change = place->second;
  change.exists = is_created;
  change.p_key = notice.p_key;
  if (is_first) {
    change.p_key_before = notice.p_key;
    change.is_reported_to_exist = !is_created;
    if (at_once_ < kAtOnceMax) {
      ++at_once_;
      change.is_reported_to_exist = is_created;
      return true;
    }
  }
  change.is_pending = true;
  return false;
}

void GroupChanges::clear() {
  groups_.clear();
  at_once_ = 0;
}

std::vector<GroupNotice> GroupChanges::take() {
  std::vector<GroupNotice> out;
  for (const auto& [mgid, change] : groups_) {
    if (!change.is_pending) continue;
    if (change.is_reported_to_exist)
      out.push_back({mad::TrapNumber::multicast_group_deleted, mgid, change.p_key_before});
    if (change.exists)
      out.push_back({mad::TrapNumber::multicast_group_created, mgid, change.p_key});
  }
  clear();
  return out;
}

Notices::Notices(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
                 sm::ConditionLog& conditions, Subscriptions& subscriptions,
                 std::function<UnixTime()> wall_clock)
    : runtime_(runtime),
      log_(log),
      conditions_(conditions),
      subscriptions_(subscriptions),
      wall_clock_(std::move(wall_clock)),
      groups_timer_(runtime.make_timer([this] { report_merged_groups(); })),
      sender_(runtime, transport,
              [this](std::uint64_t key, ReportSender::End end) { report_ended(key, end); }) {}

void Notices::publish(std::shared_ptr<const fabric::Subnet> subnet, sm::SharedContext context) {
  subnet_ = std::move(subnet);
  context_ = std::move(context);
}

void Notices::stand_down() {
  subnet_ = nullptr;
  sender_.clear();
  awaited_.clear();
  waiting_.clear();
  groups_.clear();
  groups_timer_->cancel();
  groups_timer_runs_ = false;
}

void Notices::report(Report report) {
  if (!subnet_) return;
  if (waiting_.size() >= kWaitingMax) {
    sender_.count_dropped();
    conditions_.occurred(
        {.id = kSaConditions.sa_reports_dropped,
         .text = fmt::format("a notice was dropped: {} waited to be reported", waiting_.size())});
    return;
  }
  Waiting& waiting = waiting_.emplace_back(Waiting{.report = std::move(report)});
  std::ranges::copy(waiting.report.notice.bytes(), waiting.bytes.begin());
  const mad::Gid issuer = waiting.report.issuer_gid;
  mad::write(waiting.bytes, mad::Field{512, 64, "IssuerGID.prefix"}, issuer.prefix);
  mad::write(waiting.bytes, mad::Field{576, 64, "IssuerGID.guid"}, issuer.guid.value);
  schedule();
}

void Notices::schedule() {
  if (std::exchange(scheduled_, true)) return;
  boost::asio::post(runtime_.executor(), [this, alive = alive_] {
    if (*alive) work();
  });
}

void Notices::work() {
  scheduled_ = false;
  std::size_t steps = kStepsAtATime;
  while (subnet_ && !waiting_.empty() && steps > 0) {
    Waiting& waiting = waiting_.front();
    recipients_.clear();
    // A notice without subscribers counts as a step as well.
    const std::size_t used = 1 + append_recipients(subscriptions_, *subnet_, waiting.report,
                                                   context_->options.subnet_prefix,
                                                   waiting.position, steps, recipients_);
    steps -= std::min(steps, used);
    for (const Recipient& recipient : recipients_) send(waiting, recipient);
    if (waiting.position.at_end) waiting_.pop_front();
  }
  if (!waiting_.empty()) schedule();
}

void Notices::send(const Waiting& waiting, const Recipient& recipient) {
  const std::uint64_t key = next_++;
  awaited_.emplace(key, recipient.target);
  sender_.send(waiting.bytes,
               {.lid = recipient.lid,
                .qpn = recipient.target.qpn,
                .qkey = mad::kQp1QKey,
                .sl = sl_to(recipient.lid),
                .grh = route_to(recipient)},
               recipient.client, key);
}

/// Adds a global route header for a vport: a device finds the vport by the destination GID.
std::optional<mad::GlobalRoute> Notices::route_to(const Recipient& recipient) const {
  if (!recipient.client.is_vport()) return std::nullopt;
  return mad::GlobalRoute{.peer = recipient.gid, .hop_limit = vport_hop_limit(context_->options)};
}

/// Returns the SL of packets from the manager.
mad::Sl Notices::sl_to(mad::Lid lid) const {
  const mad::Sl requested{context_->options.sm_sl};
  const fabric::PortIndex to = subnet_->lids.owner(lid);
  if (!subnet_->routing || to == fabric::kNoIndex) return requested;
  const fabric::Fabric& fabric = subnet_->fabric;
  return routing::path_sl(
      *subnet_->routing,
      {fabric.leaf_switch(fabric.sm_port), routed_as(*subnet_, lid), fabric.leaf_switch(to)},
      requested);
}

void Notices::report_ended(std::uint64_t key, ReportSender::End end) {
  const auto found = awaited_.find(key);
  if (found == awaited_.end()) return;
  const ReportTarget target = found->second;
  awaited_.erase(found);
  if (end == ReportSender::End::delivered) return subscriptions_.report_arrived(target);
  if (end == ReportSender::End::dropped) {
    conditions_.occurred(
        {.id = kSaConditions.sa_reports_dropped,
         .text = fmt::format("a report to the subscriber with port GUID {} was dropped: {} reports "
                             "waited to be sent",
                             target.subscriber, sender_.waiting()),
         .guid = target.subscriber});
    return;
  }
  const Subscriptions::FailureLimit limit =
      context_->options.drop_event_subscriptions
          ? Subscriptions::FailureLimit{.reports = 1, .time = {}}
          : Subscriptions::FailureLimit{};
  if (subscriptions_.report_failed(target, wall_clock_(), limit) &&
      subscription_lines_.admit(runtime_.now())) {
    log_.warn(
        "the subscriber with port GUID {} has not acknowledged any of the latest reports to queue "
        "pair {}: its subscriptions there are dropped",
        target.subscriber, target.qpn);
  }
}

void Notices::report_groups(const std::vector<GroupNotice>& notices) {
  for (const GroupNotice& notice : notices) {
    log_group(notice);
    if (!subnet_) continue;
    if (groups_.add(notice)) report(report_of_group(notice, own_lid(), own_gid()));
    if (groups_.is_full()) report_merged_groups();
    if (!std::exchange(groups_timer_runs_, true)) groups_timer_->arm(runtime_.now() + kGroupsEvery);
  }
}

void Notices::report_merged_groups() {
  groups_timer_runs_ = false;
  groups_timer_->cancel();
  if (!subnet_) return groups_.clear();
  for (const GroupNotice& notice : groups_.take())
    report(report_of_group(notice, own_lid(), own_gid()));
}

void Notices::log_group(const GroupNotice& notice) {
  const std::optional<std::uint64_t> left_out = group_lines_.admit(runtime_.now());
  if (!left_out) return;
  sm::log_detail(
      log_, "log_notice: Reporting Informational Notice \"{}\", MGID:{}{}",
      notice.trap == mad::TrapNumber::multicast_group_created ? "New mcast group created"
                                                              : "Mcast group deleted",
      gid_text(notice.mgid),
      *left_out == 0 ? "" : fmt::format(" ({} more since the last such line)", *left_out));
}

void Notices::report_ports(const fabric::Subnet& before) {
  const fabric::Subnet& after = *subnet_;
  const auto missing_in = [](const fabric::Subnet& here, const fabric::Subnet& there,
                             mad::TrapNumber trap, auto&& missing) {
    const auto is_missing = [&](mad::Guid guid) {
      return there.find(guid).port == fabric::kNoIndex;
    };
    // Both have the same order except for changes, so few ports are searched for by GUID.
    const auto& others = there.fabric.end_ports;
    fabric::EndPortIndex next{0};  // of `there`
    for (const fabric::PortIndex port : here.fabric.end_ports) {
      const mad::Guid guid = here.fabric.ports[port].guid;
      if (others.has(next) && there.fabric.ports[others[next]].guid == guid) {
        ++next;
        continue;
      }
      if (is_missing(guid)) {
        missing(trap, fabric::EndPoint{.port = port}, here);
      } else if (const auto at = there.fabric.port_of_guid.find(guid);
                 at != there.fabric.port_of_guid.end()) {
        next = there.end_port_index[at->second] + 1;
      }
    }
    if (!here.vports || here.vports == there.vports) return;
    for (const fabric::VPortIndex index : here.vports->vports.indices()) {
      const fabric::VPort& vport = here.vports->vports[index];
      if (here.vports->find(vport.guid) == index && is_missing(vport.guid))
        missing(trap, fabric::EndPoint{.port = vport.port, .vport = index}, here);
    }
  };
  const auto send_notice = [&](mad::TrapNumber trap, fabric::EndPoint end,
                               const fabric::Subnet& subnet) {
    sm::log_detail(log_, "log_notice: Reporting Informational Notice \"GID {}\", GID:{} ({})",
                   trap == mad::TrapNumber::gid_in_service ? "in service" : "out of service",
                   gid_text({context_->options.subnet_prefix, subnet.find_guid(end)}),
                   end.vport == fabric::kNoIndex
                       ? subnet.fabric.name(subnet.fabric.ports[end.port].node)
                       : find_name(subnet, end));
    report(
        report_of_port(trap, end, subnet, own_lid(), own_gid(), context_->options.subnet_prefix));
  };
  missing_in(before, after, mad::TrapNumber::gid_out_of_service, send_notice);
  missing_in(after, before, mad::TrapNumber::gid_in_service, send_notice);
}

void Notices::on_trap(const mad::Notice& notice, mad::Lid issuer) {
  if (!subnet_) return;
  const fabric::PortIndex port = subnet_->lids.owner(issuer);
  if (port != fabric::kNoIndex)
    report(report_of_trap(notice, port, issuer, *subnet_, context_->options.subnet_prefix));
}

mad::Gid Notices::own_gid() const {
  return {context_->options.subnet_prefix, subnet_->fabric.ports[subnet_->fabric.sm_port].guid};
}
mad::Lid Notices::own_lid() const { return subnet_->lid_range(subnet_->fabric.sm_port).base; }

}  // namespace sa
