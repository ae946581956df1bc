#include "sm/manager/mastership.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mad/attributes/notice.h"
#include "mad/format.h"
#include "sm/election/election_conditions.h"
#include "sm/sweep/decide/changes.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// A MASTER waits this long for one of lower rank to hand over, then programs the subnet.
constexpr mad::Duration kHandoverWait = std::chrono::seconds(3);
/// Interval between reads of the other manager's SMInfo during a handover.
constexpr mad::Duration kHandoverPoll = std::chrono::milliseconds(200);

/// Subnet administration of a former master answers at most this long after a handover.
constexpr mad::Duration kServiceMax = std::chrono::seconds(30);

/// Interval between surveys that follow stalls of the process.
constexpr mad::Duration kStallSurveyPause = std::chrono::seconds(10);

}  // namespace

Mastership::Mastership(const Parts& parts, SmRank self, bool others_in_process)
    : runtime_(parts.runtime),
      log_(parts.log),
      conditions_(parts.conditions),
      client_(parts.client),
      sends_(parts.sends),
      loop_(parts.loop),
      sweeper_(parts.sweeper),
      administrator_(parts.administrator),
      events_(parts.events),
      self_(self),
      standby_view_(parts.runtime, parts.transport, parts.log, parts.wall_clock),
      links_(parts.runtime, parts.transport),
      write_guard_(parts.runtime, parts.client, *this) {
  PortWatch::Owner& owner = *this;
  if (others_in_process) port_watch_.emplace(parts.runtime, parts.client, owner);
}

void Mastership::begin() {
  enter(loop_.options().sm_inactive ? mad::SmState::not_active : mad::SmState::discovering);
}

void Mastership::end() {
  standby_view_.end();
  links_.end();
  resign();
}

void Mastership::enter(mad::SmState state) {
  const mad::SmState before = state_;
  if (state != before && !(leads() && administrator_.is_retired())) administrator_.stand_down();
  if (state != mad::SmState::standby) conditions_.set_active(ConditionSource::master, {});
  if (state == mad::SmState::master) followed_masters_.lead(runtime_.now());
  if (state == mad::SmState::not_active) followed_masters_.resign();
  // The conditions of a DISCOVERING manager come from its own surveys.
  const bool reports_fabric = state == mad::SmState::master || state == mad::SmState::discovering;
  if (const std::size_t count = conditions_.set_leads(reports_fabric); count > 0 && !reports_fabric)
    log_.info("this manager is not MASTER, and no longer reports {} of the fabric",
              count == 1 ? std::string("1 condition") : fmt::format("{} conditions", count));
  if (state == mad::SmState::standby) {
    standby_view_.begin(loop_.context(), self_.guid, sweeper_.m_keys());
  } else {
    standby_view_.end();
    links_.end();
  }
  state_ = state;
  events_.on(StateEntered{.before = before, .now = state});
  log_.critical("Entering {} state", state_text(state));
}

SmRank Mastership::own_rank() const {
  SmRank rank = self_;
  if (leads()) rank.priority = std::max(rank.priority, loop_.options().master_sm_priority);
  return rank;
}

tl::expected<void, std::string> Mastership::require_master() const {
  if (leads()) return {};
  return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
}

// ------------------------------------------------------------------------------------------
// election

/// Decides by the SMInfo of other managers, and raises conditions about untrusted managers.
ElectionDecision Mastership::decide_election(const Fabric& fabric, std::span<const OtherSm> sms) {
  const config::Options& options = loop_.options();
  write_guard_.know(fabric, {});
  ManagersSeen seen;
  for (const OtherSm& sm : sms)
    if (sm.port != kNoIndex) seen.ports.insert(fabric.ports[sm.port].guid);
  if (!seen.ports.empty()) events_.on(seen);
  if (options.ignore_other_sm) return {};
  OtherManagers others = check_managers(fabric, sms, options.sm_key, options.allowed_sm_guids);
  write_guard_.know(fabric, others.trusted);
  list_managers(fabric, sms, others.trusted);
  ElectionDecision decision =
      elect(own_rank(), state_, others.trusted, passed_over_.at(runtime_.now()));
  detect_former_masters(others.trusted);
  if (decision.event != SmEvent::found_master)
    std::ranges::move(other_masters(fabric, own_rank(), others.trusted),
                      std::back_inserter(others.conditions));
  conditions_.set_active(ConditionSource::managers, std::move(others.conditions));
  return decision;
}

