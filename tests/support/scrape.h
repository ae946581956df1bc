#pragma once
// Reads /metrics as a scraper does: samples by name and labels; and makes requests without a
// server.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "sm/ops/metrics/metrics_resource.h"

namespace scrape {

/// Values by `name{labels}` as in the text. A second sample with the same name and labels is kept
/// in `repeated`.
struct Samples {
  std::map<std::string, double> values;
  std::map<std::string, std::string> types;  // by the name in the TYPE line
  std::string repeated;

  std::optional<double> value(const std::string& series) const {
    const auto found = values.find(series);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  /// How many series begin so.
  std::size_t count(std::string_view beginning) const {
    std::size_t all = 0;
    for (const auto& [series, value] : values) all += series.starts_with(beginning);
    return all;
  }
};

inline Samples read_samples(const std::string& text) {
  Samples samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      const std::size_t space = line.find(' ', 7);
      samples.types[line.substr(7, space - 7)] = line.substr(space + 1);
    }
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.rfind(' ');
    const auto [place, is_new] = samples.values.emplace(
        line.substr(0, space), std::strtod(line.c_str() + space + 1, nullptr));
    if (!is_new) samples.repeated += line + "\n";
  }
  return samples;
}

struct Answer {
  sm::web::Response response;
  std::string text;  // the whole body
};

/// Returns the answer of a handler, with all its parts. `take`: gets the parts in place of
/// Answer::text.
inline Answer ask(const sm::web::Resources& resources, const std::string& accept = "",
                  const std::function<void(const std::string& part)>& take = {},
                  bool gzip = false) {
  sm::web::Request request{.path = "/metrics"};
  if (gzip) request.headers.emplace_back("accept-encoding", "gzip");
  if (!accept.empty()) request.headers.emplace_back("accept", accept);
  Answer answer;
  boost::asio::io_context io;
  std::exception_ptr error;
  boost::asio::co_spawn(
      io,
      [&]() -> boost::asio::awaitable<void> {
        answer.response = co_await resources.routes.at(0).handler(request);
        const auto got = [&](const std::string& part) {
          if (take)
            take(part);
          else
            answer.text += part;
        };
        got(answer.response.body);
        while (answer.response.chunks) {
          const std::optional<std::string> part = co_await answer.response.chunks();
          if (!part) break;
          got(*part);
        }
      },
      [&](const std::exception_ptr& thrown) { error = thrown; });
  io.run();
  if (error) std::rethrow_exception(error);
  return answer;
}

/// Gives the same View to every request, until a test sets another one.
struct FixedView {
  std::shared_ptr<const sm::View> view;
  sm::Views source() const {
    return [this]() -> boost::asio::awaitable<std::shared_ptr<const sm::View>> { co_return view; };
  }
};

}  // namespace scrape
