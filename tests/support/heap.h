#pragma once
// How much memory the program holds.

#include <malloc.h>

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_UNDER_ASAN
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif
#endif

namespace support {

/// Bytes that were allocated and not freed.
inline std::size_t heap_bytes() {
#ifdef HEDDLE_UNDER_ASAN
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace support
