#include "sm/performance/counting.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/topology/random_source.h"
#include "mad/gmp_client.h"
#include "unit/sm/performance/scripted_agents.h"

namespace counting_test {

using namespace std::chrono_literals;
using mad::PerformanceAttribute;
using sm::Counter;

/// A counter of PortCounters that sticks at its maximum.
struct Device {
  mad::Field field;
  std::uint64_t shown = 0;
  std::uint64_t happened = 0;

  void count(std::uint64_t events) {
    happened += events;
    shown = events > field.value_max() - shown ? field.value_max() : shown + events;
  }
  sm::CounterReading reading() const {
    mad::GmpData data{};
    mad::write(data, field, shown);
    return sm::read_counters(PerformanceAttribute::port_counters, data, {});
  }
};

struct NarrowCounter {
  Counter counter;
  std::string_view name;
  unsigned bits;
};
class Narrow : public testing::TestWithParam<NarrowCounter> {};

TEST_P(Narrow, TotalsNeverDecreaseAndNeverExceedWhatHappened) {
  const auto [counter, name, bits] = GetParam();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    topology::Random random(seed);
    Device device{scripted::field_of(mad::PortCountersFields::kFields, name)};
    ASSERT_EQ(device.field.width, bits);
    const std::uint64_t max = device.field.value_max();
    sm::PortCounters row;
    sm::PortMemory memory;
    sm::Growth growth;
    sm::count(device.reading(), {}, row, memory, growth);
    std::uint64_t latest = 0, lossless = 0;
    for (int poll = 0; poll < 50; ++poll) {
      if (random.percent(20)) device.shown = 0;  // others, or a restart
      device.count(random.below(max / 5 + 2));
      lossless += device.shown >= latest ? device.shown - latest : device.shown;
      latest = device.shown;
      const std::uint64_t before = row.total(counter);
      sm::count(device.reading(), 180s, row, memory, growth);
      ASSERT_GE(row.total(counter), before);
      ASSERT_EQ(row.total(counter), lossless);
      ASSERT_LE(row.total(counter), device.happened);
      ASSERT_EQ(row.is_saturated(counter), device.shown == max);
      if (row.saturated != 0 && random.percent(50)) {  // cleared by this manager
        device.shown = latest = 0;
        sm::note_cleared(row.saturated, row, memory);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Widths, Narrow,
    testing::Values(NarrowCounter{Counter::local_link_integrity_errors, "LocalLinkIntegrityErrors",
                                  4},
                    NarrowCounter{Counter::link_downed, "LinkDownedCounter", 8},
                    NarrowCounter{Counter::symbol_errors, "SymbolErrorCounter", 16},
                    NarrowCounter{Counter::xmit_data, "PortXmitData", 32}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Counting, AllOnesOfSixtyFourBitsIsAValueAndTheTotalStaysAtTheLargest) {
  sm::PortCounters row;
  sm::PortMemory memory;
  sm::Growth growth;
  sm::AgentCapabilities capabilities{.mask = 0x0200};
  mad::GmpData data;
  data.fill(0xFF);
  const auto all =
      sm::read_counters(PerformanceAttribute::port_counters_extended, data, capabilities);
  sm::count(all, {}, row, memory, growth);
  EXPECT_EQ(row.total(Counter::xmit_data), ~std::uint64_t{0});
  EXPECT_TRUE(row.is_saturated(Counter::xmit_data));
  data.fill(0);
  data[15] = 9;  // cleared by others
  sm::count(sm::read_counters(PerformanceAttribute::port_counters_extended, data, capabilities),
            180s, row, memory, growth);
  EXPECT_EQ(row.total(Counter::xmit_data), ~std::uint64_t{0});
  EXPECT_EQ(row.saturated, 0u);
}

TEST(Counting, RatesAreByTheInterval) {
  sm::PortCounters row;
  sm::PortMemory memory;
  sm::Growth growth;
  Device device{scripted::field_of(mad::PortCountersFields::kFields, "PortXmitData")};
  sm::count(device.reading(), {}, row, memory, growth);
  device.count(500);
  sm::count(device.reading(), 10s, row, memory, growth);
  EXPECT_DOUBLE_EQ(row.rate(Counter::xmit_data), 50);
}

TEST(Counting, GrowthOfErrorsIsByKind) {
  sm::PortCounters row;
  sm::PortMemory memory;
  sm::Growth growth;
  Device recoveries{
      scripted::field_of(mad::PortCountersFields::kFields, "LinkErrorRecoveryCounter")};
  Device downed{scripted::field_of(mad::PortCountersFields::kFields, "LinkDownedCounter")};
  const auto both = [&] {
    mad::GmpData data{};
    mad::write(data, recoveries.field, recoveries.shown);
    mad::write(data, downed.field, downed.shown);
    return sm::read_counters(PerformanceAttribute::port_counters, data, {});
  };
  sm::count(both(), {}, row, memory, growth);
  EXPECT_EQ(growth.errors, sm::ErrorCounts{}) << "what was there before is no growth";
  recoveries.count(3);
  downed.count(4);
  sm::count(both(), 180s, row, memory, growth);
  EXPECT_EQ(growth.errors, (sm::ErrorCounts{0, 7, 0, 0}));
}

TEST(Names, AreTheSpecifications) {
  for (std::size_t index = 0; index < sm::kCounters; ++index) {
    const std::string_view name = sm::name(static_cast<Counter>(index));
    const auto has = [&](std::span<const mad::Field> fields) {
      return std::ranges::find(fields, name, &mad::Field::name) != fields.end();
    };
    EXPECT_TRUE(has(mad::PortCountersFields::kFields) ||
                has(mad::PortCountersExtendedFields::kFields) ||
                has(mad::PortRcvErrorDetailsFields::kFields))
        << name;
  }
}

TEST(Table, FindsNodesAndPorts) {
  sm::PortCounterTable table;
  for (const std::uint64_t guid : {3u, 5u, 9u}) {
    sm::NodeCounters node{.node = mad::Guid{guid}, .ports = {}};
    for (std::uint8_t port = 1; port <= 4; ++port) {
      node.ports.emplace_back();
      node.ports.back().port = mad::PortNum{port};
    }
    table.nodes.push_back(std::make_shared<const sm::NodeCounters>(node));
  }
  ASSERT_NE(table.find(mad::Guid{5}, mad::PortNum{4}), nullptr);
  EXPECT_EQ(table.find(mad::Guid{5}, mad::PortNum{4})->port, mad::PortNum{4});
  EXPECT_EQ(table.find(mad::Guid{5}, mad::PortNum{0}), nullptr);
  EXPECT_EQ(table.find(mad::Guid{5}, mad::PortNum{5}), nullptr);
  EXPECT_EQ(table.find(mad::Guid{4}), nullptr);
  EXPECT_EQ(table.find(mad::Guid{10}), nullptr);
}

}  // namespace counting_test
