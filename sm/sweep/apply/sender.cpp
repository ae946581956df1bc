#include "sm/sweep/apply/sender.h"

#include <bit>
#include <utility>

#include "mad/format.h"

namespace sm {
namespace {

constexpr unsigned kWriteRounds = 2;    // how often a write is tried again after the client gave up
constexpr unsigned kAttemptRounds = 8;  // how often one that has a single attempt is
constexpr unsigned kUnansweredMax = 8;  // such attempts of a node that answers none of them
constexpr std::size_t kProgressStep = 2048;

/// False for a multicast block alone, after which LinearFDBTop still shows a reset.
bool writes_tables(mad::AttributeId attribute) {
  return attribute == mad::AttributeId::switch_info ||
         attribute == mad::AttributeId::linear_forwarding_table;
}

}  // namespace

Identities::Check Identities::check(const Write& write, mad::TimePoint now) const {
  if (!are_needed()) return {};
  const auto route = fabric_.route_to(write.port);
  if (!route) return {};
  const Port& port = fabric_.ports[write.port];
  if (changes_cable(write) &&
      (is_changing(port.node) || is_changing(fabric_.ports[port.peer].node)))
    if (const auto longer = route->extended(port.number)) return standing(port.peer, *longer, now);
  const auto hops = route->hops();
  NodeIndex node = fabric_.ports[fabric_.sm_port].node;
  PortIndex doubtful = kNoIndex;
  std::size_t count = 0;
  for (std::size_t hop = 0; hop < hops.size(); ++hop) {
    const PortIndex peer = fabric_.ports[fabric_.port(node, mad::PortNum{hops[hop]})].peer;
    if (peer == kNoIndex) return standing(end_of_route(write.port), *route, now);
    if (is_changing(node)) {
      doubtful = peer;
      count = hop + 1;
    }
    node = fabric_.ports[peer].node;
  }
  if (doubtful == kNoIndex) return {};
  return standing(doubtful, *mad::DirectedRoute::of(hops.first(count)), now);
}

Identities::Check Identities::standing(PortIndex port, const mad::DirectedRoute& route,
                                       mad::TimePoint now) const {
  Check check{Standing::open, port, route};
  const auto found = known_.find(port);
  if (found == known_.end()) return check;
  const Known& known = found->second;
  if (known.is_elsewhere) {
    check.standing = Standing::elsewhere;
  } else if (known.is_asked) {
    check.standing = Standing::asked;
  } else if (known.since && now - *known.since < kHold && known.route == route) {
    check.standing = Standing::known;
  }
  return check;
}

mad::SmpRequest Identities::ask(const Check& check) {
  Known& known = known_[check.port];
  known.is_asked = true;
  known.route = check.route;
  mad::SmpRequest request;
  request.attribute = mad::AttributeId::node_info;
  request.route = check.route;
  request.node = fabric_.owning_node(check.port).guid;
  request.port = fabric_.m_key_port(check.port);
  return request;
}

void Identities::answered(PortIndex port, const mad::NodeInfo& found, mad::TimePoint now) {
  Known& known = known_[port];
  known.is_asked = false;
  const mad::PortNum number = fabric_.ports[port].number;
  known.is_elsewhere = found.node_guid() != fabric_.owning_node(port).guid ||
                       (number != mad::PortNum{0} && found.local_port_num() != number);
  known.since.reset();
  if (!known.is_elsewhere) known.since = now;
}

void Identities::unanswered(PortIndex port) { known_.erase(port); }

bool Identities::changes_cable(const Write& write) const {
  const PortIndex peer = fabric_.ports[write.port].peer;
  return write.attribute == mad::AttributeId::port_info &&
         fabric_.owning_node(write.port).is_switch() && peer != kNoIndex &&
         peer != fabric_.sm_port;  // all requests go over its cable
}

Sender::Attempt Sender::Attempt::of(const mad::SmpRequest& request) {
  return std::bit_cast<Attempt>(request.cookie);
}
std::uint64_t Sender::Attempt::cookie() const { return std::bit_cast<std::uint64_t>(*this); }

Sender::Sender(mad::SmpClient& client, const ApplyOptions& options, const Fabric& fabric,
               mad::Method method, Stage& stage, ApplyReport& report)
    : client_(client),
      options_(options),
      fabric_(fabric),
      method_(method),
      stage_(stage),
      report_(report),
      identities_(fabric, method == mad::Method::set ? options.changing : nullptr),
      size_(stage.size()) {}

bool Sender::next(mad::SmpRequest& request) {
  while (const std::optional<Attempt> attempt = take_next())
    if (prepare(*attempt, request)) return true;
  return false;
}

std::optional<Sender::Attempt> Sender::take_next() {
  const auto take = [](std::deque<Attempt>& from) {
    const Attempt first = from.front();
    from.pop_front();
    return first;
  };
  // Writes behind the latest answer come first, since an answer is not valid for long.
  for (; !answered_.empty(); answered_.pop_back()) {
    const auto waiting = waiting_.find(answered_.back());
    if (waiting == waiting_.end()) continue;
    const Attempt first = take(waiting->second);
    if (waiting->second.empty()) waiting_.erase(waiting);
    return first;
  }
  if (!confirmed_.empty()) return take(confirmed_);
  if (next_ < size_) {
    Attempt attempt;
    attempt.number = static_cast<std::uint32_t>(next_++);
    attempt.reads_first = stage_.reads_first();
    return attempt;
  }
  if (!again_.empty()) return take(again_);
  return std::nullopt;
}

bool Sender::prepare(Attempt attempt, mad::SmpRequest& request) {
  const Write write = stage_.write(attempt.number);
  const auto route = fabric_.route_to(write.port);
  if (!route) {
    stage_.lose(attempt.number);
    return false;
  }
  const mad::Guid node = fabric_.owning_node(write.port).guid;
  if (takes_no_sets(write)) {
    fail(attempt.number, node, "does not answer to any Set", true);
    return false;
  }
  switch (const Identities::Check check = check_identity(write); check.standing) {
    case Identities::Standing::known:
      break;
    case Identities::Standing::asked:
      waiting_[check.port].push_back(attempt);
      return false;
    case Identities::Standing::elsewhere:
      give_up(write, attempt.number, check.port);
      return false;
    case Identities::Standing::open:
      std::erase(answered_, check.port);
      request = identities_.ask(check);
      asked_[attempt.number] = check.port;
      attempt.asks_identity = true;
      request.cookie = attempt.cookie();
      return true;
  }
  request = {};
  const bool reads = attempt.reads_back || attempt.reads_first;
  request.method = reads ? mad::Method::get : method_;
  request.attribute = write.attribute;
  request.modifier = write.modifier;
  if (request.method == mad::Method::set) request.data = write.data;
  request.is_long = write.is_long;
  request.route = *route;
  request.node = node;
  request.port = fabric_.m_key_port(write.port);
  request.first_key = attempt.round;
  request.is_of_entry = write.attribute == mad::AttributeId::port_info &&
                        !fabric_.owning_node(write.port).is_switch();
  request.cookie = attempt.cookie();
  return true;
}

/// Returns false if another node may have come to the end of the route since next().
bool Sender::may_send(const mad::SmpRequest& request) {
  return request.method != mad::Method::set ||
         check_identity(stage_.write(Attempt::of(request).number)).standing ==
             Identities::Standing::known;
}

/// In a quiet fabric this does not read the clock for each write.
Identities::Check Sender::check_identity(const Write& write) const {
  if (!identities_.are_needed()) return {};
  return identities_.check(write, client_.now());
}

void Sender::done(const mad::SmpRequest& request, const mad::SmpReply& reply) {
  const Attempt attempt = Attempt::of(request);
  if (++done_ % kProgressStep == 0 && options_.events != nullptr) {
    const std::string what =
        fmt::format("{} {}", text(stage_.kind()), method_ == mad::Method::set ? "written" : "read");
    options_.events->on(StageProgressed{.what = what, .done = done_, .total = size_});
  }
  if (reply.fault == mad::SmpFault::withheld) {  // the sweep ends, its reason is known
    stage_.lose(attempt.number);
    ++report_.failed;
    return;
  }
  if (attempt.asks_identity) {
    if (reply.ok()) return identify(attempt, mad::NodeInfo(reply.data));
    return identity_unanswered(attempt, request, reply);
  }
  if (!reply.ok()) return refused_or_silent(attempt, request, reply);
  if (attempt.reads_back)
    return stage_.accept_rejected(attempt.number, rejected_[attempt.number], reply.data, report_);
  if (attempt.reads_first) return confirm(attempt, request, reply);
  unanswered_.erase(request.node);
  if (request.method == mad::Method::set && writes_tables(request.attribute))
    report_.written.insert(request.node);
  stage_.accept(attempt.number, reply.data, report_);
}

/// Notes a node that answers with another modifier; what it holds there is read again.
void Sender::misplaced(const mad::SmpRequest& request, std::uint32_t modifier) {
  if (!report_.misplaced.insert(request.node).second) return;
  const NodeIndex node = fabric_.ports[stage_.write(Attempt::of(request).number).port].node;
  report_.note(fmt::format(
      "{} answers SubnSet({}, mod {:#x}) with modifier {:#x}: what it holds is read again",
      fabric_.name(node), mad::name(request.attribute), request.modifier, modifier));
}

void Sender::refused_or_silent(Attempt attempt, const mad::SmpRequest& request,
                               const mad::SmpReply& reply) {
  const bool bad_status = reply.fault == mad::SmpFault::bad_status;
  if (bad_status) unanswered_.erase(request.node);
  if (bad_status && request.method == mad::Method::set &&
      (reply.attempts > 1 || attempt.round > 0 || stage_.reads_back())) {
    // An earlier attempt may have done the write, its response been lost, and the repetition
    // refused (Armed to Armed is no legal change). What the node holds now decides.
    --done_;
    rejected_[attempt.number] = reply.status;
    Attempt check;
    check.number = attempt.number;
    check.reads_back = true;
    again_.push_back(check);
    return;
  }
  const bool is_silent = reply.fault == mad::SmpFault::node_silent;
  const bool was_put_off = reply.fault == mad::SmpFault::put_off;
  const bool was_sent = !was_put_off || reply.attempts > 0;
  if (was_put_off && was_sent) ++unanswered_[request.node];
  const unsigned rounds = was_put_off ? kAttemptRounds : kWriteRounds;
  if (!was_sent || (!bad_status && !is_silent && attempt.round < rounds))
    return try_again(attempt, was_sent);
  if (bad_status && stage_.refuse(attempt.number, reply.status)) return;
  fail(attempt.number, request.node, describe(request, reply), !bad_status);
}

void Sender::try_again(Attempt attempt, bool was_sent) {
  --done_;
  if (was_sent) ++attempt.round;
  again_.push_back(attempt);
}

void Sender::confirm(Attempt attempt, const mad::SmpRequest& request, const mad::SmpReply& reply) {
  --done_;
  if (stage_.confirm(attempt.number, reply.data)) {
    attempt.reads_first = false;
    return confirmed_.push_back(attempt);
  }
  stage_.lose(attempt.number);
  report_.restarted.insert(request.node);
  ++report_.failed;
}

void Sender::identify(Attempt attempt, const mad::NodeInfo& found) {
  --done_;
  const PortIndex port = take_asked(attempt.number);
  identities_.answered(port, found, client_.now());
  attempt.asks_identity = false;
  waiting_[port].push_front(attempt);
  answered_.push_back(port);
}

PortIndex Sender::take_asked(std::uint32_t number) { return asked_.extract(number).mapped(); }

/// Gives up a write that would go to, or pass, another node than that of `expected`.
void Sender::give_up(const Write& write, std::size_t number, PortIndex expected) {
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
                  fabric_.port_name(expected), fabric_.name(node)));
}

