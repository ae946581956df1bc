#pragma once

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ibsim/subnet_manager.h"
#include "mad/format.h"

namespace bench {

/// The command line of benchmarks that run whole subnet managers.
struct Settings {
  std::vector<unsigned> hosts{324, 1728, 11664};
  unsigned runs = 3;
  std::vector<harness::SmKind> sms = harness::available_sms();
  std::string simulator;                    // empty: the program's usual one
  std::vector<std::string> arguments = {};  // more of the subnet managers' command lines
  std::string only = {};                    // cases whose name contains this
};

inline unsigned parse_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0)
    throw std::invalid_argument(fmt::format("'{}' is not a number above 0", text));
  return value;
}

inline Settings parse_settings(std::string_view program, int argc, char** argv,
                               Settings settings = {}) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (i + 1 == argc || (word != "--hosts" && word != "--runs" && word != "--sm" &&
                          word != "--simulator" && word != "--argument" && word != "--only")) {
      throw std::invalid_argument(
          fmt::format("usage: {} [--hosts N[,N...]] [--runs N] [--sm heddle|opensm] [--simulator "
                      "ibsim|heddle-sim] [--only CASE] [--argument ARGUMENT-OF-THE-MANAGER]...",
                      program));
    }
    std::string_view value = argv[i + 1];
    if (word == "--runs") {
      settings.runs = parse_number(value);
    } else if (word == "--simulator") {
      settings.simulator = value;
      if (value != "ibsim" && value != "heddle-sim")
        throw std::invalid_argument("the simulators are ibsim and heddle-sim");
    } else if (word == "--only") {
      settings.only = value;
    } else if (word == "--argument") {
      settings.arguments.emplace_back(value);
    } else if (word == "--sm") {
      std::erase_if(settings.sms, [&](harness::SmKind kind) {
        return kind != (value == "heddle" ? harness::SmKind::heddle : harness::SmKind::opensm);
      });
    } else {
      settings.hosts.clear();
      while (true) {
        const std::size_t comma = value.find(',');
        settings.hosts.push_back(parse_number(value.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        value.remove_prefix(comma + 1);
      }
    }
  }
  return settings;
}

}  // namespace bench
