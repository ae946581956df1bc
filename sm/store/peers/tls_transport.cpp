#include "sm/store/peers/tls_transport.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "config/file_reader.h"
#include "mad/format.h"

namespace sm::peers {
namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds kConnectTime{2}, kHandshakeTime{2}, kResolveTime{2};
constexpr std::chrono::seconds kListenAgain{1};
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kHandshakesMax = 16, kHandshakesOfOneMax = 4;
constexpr std::size_t kReadyMax = 16, kRefusalsMax = kReadyMax / 2;
/// A handshake takes some milliseconds of the control thread.
constexpr std::chrono::milliseconds kAcceptEvery{10};
constexpr std::size_t kKeyBytes = 32;
constexpr std::string_view kKeyLabel = "heddle peers, key of TLS 1.3";
/// The key is for SHA-256, so that suites with other digests cannot be used.
constexpr const char* kSuites = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";
constexpr std::array<unsigned char, 2> kKeySuite{0x13, 0x01};  // TLS_AES_128_GCM_SHA256

constexpr std::array<unsigned char, 6> kSessionContext{'h', 'e', 'd', 'd', 'l', 'e'};

using Key = std::array<unsigned char, kKeyBytes>;

/// The secret as both ends use it.
struct SharedKey {
  Key key{};
  std::string identity;  // names the subnet
};

/// Belongs to a connection while its handshake runs.
struct Handshake {
  const SharedKey* shared = nullptr;
  std::string foreign_identity{};  // that a client has named
};

int handshake_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

Handshake* find_handshake(const SSL* ssl) {
  return static_cast<Handshake*>(SSL_get_ex_data(ssl, handshake_index()));
}

std::string tls_error() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char* const reason = ERR_reason_error_string(error);
  return reason == nullptr ? "unknown reason" : reason;
}

/// Derives the key by HKDF with SHA-256 (RFC 5869).
tl::expected<Key, std::string> derive_key(std::string secret) {
  Key key{};
  std::string digest = "SHA256", label(kKeyLabel);
  const std::array parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, label.data(), label.size()),
      OSSL_PARAM_construct_end()};
  EVP_KDF* const kdf = EVP_KDF_fetch(nullptr, "HKDF", nullptr);
  EVP_KDF_CTX* const context = EVP_KDF_CTX_new(kdf);
  EVP_KDF_free(kdf);
  const bool derived =
      context != nullptr && EVP_KDF_derive(context, key.data(), key.size(), parameters.data()) == 1;
  EVP_KDF_CTX_free(context);
  if (!derived) return tl::unexpected("no key can be derived: " + tls_error());
  return key;
}

SSL_SESSION* make_session(SSL* ssl, const Key& key) {
  SSL_SESSION* const session = SSL_SESSION_new();
  if (session == nullptr) return nullptr;
  const SSL_CIPHER* const cipher = SSL_CIPHER_find(ssl, kKeySuite.data());
  if (cipher != nullptr && SSL_SESSION_set1_master_key(session, key.data(), key.size()) == 1 &&
      SSL_SESSION_set_cipher(session, cipher) == 1 &&
      SSL_SESSION_set1_id_context(session, kSessionContext.data(), kSessionContext.size()) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1)
    return session;
  SSL_SESSION_free(session);
  return nullptr;
}

int use_session(SSL* ssl, const EVP_MD* digest, const unsigned char** identity,
                std::size_t* identity_bytes, SSL_SESSION** session) {
  *session = nullptr;
  const Handshake* const handshake = find_handshake(ssl);
  if (handshake == nullptr || handshake->shared == nullptr) return 0;
  if (digest != nullptr && EVP_MD_get_type(digest) != NID_sha256) return 1;
  const std::string& name = handshake->shared->identity;
  *identity = reinterpret_cast<const unsigned char*>(name.data());
  *identity_bytes = name.size();
  *session = make_session(ssl, handshake->shared->key);
  return *session == nullptr ? 0 : 1;
}

