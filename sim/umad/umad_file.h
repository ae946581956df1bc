#pragma once

#include <rdma/ib_user_mad.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mad/mad_header.h"

namespace sim::umad {

struct Agent;
class PortAgents;

/// A MAD that is queued for read().
struct QueuedMad {
  ib_user_mad_hdr header{};
  std::size_t size = 0;                            // of the MAD, or of the RMPP message
  std::array<std::uint8_t, mad::kMadBytes> mad{};  // the only MAD, or the first of a message
  std::vector<std::uint8_t> message;  // all of an RMPP message that is longer than one MAD
  std::unique_ptr<QueuedMad> next;
};

/// Free MADs, so that none is allocated per MAD.
class MadPool {
 public:
  std::unique_ptr<QueuedMad> take();
  void give(std::unique_ptr<QueuedMad> mad);

 private:
  static constexpr std::size_t kKeptMax = 4096, kMessageKeptMaxBytes = 65536;
  std::unique_ptr<QueuedMad> free_;
  std::size_t kept_ = 0;
};

/// An open umadN. Its descriptor is an eventfd that is readable exactly while a MAD is queued (and
/// always writable), so that poll(), select() and epoll work unchanged. Callers hold the lock of
/// the process.
class UmadFile {
 public:
  static constexpr std::uint32_t kAgentsMax = 32;
  static constexpr std::size_t kQueueMax = 200'000;

  UmadFile(int fd, PortAgents& port, MadPool& pool) : fd_(fd), port_(port), pool_(pool) {}
  ~UmadFile();
  UmadFile(const UmadFile&) = delete;
  UmadFile& operator=(const UmadFile&) = delete;

  int fd() const { return fd_; }
  PortAgents& port() { return port_; }
  std::array<Agent*, kAgentsMax>& agents() { return agents_; }

  std::size_t header_bytes() const {
    return pkey_index_ ? sizeof(ib_user_mad_hdr) : sizeof(ib_user_mad_hdr_old);
  }
  /// Returns false if the file was used before, because the form of the header is then fixed.
  bool enable_pkey_index();
  void set_used() { used_ = true; }

  /// Queues a copy. A file that is not read loses MADs beyond kQueueMax.
  void deliver(const ib_user_mad_hdr& header, std::span<const std::uint8_t> mad);
  /// Updates the descriptor's readiness; called after the last of several deliver().
  void signal();

  /// Returns the first MAD in the form of read(2). Errors: -EAGAIN if there is none, -EINVAL if not
  /// even one MAD fits, -ENOSPC for a longer message (its start is returned, with the length in the
  /// header); the MAD stays in the queue.
  ssize_t read(std::span<std::uint8_t> out);

 private:
  int fd_;
  PortAgents& port_;
  MadPool& pool_;
  std::array<Agent*, kAgentsMax> agents_{};
  bool pkey_index_ = false, used_ = false, signalled_ = false;
  std::unique_ptr<QueuedMad> first_;
  QueuedMad* last_ = nullptr;
  std::size_t queued_ = 0;
};

}  // namespace sim::umad
