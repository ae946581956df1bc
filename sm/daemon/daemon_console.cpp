#include "sm/daemon/daemon_console.h"

#include <unistd.h>

namespace sm {
namespace {

console::PerformanceFacts performance_of(Manager& manager) {
  const PerformanceStatus status = manager.performance().status();
  const SharedContext context = manager.context();
  return {.enabled = status.enabled,
          .polling = status.polling,
          .sweep_time = std::chrono::seconds(context->options.perfmgr_sweep_time_s),
          .outstanding = status.outstanding,
          .outstanding_max = context->options.perfmgr_max_outstanding_queries,
          .removes_nodes = context->options.perfmgr_rm_nodes,
          .queries_class_port_info = context->options.perfmgr_query_cpi};
}

console::ConsoleActions actions_of(const std::function<Instance&()>& instance,
                                   const std::function<unsigned()>& log_flags) {
  const auto manager = [instance]() -> Manager& { return instance().manager(); };
  return {.status = [manager] { return manager().status(); },
          .context = [manager] { return manager().context(); },
          .answers = [manager] { return manager().administrator().is_answering(); },
          .sweeping = [manager] { return manager().is_sweeping(); },
          .has_errors = [manager] { return manager().has_errors(); },
          .log_flags = log_flags,
          .performance = [manager] { return performance_of(manager()); },
          .commands = [instance]() -> OperatorCommands& { return instance().commands(); }};
}

}  // namespace

tl::expected<std::unique_ptr<console::ConsoleServer>, std::string> start_console(
    const boost::asio::any_io_executor& executor, const config::Options& options,
    const std::function<Instance&()>& instance, const std::function<unsigned()>& log_flags) {
  auto actions = actions_of(instance, log_flags);
  switch (options.console) {
    case config::Console::loopback:
      return console::ConsoleServer::listen(executor, options.console_port, std::move(actions));
    case config::Console::local:
      if (options.daemon) break;
      return console::ConsoleServer::on_terminal(executor, STDIN_FILENO, STDOUT_FILENO,
                                                 std::move(actions));
    case config::Console::off:
    case config::Console::socket:  // refused by config::check_options()
      break;
  }
  return nullptr;
}

}  // namespace sm
