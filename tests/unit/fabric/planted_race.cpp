// A data race on purpose, between the threads of routing: ThreadSanitizer must report it. If it
// does not, its silence about the other programs means nothing.

#include <cstddef>
#include <cstdio>

#include "fabric/parallel.h"

int main() {
  std::size_t sum = 0;
  fabric::in_parallel(4, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sum += i;
  });
  std::printf("%zu\n", sum);
}
