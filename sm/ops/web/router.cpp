#include "sm/ops/web/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace sm::web {
namespace {

bool is_parameter(std::string_view segment) { return segment.starts_with('{'); }

std::size_t compute_index(Method method) { return static_cast<std::size_t>(method); }

std::vector<std::string> segments_of(std::string_view path) {
  const auto refuse = [&](std::string_view why) {
    throw std::logic_error(fmt::format("route {}: {}", path, why));
  };
  if (!path.starts_with('/')) refuse("does not begin with /");
  std::vector<std::string> segments;
  std::string_view rest = path.substr(1);
  while (true) {
    const std::size_t end = rest.find('/');
    const std::string_view segment = rest.substr(0, end);
    if (is_parameter(segment) ? !segment.ends_with('}') || segment.size() < 3
                              : segment.find_first_of("{}") != std::string_view::npos)
      refuse("a parameter is a whole segment, {name}");
    segments.emplace_back(segment);
    if (end == std::string_view::npos) return segments;
    rest.remove_prefix(end + 1);
  }
}

/// Orders literal segments before parameters, at the first place where the paths differ.
bool is_before(std::span<const std::string> a, std::span<const std::string> b) {
  return std::ranges::lexicographical_compare(a, b, [](const auto& x, const auto& y) {
    if (is_parameter(x) != is_parameter(y)) return is_parameter(y);
    return x < y;
  });
}

/// True if two paths match the same targets.
bool are_same(std::span<const std::string> a, std::span<const std::string> b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return (is_parameter(x) && is_parameter(y)) || x == y;
  });
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
  for (const Route& route : routes_) {
    std::vector<std::string> segments = segments_of(route.path);
    auto path =
        std::ranges::find_if(paths_, [&](const Path& p) { return are_same(p.segments, segments); });
    if (path == paths_.end())
      path = paths_.insert(paths_.end(), {.segments = std::move(segments), .by_method = {}});
    else if (path->segments != segments)
      throw std::logic_error(
          fmt::format("route {}: another one names its parameter otherwise", route.path));
    const Route*& place = path->by_method[compute_index(route.method)];
    if (place != nullptr)
      throw std::logic_error(fmt::format("{} {} is routed twice", name(route.method), route.path));
    place = &route;
  }
  std::ranges::sort(paths_,
                    [](const Path& a, const Path& b) { return is_before(a.segments, b.segments); });
}

bool Router::fits(const Path& path, std::span<const std::string> segments) {
  return std::ranges::equal(path.segments, segments, [](const auto& part, const auto& segment) {
    return is_parameter(part) ? !segment.empty() : part == segment;
  });
}

Router::Result Router::match(Method method, std::span<const std::string> segments) const {
  std::string allow;
  const auto allows = [&](Method other) {
    if (allow.find(name(other)) == std::string::npos)
      allow += fmt::format("{}{}", allow.empty() ? "" : ", ", name(other));
  };
  // The search continues after the first matching path: PUT /a/{x} and GET /a/b are two routes.
  for (const Path& path : paths_) {
    if (!fits(path, segments)) continue;
    const Route* route = path.by_method[compute_index(method)];
    if (route == nullptr && method == Method::head)
      route = path.by_method[compute_index(Method::get)];
    if (route != nullptr) {
      Match match{.route = route, .parameters = {}};
      for (std::size_t i = 0; i < path.segments.size(); ++i) {
        const std::string& part = path.segments[i];
        if (is_parameter(part))
          match.parameters.emplace_back(part.substr(1, part.size() - 2), segments[i]);
      }
      return match;
    }
    for (std::size_t i = 0; i < kMethods; ++i) {
      if (path.by_method[i] == nullptr) continue;
      allows(static_cast<Method>(i));
      if (static_cast<Method>(i) == Method::get) allows(Method::head);
    }
  }
  if (allow.empty()) return NoSuchPath{};
  return OtherMethods{std::move(allow)};
}

}  // namespace sm::web
