#include "sm/ops/metrics/port_text.h"

#include <algorithm>
#include <new>
#include <utility>

#include "mad/format.h"
#include "mad/link_speed.h"

namespace sm::metrics {
namespace {

/// A port that has a number, with the texts that its samples share.
struct Row {
  PortIndex port = kNoIndex;
  const PortCounters* counters = nullptr;  // null: none were read
  std::string labels;                      // {guid="0x0002c90000000030",port="12"}
};
using Rows = std::vector<Row>;

/// The identity of a node in labels: a switch has its NodeGUID, a channel adapter's port its
/// PortGUID, by which subnet administration and tools find it.
struct Place {
  mad::Guid guid;
  std::string_view type;  // SW, CA, RT
  mad::Lid lid;
};

Place port_place(const Subnet& subnet, PortIndex port) {
  const Node& node = subnet.fabric.owning_node(port);
  if (node.is_switch()) return {node.guid, "SW", subnet.lid_range(node.first_port).base};
  return {subnet.fabric.ports[port].guid, node.type == mad::NodeType::router ? "RT" : "CA",
          subnet.lid_range(port).base};
}

std::string guid_text(mad::Guid guid) { return fmt::format("{}", guid); }

bool is_linked(const Fabric& fabric, PortIndex port) {
  const Port& own = fabric.ports[port];
  return own.peer != kNoIndex && own.is_up() && fabric.ports[own.peer].is_up();
}

/// Data rates without the line code, and signalling rates, in Gb/s per lane.
struct LaneRate {
  double data_gbps, raw_gbps;
};
LaneRate lane_rate(mad::LaneSpeed speed) {
  constexpr double kOf64In66 = 64.0 / 66.0;
  constexpr std::array<LaneRate, 9> kRates{{{0, 0},
                                            {2, 2.5},
                                            {4, 5},
                                            {8, 10},
                                            {14.0625 * kOf64In66, 14.0625},
                                            {25, 25.78125},
                                            {50, 53.125},
                                            {100, 106.25},
                                            {200, 212.5}}};
  return kRates[static_cast<std::size_t>(speed)];
}
constexpr double kBytesPerSecondPerGbps = 1e9 / 8;

Rows rows_of(const Subnet& subnet, const PortCounterTable* table, PortOwner owner) {
  const Fabric& fabric = subnet.fabric;
  Rows rows;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (node.is_switch() != (owner == PortOwner::switches)) continue;
    const auto known = fabric.node_of_guid.find(node.guid);
    if (node.is_switch() && (known == fabric.node_of_guid.end() || known->second != index))
      continue;  // another node has its GUID, too
    const NodeCounters* counters = table == nullptr ? nullptr : table->find(node.guid);
    for (unsigned number = 1; number <= node.num_ports; ++number) {
      const mad::PortNum port_number{static_cast<std::uint8_t>(number)};
      const PortIndex port = fabric.port(index, port_number);
      const mad::Guid guid = port_place(subnet, port).guid;
      if (!node.is_switch()) {
        const auto of_guid = fabric.port_of_guid.find(guid);
        if (of_guid == fabric.port_of_guid.end() || of_guid->second != port) continue;
      }
      const PortCounters* of_port = counters == nullptr ? nullptr : counters->find(port_number);
      if (of_port != nullptr && of_port->present == 0) of_port = nullptr;
      rows.push_back(
          {port, of_port, fmt::format("{{guid=\"{}\",port=\"{}\"}}", guid_text(guid), number)});
    }
  }
  return rows;
}

/// The families of one kind of node.
class NodeFamilies {
 public:
  NodeFamilies(const Subnet& subnet, const PortCounterTable* table, PortOwner owner,
               const Rows& rows, const TakeFamily& take)
      : subnet_(subnet),
        fabric_(subnet.fabric),
        table_(table),
        owner_(owner),
        rows_(rows),
        take_(take) {}

  void write() {
    infos();
    uplinks();
    rates();
    if (table_ != nullptr) faults();
    for (std::size_t i = 0; i < kCounters; ++i) counters(static_cast<Counter>(i));
  }

 private:
  bool is_switch() const { return owner_ == PortOwner::switches; }
  std::string_view node_label() const { return is_switch() ? "switch" : "hca"; }
  SampleWriter writer(PortFamily family) const { return SampleWriter(port_metric(owner_, family)); }
  /// The first port of a switch represents it; every port of a channel adapter has a GUID.
  bool names_node(const Row& row) const {
    return !is_switch() || fabric_.ports[row.port].number.value == 1;
  }