int find_session(SSL* ssl, const unsigned char* identity, std::size_t identity_bytes,
                 SSL_SESSION** session) {
  *session = nullptr;
  Handshake* const handshake = find_handshake(ssl);
  if (handshake == nullptr || handshake->shared == nullptr) return 0;
  const std::string_view name(reinterpret_cast<const char*>(identity), identity_bytes);
  if (name != handshake->shared->identity) {
    constexpr std::size_t kShown = 60;
    handshake->foreign_identity = name.substr(0, kShown);
    std::ranges::replace_if(
        handshake->foreign_identity, [](char c) { return c < 0x20 || c >= 0x7F; }, '?');
    return 1;
  }
  *session = make_session(ssl, handshake->shared->key);
  return *session == nullptr ? 0 : 1;
}

using Context = std::shared_ptr<asio::ssl::context>;

tl::expected<void, std::string> use_certificates(SSL_CTX* native, const CertificateFiles& files) {
  const auto failed = [](const std::filesystem::path& file, const std::string& why) {
    return tl::unexpected(fmt::format("{}: {}", file.string(), why));
  };
  // The TLS library would wait for the end of a FIFO.
  for (const auto* const file : {&files.certificate, &files.key, &files.ca})
    if (const auto text = config::read_file(file->string()); !text)
      return failed(*file, "cannot be read: " + text.error().message());
  if (SSL_CTX_use_certificate_chain_file(native, files.certificate.c_str()) != 1)
    return failed(files.certificate, "no chain of certificates in PEM: " + tls_error());
  // A key with a pass phrase would ask at a terminal, which a daemon does not have.
  SSL_CTX_set_default_passwd_cb(native, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_PrivateKey_file(native, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(native) != 1)
    return failed(files.key,
                  "no private key in PEM without a pass phrase that belongs to the certificate: " +
                      tls_error());
  if (SSL_CTX_load_verify_locations(native, files.ca.c_str(), nullptr) != 1)
    return failed(files.ca, "no certificates in PEM: " + tls_error());
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

tl::expected<Context, std::string> make_context(const TlsSettings& settings) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls);
  SSL_CTX* const native = context->native_handle();
  ERR_clear_error();
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  if (SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(native, kSuites) != 1)
    return tl::unexpected("TLS 1.3 cannot be used: " + tls_error());
  if (settings.certificates) {
    if (auto used = use_certificates(native, *settings.certificates); !used)
      return tl::unexpected(std::move(used.error()));
    return context;
  }
  // A server without the secret would have to show a certificate, which no authority signs.
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER, nullptr);
  // Without one, OpenSSL refuses sessions, and so the secret, where peers are verified.
  if (SSL_CTX_set_session_id_context(native, kSessionContext.data(), kSessionContext.size()) != 1)
    return tl::unexpected("TLS 1.3 cannot be used: " + tls_error());
  SSL_CTX_set_psk_use_session_callback(native, use_session);
  SSL_CTX_set_psk_find_session_callback(native, find_session);
  return context;
}

class TlsStream final : public ByteStream {
 public:
  using Stream = asio::ssl::stream<beast::tcp_stream>;
  TlsStream(beast::tcp_stream tcp, Context context, std::shared_ptr<const SharedKey> shared)
      : context_(std::move(context)),
        shared_(std::move(shared)),
        handshake_{.shared = shared_.get()},
        stream_(std::move(tcp), *context_),
        buffer_(kReadBytes, '\0') {
    SSL_set_ex_data(stream_.native_handle(), handshake_index(), &handshake_);
  }

  Stream& stream() { return stream_; }
  beast::tcp_stream& tcp() { return stream_.next_layer(); }
  void set_remote(std::string remote) { remote_ = std::move(remote); }

