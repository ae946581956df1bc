#include "sm/store/etcd/etcd_store.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>

#include "config/file_reader.h"
#include "mad/format.h"
#include "sm/http/http_client.h"
#include "sm/store/atomic_file.h"
#include "sm/store/etcd/gateway.h"

namespace sm::etcd {
namespace asio = boost::asio;

namespace {

constexpr unsigned kPage = 256;  // records of one answer: parsed within 5 ms
/// If a call after a pause fails within this time, the other end had closed the connection.
constexpr std::chrono::seconds kClosedBefore{1};
/// After this time without events in a watch, a probe tests whether the store still answers.
constexpr std::chrono::seconds kQuiet{3};
constexpr unsigned kAttempts = 3;  // of a call: with a new connection, and with a new token
constexpr HttpLimits kLimits{.connect = std::chrono::seconds(2), .call = std::chrono::seconds(3)};

tl::unexpected<StoreError> fail(StoreFault fault, std::string text) {
  return tl::unexpected(StoreError{fault, std::move(text)});
}

}  // namespace

/// Holds a connection with its token, to one of the endpoints.
class EtcdStore::Line {
 public:
  Line(const asio::any_io_executor& executor, asio::ssl::context& tls, const EtcdSettings& settings)
      : settings_(settings), connection_(executor, tls, kLimits) {}

  HttpClient& connection() { return connection_; }
  void close() { connection_.close(); }

  /// Connects to the next endpoint that accepts, and authenticates.
  asio::awaitable<StoreResult<void>> ready();
  /// Makes a call, possibly twice. A repeated call does no harm: only the holder of a guard makes
  /// transactions with it.
  asio::awaitable<StoreResult<std::string>> call(std::string target, std::string body);
  void forget_token() { token_.clear(); }
  /// Makes a request to the present endpoint, with the token.
  HttpRequest post(std::string target, std::string body) const {
    const config::HttpEndpoint& endpoint = settings_.endpoints[endpoint_];
    HttpRequest request{.method = "POST", .target = std::move(target)};
    request.fields = {{"Host", fmt::format("{}:{}", endpoint.host, endpoint.port)}};
    if (!token_.empty()) request.fields.emplace_back("Authorization", token_);
    request.body = std::move(body);
    return request;
  }

 private:
  asio::awaitable<StoreResult<void>> authenticate();