/// Handles a missing response to NodeInfo. At the other end of the write's own cable that is no
/// failure: most likely the link is down, as the next survey shows.
void Sender::identity_unanswered(Attempt attempt, const mad::SmpRequest& request,
                                 const mad::SmpReply& reply) {
  const PortIndex port = take_asked(attempt.number);
  identities_.unanswered(port);
  const auto waiting = waiting_.extract(port);
  attempt.asks_identity = false;
  const Write write = stage_.write(attempt.number);
  const auto is_its_cable = [&](const Write& each) {
    return identities_.changes_cable(each) && fabric_.ports[each.port].peer == port;
  };
  if (is_its_cable(write)) {
    stage_.lose(attempt.number);
    report_.recheck.push_back(write.port);
  } else if (reply.fault == mad::SmpFault::timeout && attempt.round < kWriteRounds) {
    try_again(attempt, true);
  } else {
    fail(attempt.number, fabric_.owning_node(write.port).guid, describe(request, reply), true);
  }
  if (waiting.empty()) return;
  for (const Attempt& each : waiting.mapped()) {
    const Write other = stage_.write(each.number);
    if (is_its_cable(other)) {
      stage_.lose(each.number);
      report_.recheck.push_back(other.port);
    } else {
      again_.push_back(each);
    }
  }
}