  void infos() {
    SampleWriter writer = this->writer(PortFamily::info);
    for (const Row& row : rows_) {
      if (!names_node(row)) continue;
      const Place place = port_place(subnet_, row.port);
      writer.add(label_text({{"guid", guid_text(place.guid)},
                             {node_label(), fabric_.description(fabric_.ports[row.port].node)},
                             {"lid", std::to_string(place.lid.value)}}),
                 1u);
    }
    take_(writer.take());
  }

  /// Operators' rules join counters with this by (guid, port): there must be at most one.
  void uplinks() {
    SampleWriter writer = this->writer(PortFamily::uplink);
    for (const Row& row : rows_) {
      if (!is_linked(fabric_, row.port)) continue;
      const Port& own = fabric_.ports[row.port];
      const Port& far = fabric_.ports[own.peer];
      const Place here = port_place(subnet_, row.port), there = port_place(subnet_, own.peer);
      writer.add(label_text({{"guid", guid_text(here.guid)},
                             {"port", std::to_string(own.number.value)},
                             {node_label(), fabric_.description(own.node)},
                             {"uplink", fabric_.description(far.node)},
                             {"uplink_guid", guid_text(there.guid)},
                             {"uplink_type", there.type},
                             {"uplink_port", std::to_string(far.number.value)},
                             {"uplink_lid", std::to_string(there.lid.value)}}),
                 1u);
    }
    take_(writer.take());
  }

  void rates() {
    SampleWriter data = writer(PortFamily::rate), raw = writer(PortFamily::raw_rate);
    for (const Row& row : rows_) {
      if (!is_linked(fabric_, row.port)) continue;
      const mad::LinkRate rate = mad::active_rate(fabric_.ports[row.port].info);
      if (rate.lanes == 0 || rate.speed == mad::LaneSpeed::none) continue;
      const LaneRate lane = lane_rate(rate.speed);
      const std::string labels =
          is_switch() ? row.labels
                      : label_text({{"guid", guid_text(fabric_.ports[row.port].guid)}});
      data.add(labels, lane.data_gbps * rate.lanes * kBytesPerSecondPerGbps);
      raw.add(labels, lane.raw_gbps * rate.lanes * kBytesPerSecondPerGbps);
    }
    take_(data.take());
    take_(raw.take());
  }

  /// Reports nodes whose counters could not be read, by the worst of their ports.
  void faults() {
    SampleWriter errors = writer(PortFamily::collect_error),
                 timeouts = writer(PortFamily::collect_timeout);
    for (const Row& row : rows_) {
      if (!names_node(row)) continue;
      const mad::Guid node = fabric_.owning_node(row.port).guid;
      const NodeCounters* counters = table_->find(node);
      if (counters == nullptr) continue;
      const auto any = [&](PortReading reading) {
        if (!is_switch()) {
          const PortCounters* own = counters->find(fabric_.ports[row.port].number);
          return own != nullptr && own->reading == reading;
        }
        return std::ranges::any_of(counters->ports, [reading](const PortCounters& port) {
          return port.reading == reading;
        });
      };
      const std::string labels = label_text(
          {{"guid", guid_text(port_place(subnet_, row.port).guid)}, {"collector", "perfquery"}});
      errors.add(labels, any(PortReading::refused) ? 1u : 0u);
      timeouts.add(labels, any(PortReading::silent) ? 1u : 0u);
    }
    take_(errors.take());
    take_(timeouts.take());
  }

  void counters(Counter counter) {
    SampleWriter writer(counter_metric(owner_, counter));
    const unsigned factor = counter_name(counter).factor;
    for (const Row& row : rows_) {
      if (row.counters != nullptr && row.counters->has(counter))
        writer.add_scaled(row.labels, row.counters->total(counter), factor);
    }
    take_(writer.take());
  }

