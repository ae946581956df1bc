#include "sm/daemon/daemon_console.h"

#include <unistd.h>

namespace sm {
namespace {

console::StatusFacts facts_of(Manager& manager, unsigned log_flags) {
  const PerformanceStatus performance = manager.performance().status();
  const SharedContext context = manager.context();
  const config::Options& options = context->options;
  return {.status = manager.status(),
          .context = context,
          .answers = manager.administrator().is_answering(),
          .sweeping = manager.is_sweeping(),
          .has_errors = manager.has_errors(),
          .log_flags = log_flags,
          .performance = {.enabled = performance.enabled,
                          .polling = performance.polling,
                          .sweep_time = std::chrono::seconds(options.perfmgr_sweep_time_s),
                          .outstanding = performance.outstanding,
                          .outstanding_max = options.perfmgr_max_outstanding_queries,
                          .removes_nodes = options.perfmgr_rm_nodes,
                          .queries_class_port_info = options.perfmgr_query_cpi}};
}

}  // namespace

tl::expected<std::unique_ptr<console::ConsoleServer>, std::string> start_console(
    const boost::asio::any_io_executor& executor, const config::Options& options,
    const std::function<Instance&()>& instance, const std::function<unsigned()>& log_flags) {
  console::ConsoleActions actions{
      .facts = [=] { return facts_of(instance().manager(), log_flags()); },
      .commands = [=]() -> OperatorCommands& { return instance().commands(); }};
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
