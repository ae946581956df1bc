#pragma once
// Sends MADs without waiting for the device.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "mad/runtime.h"
#include "mad/transport.h"

namespace mad::umad {

/// Passes MADs to libibumad on a thread of its own, in the order of send(). A device that takes
/// none then stops this thread only: firmware that hangs, or a simulator whose sockets are full.
/// ibsim's preload library also holds a mutex while it waits, which it needs to receive, and for
/// each poll() and open() of the process. A signal therefore ends each wait after kSendMax; the
/// thread tries again after a pause, which grows.
/// MADs that the runtime's thread sends in one turn wake the thread once: waking it for each MAD
/// would cost more than sending the MAD.
class Outbox {
 public:
  static constexpr std::size_t kWaitingMax =
      512;  // MADs; further ones wait for room, or are refused
  static constexpr std::size_t kUnannouncedMax = 32;  // MADs of one turn; then the thread is woken
  /// How long send() waits for room at most, and only while the device takes MADs.
  static constexpr Duration kRoomMax = std::chrono::milliseconds(5);
  static constexpr Duration kSendMax = std::chrono::milliseconds(20);
  /// The device is blocked after this time without a MAD that it took. A MAD that has waited for
  /// this time is not sent: its sender has repeated it, or given it up.
  static constexpr Duration kBlockedAfter = std::chrono::seconds(1);

  /// The outcome of one MAD. Valid during the call.
  struct Outcome {
    std::span<const std::uint8_t> mad;
    const MadAddress& to;
    bool awaits_response;
    int error;  // 0: the device took it; else an errno, EAGAIN for a MAD that waited too long
  };
  /// `on_outcome` is called on the outbox's thread. `on_blocked` is called on the runtime's thread,
  /// with true when the device is blocked, and with false when it takes MADs again.
  Outbox(Runtime& runtime, std::function<void(const Outcome&)> on_outcome,
         std::function<void(bool)> on_blocked);
  /// Sends what waits, unless the device is blocked.
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  struct Device {
    int port_id = -1, agent = -1;  // of libibumad
  };
  /// Returns 0, or EAGAIN if kWaitingMax MADs wait and there is no room for kRoomMax.
  int send(Device device, std::span<const std::uint8_t> mad, const MadAddress& to,
           int response_timeout_ms);

 private:
  struct Item {
    std::vector<std::uint8_t> umad;  // header of libibumad, then the MAD; keeps its capacity
    MadAddress to;
    Device device;
    int response_timeout_ms = 0;
    TimePoint queued{};
  };
  void run();
  int pass(Item& item);
  void wake_thread();
  Duration untaken_for() const;
  void watch();

  Runtime& runtime_;
  std::function<void(const Outcome&)> on_outcome_;
  std::function<void(bool)> on_blocked_;
  std::unique_ptr<Timer> timer_;  // expires while MADs wait
  bool watching_ = false, blocked_ = false;
  std::size_t unannounced_ = 0;  // MADs added since the thread was woken
  /// The handler that wakes the thread at the end of a turn holds it, since it may outlive the
  /// outbox.
  struct Turn {
    std::mutex mutex;
    Outbox* outbox;  // null after the destructor
  };
  std::shared_ptr<Turn> turn_ = std::make_shared<Turn>();

  std::mutex mutex_;
  std::condition_variable added_, removed_;
  std::vector<Item> items_;          // a ring; the thread uses those from head_ to tail_
  std::size_t head_ = 0, tail_ = 0;  // guarded by mutex_; they only grow
  bool ending_ = false;              // guarded by mutex_
  /// The time since which the device has taken no MAD although one waits; 0 if it takes them.
  std::atomic<TimePoint::rep> untaken_since_ = 0;
  std::thread thread_;  // last: the thread uses the others
};

/// The signal with which threads end each other's blocking calls.
int wake_signal();
/// Makes that signal do nothing else. Call it before the first such thread.
void make_wake_signal_interrupt();

}  // namespace mad::umad
