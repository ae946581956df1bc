#include "sm/sweep/apply.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "mad/format.h"
#include "sm/sweep/identities.h"

namespace sm {
namespace {

constexpr unsigned kWriteRounds = 2;    // how often a write is tried again after the client gave up
constexpr unsigned kAttemptRounds = 8;  // how often one that has a single attempt is
constexpr unsigned kUnansweredMax = 8;  // such attempts of a node that answers none of them
constexpr std::size_t kProgressStep = 2048;

/// The requests of a stage. Those whose node does not respond are tried again at the end.
class Sender final : public mad::SmpBatch {
 public:
  Sender(mad::SmpClient& client, const ApplyOptions& options, const Fabric& fabric,
         mad::Method method, Stage& stage, ApplyReport& report)
      : client_(client),
        options_(options),
        fabric_(fabric),
        method_(method),
        stage_(stage),
        report_(report),
        identities_(fabric, method == mad::Method::set ? options.changing : nullptr),
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
      const std::size_t number = cookie & kNumberMask;
      const Write write = stage_.write(number);
      const auto route = fabric_.route_to(write.port);
      if (!route) {
        stage_.lose(number);
        continue;
      }
      if (takes_no_sets(write)) {
        fail(number, fabric_.node_of(write.port).guid, "does not answer to any Set", true);
        continue;
      }
      switch (standing(write)) {
        case Identities::Standing::known:
          break;
        case Identities::Standing::asked:
          waiting_[identities_.expected(write)].push_back(cookie);
          continue;
        case Identities::Standing::elsewhere:
          give_up(write, number);
          continue;
        case Identities::Standing::open:
          const std::optional<mad::SmpRequest> ask = identities_.ask(write);
          if (!ask) {
            stage_.lose(number);
            continue;
          }
          request = *ask;
          request.cookie = cookie | kIdentity;
          return true;
      }
      request = {};
      request.method = (cookie & (kCheck | kFirst)) != 0 ? mad::Method::get : method_;
      request.attribute = write.attribute;
      request.modifier = write.modifier;
      if (request.method == mad::Method::set) request.data = write.data;
      request.is_long = write.is_long;
      request.route = *route;
      request.node = fabric_.node_of(write.port).guid;
      request.port = fabric_.m_key_port(write.port);
      request.first_key = static_cast<std::uint8_t>(cookie >> kRoundShift & kRoundMask);
      request.is_of_entry = write.attribute == mad::AttributeId::port_info &&
                            !fabric_.node_of(write.port).is_switch();
      request.cookie = cookie;
      return true;
    }
    return false;
  }

