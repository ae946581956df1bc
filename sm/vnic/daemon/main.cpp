// heddle-vnic: an Ethernet Manager for virtual networks over Omni-Path.

#include <csignal>
#include <exception>
#include <iostream>

#include "config/build/build.h"
#include "config/common_command_line.h"
#include "config/control_characters.h"
#include "sm/vnic/daemon/vnic_daemon.h"

namespace {

constexpr const char* kFooter = R"(Examples:
  heddle-vnic --check --config vnic.yaml
  heddle-vnic --config vnic.yaml --log-file /var/log/heddle-vnic.log
  heddle-vnic --status

Exit codes: 0 ended by SIGTERM or SIGINT; 1 no port, directory or daemon; 2 wrong configuration.
)";

struct Arguments {
  vnic::DaemonOptions options;
  std::string state_dir = vnic::DaemonOptions().state_dir.string();
  bool check = false, status = false, metrics = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.footer(kFooter);
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("-V,--version", config::version_text("heddle-vnic"));
  app.add_option("-c,--config", arguments.options.configuration, "virtual Ethernet switches")
      ->type_name("FILE");
  app.add_option("-f,--log-file", arguments.options.log_file, "a path, stdout or stderr")
      ->type_name("FILE");
  app.add_option("--log-format", arguments.options.log_format, "human, text or json")
      ->type_name("NAME")
      ->check([](const std::string& name) {
        return name == "human" || name == "text" || name == "json"
                   ? std::string()
                   : fmt::format("'{}' is not one of: human, text, json", name);
      });
  app.add_option("--state-dir", arguments.state_dir, "what is kept across restarts")
      ->type_name("DIR");
  app.add_option("--control-group", arguments.options.control_group,
                 "whose members may read the status, besides root")
      ->type_name("GROUP");
  app.add_flag("--check", arguments.check, "checks the configuration and ends");
  app.add_flag("--status", arguments.status,
               "prints what the daemon that runs here shows, as JSON");
  app.add_flag("--metrics", arguments.metrics, "prints its metrics");
}

int check(const std::string& file) {
  const auto read = vnic::load_configuration(file);
  if (read) {
    std::cout << config::escape_control_characters(file) << ": usable\n";
    return 0;
  }
  for (const config::Diagnostic& one : read.error()) std::cerr << one.text() << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a write that fails
  Arguments arguments;
  CLI::App app(
      "An Ethernet Manager: configures the virtual network interfaces (VNICs) that hosts of\n"
      "Omni-Path have on virtual Ethernet switches.",
      "heddle-vnic");
  config::prepare(app);
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
    arguments.options.state_dir = arguments.state_dir;
    if (arguments.check) return check(arguments.options.configuration);
    if (arguments.status || arguments.metrics)
      return vnic::print_from_daemon(arguments.status ? "/v1/vnic" : "/metrics");
    return vnic::run_daemon(arguments.options);
  } catch (const CLI::ParseError& end) {
    return app.exit(end) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "heddle-vnic: " << config::escape_lines(error.what()) << '\n';
    return 1;
  }
}
