#pragma once
// Which faults of a node's agents (sim/world/model.h) explain what a manager reports of it.

#include "sim/world/model.h"

namespace sim {

/// Some requests may get no answer in time, or one with a status.
inline bool may_not_answer(const Health& health) {
  return !health.powered || health.silent || health.agent_ignores_requests ||
         health.slow_max > mad::Duration{} || health.slow_min > mad::Duration{} ||
         health.service_time > mad::Duration{} || health.ignored_probability > 0 ||
         health.bad_status > 0 || health.lies > 0 || health.edit_response || health.reject ||
         health.react;
}
/// Some answers may not be true.
inline bool answers_wrongly(const Health& health) {
  return health.lies > 0 || health.edit_response || health.edit_request || health.react;
}
inline bool is_faulty(const Health& health) {
  return may_not_answer(health) || answers_wrongly(health) || health.react_general;
}

}  // namespace sim
