#include "sm/daemon/instance.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"
#include "sm/daemon/state_store.h"
#include "sm/ops/data_requests.h"
#include "sm/ops/live_read.h"
#include "sm/ops/target.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/store/port_directory.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// Nothing: no such command.
std::optional<tl::expected<std::string, std::string>> command_of(Manager& manager,
                                                                 std::string_view target) {
  const auto nothing = [] { return std::string("{}"); };
  if (target == "/rebalance") return manager.rebalance().map(nothing);
  constexpr std::string_view kPriority = "/priority/";
  if (target.starts_with(kPriority)) {
    config::Options checked;
    if (const auto fault = config::assign(*config::find_key("sm_priority"),
                                          target.substr(kPriority.size()), checked))
      return tl::unexpected(fault->what + "; " + fault->remedy);
    manager.set_priority(checked.sm_priority);
    return nothing();
  }
  if (target == "/resweep") return manager.resweep().map(nothing);
  for (const auto& [prefix, order] :
       {std::pair(std::string_view("/isolate/"), &Manager::isolate),
        std::pair(std::string_view("/release/"), &Manager::release)}) {
    if (!target.starts_with(prefix)) continue;
    const auto name = from_target(target.substr(prefix.size()));
    if (!name) return std::nullopt;
    return (manager.*order)(*name).map(nothing);
  }
  if (target == "/poll-counters") return manager.performance().poll_now().map(nothing);
  if (target == "/dump-counters") return manager.performance().dump(DumpShape::lines).map(nothing);
  if (target == "/dump-counters/table")
    return manager.performance().dump(DumpShape::table).map(nothing);
  return std::nullopt;
}

}  // namespace

tl::expected<std::unique_ptr<Instance>, std::string> Instance::bind(
    mad::Runtime& runtime, const mad::umad::LocalPort& port, std::shared_ptr<spdlog::logger> log,
    ManagerOptions options, ProcessCommand process_command) {
  const std::string group = options.options.control_group;
  auto replica = make_replica(runtime, options.options, port.guid);
  if (!replica) return tl::unexpected(std::move(replica.error()));
  options.replica = std::move(*replica);
  auto umad = mad::umad::UmadPort::open(port, runtime);
  if (!umad) return tl::unexpected(umad.error());
  // Claimed last: from now on others see a subnet manager here, so it must be able to answer.
  auto hold = mad::umad::IssmHold::claim(port);
  if (!hold) return tl::unexpected(hold.error());
  log->info("bound to {}; IsSM is set", port.text());

  auto instance = std::unique_ptr<Instance>(
      new Instance(std::move(log), std::move(*hold), std::move(*umad), port.guid));
  options.port_guid = port.guid;
  instance->manager_ =
      std::make_unique<Manager>(runtime, *instance->port_, *instance->log_, std::move(options));
  instance->port_->set_on_lost([self = instance.get()](int error) {
    self->port_is_lost_ = true;
    self->log_->critical("port {} is lost: {}", self->port_guid_,
                         std::generic_category().message(error));
    self->manager_->stop();
  });
  const auto path = run_dir() / fmt::format("{}.sock", port.guid);
  Manager& manager = *instance->manager_;
  const DataSources sources{.status = [&manager] { return manager.status(); },
                            .groups = [&manager]() -> const sa::Groups& {
                              return manager.administrator().registrations().groups;
                            },
                            .context = [&manager] { return manager.context(); }};
  const auto answer = [sources](std::string_view target) { return data_request(target, sources); };
  const auto read = [&manager](std::string_view target)
      -> std::optional<asio::awaitable<tl::expected<std::string, std::string>>> {
    auto what = live_read_request(target);
    if (!what) return std::nullopt;
    return read_attributes(manager.client(), manager.status().subnet, std::move(*what));
  };
  instance->process_command_ = std::move(process_command);
  const auto command = [self = instance.get(), log = instance->log_](std::string_view target,
                                                                     const ControlPeer& peer) {
    auto done = self->order(target);
    if (done && *done) log->info("user {} (process {}): {}", peer.uid, peer.pid, target);
    return done;
  };
  if (auto control = ControlSocket::listen(
          runtime.executor(), path,
          {.answer = answer, .read = read, .command = command, .group = group})) {
    instance->control_ = std::move(*control);
  } else {
    instance->log_->warn("{}; heddlectl cannot reach this daemon", control.error());
  }
  return instance;
}

