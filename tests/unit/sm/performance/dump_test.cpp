#include "sm/performance/dump.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <sstream>

#include "support/fabrics.h"

namespace dump_test {

using namespace std::chrono_literals;
using sm::Counter;

// As OpenSM 3.3.23 writes it (`perfmgr dump_counters`), with these values.
constexpr std::string_view kLines =
    R"("S1_0-0" 0x2c90200000100 active TRUE port 2
     Last Reset           : Tue Nov 24 11:15:42 2026
     Last Error Update    : Tue Nov 24 11:15:46 2026
     symbol_err_cnt       : 1
     link_err_recover     : 2
     link_downed          : 3
     rcv_err              : 4
     rcv_rem_phys_err     : 5
     rcv_switch_relay_err : 6
     xmit_discards        : 7
     xmit_constraint_err  : 8
     rcv_constraint_err   : 9
     link_integrity_err   : 10
     buf_overrun_err      : 11
     vl15_dropped         : 12
     xmit_wait            : 13
     Last Data Update     : Tue Nov 24 11:15:46 2026
     xmit_data            : 256 (1024.000B)
     rcv_data             : 123456789012 (459.912GB)
     xmit_pkts            : 12345678901 (11.498G)
     rcv_pkts             : 18446744073709551615 (16.000E)
     unicast_xmit_pkts    : 1024 (1.000K)
     unicast_rcv_pkts     : 1023 (1023.000)
     multicast_xmit_pkts  : 1000000 (976.562K)
     multicast_rcv_pkts   : 1048576 (1.000M)
)";
constexpr std::string_view kTable =
    "\nName\tGUID\tActive\tPort\tLast Reset\tLast Error Update\tLast Data "
    "Update\tsymbol_err_cnt\tlink_err_recover\tlink_downed\trcv_err\trcv_rem_phys_err\t"
    "rcv_switch_relay_err\txmit_discards\txmit_constraint_err\trcv_constraint_err\tlink_int_err\t"
    "buf_overrun_err\tvl15_dropped\txmit_wait\txmit_data\trcv_data\txmit_pkts\trcv_pkts\t"
    "unicast_xmit_pkts\tunicast_rcv_pkts\tmulticast_xmit_pkts\tmulticast_rcv_pkts\n"
    "S1_0-0\t0x2c90200000100\tTRUE\t2\tTue Nov 24 11:15:42 2026\tTue Nov 24 11:15:46 2026\tTue Nov "
    "24 11:15:46 2026\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\t12\t13\t256\t123456789012\t12345678901\t"
    "18446744073709551615\t1024\t1023\t1000000\t1048576\n";

class Dump : public testing::Test {
 protected:
  Dump() {
    setenv("TZ", "UTC", 1);
    tzset();
    fabrics::Maker maker;
    maker.add(mad::NodeType::switch_, 4, "S1_0-0", mad::Guid{0x2c90200000100});
    maker.cable(maker.ca(), 1, fabric::NodeIndex{0}, 2);
    fabric = maker.build();
    sm::NodeCounters node{.node = mad::Guid{0x2c90200000100}, .ports = {}};
    node.ports.resize(2);
    node.ports[0].port = mad::PortNum{1};  // never read
    sm::PortCounters& row = node.ports[1];
    row.port = mad::PortNum{2};
    table.latest.ended = mad::TimePoint{} + 1000s;
    table.latest.ended_at = std::chrono::sys_seconds(1795518947s);
    row.since = table.latest.ended - 5s;
    row.read_at = table.latest.ended - 1s;
    std::uint64_t next = 1;
    for (const Counter counter :
         {Counter::symbol_errors, Counter::link_error_recoveries, Counter::link_downed,
          Counter::rcv_errors, Counter::rcv_remote_physical_errors,
          Counter::rcv_switch_relay_errors, Counter::xmit_discards, Counter::xmit_constraint_errors,
          Counter::rcv_constraint_errors, Counter::local_link_integrity_errors,
          Counter::excessive_buffer_overruns, Counter::vl15_dropped, Counter::xmit_wait})
      set(row, counter, next++);
    set(row, Counter::xmit_data, 256);
    set(row, Counter::rcv_data, 123456789012);
    set(row, Counter::xmit_packets, 12345678901);
    set(row, Counter::rcv_packets, ~std::uint64_t{0});
    set(row, Counter::unicast_xmit_packets, 1024);
    set(row, Counter::unicast_rcv_packets, 1023);
    set(row, Counter::multicast_xmit_packets, 1'000'000);
    set(row, Counter::multicast_rcv_packets, 1'048'576);
    table.nodes.push_back(std::make_shared<const sm::NodeCounters>(node));
  }
  static void set(sm::PortCounters& row, Counter counter, std::uint64_t value) {
    row.values.set_total(counter, value);
  }
  std::string text(sm::DumpShape shape) const {
    std::ostringstream out;
    sm::write_port_counters(out, table, fabric, shape);
    return out.str();
  }
  fabric::Fabric fabric;
  sm::PortCounterTable table;
};

TEST_F(Dump, EqualsOpenSms) {
  EXPECT_EQ(text(sm::DumpShape::lines), kLines);
  EXPECT_EQ(text(sm::DumpShape::table), kTable);
}

TEST_F(Dump, NodesThatAreNotInTheFabricAreInactive) {
  fabric = {};
  EXPECT_TRUE(text(sm::DumpShape::lines)
                  .starts_with("\"0x0002c90200000100\" 0x2c90200000100 active FALSE port 2\n"));
}

}  // namespace dump_test
