#include "sim/replay/personality.h"

namespace sim {

void Personality::add(unsigned port, const fabric::RecordedAnswer& answer) {
  if (!answer.outcome.ok()) answers_.emplace(Key(port, answer.attribute, answer.modifier), answer);
  const auto [uniform, first] = uniform_.try_emplace({port, answer.attribute}, answer);
  if (!first && uniform->second && uniform->second->outcome.status != answer.outcome.status)
    uniform->second = std::nullopt;
}

void Personality::add_content(unsigned port, const fabric::RecordedAnswer& answer) {
  answers_.emplace(Key(port, answer.attribute, answer.modifier), answer);
}

std::optional<Reaction> Personality::react(mad::SmpView smp, unsigned port) {
  const fabric::RecordedAnswer* answer = nullptr;
  const auto found = answers_.find({port, smp.attribute_id(), smp.attribute_modifier()});
  if (found != answers_.end()) {
    answer = &found->second;
  } else if (const auto uniform = uniform_.find({port, smp.attribute_id()});
             uniform != uniform_.end() && uniform->second && !uniform->second->outcome.ok()) {
    answer = &*uniform->second;
  }
  if (answer == nullptr) return std::nullopt;
  if (smp.method() == mad::Method::get) {
    smp.set_data(answer->data);
  } else if (answer->outcome.ok()) {
    answers_.erase(found);
    return std::nullopt;
  }
  return Reaction{answer->outcome.status};
}

}  // namespace sim
