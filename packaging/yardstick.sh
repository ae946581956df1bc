#!/usr/bin/env bash
# How fast this machine compiles now: the user CPU seconds of one fixed unit (GoogleTest and Asio, g++ -O2), the median of five. Figures of machines, and of
# quiet and busy hours of one machine, are compared as ratios to it. Needs the packages for tests.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/unit.cpp" <<'UNIT'
#include <gtest/gtest.h>
#include <boost/asio.hpp>
#include <map>
#include <regex>
#include <string>
boost::asio::awaitable<void> echo(boost::asio::ip::tcp::socket socket) {
  std::string buffer(1024, '\0');
  for (;;) {
    const std::size_t n = co_await socket.async_read_some(boost::asio::buffer(buffer), boost::asio::use_awaitable);
    co_await boost::asio::async_write(socket, boost::asio::buffer(buffer, n), boost::asio::use_awaitable);
  }
}
TEST(Yardstick, Compiles) {
  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket(context);
  boost::asio::co_spawn(context, echo(std::move(socket)), boost::asio::detached);
  std::map<std::string, std::regex> patterns{{"word", std::regex("[a-z]+")}};
  EXPECT_TRUE(std::regex_match("heddle", patterns.at("word")));
}
UNIT
TIMEFORMAT=%U
for _ in 1 2 3 4 5; do
  { time g++ -std=c++20 -O2 -c "$work/unit.cpp" -o "$work/unit.o"; } 2>> "$work/seconds"
done
printf 'yardstick: %s s of user CPU for one unit of GoogleTest and Asio (median of 5)\n' "$(sort -n "$work/seconds" | sed -n 3p)"
