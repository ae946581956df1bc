#include "sm/sweep/claim.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "fabric/plausible.h"

namespace sm {
namespace {

class Claim final : public mad::SmpBatch {
 public:
  explicit Claim(Survey& survey) : survey_(survey) {
    for (const SwitchIndex sw : survey.fabric.switches.indices()) {
      if (survey.fabric.switches[sw].info.port_state_change()) jobs_.push_back({.sw = sw});
    }
  }

  bool next(mad::SmpRequest& request) override {
    if (jobs_.empty()) return false;
    const Job job = jobs_.front();
    jobs_.pop_front();
    const Switch& sw = survey_.fabric.switches[job.sw];
    request = {};
    request.method = job.clears ? mad::Method::set : mad::Method::get;
    request.attribute = mad::AttributeId::switch_info;
    request.route = survey_.fabric.nodes[sw.node].route;
    request.node = survey_.fabric.nodes[sw.node].guid;
    request.port = survey_.fabric.ports[survey_.fabric.nodes[sw.node].first_port].guid;
    request.cookie = job.sw;
    if (job.clears) {
      mad::SwitchInfo info = *job.clears;
      info.set_port_state_change(true);  // writing 1 clears
      std::ranges::copy(info.bytes(), request.data.begin());
    }
    return true;
  }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    const auto index = SwitchIndex(request.cookie);
    Switch& sw = survey_.fabric.switches[index];
    if (!reply.ok()) return;  // it stays raised: the next light sweep reads the switch again
    const mad::SwitchInfo now(reply.data);
    if (request.method == mad::Method::set) {
      sw.info.set_port_state_change(false);
      survey_.claimed.push_back(request.node);
      return;
    }
    if (!same_hardware(sw.info, now)) return;  // another one is there by now: it stays raised, too
    if (now.linear_fdb_top() != sw.info.linear_fdb_top()) {
      survey_.unread.push_back(survey_.fabric.nodes[sw.node].guid);
      sw.info = now;
    }
    jobs_.push_back({.sw = index, .clears = now});
  }

 private:
  struct Job {
    SwitchIndex sw;
    std::optional<mad::SwitchInfo> clears = {};  // what it has said; none: it is read
  };
  Survey& survey_;
  std::deque<Job> jobs_;
};

}  // namespace

boost::asio::awaitable<void> claim_switches(mad::SmpClient& client, Survey& survey) {
  Claim claim(survey);
  co_await client.exchange(claim);
}

}  // namespace sm
