
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "config/base64.h"
#include "config/check.h"
#include "config/http_peer.h"

namespace config::listen_address_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ListenAddress, IsReadAndWritten) {
  for (const char* text : {"192.0.2.1:8080", "node-1.example:443", "*:9315", "[2001:db8::1]:8080",
                           "[fe80::1%ib0]:80", "unix:/run/heddle/http.sock"}) {
    const auto address = parse_listen_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
  EXPECT_EQ(parse_listen_address("[::1]:80")->host, "::1");
  EXPECT_TRUE(parse_listen_address("unix:/a")->is_unix());
}

TEST(ListenAddress, OthersAreNone) {
  for (const std::string& text :
       {std::string(), std::string("8080"), std::string(":80"), std::string("host"),
        std::string("host:0"), std::string("host:65536"), std::string("host:80x"),
        std::string("::1:80"), std::string("[::1]"), std::string("[host]:80"),
        std::string("[fe80::1%]:80"), std::string("[1%a:b]:80"), std::string("a b:80"),
        std::string("http://host:80"), std::string("unix:a"), std::string("unix:"),
        std::string("unix:/a/"), "unix:/" + std::string(200, 'a')})
    EXPECT_FALSE(parse_listen_address(text)) << text;
}

TEST(HttpEndpoint, IsReadFromAUrl) {
  for (const auto& [url, port, text] :
       {std::tuple("https://store-1.example:2380/", 2379, "https://store-1.example:2380"),
        std::tuple("http://[::1]", 2379, "http://[::1]:2379"),
        std::tuple("https://sm-2", 0, "https://sm-2:443"),
        std::tuple("http://192.0.2.1/", 0, "http://192.0.2.1:80")}) {
    const auto endpoint = parse_http_endpoint(url, static_cast<std::uint16_t>(port));
    ASSERT_TRUE(endpoint) << url;
    EXPECT_EQ(endpoint->text(), text);
  }
  for (const char* url : {"", "host:2379", "ftp://host", "http://", "http://host:0",
                          "http://host:65536", "http://host:1x", "http://host/path", "http://[::1",
                          "http://a b", "http://*", "http://unix:/a"})
    EXPECT_FALSE(parse_http_endpoint(url)) << url;
}

TEST(Base64, IsReadBack) {
  for (const auto& [bytes, text] : {std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
                                    std::pair("foobar", "Zm9vYmFy")})  // RFC 4648, 10
    EXPECT_EQ(to_base64(bytes), text);
  std::string bytes;
  for (unsigned value = 0; value < 256; ++value) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(value);
  }
  for (const char* text : {"a", "ab=", "a===", "=abc", "ab c", "abc\n", "ab=c"})
    EXPECT_FALSE(from_base64(text)) << text;
}

TEST(HttpPeer, IsAGuidAndWhereItServes) {
  for (const auto& [text, url] :
       {std::pair("0x2c90300000001=https://sm-2:8443", "https://sm-2:8443"),
        std::pair("0x2c90300000001=https://sm-2", "https://sm-2"),
        std::pair("0x2c90300000001=http://192.0.2.1:80/", "http://192.0.2.1:80"),
        std::pair("0x2c90300000001=https://[2001:db8::1]", "https://[2001:db8::1]"),
        std::pair("0x2c90300000001=https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443")}) {
    const auto peer = parse_http_peer(text);
    ASSERT_TRUE(peer) << text;
    EXPECT_EQ(peer->id, 0x2c90300000001u);
    EXPECT_EQ(peer->url, url);
  }
}

TEST(HttpPeer, OthersAreNone) {
  for (const char* text : {"",
                           "sm-2",
                           "0x1",
                           "0x1=",
                           "0=https://sm-2",
                           "sm-2=https://sm-2",
                           "0x1=sm-2:8443",
                           "0x1=ftp://sm-2",
                           "0x1=https://",
                           "0x1=https://sm-2/v1",
                           "0x1=https://sm-2//",
                           "0x1=https://user@sm-2",
                           "0x1=https://sm-2?a",
                           "0x1=https://sm-2:",
                           "0x1=https://sm-2:0",
                           "0x1=https://*:443",
                           "0x1=https://unix:/run/a",
                           "0x1=https://sm-2\r\nX: y",
                           "0x1=https://[::1",
                           "0x1=https://2001:db8::1"})
    EXPECT_FALSE(parse_http_peer(text)) << text;
}

