#pragma once

#include <iosfwd>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "config/flags.h"
#include "mad/umad/local_ports.h"

namespace sm {

/// The ports to bind to: those of -g, or what the operator answers to -g 0, or the default one.
/// Errors: the process's exit code; the reason was printed.
tl::expected<std::vector<mad::umad::LocalPort>, int> choose_ports(const config::CommandLine& line,
                                                                  std::istream& in,
                                                                  std::ostream& out,
                                                                  std::ostream& err);

/// Chooses among the ports that the caller passes.
tl::expected<std::vector<mad::umad::LocalPort>, int> choose_ports(
    std::span<const mad::umad::LocalPort> local, const config::CommandLine& line, std::istream& in,
    std::ostream& out, std::ostream& err);

}  // namespace sm
