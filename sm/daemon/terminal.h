#pragma once
// This file has what a start writes to the terminal.

#include <ostream>

#include "config/diagnostic.h"
#include "config/flags.h"

namespace sm {

void print(std::ostream& out, const config::Diagnostics& diagnostics);
/// Prints the version, the file that was read and the flags, as OpenSM does.
void print_banner(const config::CommandLine& line);
/// Writes the options to the file of --create-config; with secrets only its owner may access it.
/// Returns the exit code; `errors` gets a line for each reason of a failure.
int create_config(const config::CommandLine& line, std::ostream& errors);

}  // namespace sm