  const EtcdSettings& settings_;
  HttpClient connection_;
  std::size_t endpoint_ = 0;
  std::string token_;
};

asio::awaitable<StoreResult<void>> EtcdStore::Line::ready() {
  std::string errors;
  for (std::size_t tries = 0; !connection_.is_open(); ++tries) {
    if (tries == settings_.endpoints.size()) co_return fail(StoreFault::unreachable, errors);
    const auto connected = co_await connection_.connect(settings_.endpoints[endpoint_]);
    if (connected) break;
    errors = connected.error().text;
    endpoint_ = (endpoint_ + 1) % settings_.endpoints.size();
  }
  if (!settings_.user.empty() && token_.empty()) co_return co_await authenticate();
  co_return StoreResult<void>();
}

asio::awaitable<StoreResult<void>> EtcdStore::Line::authenticate() {
  const auto password = read_secret_file(settings_.password_file);
  if (!password) co_return fail(StoreFault::refused, password.error());
  HttpRequest request =
      post("/v3/auth/authenticate", authenticate_request(settings_.user, *password));
  const auto answer = co_await connection_.exchange(std::move(request));
  if (!answer) co_return fail(StoreFault::unreachable, answer.error().text);
  if (answer->status != 200) {
    StoreError error = parse_error(answer->status, answer->body).error;
    // A server without authentication needs no token.
    if (error.text.find("not enabled") != std::string::npos) co_return StoreResult<void>();
    co_return tl::unexpected(std::move(error));
  }
  auto token = parse_token(answer->body);
  if (!token) co_return tl::unexpected(std::move(token.error()));
  token_ = std::move(*token);
  co_return StoreResult<void>();
}

asio::awaitable<StoreResult<std::string>> EtcdStore::Line::call(std::string target,
                                                                std::string body) {
  for (unsigned attempt = 1;; ++attempt) {
    const bool was_open = connection_.is_open();
    const auto begin = std::chrono::steady_clock::now();
    if (auto opened = co_await ready(); !opened) co_return tl::unexpected(opened.error());
    HttpRequest request = post(target, body);
    auto answer = co_await connection_.exchange(std::move(request));
    if (!answer) {
      if (was_open && attempt < kAttempts &&
          std::chrono::steady_clock::now() - begin < kClosedBefore)
        continue;
      endpoint_ = (endpoint_ + 1) % settings_.endpoints.size();
      co_return fail(StoreFault::unreachable, answer.error().text);
    }
    if (answer->status == 200) co_return std::move(answer->body);
    GatewayError error = parse_error(answer->status, answer->body);
    if (error.says_token && attempt < kAttempts) {
      forget_token();
      continue;
    }
    if (error.error.fault == StoreFault::unreachable) {  // no leader, too slow: another may do
      close();
      endpoint_ = (endpoint_ + 1) % settings_.endpoints.size();
    }
    error.error.text =
        fmt::format("{}: {}", settings_.endpoints[endpoint_].text(), error.error.text);
    co_return tl::unexpected(std::move(error.error));
  }
}

/// Holds a watch: its lines, until watch() takes them.
struct EtcdStore::Stream {
  Stream(const asio::any_io_executor& executor, asio::ssl::context& tls,
         const EtcdSettings& settings)
      : line(executor, tls, settings), arrived(executor) {}
  Line line;
  asio::steady_timer arrived;  // cancelled when something has arrived
  std::deque<StoreEvent> events;
  std::optional<StoreError> error;
  std::string prefix;
  StoreRevision position = 0;
};

tl::expected<std::shared_ptr<EtcdStore>, std::string> EtcdStore::create(
    asio::any_io_executor executor, EtcdSettings settings) {
  auto store = std::shared_ptr<EtcdStore>(new EtcdStore(std::move(executor), std::move(settings)));
  boost::system::error_code error;
  store->tls_.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1, error);
  store->tls_.set_verify_mode(asio::ssl::verify_peer, error);
  if (store->settings_.ca_file.empty()) {
    store->tls_.set_default_verify_paths(error);
  } else {
    const auto failed = [&](const std::string& why) {
      return tl::unexpected(
          fmt::format("cannot read the certificates of {}: {}", store->settings_.ca_file, why));
    };
    // The TLS library would wait for the end of a FIFO.
    if (const auto text = config::read_file(store->settings_.ca_file); !text)
      return failed(text.error().message());
    store->tls_.load_verify_file(store->settings_.ca_file, error);
    if (error) return failed(error.message());
  }
  return store;
}

EtcdStore::EtcdStore(asio::any_io_executor executor, EtcdSettings settings)
    : executor_(std::move(executor)),
      settings_(std::move(settings)),
      calls_(std::make_unique<Line>(executor_, tls_, settings_)),
      probes_(std::make_unique<Line>(executor_, tls_, settings_)),
      reads_(std::make_unique<Line>(executor_, tls_, settings_)) {}
EtcdStore::~EtcdStore() { stop(); }

void EtcdStore::stop() {
  stopped_ = true;
  for (Line* line : {calls_.get(), probes_.get(), reads_.get()}) line->close();
  if (!stream_) return;
  stream_->line.close();
  stream_->arrived.cancel();
}

asio::awaitable<StoreResult<StoreContent>> EtcdStore::read(std::string prefix) {
  StoreContent content;
  const std::string end = end_of_prefix(prefix);
  for (std::string first = prefix;;) {
    if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
    // All pages have the revision of the first one.
    auto body =
        co_await reads_->call("/v3/kv/range", range_request(first, end, kPage, content.revision));
    if (!body) co_return tl::unexpected(std::move(body.error()));
    auto page = parse_range(*body);
    if (!page) co_return tl::unexpected(std::move(page.error()));
    if (content.revision == 0) content.revision = page->revision;
    const bool more = page->more && !page->entries.empty();
    if (more) first = page->entries.back().key + '\0';
    std::ranges::move(page->entries, std::back_inserter(content.entries));
    if (!more) co_return content;
  }
}

asio::awaitable<StoreResult<StoreRevision>> EtcdStore::commit(StoreGuard guard,
                                                              std::vector<StoreChange> changes) {
  StoreRevision made = 0;
  for (const auto piece : pieces(changes, settings_.operations_max, settings_.bytes_max)) {
    if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
    const auto body = co_await calls_->call("/v3/kv/txn", txn_request(guard, piece));
    if (!body) co_return tl::unexpected(body.error());
    const auto answer = parse_txn(*body);
    if (!answer) co_return tl::unexpected(answer.error());
    if (!answer->succeeded)
      co_return fail(StoreFault::fenced, "another manager has claimed the store");
    if (answer->changed) made = answer->revision;
  }
  co_return made;
}