/// True if the node identifies itself but does not answer Sets: no more time is spent on it.
bool Sender::takes_no_sets(const Write& write) const {
  if (unanswered_.empty()) return false;
  const auto found = unanswered_.find(fabric_.owning_node(write.port).guid);
  return found != unanswered_.end() && found->second >= kUnansweredMax;
}

void Sender::fail(std::size_t number, mad::Guid node, std::string_view why, bool unanswered) {
  stage_.lose(number);
  const Write write = stage_.write(number);
  if (stage_.may_fail())
    return report_.note(fmt::format("{}: {}", fabric_.name(fabric_.ports[write.port].node), why));
  report_.unwritten.try_emplace(
      node, fmt::format("{} did not take SubnSet({})", fabric_.name(fabric_.ports[write.port].node),
                        mad::name(write.attribute)));
  if (unanswered) ++report_.unanswered;
  if (unanswered && !report_.unanswering.insert(node).second) {
    ++report_.failed;  // one line for each node
    return;
  }
  report_.fail(fmt::format("{}: {}", fabric_.name(fabric_.ports[write.port].node), why));
}

boost::asio::awaitable<void> send(mad::SmpClient& client, const ApplyOptions& options,
                                  const Fabric& fabric, mad::Method method, Stage& stage,
                                  ApplyReport& report) {
  Sender sender(client, options, fabric, method, stage, report);
  co_await client.exchange(sender);
}

}  // namespace sm
