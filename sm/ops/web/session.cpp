#include "sm/ops/web/session.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <ctime>

#include "sm/ops/web/request_parser.h"

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

namespace asio = boost::asio;

namespace {

constexpr std::size_t kReadBytes = 16'384;
// Refusals are always sent; there are at most as many as connections.
constexpr std::size_t kShortAnswerBytes = 16'384;
constexpr std::chrono::seconds kLinger{2};  // for a client that sends on while it is refused

/// Reserves a part of a shared amount during its lifetime.
class Share {
 public:
  /// An amount above the maximum is granted if no other share is taken.
  enum class Larger : bool { refused, alone };
  Share(std::atomic<std::size_t>& total, std::size_t amount, std::size_t max,
        Larger larger = Larger::refused)
      : total_(total) {
    const std::size_t before = total_.fetch_add(amount);
    granted_ = before + amount <= max || (larger == Larger::alone && before == 0);
    if (granted_)
      amount_ = amount;
    else
      total_ -= amount;
  }
  ~Share() { total_ -= amount_; }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  bool granted() const { return granted_; }

 private:
  std::atomic<std::size_t>& total_;
  std::size_t amount_ = 0;
  bool granted_ = false;
};

class Session {
 public:
  Session(SessionShare& share, Connection& connection, Activity& activity, Peer peer)
      : share_(share),
        limits_(share.dispatcher.limits()),
        connection_(connection),
        activity_(activity),
        peer_(std::move(peer)) {
    if (peer_.role != Role::none) activity_.logged_in = true;  // as the kernel says
  }

  asio::awaitable<void> run() {
    connection_.expires_at(Clock::now() + limits_.header_time);
    const auto error = co_await connection_.handshake();
    if (error) co_return;
    bool first = true;
    bool goes_on = true;
    while (goes_on && !share_.ends) {
      goes_on = co_await exchange(first);
      first = false;
    }
  }

 private:
  using State = RequestParser::State;

  /// Returns whether the connection continues.
  asio::awaitable<bool> exchange(bool first) {
    RequestParser parser(limits_);
    if (!first) activity_.idle_since = Clock::now().time_since_epoch().count();
    const State state = co_await read_head(parser, first);
    activity_.idle_since = Activity::kBusy;
    if (state == State::needs_more) co_return false;  // it has ended, or was too slow
    if (state == State::fault) co_return co_await refuse(parser.fault());

    Head head = parser.head();
    const bool is_head = head.method == "HEAD";
    const Method method = is_head                ? Method::head
                          : head.method == "GET" ? Method::get
                                                 : Method::post;
    std::optional<std::string> if_none_match = header_in(head.headers, "if-none-match");
    std::string accept_encoding = header_in(head.headers, "accept-encoding").value_or("");
    const bool has_body = head.has_body;
    users_ = share_.dispatcher.authenticator().generation();
    auto admitted = co_await share_.dispatcher.admit(std::move(head), peer_);
    caller_ = {};
    if (auto* refused = std::get_if<Response>(&admitted)) {
      if (has_body) co_return co_await refuse(std::move(*refused));
      co_return co_await send(std::move(*refused), parser, is_head);
    }
    caller_ = std::get<Dispatcher::Admitted>(admitted).request.caller;
    if (caller_.role != Role::none) activity_.logged_in = true;
    const Share body_share(share_.body_bytes, parser.body_bytes(), limits_.bodies_bytes);
    if (!body_share.granted()) {
      Response busy = problem(503, "too many bodies are being read", "try again");
      busy.headers.emplace_back("Retry-After", "1");
      co_return co_await refuse(std::move(busy));
    }
    const State body = co_await read_body(parser);
    if (body == State::fault) co_return co_await refuse(parser.fault());
    if (body != State::complete) co_return false;
    Response response = co_await share_.dispatcher.answer(
        std::move(std::get<Dispatcher::Admitted>(admitted)), parser.take_body());
    response = co_await presented(std::move(response), method, std::move(if_none_match),
                                  std::move(accept_encoding));
    co_return co_await send(std::move(response), parser, is_head);
  }

  static std::optional<std::string> header_in(const Fields& headers, std::string_view name) {
    const auto found = std::ranges::find(headers, name, &Fields::value_type::first);
    return found == headers.end() ? std::nullopt : std::optional(found->second);
  }

  asio::awaitable<bool> read_more() {
    std::array<char, kReadBytes> part{};
    const std::size_t bytes = co_await connection_.read(asio::buffer(part));
    bytes_.append(part.data(), bytes);
    co_return bytes > 0;
  }

  asio::awaitable<State> read_head(RequestParser& parser, bool first) {
    if (bytes_.empty() && !first) {
      connection_.expires_at(Clock::now() + limits_.idle_time);
      if (!co_await read_more()) co_return State::needs_more;
    }
    // The time begins with the first byte, so that slow single bytes do not extend it.
    connection_.expires_at(Clock::now() + limits_.header_time);
    while (true) {
      const State state = parser.take(bytes_);
      if (state != State::needs_more) co_return state;
      if (!co_await read_more()) co_return State::needs_more;
    }
  }

