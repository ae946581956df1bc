#include "sm/sa/administrator.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <unordered_set>

#include "mad/format.h"
#include "mad/transport.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/records/record_types.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/services.h"
#include "sm/sa/sa_conditions.h"

namespace sa {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kAtATime = 256;  // requests, before others get the thread
constexpr mad::Duration kTimeAtATime = std::chrono::milliseconds(5);
constexpr std::size_t kMembersAtATime = 20'000;  // of groups, for routing
constexpr std::size_t kRequestHeaderBytes = ResponseBuffer::kHeaderBytes;
constexpr unsigned kRefusalLines = 10;  // of one requester, in ConditionLog::kPauseFirst

const RecordType* find_type(mad::SaAttributeId attribute) {
  static constexpr std::array kRegistered{&kMcMemberRecordType, &kServiceRecordType,
                                          &kInformInfoRecordType};
  for (const std::span<const RecordType* const> types :
       {record_types(), path_types(), std::span<const RecordType* const>(kRegistered)}) {
    const auto found = std::ranges::find(types, attribute, &RecordType::attribute);
    if (found != types.end()) return *found;
  }
  return nullptr;
}

const WritableRecord* writable(mad::SaAttributeId attribute, mad::Method method) {
  const auto all = writable_records();
  const auto found = std::ranges::find_if(all, [&](const WritableRecord& record) {
    return record.attribute == attribute && record.method == method;
  });
  return found == all.end() ? nullptr : &*found;
}

/// Holds a subnet and its paths.
struct IndexedSubnet {
  explicit IndexedSubnet(std::shared_ptr<const fabric::Subnet> of)
      : subnet(std::move(of)), paths(*subnet) {}
  std::shared_ptr<const fabric::Subnet> subnet;
  PathIndex paths;
};

}  // namespace

Administrator::Administrator(mad::Runtime& runtime, mad::MadTransport& transport,
                             mad::SmpClient& client, spdlog::logger& log,
                             sm::ConditionLog& conditions, sm::SharedContext context,
                             ManagerServices services)
    : runtime_(runtime),
      transport_(transport),
      log_(log),
      conditions_(conditions),
      services_(std::move(services)),
      context_(std::move(context)),
      alias_writer_(runtime, client, log, registrations_.alias_guids),
      commits_(runtime, conditions, registrations_,
               {.events = services_.events,
                .send =
                    [this](const mad::MadBytes& response, const mad::MadAddress& to,
                           mad::TimePoint came) {
                      ++statistics_.answered;
                      statistics_.latency.observe(runtime_.now() - came);
                      count_written(response, RequestEnd::answered);
                      transport_.send(response, to, 0);
                    },
                .committed = [this] { committed(); }}),
      transfers_(runtime, transport, [this] { schedule(); }),
      tables_(transfers_, registrations_, *this),
      notices_(runtime, transport, log, conditions, registrations_.subscriptions,
               services_.wall_clock),
      lease_timer_(runtime.make_timer([this] { on_lease_timer(); })),
      stale_timer_(runtime.make_timer([this] { drop_stale_members(); })) {}

Administrator::~Administrator() { *alive_ = false; }

// ------------------------------------------------------------------------------------------
// the subnet below

/// Applies changes of vports, also between sweeps. `before` is the previous subnet, or null.
void Administrator::update_vports(const fabric::Subnet* before) {
  const bool moved = before != nullptr && update_moved_members(registrations_, *before, *subnet_);
  if (subnet_->vports == applied_vports_ && !moved) return;
  applied_vports_ = subnet_->vports;
  begin_purge(*subnet_, context_->options, Absent::between_sweeps);
  continue_purge();
}

/// Drops the registrations of absent ports. The rest of a long purge follows in slices when the
/// subnet is published. Until then it is not routed or reported, since it has no port.
void Administrator::begin_purge(const fabric::Subnet& subnet, const config::Options& options,
                                Absent absent) {
  purge_ = Purge{.absent = absent};
  purge_slice(subnet, options);
}

void Administrator::purge_slice(const fabric::Subnet& subnet, const config::Options& options) {
  notices_.report_groups(
      forget_absent_slice(registrations_, subnet, options, purge_->absent, purge_->position));
  if (purge_->is_published) alias_writer_.rewrite(registrations_.alias_guids.take_withdrawn());
  if (purge_->position.is_done()) purge_.reset();
  commit();
}

