#include "sm/daemon/instance.h"

#include <system_error>

#include "mad/format.h"

namespace sm {

tl::expected<std::unique_ptr<Instance>, std::string> Instance::bind(
    mad::Runtime& runtime, const mad::umad::LocalPort& port, std::shared_ptr<spdlog::logger> log,
    ManagerOptions options) {
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
  const auto answer =
      [&manager = *instance->manager_](std::string_view target) -> std::optional<std::string> {
    if (target == "/status") return status_json(manager.status());
    return std::nullopt;
  };
  if (auto control = ControlSocket::listen(runtime.executor(), path, answer)) {
    instance->control_ = std::move(*control);
  } else {
    instance->log_->warn("{}; heddlectl cannot reach this daemon", control.error());
  }
  return instance;
}

void Instance::retire() {
  control_.reset();
  hold_.reset();
  port_->close();
}

config::Options options_for(const config::Options& options, mad::Guid port_guid,
                            bool one_of_several) {
  config::Options own = options;
  own.guid = {port_guid.value};
  if (one_of_several) {
    own.cache_files_dir = fmt::format("{}/{}", options.cache_files_dir, port_guid);
    own.subnet_lst_file = fmt::format("{}.{}", options.subnet_lst_file, port_guid);
  }
  return own;
}

}  // namespace sm
