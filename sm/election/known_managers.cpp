#include "sm/election/known_managers.h"

#include <algorithm>

#include "mad/format.h"
#include "sm/election/state_machine.h"

namespace sm {
namespace {

std::string find_state(const KnownManager& sm) {
  return fmt::format("priority {}, {}{}", sm.priority, state_text(sm.state),
                     sm.counts ? "" : ", treated as absent");
}

}  // namespace

std::vector<std::string> KnownManagers::replace(std::vector<KnownManager> now) {
  if (now.size() > kMax) now.resize(kMax);
  std::vector<std::string> lines;
  for (const KnownManager& sm : now) {
    const auto before = std::ranges::find(list_, sm.guid, &KnownManager::guid);
    if (before == list_.end()) {
      lines.push_back(fmt::format("subnet manager found: {}: {}", sm.name, find_state(sm)));
    } else if (find_state(*before) != find_state(sm)) {
      lines.push_back(fmt::format("subnet manager changed: {}: {} (was {})", sm.name,
                                  find_state(sm), find_state(*before)));
    }
  }
  for (const KnownManager& sm : list_) {
    if (std::ranges::find(now, sm.guid, &KnownManager::guid) == now.end())
      lines.push_back(
          fmt::format("subnet manager disappeared: {}: was {}", sm.name, find_state(sm)));
  }
  list_ = std::move(now);
  return lines;
}

std::string KnownManagers::update(const mad::SmInfo& info) {
  const auto sm = std::ranges::find(list_, info.guid(), &KnownManager::guid);
  if (sm == list_.end() || (sm->priority == info.priority() && sm->state == info.sm_state()))
    return {};
  const std::string before = find_state(*sm);
  sm->priority = info.priority();
  sm->state = info.sm_state();
  return fmt::format("subnet manager changed: {}: {} (was {})", sm->name, find_state(*sm), before);
}

}  // namespace sm