void Administrator::continue_purge() {
  if (!purge_) return;
  purge_->is_published = true;
  schedule();
}

void Administrator::note_recent_ends(const fabric::Subnet& after) {
  recent_.update_from(converged_.get(), after, registrations_.alias_guids, runtime_.now());
  if (subnet_ == nullptr) recent_.begin(runtime_.now());
}

void Administrator::answer_from(std::shared_ptr<const fabric::Subnet> subnet,
                                sm::SharedContext context) {
  if (subnet != nullptr) note_recent_ends(*subnet);
  context_ = std::move(context);
  subnet_ = std::move(subnet);
  alias_writer_.set_subnet(subnet_);
  tables_.update_from(subnet_);
  retired_ = false;
  const auto indexed = std::make_shared<const IndexedSubnet>(subnet_);
  paths_ = {indexed, &indexed->paths};
  own_sm_ = services_.own_sm();
  notices_.publish(subnet_, context_);
  if (queue_.front() != nullptr) schedule();
}

void Administrator::publish(std::shared_ptr<const fabric::Subnet> subnet, sm::SharedContext context,
                            Publication kind) {
  if (kind == Publication::same) return publish_same(std::move(subnet));
  answer_from(std::move(subnet), std::move(context));
  if (kind == Publication::draft) return;
  const std::shared_ptr<const fabric::Subnet> before = std::exchange(converged_, subnet_);
  if (kind == Publication::standby) return;
  continue_purge();
  update_vports(before.get());
  if (before) notices_.report_ports(*before);
  alias_writer_.subnet_is_programmed();
  alias_writer_.rewrite(registrations_.alias_guids.take_withdrawn());
  known_manager_ = {};
}

void Administrator::publish_same(std::shared_ptr<const fabric::Subnet> subnet) {
  subnet_ = std::move(subnet);
  alias_writer_.set_subnet(subnet_);
  tables_.update_from(subnet_);
  if (subnet_ != nullptr) note_recent_ends(*subnet_);
  const std::shared_ptr<const fabric::Subnet> before = std::exchange(converged_, subnet_);
  notices_.publish(subnet_, context_);
  if (!subnet_ || !before || before->vports == subnet_->vports) return;
  update_vports(before.get());
  alias_writer_.rewrite(registrations_.alias_guids.take_withdrawn());
  notices_.report_ports(*before);
}

std::optional<mad::Mlid> Administrator::append_groups_for_routing(
    const fabric::Subnet& subnet, mad::Mlid first, std::vector<routing::MulticastGroup>& groups) {
  if (first == mad::Mlid{}) registrations_.groups.take_changed_mlids();
  return registrations_.groups.append_for_routing(subnet, registrations_.alias_guids, first,
                                                  kMembersAtATime, groups);
}

std::vector<routing::MulticastGroup> Administrator::changed_groups_for_routing(
    const fabric::Subnet& subnet) {
  return registrations_.groups.for_routing(subnet, registrations_.alias_guids,
                                           registrations_.groups.take_changed_mlids());
}

void Administrator::retire() {
  if (!subnet_) return;
  stale_timer_->cancel();
  notices_.stand_down();
  retired_ = true;
}

void Administrator::stand_down() {
  stale_timer_->cancel();
  retired_ = false;
  // The next publish() restarts the time of stale members.
  if (!registrations_.groups.stale_members().empty()) want_reregistration();
  paths_ = nullptr;
  subnet_ = converged_ = nullptr;
  recent_.clear();
  purge_.reset();
  alias_writer_.set_subnet(nullptr);
  queue_.clear();
  tables_.clear();
  notices_.stand_down();
}

void Administrator::commit() {
  ++changes_;
  commits_.commit();
}

void Administrator::committed() {
  if (registrations_.groups.has_changed_mlids())
    sm::announce(services_.events, sm::GroupsChanged{});
  arm_leases();
}

View Administrator::view() {
  recent_.expire(runtime_.now());
  return {.subnet = *subnet_,
          .registrations = registrations_,
          .options = context_->options,
          .files = context_->files,
          .paths = paths_.get(),
          .own_sm = &own_sm_,
          .guid2lid = guid2lid(),
          .recent = &recent_};
}