/// Lists all managers that were found for operators, and marks the trusted ones.
void Mastership::list_managers(const Fabric& fabric, std::span<const OtherSm> sms,
                               std::span<const OtherSm> trusted) {
  std::vector<KnownManager> known;
  for (const OtherSm& sm : sms) {
    if (sm.port == kNoIndex) continue;
    known.push_back(
        {.guid = fabric.ports[sm.port].guid,
         .name = fabric.port_name(sm.port),
         .priority = sm.info.priority(),
         .state = sm.info.sm_state(),
         .counts = std::ranges::find(trusted, sm.port, &OtherSm::port) != trusted.end()});
  }
  for (const std::string& line : known_.replace(std::move(known))) log_.info("{}", line);
}

/// Requests a survey if a second MASTER is no longer there: it has written until then.
void Mastership::detect_former_masters(std::span<const OtherSm> trusted) {
  const bool beside = leads() && std::ranges::any_of(trusted, [](const OtherSm& sm) {
                        return sm.info.sm_state() == mad::SmState::master;
                      });
  const bool unknown_led = unknown_master_ && std::ranges::any_of(trusted, [&](const OtherSm& sm) {
                             return sm.info.guid() == *unknown_master_;
                           });
  if (unknown_led) unknown_master_.reset();
  if ((std::exchange(sees_other_master_, beside) || unknown_led) && leads() && !beside)
    survey_after_another("another subnet manager is no longer MASTER");
}

asio::awaitable<bool> Mastership::leads_after(Survey& survey) {
  const ElectionDecision decision = decide_election(survey.fabric, survey.sms);
  resolve_unknown_control(!unknown_master_);
  const SmRule* const rule = find_rule(state_, decision.event);
  if (rule == nullptr) co_return false;  // a Set(SMInfo) changed the state during the survey
  if (rule->action == SmAction::program) {
    if (state_ != rule->to) {
      if (names_another_master(survey.fabric.ports[survey.fabric.sm_port].info, {}))
        events_.on(AnotherMasterWrote{});
      enter(rule->to);
    }
    co_return true;
  }
  const OtherSm other = *decision.other;
  const std::string name = survey.fabric.port_name(other.port);
  if (rule->action == SmAction::poll) {
    log_.critical("{}: {} with priority {}, by route {}; entering STANDBY", decision.why, name,
                  other.info.priority(), other.route.text());
    if (loop_.is_once()) {
      log_.error(
          "asked to run once, but the subnet belongs to another manager: nothing was programmed");
      loop_.end(1);
    }
    follow(other, std::make_shared<const Fabric>(std::move(survey.fabric)));
    enter(rule->to);
    co_return false;
  }
  const auto fabric = std::make_shared<const Fabric>(survey.fabric);
  if (rule->action == SmAction::hand_over) {
    const bool stepped_down = co_await hand_over(other, fabric);
    co_return !stepped_down && !loop_.is_stopping() && leads();
  }
  master_found_ = MasterFound{.fabric = fabric, .sms = survey.sms};
  const bool go_on = co_await await_handover(other, fabric);
  master_found_.reset();
  co_return go_on && !loop_.is_stopping() && leads();
}