std::optional<tl::expected<std::string, std::string>> Instance::order(std::string_view target) {
  auto done = command_of(*manager_, target);
  if (!done && process_command_) done = process_command_(target);
  return done;
}

void Instance::serve_api(ControlSocket::Api api) {
  if (control_) control_->serve_api(std::move(api));
}

std::shared_ptr<const View> Instance::view() const {
  return std::make_shared<const View>(
      View{.status = manager_->status(),
           .groups = summaries(manager_->administrator().registrations().groups),
           .context = manager_->context()});
}

void Instance::retire() {
  control_.reset();
  hold_.reset();
  port_->close();
}

namespace {

/// The file of that name in a directory of the port beside it.
std::string beside(const std::filesystem::path& file, mad::Guid port) {
  return file.parent_path() / fmt::format("{}", port) / file.filename();
}

}  // namespace

bool logs_to_stream(const config::Options& options) {
  return options.log_file == "stdout" || options.log_file == "stderr" || options.log_file == "-";
}

config::Options options_for(const config::Options& options, mad::Guid port_guid,
                            bool one_of_several) {
  config::Options own = options;
  own.guid = {port_guid.value};
  const auto place = std::ranges::find(options.guid, port_guid.value) - options.guid.begin();
  if (const auto& prefixes = options.subnet_prefix.values; std::ssize(prefixes) > place)
    own.subnet_prefix = prefixes[static_cast<std::size_t>(place)];
  else
    own.subnet_prefix = prefixes.front();
  if (!one_of_several) return own;
  const std::string name = fmt::format("{}", port_guid);
  own.cache_files_dir = std::filesystem::path(options.cache_files_dir) / name;
  own.dump_files_dir = std::filesystem::path(options.dump_files_dir) / name;
  if (std::filesystem::path(options.subnet_lst_file).is_absolute())
    own.subnet_lst_file = beside(options.subnet_lst_file, port_guid);
  if (!options.sa_db_file.empty()) own.sa_db_file = beside(options.sa_db_file, port_guid);
  if (!logs_to_stream(options)) {
    const std::filesystem::path log = options.log_file;
    own.log_file = log.parent_path() /
                   fmt::format("{}.{}{}", log.stem().string(), port_guid, log.extension().string());
  }
  return own;
}

config::Options options_beside_others(const config::Options& options, mad::Guid port_guid,
                                      std::span<const mad::Guid> local,
                                      std::vector<std::string>* warnings) {
  namespace fs = std::filesystem;
  config::Options own = options;
  const auto claim = [&](const std::string& directory) {
    ClaimedDirectory claimed = claim_directory(directory, port_guid, local);
    if (warnings != nullptr && !claimed.warning.empty())
      warnings->push_back(std::move(claimed.warning));
    return std::move(claimed.path);
  };
  own.cache_files_dir = claim(options.cache_files_dir);
  own.dump_files_dir = claim(options.dump_files_dir);
  if (own.dump_files_dir == options.dump_files_dir) return own;
  if (fs::path(options.subnet_lst_file).is_absolute())
    own.subnet_lst_file = beside(options.subnet_lst_file, port_guid);
  // Else an administrator has put it there, for this port.
  const fs::path dumped = fs::path(options.dump_files_dir) / sa::kSaDbFile;
  if (fs::path(options.sa_db_file).lexically_normal() == dumped.lexically_normal())
    own.sa_db_file = fs::path(own.dump_files_dir) / sa::kSaDbFile;
  return own;
}

tl::expected<void, std::string> make_directories(const config::Options& options) {
  for (const std::string& directory : {options.cache_files_dir, options.dump_files_dir}) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
      return tl::unexpected(
          fmt::format("cannot create directory {}: {}", directory, error.message()));
  }
  return {};
}

}  // namespace sm
