#include "sm/ctl/live.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <filesystem>
#include <iostream>

#include "config/control_characters.h"
#include "config/file_reader.h"
#include "mad/smp_client.h"
#include "mad/umad/local_ports.h"
#include "mad/umad/umad_port.h"
#include "sm/ctl/hardware_guard.h"
#include "sm/ctl/recorder.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/store/port_directory.h"
#include "sm/sweep/apply/unicast_stages.h"

namespace sm::ctl {
namespace asio = boost::asio;

namespace {

/// Opens a local port, and runs one coroutine on it.
class Session {
 public:
  tl::expected<void, std::string> open(std::optional<mad::Guid> port_guid,
                                       const mad::SmpLimits& limits = {}) {
    const auto port = mad::umad::choose_port(mad::umad::list_local_ports(), port_guid);
    if (!port) return tl::unexpected(port.error());
    name_ = port->text();
    port_guid_ = port->guid;
    auto umad = mad::umad::UmadPort::open(*port, *runtime_);
    if (!umad) return tl::unexpected(umad.error());
    umad_ = std::move(*umad);
    client_.emplace(*runtime_, *umad_, limits);
    counters_.emplace(*runtime_, *umad_);
    umad_->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads)
        if (!client_->on_mad(received)) counters_->on_mad(received);
    });
    return {};
  }

  void run(asio::awaitable<void> work) {
    std::exception_ptr failure;
    asio::co_spawn(io_, std::move(work), [&](const std::exception_ptr& error) {
      failure = error;
      io_.stop();
    });
    io_.run();
    if (failure) std::rethrow_exception(failure);
  }

  mad::SmpClient& client() { return *client_; }
  mad::GmpClient& counters() { return *counters_; }
  mad::Guid port_guid() const { return port_guid_; }
  mad::Runtime& runtime() { return *runtime_; }
  std::string port_is_down() const {
    return name_ + ": the port is down; there is no fabric to be seen from it";
  }

 private:
  asio::io_context io_{1};
  std::unique_ptr<mad::Runtime> runtime_ = mad::make_asio_runtime(io_.get_executor());
  std::unique_ptr<mad::umad::UmadPort> umad_;
  std::optional<mad::SmpClient> client_;
  std::optional<mad::GmpClient> counters_;
  std::string name_;
  mad::Guid port_guid_;
};

/// Returns the options with the cache directory of the daemon at that port.
config::Options options_at(mad::Guid port, const config::Options& options) {
  config::Options own = options;
  own.cache_files_dir = find_directory(options.cache_files_dir, port);
  return own;
}

/// Holds the registrations of clients that the daemon on this machine has stored, read-only.
class StoredRegistrations final : public Administration {
 public:
  explicit StoredRegistrations(const config::Options& options) {
    const std::filesystem::path path =
        std::filesystem::path(options.cache_files_dir) / sa::kRegistrationsFile;
    const auto text = config::read_file(path.string());
    is_known_ = text.has_value();
    if (text) registrations_ = sa::read_registrations(*text, path.string()).registrations;
  }
  Registered prepare(const Subnet& draft, const SweepContext& context) override {
    std::vector<std::string> log;
    sa::reconcile_groups(registrations_, draft, context.options, log);
    sa::purge_absent_ports(registrations_, draft, context.options, sa::Absent::after_load);
    return {.alias_guids = lost_aliases(draft),
            .unacknowledged = is_known_ ? registrations_.acknowledged.find_others(draft.fabric)
                                        : std::vector<mad::Guid>()};
  }
  bool has_groups() const override { return true; }
  std::optional<mad::Mlid> append_groups(const Subnet& subnet, mad::Mlid /*first*/,
                                         std::vector<routing::MulticastGroup>& groups) override {
    groups = registrations_.groups.for_routing(subnet, registrations_.alias_guids);
    return std::nullopt;
  }

 private:
  std::vector<GuidInfoBlock> lost_aliases(const Subnet& draft) const {
    std::vector<GuidInfoBlock> lost;
    for (const PortIndex index : draft.fabric.end_ports) {
      const Port& port = draft.fabric.ports[index];
      if (!port.known || port.info.port_state() != mad::PortState::init) continue;
      for (const auto& [block, content] : registrations_.alias_guids.blocks(port.guid))
        lost.push_back({port.guid, block, content});
    }
    return lost;
  }

  sa::Registrations registrations_;
  bool is_known_ = false;
};

std::chrono::sys_seconds time_of_day() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

/// Returns the keys of the options and of guid2mkey; prints what is wrong with the files.
MKeys m_keys_of(const Session& session, const config::Options& options) {
  MKeys m_keys;
  m_keys.set_clock(time_of_day);
  for (const std::string& problem : m_keys.configure(options_at(session.port_guid(), options)))
    std::cerr << "heddlectl: " << config::escape_lines(problem) << '\n';
  m_keys.set_own_port(session.port_guid());
  return m_keys;
}

}  // namespace

tl::expected<LiveFabric, std::string> read_live(std::optional<mad::Guid> port_guid,
                                                const config::Options& options) {
  Session session;
  if (auto opened = session.open(port_guid); !opened)
    return tl::unexpected(std::move(opened.error()));
  MKeys m_keys = m_keys_of(session, options);
  session.client().set_m_keys(&m_keys);
  LiveFabric live;
  const auto read_all = [&]() -> asio::awaitable<void> {
    live.survey =
        co_await discover(session.client(), {.m_keys = &m_keys, .clear_port_state_change = false});
    live.memory.update_from(live.survey.fabric);
    const auto stages = unicast_reads(live.survey.fabric, live.memory);
    const ApplyOptions how;
    co_await read(session.client(), how, live.survey.fabric, *stages);
  };
  session.run(read_all());
  if (!live.survey.sm_port_up) return tl::unexpected(session.port_is_down());
  return live;
}

