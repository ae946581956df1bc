#pragma once
// Conditions that the operator should know, and how a module declares its kinds.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/namespace.h"
#include "mad/ids.h"

namespace fabric {

enum class Severity : std::uint8_t {
  info,      // a consequence of the configuration that is worth knowing
  warning,   // something does not get what was asked for
  error,     // a fault that Heddle works around; to be repaired
  critical,  // the fabric, or a part of it, cannot be used
};
std::string_view name(Severity severity);

/// Says when a condition ends. A state is active as long as its cause, and the part that raises it
/// clears it. An occurrence is in the past as soon as it is known: it is shown with its time, and
/// is never active.
enum class Nature : std::uint8_t { state, occurrence };
std::string_view name(Nature nature);

class ConditionSet;

/// Explains an identifier; `heddlectl explain` prints the texts for the operator.
struct ConditionKind {
  /// Says how conditions of a kind differ from states of fixed severity and text.
  enum Trait : unsigned {
    occurrence = 1,      // Nature::occurrence
    by_consequence = 2,  // each condition has a severity of its own, by what it cuts off
    has_figures = 4,     // the text has figures that change while the condition lasts
    is_of_link = 8,      // what is wrong concerns both ends of a link
  };

  ConditionSet& set;      // to which the row belongs
  std::string_view name;  // "SM-NODE-SILENT": in logs, status and API; never changed once released
  Severity severity;
  std::string_view meaning;  // one sentence
  std::string_view cause;    // what usually leads to it
  std::string_view effect;   // what Heddle does while it is active, or what stays undone
  std::string_view remedy;   // what the operator is to do
  unsigned traits = 0;

  bool has(Trait trait) const { return (traits & trait) != 0; }
  bool is_occurrence() const { return has(occurrence); }
  Nature nature() const { return is_occurrence() ? Nature::occurrence : Nature::state; }
};

class ConditionRow;

/// Identifies a kind by its row. Order: by name; no kind comes first.
class ConditionId {
 public:
  constexpr ConditionId() = default;
  constexpr ConditionId(const ConditionRow& row);

  constexpr const ConditionKind* operator->() const { return kind_; }
  constexpr const ConditionKind& operator*() const { return *kind_; }

  friend constexpr bool operator==(const ConditionId&, const ConditionId&) = default;
  friend constexpr std::strong_ordering operator<=>(ConditionId a, ConditionId b) {
    return a.name() <=> b.name();
  }

 private:
  constexpr std::string_view name() const { return kind_ == nullptr ? "" : kind_->name; }

  const ConditionKind* kind_ = nullptr;
};

/// Base of the declared kinds of a module. A kind is one member:
///
///   struct SaConditions : ConditionSet {
///     ConditionRow sa_busy{{*this, "SM-SA-BUSY", warning, "Requests ...", ..., occurrence}};
///   };
///   inline constexpr SaConditions kSaConditions;
class ConditionSet {
 public:
  using enum Severity;
  using enum ConditionKind::Trait;

  ConditionSet(const ConditionSet&) = delete;

  /// Returns the kinds in the order of their declaration.
  constexpr std::span<const ConditionId> ids() const { return {ids_.data(), count_}; }

 protected:
  constexpr ConditionSet() = default;

 private:
  friend class ConditionRow;

  std::array<ConditionId, 24> ids_{};
  std::size_t count_ = 0;
};

/// One kind, as a member of a set.
class ConditionRow : public ConditionKind {
 public:
  constexpr ConditionRow(const ConditionKind& kind) : ConditionKind(kind) {
    set.ids_[set.count_++] = *this;
  }
  ConditionRow(const ConditionRow&) = delete;
};
constexpr ConditionId::ConditionId(const ConditionRow& row) : kind_(&row) {}

/// Identifies a condition while its text changes.
struct ConditionSubject {
  ConditionId id{};
  mad::Guid guid = {};
  std::optional<mad::PortNum> port = {};

  bool operator==(const ConditionSubject&) const = default;
};

/// One condition of one subject. Two conditions are the same if they are equal.
struct Condition {
  ConditionId id{};
  std::string text;     // one sentence that names the subject: description, GUID, port
  mad::Guid guid = {};  // of the node or end port that it is about; 0 if it is about none
  std::optional<mad::PortNum> port = {};
  std::optional<Severity> severity = {};           // by consequence; nothing: that of its kind
  std::optional<ConditionSubject> caused_by = {};  // a condition whose text counts this one

  bool operator==(const Condition&) const = default;
};
Severity find_severity(const Condition& condition);
inline ConditionSubject find_subject(const Condition& condition) {
  return {condition.id, condition.guid, condition.port};
}
/// Returns "warning", for example, or "by consequence" if each condition has a severity of its own.
std::string_view severity_text(const ConditionKind& kind);

/// Collects conditions of one kind: the first `shown`, then a condition that counts the rest.
class ConditionList {
 public:
  explicit ConditionList(ConditionId id, std::size_t shown = 10) : id_(id), shown_(shown) {}
  void add(std::string text) {
    if (++count_ <= shown_) conditions_.push_back({.id = id_, .text = std::move(text)});
  }
  std::vector<Condition> take();

 private:
  ConditionId id_;
  std::size_t shown_, count_ = 0;
  std::vector<Condition> conditions_;
};

}  // namespace fabric
