// topo_config_file in its three forms, and hm_ports_health_policy_file. The first byte says which.
// Any bytes give either findings, all within the text, or something that can be used.
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "config/health_files.h"
#include "sm/health/expected_topology.h"

namespace {

void check(const config::Diagnostics& found, const std::string& file, std::size_t size) {
  for (const config::Diagnostic& diagnostic : found) {
    const auto most = static_cast<long>(size) + 1;
    if (diagnostic.file != file || diagnostic.line < 0 || diagnostic.line > most ||
        diagnostic.column < 0 || diagnostic.column > most || diagnostic.what.empty())
      std::abort();
    for (const unsigned char c : diagnostic.text())  // written to the log and to terminals
      if (c < 0x20) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array kFiles{"links.cfg", "fabric.net", "fabric.yaml"};
  const std::size_t form = data[0] % (kFiles.size() + 1);
  const auto text =
      std::make_shared<const std::string>(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (form == kFiles.size()) {
    config::Diagnostics found;
    for (const config::PortHealth& entry : config::parse_port_health({"health", *text}, found))
      if (entry.port && (*entry.port == 0 || *entry.port == 255)) std::abort();
    check(found, "health", text->size());
    return 0;
  }
  const config::SharedSource source{kFiles[form], text};
  const auto expected = sm::read_expected(source);
  if (!expected) {
    if (!config::has_errors(expected.error())) std::abort();
    check(expected.error(), source.file, text->size());
    return 0;
  }
  // Compared with nothing, everything that is expected is missed, and nothing else.
  for (const fabric::Condition& condition : sm::compare_expected(*expected, fabric::Fabric{}))
    if (condition.text.empty()) std::abort();
  return 0;
}
