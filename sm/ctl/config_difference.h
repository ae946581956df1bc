#pragma once
// Differences between the configurations of two managers of a subnet.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sm::ctl {

struct OptionDifference {
  std::string key, here, there;
  std::string note;  // why equal values differ; "" otherwise
};
/// True if managers share state, and one of them has this GUID, or this address in state_peers, by
/// the answer of /v1/subnet.
bool is_shared_manager(const nlohmann::ordered_json& subnet, std::string_view name);
/// Returns why options_of_master() does not have the differences from the manager of this name, as
/// is_shared_manager() takes it ("": the master); "" if it has them. Only the master shares its
/// configuration.
std::string why_not_compared(const nlohmann::ordered_json& subnet, std::string_view name);
/// Returns the options whose values differ at the manager that this one follows, by the rows of
/// /v1/options.
std::vector<OptionDifference> options_of_master(const nlohmann::ordered_json& rows);
/// Compares the rows of two managers. Leaves out options of one host, those that one of the two
/// does not know, and secrets that are set on both.
std::vector<OptionDifference> differing_options(const nlohmann::ordered_json& here,
                                                const nlohmann::ordered_json& there);
/// Returns {"differences": [{"option", "here", "there", "note"}]}.
nlohmann::ordered_json config_differences_json(const std::vector<OptionDifference>& differences);
std::string config_differences_text(const std::vector<OptionDifference>& differences);

}  // namespace sm::ctl
