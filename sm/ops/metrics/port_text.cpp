#include "sm/ops/metrics/port_text.h"

#include <new>
#include <utility>

namespace sm::metrics {

namespace {

/// A daemon at work calls observe() at shorter intervals than this.
constexpr std::chrono::seconds kObserveTimeout{3};
/// A client that accepts gzip is expected again within this time.
constexpr std::chrono::minutes kWanted{10};
/// Making text in advance takes at most 1/kShare of a processor.
constexpr int kShare = 10;

}  // namespace

std::optional<PortSource> port_source(const View& view) {
  const config::Options& options = view.context->options;
  const PortSelection wanted = selection(options.metrics_ports, options.metrics_compat);
  // Two managers would double every sum over the counters.
  const bool leads = view.status.state == mad::SmState::master && view.status.subnet != nullptr;
  if (!leads || wanted == PortSelection{}) return std::nullopt;
  return PortSource{view.status.subnet, view.status.counters, wanted};
}

std::shared_ptr<const PlainPorts> PortText::plain(const PortSource& source) {
  const std::lock_guard making(making_);
  {
    const std::lock_guard lock(mutex_);
    if (plain_.is_of(source)) return plain_.text;
    plain_ = {};  // not beside the new one
  }
  auto made = std::make_shared<PlainPorts>();
  port_families(*source.subnet, source.counters.get(), source.selection, [&](FamilyText family) {
    made->push_back({std::move(family.metric), std::move(family.parts)});
  });
  const std::lock_guard lock(mutex_);
  plain_ = {source, made};
  return made;
}

std::shared_ptr<const PackedPorts> PortText::packed(const PortSource& source) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool follows = observed_ && now - *observed_ < kObserveTimeout && gzip_wanted_ &&
                         now - *gzip_wanted_ < kWanted;
    gzip_wanted_ = now;
    if (packed_.is_of(source)) return packed_.text;
    if (follows && packed_.text && packed_.source.selection == source.selection)
      return packed_.text;
  }
  return packed_now(source);
}

std::shared_ptr<const PackedPorts> PortText::packed_now(const PortSource& source) {
  const std::lock_guard making(making_);
  {
    const std::lock_guard lock(mutex_);
    if (packed_.is_of(source)) return packed_.text;  // another one has waited for it, too
  }
  auto made = std::make_shared<PackedPorts>();
  port_families(*source.subnet, source.counters.get(), source.selection, [&](FamilyText family) {
    FamilyOf<web::GzipPart> packed{std::move(family.metric), {}};
    for (const std::string& part : family.parts) {
      auto of_part = web::gzip_part(part);
      if (!of_part) throw std::bad_alloc();
      packed.parts.push_back(std::move(*of_part));
    }
    made->push_back(std::move(packed));
  });
  const std::lock_guard lock(mutex_);
  packed_ = {source, made};
  return made;
}

void PortText::observe(std::optional<PortSource> source) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  observed_ = now;
  leads_ = source.has_value();
  if (plain_.text && (!source || !plain_.is_of(*source))) plain_ = {};
  if (!source) packed_ = {};
  const bool wanted = source && gzip_wanted_ && now - *gzip_wanted_ < kWanted;
  if (!wanted || packed_.is_of(*source) || prepares_ || now < not_before_) return;
  prepares_ = true;
  worker_.post([this, source = std::move(*source)] {
    const auto begun = Clock::now();
    bool made = true;
    try {
      packed_now(source);
    } catch (const std::bad_alloc&) {
      made = false;  // memory is short: the one before does not stay, either
    }
    const std::lock_guard done(mutex_);
    if (!made || !leads_) packed_ = {};
    prepares_ = false;
    not_before_ = Clock::now() + kShare * (Clock::now() - begun);
  });
}

}  // namespace sm::metrics
