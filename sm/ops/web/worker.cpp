#include "sm/ops/web/worker.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sm::web {

void lower_priority_of_this_thread() {
  constexpr int kNice = 15;  // 3 % of a processor that another thread wants
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));  // Linux: of the thread alone
  setpriority(PRIO_PROCESS, thread, kNice);
}

}  // namespace sm::web
