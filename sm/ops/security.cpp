#include "sm/ops/security.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {
namespace {

using SecurityFindings = std::vector<SecurityFinding>;

bool is_default_sm_key(const config::Options& o) { return o.sm_key == config::Options{}.sm_key; }
bool is_default_sa_key(const config::Options& o) { return o.sa_key == config::Options{}.sa_key; }

void add_managers(SecurityFindings& to, const config::Options& o) {
  const bool is_default = is_default_sm_key(o), is_listed = !o.allowed_sm_guids.empty();
  SecurityFinding finding{.subject = "mastership",
                          .against = "a host that runs a subnet manager",
                          .protection = Protection::closed,
                          .by = "sm_key, allowed_sm_guids",
                          .state = "others need the sm_key, and a port that allowed_sm_guids names",
                          .remedy = {}};
  if (is_default) {
    finding.protection = is_listed ? Protection::partly : Protection::open;
    finding.state = is_listed ? "sm_key is the default; only the ports of allowed_sm_guids count"
                              : "sm_key is the default, which every program knows";
    finding.remedy = "sm_key: a secret number, the same for all subnet managers";
  } else if (!is_listed) {
    finding.protection = Protection::partly;
    finding.state = "others need the sm_key; they may run at any port";
    finding.remedy = "allowed_sm_guids: the port GUIDs of all subnet managers";
  }
  to.push_back(std::move(finding));
}

void add_m_keys(SecurityFindings& to, const config::Options& o) {
  SecurityFinding finding{.subject = "settings of ports and switches",
                          .against = "a host that sends management packets (QP0)",
                          .protection = Protection::open,
                          .by = "m_key_per_port, key_mgr_seed, m_key, m_key_protection_level",
                          .state = "ports have no M_Key: any host can change them",
                          .remedy = "m_key_per_port TRUE, key_mgr_seed, m_key_protection_level 1"};
  if (o.uses_m_keys() && o.m_key_protection_level == 0) {
    finding.state = "ports show their M_Key to all who read it";
    finding.remedy = "m_key_protection_level 1";
  } else if (o.uses_m_keys() && !o.m_key_per_port) {
    finding.protection = Protection::partly;
    finding.state = "all ports have one M_Key, which each host is sent in responses to its traps";
    finding.remedy = "m_key_per_port TRUE, and a secret key_mgr_seed";
  } else if (o.uses_m_keys() && o.key_mgr_seed == 0) {
    finding.protection = Protection::partly;
    finding.state = "keys are derived from m_key, which hosts may know from before";
    finding.remedy = "key_mgr_seed: another secret number";
  } else if (o.uses_m_keys()) {
    finding.protection = Protection::closed;
    finding.state = fmt::format("each port has an M_Key of its own, protection level {}",
                                o.m_key_protection_level);
    finding.remedy.clear();
  }
  to.push_back(std::move(finding));
}

void add_key_changes(SecurityFindings& to, const config::Options& o, const ManagerStatus& status) {
  SecurityFinding finding{.subject = "keys of the past",
                          .against = "one who has recorded or copied keys",
                          .protection = Protection::open,
                          .by = "periodic_key_update",
                          .state = "keys stay the same until the configuration changes",
                          .remedy = "periodic_key_update: minutes, such as 1440"};
  if (!o.derives_keys()) {
    finding.state = "no keys are derived that could change by themselves";
    finding.remedy = "m_key_per_port TRUE, key_mgr_seed, periodic_key_update";
  } else if (o.periodic_key_update != 0) {
    finding.protection = Protection::closed;
    finding.state = fmt::format("keys change every {} minutes; the version is {}",
                                o.periodic_key_update, status.key_version.current);
    finding.remedy.clear();
  }
  to.push_back(std::move(finding));
}

void add_class_keys(SecurityFindings& to, const ManagerStatus& status) {
  for (const ClassKeyStatus& keyed : status.class_keys) {
    SecurityFinding finding{.subject = keyed.name,
                            .against = "a host that sends requests of that class",
                            .protection = Protection::open,
                            .by = keyed.option,
                            .state = fmt::format("devices have no key for class {:#04x}, as far as "
                                                 "this manager sets one",
                                                 keyed.mgmt_class),
                            .remedy = fmt::format("{} 2, and a secret key_mgr_seed", keyed.option)};
    if (keyed.mode == ClassKeyMode::set) {
      const bool is_complete = keyed.rejected + keyed.silent + keyed.open == 0;
      finding.protection = is_complete ? Protection::closed : Protection::partly;
      finding.state = fmt::format(
          "class {:#04x}: {} ports have a key of their own, {} do not have the class, {} did not "
          "take it, {} do not answer, {} are not done",
          keyed.mgmt_class, keyed.keyed, keyed.absent, keyed.rejected, keyed.silent, keyed.open);
      finding.remedy = is_complete ? "" : "look at SM-CLASS-KEY-UNKNOWN: heddlectl conditions";
    }
    to.push_back(std::move(finding));
  }
}

/// All devices have the same key: a host that reads it from one of them can use it at the others.
void add_congestion_key(SecurityFindings& to, const config::Options& o) {
  constexpr unsigned kSetKey = 2;
  const bool is_set = o.congestion_control && o.cc_key_enable == kSetKey && o.cc_key != 0;
  to.push_back(
      {.subject = "congestion control of devices",
       .against = "a host that sends requests of class 0x21",
       .protection = is_set ? Protection::partly : Protection::open,
       .by = "cc_key_enable",
       .state = is_set ? "all devices have the one CC_Key"
                       : "devices have no CC_Key, as far as this manager sets one",
       .remedy = is_set ? "" : "congestion_control TRUE, cc_key_enable 2 and a secret cc_key"});
}

void add_administration(SecurityFindings& to, const config::Options& o) {
  const bool is_limited = o.sa_enhanced_trust_model;
  SecurityFinding trust{.subject = "trusted requests to subnet administration",
                        .against = "a host that guesses the sa_key",
                        .protection = Protection::closed,
                        .by = "sa_key",
                        .state = "they need the sa_key",
                        .remedy = {}};
  if (is_default_sa_key(o)) {
    trust.protection = Protection::open;
    trust.state = "sa_key is the default, which every program knows";
    trust.remedy = "sa_key: a secret number, the same for all subnet managers";
  }
  to.push_back(std::move(trust));
  to.push_back({.subject = "registrations (groups, services, subscriptions)",
                .against = "a host that registers without end",
                .protection = is_limited ? Protection::closed : Protection::partly,
                .by = "sa_enhanced_trust_model, sa_etm_*",
                .state = is_limited ? "hosts without the sa_key have the limits of sa_etm_*"
                                    : "bounded in total, and not for each host",
                .remedy = is_limited ? "" : "sa_enhanced_trust_model TRUE, and limits sa_etm_*"});
  to.push_back({.subject = "requests in the name of others",
                .against = "a host with a forged source GID",
                .protection = o.sa_check_sgid_spoofing ? Protection::closed : Protection::open,
                .by = "sa_check_sgid_spoofing",
                .state = o.sa_check_sgid_spoofing
                             ? "requests whose source GID is another port's are not answered"
                             : "the source GID of requests is not compared with the sending port",
                .remedy = o.sa_check_sgid_spoofing ? "" : "sa_check_sgid_spoofing TRUE"});
}

void add_partitions(SecurityFindings& to, const config::Options& o) {
  const bool is_off = o.no_partition_enforcement || o.part_enforce == config::PartEnforce::off;
  const bool is_both = !is_off && o.part_enforce == config::PartEnforce::both;
  to.push_back({.subject = "partitions",
                .against = "a host that uses P_Keys which it was not given",
                .protection = is_off    ? Protection::open
                              : is_both ? Protection::closed
                                        : Protection::partly,
                .by = "part_enforce, partition_config_file",
                .state = is_off ? "switches do not check P_Keys; only receivers do"
                         : is_both
                             ? "switch ports in front of hosts check P_Keys in both directions"
                             : "switch ports in front of hosts check P_Keys in one direction",
                .remedy = is_both ? "" : "part_enforce both"});
}

void add_services(SecurityFindings& to, const config::Options& o) {
  if (!o.http_listen.empty()) {
    const bool has_users = !o.http_users_file.empty(), has_tls = !o.http_tls_cert.empty();
    const bool is_closed = has_tls && !o.http_plain_passwords;
    to.push_back({.subject = "HTTP service",
                  .against = "programs that reach its addresses",
                  .protection = is_closed ? Protection::closed : Protection::partly,
                  .by = "http_tls_cert, http_users_file, http_plain_passwords",
                  .state = fmt::format("{} TLS, {} users{}", has_tls ? "with" : "without",
                                       has_users ? "with" : "without",
                                       o.http_plain_passwords ? ", passwords without TLS" : ""),
                  .remedy = is_closed ? ""
                                      : "http_tls_cert, http_tls_key; http_plain_passwords "
                                        "FALSE"});
  }
  if (o.state_store == "peers")
    to.push_back({.subject = "state store",
                  .against = "programs that reach state_listen",
                  .protection = Protection::closed,
                  .by = "state_store_key_file, state_tls_cert",
                  .state = fmt::format("other managers need {}, and connect by TLS",
                                       o.state_tls_cert.empty() ? "the secret of the key file"
                                                                : "a certificate of state_tls_ca"),
                  .remedy = {}});
  if (o.state_store != "etcd") return;
  const bool has_key = !o.state_store_key_file.empty() || !is_default_sm_key(o);
  const bool is_plain = std::ranges::any_of(
      o.etcd_endpoints, [](const std::string& url) { return url.starts_with("http://"); });
  to.push_back({.subject = "state store",
                .against = "programs that reach etcd",
                .protection = !has_key   ? Protection::open
                              : is_plain ? Protection::partly
                                         : Protection::closed,
                .by = "state_store_key_file, etcd_endpoints",
                .state = !has_key   ? "records are authenticated by the default sm_key"
                         : is_plain ? "records are authenticated, and readable on the way"
                                    : "records are authenticated, and sent by TLS",
                .remedy = !has_key   ? "state_store_key_file"
                          : is_plain ? "etcd_endpoints with https"
                                     : ""});
}

constexpr auto kSecurity = std::to_array<Field<SecurityFinding>>({
    {{"subject", value::kText, "what a host or program may try"},
     [](auto& of) { return of.subject; }},
    {{"protection", "open|partly|closed"}, [](auto& of) { return name(of.protection); }},
    {{"against", value::kText, "whom it is protected against"},
     [](auto& of) { return of.against; }},
    {{"by", value::kText, "the options that decide it"}, [](auto& of) { return of.by; }},
    {{"state", value::kText, "one sentence"}, [](auto& of) { return of.state; }},
    {{"remedy", value::kText, "what to set; empty: nothing"}, [](auto& of) { return of.remedy; }},
});

}  // namespace