asio::awaitable<void> Mastership::compare_managers(std::shared_ptr<const Subnet> subnet,
                                                   std::vector<OtherSm> sms) {
  const ElectionDecision decision = decide_election(subnet->fabric, sms);
  const SmRule* const rule = find_rule(state_, decision.event);
  if (rule == nullptr || !decision.other) co_return;
  const std::shared_ptr<const Fabric> fabric(subnet, &subnet->fabric);
  const OtherSm other = *decision.other;
  if (rule->action == SmAction::hand_over) {
    co_await hand_over(other, fabric);
  } else if (rule->action == SmAction::await_handover) {
    request_handover(other, *fabric);
  }
}

// ------------------------------------------------------------------------------------------
// handover

/// Sends HANDOVER. Returns true if this manager is no longer MASTER afterwards. Either the
/// response, or an earlier ACKNOWLEDGE, ends its mastership. If both are lost, a later read finds
/// the other manager as MASTER.
asio::awaitable<bool> Mastership::hand_over(OtherSm to, std::shared_ptr<const Fabric> fabric) {
  const std::string name = fabric->port_name(to.port);
  log_.critical("handing over to {} with priority {} ({})", name, to.info.priority(),
                state_text(to.info.sm_state()));
  mad::SmpRequest request{.method = mad::Method::set,
                          .attribute = mad::AttributeId::sm_info,
                          .modifier = mad::SmInfo::modifier(mad::SmControl::handover),
                          .route = to.route,
                          .port = fabric->m_key_port(to.port)};
  std::ranges::copy(own_sm_info().bytes(), request.data.begin());  // as MASTER
  handover_ = Handover{.to = to, .fabric = fabric};
  mad::SmpAnswer answer = co_await client_.ask(request);
  const bool refused = answer.fault == mad::SmpFault::bad_status;
  bool accepted = answer.ok();
  if (!accepted && handover_ && to.info.sm_state() == mad::SmState::master) {
    // A MASTER that does not wait for a HANDOVER need not accept it: it leads if it answers.
    answer = co_await client_.ask({.attribute = mad::AttributeId::sm_info,
                                   .route = to.route,
                                   .port = fabric->m_key_port(to.port)});
    accepted = answer.ok() && mad::SmInfo(answer.data).sm_state() == mad::SmState::master;
  }
  if (!leads()) co_return true;  // ACKNOWLEDGE
  handover_.reset();
  if (!accepted) {
    passed_over_.add(to.info.guid(), runtime_.now());
    conditions_.occurred({.id = kMastershipConditions.handover_failed,
                          .text = fmt::format("the subnet manager at {} {} HANDOVER", name,
                                              refused ? "refused" : "did not answer"),
                          .guid = to.info.guid()});
    co_return false;
  }
  step_down(*find_rule(state_, SmEvent::handover_accepted), to, std::move(fabric));
  co_return true;
}

void Mastership::step_down(const SmRule& rule, OtherSm successor,
                           std::shared_ptr<const Fabric> fabric) {
  log_.critical("{} leads this subnet now", fabric->port_name(successor.port));
  if (loop_.is_once()) loop_.end(1);
  follow(successor, std::move(fabric));
  administrator_.retire();
  handover_deadline_ = runtime_.now() + kServiceMax;
  enter(rule.to);
}

/// Ends subnet administration of a former master when the own port, which is one of the last, has
/// the LID of the new master.
asio::awaitable<void> Mastership::end_service() {
  const std::shared_ptr<const Fabric> fabric = standby_.shared_fabric();
  const mad::Lid own = fabric->ports[fabric->sm_port].info.lid();
  const mad::SmpAnswer answer = co_await client_.ask(write_guard_.own_port().value());
  const bool taken_over = answer.ok() && mad::PortInfo(answer.data).master_sm_lid() != own;
  if (state_ != mad::SmState::standby || (!taken_over && runtime_.now() < handover_deadline_))
    co_return;
  administrator_.stand_down();
  log_.info("clients ask the new master now");
}

