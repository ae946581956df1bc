#pragma once
// The text of ports in /metrics, kept between scrapes.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "fabric/subnet.h"
#include "sm/ops/metrics/samples.h"
#include "sm/ops/view.h"
#include "sm/ops/web/compression.h"
#include "sm/ops/web/worker.h"

namespace sm::metrics {

/// Chooses the ports and their names.
struct PortSelection {
  bool switches = false, hcas = false;
  bool guilbaults = false;
  bool operator==(const PortSelection&) const = default;
};
/// Returns the ports and names that metrics_ports and metrics_compat select.
PortSelection selection(std::string_view ports, std::string_view compat);

/// Gets one family.
using TakeFamily = std::function<void(FamilyText family)>;

/// Counters, links and names of the ports of a subnet, in the names of the exporters: a family
/// after the other, in the order of all_metrics(). Ports whose counters were never read have no
/// counters; a counter that a port does not have is left out. A GUID and port number occur once in
/// each family, whatever GUIDs devices claim. Pure. `table` may be null: nothing was polled. Cost:
/// about 0.1 us for each sample.
void port_families(const Subnet& subnet, const PortCounterTable* table,
                   const PortSelection& selection, const TakeFamily& take);

/// The data from which the text is made.
struct PortSource {
  std::shared_ptr<const Subnet> subnet;
  SharedPortCounters counters;
  PortSelection selection;
  bool operator==(const PortSource&) const = default;
};
/// Returns nullopt if the manager is not MASTER, or if options disable ports.
std::optional<PortSource> port_source(const View& view);

/// A family as separate parts, which are sent between headings.
template <class Part>
struct FamilyOf {
  NamedMetric metric;
  std::vector<Part> parts;
};
template <class Part>
using Ports = std::vector<FamilyOf<Part>>;
using PlainPorts = Ports<std::string>;
using PackedPorts = Ports<web::GzipPart>;  // a tenth of the memory

/// Makes the text at the first request after the subnet or the counters changed; requests that
/// arrive during that work wait. If observe() is called, clients that accept gzip do not wait: they
/// get the previous text while a separate thread makes the next one. Plain text takes 90 MB for
/// 35,000 ports, until it is out of date; packed text is made a family at a time. Any thread.
class PortText {
 public:
  std::shared_ptr<const PlainPorts> plain(const PortSource& source);
  std::shared_ptr<const PackedPorts> packed(const PortSource& source);
  /// Takes the published data, about once a second; nullopt as from port_source().
  void observe(std::optional<PortSource> source);

 private:
  using Clock = std::chrono::steady_clock;
  template <class Part>
  struct Kept {
    PortSource source;
    std::shared_ptr<const Ports<Part>> text;  // null: none
    bool is_of(const PortSource& of) const { return text != nullptr && source == of; }
  };
  std::shared_ptr<const PackedPorts> packed_now(const PortSource& source);

  std::mutex making_;  // held while text is made; locked before the other one
  std::mutex mutex_;
  Kept<std::string> plain_;
  Kept<web::GzipPart> packed_;
  std::optional<Clock::time_point> observed_, gzip_wanted_;
  Clock::time_point not_before_{};  // the next text is made in advance
  bool prepares_ = false;
  bool leads_ = true;  // as observed latest
  web::Worker worker_;
};

}  // namespace sm::metrics