std::string_view name(Protection protection) {
  switch (protection) {
    case Protection::open:
      return "open";
    case Protection::partly:
      return "partly";
    case Protection::closed:
      return "closed";
  }
  return "";
}

std::vector<SecurityFinding> security_findings(const config::Options& options,
                                               const ManagerStatus& status) {
  SecurityFindings findings;
  add_managers(findings, options);
  add_m_keys(findings, options);
  add_class_keys(findings, status);
  add_congestion_key(findings, options);
  add_key_changes(findings, options, status);
  add_administration(findings, options);
  add_partitions(findings, options);
  add_services(findings, options);
  // The standard defines no keys for performance management.
  findings.push_back({.subject = "port counters",
                      .against = "a host that reads or clears them",
                      .protection = Protection::open,
                      .by = "-",
                      .state = "the standard has no key for them",
                      .remedy = {}});
  std::ranges::sort(findings, {}, [](const SecurityFinding& finding) {
    return std::pair(finding.protection, finding.subject);
  });
  return findings;
}

RowInfo security_info() {
  return {"SecurityFinding",
          "what is protected by which key against whom",
          infos_of(kSecurity),
          {{"", "protection"},
           {"what", "subject"},
           {"against", "against"},
           {"state", "state"},
           {"set", "remedy"}}};
}

nlohmann::json security_row(const SecurityFinding& finding) { return row_of(kSecurity, finding); }

std::vector<Condition> default_key_conditions(const config::Options& options) {
  const bool sm = is_default_sm_key(options), sa = is_default_sa_key(options);
  if (!sm && !sa) return {};
  return {{.id = kSecurityConditions.default_keys,
           .text = fmt::format("{} the default, which every program knows; see heddlectl security",
                               sm && sa ? "sm_key and sa_key have"
                               : sm     ? "sm_key has"
                                        : "sa_key has")}};
}

}  // namespace sm
