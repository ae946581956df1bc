#include "sm/manager/write_guard.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "mad/attributes/sm_info.h"
#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// Sends a few requests at once.
class Requests final : public mad::SmpBatch {
 public:
  explicit Requests(std::vector<mad::SmpRequest> requests)
      : answers(requests.size()), requests_(std::move(requests)) {}
  bool next(mad::SmpRequest& request) override {
    if (next_ == requests_.size()) return false;
    request = requests_[next_];
    request.cookie = next_++;
    return true;
  }
  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    mad::SmpAnswer& answer = answers[request.cookie];
    answer.fault = reply.fault;
    answer.status = reply.status;
    std::ranges::copy(reply.data, answer.data.begin());
  }
  std::vector<mad::SmpAnswer> answers;

 private:
  std::vector<mad::SmpRequest> requests_;
  std::size_t next_ = 0;
};

}  // namespace

bool names_another_master(const mad::PortInfo& own, mad::Lid before) {
  const mad::Lid master = own.master_sm_lid();
  return master != mad::Lid{} && master != own.lid() && master != before;
}

WriteGuard::WriteGuard(mad::Runtime& runtime, mad::SmpClient& client, Owner& owner)
    : runtime_(runtime),
      client_(client),
      owner_(owner),
      timer_(runtime.make_timer([this] { tick(); })),
      ran_(runtime.now()),
      cpu_time_(runtime.cpu_time()) {
  client_.set_guard(this);
  tick();
}

WriteGuard::~WriteGuard() { client_.set_guard(nullptr); }

void WriteGuard::know(const Fabric& fabric, std::span<const OtherSm> others) {
  const Port& own = fabric.ports[fabric.sm_port];
  others_.clear();
  for (const OtherSm& sm : others) {
    if (sm.info.guid() == own.guid) continue;
    others_.push_back({.read = {.attribute = mad::AttributeId::sm_info,
                                .route = sm.route,
                                .port = fabric.m_key_port(sm.port)},
                       .guid = sm.info.guid(),
                       .name = fabric.port_name(sm.port)});
  }
  own_port_ = {.attribute = mad::AttributeId::port_info,
               .modifier = own.number.value,
               .route = {},
               .port = fabric.m_key_port(fabric.sm_port)};
  master_lid_ = own.info.master_sm_lid();
}

void WriteGuard::tick() {
  note_stall();
  ran_ = runtime_.now();
  cpu_time_ = runtime_.cpu_time();
  timer_->arm(ran_ + kTick);
}

void WriteGuard::note_stall() {
  const mad::Duration stall = runtime_.now() - ran_;
  if (stall < kStall) return;
  const mad::Duration computed = runtime_.cpu_time() - cpu_time_;
  ran_ = runtime_.now();
  idle_ = std::max(stall - computed, mad::Duration{});
  ++stalls_;
  owner_.stalled();
  if (state_ != State::open) return;
  // A manager that does not lead surveys before it writes.
  state_ = owner_.is_master() ? State::checking : State::closed;
  if (state_ == State::checking) asio::co_spawn(runtime_.executor(), check(alive_), asio::detached);
}

mad::SetGuard::Verdict WriteGuard::verdict() {
  note_stall();
  return state_ == State::open       ? Verdict::send
         : state_ == State::checking ? Verdict::hold
                                     : Verdict::refuse;
}

bool WriteGuard::surveyed(unsigned stalls) {
  if (state_ == State::closed && stalls == stalls_) state_ = State::open;
  return state_ != State::closed;
}

asio::awaitable<void> WriteGuard::check(std::weak_ptr<const int> alive) {
  const std::vector<Known> others = others_;
  std::vector<mad::SmpRequest> requests;
  requests.reserve(others.size() + 1);
  for (const Known& sm : others) requests.push_back(sm.read);
  if (own_port_) requests.push_back(*own_port_);
  Requests reads(requests);
  for (unsigned stalls = stalls_ + 1; stalls != stalls_;) {
    stalls = stalls_;
    reads = Requests(requests);
    co_await client_.exchange(reads);
    if (alive.expired()) co_return;
  }

  std::string why;
  if (own_port_ && reads.answers.back().ok() &&
      names_another_master(mad::PortInfo(reads.answers.back().data), master_lid_))
    why = "another subnet manager has programmed the own port";
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!reads.answers[i].ok()) continue;
    const mad::SmInfo info(reads.answers[i].data);
    if (info.guid() == others[i].guid && info.sm_state() == mad::SmState::master)
      why = fmt::format("the subnet manager at {} is MASTER", others[i].name);
  }
  const bool leads = owner_.is_master();
  state_ = leads && why.empty() ? State::open : State::closed;
  client_.release_held();
  if (!leads) co_return;
  why.empty() ? owner_.confirmed(idle_) : owner_.demoted(why);
}

}  // namespace sm