tl::expected<Recording, std::string> record_live(
    std::optional<mad::Guid> port_guid, const config::Options& options,
    const std::function<void(std::size_t nodes, std::size_t answers)>& on_progress,
    unsigned per_second) {
  Session session;
  mad::SmpLimits limits;
  limits.per_second = per_second;
  if (auto opened = session.open(port_guid, limits); !opened)
    return tl::unexpected(std::move(opened.error()));
  MKeys m_keys = m_keys_of(session, options);
  session.client().set_m_keys(&m_keys);
  Recording recording;
  const auto read_all = [&]() -> asio::awaitable<void> {
    recording = co_await record(session.client(), {.on_progress = on_progress});
  };
  session.run(read_all());
  if (recording.nodes.empty()) return tl::unexpected(session.port_is_down());
  return recording;
}

tl::expected<LiveTrial, std::string> try_hardware_live(std::optional<mad::Guid> port_guid,
                                                       const config::Options& options,
                                                       const LiveTrialRequest& request) {
  Session session;
  const mad::SmpLimits limits{.per_second = request.per_second};
  if (auto opened = session.open(port_guid, limits); !opened)
    return tl::unexpected(std::move(opened.error()));
  MKeys m_keys = m_keys_of(session, options);
  session.client().set_m_keys(&m_keys);
  Trial trial(session.client(), session.runtime(), request.undo_file);
  LiveTrial live;
  std::string refused;
  const auto all = [&]() -> asio::awaitable<void> {
    live.before = co_await record(session.client(), {.on_progress = request.on_progress});
    if (live.before.nodes.empty()) {
      refused = session.port_is_down();
      co_return;
    }
    auto result = co_await try_hardware(trial, session.counters(), live.before, request.steps);
    if (!result) {
      refused = std::move(result.error());
      co_return;
    }
    live.result = std::move(*result);
    session.client().set_limits(limits);
    session.client().forget_silence();
    live.after = co_await record(session.client(), {.on_progress = request.on_progress});
  };
  session.run(all());
  if (!refused.empty()) return tl::unexpected(std::move(refused));
  return live;
}

tl::expected<std::string, std::string> undo_hardware_live(std::optional<mad::Guid> port_guid,
                                                          const config::Options& options,
                                                          const std::filesystem::path& undo_file) {
  auto values = read_former_values(undo_file);
  if (!values) return tl::unexpected(std::move(values.error()));
  Session session;
  if (auto opened = session.open(port_guid); !opened)
    return tl::unexpected(std::move(opened.error()));
  MKeys m_keys = m_keys_of(session, options);
  session.client().set_m_keys(&m_keys);
  Trial trial(session.client(), session.runtime(), undo_file);
  trial.adopt(std::move(*values));
  tl::expected<std::string, std::string> result;
  const auto all = [&]() -> asio::awaitable<void> {
    const Recording fabric = co_await record(session.client(), {});
    if (fabric.nodes.empty()) {
      result = tl::unexpected(session.port_is_down());
    } else if (const auto manager = co_await running_manager(session.client(), fabric)) {
      result = tl::unexpected(
          fmt::format("nothing was written: {}; stop it, then --undo again, and keep {} until then",
                      config::escape_control_characters(*manager), undo_file.string()));
    } else {
      result = co_await trial.undo();
    }
  };
  session.run(all());
  return result;
}

tl::expected<Preview, std::string> preview_live(std::optional<mad::Guid> port_guid,
                                                const PreviewRequest& request) {
  Session session;
  if (auto opened = session.open(port_guid); !opened)
    return tl::unexpected(std::move(opened.error()));
  spdlog::logger log("heddlectl", std::make_shared<spdlog::sinks::stderr_sink_st>());
  log.set_pattern("heddlectl: %v");
  log.set_level(spdlog::level::warn);
  ConditionLog conditions([&session] { return session.runtime().now(); }, log);
  auto of_port = std::make_shared<SweepContext>(*request.context);
  of_port->options = options_at(session.port_guid(), of_port->options);
  const SharedContext shared = std::move(of_port);
  StoredRegistrations stored(shared->options);
  Sweeper sweeper(session.client(), log, conditions, stored);
  sweeper.m_keys().set_own_port(session.port_guid());
  sweeper.m_keys().set_clock(time_of_day);
  tl::expected<Preview, std::string> result = tl::unexpected(std::string());
  const PassRequest order{.everything = true, .reroute = request.rebalance};
  const auto observe_and_decide = [&]() -> asio::awaitable<void> {
    Survey survey = co_await sweeper.observe(shared, order, false);
    if (!survey.sm_port_up) {
      result = tl::unexpected(session.port_is_down());
      co_return;
    }
    if (request.alter) {
      if (auto altered = request.alter(survey.fabric); !altered) {
        result = tl::unexpected(std::move(altered.error()));
        co_return;
      }
    }
    result = co_await sweeper.preview(shared, order, std::move(survey));
  };
  session.run(observe_and_decide());
  return result;
}

}  // namespace sm::ctl
