// POST /v1/plan: bodies of clients.

#include <cstdlib>
#include <string_view>

#include "sm/ops/api/what_if.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto change = sm::api::read_what_if(body);
  if (!change) {
    const unsigned status = change.error().status;
    if ((status != 400 && status != 422) || change.error().body.empty()) std::abort();
    return 0;
  }
  if (change->without.size() > sm::api::kWithoutMax) std::abort();
  if (change->partitions && change->partitions->size() > sm::api::kPartitionsBytesMax) std::abort();
  return 0;
}
