#include "virt/vnic/daemon/vnic_metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace vnic {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

class Families {
 public:
  void add(std::string_view name, MetricType type, std::string_view help) {
    MetricFamily family;
    family.name = "heddle_vnic_" + std::string(name);
    family.type = type;
    family.help = help;
    families_.push_back(std::move(family));
  }
  void sample(double value, std::vector<ClientMetric::Label> labels = {}) {
    ClientMetric metric;
    metric.label = std::move(labels);
    (families_.back().type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
        value;
    families_.back().metric.push_back(std::move(metric));
  }
  void counter(std::string_view name, std::uint64_t value, std::string_view help) {
    add(name, MetricType::Counter, help);
    sample(static_cast<double>(value));
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  std::vector<MetricFamily> families_;
};

void add_switches(Families& families, const Status& status) {
  const auto each = [&](std::string_view name, std::string_view help, auto value) {
    families.add(name, MetricType::Gauge, help);
    for (const SwitchStatus& of : status.switches)
      families.sample(static_cast<double>(value(of)), {{"switch", of.name}});
  };
  each("switch_members", "Ports that are members of the switch.",
       [](const SwitchStatus& of) { return of.members; });
  each("switch_forwarding", "Ports whose VNIC forwards frames.",
       [](const SwitchStatus& of) { return of.forwarding; });
  each("switch_mac_addresses", "Entries of the MAC table of the switch.",
       [](const SwitchStatus& of) { return of.macs; });
}

}  // namespace

std::string metrics_text(const Status& status) {
  Families families;
  add_switches(families, status);
  families.add("conditions", MetricType::Gauge, "Conditions that are raised, by identifier.");
  std::map<std::string, unsigned> raised;
  for (const RaisedCondition& of : status.conditions) ++raised[of.id];
  for (const auto& [id, count] : raised) families.sample(count, {{"condition", id}});
  const Totals& of = status.totals;
  families.counter("passes_total", of.passes, "Passes of all ports.");
  families.counter("port_passes_total", of.passes_of_ports, "Passes of ports that sent traps.");
  families.counter("gets_total", of.gets, "Gets that were sent to agents.");
  families.counter("sets_total", of.sets, "Sets that were sent to agents.");
  families.counter("refused_total", of.refused, "Requests that agents refused with a status.");
  families.counter("silent_total", of.silent, "Requests that agents did not answer.");
  families.counter("malformed_total", of.malformed, "Responses that break a rule.");
  families.counter("traps_total", of.traps, "Traps of agents.");
  families.counter("traps_ignored_total", of.traps_ignored, "Traps that are not of a member.");
  families.counter("repeated_total", of.mads_repeated, "MADs that were sent again.");
  families.counter("stray_total", of.mads_stray, "Responses to no open request.");
  families.counter("dropped_total", of.mads_dropped, "MADs that found the inbox full.");
  families.add("mac_addresses_left_out", MetricType::Gauge,
               "MAC addresses beyond the bounds of ports and tables.");
  families.sample(static_cast<double>(of.macs_left_out));
  return families.text();
}

}  // namespace vnic
