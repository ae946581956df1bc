// Manager: election, handover and polls, by the table of sm/election/state_machine.h.

#include <algorithm>

#include "mad/attributes/notice.h"
#include "mad/format.h"
#include "sm/manager/manager.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// How long a MASTER waits for one of lower rank to hand over before it programs the subnet.
constexpr mad::Duration kHandoverWait = std::chrono::seconds(3);
/// Between reads of its SMInfo meanwhile.
constexpr mad::Duration kHandoverPoll = std::chrono::milliseconds(200);

struct Polling {
  mad::Duration period;
  unsigned misses_max;  // polls in a row that may fail
};

/// Without OpenSM's keys the death of the master is noticed within 3 s: two polls fail, each after
/// four SMPs of 200 ms, 500 ms after the previous one. With 10 % of all round trips lost, both fail
/// by chance once in 10^8 polls, which is years; then a survey finds the master.
Polling polling_of(const config::Options& options) {
  const config::Options usual;
  const bool as_opensm = options.is_set("sminfo_polling_timeout") ||
                         options.is_set("polling_retry_number") ||
                         options.sminfo_polling_timeout != usual.sminfo_polling_timeout ||
                         options.polling_retry_number != usual.polling_retry_number;
  if (!as_opensm) return {.period = std::chrono::milliseconds(500), .misses_max = 1};
  return {.period = std::chrono::milliseconds(options.sminfo_polling_timeout),
          .misses_max = options.polling_retry_number};
}

}  // namespace

void Manager::enter(mad::SmState state) {
  if (state_ == mad::SmState::master && state != state_) administrator_.stand_down();
  if (state != mad::SmState::standby) conditions_.stand(ConditionSource::master, {});
  state_ = state;
  log_.critical("Entering {} state", state_text(state));
}

/// master_sm_priority raises the priority of a MASTER.
SmRank Manager::own_rank() const {
  SmRank rank = self_;
  if (state_ == mad::SmState::master)
    rank.priority = std::max(rank.priority, context_->options.master_sm_priority);
  return rank;
}

/// What the others say means, and conditions about those that do not count.
ElectionDecision Manager::decide_election(const Fabric& fabric, std::span<const OtherSm> sms) {
  const config::Options& options = context_->options;
  if (options.ignore_other_sm) return {};
  OtherManagers others = check_managers(fabric, sms, options.sm_key, options.allowed_sm_guids);
  std::vector<KnownManager> known;
  for (const OtherSm& sm : sms) {
    if (sm.port == kNoIndex) continue;
    const bool counts =
        std::ranges::find(others.trusted, sm.port, &OtherSm::port) != others.trusted.end();
    known.push_back({.guid = fabric.ports[sm.port].guid,
                     .name = fabric.port_name(sm.port),
                     .priority = sm.info.priority(),
                     .state = sm.info.sm_state(),
                     .counts = counts});
  }
  for (const std::string& line : known_.replace(std::move(known))) log_.info("{}", line);
  ElectionDecision decision =
      elect(own_rank(), state_, others.trusted, passed_over_.at(runtime_.now()));
  const bool leads = state_ == mad::SmState::master;
  const bool beside = leads && std::ranges::any_of(others.trusted, [](const OtherSm& sm) {
                        return sm.info.sm_state() == mad::SmState::master;
                      });
  if (std::exchange(beside_master_, beside) && leads && !beside)
    survey_after_another("another subnet manager is no longer MASTER");
  if (decision.event != SmEvent::found_master)
    std::ranges::move(other_masters(fabric, own_rank(), others.trusted),
                      std::back_inserter(others.conditions));
  conditions_.stand(ConditionSource::managers, std::move(others.conditions));
  return decision;
}

