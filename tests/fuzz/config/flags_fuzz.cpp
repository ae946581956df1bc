// For any command line (arguments end with a zero byte): no crash, a refusal has an error and a
// code, a run has neither.
#include "config/flags.h"

#include <cstdint>
#include <cstdlib>

#include "config/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> words{"heddle"};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<const char*> args;
  for (const std::string& word : words) args.push_back(word.c_str());

  const auto reader = [](const std::string&) -> tl::expected<std::string, std::error_code> {
    return "lmc 1\n";
  };
  const config::CommandLine line = config::parse_command_line(args, reader);
  const bool refused = line.action == config::CommandLine::Action::refuse;
  if (refused != config::has_errors(line.diagnostics) || (refused && line.exit_code == 0))
    std::abort();
  if (line.action == config::CommandLine::Action::run) {
    if (line.exit_code != 0) std::abort();
    // A reload without a change computes the options of the start.
    if (!config::same_values(config::evaluate_again(line, reader).options, line.options))
      std::abort();
  }
  return 0;
}
