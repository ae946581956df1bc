#pragma once
// Recognizes what is in a file in place of a topology. Private to this directory.

#include <optional>
#include <string_view>

namespace topology {

/// A format that is not read as a topology.
struct OtherFormat {
  int line = 0;                   // that shows it, from 1
  std::string_view what, remedy;  // as in config::Diagnostic
};

/// Returns the format of a text of which no topology could be read; nothing for an unknown one.
std::optional<OtherFormat> find_other_format(std::string_view text);

/// True for a line that infiniband-diags and their libraries write on standard error.
bool is_program_message(std::string_view line);

}  // namespace topology
