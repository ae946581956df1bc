// Preload library: counts every MAD that a program hands to libibumad, by management class, method
// and attribute, and writes the counts to the file named by SMP_COUNT_FILE when the program exits.
// Must be before umad2sim in LD_PRELOAD. It counts MADs of Heddle and OpenSM in the same manner,
// retries included, independently of their own counters.

#include <dlfcn.h>
#include <infiniband/umad.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::size_t kClasses = 256, kMethods = 8,
                      kAttributes = 256;  // attributes above 255 share the last counter

// Static, so zero pages until used: no allocation in the traced program.
std::array<std::array<std::array<std::atomic<std::uint32_t>, kAttributes>, kMethods>, kClasses>
    counts;  // NOLINT

// The few methods that occur, packed: Get 1, Set 2, Send 3, Trap 5, Report 6, TrapRepress 7;
// responses have index 0.
std::size_t method_slot(unsigned method) { return method < kMethods ? method : 0; }

void write_counts() {
  const char* path = std::getenv("SMP_COUNT_FILE");
  if (path == nullptr) return;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return;
  for (std::size_t mgmt_class = 0; mgmt_class < kClasses; ++mgmt_class) {
    for (std::size_t method = 0; method < kMethods; ++method) {
      for (std::size_t attribute = 0; attribute < kAttributes; ++attribute) {
        const std::uint32_t count = counts[mgmt_class][method][attribute];
        if (count != 0)
          std::fprintf(file, "%zx %zx %zx %u\n", mgmt_class, method, attribute, count);
      }
    }
  }
  std::fclose(file);
}

struct AtExit {
  ~AtExit() { write_counts(); }
} at_exit;

}  // namespace

extern "C" __attribute__((visibility("default"))) int umad_send(int portid, int agentid, void* umad,
                                                                int length, int timeout_ms,
                                                                int retries) {
  using Send = int (*)(int, int, void*, int, int, int);
  static const auto next = reinterpret_cast<Send>(dlsym(RTLD_NEXT, "umad_send"));
  const auto* mad = static_cast<const std::uint8_t*>(umad_get_mad(umad));
  const unsigned attribute = static_cast<unsigned>(mad[16]) << 8 | mad[17];
  counts[mad[1]][method_slot(mad[3])][attribute < kAttributes ? attribute : kAttributes - 1]
      .fetch_add(1, std::memory_order_relaxed);
  return next(portid, agentid, umad, length, timeout_ms, retries);
}
