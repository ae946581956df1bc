#include "sm/manager/standby_view.h"

#include <spdlog/sinks/null_sink.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "mad/smp_client.h"
#include "sm/sweep/decide/changes.h"
#include "sm/sweep/observe/light_sweep.h"
#include "sm/sweep/observe/silences.h"
#include "sm/sweep/sweeper.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// Few requests are in flight, because reads of a standby are not urgent.
constexpr unsigned kWindow = 16;
constexpr unsigned kPerNode = 2;

mad::SmpLimits limits_of(const config::Options& options) {
  return {.timeout = std::chrono::milliseconds(options.transaction_timeout),
          .retries = options.transaction_retries,
          .window = kWindow,
          .per_node = kPerNode,
          .long_timeout = std::chrono::milliseconds(options.long_transaction_timeout),
          .per_second = options.standby_read_rate};
}

std::shared_ptr<spdlog::logger> silent_log() {
  return std::make_shared<spdlog::logger>("standby",
                                          std::make_shared<spdlog::sinks::null_sink_st>());
}

}  // namespace

/// Reads with a separate sweeper, which never writes.
struct StandbyView::Reader {
  Reader(StandbyView& view, SharedContext by, mad::Guid own_port)
      : owner(&view),
        runtime(view.runtime_),
        context(std::move(by)),
        client(runtime, view.transport_, limits_of(context->options)),
        wake(runtime) {
    sweeper.m_keys().set_own_port(own_port);
    sweeper.m_keys().set_clock(view.wall_clock_);
    sweeper.expect_foreign_settings();
  }

  StandbyView* owner;  // null: reads no more
  mad::Runtime& runtime;
  SharedContext context;
  mad::SmpClient client;
  mad::WakeUp wake;
  std::optional<FabricView> latest;
  bool knows_more = false;  // links, since the latest reading began
  std::shared_ptr<spdlog::logger> log = silent_log();
  ConditionLog conditions{[this] { return runtime.now(); }, *log};
  Administration no_clients;
  Sweeper sweeper{client, *log, conditions, no_clients};
};

void StandbyView::begin(SharedContext context, mad::Guid own_port, const MKeys& known) {
  end();
  if (context->options.standby_read_rate == 0) return;
  reader_ = std::make_shared<Reader>(*this, std::move(context), own_port);
  reader_->sweeper.m_keys().note_links_of(known);
  asio::co_spawn(runtime_.executor(), keep(reader_), asio::detached);
}

void StandbyView::end() {
  const std::shared_ptr<Reader> reader = std::exchange(reader_, nullptr);
  if (!reader) return;
  reader->owner = nullptr;
  reader->client.abandon();
  reader->wake.signal();
}

void StandbyView::note_links(std::span<const NeighborLink> links) {
  if (!reader_ || !reader_->sweeper.m_keys().note_links(links)) return;
  reader_->knows_more = true;
  reader_->wake.signal();
}

bool StandbyView::on_mad(const mad::ReceivedMad& received) {
  return reader_ && reader_->client.on_mad(received);
}

asio::awaitable<void> StandbyView::keep(std::shared_ptr<Reader> reader) {
  while (reader->owner != nullptr) {
    const mad::TimePoint begin = reader->runtime.now();
    const bool first = !reader->latest;
    reader->knows_more = false;
    reader->latest = co_await read(reader);
    if (reader->owner == nullptr) co_return;
    std::shared_ptr<const Subnet> subnet;
    if (reader->latest) {
      subnet = reader->latest->subnet;
      reader->owner->view_ = reader->latest;
      if (first) reader->owner->say_so(*reader->latest);
    }
    const mad::TimePoint next =
        std::max(begin + kPause, reader->runtime.now() + kLightSweepInterval);
    while (reader->owner != nullptr && reader->runtime.now() < next) {
      co_await reader->wake.wait_until(std::min(next, reader->runtime.now() + kLightSweepInterval));
      if (reader->owner == nullptr) co_return;
      if (reader->knows_more || (subnet && co_await has_changed(reader, subnet))) break;
    }
  }
}

void StandbyView::say_so(const FabricView& view) {
  log_.info(
      "standby: the subnet was read ({} nodes) and is read on; a takeover would write {} "
      "attributes now, without those of multicast groups",
      view.subnet->fabric.nodes.size(), view.writes);
  log_.flush();
}

/// Returns nullopt while the own port is down, no node behind it answers, or no engine routes the
/// fabric.
asio::awaitable<std::optional<FabricView>> StandbyView::read(std::shared_ptr<Reader> reader) {
  const PassRequest order{.everything = true, .trust_tables = false};
  const mad::TimePoint begin = reader->runtime.now();
  Survey survey = co_await reader->sweeper.observe(reader->context, order, false);
  if (reader->owner == nullptr || !survey.sm_port_up || silent_subnet(survey.fabric))
    co_return std::nullopt;
  if (reader->latest && begin - reader->latest->decided < kFullReadInterval &&
      decides_the_same(reader->latest->subnet->fabric, survey.fabric)) {
    FabricView same = *reader->latest;
    same.read = begin;
    co_return same;
  }
  auto preview = co_await reader->sweeper.preview(reader->context, order, std::move(survey));
  if (reader->owner == nullptr || !preview) co_return std::nullopt;
  Subnet subnet = std::move(preview->subnet);
  subnet.lfts = std::move(preview->target.lfts);
  subnet.mfts = std::move(preview->target.mfts);
  co_return FabricView{.subnet = std::make_shared<const Subnet>(std::move(subnet)),
                       .writes = preview->plan.writes(),
                       .decided = begin,
                       .read = begin};
}

/// Sends one request to each switch. It does not see a change that the master has already cleared,
/// so everything is read again after kPause.
asio::awaitable<bool> StandbyView::has_changed(std::shared_ptr<Reader> reader,
                                               std::shared_ptr<const Subnet> subnet) {
  const LightSweepScope scope;
  const LightSweepResult look =
      co_await light_sweep(reader->client, reader->sweeper.m_keys(), subnet->fabric, {}, scope);
  co_return look.own_port_changed || !look.changed.empty() || !look.answering.empty();
}

}  // namespace sm