// ------------------------------------------------------------------------------------------
// arrivals

void Administrator::on_mad(const mad::ReceivedMad& received) {
  if (received.send_errno != 0) {
    notices_.on_mad(received);
    return;
  }
  ++statistics_.received;
  if (received.size < mad::kMadBytes) {
    ++statistics_.dropped[static_cast<std::size_t>(Drop::too_short)];
    return statistics_.requests.count({}, {}, RequestEnd::dropped);
  }
  const mad::ConstSaView mad = sa_view(received);
  if (mad.method() == mad::Method::report_resp) {
    notices_.on_mad(received);
  } else if (!mad.is_rmpp_active() || mad.base_version() != mad::kBaseVersion ||
             mad.class_version() != mad::kSaClassVersion) {
    enqueue(received);  // of another version: refused, not put together from segments
  } else if (mad.rmpp_type() == mad::RmppType::data && !mad.is_response()) {
    take_segment(received);
  } else {
    transfers_.on_mad(received);
  }
}

void Administrator::take_segment(const mad::ReceivedMad& received) {
  if (!subnet_) return;
  const Assemblies::Taken taken = assemblies_.take(received, requester(received), runtime_.now());
  if (!taken.has_room) return drop(received, Drop::queue_full);
  if (taken.answer) transport_.send(*taken.answer, answer_to(received.from), 0);
  if (taken.message)
    enqueue(received, {taken.message->begin() + kRequestHeaderBytes, taken.message->end()});
}

void Administrator::enqueue(const mad::ReceivedMad& received, std::vector<std::uint8_t> rest) {
  if (!queue_.push(requester(received), received, runtime_.now(), std::move(rest)))
    return drop(received, Drop::queue_full);
  schedule();
}

void Administrator::schedule() {
  if (std::exchange(scheduled_, true)) return;
  asio::post(runtime_.executor(), [this, alive = alive_] {
    if (*alive) work();
  });
}

/// Handles some requests, then yields to sweeps and other programs of this thread.
void Administrator::work() {
  scheduled_ = false;
  const mad::TimePoint begin = runtime_.now();
  for (std::size_t done = 0;
       done < kAtATime && queue_.front() != nullptr && runtime_.now() - begin < kTimeAtATime;
       ++done) {
    const Waiting& next = *queue_.front();
    if (next.needs_room && !tables_.has_room_for_get(next.requester)) {
      queue_.rotate();
      continue;
    }
    answer(next);
    if (std::exchange(lacks_room_, false))
      queue_.postpone();
    else
      queue_.pop();
  }
  if (std::exchange(wrote_, false)) commit();
  if (has_purge_work()) purge_slice(*subnet_, context_->options);
  tables_.work();
  statistics_.slices = tables_.slices();
  if (queue_.front() != nullptr || tables_.has_work() || has_purge_work()) schedule();
}

// ------------------------------------------------------------------------------------------
// answers

void Administrator::answer(const Waiting& waiting) {
  const mad::ReceivedMad& received = waiting.mad;
  const mad::ConstSaView mad = sa_view(received);
  const std::span<const std::uint8_t> record = waiting.rest.empty()
                                                   ? std::span<const std::uint8_t>(mad.data())
                                                   : std::span<const std::uint8_t>(waiting.rest);
  const ValidatedRequest admission =
      validate_request(received, record, answering(), context_->options);
  if (admission.drop != Drop::none) return drop(received, admission.drop);
  if (admission.status != mad::status::kOk) return refuse(received, admission.status);
  const mad::Duration timeout = std::chrono::milliseconds(context_->options.max_msg_fifo_timeout);
  if (timeout.count() != 0 && runtime_.now() - waiting.came > timeout)
    return drop(received, Drop::waited);
  if (transfers_.is_running(received.from, mad.transaction_id()) ||
      tables_.is_running(received.from, mad.transaction_id())) {
    ++statistics_.repeated;
    return count(received, RequestEnd::repeated);
  }
  const Query& query = admission.query;
  if (const WritableRecord* writing = writable(query.attribute, query.method)) {
    if (query.record.size() < writing->bytes)
      refuse(received, mad::sa_status::kReqInvalid);
    else if (retired_)
      drop(received, Drop::handed_over);
    else
      answer_writing(waiting, query, writing->write);
    return;
  }
  if (const RecordType* type = find_type(query.attribute))
    return answer_reading(waiting, query, *type);
  refuse(received, mad::status::kMethodAttributeUnsupported);
}

