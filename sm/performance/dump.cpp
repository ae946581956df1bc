#include "sm/performance/dump.h"

#include <array>
#include <ctime>
#include <string>
#include <string_view>

#include "mad/format.h"

namespace sm {
namespace {

struct DumpedCounter {
  Counter counter;
  std::string_view line, column;
};
constexpr std::array kErrorLines{
    DumpedCounter{Counter::symbol_errors, "symbol_err_cnt", "symbol_err_cnt"},
    DumpedCounter{Counter::link_error_recoveries, "link_err_recover", "link_err_recover"},
    DumpedCounter{Counter::link_downed, "link_downed", "link_downed"},
    DumpedCounter{Counter::rcv_errors, "rcv_err", "rcv_err"},
    DumpedCounter{Counter::rcv_remote_physical_errors, "rcv_rem_phys_err", "rcv_rem_phys_err"},
    DumpedCounter{Counter::rcv_switch_relay_errors, "rcv_switch_relay_err", "rcv_switch_relay_err"},
    DumpedCounter{Counter::xmit_discards, "xmit_discards", "xmit_discards"},
    DumpedCounter{Counter::xmit_constraint_errors, "xmit_constraint_err", "xmit_constraint_err"},
    DumpedCounter{Counter::rcv_constraint_errors, "rcv_constraint_err", "rcv_constraint_err"},
    DumpedCounter{Counter::local_link_integrity_errors, "link_integrity_err", "link_int_err"},
    DumpedCounter{Counter::excessive_buffer_overruns, "buf_overrun_err", "buf_overrun_err"},
    DumpedCounter{Counter::vl15_dropped, "vl15_dropped", "vl15_dropped"},
    DumpedCounter{Counter::xmit_wait, "xmit_wait", "xmit_wait"},
};
constexpr std::array kDataLines{
    DumpedCounter{Counter::xmit_data, "xmit_data", "xmit_data"},
    DumpedCounter{Counter::rcv_data, "rcv_data", "rcv_data"},
    DumpedCounter{Counter::xmit_packets, "xmit_pkts", "xmit_pkts"},
    DumpedCounter{Counter::rcv_packets, "rcv_pkts", "rcv_pkts"},
    DumpedCounter{Counter::unicast_xmit_packets, "unicast_xmit_pkts", "unicast_xmit_pkts"},
    DumpedCounter{Counter::unicast_rcv_packets, "unicast_rcv_pkts", "unicast_rcv_pkts"},
    DumpedCounter{Counter::multicast_xmit_packets, "multicast_xmit_pkts", "multicast_xmit_pkts"},
    DumpedCounter{Counter::multicast_rcv_packets, "multicast_rcv_pkts", "multicast_rcv_pkts"},
};

constexpr std::string_view kUnits = "KMGTPE";

/// Returns "226.125KB". OpenSM changes to the next unit above 1024 bytes, and at 1024 packets.
std::string scaled_bytes(std::uint64_t words) {
  double value = 4.0 * static_cast<double>(words);
  std::size_t unit = 0;
  for (; value > 1024 && unit < kUnits.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{:.3f}B", value)
                   : fmt::format("{:.3f}{}B", value, kUnits[unit - 1]);
}
std::string scaled_packets(std::uint64_t packets) {
  auto value = static_cast<double>(packets);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < kUnits.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{:.3f}", value)
                   : fmt::format("{:.3f}{}", value, kUnits[unit - 1]);
}

/// Returns the time as ctime() prints it, without the end of line.
std::string time_text(mad::TimePoint at, const PollSummary& latest) {
  const auto before = std::chrono::round<std::chrono::seconds>(latest.ended - at);
  const std::time_t time = std::chrono::system_clock::to_time_t(latest.ended_at - before);
  std::tm local{};
  localtime_r(&time, &local);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &local)};
}

struct DumpedPort {
  std::string name;
  mad::Guid node;
  bool active;
  const PortCounters& row;
  const PollSummary& latest;
};

void write_lines(std::ostream& out, const DumpedPort& port) {
  const PortCounters& row = port.row;
  out << fmt::format("\"{}\" {:#x} active {} port {}\n", port.name, port.node.value,
                     port.active ? "TRUE" : "FALSE", row.port.value);
  const auto line = [&](std::string_view name, const std::string& value) {
    out << fmt::format("     {:<21}: {}\n", name, value);
  };
  line("Last Reset", time_text(row.since, port.latest));
  line("Last Error Update", time_text(row.read_at, port.latest));
  for (const DumpedCounter& counter : kErrorLines)
    line(counter.line, std::to_string(row.total(counter.counter)));
  line("Last Data Update", time_text(row.read_at, port.latest));
  for (std::size_t at = 0; at < kDataLines.size(); ++at) {
    const std::uint64_t value = row.total(kDataLines[at].counter);
    line(kDataLines[at].line,
         fmt::format("{} ({})", value, at < 2 ? scaled_bytes(value) : scaled_packets(value)));
  }
}

void write_header(std::ostream& out) {
  out << "\nName\tGUID\tActive\tPort\tLast Reset\tLast Error Update\tLast Data Update";
  for (const DumpedCounter& counter : kErrorLines) out << '\t' << counter.column;
  for (const DumpedCounter& counter : kDataLines) out << '\t' << counter.column;
  out << '\n';
}

void write_row(std::ostream& out, const DumpedPort& port) {
  const PortCounters& row = port.row;
  out << fmt::format("{}\t{:#x}\t{}\t{}\t{}\t{}\t{}", port.name, port.node.value,
                     port.active ? "TRUE" : "FALSE", row.port.value,
                     time_text(row.since, port.latest), time_text(row.read_at, port.latest),
                     time_text(row.read_at, port.latest));
  for (const DumpedCounter& counter : kErrorLines) out << '\t' << row.total(counter.counter);
  for (const DumpedCounter& counter : kDataLines) out << '\t' << row.total(counter.counter);
  out << '\n';
}

}  // namespace

void write_port_counters(std::ostream& out, const PortCounterTable& table, const Fabric& fabric,
                         DumpShape shape) {
  for (const std::shared_ptr<const NodeCounters>& node : table.nodes) {
    const auto found = fabric.node_of_guid.find(node->node);
    const bool active = found != fabric.node_of_guid.end();
    const std::string name =
        active ? fabric.description(found->second) : fmt::format("{}", node->node);
    bool has_header = false;
    for (const PortCounters& row : node->ports) {
      if (row.since == mad::TimePoint{}) continue;
      const DumpedPort port{
          .name = name, .node = node->node, .active = active, .row = row, .latest = table.latest};
      if (shape == DumpShape::lines) {
        write_lines(out, port);
      } else {
        if (!std::exchange(has_header, true)) write_header(out);
        write_row(out, port);
      }
    }
  }
}

}  // namespace sm
