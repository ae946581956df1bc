#pragma once

#include <unistd.h>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "sim/umad/device.h"
#include "sim/umad/port_agents.h"
#include "sim/umad/sysfs_tree.h"
#include "sim/umad/umad_file.h"

namespace sim::umad {

/// The kinds of this process's descriptors. Looked up without a lock at each read(), write() and
/// close() of the program.
enum class DescriptorKind : std::uint8_t {
  foreign = 0,
  umad,
  issm,
  own,   // of this library: the program must not close it
  dead,  // inherited from the process that forked us; its simulator connection stayed there
};

class Descriptors {
 public:
  static constexpr int kMax = 65536;

  static DescriptorKind kind(int fd) {
    if (fd < 0 || fd >= kMax) return DescriptorKind::foreign;
    return kinds_[static_cast<std::size_t>(fd)].load(std::memory_order_acquire);
  }
  /// Returns false if the number is too large.
  static bool set(int fd, DescriptorKind kind) {
    if (fd < 0 || fd >= kMax) return false;
    kinds_[static_cast<std::size_t>(fd)].store(kind, std::memory_order_release);
    return true;
  }

 private:
  static inline std::array<std::atomic<DescriptorKind>, kMax> kinds_{};
};

/// The state of this library in one process: devices, open files, and the thread that reads from
/// the simulator. Created when the program first uses a simulated path; a forked child creates its
/// own.
class Process {
 public:
  /// Returns the object of this process, and creates it on the first call; null if there is no
  /// simulator (reported once on stderr).
  static Process* get();
  /// Returns null if get() was not called yet, or not successfully.
  static Process* started();

  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Returns the real path of a simulated one, and updates its content.
  std::string redirect(const std::string& tidy_path);

  // These implement the system calls, and return a negative errno for an error.
  int open_umad(unsigned number, int flags);
  int open_issm(unsigned number, int flags);
  /// Returns -EAGAIN if the queue is empty, whatever the flags of the file are.
  ssize_t read(int fd, std::span<std::uint8_t> out);
  ssize_t write(int fd, std::span<const std::uint8_t> bytes);
  int ioctl(int fd, unsigned long request, void* argument);
  /// Removes the descriptor; the caller closes it.
  void forget(int fd);

  /// Disconnects and removes the files at process end. Other threads may still use the object.
  void leave();

 private:
  using Clock = PortAgents::Clock;
  Process() = default;
  static void prepare_fork();
  static void after_fork_parent();
  static void after_fork_child();

  tl::expected<void, std::string> start();
  void stop();
  void run();
  Clock::time_point next_wait(Clock::time_point now);
  void wake_if_before(Clock::time_point deadline);
  void watch(PortAgents& port);
  PortAgents& keep(std::unique_ptr<SimulatorLink> link);
  std::optional<std::array<std::uint8_t, 64>> query(PortAgents& port, mad::AttributeId attribute,
                                                    std::uint32_t modifier);
  const DevicePort* find_port(unsigned umad, const Device** device = nullptr) const;

  const pid_t owner_ = getpid();
  ServerAddress server_;
  std::mutex tree_mutex_;  // taken before mutex_
  std::unique_ptr<SysfsTree> tree_;
  std::vector<Device> devices_;               // does not change once started
  std::atomic<std::uint64_t> exchanged_ = 0;  // MADs that the program sent or received

  struct WatchedPort {
    std::unique_ptr<PortAgents> agents;
    bool for_writing = false;
  };
  std::mutex mutex_;  // protects all members below
  std::condition_variable answered_;
  std::vector<std::unique_ptr<WatchedPort>> ports_;
  MadPool pool_;
  std::unordered_map<int, std::unique_ptr<UmadFile>> files_;
  std::unordered_map<int, PortAgents*> issm_;
  Clock::time_point sleeps_until_{};
  bool busy_ = false, stop_ = false;
  int epoll_ = -1, wake_ = -1;
  std::thread thread_;
};

}  // namespace sim::umad