void Mastership::follow(OtherSm master, std::shared_ptr<const Fabric> fabric) {
  // The master may be about to give ports keys without which they do not answer.
  if (sweeper_.m_keys().needs_guids()) sweeper_.m_keys().note_links(neighbor_links(*fabric));
  const bool has_led =
      followed_masters_.follow(master.info.guid(), fabric->port_name(master.port), runtime_.now());
  // An unexpected master has a condition of its own.
  if (has_led && !followed_masters_.unexpected(loop_.options().allowed_sm_guids))
    conditions_.occurred(mastership_lost(*fabric, own_rank(), master));
  standby_.follow(master, std::move(fabric));
  report_master();
  request_pause_.reset();
  next_request_ = {};
  request_handover_of_master();
}

/// Sends repeated requests to a MASTER of lower rank than this manager until it hands over.
void Mastership::request_handover_of_master() {
  const OtherSm* const master = standby_.master();
  if (master != nullptr && master->info.sm_state() == mad::SmState::master &&
      outranks(own_rank(), find_rank(master->info)))
    request_handover(*master, *standby_.fabric());
}

/// Sends trap 144 (SMPriority) to a MASTER of lower rank, as OpenSM does: the MASTER reads SMInfo,
/// and hands over. The trap is repeated with pauses that grow up to 10 s.
void Mastership::request_handover(const OtherSm& master, const Fabric& fabric) {
  if (runtime_.now() < next_request_) return;
  const mad::PortInfo& own = fabric.ports[fabric.sm_port].info;
  const mad::Lid to = fabric.ports[master.port].info.lid();
  if (!is_unicast(own.lid()) || !is_unicast(to)) return;
  next_request_ = runtime_.now() + request_pause_.next();
  mad::LocalChangeNotice notice;
  notice.set_is_generic(true);
  notice.set_type(mad::NoticeType::informational);
  notice.set_producer_type(fabric.owning_node(fabric.sm_port).is_switch()
                               ? mad::ProducerType::switch_
                               : mad::ProducerType::ca);
  notice.set_trap_number(mad::TrapNumber::local_change);
  notice.set_issuer_lid(own.lid());
  notice.set_lid(own.lid());
  notice.set_other_local_changes(true);
  notice.set_capability_mask(own.capability_mask());
  notice.set_change_flags(mad::LocalChangeNotice::kSmPriority);
  mad::MadBytes bytes;
  mad::make_lid_smp(bytes, mad::Method::trap, mad::AttributeId::notice, 0, own.m_key(),
                    runtime_.random())
      .set_data(notice.bytes());
  sends_.send(bytes, {.lid = to});
  log_.info("trap 144 to {}, which is MASTER with lower rank", fabric.port_name(master.port));
}

/// Waits while another manager is MASTER, too. Returns true if it stays MASTER, and this one
/// decides. Returns false if it stepped down; its late writes require another survey.
asio::awaitable<bool> Mastership::await_handover(OtherSm other,
                                                 std::shared_ptr<const Fabric> fabric) {
  log_.critical("{} is MASTER, too, with lower rank: waiting for it to hand over",
                fabric->port_name(other.port));
  const mad::TimePoint end = runtime_.now() + kHandoverWait;
  for (;;) {
    request_handover(other, *fabric);
    const mad::SmpAnswer answer = co_await client_.ask({.attribute = mad::AttributeId::sm_info,
                                                        .route = other.route,
                                                        .port = fabric->m_key_port(other.port)});
    if (loop_.is_stopping() || !leads()) co_return false;
    const bool leads = answer.ok() && mad::SmInfo(answer.data).sm_state() == mad::SmState::master;
    if (!leads) {
      sees_other_master_ = false;
      survey_after_another("another subnet manager is no longer MASTER");
      co_return false;
    }
    if (runtime_.now() >= end) break;
    const mad::TimePoint next = runtime_.now() + kHandoverPoll;
    co_await loop_.pause_until(next);
  }
  passed_over_.add(other.info.guid(), runtime_.now());
  co_return true;
}