  asio::awaitable<State> read_body(RequestParser& parser) {
    connection_.expires_at(deadline_for(parser.body_bytes()));
    if (parser.expects_continue() && bytes_.empty() && parser.body_bytes() > 0) {
      if (!co_await connection_.write("HTTP/1.1 100 Continue\r\n\r\n", ""))
        co_return State::needs_more;
    }
    parser.read_body();
    while (true) {
      const State state = parser.take(bytes_);
      if (state != State::needs_more) co_return state;
      if (!co_await read_more()) co_return State::needs_more;
    }
  }

  Clock::time_point deadline_for(std::size_t bytes) const {
    return Clock::now() + limits_.grace +
           std::chrono::milliseconds(bytes * 1000 / limits_.bytes_per_second);
  }

  /// Answers without reading the request to its end, so that the connection ends.
  asio::awaitable<bool> refuse(Response response) {
    connection_.expires_at(deadline_for(response.body.size()));
    const std::string head = response_head(response, {.keep_alive = false});
    if (!co_await connection_.write(head, response.body)) co_return false;
    connection_.expires_at(Clock::now() + kLinger);
    co_await connection_.finish();
    // Otherwise unread data makes the system reset the connection, which may lose the answer.
    for (std::size_t read = 0; read < limits_.body_bytes; read += kReadBytes) {
      bytes_.clear();
      const bool more = co_await read_more();
      if (!more) break;
    }
    co_return false;
  }

  asio::awaitable<bool> send(Response response, const RequestParser& parser, bool is_head) {
    const bool streamed = static_cast<bool>(response.chunks);
    const bool has_no_body = response.status == 204 || response.status == 304;
    const bool keep_alive =
        parser.keep_alive() && !share_.ends && !(streamed && parser.is_http_10());
    const Framing framing{.keep_alive = keep_alive,
                          .chunked = streamed && !parser.is_http_10(),
                          .has_length = !streamed && !has_no_body};
    if (streamed && !is_head) {
      const auto stream = share_.streams.take(caller_);
      if (!stream) {
        Response busy = problem(503, "too many answers are being sent in parts: " + stream.error(),
                                "try again");
        busy.headers.emplace_back("Retry-After", "1");
        co_return co_await send(std::move(busy), parser, is_head);
      }
      co_return co_await send_chunks(response, framing);
    }
    bool sent = false;
    {
      const Share answer(share_.answer_bytes, response.body.size(), limits_.answers_bytes,
                         Share::Larger::alone);
      if (!answer.granted() && response.body.size() > kShortAnswerBytes) {
        Response busy = problem(503, "too many long answers are being sent", "try again");
        busy.headers.emplace_back("Retry-After", "1");
        co_return co_await send(std::move(busy), parser, is_head);
      }
      connection_.expires_at(deadline_for(response.body.size()));
      std::string head = response_head(response, framing);
      // Named, because g++ 12 destroys temporaries of co_await's operand twice.
      const std::string_view body = is_head || has_no_body ? std::string_view() : response.body;
      sent = co_await connection_.write(head, body);
    }
    if (sent && !keep_alive) co_await connection_.finish();
    co_return sent&& keep_alive;
  }

  asio::awaitable<bool> send_chunks(Response& response, Framing framing) {
    using namespace asio::experimental::awaitable_operators;
    const auto sent = [&](std::string_view head, std::string_view body) {
      connection_.expires_at(Clock::now() + limits_.chunk_time);
      return connection_.write(head, body);
    };
    const std::string head = response_head(response, framing);
    if (!co_await sent(head, "")) co_return false;
    const auto is_allowed = [&] {
      return peer_.is_control() || users_ == share_.dispatcher.authenticator().generation();
    };
    while (!share_.ends && is_allowed()) {
      std::optional<std::string> chunk;
      // There is no time limit: the stream sends nothing while nothing happens.
      connection_.expires_at(Clock::time_point::max());
      try {
        auto next = co_await (response.chunks() || connection_.left());
        if (next.index() != 0) co_return false;
        chunk = std::move(std::get<0>(next));
      } catch (const std::exception&) {
        co_return false;  // without a last chunk: the client sees that this is not all
      }
      if (!chunk) {
        if (!framing.chunked) break;
        const bool whole = co_await sent("0\r\n\r\n", "");
        co_return whole&& framing.keep_alive;
      }
      if (chunk->empty()) continue;
      if (framing.chunked) {
        const std::string size = fmt::format("{:x}\r\n", chunk->size());
        *chunk += "\r\n";
        if (!co_await sent(size, *chunk)) co_return false;
      } else if (!co_await sent(*chunk, "")) {
        co_return false;
      }
    }
    co_await connection_.finish();
    co_return false;
  }

  SessionShare& share_;
  const Limits& limits_;
  Connection& connection_;
  Activity& activity_;
  const Peer peer_;
  std::string bytes_;   // received and not parsed yet
  unsigned users_ = 0;  // the generation of users that admitted the request
  Caller caller_;       // of the request
};

}  // namespace

asio::awaitable<void> run_session(SessionShare& share, Connection& connection, Activity& activity,
                                  Peer peer) {
  Session session(share, connection, activity, std::move(peer));
  co_await session.run();
}

}  // namespace sm::web
