#include "sm/ops/web/response_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "sm/ops/web/exchange.h"

namespace sm::web {
namespace {

/// Formats the date by RFC 9110, 5.6.7, in English whatever the locale.
std::string date_text() {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  });
}

bool has_field(const Fields& fields, std::string_view name) {
  return std::ranges::any_of(fields, [&](const auto& field) {
    return std::ranges::equal(field.first, name, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    });
  });
}

}  // namespace

std::string response_head(const Response& response, Framing framing) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, status_text(response.status));
  const auto add = [&](std::string_view name, std::string_view value) {
    if (is_one_line(name) && is_one_line(value)) head += fmt::format("{}: {}\r\n", name, value);
  };
  add("Date", date_text());
  add("Server", "heddle");
  if (!response.content_type.empty()) add("Content-Type", response.content_type);
  if (framing.chunked)
    add("Transfer-Encoding", "chunked");
  else if (framing.has_length)
    add("Content-Length", fmt::format("{}", response.body.size()));
  for (const auto& [name, value] : response.headers) add(name, value);
  const auto by_default = [&](std::string_view name, std::string_view value) {
    if (!has_field(response.headers, name)) add(name, value);
  };
  by_default("X-Content-Type-Options", "nosniff");
  by_default("Referrer-Policy", "no-referrer");
  by_default("X-Frame-Options", "DENY");
  by_default("Cross-Origin-Resource-Policy", "same-origin");
  // Each answer is only for its requester; with an ETag it may be kept and revalidated.
  by_default("Cache-Control", response.etag.empty() ? "no-store" : "private, no-cache");
  by_default("Content-Security-Policy",
             response.content_type.starts_with("text/html")
                 ? "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
                   "form-action 'self'; frame-ancestors 'none'"
                 : "default-src 'none'; frame-ancestors 'none'");
  if (!framing.keep_alive) add("Connection", "close");
  return head + "\r\n";
}

}  // namespace sm::web
