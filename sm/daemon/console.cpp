#include "sm/daemon/console.h"

#include <fmt/format.h>
#include <unistd.h>

namespace sm {
namespace {

console::Outcome done_by(const ConsoleProcess& process, const std::string& target) {
  const auto done = process.order(target);
  if (!done) return tl::unexpected(std::string("not known here"));
  if (!*done) return tl::unexpected(done->error());
  return {};
}

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

console::ConsoleActions actions_of(const std::function<Manager&()>& manager,
                                   const ConsoleProcess& process) {
  return {
      .status = [manager] { return manager().status(); },
      .context = [manager] { return manager().context(); },
      .answers = [manager] { return manager().administrator().is_answering(); },
      .sweeping = [manager] { return manager().is_sweeping(); },
      .has_errors = [manager] { return manager().has_errors(); },
      .log_flags = process.log_flags,
      .set_log_flags =
          [process](unsigned flags) {
            return done_by(process, fmt::format("/log-level/{:#04x}", flags));
          },
      .set_log_flush =
          [process](bool on) { return done_by(process, on ? "/log-flush/on" : "/log-flush/off"); },
      .resweep_heavy = [manager] { return manager().resweep(); },
      .resweep_light = [manager] { return manager().light_resweep(); },
      .reroute = [manager] { return manager().rebalance(); },
      .update_descriptions = [manager] { return manager().update_descriptions(); },
      .set_priority = [manager](std::uint8_t priority) { manager().set_priority(priority); },
      .set_sweeping = [manager](bool on) { manager().set_sweeping(on); },
      .performance = [manager] { return performance_of(manager()); },
      .poll_counters = [manager] { return manager().performance().poll_now(); },
      .dump_counters =
          [manager](bool as_table) {
            return manager().performance().dump(as_table ? DumpShape::table : DumpShape::lines);
          }};
}

}  // namespace

tl::expected<std::unique_ptr<console::ConsoleServer>, std::string> start_console(
    const boost::asio::any_io_executor& executor, const config::Options& options,
    const std::function<Manager&()>& manager, const ConsoleProcess& process) {
  auto actions = actions_of(manager, process);
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
