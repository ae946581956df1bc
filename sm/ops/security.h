#pragma once
// Findings for /v1/security and heddlectl security: what is protected by which key against whom,
// what is open, and what to set. A pure function of options and status.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "fabric/condition.h"
#include "sm/ops/row_declaration.h"
#include "sm/ops/status.h"

namespace sm {

struct SecurityConditions : ConditionSet {
  ConditionRow default_keys{
      {*this, "SM-DEFAULT-KEYS", info,
       "sm_key or sa_key has its default, which every program knows.", "The options were not set.",
       "Any host of the subnet can act as a subnet manager or as a trusted client of subnet "
       "administration.",
       "Set sm_key and sa_key to secret numbers, the same for all subnet managers. `heddlectl "
       "security` shows what else is open."}};
};
inline constexpr SecurityConditions kSecurityConditions;

enum class Protection : std::uint8_t {
  open,    // hosts that are not trusted can do it
  partly,  // some of them can, or it is protected against accidents only
  closed,
};
std::string_view name(Protection protection);

/// One thing that a host or program may try.
struct SecurityFinding {
  std::string_view subject;  // "ports: settings"
  std::string_view against;  // "a host that sends from QP0"
  Protection protection = Protection::open;
  std::string_view by;  // the options that decide it
  std::string state;    // one sentence
  std::string remedy;   // what to set; empty: nothing
};

/// The open ones first.
std::vector<SecurityFinding> security_findings(const config::Options& options,
                                               const ManagerStatus& status);
RowInfo security_info();
nlohmann::json security_row(const SecurityFinding& finding);

/// sm_key or sa_key is what every program knows: SM-DEFAULT-KEYS.
std::vector<Condition> default_key_conditions(const config::Options& options);

}  // namespace sm
