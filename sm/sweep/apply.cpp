#include "sm/sweep/apply.h"

#include <deque>
#include <map>
#include <utility>

#include "mad/format.h"

namespace sm {
namespace {

constexpr unsigned kWriteRounds = 2;  // how often a write is tried again after the client gave up
constexpr std::size_t kProgressStep = 2048;

/// The requests of a stage. Those whose node does not respond are tried again at the end.
class Sender final : public mad::SmpBatch {
 public:
  Sender(const ApplyOptions& options, const Fabric& fabric, mad::Method method, Stage& stage,
         ApplyReport& report)
      : options_(options),
        fabric_(fabric),
        method_(method),
        stage_(stage),
        report_(report),
        size_(stage.size()) {}

  bool next(mad::SmpRequest& request) override {
    while (next_ < size_ || !again_.empty() || !confirmed_.empty()) {
      std::uint64_t cookie = next_ | (stage_.reads_first() ? kFirst : 0);
      if (!confirmed_.empty()) {  // at once: what was read a moment ago is still so
        cookie = confirmed_.front();
        confirmed_.pop_front();
      } else if (next_ < size_) {
        ++next_;
      } else {
        cookie = again_.front();
        again_.pop_front();
      }
      const Write write = stage_.write(cookie & kNumberMask);
      const bool identify = (cookie & (kCheck | kKnown)) == 0 && is_doubtful(write);
      const auto route = identify ? route_to_expected(write) : fabric_.route_to(write.port);
      if (!route) {
        stage_.lose(cookie & kNumberMask);
        continue;
      }
      request = {};
      request.route = *route;
      if (identify) {
        request.attribute = mad::AttributeId::node_info;
        request.node = fabric_.node_of(expected(write)).guid;
        request.port = fabric_.m_key_port(expected(write));
        request.cookie = cookie | kIdentity;
        return true;
      }
      request.method = (cookie & (kCheck | kFirst)) != 0 ? mad::Method::get : method_;
      request.attribute = write.attribute;
      request.modifier = write.modifier;
      if (request.method == mad::Method::set) request.data = write.data;
      request.is_of_entry = write.attribute == mad::AttributeId::port_info &&
                            !fabric_.node_of(write.port).is_switch();
      request.is_long = write.is_long;
      request.node = fabric_.node_of(write.port).guid;
      request.port = fabric_.m_key_port(write.port);
      request.cookie = cookie;
      return true;
    }
    return false;
  }

  /// Another node may have come to the end of the route since the first attempt.
  bool may_repeat(const mad::SmpRequest& request) override {
    return request.method != mad::Method::set ||
           !is_doubtful(stage_.write(request.cookie & kNumberMask));
  }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    const std::size_t number = request.cookie & kNumberMask;
    if (++done_ % kProgressStep == 0 && options_.on_progress)
      options_.on_progress(fmt::format("{} {}", text(stage_.kind()),
                                       method_ == mad::Method::set ? "written" : "read"),
                           done_, size_);
    if (reply.ok() && (request.cookie & kCheck) != 0)
      return stage_.accept_rejected(number, rejected_[number], reply.data, report_);
    if (reply.ok() && (request.cookie & kIdentity) != 0) return identify(request, reply);
    if (reply.ok() && (request.cookie & kFirst) != 0) return confirm(request, reply);
    if (reply.ok()) {
      if (request.method == mad::Method::set && writes_tables(request.attribute))
        report_.written.insert(request.node);
      return stage_.accept(number, reply.data, report_);
    }
    if (reply.fault == mad::SmpFault::withheld) {  // the sweep ends, its reason is known
      stage_.lose(number);
      ++report_.failed;
      return;
    }
    const bool identity = (request.cookie & kIdentity) != 0;
    const std::uint64_t round = request.cookie >> kRoundShift;
    const bool bad_status = reply.fault == mad::SmpFault::bad_status;
    if (bad_status && request.method == mad::Method::set &&
        (reply.attempts > 1 || (round & kRoundMask) > 0 || stage_.reads_back())) {
      // An earlier attempt may have done it, its response been lost, and the repetition be refused
      // (Armed to Armed is no legal change): what the node holds now decides.
      --done_;
      rejected_[number] = reply.status;
      again_.push_back(kCheck | number);
      return;
    }
    const bool is_silent = reply.fault == mad::SmpFault::node_silent;
    if (!bad_status && !is_silent && (round & kRoundMask) < kWriteRounds) {
      --done_;
      again_.push_back((request.cookie & ~(kIdentity | kKnown)) +
                       (std::uint64_t{1} << kRoundShift));
      return;
    }
    if (bad_status && !identity && stage_.refuse(number, reply.status)) return;
    stage_.lose(number);
    if (!bad_status) ++report_.unanswered;
    if (!bad_status && !report_.unanswering.insert(request.node).second) {
      ++report_.failed;  // one line for each node
      return;
    }
    report_.fail(fmt::format("{}: {}", fabric_.name(fabric_.ports[stage_.write(number).port].node),
                             describe(request, reply)));
  }