asio::awaitable<void> EtcdStore::read_stream(std::shared_ptr<Stream> stream) {
  while (!stream->error) {
    const auto line = co_await stream->line.connection().next_line();
    if (!line) {
      stream->error = StoreError{StoreFault::unreachable, line.error().text};
    } else if (auto answer = parse_watch(*line); !answer) {
      stream->error = std::move(answer.error());
    } else if (answer->created && answer->revision < stream->position) {
      stream->error = StoreError{StoreFault::compacted, "the store has another history"};
    } else {
      std::ranges::move(answer->events, std::back_inserter(stream->events));
    }
    if (stream->error || !stream->events.empty()) stream->arrived.cancel();
  }
}

asio::awaitable<StoreResult<void>> EtcdStore::open_watch(std::string prefix, StoreRevision after) {
  if (stream_) stream_->line.close();
  const auto stream = std::make_shared<Stream>(executor_, tls_, settings_);
  stream_ = stream;
  stream->prefix = prefix;
  stream->position = after;
  for (unsigned attempt = 1;; ++attempt) {
    if (auto opened = co_await stream->line.ready(); !opened)
      co_return tl::unexpected(opened.error());
    HttpRequest request = stream->line.post("/v3/watch", watch_request(prefix, after));
    const auto answer = co_await stream->line.connection().open_stream(std::move(request));
    if (!answer) co_return fail(StoreFault::unreachable, answer.error().text);
    if (answer->status == 200) break;
    GatewayError error = parse_error(answer->status, answer->body);
    if (!error.says_token || attempt == kAttempts) co_return tl::unexpected(std::move(error.error));
    stream->line.forget_token();
  }
  asio::co_spawn(executor_, read_stream(stream), asio::detached);
  co_return StoreResult<void>();
}

asio::awaitable<StoreResult<StoreEvents>> EtcdStore::watch(std::string prefix,
                                                           StoreRevision after) {
  if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
  if (!stream_ || stream_->error || stream_->prefix != prefix || stream_->position != after) {
    if (auto opened = co_await open_watch(prefix, after); !opened) {
      stream_.reset();
      co_return tl::unexpected(std::move(opened.error()));
    }
  }
  const std::shared_ptr<Stream> stream = stream_;
  if (stream->events.empty() && !stream->error && !stopped_) {
    stream->arrived.expires_after(kQuiet);
    co_await stream->arrived.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
  if (!stream->events.empty()) {
    StoreEvents out{.events = {}, .revision = stream->events.back().revision};
    out.events.assign(std::make_move_iterator(stream->events.begin()),
                      std::make_move_iterator(stream->events.end()));
    stream->events.clear();
    stream->position = out.revision;
    co_return out;
  }
  if (stream->error) {
    const StoreError error = *stream->error;
    stream->line.close();
    if (stream_ == stream) stream_.reset();
    co_return tl::unexpected(error);
  }
  // The watch is quiet: this checks that the store answers, and has the same history.
  const auto body =
      co_await probes_->call("/v3/kv/range", range_request(prefix, end_of_prefix(prefix), 1, 0));
  if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
  StoreError error;
  if (!body) {
    error = body.error();
  } else if (const auto answer = parse_range(*body); !answer) {
    error = answer.error();
  } else if (answer->revision < after) {
    error = {StoreFault::compacted, "the store has another history"};
  } else {
    co_return StoreEvents{.events = {}, .revision = after};
  }
  stream->line.close();
  if (stream_ == stream) stream_.reset();
  co_return tl::unexpected(std::move(error));
}

asio::awaitable<StoreResult<StoreLease>> EtcdStore::grant(std::chrono::seconds life) {
  if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
  const auto body = co_await calls_->call("/v3/lease/grant", grant_request(life));
  if (!body) co_return tl::unexpected(body.error());
  co_return parse_grant(*body);
}

asio::awaitable<StoreResult<bool>> EtcdStore::keep_alive(StoreLease lease) {
  if (stopped_) co_return fail(StoreFault::unreachable, "stopped");
  const auto body = co_await calls_->call("/v3/lease/keepalive", keep_alive_request(lease));
  if (!body) co_return tl::unexpected(body.error());
  co_return parse_keep_alive(*body);
}

}  // namespace sm::etcd
