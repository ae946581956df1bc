#include "sm/sa/administrator.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <unordered_set>

#include "mad/format.h"
#include "mad/transport.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/records/record_types.h"
#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/mc_member.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/sa/registrations/services.h"
#include "sm/sa/registrations/subscriptions.h"
#include "sm/sa/registrations/writes.h"
#include "sm/sa/responses.h"
#include "sm/store/atomic_file.h"

namespace sa {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kAtATime = 256;  // requests, before others get the thread
constexpr mad::Duration kTimeAtATime = std::chrono::milliseconds(5);
constexpr std::size_t kRequestHeaderBytes = ResponseBuffer::kHeaderBytes;
constexpr unsigned kRefusalLines = 10;  // of one requester, in ConditionLog::kPauseFirst
constexpr unsigned kDumpMode = 0600;    // it holds ServiceKeys
constexpr std::size_t kDumpBytesMax = std::size_t{256} << 20;

const RecordType* type_of(mad::SaAttributeId attribute) {
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

/// A subnet and its paths.
struct IndexedSubnet {
  explicit IndexedSubnet(std::shared_ptr<const sm::Subnet> of)
      : subnet(std::move(of)), paths(*subnet) {}
  std::shared_ptr<const sm::Subnet> subnet;
  PathIndex paths;
};

/// Some end port names another port's LID as that of its subnet manager: since this one ended, or
/// the one with LID `known`, another one was master.
bool follows_another_manager(const sm::Fabric& fabric, mad::Lid known = {}) {
  if (fabric.sm_port == sm::kNoIndex) return false;
  const mad::Lid own = fabric.ports[fabric.sm_port].info.lid();
  return std::ranges::any_of(fabric.end_ports, [&](sm::PortIndex port) {
    const mad::PortInfo& info = fabric.ports[port].info;
    return info.port_state() == mad::PortState::active && info.master_sm_lid() != mad::Lid{} &&
           info.master_sm_lid() != own && info.master_sm_lid() != known;
  });
}

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
      commits_(
          runtime, conditions, registrations_,
          {.registered = services_.registered,
           .send = [&transport](const mad::MadBytes& response,
                                const mad::MadAddress& to) { transport.send(response, to, 0); },
           .refused = [this] { ++statistics_.refused; },
           .committed = [this] { committed(); }}),
      transfers_(runtime, transport, [this] { schedule(); }),
      tables_(transfers_, registrations_,
              {.refuse = [this](const Waiting& request,
                                std::uint16_t status) { refuse(request.mad, status); },
               .busy = [this](const Waiting& request) { send_busy(request.mad); },
               .single = [this](const mad::MadBytes& response,
                                const mad::MadAddress& to) { transport_.send(response, to, 0); },
               .answered = [this] { ++statistics_.answered; }}),
      notices_(runtime, transport, log, conditions, registrations_.subscriptions,
               services_.wall_clock),
      lease_timer_(runtime.make_timer([this] { on_lease_timer(); })),
      doubt_timer_(runtime.make_timer([this] { drop_doubtful_members(); })) {}

Administrator::~Administrator() { *alive_ = false; }

// ------------------------------------------------------------------------------------------
// the subnet below

void Administrator::prepare(const sm::Subnet& subnet, const sm::SweepContext& context) {
  const config::Options& options = context.options;
  const bool first = !std::exchange(loaded_, true);
  const bool taken_over = reregistration_ != 0;
  const bool returns = !first && !settled_;  // the own port was down: another one may have led
  if (first) load(options);
  const bool adopted = adopted_.has_value();
  if (adopted) begin_with(*std::exchange(adopted_, std::nullopt), subnet.fabric);
  std::vector<std::string> lines;
  notices_.report_groups(reconcile_groups(registrations_, subnet, options, lines));
  for (const std::string& line : lines) log_.error("{}", line);
  if (first && !options.sa_db_file.empty()) {
    restore_dump(subnet, options.sa_db_file);
  } else if (!adopted && ((first && taken_over) ||
                          ((first || returns) && follows_another_manager(subnet.fabric)))) {
    doubt_members();
  }
  notices_.report_groups(forget_absent_ports(registrations_, subnet, options,
                                             first ? Absent::after_load : Absent::between_sweeps));
  followed_vports_ = subnet.vports;
  commit();
}

/// Vports come, go and move between sweeps, too. `before`: what was published last, or null.
void Administrator::follow_vports(const sm::Subnet* before) {
  const bool moved = before != nullptr && follow_moved_members(registrations_, *before, *subnet_);
  if (subnet_->vports == followed_vports_ && !moved) return;
  followed_vports_ = subnet_->vports;
  notices_.report_groups(
      forget_absent_ports(registrations_, *subnet_, context_->options, Absent::between_sweeps));
  commit();
}

void Administrator::load(const config::Options& options) {
  const bool is_first_start =
      !std::filesystem::exists(std::filesystem::path(options.cache_files_dir) / kRegistrationsFile);
  auto loaded = RegistrationStore::load(options.cache_files_dir, options.fsync_high_avail_files);
  // Clients that registered with another manager, or before this file began, must register again.
  want_reregistration();
  if (!loaded) {
    log_.error("{}; registrations are kept in memory only, and are lost at the next start",
               loaded.error());
    return;
  }
  for (const std::string& message : loaded->messages) log_.error("{}", message);
  if (!is_first_start && loaded->messages.empty()) reregistration_ = 0;
  registrations_ = std::move(loaded->registrations);
  commits_.keep_in(std::move(loaded->store));
}

void Administrator::begin_with(AdoptedState adopted, const sm::Fabric& fabric) {
  registrations_ = std::move(adopted.registrations);
  commits_.replace_all();
  reregistration_ = 0;
  known_manager_ = adopted.complete ? adopted.manager_lid : mad::Lid{};
  if (!adopted.complete || follows_another_manager(fabric, adopted.manager_lid)) doubt_members();
}

/// OpenSM's memory of another manager, or of an OpenSM that was here before.
void Administrator::restore_dump(const sm::Subnet& subnet, const std::string& path) {
  const auto text = sm::read_file(path, kDumpBytesMax);
  if (!text) return log_.error("{}", text.error());
  if (!*text) return log_.warn("sa_db_file {} does not exist", path);
  const ParsedSaDb parsed = parse_sa_db(**text);
  for (const sm::FileError& error : parsed.errors)
    log_.error("{}:{}:{}: {}", path, error.line, error.column, error.what);
  for (const std::string& line :
       restore(parsed.value, registrations_, subnet, services_.wall_clock()))
    log_.info("{}", line);
  if (parsed.errors.empty()) reregistration_ = 0;
}

void Administrator::dump() {
  const config::Options& options = context_->options;
  if (!options.sa_db_dump || !subnet_ || changes_ == dumped_changes_) return;
  const std::filesystem::path path = std::filesystem::path(options.dump_files_dir) / kSaDbFile;
  const auto written =
      sm::write_file_atomically(path, to_text(sa_db_of(registrations_, *subnet_, options)),
                                options.fsync_high_avail_files, kDumpMode);
  if (!written) return log_.error("{}", written.error());
  dumped_changes_ = changes_;
}

void Administrator::answer_from(std::shared_ptr<const sm::Subnet> subnet,
                                sm::SharedContext context) {
  context_ = std::move(context);
  subnet_ = std::move(subnet);
  alias_writer_.set_subnet(subnet_);
  tables_.follow(subnet_);
  retired_ = false;
  const auto indexed = std::make_shared<const IndexedSubnet>(subnet_);
  paths_ = {indexed, &indexed->paths};
  own_sm_ = services_.own_sm();
  notices_.publish(subnet_, context_);
  if (queue_.front() != nullptr) schedule();
}

void Administrator::publish_draft(std::shared_ptr<const sm::Subnet> draft,
                                  sm::SharedContext context) {
  answer_from(std::move(draft), std::move(context));
}

void Administrator::publish_picture(std::shared_ptr<const sm::Subnet> subnet,
                                    sm::SharedContext context) {
  answer_from(std::move(subnet), std::move(context));
  settled_ = subnet_;
}

void Administrator::publish(std::shared_ptr<const sm::Subnet> subnet, sm::SharedContext context) {
  answer_from(std::move(subnet), std::move(context));
  const std::shared_ptr<const sm::Subnet> before = std::exchange(settled_, subnet_);
  follow_vports(before.get());
  if (before) notices_.report_ports(*before);
  alias_writer_.subnet_is_programmed();
  known_manager_ = {};
}

void Administrator::clients_reregister(std::uint64_t reregistration) {
  if (reregistration == 0 || reregistration != reregistration_) return;
  reregistration_ = 0;
  if (registrations_.groups.doubtful().empty()) return;
  if (context_->options.no_clients_rereg) return registrations_.groups.trust_members();
  doubt_timer_->arm(runtime_.now() + kReregistration);
}

void Administrator::publish_same(std::shared_ptr<const sm::Subnet> subnet) {
  subnet_ = std::move(subnet);
  alias_writer_.set_subnet(subnet_);
  tables_.follow(subnet_);
  const std::shared_ptr<const sm::Subnet> before = std::exchange(settled_, subnet_);
  notices_.publish(subnet_, context_);
  if (!subnet_ || !before || before->vports == subnet_->vports) return;
  follow_vports(before.get());
  notices_.report_ports(*before);
}

void Administrator::doubt_members() {
  want_reregistration();
  registrations_.groups.doubt_members();
}

void Administrator::drop_doubtful_members() {
  const std::set<Groups::MemberKey>& doubtful = registrations_.groups.doubtful();
  const std::vector<Groups::MemberKey> gone(doubtful.begin(), doubtful.end());
  if (gone.empty()) return;
  log_.info(
      "{} multicast membership{} of before another subnet manager was MASTER, not registered "
      "again: "
      "dropped",
      gone.size(), gone.size() == 1 ? "" : "s");
  notices_.report_groups(drop_members(registrations_.groups, gone));
  commit();
}

std::vector<routing::MulticastGroup> Administrator::groups_for_routing(const sm::Subnet& subnet) {
  registrations_.groups.take_changed_mlids();
  return registrations_.groups.for_routing(subnet, registrations_.alias_guids);
}

std::vector<routing::MulticastGroup> Administrator::changed_groups_for_routing(
    const sm::Subnet& subnet) {
  return registrations_.groups.for_routing(subnet, registrations_.alias_guids,
                                           registrations_.groups.take_changed_mlids());
}

void Administrator::retire() {
  if (!subnet_) return;
  doubt_timer_->cancel();
  notices_.stand_down();
  retired_ = true;
}

void Administrator::stand_down() {
  doubt_timer_->cancel();
  retired_ = false;
  // The next publish() begins their time anew.
  if (!registrations_.groups.doubtful().empty()) want_reregistration();
  paths_ = nullptr;
  subnet_ = settled_ = nullptr;
  alias_writer_.set_subnet(nullptr);
  queue_.clear();
  tables_.clear();
  notices_.stand_down();
}

void Administrator::take_over(const sm::SweepContext& context) {
  doubt_members();
  if (!context.options.drop_event_subscriptions) return;
  registrations_.subscriptions.clear();
  registrations_.services.forget([](mad::Gid) { return true; });
}

void Administrator::commit() {
  ++changes_;
  commits_.commit();
}

void Administrator::committed() {
  if (registrations_.groups.has_changed_mlids()) services_.groups_changed();
  arm_leases();
}

View Administrator::view() const {
  return {.subnet = *subnet_,
          .registrations = registrations_,
          .options = context_->options,
          .files = context_->files,
          .paths = paths_.get(),
          .own_sm = &own_sm_};
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
    return;
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
  if (!taken.has_room) return send_busy(received);
  if (taken.answer) transport_.send(*taken.answer, answer_to(received.from), 0);
  if (taken.message)
    enqueue(received, {taken.message->begin() + kRequestHeaderBytes, taken.message->end()});
}

void Administrator::enqueue(const mad::ReceivedMad& received, std::vector<std::uint8_t> rest) {
  if (!queue_.push(requester(received), received, runtime_.now(), std::move(rest)))
    return send_busy(received);
  schedule();
}

void Administrator::schedule() {
  if (std::exchange(scheduled_, true)) return;
  asio::post(runtime_.executor(), [this, alive = alive_] {
    if (*alive) work();
  });
}

/// Some requests, then the turn of others: sweeps and other programs of this thread go on
/// between them.
void Administrator::work() {
  scheduled_ = false;
  const mad::TimePoint begin = runtime_.now();
  for (std::size_t done = 0;
       done < kAtATime && queue_.front() != nullptr && runtime_.now() - begin < kTimeAtATime;
       ++done) {
    answer(*queue_.front());
    queue_.pop();
  }
  if (std::exchange(wrote_, false)) commit();
  tables_.work();
  statistics_.slices = tables_.slices();
  if (queue_.front() != nullptr || tables_.has_work()) schedule();
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
  if (admission.drop != Drop::none) {
    ++statistics_.dropped[static_cast<std::size_t>(admission.drop)];
    if (admission.drop != Drop::bad_sm_key) return;
    conditions_.occurred(
        {.id = sm::ConditionId::sa_key_mismatch,
         .text = fmt::format("request with an SM_Key that is not sa_key from {}: not answered",
                             requester_name(received)),
         .guid = requester(received).port});
    return;
  }
  if (admission.status == mad::sa_status::kReqInvalidGid) {
    ++statistics_.wrong_gid;
    log_refusal(received,
                fmt::format("request of {} with the source GID {}, which is not at that port",
                            requester_name(received), gid_text(received.from.grh->peer)));
  }
  if (admission.status != mad::status::kOk) {
    return refuse(received, admission.status);
  }
  const mad::Duration patience = std::chrono::milliseconds(context_->options.max_msg_fifo_timeout);
  if (patience.count() != 0 && runtime_.now() - waiting.came > patience) {
    return send_busy(received);
  }
  if (transfers_.is_running(received.from, mad.transaction_id()) ||
      tables_.is_running(received.from, mad.transaction_id())) {
    ++statistics_.repeated;
    return;
  }
  const Query& query = admission.query;
  if (const WritableRecord* writing = writable(query.attribute, query.method)) {
    if (query.record.size() < writing->bytes)
      refuse(received, mad::sa_status::kReqInvalid);
    else if (retired_)
      send_busy(received);
    else
      answer_writing(received, query, writing->write);
    return;
  }
  if (const RecordType* type = type_of(query.attribute))
    return answer_reading(waiting, query, *type);
  refuse(received, mad::status::kMethodAttributeUnsupported);
}

void Administrator::answer_reading(const Waiting& waiting, const Query& query,
                                   const RecordType& type) {
  // A table that could not be sent is not computed.
  const bool is_get = query.method == mad::Method::get;
  if (!is_get && !tables_.has_room(waiting.requester)) return send_busy(waiting.mad);
  own_sm_ = services_.own_sm();
  AnswerPosition position;
  const std::uint16_t status =
      answer_slice(view(), query, type, response_, position,
                   type.registered || is_get ? kResponseBytesMax : kStreamBytesMax);
  if (status != mad::status::kOk || position.at_end) {
    tables_.send(waiting, query.method, status, response_);
  } else if (!tables_.has_room(waiting.requester)) {
    send_busy(waiting.mad);
  } else {
    tables_.add(waiting, query, type,
                {.subnet = subnet_, .paths = paths_, .context = context_, .own_sm = own_sm_},
                position, std::exchange(response_, ResponseBuffer{}));
  }
}

void Administrator::answer_writing(const mad::ReceivedMad& received, const Query& query,
                                   Write write) {
  // Nothing more is promised before the disk takes what it lacks.
  if (commits_.is_failing()) return refuse(received, mad::sa_status::kNoResources);
  const Outcome outcome = write(registrations_, view(), query, services_.wall_clock());
  wrote_ = true;
  if (!outcome.alias_write) return finish_writing(received, outcome);
  alias_writer_.write(*outcome.alias_write, [this, received, outcome](bool written) {
    finish_writing(received, written ? alias_written(registrations_, outcome)
                                     : alias_failed(registrations_, outcome));
    commit();
  });
}

void Administrator::log_outcome(const mad::ReceivedMad& received, const Outcome& outcome) {
  if (outcome.level == LogLevel::error) log_refusal(received, outcome.log);
}

void Administrator::log_refusal(const mad::ReceivedMad& received, const std::string& text) {
  conditions_.occurred(
      {.id = sm::ConditionId::sa_requests_refused, .text = text, .guid = requester(received).port},
      kRefusalLines);
}

/// What is promised here is on disk before it is said.
void Administrator::finish_writing(const mad::ReceivedMad& received, const Outcome& outcome) {
  log_outcome(received, outcome);
  if (outcome.notice) notices_.report_groups({*outcome.notice});
  if (!outcome.is_ok()) return refuse(received, outcome.status);
  commits_.hold(
      single_response(received, outcome.status,
                      outcome.bytes == 0 ? std::span<const std::uint8_t>(sa_view(received).data())
                                         : outcome.reply()),
      answer_to(received.from));
  ++statistics_.answered;
}

void Administrator::refuse(const mad::ReceivedMad& received, std::uint16_t status) {
  transport_.send(single_response(received, status), answer_to(received.from), 0);
  ++statistics_.answered;
  ++statistics_.refused;
}

void Administrator::send_busy(const mad::ReceivedMad& received) {
  ++statistics_.busy;
  // One line for all requesters: the queue is common.
  conditions_.occurred({.id = sm::ConditionId::sa_busy,
                        .text = fmt::format("{} requests wait: {} is answered BUSY", queue_.size(),
                                            requester_name(received))});
  if (sa_view(received).is_response() || !subnet_) return;
  refuse(received, mad::status::kBusy);
}

// ------------------------------------------------------------------------------------------
// requesters

sm::EndPoint Administrator::requester_end(const mad::ReceivedMad& received) const {
  return source_of(received.from, answering(), context_->options)
      .value_or(sm::EndPoint{.port = answering().owner(received.from.lid).port});
}

std::string Administrator::requester_name(const mad::ReceivedMad& received) const {
  const sm::EndPoint end = requester_end(received);
  return end.port == sm::kNoIndex ? fmt::format("an unknown port with LID {}", received.from.lid)
                                  : name_of(*subnet_, end);
}

Client Administrator::requester(const mad::ReceivedMad& received) const {
  const sm::EndPoint end = requester_end(received);
  return end.port == sm::kNoIndex ? Client() : client_of(*subnet_, end);
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
  lease_timer_->arm(runtime_.now() + (*next - services_.wall_clock()) +
                    std::chrono::milliseconds(10));
}

}  // namespace sa