 private:
  /// A multicast block alone hides nothing: LinearFDBTop still shows a reset.
  static bool writes_tables(mad::AttributeId attribute) {
    return attribute == mad::AttributeId::switch_info ||
           attribute == mad::AttributeId::linear_forwarding_table;
  }

  void confirm(const mad::SmpRequest& request, const mad::SmpReply& reply) {
    const std::size_t number = request.cookie & kNumberMask;
    --done_;
    if (stage_.confirm(number, reply.data)) return confirmed_.push_back(number);
    stage_.lose(number);
    report_.restarted.insert(request.node);
    ++report_.failed;
  }

  bool is_changing(NodeIndex node) const {
    return options_.changing->contains(fabric_.nodes[node].guid);
  }
  /// A switch on the way to the node has reported a change, or one at the cable of the port whose
  /// state the Set may change. (A survey sees by the state of a port that its link went down: a Set
  /// would hide that.)
  bool is_doubtful(const Write& write) const {
    if (options_.changing == nullptr || options_.changing->empty() || method_ != mad::Method::set)
      return false;
    const Port& port = fabric_.ports[write.port];
    if (changes_cable(write) &&
        (is_changing(port.node) || is_changing(fabric_.ports[port.peer].node)))
      return true;
    const auto route = fabric_.route_to(write.port);
    NodeIndex node = fabric_.ports[fabric_.sm_port].node;
    for (const std::uint8_t out : route ? route->hops() : std::span<const std::uint8_t>()) {
      if (is_changing(node)) return true;
      const PortIndex peer = fabric_.ports[fabric_.port(node, mad::PortNum{out})].peer;
      if (peer == kNoIndex) return true;
      node = fabric_.ports[peer].node;
    }
    return false;
  }
  bool changes_cable(const Write& write) const {
    return write.attribute == mad::AttributeId::port_info &&
           fabric_.node_of(write.port).is_switch() && fabric_.ports[write.port].peer != kNoIndex;
  }
  /// Who must be there: the node that is written, or what is behind its port.
  PortIndex expected(const Write& write) const {
    return changes_cable(write) ? fabric_.ports[write.port].peer : write.port;
  }
  std::optional<mad::DirectedRoute> route_to_expected(const Write& write) const {
    const auto route = fabric_.route_to(write.port);
    return route && changes_cable(write) ? route->extended(fabric_.ports[write.port].number)
                                         : route;
  }
  void identify(const mad::SmpRequest& request, const mad::SmpReply& reply) {
    const std::uint64_t cookie = request.cookie & ~kIdentity;
    const Write write = stage_.write(cookie & kNumberMask);
    const PortIndex port = expected(write);
    const mad::NodeInfo found(reply.data);
    --done_;
    // A switch may be entered by another port than its cable to the port before it.
    const bool by_this_port = changes_cable(write) || !fabric_.node_of(port).is_switch();
    if (found.node_guid() == fabric_.node_of(port).guid &&
        (!by_this_port || found.local_port_num() == fabric_.ports[port].number))
      return confirmed_.push_back(cookie | kKnown);
    stage_.lose(cookie & kNumberMask);
    report_.recheck.push_back(write.port);
    report_.note(fmt::format("{} is not where it was when the sweep began: {} is not written",
                             fabric_.port_name(port), fabric_.port_name(write.port)));
  }