/// After a survey: true if this manager is MASTER now, and programs the subnet by that survey.
asio::awaitable<bool> Manager::leads_after(Survey& survey) {
  const ElectionDecision decision = decide_election(survey.fabric, survey.sms);
  const SmRule* const rule = rule_of(state_, decision.event);
  if (rule == nullptr) co_return false;  // a Set(SMInfo) changed the state during the survey
  if (rule->action == SmAction::program) {
    if (state_ != rule->to) enter(rule->to);
    co_return true;
  }
  const OtherSm other = *decision.other;
  const std::string name = survey.fabric.port_name(other.port);
  if (rule->action == SmAction::poll) {
    log_.critical("{}: {} with priority {}, by route {}; entering STANDBY", decision.why, name,
                  other.info.priority(), other.route.text());
    if (once_) {
      log_.error(
          "asked to run once, but the subnet belongs to another manager: nothing was programmed");
      exit_code_ = 1;
    }
    follow(other, std::make_shared<const Fabric>(std::move(survey.fabric)));
    enter(rule->to);
    co_return false;
  }
  const auto fabric = std::make_shared<const Fabric>(survey.fabric);
  if (rule->action == SmAction::hand_over) {
    const bool stepped_down = co_await hand_over(other, fabric);
    co_return !stepped_down && !stopping_ && state_ == mad::SmState::master;
  }
  met_ = Met{.fabric = fabric, .sms = survey.sms};
  const bool go_on = co_await await_handover(other, fabric);
  met_.reset();
  co_return go_on && !stopping_ && state_ == mad::SmState::master;
}

/// SMInfo was read between sweeps.
asio::awaitable<void> Manager::act_on(ElectionDecision decision,
                                      std::shared_ptr<const Subnet> subnet) {
  const SmRule* const rule = rule_of(state_, decision.event);
  if (rule == nullptr || !decision.other) co_return;
  const std::shared_ptr<const Fabric> fabric(subnet, &subnet->fabric);
  if (rule->action == SmAction::hand_over) {
    co_await hand_over(*decision.other, fabric);
  } else if (rule->action == SmAction::await_handover) {
    request_handover(*decision.other, *fabric);
  }
}

/// Sends HANDOVER. True if this manager is no longer MASTER then. Either the response, or the
/// ACKNOWLEDGE that arrives meanwhile, ends it; if both are lost, the other one is found as MASTER
/// by a later read.
asio::awaitable<bool> Manager::hand_over(OtherSm to, std::shared_ptr<const Fabric> fabric) {
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
    // It need not accept what it does not wait for: it leads in any case, if it still answers.
    answer = co_await client_.ask({.attribute = mad::AttributeId::sm_info,
                                   .route = to.route,
                                   .port = fabric->m_key_port(to.port)});
    accepted = answer.ok() && mad::SmInfo(answer.data).sm_state() == mad::SmState::master;
  }
  if (state_ != mad::SmState::master) co_return true;  // ACKNOWLEDGE
  handover_.reset();
  if (!accepted) {
    passed_over_.add(to.info.guid(), runtime_.now());
    conditions_.occurred({.id = ConditionId::handover_failed,
                          .text = fmt::format("the subnet manager at {} {} HANDOVER", name,
                                              refused ? "refuses" : "does not answer"),
                          .guid = to.info.guid()});
    co_return false;
  }
  step_down(*rule_of(state_, SmEvent::handover_accepted), to, std::move(fabric));
  co_return true;
}

void Manager::step_down(const SmRule& rule, OtherSm successor,
                        std::shared_ptr<const Fabric> fabric) {
  log_.critical("{} leads this subnet now", fabric->port_name(successor.port));
  if (once_) exit_code_ = 1;
  follow(successor, std::move(fabric));
  enter(rule.to);
}

void Manager::follow(OtherSm master, std::shared_ptr<const Fabric> fabric) {
  standby_.follow(master, std::move(fabric));
  request_pause_.reset();
  next_request_ = {};
  request_handover_of_master();
}

/// Of lower rank than this manager.
void Manager::request_handover_of_master() {
  const OtherSm* const master = standby_.master();
  if (master != nullptr && master->info.sm_state() == mad::SmState::master &&
      outranks(own_rank(), rank_of(master->info)))
    request_handover(*master, *standby_.fabric());
}

