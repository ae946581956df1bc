#pragma once
// A manager of priority 3 that answers, as the console shows it.

#include "partitions/configuration.h"
#include "sm/ops/console/console_text.h"

namespace console_facts {

inline sm::console::StatusFacts make(sm::console::PerformanceFacts performance = {}) {
  sm::ManagerStatus status;
  status.priority = 3;
  return {.status = std::move(status),
          .context = sm::make_context({}, {}, partitions::default_configuration()),
          .answers = true,
          .log_flags = 0x83,
          .performance = performance};
}

}  // namespace console_facts