  /// Another node may have come to the end of the route since next().
  bool may_send(const mad::SmpRequest& request) override {
    return request.method != mad::Method::set ||
           standing(stage_.write(request.cookie & kNumberMask)) == Identities::Standing::known;
  }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    const std::size_t number = request.cookie & kNumberMask;
    if (++done_ % kProgressStep == 0 && options_.on_progress)
      options_.on_progress(fmt::format("{} {}", text(stage_.kind()),
                                       method_ == mad::Method::set ? "written" : "read"),
                           done_, size_);
    const bool is_identity = (request.cookie & kIdentity) != 0;
    if (reply.ok() && is_identity) return identify(request, mad::NodeInfo(reply.data));
    if (reply.ok() && (request.cookie & kCheck) != 0)
      return stage_.accept_rejected(number, rejected_[number], reply.data, report_);
    if (reply.ok() && (request.cookie & kFirst) != 0) return confirm(request, reply);
    const bool bad_status = reply.fault == mad::SmpFault::bad_status;
    if ((reply.ok() || bad_status) && !is_identity && !unanswered_.empty())
      unanswered_.erase(request.node);
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
    const unsigned round = request.cookie >> kRoundShift & kRoundMask;
    if (bad_status && request.method == mad::Method::set &&
        (reply.attempts > 1 || round > 0 || stage_.reads_back())) {
      // An earlier attempt may have done it, its response been lost, and the repetition be refused
      // (Armed to Armed is no legal change): what the node holds now decides.
      --done_;
      rejected_[number] = reply.status;
      again_.push_back(kCheck | number);
      return;
    }
    if (is_identity) return nobody_answered(request, reply);
    const bool is_silent = reply.fault == mad::SmpFault::node_silent;
    const bool was_put_off = reply.fault == mad::SmpFault::put_off;
    const bool was_sent = !was_put_off || reply.attempts > 0;
    if (was_put_off && was_sent) ++unanswered_[request.node];
    const unsigned rounds = was_put_off ? kAttemptRounds : kWriteRounds;
    if (!was_sent || (!bad_status && !is_silent && round < rounds)) {
      --done_;
      again_.push_back(request.cookie + (was_sent ? kOneRound : 0));
      return;
    }
    if (bad_status && stage_.refuse(number, reply.status)) return;
    fail(number, request.node, describe(request, reply), !bad_status);
  }

 private:
  Identities::Standing standing(const Write& write) const {
    return identities_.are_needed() ? identities_.standing(write, client_.now())
                                    : Identities::Standing::known;
  }

  /// A multicast block alone hides nothing: LinearFDBTop still shows a reset.
  static bool writes_tables(mad::AttributeId attribute) {
    return attribute == mad::AttributeId::switch_info ||
           attribute == mad::AttributeId::linear_forwarding_table;
  }

  void confirm(const mad::SmpRequest& request, const mad::SmpReply& reply) {
    const std::size_t number = request.cookie & kNumberMask;
    --done_;
    if (stage_.confirm(number, reply.data)) return confirmed_.push_back(request.cookie & ~kFirst);
    stage_.lose(number);
    report_.restarted.insert(request.node);
    ++report_.failed;
  }

  void identify(const mad::SmpRequest& request, const mad::NodeInfo& found) {
    const std::size_t number = request.cookie & kNumberMask;
    const Write write = stage_.write(number);
    --done_;
    const bool is_known = identities_.answered(write, found, client_.now());
    std::vector<std::uint64_t> cookies = take_waiting(write);
    cookies.insert(cookies.begin(), request.cookie & ~kIdentity);
    for (const std::uint64_t cookie : cookies) {
      if (is_known) {
        confirmed_.push_back(cookie);
      } else {
        give_up(stage_.write(cookie & kNumberMask), cookie & kNumberMask);
      }
    }
  }
  /// What waits for the same answer.
  std::vector<std::uint64_t> take_waiting(const Write& write) {
    const auto waiting = waiting_.extract(identities_.expected(write));
    return waiting ? std::move(waiting.mapped()) : std::vector<std::uint64_t>{};
  }

  /// Another node is where this write would go.
  void give_up(const Write& write, std::size_t number) {
    stage_.lose(number);
    ++report_.unanswered;
    const NodeIndex node = fabric_.ports[write.port].node;
    if (!report_.unanswering.insert(fabric_.nodes[node].guid).second) {
      ++report_.failed;  // one line for each node
      return;
    }
    report_.recheck.push_back(write.port);
    report_.fail(
        fmt::format("{} is not where it was when the sweep began (was a cable moved?): {} is "
                    "read again before it is written",
                    fabric_.port_name(identities_.expected(write)), fabric_.name(node)));
  }
  /// NodeInfo was not answered. At the other end of a cable that is no failure: the link is down,
  /// most likely, as the next survey will see.
  void nobody_answered(const mad::SmpRequest& request, const mad::SmpReply& reply) {
    const std::uint64_t its = request.cookie & ~kIdentity;
    const Write write = stage_.write(its & kNumberMask);
    identities_.answered(write, std::nullopt, client_.now());
    std::vector<std::uint64_t> cookies = take_waiting(write);
    cookies.insert(cookies.begin(), its);
    for (const std::uint64_t cookie : cookies) {
      const std::size_t number = cookie & kNumberMask;
      const Write each = stage_.write(number);
      if (identities_.changes_cable(each)) {
        stage_.lose(number);
        report_.recheck.push_back(each.port);
      } else if (cookie != its || (reply.fault == mad::SmpFault::timeout &&
                                   (its >> kRoundShift & kRoundMask) < kWriteRounds)) {
        if (cookie == its) --done_;
        again_.push_back(cookie + (cookie == its ? kOneRound : 0));
      } else {
        fail(number, request.node, describe(request, reply), true);
      }
    }
  }
  /// It says who it is, and leaves Sets unanswered: no more time is spent on it.
  bool takes_no_sets(const Write& write) const {
    if (unanswered_.empty()) return false;
    const auto found = unanswered_.find(fabric_.node_of(write.port).guid);
    return found != unanswered_.end() && found->second >= kUnansweredMax;
  }
  void fail(std::size_t number, mad::Guid node, std::string_view why, bool unanswered) {
    stage_.lose(number);
    if (unanswered) ++report_.unanswered;
    if (unanswered && !report_.unanswering.insert(node).second) {
      ++report_.failed;  // one line for each node
      return;
    }
    report_.fail(
        fmt::format("{}: {}", fabric_.name(fabric_.ports[stage_.write(number).port].node), why));
  }

  // A cookie: bit 63 says that the attribute is only read back, bit 62 that it is read before it is
  // written, bit 61 that NodeInfo is read instead; bits 56..60 count rounds, the rest is the number
  // of the write.
  static constexpr unsigned kRoundShift = 56;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kRoundShift) - 1;
  static constexpr std::uint64_t kCheck = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kIdentity = std::uint64_t{1} << 61;
  static constexpr std::uint64_t kRoundMask = 0x1F;
  static constexpr std::uint64_t kOneRound = std::uint64_t{1} << kRoundShift;

  mad::SmpClient& client_;
  const ApplyOptions& options_;
  const Fabric& fabric_;
  const mad::Method method_;
  Stage& stage_;
  ApplyReport& report_;
  Identities identities_;
  const std::size_t size_;
  std::size_t next_ = 0, done_ = 0;
  std::deque<std::uint64_t> again_, confirmed_;
  std::map<PortIndex, std::vector<std::uint64_t>> waiting_;  // by Identities::expected()
  std::map<mad::Guid, unsigned> unanswered_;       // attempts since a node answered to a Set
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
  Sender sender(client, options, fabric, method, stage, report);
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