/// Trap 144 (SMPriority) to a MASTER of lower rank, as OpenSM sends it: that one reads SMInfo, and
/// hands over. Repeated with pauses that grow up to 10 s.
void Manager::request_handover(const OtherSm& master, const Fabric& fabric) {
  if (runtime_.now() < next_request_) return;
  const mad::PortInfo& own = fabric.ports[fabric.sm_port].info;
  const mad::Lid to = fabric.ports[master.port].info.lid();
  if (!is_unicast(own.lid()) || !is_unicast(to)) return;
  next_request_ = runtime_.now() + request_pause_.next();
  mad::LocalChangeNotice notice;
  notice.set_is_generic(true);
  notice.set_type(mad::NoticeType::informational);
  notice.set_producer_type(fabric.node_of(fabric.sm_port).is_switch() ? mad::ProducerType::switch_
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
  ++act_count_;
  transport_.send(bytes, {.lid = to}, 0);
  log_.info("trap 144 to {}, which is MASTER with lower rank", fabric.port_name(master.port));
}

/// Two masters met. True: the other one stays MASTER, and what this one decides counts. False: it
/// stepped down, and everything is surveyed again, since it has written until then.
asio::awaitable<bool> Manager::await_handover(OtherSm other, std::shared_ptr<const Fabric> fabric) {
  log_.critical("{} is MASTER, too, with lower rank: waiting for it to hand over",
                fabric->port_name(other.port));
  const mad::TimePoint end = runtime_.now() + kHandoverWait;
  for (;;) {
    request_handover(other, *fabric);
    const mad::SmpAnswer answer = co_await client_.ask({.attribute = mad::AttributeId::sm_info,
                                                        .route = other.route,
                                                        .port = fabric->m_key_port(other.port)});
    if (stopping_ || state_ != mad::SmState::master) co_return false;
    const bool leads = answer.ok() && mad::SmInfo(answer.data).sm_state() == mad::SmState::master;
    if (!leads) {
      beside_master_ = false;
      survey_after_another("another subnet manager is no longer MASTER");
      co_return false;
    }
    if (runtime_.now() >= end) break;
    const mad::TimePoint next = runtime_.now() + kHandoverPoll;
    while (!stopping_ && co_await wake_.wait_until(next)) {
    }
  }
  passed_over_.add(other.info.guid(), runtime_.now());
  co_return true;
}

/// Beside this MASTER another one was MASTER: it has written what it decided, tables included, and
/// clients have registered there.
void Manager::survey_after_another(std::string why) {
  administrator_.take_over(*context_);
  scheduler_.request_everything(std::move(why), false);
  wake_.signal();
}

/// What the fabric and its clients hold is from another manager now.
void Manager::take_over(const SmRule& rule, std::string why) {
  sweeper_.expect_foreign_settings();
  administrator_.take_over(*context_);
  enter(rule.to);
  request_everything(std::move(why));
}

/// sm_inactive was changed.
void Manager::set_active(bool active) {
  const SmRule* const rule = rule_of(state_, active ? SmEvent::activated : SmEvent::deactivated);
  if (rule == nullptr) return;
  log_.info("sm_inactive is {} now", active ? "FALSE" : "TRUE");
  if (rule->action != SmAction::survey) enter(rule->to);
  // Others may have written while this manager was not active.
  if (rule->action == SmAction::survey) take_over(*rule, "this manager is active now");
}

/// Until a request of another manager arrives. A survey shows whether it came from the master.
asio::awaitable<void> Manager::wait_while_inactive() {
  co_await wake_.wait_until(mad::TimePoint::max());
  if (!standby_.take_survey_request()) co_return;
  const SharedContext context = context_;
  const SweepOrder order;
  Survey survey = co_await sweeper_.observe(context, order, false);
  if (stopping_ || state_ != mad::SmState::not_active) co_return;
  const OtherManagers others = check_managers(survey.fabric, survey.sms, context->options.sm_key,
                                              context->options.allowed_sm_guids);
  const ElectionDecision decision = elect(own_rank(), mad::SmState::discovering, others.trusted);
  if (decision.event == SmEvent::found_master)
    standby_.follow(*decision.other, std::make_shared<const Fabric>(std::move(survey.fabric)));
}

/// Standby: polls the SMInfo of the master, by directed route and by LID in turn, until it is
/// silent (or not MASTER) for too long.
asio::awaitable<void> Manager::poll_master() {
  const mad::TimePoint next = runtime_.now() + polling_of(context_->options).period;
  const auto goes_on = [this] { return !stopping_ && state_ == mad::SmState::standby; };
  // Whatever else arrives does not make the polls faster; the loop takes a reload.
  while (goes_on() && !next_ && co_await wake_.wait_until(next)) {
  }
  if (!goes_on() || next_) co_return;
  const SharedContext context = context_;
  std::optional<mad::SmInfo> info;
  if (const OtherSm* master = standby_.master()) {
    const mad::Lid lid = standby_.fabric()->ports[master->port].info.lid();
    poll_by_lid_ = !poll_by_lid_ && is_unicast(lid);
    if (poll_by_lid_) {
      info = co_await read_by_lid(lid);
    } else if (const mad::SmpAnswer answer =
                   co_await client_.ask({.attribute = mad::AttributeId::sm_info,
                                         .route = master->route,
                                         .port = standby_.fabric()->m_key_port(master->port)});
               answer.ok()) {
      info = mad::SmInfo(answer.data);
    }
    // A Set(SMInfo) may have come meanwhile: a manager that was disabled takes nothing over.
    if (!goes_on()) co_return;
  }
  const bool gone = standby_.polled(info, polling_of(context->options).misses_max, runtime_.now());
  if (const std::string line = info ? known_.update(*info) : ""; !line.empty())
    log_.info("{}", line);
  if (!gone) {
    report_stall();
    co_return request_handover_of_master();
  }
  log_.critical("{}: taking over", standby_.why_gone());
  if (const OtherSm* master = standby_.master(); master != nullptr && standby_.responds())
    passed_over_.add(master->info.guid(), runtime_.now());
  take_over(*rule_of(state_, SmEvent::master_gone), "the master is gone");
}

/// SMInfo by a LID-routed SMP, which takes another path than a directed route, and tests the tables
/// of the switches. Nothing without a response; repeated as other SMPs are.
asio::awaitable<std::optional<mad::SmInfo>> Manager::read_by_lid(mad::Lid lid) {
  const config::Options& options = context_->options;
  const auto timeout = std::chrono::milliseconds(options.transaction_timeout);
  const unsigned attempts = options.transaction_retries + 1;
  const mad::MKey key =
      sweeper_.m_keys().key(standby_.fabric()->m_key_port(standby_.master()->port));
  for (unsigned attempt = 0; attempt < attempts && state_ == mad::SmState::standby; ++attempt) {
    lid_read_ = LidRead{.transaction_id = static_cast<std::uint32_t>(runtime_.random()),
                        .answer = std::nullopt};
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::get, mad::AttributeId::sm_info, 0, key,
                      lid_read_->transaction_id);
    ++act_count_;
    transport_.send(bytes, {.lid = lid}, static_cast<int>(timeout.count()));
    const mad::TimePoint deadline = runtime_.now() + timeout;
    while (!stopping_ && !lid_read_->answer && state_ == mad::SmState::standby &&
           co_await wake_.wait_until(deadline)) {
    }
    const std::optional<LidRead> read = std::exchange(lid_read_, std::nullopt);
    if (stopping_ || read->answer) co_return read->answer;
  }
  co_return std::nullopt;
}

