#include "fabric/index.h"

#include <array>
#include <concepts>
#include <numeric>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fabric/fabric.h"
#include "fabric/switch_graph.h"

namespace index_test {

using fabric::ChannelIndex;
using fabric::EndPortIndex;
using fabric::IndexVector;
using fabric::kNoIndex;
using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

template <class A, class B>
concept Comparable = requires(A a, B b) { a == b; };
template <class A, class B>
concept Ordered = requires(A a, B b) { a < b; };
template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept Subtractable = requires(A a, B b) { a - b; };
template <class Array, class I>
concept ElementOf = requires(Array array, I i) { array[i]; };

// Nothing is paid at run time.
static_assert(sizeof(NodeIndex) == sizeof(std::uint32_t));
static_assert(std::is_trivially_copyable_v<NodeIndex>);
static_assert(sizeof(std::array<SwitchIndex, 3>) == 3 * sizeof(std::uint32_t));
static_assert(sizeof(IndexVector<NodeIndex, int>) == sizeof(std::vector<int>));

// No index is accepted where one of another kind is meant.
template <class A, class B>
constexpr bool kDistinct =
    !std::is_convertible_v<A, B> && !std::is_constructible_v<B, A> &&
    !std::is_assignable_v<B&, A> && !Comparable<A, B> && !Ordered<A, B> && !Addable<A, B> &&
    !Subtractable<A, B> && !ElementOf<IndexVector<B, int>, A>;
template <class A, class... Others>
constexpr bool kDistinctFromAll = (... && (kDistinct<A, Others> && kDistinct<Others, A>));
static_assert(kDistinctFromAll<NodeIndex, PortIndex, SwitchIndex, EndPortIndex, ChannelIndex>);
static_assert(kDistinctFromAll<PortIndex, SwitchIndex, EndPortIndex, ChannelIndex>);
static_assert(kDistinctFromAll<SwitchIndex, EndPortIndex, ChannelIndex>);
static_assert(kDistinctFromAll<EndPortIndex, ChannelIndex>);

// An integer becomes an index explicitly only; an index is no condition.
static_assert(!std::is_convertible_v<int, PortIndex>);
static_assert(!std::is_convertible_v<std::uint32_t, PortIndex>);
static_assert(!std::is_assignable_v<PortIndex&, std::uint32_t>);
static_assert(std::is_constructible_v<PortIndex, std::size_t>);
static_assert(!std::is_constructible_v<PortIndex, bool>);
static_assert(!std::is_constructible_v<bool, PortIndex>);

// Sums and differences: index and count, or the distance of two indices of one kind.
static_assert(std::same_as<decltype(PortIndex{1} + 1u), PortIndex>);
static_assert(std::same_as<decltype(PortIndex{1} - 1), PortIndex>);
static_assert(std::same_as<decltype(PortIndex{3} - PortIndex{1}), std::uint32_t>);
static_assert(std::same_as<decltype(PortIndex{1} + std::size_t{1}), std::size_t>);
static_assert(!Addable<PortIndex, PortIndex>);
static_assert(std::three_way_comparable<PortIndex, std::strong_ordering>);

// kNoIndex is of every kind, and no integer.
static_assert(std::is_convertible_v<fabric::NoIndex, PortIndex>);
static_assert(std::is_convertible_v<fabric::NoIndex, ChannelIndex>);
static_assert(!std::is_convertible_v<fabric::NoIndex, std::uint32_t>);
static_assert(Comparable<PortIndex, fabric::NoIndex>);
static_assert(!Comparable<std::uint32_t, fabric::NoIndex>);

// The model's arrays.
using Nodes = decltype(fabric::Fabric::nodes);
using Neighbours = decltype(fabric::SwitchGraph::neighbour);
static_assert(ElementOf<Nodes, NodeIndex> && !ElementOf<Nodes, SwitchIndex>);
static_assert(!ElementOf<Nodes, std::size_t> && !ElementOf<Nodes, int>);
static_assert(ElementOf<Neighbours, ChannelIndex> && !ElementOf<Neighbours, SwitchIndex>);
static_assert(
    !std::is_invocable_v<decltype(&fabric::Fabric::owning_node), fabric::Fabric, NodeIndex>);
static_assert(
    !std::is_invocable_v<decltype(&fabric::Fabric::is_link_up), fabric::Fabric, SwitchIndex>);

TEST(Index, CountsAndCompares) {
  PortIndex port{7};
  EXPECT_EQ(++port, PortIndex{8});
  EXPECT_EQ(port++, PortIndex{8});
  EXPECT_EQ(--port, PortIndex{8});
  EXPECT_LT(port, port + 1);
  EXPECT_EQ((port + 5) - port, 5u);
  EXPECT_EQ(port.value, 8u);
  EXPECT_NE(port, kNoIndex);
  port = kNoIndex;
  EXPECT_EQ(port, kNoIndex);
  EXPECT_LT(PortIndex{0xFFFF'FFFE}, port) << "kNoIndex is after all others";
}

TEST(Index, IsAKeyOfHashedSets) {
  const std::unordered_set<SwitchIndex> set{SwitchIndex{1}, SwitchIndex{2}, SwitchIndex{1}};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains(SwitchIndex{2}));
}

TEST(IndexVector, IndicesNameEachElementOnce) {
  IndexVector<SwitchIndex, int> loads(4, 1);
  EXPECT_EQ(loads.next_index(), SwitchIndex{4});
  loads.push_back(5);
  int sum = 0;
  for (const SwitchIndex sw : loads.indices()) sum += loads[sw];
  EXPECT_EQ(sum, 9);
  EXPECT_TRUE(loads.has(SwitchIndex{4}));
  EXPECT_FALSE(loads.has(SwitchIndex{5}));
  EXPECT_FALSE(loads.has(kNoIndex));
  EXPECT_TRUE((IndexVector<SwitchIndex, int>{}.indices().empty()));
}

}  // namespace index_test
