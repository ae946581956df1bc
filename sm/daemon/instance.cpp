#include "sm/daemon/instance.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "config/options.h"
#include "mad/format.h"
#include "mad/runtime.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/daemon/shared_store.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/store/port_directory.h"

namespace sm {

void Shutdown::begin() {
  for (const auto& instance : instances_) instance->manager().stop();
  // Tables that a sweep has not written by then stay as they were.
  sweep_timer_.expires_after(kSweepMax);
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    for (const auto& instance : instances_) instance->manager().abandon();
  });
  work_timer_.expires_after(kWorkMax);
  work_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) io_.stop();
  });
}

bool Shutdown::close_ports() {
  for (const auto& instance : instances_) instance->begin_closing();
  const mad::TimePoint end = std::chrono::steady_clock::now() + kCloseMax;
  bool closed = true;
  for (const auto& instance : instances_) closed &= close(*instance, end);
  return closed;
}

bool Shutdown::close(Instance& instance, mad::TimePoint end) {
  instance.begin_closing();
  if (instance.wait_closed(end)) return true;
  log_.critical("{} hangs: it takes no MADs and does not close", instance.port_name());
  log_.flush();
  return false;
}

tl::expected<std::unique_ptr<Instance>, std::string> Instance::bind(
    mad::Runtime& runtime, const mad::umad::LocalPort& port, std::shared_ptr<spdlog::logger> log,
    ManagerOptions options, ProcessCommands process) {
  auto replica = make_replica(runtime, options.options, port.guid, *log);
  if (!replica) return tl::unexpected(std::move(replica.error()));
  options.replica = std::move(*replica);
  auto umad = mad::umad::UmadPort::open(port, runtime);
  if (!umad) return tl::unexpected(umad.error());
  // The claim comes last: from now on others see a subnet manager here, so it must be able to
  // answer.
  auto hold = mad::umad::IssmHold::claim(port);
  if (!hold) return tl::unexpected(hold.error());
  log->info("bound to {}; IsSM is set", port.text());

  auto instance = std::unique_ptr<Instance>(
      new Instance(std::move(log), std::move(*hold), std::move(*umad), port));
  options.port_guid = port.guid;
  instance->replica_ = options.replica;
  instance->manager_ =
      std::make_unique<Manager>(runtime, *instance->port_, *instance->log_, std::move(options));
  instance->port_->set_on_lost([self = instance.get()](int error) {
    self->port_is_lost_ = true;
    self->log_->critical("port {} is lost: {}", self->port_guid_,
                         std::generic_category().message(error));
    self->manager_->stop();
  });
  instance->port_->set_on_blocked(
      [self = instance.get()](bool blocked) { self->report_blocked(blocked); });
  instance->commands_ = std::make_unique<ManagerCommands>(*instance->manager_, std::move(process));
  return instance;
}

std::shared_ptr<const View> Instance::view() const {
  return std::make_shared<const View>(
      View{.status = manager_->status(),
           .groups = summaries(manager_->administrator().registrations().groups),
           .context = manager_->context()});
}

void Instance::report_blocked(bool blocked) {
  std::vector<Condition> active;
  if (blocked)
    active.push_back({.id = kManagerConditions.sm_port_blocked,
                      .text = fmt::format("{} has taken no MAD for a second", port_name_),
                      .guid = port_guid_});
  manager_->set_conditions(ConditionSource::sm_port_device, std::move(active));
}

void Instance::begin_closing() {
  if (closed_.valid()) return;
  std::packaged_task<void()> close([this] {
    hold_.reset();
    port_->close();
  });
  closed_ = close.get_future();
  std::thread(std::move(close)).detach();
}

void Instance::leave_store() {
  if (const auto replica = replica_.lock()) replica->stop();
}

bool Instance::wait_closed(mad::TimePoint end) const {
  return !closed_.valid() || closed_.wait_until(end) == std::future_status::ready;
}

namespace {

/// Returns the file of that name in a directory of the port beside it.
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
  // Otherwise an administrator has put the file there, for this port.
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
