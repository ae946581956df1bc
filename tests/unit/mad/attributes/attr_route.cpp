#include <gtest/gtest.h>

#include <unordered_set>
#include <vector>

#include "mad/directed_route.h"

namespace mad {
namespace {

TEST(DirectedRoute, StartsAtTheLocalNode) {
  const DirectedRoute route;
  EXPECT_EQ(route.hop_count(), 0);
  EXPECT_TRUE(route.hops().empty());
  EXPECT_EQ(route.text(), "0");
}

TEST(DirectedRoute, IsExtendedHopByHop) {
  const auto route = DirectedRoute().extended(PortNum{1})->extended(PortNum{4});
  EXPECT_EQ(route, DirectedRoute::of({1, 4}));
  EXPECT_EQ(route->text(), "0,1,4");
  EXPECT_EQ(route->path()[0], 0);
  EXPECT_EQ(route->path()[2], 4);
  EXPECT_EQ(std::vector<std::uint8_t>(route->hops().begin(), route->hops().end()),
            (std::vector<std::uint8_t>{1, 4}));
}

TEST(DirectedRoute, HasAtMost63Hops) {
  DirectedRoute route;
  for (unsigned i = 0; i < 63; ++i) route = *route.extended(PortNum{1});
  EXPECT_EQ(route.hop_count(), 63);
  EXPECT_EQ(route.extended(PortNum{1}), std::nullopt);
  EXPECT_EQ(DirectedRoute::of(std::vector<std::uint8_t>(63, 1)), route);
  EXPECT_EQ(DirectedRoute::of(std::vector<std::uint8_t>(64, 1)), std::nullopt);
}

TEST(DirectedRoute, EqualRoutesHashEqual) {
  std::unordered_set<DirectedRoute> routes{*DirectedRoute::of({1, 4}), *DirectedRoute::of({1}),
                                           DirectedRoute()};
  EXPECT_TRUE(routes.contains(*DirectedRoute::of({1})->extended(PortNum{4})));
  EXPECT_FALSE(routes.contains(*DirectedRoute::of({4, 1})));
  EXPECT_NE(DirectedRoute::of({0}), DirectedRoute()) << "a hop to port 0 is a hop";
}

}  // namespace
}  // namespace mad
