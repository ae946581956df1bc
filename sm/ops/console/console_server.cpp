#include "sm/ops/console/console_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <optional>
#include <variant>

namespace sm::console {
namespace {

/// True for a character of a token (RFC 9110, 5.6.2), such as the name of a method or header.
bool is_of_token(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

bool is_of_http(std::string_view line) {
  constexpr std::string_view kHandshake = "\x16\x03";  // RFC 8446, 5.1
  if (line.starts_with(kHandshake)) return true;
  const auto end = std::ranges::find_if_not(line, is_of_token);
  const std::string_view word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  const std::string_view rest = line.substr(word.size());
  if (word.empty() || rest.empty()) return false;
  if (rest.front() == ':') return true;
  if (rest.front() != ' ') return false;
  // Commands have small letters only. A long request may be cut in front of its version.
  const std::string_view target = rest.substr(1);
  const bool has_target = target.starts_with('/') || target.starts_with('*') ||
                          target.substr(0, target.find(' ')).find(':') != std::string_view::npos;
  if (has_target && std::ranges::all_of(word, is_upper)) return true;
  return target.find(" HTTP/") != std::string_view::npos;
}

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Terminal = asio::posix::stream_descriptor;

namespace {

constexpr std::chrono::seconds kLoopPeriod{2}, kQuestionLimit{10};
constexpr std::chrono::milliseconds kAcceptFailurePause{200};
constexpr int kTerminalWaitMs = 200;

/// Reads the lines of a stream. Of a line that is too long only the beginning is kept.
template <class Stream>
class LineReader {
 public:
  explicit LineReader(Stream& stream) : stream_(stream) {}

  struct Line {
    std::string text;
    bool too_long = false;
  };
  /// Returns nullopt at the end of the stream.
  asio::awaitable<std::optional<Line>> next() {
    Line line;
    for (;;) {
      const std::size_t end = pending_.find('\n');
      if (end != std::string::npos) {
        if (!line.too_long) line.text = pending_.substr(0, std::min(end, kLineBytesMax));
        line.too_long = line.too_long || end > kLineBytesMax;
        pending_.erase(0, end + 1);
        co_return line;
      }
      if (pending_.size() > kLineBytesMax) {
        if (!line.too_long) line.text = pending_.substr(0, kLineBytesMax);
        line.too_long = true;
        pending_.clear();
      }
      std::array<char, 512> bytes{};
      boost::system::error_code error;
      const std::size_t count = co_await stream_.async_read_some(
          asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
      if (error || count == 0) co_return std::nullopt;
      pending_.append(bytes.data(), count);
    }
  }

 private:
  Stream& stream_;
  std::string pending_;
};

}  // namespace

struct ConsoleServer::State {
  State(const asio::any_io_executor& on, ConsoleActions what)
      : executor(on), actions(std::move(what)), acceptor(on) {}

  asio::any_io_executor executor;
  ConsoleActions actions;
  Tcp::acceptor acceptor;
  std::shared_ptr<Tcp::socket> session;  // the one that is served; null: none
  std::shared_ptr<Terminal> terminal;
  int terminal_out = -1;
  unsigned waiting = 0;
  std::atomic<bool> ends = false;
  asio::thread_pool maker{1};  // of texts; also writes to the terminal, which may not take them

  ~State() {
    if (terminal_out >= 0) ::close(terminal_out);
  }

  /// Runs `work` on the other thread.
  asio::awaitable<std::string> aside(Text work) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(std::string)>(
        [this](auto handler, Text job) {
          asio::post(maker, [this, work = asio::make_work_guard(executor),
                             handler = std::move(handler), job = std::move(job)]() mutable {
            std::string text;
            try {
              if (!ends) text = job();
            } catch (const std::exception& thrown) {  // such as no memory for a long text
              text = fmt::format("failed: {}\n", thrown.what());
            }
            const auto back = asio::get_associated_executor(handler, executor);
            asio::post(back, [handler = std::move(handler), text = std::move(text)]() mutable {
              std::move(handler)(std::move(text));
            });
          });
        },
        asio::use_awaitable, std::move(work));
  }

  asio::awaitable<bool> write(Tcp::socket& socket, std::string text) {
    boost::system::error_code error;
    co_await asio::async_write(socket, asio::buffer(text),
                               asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
  }
  asio::awaitable<bool> write(Terminal&, std::string text) {
    // This is not within the co_await: GCC 12 would destroy what the closure holds twice.
    Text work = [this, text = std::move(text)] {
      std::string_view rest = text;
      while (!rest.empty() && !ends) {
        // A terminal that accepts no output must not keep the process from ending.
        pollfd ready{.fd = terminal_out, .events = POLLOUT, .revents = 0};
        if (::poll(&ready, 1, kTerminalWaitMs) == 0) continue;
        const ssize_t count =
            ::write(terminal_out, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return std::string("failed");
        rest.remove_prefix(static_cast<std::size_t>(count));
      }
      return std::string();
    };
    const std::string failed = co_await aside(std::move(work));
    co_return failed.empty();
  }

  template <class Stream>
  asio::awaitable<bool> deliver(Stream& stream, const Answer& said) {
    if (!said.text) co_return true;
    Text work = said.text;
    std::string text = co_await aside(std::move(work));
    co_return co_await write(stream, std::move(text));
  }

  /// Repeats `status loop` until a line "q". Returns false if the session has ended.
  template <class Stream>
  asio::awaitable<bool> repeat(Stream& stream, LineReader<Stream>& lines, const std::string& line,
                               bool local) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer(executor);
    for (;;) {
      timer.expires_after(kLoopPeriod);
      const auto first = co_await (lines.next() || timer.async_wait(asio::use_awaitable));
      if (ends) co_return false;
      if (first.index() == 0) {
        const auto& word = std::get<0>(first);
        if (!word || word->text.starts_with('q')) co_return word.has_value();
        continue;
      }
      const Answer again = execute(line, local, actions);
      if (!co_await deliver(stream, again)) co_return false;
    }
  }

  template <class Stream>
  asio::awaitable<void> converse(std::shared_ptr<Stream> stream, bool local) {
    LineReader<Stream> lines(*stream);
    for (;;) {
      if (!co_await write(*stream, std::string(kPrompt))) co_return;
      const auto line = co_await lines.next();
      if (!line || ends) co_return;
      if (!local && is_of_http(line->text)) co_return;  // with all that stands behind it
      if (line->too_long) {
        if (!co_await write(*stream, fmt::format("a line has more than {} bytes\n", kLineBytesMax)))
          co_return;
        continue;
      }
      const Answer said = execute(line->text, local, actions);
      if (!co_await deliver(*stream, said) || said.ends_session) co_return;
      if (said.repeats && !co_await repeat(*stream, lines, line->text, local)) co_return;
    }
  }

  static asio::awaitable<void> serve(std::shared_ptr<State> state,
                                     std::shared_ptr<Tcp::socket> socket) {
    co_await state->converse(socket, false);
    boost::system::error_code ignored;
    socket->shutdown(Tcp::socket::shutdown_both, ignored);
    socket->close(ignored);
    if (state->session == socket) state->session = nullptr;
  }

  static void begin(const std::shared_ptr<State>& state, std::shared_ptr<Tcp::socket> socket) {
    state->session = socket;
    asio::co_spawn(state->executor, serve(state, std::move(socket)), asio::detached);
  }

  /// Another session is open: the new client decides which of the two continues.
  static asio::awaitable<void> ask(std::shared_ptr<State> state,
                                   std::shared_ptr<Tcp::socket> socket) {
    ++state->waiting;
    asio::steady_timer limit(state->executor, kQuestionLimit);
    limit.async_wait([socket](const boost::system::error_code& error) {
      boost::system::error_code ignored;
      if (!error) socket->close(ignored);
    });
    LineReader<Tcp::socket> lines(*socket);
    bool takes_over = false;
    if (co_await state->write(
            *socket, "OpenSM console: a session is open; end it, and begin another? (y/n) "))
      if (const auto line = co_await lines.next())
        takes_over = line->text.starts_with('y') && !is_of_http(line->text);
    limit.cancel();
    --state->waiting;
    boost::system::error_code ignored;
    if (!takes_over || state->ends) {
      socket->close(ignored);
      co_return;
    }
    if (state->session) state->session->close(ignored);
    begin(state, std::move(socket));
  }

  static asio::awaitable<void> accept_loop(std::shared_ptr<State> state) {
    for (;;) {
      boost::system::error_code error;
      Tcp::socket accepted =
          co_await state->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (state->ends || error == asio::error::operation_aborted ||
          error == asio::error::bad_descriptor)
        co_return;
      if (error) {
        asio::steady_timer pause(state->executor, kAcceptFailurePause);
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      auto socket = std::make_shared<Tcp::socket>(std::move(accepted));
      if (!state->session) {
        begin(state, std::move(socket));
      } else if (state->waiting < kWaitingMax) {
        asio::co_spawn(state->executor, ask(state, std::move(socket)), asio::detached);
      }
    }
  }

  static asio::awaitable<void> serve_terminal(std::shared_ptr<State> state) {
    co_await state->converse(state->terminal, true);
  }
};

tl::expected<std::unique_ptr<ConsoleServer>, std::string> ConsoleServer::listen(
    const asio::any_io_executor& executor, std::uint16_t port, ConsoleActions actions) {
  auto state = std::make_shared<State>(executor, std::move(actions));
  const Tcp::endpoint place(asio::ip::address_v4::loopback(), port);
  boost::system::error_code error;
  state->acceptor.open(place.protocol(), error);
  if (!error) state->acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) state->acceptor.bind(place, error);
  if (!error) state->acceptor.listen(static_cast<int>(kWaitingMax), error);
  if (error)
    return tl::unexpected(fmt::format("console: 127.0.0.1 port {}: {}", port, error.message()));
  asio::co_spawn(executor, State::accept_loop(state), asio::detached);
  return std::unique_ptr<ConsoleServer>(new ConsoleServer(std::move(state)));
}

tl::expected<std::unique_ptr<ConsoleServer>, std::string> ConsoleServer::on_terminal(
    const asio::any_io_executor& executor, int in, int out, ConsoleActions actions) {
  auto state = std::make_shared<State>(executor, std::move(actions));
  const int reads = ::fcntl(in, F_DUPFD_CLOEXEC, 0);
  state->terminal_out = ::fcntl(out, F_DUPFD_CLOEXEC, 0);
  if (reads < 0 || state->terminal_out < 0) {
    if (reads >= 0) ::close(reads);
    return tl::unexpected(fmt::format("console: {}", std::strerror(errno)));
  }
  state->terminal = std::make_shared<Terminal>(executor);
  boost::system::error_code error;
  state->terminal->assign(reads, error);
  if (error) {
    ::close(reads);
    return tl::unexpected(
        fmt::format("console: standard input is no terminal, pipe or socket: {}", error.message()));
  }
  asio::co_spawn(executor, State::serve_terminal(state), asio::detached);
  return std::unique_ptr<ConsoleServer>(new ConsoleServer(std::move(state)));
}

std::uint16_t ConsoleServer::port() const {
  boost::system::error_code ignored;
  return state_->acceptor.local_endpoint(ignored).port();
}

ConsoleServer::~ConsoleServer() {
  state_->ends = true;
  boost::system::error_code ignored;
  state_->acceptor.close(ignored);
  if (state_->session) state_->session->close(ignored);
  if (state_->terminal) state_->terminal->close(ignored);
  state_->maker.join();
}

}  // namespace sm::console