/// The response to it.
bool Manager::takes_lid_read(const mad::ReceivedMad& received) {
  const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  if (!lid_read_ || received.send_errno != 0 || smp.mgmt_class() != mad::MgmtClass::sm_lid ||
      static_cast<std::uint32_t>(smp.transaction_id()) != lid_read_->transaction_id ||
      smp.attribute_id() != mad::AttributeId::sm_info || smp.status() != mad::status::kOk)
    return false;
  lid_read_->answer = mad::SmInfo(smp.data());
  wake_.signal();
  return true;
}

void Manager::report_stall() {
  std::vector<Condition> conditions;
  if (standby_.is_stalled()) {
    const OtherSm& master = *standby_.master();
    conditions.push_back({.id = ConditionId::master_stalled,
                          .text = fmt::format("the master {} answers polls, but its ActCount does "
                                              "not grow; it is not deposed while it answers",
                                              standby_.fabric()->port_name(master.port)),
                          .guid = master.info.guid()});
  }
  conditions_.stand(ConditionSource::master, std::move(conditions));
}

// ------------------------------------------------------------------------------------------
// Set(SMInfo)

void Manager::on_control(const mad::ReceivedMad& received, mad::ConstSmpView smp) {
  const config::Options& options = context_->options;
  const std::optional<OtherSm> master = master_at(received);
  const ControlRequest request{
      .control = smp.attribute_modifier(),
      .sender = mad::SmInfo(smp.data()),
      .master = master ? std::optional(master->info) : std::nullopt,
      .from_successor = handover_ && is_from(*handover_->fabric, handover_->to.port, received)};
  if (options.m_key != 0 && !sweeper_.m_keys().proves(self_.guid, smp.m_key()))
    // not answered, as by OpenSM
    return control_refused(received, request.control, "its M_Key is wrong");
  ControlAnswer answer = controls_.answer(state_, options.sm_key, request, runtime_.now());
  if (state_ == mad::SmState::not_active && !request.master &&
      standby_.request_survey(runtime_.now())) {
    answer = {.status = mad::status::kBusy};
    wake_.signal();
  }
  if (!answer.refused_for.empty()) control_refused(received, request.control, answer.refused_for);
  answer_sm_info(received, smp, answer.status);
  if (answer.rule == nullptr) return;
  log_.critical("SMInfo control {} from the manager with GUID {}", request.control,
                request.sender.guid());
  obey(*answer.rule, master);
}

