#pragma once
// Text to a pipe, terminal or file whose reader may be slow: never waits for it.

#include <string>
#include <string_view>

namespace sim::server {

class Output {
 public:
  static constexpr std::size_t kMaxBytes = 64u << 20;  // what waits beyond that is lost

  explicit Output(int fd) : fd_(fd) {}
  void write(std::string_view text);
  /// Writes what the reader takes now. True if something waits still.
  bool flush();
  /// Waits for the reader, but not for ever.
  void finish();

 private:
  int fd_;
  bool broken_ = false;
  std::string waiting_;
};

}  // namespace sim::server
