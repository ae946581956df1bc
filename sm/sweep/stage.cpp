#include "sm/sweep/stage.h"

#include "mad/format.h"

namespace sm {
namespace {

constexpr unsigned kExtraRounds = 2;  // how often a write is tried again after the client gave up
constexpr std::size_t kProgressStep = 2048;

}  // namespace

bool Stage::next(mad::SmpRequest& request) {
  while (next_ < jobs_ || !again_.empty()) {
    std::uint64_t cookie = next_;
    if (next_ < jobs_) {
      ++next_;
    } else {
      cookie = again_.front();
      again_.pop_front();
    }
    request = {};
    request.m_key = options_.m_key;
    request.cookie = cookie;
    const PortIndex port = fill(cookie & kJobMask, request);
    if (port == kNoIndex) continue;
    if ((cookie & kCheck) != 0) request.method = mad::Method::get;
    const auto route = fabric_.route_to(port);
    if (!route) continue;
    request.route = *route;
    request.node = fabric_.ports[port].node + 1;
    return true;
  }
  return false;
}

void Stage::done(const mad::SmpRequest& request, const mad::SmpReply& reply) {
  const std::size_t job = request.cookie & kJobMask;
  if (++done_ % kProgressStep == 0 && options_.on_progress)
    options_.on_progress(what_, done_, jobs_);
  if (reply.ok()) return accept(job, reply.data);
  const std::uint64_t round = request.cookie >> kRoundShift;
  if (reply.fault == mad::SmpFault::bad_status && request.method == mad::Method::set &&
      (reply.attempts > 1 || round > 0)) {
    // An earlier attempt may have done it, its answer been lost, and the repetition be refused
    // (Armed to Armed is no legal change): what the node holds now decides.
    --done_;
    again_.push_back(kCheck | job);
    return;
  }
  if (reply.fault != mad::SmpFault::bad_status && (round & kRoundMask) < kExtraRounds) {
    --done_;
    again_.push_back(request.cookie + (std::uint64_t{1} << kRoundShift));
    return;
  }
  if (reply.fault == mad::SmpFault::bad_status && refused(job, request, reply)) return;
  give_up(job);
  problem(fmt::format("{}: {}", fabric_.name(node_of(job)), describe(request, reply)));
}

void Stage::problem(std::string text) {
  ++report_.failed;
  if (report_.problems.size() < kProblemsListed) report_.problems.push_back(std::move(text));
}

}  // namespace sm