  /// Returns why the other end is not a manager with the secret or a certificate; "" if it is.
  asio::awaitable<std::string> shake_hands(Stream::handshake_type type) {
    tcp().expires_after(kHandshakeTime);
    const auto [error] = co_await stream_.async_handshake(type, kAsTuple);
    if (error) co_return explain(error);
    if (shared_ && SSL_session_reused(stream_.native_handle()) != 1)
      co_return "TLS: it has not used the secret";
    tcp().expires_never();
    beast::error_code ignored;
    tcp().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    co_return "";
  }
  asio::awaitable<tl::expected<std::string, std::string>> read() override {
    const auto [error, bytes] = co_await stream_.async_read_some(asio::buffer(buffer_), kAsTuple);
    if (error) co_return tl::unexpected(explain(error));
    co_return buffer_.substr(0, bytes);
  }
  asio::awaitable<bool> write(std::string bytes) override {
    const auto [error, written] =
        co_await asio::async_write(stream_, asio::buffer(bytes), kAsTuple);
    co_return !error;
  }
  void close() override {
    beast::error_code ignored;
    tcp().socket().close(ignored);
  }
  std::string remote() const override { return remote_; }

 private:
  std::string explain(const beast::error_code& error) {
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
      return "it has closed the connection";
    if (error == beast::error::timeout) return "TLS: no answer in time";
    if (error.category() != asio::error::get_ssl_category()) return error.message();
    if (!handshake_.foreign_identity.empty())
      return fmt::format("TLS: it has the identity '{}', this manager '{}'; subnet_prefix differs",
                         handshake_.foreign_identity, shared_->identity);
    const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
      return fmt::format(
          "TLS: its certificate is not used: {}",
          X509_verify_cert_error_string(SSL_get_verify_result(stream_.native_handle())));
    if (shared_ && reason == SSL_R_BINDER_DOES_NOT_VERIFY)
      return "TLS: it has another secret (state_store_key_file)";
    constexpr int kAlerts = SSL_AD_REASON_OFFSET;
    if (shared_ &&
        (reason == kAlerts + SSL_AD_ILLEGAL_PARAMETER || reason == kAlerts + SSL_AD_DECRYPT_ERROR ||
         reason == kAlerts + SSL_AD_HANDSHAKE_FAILURE))
      return "TLS: it refuses the secret (state_store_key_file) or the subnet prefix";
    return "TLS: " + error.message();
  }

  Context context_;
  std::shared_ptr<const SharedKey> shared_;  // null: certificates
  Handshake handshake_;
  Stream stream_;
  std::string buffer_;
  std::string remote_;
};

/// A resolver cannot be interrupted while it waits for a server of names.
struct Resolution {
  explicit Resolution(const asio::any_io_executor& executor) : resolver(executor) {}
  tcp::resolver resolver;
  std::vector<std::shared_ptr<asio::steady_timer>> waits{};
  std::optional<std::string> error{};  // "" if it has found endpoints; nothing: under way
  std::vector<tcp::endpoint> endpoints{};
};

/// Shared with the coroutines, which may outlive the transport.
struct TransportState {
  TransportState(mad::Runtime& runtime, TlsSettings given)
      : executor(runtime.executor()), settings(std::move(given)), ready_wake(runtime) {}

  asio::any_io_executor executor;
  TlsSettings settings;
  std::shared_ptr<const SharedKey> shared;           // null: certificates
  std::deque<tcp::acceptor> acceptors;               // coroutines refer to them
  std::map<std::string, std::string> listen_faults;  // by address; "" if it listens
  std::vector<std::weak_ptr<TlsStream>> streams;
  std::map<std::string, std::weak_ptr<Resolution>> resolutions;  // under way, by host and port
  std::deque<NewStream> ready;
  mad::WakeUp ready_wake;
  std::map<asio::ip::address, std::size_t> handshakes;  // under way, by client
  bool is_closed = false;