void Administrator::answer_reading(const Waiting& waiting, const Query& query,
                                   const RecordType& type) {
  // A table that could not be sent is not computed.
  const bool is_get = query.method == mad::Method::get;
  if (!is_get && !tables_.has_room(waiting)) return drop(waiting.mad, Drop::no_room);
  own_sm_ = services_.own_sm();
  AnswerPosition position;
  const std::uint16_t status =
      answer_slice(view(), query, type, response_, position,
                   type.registered || is_get ? kResponseBytesMax : kStreamBytesMax);
  if (status == mad::status::kBusy) return drop(waiting.mad, Drop::recent_end);
  if (status != mad::status::kOk) {
    refuse(waiting.mad, status);
  } else if (position.at_end && is_get) {
    send_record(waiting, response_);
  } else if (position.at_end) {
    tables_.send(waiting, response_);
  } else if (is_get && !tables_.has_room_for_get(waiting.requester)) {
    lacks_room_ = true;
  } else {
    tables_.add(waiting, query, type,
                {.subnet = subnet_, .paths = paths_, .context = context_, .own_sm = own_sm_},
                position, std::exchange(response_, ResponseBuffer{}));
  }
}

void Administrator::answer_writing(const Waiting& waiting, const Query& query, Write write) {
  const mad::ReceivedMad& received = waiting.mad;
  const Outcome outcome = write(registrations_, view(), query, services_.wall_clock());
  wrote_ = true;
  if (!outcome.alias_write) return finish_writing(received, waiting.came, outcome);
  alias_writer_.write(*outcome.alias_write,
                      [this, received, came = waiting.came, outcome](AliasWriter::Result result) {
                        if (result == AliasWriter::Result::written) {
                          finish_writing(received, came, alias_written(registrations_, outcome));
                        } else {
                          Outcome failed = alias_failed(registrations_, outcome);
                          // The port may respond when the client repeats its request.
                          if (result == AliasWriter::Result::no_response)
                            failed.status = mad::status::kBusy;
                          finish_writing(received, came, failed);
                        }
                        drop_returned_aliases(outcome.alias_write->port_guid);
                        commit();
                      });
}

/// Drops aliases whose owner returned while the alias was being written.
void Administrator::drop_returned_aliases(mad::Guid port_guid) {
  if (!subnet_) return;
  notices_.report_groups(withdraw_aliases_of_present_ports(registrations_, *subnet_, port_guid));
  alias_writer_.rewrite(registrations_.alias_guids.take_withdrawn());
}

void Administrator::log_outcome(const mad::ReceivedMad& received, const Outcome& outcome) {
  if (outcome.level == LogLevel::error) log_refusal(received, outcome.log);
}

void Administrator::log_refusal(const mad::ReceivedMad& received, const std::string& text) {
  conditions_.occurred(
      {.id = kSaConditions.sa_requests_refused, .text = text, .guid = requester(received).port},
      kRefusalLines);
}

/// Sends a response after the disk has the registration that it promises, or has refused it.
void Administrator::finish_writing(const mad::ReceivedMad& received, mad::TimePoint came,
                                   const Outcome& outcome) {
  log_outcome(received, outcome);
  if (outcome.notice) notices_.report_groups({*outcome.notice});
  if (!outcome.is_ok()) return refuse(received, outcome.status);
  commits_.hold(
      single_response(received, outcome.status,
                      outcome.bytes == 0 ? std::span<const std::uint8_t>(sa_view(received).data())
                                         : outcome.reply()),
      answer_to(received.from), came);
}

void Administrator::refuse(const mad::ReceivedMad& received, std::uint16_t status) {
  // kBusy from a registration means that it may succeed a moment later, but Linux would take the
  // response as final.
  if (status == mad::status::kBusy) return drop(received, Drop::changing);
  transport_.send(single_response(received, status), answer_to(received.from), 0);
  ++statistics_.answered;
  ++statistics_.refused;
  count(received,
        status == mad::sa_status::kNoRecords ? RequestEnd::no_records : RequestEnd::refused);
}

