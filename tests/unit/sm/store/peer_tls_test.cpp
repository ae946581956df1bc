// A store that managers keep together, over real sockets: who may connect.
#include "mad/format.h"
#include "sm/store/peers/peer_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <thread>

#include "unit/sm/temporary_directory.h"

namespace sm::peers {
namespace peer_tls_test {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace asio = boost::asio;

constexpr std::uint64_t kPrefix = 0xfe80000000000000;

/// Signs certificates.
class Authority {
 public:
  explicit Authority(const std::string& name)
      : key_(EVP_EC_gen("P-256")), certificate_(make(name, key_, nullptr, nullptr, 3600)) {}
  ~Authority() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  CertificateFiles sign(const std::filesystem::path& directory, long seconds = 3600) const {
    const CertificateFiles files{.certificate = directory / "certificate.pem",
                                 .key = directory / "key.pem",
                                 .ca = directory / "ca.pem"};
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = make("manager", key, certificate_, key_, seconds);
    write(files.certificate, [&](FILE* file) { PEM_write_X509(file, certificate); });
    write(files.ca, [&](FILE* file) { PEM_write_X509(file, certificate_); });
    write(files.key, [&](FILE* file) {
      PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    });
    X509_free(certificate);
    EVP_PKEY_free(key);
    return files;
  }

 private:
  template <class Put>
  static void write(const std::filesystem::path& path, Put put) {
    FILE* const file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    put(file);
    std::fclose(file);
  }
  static X509* make(const std::string& name, EVP_PKEY* key, const X509* issuer,
                    EVP_PKEY* issuer_key, long seconds) {
    X509* const out = X509_new();
    X509_set_version(out, 2);
    static long number = 0;
    ASN1_INTEGER_set(X509_get_serialNumber(out), ++number);
    X509_gmtime_adj(X509_getm_notBefore(out), -7200);
    X509_gmtime_adj(X509_getm_notAfter(out), seconds);
    X509_set_pubkey(out, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(out), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(out, X509_get_subject_name(issuer == nullptr ? out : issuer));
    if (issuer == nullptr) {
      X509_EXTENSION* const authority =
          X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
      X509_add_ext(out, authority, -1);
      X509_EXTENSION_free(authority);
    }
    X509_sign(out, issuer == nullptr ? key : issuer_key, EVP_sha256());
    return out;
  }
  EVP_PKEY* key_;
  X509* certificate_;
};

class PeerTlsTest : public testing::Test {
 protected:
  struct Manager {
    std::unique_ptr<TlsTransport> transport;
    std::uint16_t port = 0;
    unsigned ports = 1;
    std::shared_ptr<PeerStore> store;
    std::filesystem::path directory;
    std::uint64_t subnet_prefix = kPrefix;
  };
  ~PeerTlsTest() override {
    for (Manager* const manager : {&a, &b})
      if (manager->store) manager->store->stop();
    run([] { return false; }, 300ms);
  }

  void listen(Manager& manager, std::string secret, std::optional<CertificateFiles> files = {},
              std::uint64_t prefix = kPrefix) {
    manager.subnet_prefix = prefix;
    auto transport = make_tls_transport(*runtime, TlsSettings{.subnet_prefix = prefix,
                                                              .secret = std::move(secret),
                                                              .certificates = std::move(files),
                                                              .listen = {{"127.0.0.1", 0}}});
    ASSERT_TRUE(transport) << transport.error();
    manager.transport = std::move(*transport);
    manager.port = manager.transport->ports().at(0);
  }
  void start() {
    for (Manager* const manager : {&a, &b}) {
      manager->directory = directory.path() / (manager == &a ? "a" : "b");
      std::filesystem::create_directories(manager->directory);
      const Manager& other = manager == &a ? b : a;
      PeerSettings settings{.port_guid = {manager == &a ? 1u : 2u},
                            .subnet_prefix = manager->subnet_prefix,
                            .file = manager->directory / "peer-store",
                            .peers = {{"127.0.0.1", other.port, other.ports}}};
      auto created =
          PeerStore::create(*runtime, std::move(settings), std::move(manager->transport));
      ASSERT_TRUE(created) << created.error();
      manager->store = *created;
    }
    a.store->set_leading(true);
    run([&] { return a.store->copies()->connected == 1; }, 2s);
    std::vector<StoreChange> changes{{.key = "/p/mastership", .value = "a"}};
    bool is_done = false;
    asio::co_spawn(context, a.store->commit({.key = "/p/mastership"}, std::move(changes)),
                   [&](std::exception_ptr, StoreResult<StoreRevision> made) {
                     EXPECT_TRUE(made);
                     is_done = true;
                   });
    EXPECT_TRUE(run([&] { return is_done; }, 5s));
  }
  template <class Done>
  bool run(Done done, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!done() && std::chrono::steady_clock::now() < end) {
      context.restart();
      context.run_for(5ms);
    }
    return done();
  }
  bool is_copied() const { return b.store->copy().find("/p/mastership") != nullptr; }
  /// Returns all reasons that a manager shows.
  static std::string reasons(const Manager& manager) {
    std::string out;
    for (const StorePeer& peer : manager.store->peers())
      out += fmt::format("{}: {}\n", peer.address, peer.why_not);
    return out;
  }
  void expect_refused(const std::string& part) {
    start();
    EXPECT_FALSE(is_copied());
    EXPECT_EQ(a.store->copies()->connected, 0u);
    EXPECT_THAT(reasons(a) + reasons(b), HasSubstr(part));
    for (const Manager* const manager : {&a, &b})
      for (const StorePeer& peer : manager->store->peers()) EXPECT_FALSE(peer.connected);
  }

