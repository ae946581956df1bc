// Answers about vports: whatever a host says, vports of other hosts stay Active, and its own become
// Active again when it answers as it should.
#include <cstdio>
#include <cstdlib>

#include "fuzz/sm/vport_answers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = vport_answers::Lab().play({data, size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