void Administrator::count(const mad::ReceivedMad& received, RequestEnd end) {
  const mad::ConstSaView mad = sa_view(received);
  statistics_.requests.count(static_cast<mad::SaAttributeId>(mad.attribute_id()), mad.method(),
                             end);
}

/// Counts the request that `response` belongs to: a Set, whose response is GetResp, or a Delete.
void Administrator::count_written(const mad::MadBytes& response, RequestEnd end) {
  const mad::ConstSaView mad{std::span<const std::uint8_t, mad::kMadBytes>(response)};
  statistics_.requests.count(
      static_cast<mad::SaAttributeId>(mad.attribute_id()),
      mad.method() == mad::Method::delete_resp ? mad::Method::delete_ : mad::Method::set, end);
}

void Administrator::send_record(const Waiting& waiting, const ResponseBuffer& response) {
  transport_.send(single_response(waiting.mad, mad::status::kOk, response.record(0)),
                  answer_to(waiting.mad.from), 0);
  answered(waiting.mad, waiting.came);
}

void Administrator::answered(const mad::ReceivedMad& received, mad::TimePoint came) {
  ++statistics_.answered;
  statistics_.latency.observe(runtime_.now() - came);
  count(received, RequestEnd::answered);
}

void Administrator::drop(const mad::ReceivedMad& received, Drop reason) {
  ++statistics_.dropped[static_cast<std::size_t>(reason)];
  count(received, is_overload(reason) ? RequestEnd::busy : RequestEnd::dropped);
  report_drop(received, reason);
}

void Administrator::report_drop(const mad::ReceivedMad& received, Drop reason) {
  if (is_overload(reason)) {
    // The log has one line for all requesters, since they share the queue.
    conditions_.occurred(
        {.id = kSaConditions.sa_busy,
         .text = fmt::format("a request of {} was dropped ({}) while {} requests waited",
                             requester_name(received), name(reason), queue_.size())});
  } else if (reason == Drop::bad_sm_key) {
    conditions_.occurred(
        {.id = kSaConditions.sa_key_mismatch,
         .text = fmt::format("request with an SM_Key that is not sa_key from {}: not answered",
                             requester_name(received)),
         .guid = requester(received).port});
  } else if (reason == Drop::wrong_gid) {
    log_refusal(received, fmt::format("request of {} with the source GID {}, which is not at that "
                                      "port: not answered",
                                      requester_name(received), gid_text(received.from.grh->peer)));
  } else if (reason == Drop::unknown_lid) {
    log_refusal(received, fmt::format("request of {}: not answered", requester_name(received)));
  }
}

// ------------------------------------------------------------------------------------------
// requesters

fabric::EndPoint Administrator::requester_end(const mad::ReceivedMad& received) const {
  return source_of(received.from, answering(), context_->options)
      .value_or(fabric::EndPoint{.port = answering().owner(received.from.lid).port});
}

std::string Administrator::requester_name(const mad::ReceivedMad& received) const {
  const fabric::EndPoint end = requester_end(received);
  return end.port == fabric::kNoIndex
             ? fmt::format("an unknown port with LID {}", received.from.lid)
             : find_name(*subnet_, end);
}

Client Administrator::requester(const mad::ReceivedMad& received) const {
  const fabric::EndPoint end = requester_end(received);
  return end.port == fabric::kNoIndex ? Client() : make_client(*subnet_, end);
}

// ------------------------------------------------------------------------------------------
// leases

void Administrator::on_lease_timer() {
  registrations_.services.expire(services_.wall_clock());
  commit();
}

void Administrator::arm_leases() {
  const std::optional<UnixTime> next = registrations_.services.expire(services_.wall_clock());
  if (!next) return lease_timer_->cancel();
  // The clock may be set in between, and the sum must stay within its range.
  constexpr std::chrono::seconds kLongest = std::chrono::hours(24);
  const std::chrono::seconds left = *next - services_.wall_clock();
  lease_timer_->arm(runtime_.now() + std::min(left, kLongest) + std::chrono::milliseconds(10));
}

}  // namespace sa
