#include "sm/daemon/port_choice.h"

#include <istream>
#include <ostream>
#include <string>

#include "mad/format.h"
#include "mad/number.h"

namespace sm {
namespace {

using mad::umad::LocalPort;

/// Shows the menu of -g 0, as OpenSM has it. Returns nothing if the operator chose to exit.
std::optional<LocalPort> ask(std::span<const LocalPort> ports, std::istream& in,
                             std::ostream& out) {
  out << "\nChoose a local port number with which to bind:\n\n";
  for (std::size_t i = 0; i < ports.size(); ++i)
    out << '\t' << i + 1 << ": " << ports[i].text() << '\n';
  out << "\n\t0: Exit\n";
  for (std::string answer;;) {
    out << "\nEnter choice (0-" << ports.size() << "): " << std::flush;
    if (!std::getline(in, answer)) return std::nullopt;
    const auto choice = mad::parse_number<std::size_t>(answer);
    if (!choice || *choice > ports.size()) {
      out << "\n\"" << answer << "\" is not one of them\n";
      continue;
    }
    if (*choice == 0) return std::nullopt;
    if (!ports[*choice - 1].has_guid()) {
      out << '\n' << ports[*choice - 1].text() << '\n';
      continue;
    }
    out << "Choice guid=" << fmt::format("0x{:x}", ports[*choice - 1].guid.value) << '\n';
    return ports[*choice - 1];
  }
}

}  // namespace

tl::expected<std::vector<LocalPort>, int> choose_ports(const config::CommandLine& line,
                                                       std::istream& in, std::ostream& out,
                                                       std::ostream& err) {
  const std::vector<LocalPort> local = mad::umad::list_local_ports();
  return choose_ports(local, line, in, out, err);
}

tl::expected<std::vector<LocalPort>, int> choose_ports(std::span<const LocalPort> local,
                                                       const config::CommandLine& line,
                                                       std::istream& in, std::ostream& out,
                                                       std::ostream& err) {
  std::vector<LocalPort> chosen;
  if (local.empty()) {
    // Missing hardware is not a failure, as in OpenSM, so that a machine without InfiniBand boots
    // without an error. It is a failure if a subnet was to be swept once, or if this process may
    // not see existing hardware.
    const bool exclusive = mad::umad::are_namespaces_exclusive();
    const bool fails = line.once || exclusive;
    (fails ? err : out) << mad::umad::no_ports_text(exclusive) << std::endl;
    return tl::unexpected(fails ? 1 : 0);
  }
  if (line.prompt_for_guid) {
    if (const auto port = ask(local, in, out)) return std::vector<LocalPort>{*port};
    return tl::unexpected(0);
  }
  if (line.options.guid.empty()) {
    const auto port = choose_port(local, std::nullopt);
    if (!port) {
      err << port.error() << '\n';
      return tl::unexpected(1);
    }
    out << fmt::format("Using default GUID 0x{:x}", port->guid.value) << std::endl;
    return std::vector<LocalPort>{*port};
  }
  for (const std::uint64_t guid : line.options.guid) {
    const auto port = choose_port(local, mad::Guid{guid});
    if (!port) {
      err << port.error() << '\n';
      return tl::unexpected(1);
    }
    chosen.push_back(*port);
  }
  return chosen;
}

}  // namespace sm
