#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "fabric/namespace.h"

namespace fabric {

// ThreadSanitizer reports only races that occur: its build (preset tsan) uses four threads even for
// a small fabric, on any machine.
#ifdef HEDDLE_ALWAYS_THREADS
inline constexpr bool kAlwaysThreads = true;
#else
inline constexpr bool kAlwaysThreads = false;
#endif

/// Lets a test pretend, on this thread, that the machine has so many processors and that any work
/// is worth a thread. The result of a routing must not depend on the number.
class ProcessorsForTest {
 public:
  explicit ProcessorsForTest(std::size_t processors) { count() = processors; }
  ~ProcessorsForTest() { count() = 0; }
  ProcessorsForTest(const ProcessorsForTest&) = delete;
  ProcessorsForTest& operator=(const ProcessorsForTest&) = delete;
  /// Returns 0 outside such a test.
  static std::size_t& count() {
    thread_local std::size_t processors = 0;
    return processors;
  }
};

/// Returns the number of threads that can run at once.
inline std::size_t threads_max() {
  if (const std::size_t processors = ProcessorsForTest::count(); processors > 0) return processors;
  if (kAlwaysThreads) return 4;
  static const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
  return processors;  // asked for once: each time, the system reads a file
}

/// Calls body(begin, end) for consecutive parts of 0 .. count, one thread each, at most one per
/// processor and none with fewer than `least_each` elements. The result of the body must not depend
/// on the partition; it must not throw.
template <class Body>
void in_parallel(std::size_t count, std::size_t least_each, Body&& body) {
  const bool always = kAlwaysThreads || ProcessorsForTest::count() > 1;
  const std::size_t each = always ? 1 : std::max<std::size_t>(least_each, 1);
  const std::size_t parts = std::clamp<std::size_t>(count / each, 1, threads_max());
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part)
    threads.emplace_back([&body, begin = count * part / parts, end = count * (part + 1) / parts] {
      body(begin, end);
    });
  body(std::size_t{0}, count / parts);
}

}  // namespace fabric