/// Another manager was MASTER beside this one: it has written its own decisions, tables included,
/// and clients have registered there.
void Mastership::survey_after_another(std::string why) {
  administrator_.take_over(*loop_.context());
  events_.on(AnotherMasterWrote{});
  loop_.request_everything(std::move(why), false);
}

void Mastership::resign() {
  if (leads()) events_.on(Resigned{});
}

void Mastership::link_lost() {
  resign();
  loop_.request_everything("the own port has no link");
}

/// The light sweep reads the port, too, and says what is wrong with it.
void Mastership::port_silent() {
  loop_.scheduler().request_light_sweep(runtime_.now());
  loop_.wake();
}

void Mastership::master_resigned(mad::Guid port) {
  if (state_ == mad::SmState::standby && standby_.resigned(port)) loop_.wake();
}

void Mastership::stalled() {
  if (master_answered_ && !leads()) master_answered_->at = runtime_.now();
}

/// This process did not run for some time, and another manager took over. The pending writes of a
/// sweep fail, and the survey shows which manager leads.
void Mastership::demoted(std::string_view why) {
  log_.critical(
      "this process did not run for some time, and {}: nothing is written before a survey", why);
  sweeper_.expect_foreign_settings();
  survey_after_another("another subnet manager took over while this process did not run");
}

/// An unknown manager may have begun to take over: a survey finds it.
void Mastership::confirmed(mad::Duration idle) {
  const mad::TimePoint now = runtime_.now();
  if (idle < WriteGuard::kStall || now < next_stall_survey_) return;
  next_stall_survey_ = now + kStallSurveyPause;
  loop_.request_everything(
      fmt::format("the process did not run for {} ms",
                  std::chrono::duration_cast<std::chrono::milliseconds>(idle).count()));
}

/// Begins as MASTER of a fabric with the LIDs, tables and registrations of another manager.
void Mastership::take_over(const SmRule& rule, std::string why) {
  const std::optional<FabricView>& view = standby_view_.latest();
  if (state_ == mad::SmState::standby && view) {
    sweeper_.begin_with(view->subnet);
  } else {
    standby_view_.take();
  }
  asks_for_links_ = state_ != mad::SmState::standby;  // a standby has read them
  sweeper_.expect_foreign_settings();
  administrator_.take_over(*loop_.context());
  events_.on(AnotherMasterWrote{});
  enter(rule.to);
  loop_.request_everything(std::move(why));
}

std::optional<FabricView> Mastership::take_standby_view(const Fabric& surveyed) {
  std::optional<FabricView> view = standby_view_.take();
  if (!view || is_mass_change(view->subnet->fabric, surveyed) ||
      has_lids_of_others(surveyed, *view->subnet))
    return std::nullopt;
  return view;
}

void Mastership::configured(const config::Options& before) {
  has_saved_links_ = false;
  if (state_ == mad::SmState::standby)
    standby_view_.begin(loop_.context(), self_.guid, sweeper_.m_keys());
  if (before.sm_inactive != loop_.options().sm_inactive) set_active(!loop_.options().sm_inactive);
}

void Mastership::port_is_down() {
  resign();
  if (const SmRule* rule = find_rule(state_, SmEvent::port_down); rule && rule->to != state_)
    enter(rule->to);
}

void Mastership::set_priority(std::uint8_t priority) {
  self_.priority = priority;
  request_pause_.reset();
  next_request_ = {};
}

/// Handles a change of sm_inactive.
void Mastership::set_active(bool active) {
  const SmRule* const rule = find_rule(state_, active ? SmEvent::activated : SmEvent::deactivated);
  if (rule == nullptr) return;
  log_.info("sm_inactive is {} now", active ? "FALSE" : "TRUE");
  if (rule->action != SmAction::survey) enter(rule->to);
  // Others may have written while this manager was not active.
  if (rule->action == SmAction::survey) take_over(*rule, "this manager is active now");
}

}  // namespace sm