std::vector<std::string> find_faults(const Options& options) {
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : check_options(options)) texts.push_back(diagnostic.text());
  return texts;
}

TEST(CheckHttp, FaultsHaveTheirPlace) {
  Options options;
  options.http_listen = {"host", "*:80", "*:80"};
  options.http_tls_cert = "cert.pem";
  options.http_users_file = "users";
  options.origins["http_listen"] = {"x.conf", 3, 13};
  EXPECT_THAT(find_faults(options),
              ElementsAre("x.conf:3:13: error: http_listen 'host' is no address; write HOST:PORT, "
                          "[IPV6]:PORT, *:PORT or unix:/PATH",
                          "x.conf:3:13: error: http_listen names *:80 twice; name it once",
                          "error: http_tls_cert and http_tls_key need each other; set both, or "
                          "none"));
}

TEST(CheckHttp, PeersAreManagersWithAddresses) {
  Options options;
  options.http_listen = {"unix:/run/heddle/http.sock"};
  options.http_tls_cert = options.http_tls_key = "x.pem";
  options.http_peers = {"sm-2", "0x1=https://sm-1", "0x01=https://sm-1", "0x2=http://sm-2"};
  options.origins["http_peers"] = {"x.conf", 4, 1};
  EXPECT_THAT(
      find_faults(options),
      ElementsAre("x.conf:4:1: error: http_peers 'sm-2' names no manager; write PORT_GUID=URL, "
                  "such as 0x0002c90300000001=https://sm-2:8443",
                  "x.conf:4:1: error: http_peers names 0x0000000000000001 twice; name it once",
                  "x.conf:4:1: warning: clients that use TLS here are sent to http://sm-2 without "
                  "it; use an https URL"));
}

TEST(CheckHttp, UsersWhoCannotLogInAreAnError) {
  Options options;
  options.http_users_file = "users";
  for (const char* address : {"0.0.0.0:80", "*:80", "[::]:80", "192.0.2.1:80", "sm-1:80",
                              "127.example.org:80", "[fe80::1%eth0]:80"}) {
    options.http_listen = {"127.0.0.1:79", address};
    EXPECT_THAT(find_faults(options),
                ElementsAre(std::string("error: no user can log in at http_listen ") + address +
                            ": passwords are refused without TLS; set http_tls_cert and "
                            "http_tls_key, or listen on 127.0.0.1, or set http_plain_passwords "
                            "TRUE"));
  }
  for (const char* address :
       {"127.0.0.1:80", "127.1.2.3:80", "localhost:80", "[::1]:80", "unix:/run/heddle/x"}) {
    options.http_listen = {address};
    EXPECT_THAT(find_faults(options), IsEmpty()) << address;
  }
  options.http_listen = {"0.0.0.0:80"};
  options.http_tls_cert = "cert", options.http_tls_key = "key";
  EXPECT_THAT(find_faults(options), IsEmpty());
}

TEST(CheckHttp, WhatHasNoEffectIsAWarning) {
  Options options;
  options.http_users_file = "users";
  EXPECT_THAT(find_faults(options),
              ElementsAre("warning: http_* keys have no effect without http_listen; set "
                          "http_listen, or leave them out"));
  options.http_listen = {"unix:/run/heddle/http.sock"};
  EXPECT_THAT(find_faults(options), IsEmpty());
  options.http_listen = {"127.0.0.1:80"};
  options.http_plain_passwords = true;
  EXPECT_THAT(find_faults(options),
              ElementsAre("warning: passwords are readable on the network; set http_tls_cert and "
                          "http_tls_key"));
}

}  // namespace config::listen_address_test