  /// Clients without the secret leave room for managers.
  void add(NewStream stream) {
    const auto refusals = std::ranges::count_if(ready, [](const auto& one) { return !one; });
    if (ready.size() >= kReadyMax ||
        (!stream && refusals >= static_cast<std::ptrdiff_t>(kRefusalsMax)))
      return;
    ready.push_back(std::move(stream));
    ready_wake.signal();
  }
  /// Returns false if too many handshakes are under way, of all clients or of this one.
  bool begin_handshake(const asio::ip::address& client) {
    std::size_t all = 0;
    for (const auto& [other, count] : handshakes) all += count;
    const auto own = handshakes.find(client);
    if (all >= kHandshakesMax || (own != handshakes.end() && own->second >= kHandshakesOfOneMax))
      return false;
    ++handshakes[client];
    return true;
  }
  void end_handshake(const asio::ip::address& client) {
    if (--handshakes[client] == 0) handshakes.erase(client);
  }
  void keep(const std::shared_ptr<TlsStream>& stream) {
    std::erase_if(streams, [](const auto& other) { return other.expired(); });
    streams.push_back(stream);
  }
};
using State = std::shared_ptr<TransportState>;

/// Ends the handshake that begin_handshake() has noted.
asio::awaitable<void> receive_client(State state, tcp::socket socket, asio::ip::address client) {
  const std::string name = client.to_string();
  auto context = make_context(state->settings);
  if (!context) {
    state->end_handshake(client);
    state->add(tl::unexpected(fmt::format("{}: {}", name, context.error())));
    co_return;
  }
  const auto stream = std::make_shared<TlsStream>(beast::tcp_stream(std::move(socket)),
                                                  std::move(*context), state->shared);
  stream->set_remote(name);
  state->keep(stream);
  const std::string why = co_await stream->shake_hands(TlsStream::Stream::server);
  state->end_handshake(client);
  if (state->is_closed) co_return;
  if (why.empty())
    state->add(std::shared_ptr<ByteStream>(stream));
  else
    state->add(tl::unexpected(fmt::format("{}: {}", name, why)));
}

beast::error_code open_acceptor(tcp::acceptor& acceptor, const tcp::endpoint& endpoint,
                                bool takes_both) {
  beast::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && takes_both && endpoint.protocol() == tcp::v6())
    acceptor.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  return error;
}

asio::awaitable<void> accept_clients(State state, tcp::acceptor& acceptor) {
  asio::steady_timer pause(state->executor);
  while (!state->is_closed) {
    auto [error, socket] = co_await acceptor.async_accept(kAsTuple);
    if (state->is_closed) co_return;
    // Descriptors may be used up for a while.
    pause.expires_after(error ? std::chrono::milliseconds(100) : kAcceptEvery);
    beast::error_code unknown;
    const auto remote = error ? tcp::endpoint() : socket.remote_endpoint(unknown);
    if (!error && !unknown && state->begin_handshake(remote.address()))
      asio::co_spawn(state->executor, receive_client(state, std::move(socket), remote.address()),
                     asio::detached);
    else if (!error)
      socket.close(unknown);
    co_await pause.async_wait(kAsTuple);
  }
}

asio::awaitable<void> run_resolution(State state, std::shared_ptr<Resolution> resolution,
                                     std::string host, std::string port) {
  const auto [failed, found] = co_await resolution->resolver.async_resolve(host, port, kAsTuple);
  resolution->error = failed ? failed.message() : std::string();
  for (const auto& entry : found) resolution->endpoints.push_back(entry.endpoint());
  state->resolutions.erase(host + ' ' + port);
  for (const auto& wait : resolution->waits) wait->cancel();
}

