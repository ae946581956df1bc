// Mastership: a manager in STANDBY, or not active, waits for the MASTER.

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <memory>

#include "mad/format.h"
#include "sm/election/election_conditions.h"
#include "sm/manager/mastership.h"

namespace sm {
namespace asio = boost::asio;

namespace {

struct Polling {
  mad::Duration period;
  unsigned misses_max;  // polls in a row that may fail
};

/// Without OpenSM's keys the death of the master is noticed within 3 s: two polls fail, each after
/// four SMPs of 200 ms, 500 ms after the previous one. If 10 % of all round trips are lost, both
/// fail by chance once in 10^8 polls, which is years; then a survey finds the master.
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

asio::awaitable<void> Mastership::wait_while_inactive() {
  co_await loop_.wait_until(mad::TimePoint::max());
  if (!standby_.take_survey_request()) co_return;
  const SharedContext context = loop_.context();
  const PassRequest order{.everything = true};
  Survey survey = co_await sweeper_.observe(context, order, false);
  if (loop_.is_stopping() || state_ != mad::SmState::not_active) co_return;
  const OtherManagers others = check_managers(survey.fabric, survey.sms, context->options.sm_key,
                                              context->options.allowed_sm_guids);
  const ElectionDecision decision = elect(own_rank(), mad::SmState::discovering, others.trusted);
  if (decision.event == SmEvent::found_master)
    standby_.follow(*decision.other, std::make_shared<const Fabric>(std::move(survey.fabric)));
}

/// Polls by directed route and by LID alternately.
asio::awaitable<void> Mastership::poll_master() {
  const mad::TimePoint next = runtime_.now() + polling_of(loop_.options()).period;
  const auto goes_on = [this] { return !loop_.is_stopping() && state_ == mad::SmState::standby; };
  // Other signals do not make the polls faster; the loop takes a reload.
  while (polls() && !loop_.has_reload() && co_await loop_.wait_until(next)) {
  }
  if (!goes_on() || loop_.has_reload()) co_return;
  const SharedContext context = loop_.context();
  std::optional<mad::SmInfo> info;
  if (const OtherSm* master = standby_.master(); master != nullptr && polls()) {
    const mad::Lid lid = standby_.fabric()->ports[master->port].info.lid();
    poll_by_lid_ = !poll_by_lid_ && is_unicast(lid);
    // g++ 12 loses the argument of an awaited branch of a conditional expression.
    if (poll_by_lid_) {
      info = co_await read_by_lid(lid);
    } else {
      info = co_await read_by_route(*master);
    }
    // A Set(SMInfo) may have arrived during the read: a disabled manager does not take over.
    if (!goes_on()) co_return;
  }
  if (info && info->sm_state() == mad::SmState::master)
    master_answered_ = {.manager = info->guid(), .at = runtime_.now()};
  const bool gone = standby_.polled(info, polling_of(context->options).misses_max, runtime_.now());
  if (const std::string line = info ? known_.update(*info) : ""; !line.empty())
    log_.info("{}", line);
  if (!gone) {
    report_master();
    request_handover_of_master();
    if (administrator_.is_retired()) co_await end_service();
    if (state_ == mad::SmState::standby) co_await keep_links();
    co_return;
  }
  log_.critical("{}: taking over", standby_.why_gone());
  if (const OtherSm* master = standby_.master(); master != nullptr && standby_.responds())
    passed_over_.add(master->info.guid(), runtime_.now());
  take_over(*find_rule(state_, SmEvent::master_gone), "the master is gone");
}

/// True while a response of the master still matters.
bool Mastership::polls() const {
  return !loop_.is_stopping() && state_ == mad::SmState::standby && !standby_.has_resigned();
}

/// Reads SMInfo by directed route.
asio::awaitable<std::optional<mad::SmInfo>> Mastership::read_by_route(const OtherSm& master) {
  struct Read {
    std::optional<mad::SmpAnswer> answer;
    bool is_awaited = true;
  };
  const auto read = std::make_shared<Read>();
  asio::co_spawn(runtime_.executor(),
                 client_.ask({.attribute = mad::AttributeId::sm_info,
                              .route = master.route,
                              .port = standby_.fabric()->m_key_port(master.port)}),
                 [this, read](std::exception_ptr error, const mad::SmpAnswer& answer) {
                   if (error) std::rethrow_exception(std::move(error));
                   read->answer = answer;
                   if (read->is_awaited) loop_.wake();
                 });
  while (polls() && !read->answer) co_await loop_.wait_until(mad::TimePoint::max());
  read->is_awaited = false;
  if (!read->answer || !read->answer->ok()) co_return std::nullopt;
  co_return mad::SmInfo(read->answer->data);
}

/// Reads SMInfo by a LID-routed SMP, which takes another path than a directed route, and tests the
/// tables of the switches. Returns nullopt without a response. The SMP is repeated as others are.
asio::awaitable<std::optional<mad::SmInfo>> Mastership::read_by_lid(mad::Lid lid) {
  const config::Options& options = loop_.options();
  const auto timeout = std::chrono::milliseconds(options.transaction_timeout);
  const unsigned attempts = options.transaction_retries + 1;
  const mad::MKey key =
      sweeper_.m_keys().key(standby_.fabric()->m_key_port(standby_.master()->port));
  for (unsigned attempt = 0; attempt < attempts && polls(); ++attempt) {
    lid_read_ = LidRead{.transaction_id = static_cast<std::uint32_t>(runtime_.random()),
                        .answer = std::nullopt};
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::get, mad::AttributeId::sm_info, 0, key,
                      lid_read_->transaction_id);
    sends_.send(bytes, {.lid = lid}, static_cast<int>(timeout.count()));
    const mad::TimePoint deadline = runtime_.now() + timeout;
    while (polls() && !lid_read_->answer && co_await loop_.wait_until(deadline)) {
    }
    const std::optional<LidRead> read = std::exchange(lid_read_, std::nullopt);
    if (loop_.is_stopping() || read->answer) co_return read->answer;
  }
  co_return std::nullopt;
}

bool Mastership::take_response(const mad::ReceivedMad& received) {
  return takes_lid_read(received) || standby_view_.on_mad(received);
}

bool Mastership::takes_lid_read(const mad::ReceivedMad& received) {
  const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  if (!lid_read_ || received.send_errno != 0 || smp.mgmt_class() != mad::MgmtClass::sm_lid ||
      static_cast<std::uint32_t>(smp.transaction_id()) != lid_read_->transaction_id ||
      smp.attribute_id() != mad::AttributeId::sm_info || smp.status() != mad::status::kOk)
    return false;
  lid_read_->answer = mad::SmInfo(smp.data());
  loop_.wake();
  return true;
}

// ------------------------------------------------------------------------------------------
// links, where ports answer only to keys that follow from their PortGUIDs

/// Finds subnet administration of the manager that the own port names. Who wrote MasterSMLID knew
/// the port's key if the port has one that follows from the seed: no host can name itself there.
asio::awaitable<std::optional<mad::MadAddress>> Mastership::find_master_sa() {
  const MKeys& keys = sweeper_.m_keys();
  mad::SmpRequest request{
      .attribute = mad::AttributeId::port_info, .route = {}, .port = keys.own_port()};
  const mad::SmpAnswer port = co_await client_.ask(request);
  if (!port.ok()) co_return std::nullopt;
  const mad::PortInfo info(port.data);
  const bool follows = info.m_key() != mad::MKey{} && info.m_key().value != loop_.options().m_key &&
                       keys.proves(keys.own_port(), info.m_key());
  if (!follows || info.m_key_protect_bits() == 0) co_return std::nullopt;
  request.attribute = mad::AttributeId::p_key_table;
  const mad::SmpAnswer table = co_await client_.ask(request);
  if (!table.ok()) co_return std::nullopt;
  co_return sa_of_master(info, mad::PKeyTable(table.data));
}

asio::awaitable<void> Mastership::learn_links() {
  if (state_ != mad::SmState::discovering || !sweeper_.m_keys().needs_guids() || !asks_for_links_)
    co_return;
  const std::optional<mad::MadAddress> master = co_await find_master_sa();
  if (!master || loop_.is_stopping() || state_ != mad::SmState::discovering) co_return;
  asks_for_links_ = false;
  read_links(*master);
  while (links_.is_reading() && !loop_.is_stopping())
    co_await loop_.wait_until(mad::TimePoint::max());
}

/// Reads the links of a standby's master now and then.
asio::awaitable<void> Mastership::keep_links() {
  if (!sweeper_.m_keys().needs_guids() || !links_.is_due()) co_return;
  const std::optional<mad::MadAddress> master = co_await find_master_sa();
  if (loop_.is_stopping() || state_ != mad::SmState::standby) co_return;
  if (!master) co_return links_.postpone();
  read_links(*master);
}

void Mastership::read_links(const mad::MadAddress& master) {
  links_.begin(master, loop_.options().sa_key,
               [this, master](const std::optional<std::vector<NeighborLink>>& links) {
                 if (links) {
                   take_links(*links);
                 } else {
                   log_.info(
                       "subnet administration at LID {} (MasterSMLID of the own port) does not "
                       "answer with its NodeRecords and LinkRecords",
                       master.lid);
                 }
                 loop_.wake();
               });
}

/// Keeps links in `neighbors`, too: a standby that starts again may find no master any more.
void Mastership::take_links(const std::vector<NeighborLink>& links) {
  const bool is_new = sweeper_.m_keys().note_links(links);
  standby_view_.note_links(links);
  if (!is_new && has_saved_links_) return;
  log_.info(
      "{} links were read from subnet administration of the master: M_Keys follow from the "
      "seed and the PortGUIDs",
      links.size());
  has_saved_links_ = true;
  const config::Options& options = loop_.options();
  const auto outcome = std::make_shared<tl::expected<void, std::string>>();
  runtime_.run_aside(
      [outcome, links, directory = options.cache_files_dir,
       fsync = options.fsync_high_avail_files] {
        *outcome = save_neighbors(directory, links, fsync);
      },
      [outcome, this, alive = std::weak_ptr(alive_)] {
        if (alive.expired() || *outcome) return;
        log_.error("{}", outcome->error());
        has_saved_links_ = false;
      });
}

void Mastership::report_master() {
  std::vector<Condition> conditions;
  if (auto unexpected = followed_masters_.unexpected(loop_.options().allowed_sm_guids))
    conditions.push_back(std::move(*unexpected));
  if (standby_.is_stalled()) {
    const OtherSm& master = *standby_.master();
    conditions.push_back(
        {.id = kMastershipConditions.master_stalled,
         .text = fmt::format("the master {} answers polls, but its ActCount does "
                             "not grow; no other manager takes over while it answers",
                             standby_.fabric()->port_name(master.port)),
         .guid = master.info.guid()});
  }
  conditions_.set_active(ConditionSource::master, std::move(conditions));
}

}  // namespace sm