  TemporaryDirectory directory;
  asio::io_context context{1};
  std::unique_ptr<mad::Runtime> runtime = mad::make_asio_runtime(context.get_executor());
  Manager a, b;
};

TEST_F(PeerTlsTest, ManagersWithOneSecretCopyFromEachOther) {
  listen(a, "secret");
  listen(b, "secret");
  start();
  EXPECT_TRUE(is_copied());
  EXPECT_EQ(a.store->copies()->current, 1u);
  EXPECT_EQ(reasons(a), fmt::format("127.0.0.1:{}: \n", b.port));
}

TEST_F(PeerTlsTest, AnotherSecretIsNamed) {
  listen(a, "secret");
  listen(b, "Secret");
  expect_refused("secret (state_store_key_file)");
}

TEST_F(PeerTlsTest, AnotherSubnetPrefixIsNamed) {
  listen(a, "secret");
  listen(b, "secret", {}, kPrefix + 1);
  expect_refused("subnet_prefix differs");
}

TEST_F(PeerTlsTest, CertificatesOfOneAuthorityAreEnough) {
  const Authority authority("site");
  for (const char* const name : {"1", "2"}) std::filesystem::create_directory(directory / name);
  listen(a, "", authority.sign(directory / "1"));
  listen(b, "", authority.sign(directory / "2"));
  start();
  EXPECT_TRUE(is_copied());
}

TEST_F(PeerTlsTest, ExpiredCertificateIsNamed) {
  const Authority authority("site");
  for (const char* const name : {"1", "2"}) std::filesystem::create_directory(directory / name);
  listen(a, "", authority.sign(directory / "1"));
  listen(b, "", authority.sign(directory / "2", -3600));
  expect_refused("certificate has expired");
}

TEST_F(PeerTlsTest, CertificateOfAnotherAuthorityIsNamed) {
  const Authority authority("site"), other("other site");
  for (const char* const name : {"1", "2"}) std::filesystem::create_directory(directory / name);
  listen(a, "", authority.sign(directory / "1"));
  listen(b, "", other.sign(directory / "2"));
  expect_refused("its certificate is not used");
}

TEST_F(PeerTlsTest, ManagerWithASecretDoesNotTakeACertificate) {
  const Authority authority("site");
  std::filesystem::create_directory(directory / "1");
  listen(a, "secret");
  listen(b, "", authority.sign(directory / "1"));
  expect_refused("TLS");
}

TEST_F(PeerTlsTest, ClientWithoutTlsIsNamedAndClosed) {
  listen(a, "secret");
  listen(b, "secret");
  start();
  asio::ip::tcp::socket client(context);
  client.connect({asio::ip::make_address("127.0.0.1"), a.port});
  asio::write(client, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
  EXPECT_TRUE(run([&] { return reasons(a).find("127.0.0.1: TLS") != std::string::npos; }, 4s))
      << reasons(a);
  EXPECT_EQ(a.store->copies()->current, 1u);
}

TEST_F(PeerTlsTest, ClientOfTls12IsRefused) {
  listen(a, "secret");
  listen(b, "secret");
  start();
  asio::ssl::context old(asio::ssl::context::tlsv12_client);
  asio::ssl::stream<asio::ip::tcp::socket> client(context, old);
  client.next_layer().connect({asio::ip::make_address("127.0.0.1"), a.port});
  std::optional<boost::system::error_code> outcome;
  client.async_handshake(asio::ssl::stream_base::client,
                         [&](const boost::system::error_code& error) { outcome = error; });
  EXPECT_TRUE(run([&] { return outcome.has_value(); }, 4s));
  EXPECT_TRUE(*outcome);
  EXPECT_TRUE(run([&] { return reasons(a).find("127.0.0.1: TLS") != std::string::npos; }, 4s))
      << reasons(a);
}

TEST_F(PeerTlsTest, SilentClientDoesNotKeepOthersOut) {
  listen(a, "secret");
  listen(b, "secret");
  std::vector<asio::ip::tcp::socket> silent;
  for (int number = 0; number < 20; ++number) {
    silent.emplace_back(context, asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.2"), 0));
    silent.back().connect({asio::ip::make_address("127.0.0.1"), a.port});
  }
  start();
  EXPECT_TRUE(is_copied());
}

/// Nothing takes the connections for a while.
TEST_F(PeerTlsTest, ClientsWithoutTheSecretLeaveRoomForManagers) {
  listen(a, "secret");
  listen(b, "secret");
  for (int number = 0; number < 20; ++number) {
    asio::ip::tcp::socket client(context);
    client.connect({asio::ip::make_address("127.0.0.1"), a.port});
    asio::write(client, asio::buffer(std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
    run([] { return false; }, 30ms);
  }
  std::optional<NewStream> connected;
  const auto keep = [&](const std::exception_ptr&, NewStream stream) {
    connected = std::move(stream);
  };
  asio::co_spawn(context, b.transport->connect({"127.0.0.1", a.port}), keep);
  ASSERT_TRUE(run([&] { return connected.has_value(); }, 4s));
  ASSERT_TRUE(*connected) << connected->error();
  bool is_accepted = false;
  for (int number = 0; number < 16 && !is_accepted; ++number) {
    std::optional<NewStream> next;
    asio::co_spawn(context, a.transport->accept(),
                   [&](const std::exception_ptr&, NewStream stream) { next = std::move(stream); });
    if (!run([&] { return next.has_value(); }, 500ms)) break;
    is_accepted = next->has_value();
  }
  EXPECT_TRUE(is_accepted);
  for (Manager* const manager : {&a, &b}) manager->transport->close();
  run([] { return false; }, 100ms);
}

TEST_F(PeerTlsTest, UnusableSettingsAreRefusedAtTheStart) {
  const auto fault = [&](TlsSettings settings) {
    const auto made = make_tls_transport(*runtime, std::move(settings));
    return made ? std::string() : made.error();
  };
  EXPECT_THAT(fault({}), HasSubstr("state_store_key_file"));
  EXPECT_THAT(fault({.certificates = CertificateFiles{.certificate = directory / "missing",
                                                      .key = directory / "missing",
                                                      .ca = directory / "missing"}}),
              HasSubstr("missing"));
}

TEST_F(PeerTlsTest, AddressThatTheHostLacksIsNamedAndDoesNotKeepOthersFromListening) {
  const auto made = make_tls_transport(
      *runtime, TlsSettings{.secret = "secret", .listen = {{"192.0.2.1", 0}, {"127.0.0.1", 0}}});
  ASSERT_TRUE(made) << made.error();
  EXPECT_THAT((*made)->fault(), HasSubstr("cannot listen at 192.0.2.1:0"));
  EXPECT_EQ((*made)->ports().size(), 1u);
}

TEST_F(PeerTlsTest, TakenPortIsUsedOnceItIsFree) {
  std::optional<asio::ip::tcp::acceptor> other;
  other.emplace(context, asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0));
  const std::uint16_t port = other->local_endpoint().port();
  const auto made = make_tls_transport(
      *runtime, TlsSettings{.secret = "secret", .listen = {{"127.0.0.1", port}}});
  ASSERT_TRUE(made) << made.error();
  EXPECT_THAT((*made)->fault(), HasSubstr("cannot listen at 127.0.0.1"));
  EXPECT_TRUE((*made)->ports().empty());
  other.reset();
  EXPECT_TRUE(run([&] { return (*made)->fault().empty(); }, 4s)) << (*made)->fault();
  EXPECT_EQ((*made)->ports(), std::vector<std::uint16_t>{port});
}

TEST_F(PeerTlsTest, NameIsListenedAtWhenItIsResolved) {
  const auto made =
      make_tls_transport(*runtime, TlsSettings{.secret = "secret", .listen = {{"localhost", 0}}});
  ASSERT_TRUE(made) << made.error();
  EXPECT_TRUE(run([&] { return (*made)->ports().size() == 1; }, 4s)) << (*made)->fault();
}

/// The first port belongs to another program, and so the manager listens at a later one.
TEST_F(PeerTlsTest, NextPortIsTakenAndFoundByOthers) {
  asio::ip::tcp::acceptor other(context,
                                asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0));
  const std::uint16_t port = other.local_endpoint().port();
  auto made = make_tls_transport(
      *runtime, TlsSettings{.subnet_prefix = kPrefix,
                            .secret = "secret",
                            .listen = {{.host = "127.0.0.1", .port = port, .ports = 8}}});
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ((*made)->fault(), "");
  ASSERT_EQ((*made)->ports().size(), 1u);
  EXPECT_EQ(((*made)->ports()[0] - port) % static_cast<int>(kPortStep), 0);
  EXPECT_GT((*made)->ports()[0], port);
  other.close();
  listen(a, "secret");
  b.transport = std::move(*made);
  b.port = port;
  b.ports = 8;
  start();
  EXPECT_TRUE(run([&] { return is_copied(); }, 5s)) << reasons(a) << reasons(b);
}

}  // namespace peer_tls_test
}  // namespace sm::peers
