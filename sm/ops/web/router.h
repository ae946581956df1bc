#pragma once
// Finds the route of a request.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sm/ops/web/exchange.h"

namespace sm::web {

/// The routes of a server by path. A path is a template: "/v1/nodes/{node_guid}"; a parameter
/// stands for one segment that is not empty. If several templates match, the one that has a literal
/// segment first wins. A trailing slash makes another path.
class Router {
 public:
  /// Throws std::logic_error for an invalid template and for a duplicate route: both are errors of
  /// the program.
  explicit Router(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;
    Fields parameters;
  };
  struct NoSuchPath {};
  struct OtherMethods {
    std::string allow;  // as header Allow has it: "GET, HEAD, PUT"
  };
  using Result = std::variant<Match, NoSuchPath, OtherMethods>;
  /// GET's route serves HEAD if the path has no route for HEAD.
  Result match(Method method, std::span<const std::string> segments) const;

  std::span<const Route> routes() const { return routes_; }

 private:
  static constexpr std::size_t kMethods = 6;
  struct Path {
    std::vector<std::string> segments;  // "{name}": a parameter
    std::array<const Route*, kMethods> by_method{};
  };
  static bool fits(const Path& path, std::span<const std::string> segments);

  std::vector<Route> routes_;
  std::vector<Path> paths_;  // sorted: literal segments before parameters
};

}  // namespace sm::web