  // A cookie: bit 63 says that the attribute is only read back, bit 62 that it is read before it is
  // written, bit 61 that NodeInfo is read instead, bit 60 that it was a moment ago; bits 56..59
  // count rounds, the rest is the number of the write.
  static constexpr unsigned kRoundShift = 56;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kRoundShift) - 1;
  static constexpr std::uint64_t kCheck = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kIdentity = std::uint64_t{1} << 61;
  static constexpr std::uint64_t kKnown = std::uint64_t{1} << 60;
  static constexpr std::uint64_t kRoundMask = 0xF;

  const ApplyOptions& options_;
  const Fabric& fabric_;
  const mad::Method method_;
  Stage& stage_;
  ApplyReport& report_;
  const std::size_t size_;
  std::size_t next_ = 0, done_ = 0;
  std::deque<std::uint64_t> again_, confirmed_;
  std::map<std::size_t, std::uint16_t> rejected_;  // statuses of writes that are read back
};

}  // namespace

std::string summary(const ApplyReport& report) {
  std::string out;
  for (std::size_t kind = 0; kind < kStageKinds; ++kind) {
    if (const std::size_t writes = report.by_kind[kind].writes; writes > 0)
      fmt::format_to(std::back_inserter(out), "{}{} {}", out.empty() ? "" : ", ", writes,
                     text(static_cast<StageKind>(kind)));
  }
  return out;
}

boost::asio::awaitable<void> send(mad::SmpClient& client, const ApplyOptions& options,
                                  const Fabric& fabric, mad::Method method, Stage& stage,
                                  ApplyReport& report) {
  Sender sender(options, fabric, method, stage, report);
  co_await client.exchange(sender);
}

boost::asio::awaitable<void> read(mad::SmpClient& client, const ApplyOptions& options,
                                  const Fabric& fabric, StageSource& stages) {
  ApplyReport report;  // what cannot be read counts as different, and is written
  std::unique_ptr<Stage> stage;
  const std::function<void()> plan_next = [&] { stage = stages.next(); };
  for (co_await compute(options.compute, plan_next); stage;
       co_await compute(options.compute, plan_next))
    co_await send(client, options, fabric, mad::Method::get, *stage, report);
}

boost::asio::awaitable<ApplyReport> apply(mad::SmpClient& client, const ApplyOptions& options,
                                          const Fabric& fabric, Planner& planner) {
  ApplyReport report;
  bool tables_written = false, vports_ready = false;
  const auto enter = [&](SweepPhase phase) {
    if (options.on_phase) options.on_phase(phase);
  };
  Stage* stage = nullptr;
  const std::function<void()> plan_next = [&] { stage = planner.next(); };
  while (true) {
    enter(SweepPhase::plan);
    co_await compute(options.compute, plan_next);
    enter(SweepPhase::apply);
    if (stage == nullptr) break;
    if (stage->kind() >= StageKind::p_keys && !std::exchange(tables_written, true) &&
        options.before_ports)
      co_await options.before_ports();
    if (stage->kind() == StageKind::vport_activation && !std::exchange(vports_ready, true) &&
        options.before_vports)
      co_await options.before_vports();
    const std::size_t writes = report.writes, failed = report.failed;
    co_await send(client, options, fabric, stage->method(), *stage, report);
    ApplyReport::Count& count = report.by_kind[static_cast<std::size_t>(stage->kind())];
    count.writes += report.writes - writes;
    count.failed += report.failed - failed;
  }
  co_return report;
}

}  // namespace sm
