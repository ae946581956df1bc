#include "ibsim/smp_counts.h"
#include "mad/format.h"

#include <fstream>
#include <stdexcept>

namespace harness {

std::vector<std::pair<std::string, std::string>> count_smps_into(
    const std::filesystem::path& file) {
  return {{"LD_PRELOAD", SMP_COUNT_LIBRARY}, {"SMP_COUNT_FILE", file.string()}};
}

SmpCounts read_smp_counts(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in)
    throw std::runtime_error("no counts in " + file.string() + ": did the program exit normally?");
  SmpCounts counts;
  unsigned mgmt_class = 0, method = 0, attribute = 0;
  std::uint64_t count = 0;
  while (in >> std::hex >> mgmt_class >> method >> attribute >> std::dec >> count) {
    if (mgmt_class != 0x01 && mgmt_class != 0x81) continue;
    counts.by_method_and_attribute[{method, attribute}] += count;
    counts.total += count;
    if (method == 1) counts.gets += count;
    if (method == 2) counts.sets += count;
  }
  return counts;
}

std::string smp_name(unsigned method, unsigned attribute) {
  static const std::map<unsigned, std::string_view> methods{
      {0, "response"}, {1, "SubnGet"},  {2, "SubnSet"},
      {3, "Send"},     {5, "SubnTrap"}, {7, "SubnTrapRepress"}};
  static const std::map<unsigned, std::string_view> attributes{{0x02, "Notice"},
                                                               {0x10, "NodeDescription"},
                                                               {0x11, "NodeInfo"},
                                                               {0x12, "SwitchInfo"},
                                                               {0x14, "GUIDInfo"},
                                                               {0x15, "PortInfo"},
                                                               {0x16, "P_KeyTable"},
                                                               {0x17, "SLtoVLMappingTable"},
                                                               {0x18, "VLArbitrationTable"},
                                                               {0x19, "LinearForwardingTable"},
                                                               {0x1b, "MulticastForwardingTable"},
                                                               {0x20, "SMInfo"}};
  const auto m = methods.find(method);
  const auto a = attributes.find(attribute);
  return fmt::format(
      "{}({})", m == methods.end() ? fmt::format("{:#x}", method) : std::string(m->second),
      a == attributes.end() ? fmt::format("{:#06x}", attribute) : std::string(a->second));
}

}  // namespace harness
