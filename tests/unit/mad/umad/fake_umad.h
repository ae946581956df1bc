#pragma once
// libibumad without a kernel: the functions that call it are defined in the test program, and so
// override those of the shared library.

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "mad/ids.h"
#include "mad/transport.h"

namespace fake_umad {

struct Port {
  std::string device;
  int number = 1;
  std::uint64_t guid = 0;
  unsigned state = 4;
  std::string link_layer = "InfiniBand";
  std::uint32_t capability_mask = 0;
  std::uint64_t node_guid = 0;
};

struct Arrival {
  mad::MadBytes bytes{};
  int length = mad::kMadSizeBytes;
  int status = 0;       // the result of umad_status()
  int refuse_once = 0;  // the first read fails with this errno (ENOSPC: the buffer is too small)
  std::uint16_t lid = 0;
};

struct Sent {
  int agent = 0, timeout_ms = 0, retries = 0, port_id = 0;
  std::uint16_t lid = 0;
  mad::MadBytes bytes{};
};

/// The state of the emulated kernel. One mutex for all of it: the receive thread and the test both
/// access it.
struct Kernel {
  std::mutex mutex;
  std::vector<Port> ports;
  std::string issm_path;           // empty: none
  int open_error = 0;              // errno of umad_open_port
  unsigned refused_class = 0x100;  // umad_register of it fails
  int refusal = 0;                 // with this errno
  int send_error = 0;
  /// umad_send() waits for a signal, as if it were in the kernel or in a full socket; with
  /// `holds_mutex`, umad_recv() waits for it, as with ibsim's preload library.
  std::atomic<bool> send_blocks = false, holds_mutex = false;
  std::atomic<unsigned> sends_interrupted = 0;
  int device_fd = -1;  // umad_get_fd: non-blocking, as the kernel's; -1 as in ibsim's library
  std::vector<std::pair<unsigned, std::array<long, 2>>>
      registered;  // class, methods; the agent's number is the index
  std::set<int> unregistered;
  bool closed = false;
  std::vector<std::string> opened;  // devices; the port id is kFirstPortId and the index
  static constexpr int kFirstPortId = 7;
  std::vector<Sent> sent;

  void reset();
  /// Delivers a MAD to the polling thread. Any thread.
  void deliver(Arrival arrival);

  // The descriptor of poll(), and the MADs to be read
  int pipe[2] = {-1, -1};
  std::vector<Arrival> arrivals;
};

Kernel& kernel();

}  // namespace fake_umad
