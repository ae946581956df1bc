#pragma once
// The text of ports in /metrics, kept between scrapes.

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sm/ops/metrics/port_families.h"
#include "sm/ops/view.h"
#include "sm/ops/web/compression.h"
#include "sm/ops/web/worker.h"

namespace sm::metrics {

/// Data of the text.
struct PortSource {
  std::shared_ptr<const Subnet> subnet;
  SharedPortCounters counters;
  PortSelection selection;
  bool operator==(const PortSource&) const = default;
};
/// Nothing: the manager is not MASTER, or options want no ports.
std::optional<PortSource> port_source(const View& view);

/// A family, each part of it by itself: what is sent between headings.
template <class Part>
struct FamilyOf {
  NamedMetric metric;
  std::vector<Part> parts;
};
template <class Part>
using Ports = std::vector<FamilyOf<Part>>;
using PlainPorts = Ports<std::string>;
using PackedPorts = Ports<web::GzipPart>;  // a tenth of the memory

/// Any thread. A text is made when the first client asks for it after the subnet or the counters
/// changed; requests that arrive during that wait. Where observe() is called, clients that take
/// gzip do not even wait for that: the next text is made beside them, on a thread of its own, and
/// they get the one before it until then. As plain text 35,000 ports take 90 MB, which stay until
/// they are of the past; packed ones are made a family at a time.
class PortText {
 public:
  std::shared_ptr<const PlainPorts> plain(const PortSource& source);
  std::shared_ptr<const PackedPorts> packed(const PortSource& source);
  /// About once a second: what is published now. Nothing: as port_source() says.
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