void Manager::obey(const SmRule& rule, const std::optional<OtherSm>& sender) {
  constexpr std::string_view kWhy = "another subnet manager requested it";
  const bool foreign = rule.from == mad::SmState::standby;
  switch (rule.action) {
    case SmAction::acknowledge:
      acknowledge(*sender);
      [[fallthrough]];
    case SmAction::survey:
      if (foreign) return take_over(rule, std::string(kWhy));
      survey_after_another(std::string(kWhy));
      break;
    case SmAction::poll:
      if (rule.from == mad::SmState::master) {
        const Handover handover = *std::exchange(handover_, std::nullopt);
        step_down(rule, handover.to, handover.fabric);
      } else {
        standby_.restart();
        enter(rule.to);
      }
      break;
    default:
      if (rule.to != state_) enter(rule.to);
  }
  wake_.signal();
}

/// As the STANDBY that it was when HANDOVER came: other implementations refuse it otherwise. Sent
/// once for each HANDOVER, whose response says the same: if both are lost, HANDOVER is repeated.
void Manager::acknowledge(const OtherSm& to) {
  mad::SmInfo info = own_sm_info();
  info.set_sm_state(mad::SmState::standby);
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, mad::Method::set, mad::AttributeId::sm_info,
                   mad::SmInfo::modifier(mad::SmControl::acknowledge), to.route,
                   sweeper_.m_keys().key(to.info.guid()), runtime_.random())
      .set_data(info.bytes());
  ++act_count_;
  transport_.send(bytes, {}, 0);
}

void Manager::control_refused(const mad::ReceivedMad& received, std::uint32_t control,
                              std::string_view why) {
  const std::string_view control_name = mad::name(static_cast<mad::SmControl>(control));
  const auto port = port_of(received.from.lid);
  const std::string from = received.from.lid == mad::kPermissiveLid
                               ? std::string("a directed route")
                           : port ? sweeper_.subnet()->fabric.port_name(*port)
                                  : fmt::format("LID {}", received.from.lid);
  conditions_.occurred(
      {.id = ConditionId::sm_info_refused,
       .text = fmt::format(
           "Set(SMInfo) {} from {} refused: {}",
           control_name.empty() ? std::to_string(control) : std::string(control_name), from, why),
       .guid = port ? sweeper_.subnet()->fabric.ports[*port].guid : mad::Guid{}});
}

/// The manager that sent this, if it is the one that this manager follows, or for a master any
/// other one of the subnet: it may have become MASTER since its SMInfo was read.
std::optional<OtherSm> Manager::master_at(const mad::ReceivedMad& received) const {
  if (state_ == mad::SmState::standby || state_ == mad::SmState::not_active) {
    const OtherSm* const master = standby_.master();
    if (master == nullptr || !is_from(*standby_.fabric(), master->port, received))
      return std::nullopt;
    return *master;
  }
  const auto among = [&](const Fabric& fabric,
                         std::span<const OtherSm> sms) -> std::optional<OtherSm> {
    const OtherSm* const other = sender_of(fabric, sms, received);
    if (other == nullptr) return std::nullopt;
    const config::Options& options = context_->options;
    const bool counts =
        !check_managers(fabric, std::span(other, 1), options.sm_key, options.allowed_sm_guids)
             .trusted.empty();
    return counts ? std::optional(*other) : std::nullopt;
  };
  if (met_) return among(*met_->fabric, met_->sms);
  const auto subnet = sweeper_.subnet();
  return subnet ? among(subnet->fabric, subnet->sms) : std::nullopt;
}

mad::SmInfo Manager::own_sm_info() const {
  const mad::SmpStatistics& statistics = client_.statistics();
  mad::SmInfo info;
  info.set_guid(self_.guid);
  info.set_sm_key(context_->options.sm_key);
  info.set_act_count(act_count_ +
                     static_cast<std::uint32_t>(statistics.total(mad::Method::get).sent +
                                                statistics.total(mad::Method::set).sent));
  info.set_priority(own_rank().priority);
  // OpenSM surveys as soon as it has a HANDOVER, and programs nothing if it finds its sender
  // MASTER.
  info.set_sm_state(handover_ ? mad::SmState::standby : state_);
  return info;
}

}  // namespace sm
