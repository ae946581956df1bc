#pragma once
// Which route a request belongs to.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sm/ops/web/exchange.h"

namespace sm::web {

/// The routes of a server by path. A path is a template: "/v1/nodes/{node_guid}"; a parameter
/// stands for one segment that is not empty. Where several templates fit, the one that has a
/// literal segment first wins. A trailing slash is another path, as routed.
class Router {
 public:
  /// Throws std::logic_error for a template that is none and for a route that is there twice: both
  /// are errors of the program.
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
  /// HEAD is served by GET's route where it has none of its own.
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
