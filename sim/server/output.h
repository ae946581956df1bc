#pragma once
// Text to a pipe, terminal or file whose reader may be slow: writes do not block.

#include <string>
#include <string_view>

namespace sim::server {

class Output {
 public:
  static constexpr std::size_t kMaxBytes = 64u << 20;  // text beyond that is lost

  explicit Output(int fd) : fd_(fd) {}
  void write(std::string_view text);
  /// Writes as much as the reader takes now. True if text is left.
  bool flush();
  /// Waits for the reader for a bounded time.
  void finish();

 private:
  int fd_;
  bool broken_ = false;
  std::string waiting_;
};

}  // namespace sim::server
