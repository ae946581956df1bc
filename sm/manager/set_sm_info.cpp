// Mastership: Get and Set of SMInfo by other managers.

#include <algorithm>

#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/manager/mastership.h"

namespace sm {

namespace {

/// Names a Set(SMInfo) by its attribute modifier.
std::string control_text(std::uint32_t modifier) {
  const std::string_view name = mad::name(static_cast<mad::SmControl>(modifier));
  return fmt::format("Set(SMInfo) {}", name.empty() ? std::to_string(modifier) : std::string(name));
}

}  // namespace

void Mastership::on_sm_info(const mad::ReceivedMad& received, mad::ConstSmpView smp) {
  // Modifiers of other versions have no known meaning, so they change no state.
  if (smp.class_version() != mad::kSmpClassVersion)
    return answer_sm_info(received, smp, mad::status::kBadVersion);
  if (smp.method() != mad::Method::get) return on_control(received, smp);
  answer_sm_info(received, smp);
  note_poll(received);
}

/// A manager begins to poll the MASTER when it is STANDBY. If it was found in another state, or not
/// at all, since it began beside a survey and its link carried no trap yet, its SMInfo is read, and
/// subnet administration has it at once. One that read the subnet before its MASTER had a LID polls
/// by directed route alone. Once a second at most; hosts that poll without being managers do not
/// delay what is read of managers.
void Mastership::note_poll(const mad::ReceivedMad& received) {
  constexpr mad::Duration kPause = std::chrono::seconds(1);
  const auto subnet = sweeper_.subnet();
  if (!leads() || !subnet) return;
  const OtherSm* const sender = sender_of(subnet->fabric, subnet->sms, received);
  PortIndex port = sender != nullptr ? sender->port : find_sender(subnet->fabric, received);
  if (port == kNoIndex) port = subnet->lids.owner(received.from.lid);
  if (port == kNoIndex || port == subnet->fabric.sm_port ||
      (sender != nullptr && sender->info.sm_state() == mad::SmState::standby))
    return;
  mad::TimePoint& next = sender != nullptr ? next_sm_info_read_ : next_unknown_read_;
  if (runtime_.now() < next) return;
  next = runtime_.now() + kPause;
  loop_.scheduler().request_manager(subnet->fabric.ports[port].guid);
  loop_.wake();
}

/// The response contains SM_Key if the request contains SM_Key, or the M_Key of this subnet (IBTA
/// Vol 1, 14.2.5.13). Without M_Keys every requester gets it: OpenSM, whose Get contains no key,
/// treats a manager as absent, and becomes MASTER beside it, if the response has another SM_Key or
/// 0.
void Mastership::answer_sm_info(const mad::ReceivedMad& received, mad::ConstSmpView smp,
                                std::uint16_t status) {
  mad::MadBytes bytes = received.bytes;
  mad::SmpView response{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  if (!mad::make_response(response, status)) return;
  mad::SmInfo info = own_sm_info();
  const bool authenticated = mad::SmInfo(smp.data()).sm_key() == info.sm_key() ||
                             sweeper_.m_keys().proves(self_.guid, smp.m_key());
  if (!authenticated) info.set_sm_key(0);
  response.set_data(info.bytes());
  sends_.respond(received, bytes);
}

void Mastership::on_control(const mad::ReceivedMad& received, mad::ConstSmpView smp) {
  const config::Options& options = loop_.options();
  const std::optional<OtherSm> master = master_at(received);
  const ControlRequest request{
      .control = smp.attribute_modifier(),
      .sender = mad::SmInfo(smp.data()),
      .master = master ? std::optional(master->info) : std::nullopt,
      .from_successor = handover_ && is_from(*handover_->fabric, handover_->to.port, received)};
  if (options.uses_m_keys() && !sweeper_.m_keys().proves(self_.guid, smp.m_key()))
    // not answered, as by OpenSM
    return conditions_.occurred(refusal_of(received, request.control, "its M_Key is wrong"));
  ControlAnswer answer = controls_.answer(state_, options.sm_key, request, runtime_.now());
  if (state_ == mad::SmState::not_active && !request.master &&
      standby_.request_survey(runtime_.now())) {
    answer = {.status = mad::status::kBusy};
    loop_.wake();
  }
  if (!answer.refused_for.empty()) {
    Condition refusal = refusal_of(received, request.control, answer.refused_for);
    // If two subnets have been joined, the sender is the other master, which is not a fault.
    if (answer.survey) {
      unknown_control_ = UnknownControl{.refusal = std::move(refusal)};
    } else {
      conditions_.occurred(refusal);
    }
  }
  if (answer.survey) {
    unknown_master_ = request.sender.guid();
    loop_.request_everything("HANDOVER from a subnet manager that is not known");
  }
  answer_sm_info(received, smp, answer.status);
  if (answer.rule == nullptr) return;
  log_.critical("{} from the subnet manager with GUID {}", control_text(request.control),
                request.sender.guid());
  apply_rule(*answer.rule, master);
}

void Mastership::apply_rule(const SmRule& rule, const std::optional<OtherSm>& sender) {
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
  loop_.wake();
}

/// Sends ACKNOWLEDGE in state STANDBY, in which this manager was when HANDOVER arrived: other
/// implementations refuse it otherwise. It is sent once for each HANDOVER, whose response has the
/// same meaning: if both are lost, HANDOVER is repeated.
void Mastership::acknowledge(const OtherSm& to) {
  mad::SmInfo info = own_sm_info();
  info.set_sm_state(mad::SmState::standby);
  mad::MadBytes bytes;
  mad::make_dr_smp(bytes, mad::Method::set, mad::AttributeId::sm_info,
                   mad::SmInfo::modifier(mad::SmControl::acknowledge), to.route,
                   sweeper_.m_keys().key(to.info.guid()), runtime_.random())
      .set_data(info.bytes());
  sends_.send(bytes, {});
}

/// Decides after a survey whether the refusal is raised.
void Mastership::resolve_unknown_control(bool has_led) {
  if (!unknown_control_) return;
  if (!has_led && --unknown_control_->surveys > 0) return;
  if (!has_led) conditions_.occurred(unknown_control_->refusal);
  unknown_control_.reset();
}

Condition Mastership::refusal_of(const mad::ReceivedMad& received, std::uint32_t control,
                                 std::string_view why) const {
  const auto subnet = sweeper_.subnet();
  const PortIndex port = subnet ? subnet->lids.owner(received.from.lid) : kNoIndex;
  const std::string from = received.from.lid == mad::kPermissiveLid
                               ? std::string("a directed route")
                           : port != kNoIndex ? subnet->fabric.port_name(port)
                                              : fmt::format("LID {}", received.from.lid);
  return {.id = kManagerConditions.sm_info_refused,
          .text = fmt::format("{} from {} refused: {}", control_text(control), from, why),
          .guid = port != kNoIndex ? subnet->fabric.ports[port].guid : mad::Guid{}};
}

/// Returns the sender if it is the master of this manager. A manager that is not in STANDBY or
/// NOT-ACTIVE accepts any other trusted manager of the subnet: it may have become MASTER since its
/// SMInfo was read.
std::optional<OtherSm> Mastership::master_at(const mad::ReceivedMad& received) const {
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
    const config::Options& options = loop_.options();
    const bool counts =
        !check_managers(fabric, std::span(other, 1), options.sm_key, options.allowed_sm_guids)
             .trusted.empty();
    return counts ? std::optional(*other) : std::nullopt;
  };
  if (master_found_) return among(*master_found_->fabric, master_found_->sms);
  const auto subnet = sweeper_.subnet();
  return subnet ? among(subnet->fabric, subnet->sms) : std::nullopt;
}

mad::SmInfo Mastership::own_sm_info() const {
  const mad::SmpStatistics& statistics = client_.statistics();
  mad::SmInfo info;
  info.set_guid(self_.guid);
  info.set_sm_key(loop_.options().sm_key);
  info.set_act_count(sends_.count() +
                     static_cast<std::uint32_t>(statistics.total(mad::Method::get).sent +
                                                statistics.total(mad::Method::set).sent));
  info.set_priority(own_rank().priority);
  // OpenSM surveys as soon as it receives a HANDOVER, and programs nothing if it finds the sender
  // MASTER.
  info.set_sm_state(handover_ ? mad::SmState::standby : state_);
  return info;
}

}  // namespace sm
