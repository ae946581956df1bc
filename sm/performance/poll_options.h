#pragma once

#include <cstdint>

#include "config/options.h"
#include "sm/performance/noise.h"

namespace sm {

/// The options that a poll depends on.
struct PollOptions {
  bool query_class_port_info = true, follow_redirection = true,
       other_nodes = false,  // redirection to another node is followed, too
      ignore_cas = false, clear_saturated = false, log_errors = true, log_xmit_wait = false;
  std::uint32_t xmit_wait_threshold = 65535;  // ticks
  ErrorLimits limits;
  mad::Sl sl{};

  static PollOptions of(const config::Options& options);
};

}  // namespace sm
