#include "config/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "config/qos_settings.h"
#include "config/schema.h"

namespace config {
namespace {

/// Returns the engines of the configuration; without a name the default.
WordList configured_engines(const Options& options) {
  return options.routing_engine.empty() ? WordList{std::string(kDefaultEngine)}
                                        : options.routing_engine;
}

/// Holds some keys, and what they need.
struct Need {
  std::vector<std::string_view> keys;
  bool (*is_fulfilled)(const Options& options);
  std::string_view other;  // as the operator writes it
};

const std::vector<Need>& needs() {
  static const std::vector<Need> kNeeds{
      {{"m_key_lease_period"}, [](const Options& o) { return o.uses_m_keys(); }, "m_key"},
      {{"perfmgr_redir", "perfmgr_sweep_time_s", "perfmgr_max_outstanding_queries",
        "perfmgr_ignore_cas", "perfmgr_rm_nodes", "perfmgr_log_errors", "perfmgr_query_cpi",
        "perfmgr_xmit_wait_log", "perfmgr_xmit_wait_threshold", "perfmgr_clear_saturated",
        "perfmgr_symbol_errors_per_hour", "perfmgr_link_recoveries_per_hour",
        "perfmgr_receive_errors_per_hour", "perfmgr_discards_per_hour", "event_db_dump_file",
        "hm_sw_noisy_action", "hm_ca_noisy_action", "hm_num_noisy_hours"},
       [](const Options& o) { return o.perfmgr; },
       "perfmgr TRUE"},
      {{"perfmgr_xmit_wait_threshold"},
       [](const Options& o) { return o.perfmgr_xmit_wait_log || !o.perfmgr; },
       "perfmgr_xmit_wait_log TRUE"},
      {{"console_port"},
       [](const Options& o) { return o.console == Console::loopback; },
       "console loopback"},
      {{"pid_file"}, [](const Options& o) { return o.daemon; }, "daemon TRUE"},
      {{"subnet_lst_file"},
       [](const Options& o) { return o.enable_subnet_lst; },
       "enable_subnet_lst TRUE"},
      {{"virt_probe_timeout"},
       [](const Options& o) { return o.virt_enabled == 2; },
       "virt_enabled 2"},
      {{"sminfo_polling_timeout", "polling_retry_number", "standby_read_rate", "allowed_sm_guids",
        "honor_guid2lid_file"},
       [](const Options& o) { return !o.ignore_other_sm; },
       "ignore_other_sm FALSE"},
      {{"guid_routing_order_no_scatter"},
       [](const Options& o) { return o.scatter_ports != 0; },
       "scatter_ports"},
      {{"guid_routing_order_no_scatter"},
       [](const Options& o) { return !o.guid_routing_order_file.empty(); },
       "guid_routing_order_file"},
      {{"use_optimized_slvl"},
       [](const Options& o) {
         return o.qos || std::ranges::any_of(configured_engines(o), engine_assigns_vls);
       },
       "qos TRUE"}};
  return kNeeds;
}

/// Lists what the keys of management classes, of routers and of events need.
const std::vector<Need>& needs_of_keys() {
  static const std::vector<Need> kNeeds{{{"vs_key_lease_period", "vs_key_ci_protect_bits"},
                                         [](const Options& o) { return o.vs_key_enable == 2; },
                                         "vs_key_enable 2"},
                                        {{"vs_max_outstanding_mads"},
                                         [](const Options& o) { return o.vs_key_enable != 0; },
                                         "vs_key_enable 1 or 2"},
                                        {{"n2n_key_lease_period", "n2n_key_protect_bit"},
                                         [](const Options& o) { return o.n2n_key_enable == 2; },
                                         "n2n_key_enable 2"},
                                        {{"n2n_max_outstanding_mads"},
                                         [](const Options& o) { return o.n2n_key_enable != 0; },
                                         "n2n_key_enable 1 or 2"},
                                        {{"router_policy_file"},
                                         [](const Options& o) { return o.router_policy_enabled; },
                                         "router_policy_enabled TRUE"},
                                        {{"router_policy_enabled"},
                                         [](const Options& o) { return o.read_router_tables; },
                                         "read_router_tables TRUE"},
                                        {{"event_command_timeout"},
                                         [](const Options& o) { return !o.event_command.empty(); },
                                         "event_command"}};
  return kNeeds;
}

void add_if_set(const Options& options, const std::vector<std::string>& keys,
                std::string_view other, Diagnostics& out) {
  std::vector<std::string_view> set;
  const Origin* place = nullptr;
  for (const std::string& key : keys) {
    const auto origin = options.origins.find(key);
    if (origin == options.origins.end()) continue;
    if (set.empty()) place = &origin->second;
    set.push_back(key);
  }
  if (set.empty()) return;
  const bool several = set.size() > 1;
  out.push_back({Severity::warning, place->file, place->line, place->column,
                 fmt::format("{} {} no effect without {}", fmt::join(set, ", "),
                             several ? "have" : "has", other),
                 fmt::format("set {}, or leave {} out", other, several ? "them" : "it"), true});
}

/// Returns "routing_engine minhop, dor or file".
std::string one_of(std::span<const std::string_view> engines) {
  const auto others = engines.first(engines.size() - 1);
  return fmt::format("routing_engine {}{}{}", fmt::join(others, ", "), others.empty() ? "" : " or ",
                     engines.back());
}

/// Adds the keys that only other engines read, those of the same engines together.
void add_keys_of_other_engines(const Options& options, Diagnostics& out) {
  const WordList engines = configured_engines(options);
  std::vector<std::pair<std::vector<std::string_view>, std::vector<std::string>>> unread;
  for (const Key& key : keys()) {
    std::vector<std::string_view> readers = engines_that_read(key.name);
    const bool is_read = std::ranges::any_of(
        engines, [&](const std::string& engine) { return engine_reads(engine, key.name); });
    if (readers.empty() || is_read) continue;
    auto group = std::ranges::find(unread, readers, [](const auto& entry) { return entry.first; });
    if (group == unread.end())
      group = unread.insert(group, {std::move(readers), std::vector<std::string>{}});
    group->second.emplace_back(key.name);
  }
  for (auto& [readers, names] : unread) add_if_set(options, names, one_of(readers), out);
}

}  // namespace

Diagnostics ineffective_options(const Options& options) {
  Diagnostics found;
  if (std::ranges::none_of(options.routing_engine, routes_adaptively)) {
    std::vector<std::string> settings;
    for (const Key& key : keys())
      if (key.section == Section::adaptive_routing) settings.emplace_back(key.name);
    std::vector<std::string_view> engines;
    std::ranges::copy_if(built_engines(), std::back_inserter(engines), routes_adaptively);
    add_if_set(options, settings, one_of(engines), found);
  }
  if (!options.qos) {
    std::vector<std::string> lists;
    for (const QosScope scope :
         {QosScope::all, QosScope::ca, QosScope::sw0, QosScope::swe, QosScope::rtr})
      for (const std::string_view name :
           {"max_vls", "high_limit", "vlarb_high", "vlarb_low", "sl2vl"})
        lists.push_back(fmt::format("{}_{}", qos_prefix(scope), name));
    add_if_set(options, lists, "qos TRUE", found);
  }
  if (!options.congestion_control) {
    std::vector<std::string> settings;
    for (const Key& key : keys())
      if (key.section == Section::congestion && key.name != "congestion_control")
        settings.emplace_back(key.name);
    add_if_set(options, settings, "congestion_control TRUE", found);
  } else if (constexpr unsigned kSetKey = 2; options.cc_key_enable != kSetKey) {
    add_if_set(options, {"cc_key_lease_period", "cc_key_protect_bit"}, "cc_key_enable 2", found);
  }
  for (const auto* const all : {&needs(), &needs_of_keys()})
    for (const Need& need : *all)
      if (!need.is_fulfilled(options))
        add_if_set(options, {need.keys.begin(), need.keys.end()}, need.other, found);
  add_keys_of_other_engines(options, found);
  return found;
}

}  // namespace config