/// Returns within kResolveTime; a resolution that takes longer is used by the next attempt. Errors:
/// one line.
asio::awaitable<tl::expected<std::vector<tcp::endpoint>, std::string>> resolve(
    State state, PeerAddress address) {
  beast::error_code not_numeric;
  const auto numeric = asio::ip::make_address(address.host, not_numeric);
  if (!not_numeric) co_return std::vector<tcp::endpoint>{tcp::endpoint(numeric, address.port)};
  const std::string port = std::to_string(address.port), key = address.host + ' ' + port;
  std::shared_ptr<Resolution> resolution;
  if (const auto under_way = state->resolutions.find(key); under_way != state->resolutions.end())
    resolution = under_way->second.lock();
  if (!resolution) {
    resolution = std::make_shared<Resolution>(state->executor);
    state->resolutions[key] = resolution;
    asio::co_spawn(state->executor, run_resolution(state, resolution, address.host, port),
                   asio::detached);
  }
  const auto wait = std::make_shared<asio::steady_timer>(state->executor, kResolveTime);
  resolution->waits.push_back(wait);
  if (!resolution->error) co_await wait->async_wait(kAsTuple);
  std::erase(resolution->waits, wait);
  if (!resolution->error)
    co_return tl::unexpected(fmt::format("resolve: no answer within {} s", kResolveTime.count()));
  if (!resolution->error->empty()) co_return tl::unexpected("resolve: " + *resolution->error);
  co_return resolution->endpoints;
}

/// Listens at the first endpoint that can be used, at the first of its ports that is free. Returns
/// why it does not; "" if it does.
std::string listen_at(const State& state, const PeerAddress& address,
                      const std::vector<tcp::endpoint>& endpoints) {
  std::string why = "no address";
  for (unsigned place = 0; place < address.ports; ++place) {
    bool is_taken = false;
    for (tcp::endpoint endpoint : endpoints) {
      endpoint.port(at_port(address, place).port);
      tcp::acceptor acceptor(state->executor);
      const beast::error_code error = open_acceptor(acceptor, endpoint, address.host == "*");
      if (!error) {
        tcp::acceptor& kept = state->acceptors.emplace_back(std::move(acceptor));
        asio::co_spawn(state->executor, accept_clients(state, kept), asio::detached);
        return "";
      }
      is_taken |= error == asio::error::address_in_use;
      if (why == "no address" || is_taken) why = error.message();
    }
    if (!is_taken) break;
  }
  return why;
}

/// Returns the endpoints of "*" and of numeric addresses; nothing: the host is a name.
std::vector<tcp::endpoint> numeric_endpoints(const PeerAddress& address) {
  if (address.host == "*")
    return {tcp::endpoint(tcp::v6(), address.port), tcp::endpoint(tcp::v4(), address.port)};
  beast::error_code error;
  const auto numeric = asio::ip::make_address(address.host, error);
  if (error) return {};
  return {tcp::endpoint(numeric, address.port)};
}

/// Tries each second until something listens at the address. The host may get it later, and the
/// program that has the port may end.
asio::awaitable<void> listen_later(State state, PeerAddress address) {
  std::vector<tcp::endpoint> endpoints = numeric_endpoints(address);
  const bool is_name = endpoints.empty();
  asio::steady_timer pause(state->executor);
  while (!state->is_closed) {
    std::string why;
    if (is_name) {
      PeerAddress where = address;
      auto found = co_await resolve(state, std::move(where));
      if (state->is_closed) co_return;
      if (found)
        endpoints = std::move(*found);
      else
        why = std::move(found.error());
    }
    if (why.empty()) why = listen_at(state, address, endpoints);
    state->listen_faults[to_text(address)] = why;
    if (why.empty()) co_return;
    pause.expires_after(kListenAgain);
    co_await pause.async_wait(kAsTuple);
  }
}

/// Listens now if that needs no resolver and works.
void begin_to_listen(const State& state, const PeerAddress& address) {
  const std::vector<tcp::endpoint> endpoints = numeric_endpoints(address);
  std::string why = endpoints.empty() ? "" : listen_at(state, address, endpoints);
  if (!endpoints.empty() && why.empty()) return;
  state->listen_faults[to_text(address)] = std::move(why);
  asio::co_spawn(state->executor, listen_later(state, address), asio::detached);
}