  const Subnet& subnet_;
  const Fabric& fabric_;
  const PortCounterTable* table_;
  PortOwner owner_;
  const Rows& rows_;
  const TakeFamily& take_;
};

NamedMetric copied(const Metric& of) {
  return {std::string(of.name), of.kind, std::string(of.labels), std::string(of.help)};
}

double seconds(mad::Duration duration) { return std::chrono::duration<double>(duration).count(); }

void poll(const PortCounterTable& table, const TakeFamily& take) {
  const PollSummary& latest = table.latest;
  const auto single = [&](PollMetric id, auto value) {
    SampleWriter writer(copied(metric(id)));
    writer.add(label_text({{"collector", "switch"}}), value);
    take(writer.take());
  };
  single(PollMetric::duration, seconds(latest.ended - latest.begun));
  single(PollMetric::errors, latest.ports_refused);
  single(PollMetric::timeouts, latest.ports_silent);
  single(PollMetric::last_execution,
         static_cast<std::uint64_t>(latest.ended_at.time_since_epoch().count()));
}

/// Returns only ports with a link: the labels name both ends.
Rows rows_for_guilbaults(const Subnet& subnet, const Rows& rows) {
  const Fabric& fabric = subnet.fabric;
  Rows linked;
  for (const Row& row : rows) {
    if (!is_linked(fabric, row.port)) continue;
    const Port& own = fabric.ports[row.port];
    const Port& far = fabric.ports[own.peer];
    linked.push_back(
        {row.port, row.counters,
         label_text({{"component", fabric.nodes[own.node].is_switch() ? "switch" : "ca"},
                     {"local_name", fabric.description(own.node)},
                     {"local_guid", guid_text(port_place(subnet, row.port).guid)},
                     {"local_port", std::to_string(own.number.value)},
                     {"remote_guid", guid_text(port_place(subnet, own.peer).guid)},
                     {"remote_port", std::to_string(far.number.value)},
                     {"remote_name", fabric.description(far.node)}})});
  }
  return linked;
}

void guilbaults_families(const Subnet& subnet, const PortCounterTable* table, const Rows& rows,
                         const TakeFamily& take) {
  SampleWriter speed(copied(metric(guilbaults::Gauge::speed))),
      width(copied(metric(guilbaults::Gauge::width)));
  for (const Row& row : rows) {
    const mad::LinkRate rate = mad::active_rate(subnet.fabric.ports[row.port].info);
    if (rate.lanes == 0 || rate.speed == mad::LaneSpeed::none) continue;
    speed.add(row.labels, lane_rate(rate.speed).raw_gbps);
    width.add(row.labels, rate.lanes);
  }
  take(speed.take());
  take(width.take());
  const auto single = [&](guilbaults::Gauge id, auto value) {
    SampleWriter writer(copied(metric(id)));
    writer.add("", value);
    take(writer.take());
  };
  single(guilbaults::Gauge::scrape_ok, table == nullptr ? 0u : 1u);
  if (table != nullptr) {
    const double duration_s = seconds(table->latest.ended - table->latest.begun);
    single(guilbaults::Gauge::scrape_duration, duration_s);
    single(guilbaults::Gauge::queries_duration, duration_s);
  }
  for (std::size_t i = 0; i < kCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (counter_name(counter).guilbaults.empty()) continue;
    SampleWriter writer(guilbaults::counter_metric(counter));
    for (const Row& row : rows) {
      if (row.counters != nullptr && row.counters->has(counter))
        writer.add(row.labels, row.counters->total(counter));
    }
    take(writer.take());
  }
}

/// A daemon at work calls observe() at shorter intervals than this.
constexpr std::chrono::seconds kObserveTimeout{3};
/// A client that accepts gzip is expected again within this time.
constexpr std::chrono::minutes kWanted{10};
/// Making text in advance takes at most 1/kShare of a processor.
constexpr int kShare = 10;

}  // namespace

PortSelection selection(std::string_view ports, std::string_view compat) {
  return {.switches = ports == "switch" || ports == "all",
          .hcas = ports == "all",
          .guilbaults = compat == "guilbaults"};
}

void port_families(const Subnet& subnet, const PortCounterTable* table,
                   const PortSelection& selection, const TakeFamily& take) {
  Rows all;
  for (const PortOwner owner : {PortOwner::switches, PortOwner::hcas}) {
    if (!(owner == PortOwner::switches ? selection.switches : selection.hcas)) continue;
    const Rows rows = rows_of(subnet, table, owner);
    NodeFamilies(subnet, table, owner, rows, take).write();
    if (owner == PortOwner::switches && table != nullptr) poll(*table, take);
    if (!selection.guilbaults) continue;
    Rows linked = rows_for_guilbaults(subnet, rows);
    std::ranges::move(linked, std::back_inserter(all));
  }
  if (selection.guilbaults && (selection.switches || selection.hcas))
    guilbaults_families(subnet, table, all, take);
}

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
