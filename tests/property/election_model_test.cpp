// The election of two and three managers, every interleaving up to a depth: each step is one read
// of SMInfo, one end of a survey, one message that is delivered, repeated or lost, one poll, one
// crash or one start. From every state that is reached, a run without further faults has to end
// with exactly one MASTER, the manager of highest rank, and stay so.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "sm/election/election.h"

namespace election_model_test {

using mad::SmState;
using sm::SmAction;
using sm::SmEvent;

constexpr int kManagersMax = 3;
constexpr std::size_t kMessagesMax = 2;
constexpr int kMissesMax = 1;
constexpr int kNone = -1;
constexpr std::int8_t kUnread = -1, kAbsent = -2;  // of what a survey has read

/// Everything about one manager that later steps depend on. Manager 0 has the highest rank.
struct Node {
  bool runs = false;
  SmState state = SmState::discovering;
  std::int8_t follows = kNone;
  std::int8_t missed = 0;
  std::int8_t successor = kNone;  // a HANDOVER to it has no outcome yet
  std::uint8_t passed_over = 0;
  std::array<std::int8_t, kManagersMax> read{kUnread, kUnread, kUnread};  // by the survey under way

  auto operator<=>(const Node&) const = default;
};

enum class Kind : std::uint8_t { handover, accepted, refused, acknowledge };
struct Message {
  Kind kind;
  std::int8_t from, to;
  auto operator<=>(const Message&) const = default;
};

struct Model {
  int size = 2;
  std::array<Node, kManagersMax> nodes{};
  std::vector<Message> messages{};
  auto operator<=>(const Model&) const = default;
};

mad::SmInfo info_of(int which, SmState state) {
  mad::SmInfo info;
  info.set_guid(mad::Guid{static_cast<std::uint64_t>(which) + 1});
  info.set_priority(5);
  info.set_sm_state(state);
  return info;
}

void forget_survey(Node& node) { node.read.fill(kUnread); }

void enter(Node& node, SmState state, int follows = kNone) {
  node.state = state;
  node.follows = static_cast<std::int8_t>(follows);
  node.missed = 0;
  node.successor = kNone;
  forget_survey(node);
}

void post(Model& model, Kind kind, int from, int to) {
  const Message message{kind, static_cast<std::int8_t>(from), static_cast<std::int8_t>(to)};
  if (model.messages.size() < kMessagesMax) model.messages.push_back(message);  // else it is lost
}

std::int8_t what_is_read(const Model& model, int other) {
  const Node& node = model.nodes[static_cast<std::size_t>(other)];
  if (!node.runs) return kAbsent;
  // As Manager::own_sm_info: STANDBY while a HANDOVER has no outcome.
  return static_cast<std::int8_t>(node.successor != kNone ? SmState::standby : node.state);
}

bool surveys(const Node& node) {
  return node.runs && node.successor == kNone &&
         (node.state == SmState::discovering || node.state == SmState::master);
}

/// The survey has read all others.
void conclude(Model& model, int which) {
  Node& node = model.nodes[static_cast<std::size_t>(which)];
  std::vector<fabric::OtherSm> others;
  std::vector<mad::Guid> passed_over;
  for (int other = 0; other < model.size; ++other) {
    const std::int8_t read = node.read[static_cast<std::size_t>(other)];
    if (other == which || read < 0) continue;
    others.push_back({.port = {}, .route = {}, .info = info_of(other, static_cast<SmState>(read))});
    if (node.passed_over & (1 << other)) passed_over.push_back(others.back().info.guid());
  }
  const sm::SmRank self = sm::find_rank(info_of(which, node.state));
  const sm::ElectionDecision decision = sm::elect(self, node.state, others, passed_over);
  const sm::SmRule* const rule = sm::find_rule(node.state, decision.event);
  ASSERT_NE(rule, nullptr);
  const int other =
      decision.other ? static_cast<int>(decision.other->info.guid().value) - 1 : kNone;
  if (rule->action == SmAction::hand_over) {
    node.successor = static_cast<std::int8_t>(other);
    post(model, Kind::handover, which, other);
    return;  // what was read of `other` counts when the HANDOVER has no answer
  }
  enter(node, rule->to, rule->action == SmAction::poll ? other : kNone);
}

/// No response to HANDOVER, or a refusal: a MASTER leads nevertheless, if it still answers.
void handover_failed(Model& model, int which) {
  Node& node = model.nodes[static_cast<std::size_t>(which)];
  const int to = node.successor;
  const Node& successor = model.nodes[static_cast<std::size_t>(to)];
  const bool was_master =
      node.read[static_cast<std::size_t>(to)] == static_cast<std::int8_t>(SmState::master);
  if (was_master && successor.runs && successor.state == SmState::master &&
      successor.successor == kNone)
    return enter(node, sm::find_rule(node.state, SmEvent::handover_accepted)->to, to);
  node.passed_over |= static_cast<std::uint8_t>(1 << to);
  node.successor = kNone;
  forget_survey(node);
}

void deliver(Model& model, const Message& message) {
  Node& node = model.nodes[static_cast<std::size_t>(message.to)];
  if (!node.runs) return;
  switch (message.kind) {
    case Kind::handover:
    case Kind::acknowledge: {
      const bool handover = message.kind == Kind::handover;
      const SmState claimed = handover ? SmState::master : SmState::standby;
      sm::ControlRequest request{
          .control = mad::SmInfo::modifier(handover ? mad::SmControl::handover
                                                    : mad::SmControl::acknowledge),
          .sender = info_of(message.from, claimed),
          .master = {},
          .from_successor = node.successor == message.from};
      const bool knows = node.state == SmState::master
                             ? node.read[static_cast<std::size_t>(message.from)] ==
                                   static_cast<std::int8_t>(SmState::master)
                             : node.follows == message.from;
      if (knows) request.master = request.sender;
      const sm::ControlAnswer answer = sm::ControlRequests().answer(node.state, 1, request, {});
      if (handover)
        post(model, answer.rule != nullptr ? Kind::accepted : Kind::refused, message.to,
             message.from);
      if (answer.rule == nullptr) return;
      if (answer.rule->action == SmAction::acknowledge)
        post(model, Kind::acknowledge, message.to, message.from);
      if (answer.rule->action == SmAction::poll) return enter(node, answer.rule->to, message.from);
      if (answer.rule->action == SmAction::none) return;
      if (node.successor != kNone) return;  // a survey follows when the HANDOVER has ended
      return enter(node, answer.rule->to);
    }
    case Kind::accepted:
      if (node.successor == message.from)
        enter(node, sm::find_rule(node.state, SmEvent::handover_accepted)->to, message.from);
      return;
    case Kind::refused:
      if (node.successor == message.from) handover_failed(model, message.to);
      return;
  }
}

/// As Standby::polled. kUnread: the poll was lost.
void poll(Node& node, std::int8_t read) {
  const bool responds = read >= 0;
  if (read == static_cast<std::int8_t>(SmState::master) ||
      read == static_cast<std::int8_t>(SmState::discovering)) {
    node.missed = 0;
    return;
  }
  if (++node.missed <= kMissesMax) return;
  if (responds) node.passed_over |= static_cast<std::uint8_t>(1 << node.follows);
  enter(node, sm::find_rule(node.state, SmEvent::master_gone)->to);
}

bool expects_message(const Model& model, int which) {
  return std::ranges::any_of(model.messages, [&](const Message& message) {
    return (message.from == which && message.kind == Kind::handover) || message.to == which;
  });
}

void start(Node& node) {
  node = {};
  node.runs = true;
}

/// All that may happen next, faults included.
std::vector<Model> successors(const Model& model) {
  std::vector<Model> result;
  const auto with = [&](auto change) {
    Model next = model;
    change(next);
    std::ranges::sort(next.messages);
    result.push_back(std::move(next));
  };
  for (int i = 0; i < model.size; ++i) {
    const auto which = static_cast<std::size_t>(i);
    const Node& node = model.nodes[which];
    if (!node.runs) {
      with([&](Model& next) { start(next.nodes[which]); });
      continue;
    }
    with([&](Model& next) { next.nodes[which] = {}; });  // crash
    if (surveys(node)) {
      bool all_read = true;
      for (int other = 0; other < model.size; ++other) {
        const auto of = static_cast<std::size_t>(other);
        if (other == i || node.read[of] != kUnread) continue;
        all_read = false;
        with([&](Model& next) { next.nodes[which].read[of] = what_is_read(model, other); });
        if (model.nodes[of].runs)
          with([&](Model& next) { next.nodes[which].read[of] = kAbsent; });  // lost
        break;  // the order of reads is that of the managers
      }
      if (all_read) with([&](Model& next) { conclude(next, i); });
    }
    if (node.successor != kNone && !expects_message(model, i))
      with([&](Model& next) { handover_failed(next, i); });
    if (node.state == SmState::standby) {
      with([&](Model& next) { poll(next.nodes[which], what_is_read(model, node.follows)); });
      with([&](Model& next) { poll(next.nodes[which], kAbsent); });  // lost
    }
    if (node.passed_over != 0) with([&](Model& next) { next.nodes[which].passed_over = 0; });
  }
  for (std::size_t m = 0; m < model.messages.size(); ++m) {
    const Message message = model.messages[m];
    with([&](Model& next) {
      next.messages.erase(next.messages.begin() + static_cast<std::ptrdiff_t>(m));
      deliver(next, message);
    });
    with([&](Model& next) { deliver(next, message); });  // and once more later
    with([&](Model& next) {
      next.messages.erase(next.messages.begin() + static_cast<std::ptrdiff_t>(m));  // lost
    });
  }
  return result;
}

/// Everything that is due happens once, without a fault; the manager `first` begins.
Model fair_round(Model model, int first) {
  const std::vector<Message> arriving = std::exchange(model.messages, {});
  for (const Message& message : arriving) deliver(model, message);
  for (int i = 0; i < model.size; ++i) {
    const int which = (first + i) % model.size;
    Node& node = model.nodes[static_cast<std::size_t>(which)];
    if (!node.runs) continue;
    if (node.successor != kNone) {
      if (!expects_message(model, which)) handover_failed(model, which);
    } else if (surveys(node)) {
      for (int other = 0; other < model.size; ++other)
        if (other != which) node.read[static_cast<std::size_t>(other)] = what_is_read(model, other);
      conclude(model, which);
    } else if (node.state == SmState::standby) {
      poll(node, what_is_read(model, node.follows));
    }
  }
  for (Node& node : model.nodes) node.passed_over = 0;  // the pauses end
  return model;
}

/// One MASTER, the highest of those that run, and all others follow it.
bool settled(const Model& model) {
  int master = kNone;
  for (int i = 0; i < model.size; ++i) {
    const Node& node = model.nodes[static_cast<std::size_t>(i)];
    if (!node.runs) continue;
    if (master == kNone) {
      master = i;
      if (node.state != SmState::master) return false;
    } else if (node.state != SmState::standby || node.follows != master) {
      return false;
    }
  }
  return model.messages.empty();
}

std::string text_of(const Model& model) {
  std::string text;
  for (int i = 0; i < model.size; ++i) {
    const Node& node = model.nodes[static_cast<std::size_t>(i)];
    text += node.runs ? std::string(sm::state_text(node.state)) : "down";
    text += " follows " + std::to_string(node.follows) + " successor " +
            std::to_string(node.successor) + " missed " + std::to_string(node.missed) + "; ";
  }
  return text + std::to_string(model.messages.size()) + " messages";
}

constexpr int kRoundsMax = 12;

/// The number of states, each of which settles.
std::size_t explore(int size, unsigned depth_max) {
  Model begin{.size = size};
  std::set<Model> seen{begin};
  std::vector<std::set<Model>> good(static_cast<std::size_t>(size));
  std::deque<std::pair<Model, unsigned>> open{{begin, 0}};
  while (!open.empty()) {
    const auto [model, depth] = std::move(open.front());
    open.pop_front();
    for (int first = 0; first < size; ++first) {
      std::set<Model>& known = good[static_cast<std::size_t>(first)];
      std::vector<Model> path{model};
      while (!known.contains(path.back()) && !settled(path.back())) {
        if (path.size() > kRoundsMax) {
          std::string text;
          for (const Model& each : path) text += text_of(each) + '\n';
          ADD_FAILURE() << "does not settle:\n" << text;
          return seen.size();
        }
        path.push_back(fair_round(path.back(), first));
      }
      if (!known.contains(path.back())) {
        const Model later = fair_round(fair_round(path.back(), first), first);
        if (!settled(later)) {
          ADD_FAILURE() << "does not stay settled:\n"
                        << text_of(path.back()) << '\n'
                        << text_of(later);
          return seen.size();
        }
      }
      known.insert(path.begin(), path.end());
    }
    if (depth == depth_max) continue;
    for (Model& next : successors(model)) {
      if (seen.insert(next).second) open.emplace_back(std::move(next), depth + 1);
    }
  }
  return seen.size();
}

TEST(ElectionModel, TwoManagersSettleFromEveryState) {
  const std::size_t states = explore(2, 40);
  RecordProperty("states", std::to_string(states));
  EXPECT_GT(states, 1'000u);
}

TEST(ElectionModel, ThreeManagersSettleFromEveryState) {
  const std::size_t states = explore(3, 15);
  RecordProperty("states", std::to_string(states));
  EXPECT_GT(states, 10'000u);
}

}  // namespace election_model_test
