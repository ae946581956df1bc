#include "sm/ops/web/request_parser.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include "config/diagnostic.h"

namespace sm::web {
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

std::string std_text(beast::string_view text) { return {text.data(), text.size()}; }

std::string lower_case(beast::string_view text) {
  std::string result = std_text(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace

RequestParser::RequestParser(const Limits& limits) : limits_(limits) {
  parser_.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parser_.body_limit(limits.body_bytes);
  parser_.eager(false);
}

RequestParser::State RequestParser::fail(unsigned status, std::string what, std::string remedy) {
  status_ = status;
  what_ = std::move(what);
  remedy_ = std::move(remedy);
  return State::fault;
}

RequestParser::State RequestParser::take(std::string& bytes) {
  while (!in_body_ || !parser_.is_done()) {
    if (bytes.empty()) return State::needs_more;
    beast::error_code error;
    const std::size_t used = parser_.put(boost::asio::buffer(bytes), error);
    bytes.erase(0, used);
    if (error == http::error::header_limit)
      return fail(
          431, fmt::format("the head of the request is longer than {} bytes", limits_.header_bytes),
          "send fewer or shorter headers");
    if (error == http::error::body_limit || error == http::error::buffer_overflow)
      return fail(413, fmt::format("the body is longer than {} bytes", limits_.body_bytes),
                  "send it in several requests");
    if (error == http::error::bad_version)
      return fail(505, "the version of HTTP is none of 1.0 and 1.1", "use HTTP/1.1");
    if (error && error != http::error::need_more)
      return fail(400, fmt::format("the request is no HTTP: {}", error.message()),
                  "send one as in RFC 9112");
    if (!in_body_ && parser_.is_header_done()) {
      if (const auto fault = fault_in_head()) return *fault;
      return State::head;
    }
    if (error == http::error::need_more || (used == 0 && !parser_.is_done()))
      return State::needs_more;
  }
  return State::complete;
}

/// Finds the errors that Beast lets pass.
std::optional<RequestParser::State> RequestParser::fault_in_head() {
  const auto& request = parser_.get();
  const auto count = [&](http::field name) { return request.count(name); };
  if (count(http::field::host) > 1 || (request.version() == 11 && count(http::field::host) == 0))
    return fail(400, "the request should have one header Host", "send it once");
  if (count(http::field::authorization) > 1)
    return fail(400, "header Authorization is there more than once", "send it once");
  // If two servers read a head differently, a request can hide in the body of another one.
  if (count(http::field::transfer_encoding) > 1)
    return fail(400, "header Transfer-Encoding is there more than once", "send it once");
  if (count(http::field::transfer_encoding) > 0 && count(http::field::content_length) > 0)
    return fail(400, "the request has Content-Length and Transfer-Encoding", "send one of them");
  if (count(http::field::content_length) > 1)
    return fail(400, "header Content-Length is there more than once", "send it once");
  if (count(http::field::transfer_encoding) > 0 && !parser_.chunked())
    return fail(501, "the transfer coding is unknown", "send the body chunked or with its length");
  if (request.version() == 10 && count(http::field::transfer_encoding) > 0)
    return fail(400, "HTTP/1.0 has no Transfer-Encoding", "use HTTP/1.1");
  for (const auto& field : request) {
    for (const char c : field.value())
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F)
        return fail(400,
                    fmt::format("header {} has a control character",
                                config::in_quotes(std_text(field.name_string()))),
                    "leave it out");
  }
  has_length_ = parser_.chunked() || count(http::field::content_length) > 0;
  return std::nullopt;
}

void RequestParser::read_body() {
  in_body_ = true;
  parser_.eager(true);
}

Response RequestParser::fault() const { return problem(status_, what_, remedy_); }

Head RequestParser::head() {
  const auto& request = parser_.get();
  Head head{.method = std_text(request.method_string()), .target = std_text(request.target())};
  for (const auto& field : request) {
    if (field.name() == http::field::authorization)
      head.authorization = std_text(field.value());
    else
      head.headers.emplace_back(lower_case(field.name_string()), std_text(field.value()));
  }
  head.has_length = has_length_;
  head.has_body = parser_.chunked() || parser_.content_length().value_or(0) > 0;
  return head;
}

bool RequestParser::keep_alive() const { return parser_.keep_alive(); }

bool RequestParser::is_http_10() const { return parser_.get().version() == 10; }

bool RequestParser::expects_continue() const {
  return !is_http_10() && beast::iequals(parser_.get()[http::field::expect], "100-continue");
}

std::size_t RequestParser::body_bytes() const {
  if (parser_.chunked()) return limits_.body_bytes;
  return static_cast<std::size_t>(parser_.content_length().value_or(0));
}

std::string RequestParser::take_body() { return std::move(parser_.get().body()); }

}  // namespace sm::web
