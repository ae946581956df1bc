#pragma once
// Parses requests (RFC 9112) from the bytes that have arrived.

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>

#include "sm/ops/web/dispatcher.h"
#include "sm/ops/web/http_limits.h"

namespace sm::web {

/// One request: first its head, then, after read_body(), its body.
class RequestParser {
 public:
  explicit RequestParser(const Limits& limits);

  enum class State : std::uint8_t { needs_more, head, complete, fault };
  /// Consumes what it can from the beginning of `bytes`. The state `head` comes first even for a
  /// request without a body.
  State take(std::string& bytes);
  /// Continues with the body after `head`.
  void read_body();

  /// Returns the answer to a request with an error; the connection ends after it.
  Response fault() const;
  /// Returns the head; called once, after `head`.
  Head head();
  bool keep_alive() const;
  bool is_http_10() const;
  bool expects_continue() const;
  /// Returns the size in the head; the bound of bodies if the body is chunked.
  std::size_t body_bytes() const;
  std::string take_body();

 private:
  State fail(unsigned status, std::string what, std::string remedy);
  std::optional<State> fault_in_head();

  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  Limits limits_;
  Parser parser_;
  bool in_body_ = false;
  bool has_length_ = false;
  unsigned status_ = 400;
  std::string what_, remedy_;
};

}  // namespace sm::web
