#include "sm/daemon/instance.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "mad/format.h"
#include "sm/daemon/state_store.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/store/port_directory.h"

namespace sm {
tl::expected<std::unique_ptr<Instance>, std::string> Instance::bind(
    mad::Runtime& runtime, const mad::umad::LocalPort& port, std::shared_ptr<spdlog::logger> log,
    ManagerOptions options, ProcessCommands process) {
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
  instance->commands_ = std::make_unique<ManagerCommands>(*instance->manager_, std::move(process));
  return instance;
}

std::shared_ptr<const View> Instance::view() const {
  return std::make_shared<const View>(
      View{.status = manager_->status(),
           .groups = summaries(manager_->administrator().registrations().groups),
           .context = manager_->context()});
}

void Instance::retire() {
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