asio::awaitable<NewStream> connect_to(State state, PeerAddress address) {
  auto context = make_context(state->settings);
  if (!context) co_return tl::unexpected(std::move(context.error()));
  PeerAddress where = address;
  auto endpoints = co_await resolve(state, std::move(where));
  if (!endpoints) co_return tl::unexpected(std::move(endpoints.error()));
  const auto stream = std::make_shared<TlsStream>(beast::tcp_stream(state->executor),
                                                  std::move(*context), state->shared);
  stream->set_remote(to_text(address));
  state->keep(stream);
  if (state->is_closed) co_return tl::unexpected(std::string("stopped"));
  stream->tcp().expires_after(kConnectTime);
  const auto [unconnected, endpoint] = co_await stream->tcp().async_connect(*endpoints, kAsTuple);
  if (unconnected) co_return tl::unexpected("connect: " + unconnected.message());
  std::string why = co_await stream->shake_hands(TlsStream::Stream::client);
  if (!why.empty()) co_return tl::unexpected(std::move(why));
  co_return std::shared_ptr<ByteStream>(stream);
}

asio::awaitable<NewStream> accept_next(State state) {
  while (state->ready.empty() && !state->is_closed)
    co_await state->ready_wake.wait_until(mad::TimePoint::max());
  if (state->is_closed) co_return tl::unexpected(std::string("closed"));
  NewStream next = std::move(state->ready.front());
  state->ready.pop_front();
  co_return next;
}

class AsioTransport final : public TlsTransport {
 public:
  explicit AsioTransport(State state) : state_(std::move(state)) {}
  ~AsioTransport() override { close(); }
  asio::awaitable<NewStream> connect(PeerAddress address) override {
    return connect_to(state_, std::move(address));
  }
  asio::awaitable<NewStream> accept() override { return accept_next(state_); }
  void close() override {
    state_->is_closed = true;
    beast::error_code ignored;
    for (tcp::acceptor& acceptor : state_->acceptors) acceptor.close(ignored);
    for (const auto& weak : state_->streams)
      if (const auto stream = weak.lock()) stream->close();
    state_->ready.clear();
    state_->ready_wake.signal();
  }
  std::string fault() const override {
    for (const auto& [address, why] : state_->listen_faults)
      if (!why.empty()) return fmt::format("cannot listen at {}: {}", address, why);
    return {};
  }
  std::vector<std::uint16_t> ports() const override {
    std::vector<std::uint16_t> out;
    beast::error_code error;
    for (const tcp::acceptor& acceptor : state_->acceptors)
      out.push_back(acceptor.local_endpoint(error).port());
    return out;
  }

 private:
  State state_;
};

}  // namespace

std::string to_text(const PeerAddress& address) {
  return address.host.find(':') == std::string::npos
             ? fmt::format("{}:{}", address.host, address.port)
             : fmt::format("[{}]:{}", address.host, address.port);
}

tl::expected<std::unique_ptr<TlsTransport>, std::string> make_tls_transport(mad::Runtime& runtime,
                                                                            TlsSettings settings) {
  const auto state = std::make_shared<TransportState>(runtime, std::move(settings));
  if (!state->settings.certificates) {
    if (state->settings.secret.empty())
      return tl::unexpected(std::string("no secret: set state_store_key_file"));
    auto key = derive_key(state->settings.secret);
    if (!key) return tl::unexpected(std::move(key.error()));
    state->shared = std::make_shared<const SharedKey>(SharedKey{
        .key = *key, .identity = fmt::format("heddle 1 {:016x}", state->settings.subnet_prefix)});
  }
  if (auto context = make_context(state->settings); !context)
    return tl::unexpected(std::move(context.error()));
  for (const PeerAddress& address : state->settings.listen) begin_to_listen(state, address);
  return std::make_unique<AsioTransport>(state);
}

}  // namespace sm::peers
