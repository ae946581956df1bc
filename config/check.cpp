#include "config/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "config/http_peer.h"
#include "config/option_files.h"
#include "config/qos_policy_reader.h"
#include "config/qos_settings.h"
#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

/// Collects contradictions, each at the position where the option named first was set.
class Contradictions {
 public:
  explicit Contradictions(const Options& options) : options_(options) {}
  void error_if(bool condition, std::string_view key, std::string what, std::string remedy) {
    if (condition) add(Severity::error, key, std::move(what), std::move(remedy));
  }
  void warning_if(bool condition, std::string_view key, std::string what, std::string remedy) {
    if (condition) add(Severity::warning, key, std::move(what), std::move(remedy));
  }
  /// Adds a warning about a setting that has no effect.
  void ineffective_if(bool condition, std::string_view key, std::string what, std::string remedy) {
    if (!condition) return;
    add(Severity::warning, key, std::move(what), std::move(remedy));
    found_.back().without_effect = true;
  }
  Diagnostics take() { return std::move(found_); }

 private:
  void add(Severity severity, std::string_view key, std::string what, std::string remedy) {
    const auto origin = options_.origins.find(key);
    const Origin place = origin == options_.origins.end() ? Origin{} : origin->second;
    found_.push_back(
        {severity, place.file, place.line, place.column, std::move(what), std::move(remedy)});
  }
  const Options& options_;
  Diagnostics found_;
};

}  // namespace

bool load_config(const std::string& path, const FileReader& reader, Options& options,
                 Diagnostics& out) {
  const auto content = reader(path);
  if (!content) {
    const bool missing = content.error() == std::errc::no_such_file_or_directory;
    out.push_back(
        {missing ? Severity::warning : Severity::error, path, 0, 0,
         fmt::format("cannot be read: {}", content.error().message()),
         missing ? "defaults are used" : "make it readable, or name another file with --config"});
    return false;
  }
  (is_yaml_name(path) ? parse_yaml : parse_opensm_conf)({path, *content}, options, out);
  return true;
}

namespace {

/// Malformed lists count as unset and are reported: unintended VLs are hard to find. Short and long
/// lists are used as in OpenSM.
void check_qos_lists(Contradictions& check, const Options& options) {
  constexpr std::size_t kSls = std::tuple_size_v<SlToVlList>;
  for (const QosScope scope :
       {QosScope::all, QosScope::ca, QosScope::sw0, QosScope::swe, QosScope::rtr}) {
    const QosSet& set = options.qos_set(scope);
    const auto warn_if = [&](bool unreadable, std::string_view name, std::string_view text,
                             std::string_view remedy) {
      const std::string key = fmt::format("{}_{}", qos_prefix(scope), name);
      check.ineffective_if(unreadable, key, fmt::format("{} {} is not used", key, in_quotes(text)),
                           std::string(remedy));
    };
    constexpr std::string_view kWeights =
        "write at most 64 of VL:WEIGHT, comma separated, with VLs 0..14 and weights 0..255";
    warn_if(!set.sl2vl.empty() && !parse_sl_to_vl(set.sl2vl), "sl2vl", set.sl2vl,
            "write 16 VLs 0..15, comma separated");
    const std::string sl2vl = fmt::format("{}_sl2vl", qos_prefix(scope));
    const std::size_t sls = parse_sl_to_vl(set.sl2vl) ? qos_list_size(set.sl2vl) : kSls;
    check.warning_if(sls < kSls, sl2vl,
                     fmt::format("{} {} has {} of {} VLs: SL {} and above use VL 0", sl2vl,
                                 in_quotes(set.sl2vl), sls, kSls, sls),
                     "write a VL for each of the 16 SLs");
    check.warning_if(sls > kSls, sl2vl,
                     fmt::format("{} has {} VLs, of which the first {} count", sl2vl, sls, kSls),
                     "write a VL for each of the 16 SLs");
    for (const auto& [name, text] :
         {std::pair("vlarb_high", &set.vlarb_high), std::pair("vlarb_low", &set.vlarb_low)}) {
      const std::string key = fmt::format("{}_{}", qos_prefix(scope), name);
      check.warning_if(parse_vl_weights(*text) && qos_list_size(*text) > kVlWeightsMax, key,
                       fmt::format("{} has {} entries, of which the first {} count", key,
                                   qos_list_size(*text), kVlWeightsMax),
                       fmt::format("write at most {}", kVlWeightsMax));
    }
    warn_if(!set.vlarb_high.empty() && !parse_vl_weights(set.vlarb_high), "vlarb_high",
            set.vlarb_high, kWeights);
    warn_if(!set.vlarb_low.empty() && !parse_vl_weights(set.vlarb_low), "vlarb_low", set.vlarb_low,
            kWeights);
  }
}

/// Checks metrics and the log.
void check_monitoring(Contradictions& check, const Options& o) {
  check.error_if(
      o.metrics_ports != "off" && o.metrics_ports != "switch" && o.metrics_ports != "all",
      "metrics_ports", fmt::format("metrics_ports {} is unknown", in_quotes(o.metrics_ports)),
      "write off, switch or all");
  check.error_if(!o.metrics_compat.empty() && o.metrics_compat != "guilbaults", "metrics_compat",
                 fmt::format("metrics_compat {} is unknown", in_quotes(o.metrics_compat)),
                 "write guilbaults, or leave it out");
  check.ineffective_if(o.metrics_compat == "guilbaults" && o.metrics_ports == "off",
                       "metrics_compat", "metrics_compat has no effect with metrics_ports off",
                       "set metrics_ports switch or all, or leave it out");
  check.ineffective_if(
      o.is_set("metrics_ports") && o.metrics_ports != "off" && !o.perfmgr, "metrics_ports",
      fmt::format("metrics_ports {} has no counters without perfmgr", o.metrics_ports),
      "set perfmgr TRUE, or metrics_ports off");
  check.error_if(o.log_format != "text" && o.log_format != "json" && o.log_format != "human",
                 "log_format", fmt::format("log_format {} is unknown", in_quotes(o.log_format)),
                 "write text, human or json");
}

/// Checks the options about the health of links.
void check_health(Contradictions& check, const Options& o) {
  const auto check_action = [&](std::string_view key, const std::string& value, bool manual) {
    const auto action = health_action(value);
    const bool fits = action && (manual || *action != HealthAction::no_discover);
    check.error_if(!fits, key, fmt::format("{} {} is unknown", key, in_quotes(value)),
                   fmt::format("write {}", manual ? kHealthActions
                                                  : std::string_view("ignore, report or isolate")));
  };
  check_action("hm_sw_flapping_action", o.hm_sw_flapping_action, false);
  check_action("hm_ca_flapping_action", o.hm_ca_flapping_action, false);
  check_action("hm_sw_noisy_action", o.hm_sw_noisy_action, false);
  check_action("hm_ca_noisy_action", o.hm_ca_noisy_action, false);
  check_action("hm_sw_manual_action", o.hm_sw_manual_action, true);
  check_action("hm_ca_manual_action", o.hm_ca_manual_action, true);
  check.ineffective_if(o.topo_config_enabled && o.topo_config_file.empty(), "topo_config_enabled",
                       "topo_config_enabled has no effect without topo_config_file",
                       "name a file in topo_config_file");
  check.ineffective_if(!o.topo_config_enabled && o.is_set("topo_config_file"), "topo_config_file",
                       "topo_config_file has no effect without topo_config_enabled",
                       "set topo_config_enabled TRUE, or leave it out");
}

/// Reads addresses of state_peers or state_listen; each has a port.
std::set<ListenAddress> check_peer_addresses(Contradictions& check, const Options& o,
                                             std::string_view key, const WordList& texts) {
  std::set<ListenAddress> found;
  for (const std::string& text : texts) {
    auto address = parse_host_address(text, 0);
    const bool is_peer = key == "state_peers";
    check.error_if(!address || (is_peer && address->host == "*"), key,
                   fmt::format("{} {} is not an address", key, in_quotes(text)),
                   fmt::format("write HOST, HOST:PORT, [IPV6]{} [IPV6]:PORT{}",
                               is_peer ? " or" : ",", is_peer ? "" : " or *"));
    if (!address) continue;
    check.error_if(o.guid.size() > 1 && address->port != 0, key,
                   fmt::format("{} {} has a TCP port, and this process has a manager for each of "
                               "{} ports",
                               key, text, o.guid.size()),
                   "leave it out, or run a process for each port");
    if (address->port == 0) address->port = o.state_port();
    check.error_if(!found.insert(*address).second, key, fmt::format("{} names {} twice", key, text),
                   "name it once");
  }
  return found;
}

/// Checks state_store peers. sm_key is not a secret for it: other subnet managers are sent it.
void check_peers(Contradictions& check, const Options& o) {
  check.error_if(o.state_peers.empty(), "state_store", "state_store peers needs state_peers",
                 "name the host of the other subnet manager, such as state_peers sm-2");
  const auto peers = check_peer_addresses(check, o, "state_peers", o.state_peers);
  auto own = check_peer_addresses(check, o, "state_listen", o.state_listen);
  if (own.empty()) own.insert({.host = "*", .port = o.state_port(), .path = {}});
  const auto is_own = [&](const ListenAddress& peer) {
    return std::ranges::any_of(own, [&](const ListenAddress& address) {
      return address.port == peer.port &&
             (address.host == peer.host ||
              (peer.is_loopback() && (address.host == "*" || address.is_loopback())));
    });
  };
  check.error_if(!peers.empty() && std::ranges::all_of(peers, is_own), "state_peers",
                 "state_peers names no address but that of this manager",
                 "name the host of the other subnet manager");
  const bool has_all =
      !o.state_tls_cert.empty() && !o.state_tls_key.empty() && !o.state_tls_ca.empty();
  const bool has_one =
      !o.state_tls_cert.empty() || !o.state_tls_key.empty() || !o.state_tls_ca.empty();
  check.error_if(has_one && !has_all,
                 !o.state_tls_cert.empty()  ? "state_tls_cert"
                 : !o.state_tls_key.empty() ? "state_tls_key"
                                            : "state_tls_ca",
                 "state_tls_cert, state_tls_key and state_tls_ca need each other",
                 "set all three, or none");
  check.error_if(!has_one && o.state_store_key_file.empty(), "state_store",
                 "state_store peers needs state_store_key_file, or certificates (state_tls_*); "
                 "sm_key is not used for it",
                 "set state_store_key_file to a file with the same secret on all managers");
  check.ineffective_if(has_all && !o.state_store_key_file.empty(), "state_store_key_file",
                       "state_store_key_file has no effect with state_tls_cert",
                       "leave one of the two out");
}

/// Returns the first of the keys that is set; "" if no key is.
std::string_view first_set(const Options& o, std::initializer_list<std::string_view> names) {
  const Options defaults;
  for (const std::string_view name : names)
    if (const Key& key = *find_key(name); value_text(key, o) != value_text(key, defaults))
      return name;
  return {};
}

/// Checks the options of the replicated state.
void check_state_store(Contradictions& check, const Options& o) {
  const bool etcd = o.state_store == "etcd", peers = o.state_store == "peers";
  check.error_if(!etcd && !peers && o.state_store != "files", "state_store",
                 fmt::format("state_store {} is unknown", in_quotes(o.state_store)),
                 "write files, etcd or peers");
  const std::string_view of_etcd =
      first_set(o, {"etcd_endpoints", "etcd_user", "etcd_password_file", "etcd_ca_file"});
  const std::string_view of_peers = first_set(
      o, {"state_peers", "state_listen", "state_tls_cert", "state_tls_key", "state_tls_ca"});
  const bool is_keyed = !o.state_store_key_file.empty();
  check.ineffective_if(!etcd && (!of_etcd.empty() || (!peers && is_keyed && of_peers.empty())),
                       of_etcd.empty() ? "state_store_key_file" : of_etcd,
                       fmt::format("etcd_*{} have no effect with state_store {}",
                                   peers ? "" : " and state_store_key_file", o.state_store),
                       "set state_store etcd, or leave them out");
  check.ineffective_if(!peers && !of_peers.empty(), of_peers,
                       fmt::format("{} has no effect with state_store {}", of_peers, o.state_store),
                       "set state_store peers, or leave it out");
  if (peers) check_peers(check, o);
  if (!etcd) return;
  check.error_if(o.etcd_endpoints.empty(), "etcd_endpoints",
                 "state_store etcd needs etcd_endpoints",
                 "write URLs, such as https://etcd-1:2379,https://etcd-2:2379");
  const auto is_plain = [](const std::string& url) { return url.starts_with("http://"); };
  for (const std::string& url : o.etcd_endpoints) {
    check.error_if(!parse_http_endpoint(url), "etcd_endpoints",
                   fmt::format("{} is no URL of etcd", in_quotes(without_credentials(url))),
                   "write http:// or https://, a host and a port");
  }
  check.error_if(o.etcd_user.empty() != o.etcd_password_file.empty(), "etcd_user",
                 "etcd_user and etcd_password_file need each other", "set both, or none");
  check.error_if(!o.etcd_prefix.starts_with('/') || o.etcd_prefix.ends_with('/'), "etcd_prefix",
                 fmt::format("etcd_prefix {} should begin with / and not end with it",
                             in_quotes(o.etcd_prefix)),
                 "write one such as /heddle");
  check.warning_if(
      std::ranges::any_of(o.etcd_endpoints, is_plain) && !o.etcd_user.empty(), "etcd_endpoints",
      "the password of etcd_user and M_Keys are sent unprotected by http", "use https URLs");
  check.warning_if(o.state_store_key_file.empty() && o.sm_key == Options{}.sm_key,
                   "state_store_key_file",
                   "shared state is authenticated by the default sm_key, which every program knows",
                   "set state_store_key_file to a file with the same secret on all managers");
}

/// Where a standby sends changes to.
void check_m_keys_per_port(Contradictions& check, const Options& o) {
  constexpr std::uint64_t kRandom = ~std::uint64_t{0};
  check.error_if(
      o.m_key_per_port && o.m_key_seed() == kRandom, o.key_mgr_seed == 0 ? "m_key" : "key_mgr_seed",
      "a random seed (all ones) for m_key_per_port is not supported: other managers, and "
      "the next start, would derive other keys",
      "set key_mgr_seed to a secret number, the same for all subnet managers");
  check.ineffective_if(o.m_key_per_port && !o.uses_m_keys(), "m_key_per_port",
                       "m_key_per_port has no effect without key_mgr_seed or m_key",
                       "set key_mgr_seed");
  check.warning_if(o.m_key_per_port && o.key_mgr_seed == 0 && o.m_key != 0, "m_key_per_port",
                   "the keys of all ports are derived from m_key: a host that has had it as its "
                   "M_Key knows them",
                   "set key_mgr_seed to another secret number");
  check.ineffective_if(o.periodic_key_update != 0 && !o.derives_keys(), "periodic_key_update",
                       "periodic_key_update has no effect where no keys are derived",
                       "set key_mgr_seed, and m_key_per_port TRUE or vs_key_enable 2");
  for (const auto& [enable, name] :
       {std::pair{o.vs_key_enable, "vs_key_enable"}, {o.n2n_key_enable, "n2n_key_enable"}})
    check.error_if(enable == 2 && (o.key_mgr_seed == 0 || o.key_mgr_seed == kRandom), name,
                   fmt::format("{} 2 needs a seed to derive keys from, other than m_key", name),
                   "set key_mgr_seed to a secret number, the same for all subnet managers");
  check.warning_if(
      o.m_key_per_port && o.uses_m_keys() && o.m_key_protection_level > 1 &&
          o.m_key_lease_period == 0,
      "m_key_protection_level",
      fmt::format("with m_key_per_port and m_key_protection_level {} a subnet manager that lacks "
                  "neighbors of the subnet, and starts while no master runs, cannot read a port to "
                  "find out which key it has",
                  o.m_key_protection_level),
      "set m_key_protection_level 1, or m_key_lease_period");
}

void check_http_peers(Contradictions& check, const Options& o) {
  const bool tls = !o.http_tls_cert.empty();
  std::set<std::uint64_t> guids;
  for (const std::string& text : o.http_peers) {
    const auto peer = parse_http_peer(text);
    check.error_if(
        !peer, "http_peers",
        fmt::format("http_peers {} names no manager", in_quotes(without_credentials(text))),
        "write PORT_GUID=URL, such as 0x0002c90300000001=https://sm-2:8443");
    if (!peer) continue;
    check.error_if(!guids.insert(peer->id).second, "http_peers",
                   fmt::format("http_peers names 0x{:016x} twice", peer->id), "name it once");
    check.warning_if(tls && peer->url.starts_with("http:"), "http_peers",
                     fmt::format("clients that use TLS here are sent to {} without it", peer->url),
                     "use an https URL");
  }
}

void check_routers(Contradictions& check, const Options& o) {
  check.error_if(
      o.rtr_selection_function != "crc32", "rtr_selection_function",
      fmt::format("rtr_selection_function {} is not known", in_quotes(o.rtr_selection_function)),
      "write crc32, or leave it out");
  check.error_if(!parse_router_selection(o.rtr_selection_algo_parameters),
                 "rtr_selection_algo_parameters",
                 fmt::format("rtr_selection_algo_parameters {} names no parameters",
                             in_quotes(o.rtr_selection_algo_parameters)),
                 "write sgid, dgid, or both, separated by a blank");
  check.error_if(o.router_policy_enabled && o.router_policy_file.empty(), "router_policy_enabled",
                 "router_policy_enabled TRUE needs a router_policy_file", "set router_policy_file");
  std::set<std::uint64_t> prefixes;
  for (const std::string& text : o.subnet_peers) {
    const auto peer = parse_http_peer(text);
    check.error_if(
        !peer, "subnet_peers",
        fmt::format("subnet_peers {} names no subnet", in_quotes(without_credentials(text))),
        "write PREFIX=URL, such as 0xfec0000000000002=https://sm-b:8443");
    check.error_if(peer && !prefixes.insert(peer->id).second, "subnet_peers",
                   fmt::format("subnet_peers names 0x{:016x} twice", peer ? peer->id : 0),
                   "name it once");
  }
}

/// Without TLS and http_plain_passwords the server accepts passwords from this machine only.
void check_logins(Contradictions& check, const std::set<ListenAddress>& addresses) {
  for (const ListenAddress& address : addresses)
    check.error_if(!address.is_unix() && !address.is_loopback(), "http_listen",
                   fmt::format("no user can log in at http_listen {}: passwords are refused "
                               "without TLS",
                               address.text()),
                   "set http_tls_cert and http_tls_key, or listen on 127.0.0.1, or set "
                   "http_plain_passwords TRUE");
}

/// Checks the options of the HTTP service.
void check_http(Contradictions& check, const Options& o) {
  bool tcp = false;
  std::set<ListenAddress> addresses;
  for (const std::string& text : o.http_listen) {
    const auto address = parse_listen_address(text);
    check.error_if(!address, "http_listen",
                   fmt::format("http_listen {} is no address", in_quotes(text)),
                   "write HOST:PORT, [IPV6]:PORT, *:PORT or unix:/PATH");
    if (!address) continue;
    check.error_if(!addresses.insert(*address).second, "http_listen",
                   fmt::format("http_listen names {} twice", text), "name it once");
    tcp = tcp || !address->is_unix();
  }
  const bool tls = !o.http_tls_cert.empty() && !o.http_tls_key.empty();
  const bool wants_tls = !o.http_tls_cert.empty() || !o.http_tls_key.empty();
  if (!wants_tls && !o.http_users_file.empty() && !o.http_plain_passwords)
    check_logins(check, addresses);
  check.error_if(o.http_tls_cert.empty() != o.http_tls_key.empty(),
                 o.http_tls_cert.empty() ? "http_tls_key" : "http_tls_cert",
                 "http_tls_cert and http_tls_key need each other", "set both, or none");
  check_http_peers(check, o);
  const bool is_set_up =
      tls || !o.http_users_file.empty() || o.http_read_only || !o.http_peers.empty();
  check.ineffective_if(o.http_listen.empty() && is_set_up, "http_listen",
                       "http_* keys have no effect without http_listen",
                       "set http_listen, or leave them out");
  check.warning_if(tcp && o.http_users_file.empty(), "http_listen",
                   "without http_users_file only what needs no user is served over TCP",
                   "let heddlectl http-user write such a file");
  check.warning_if(tcp && !tls && o.http_plain_passwords, "http_plain_passwords",
                   "passwords are readable on the network", "set http_tls_cert and http_tls_key");
}

void check_policy_files(Contradictions& check, const Options& o) {
  check.ineffective_if(!o.qos && o.is_set("qos_policy_file"), "qos_policy_file",
                       "qos_policy_file has no effect without qos",
                       "set qos TRUE, or leave it out");
}

/// Checks the configured engines, each for itself.
void check_engines(Contradictions& check, const Options& o) {
  constexpr std::string_view kNotNamed = "(null)";
  for (const std::string& engine : o.routing_engine) {
    const auto needed = files_needed(engine);
    const bool lacks_file =
        !needed.empty() && std::ranges::all_of(needed, [&](std::string_view key) {
          return value_text(*find_key(key), o) == kNotNamed;
        });
    const std::string what =
        fmt::format("routing engine {} needs {}", engine, fmt::join(needed, " or "));
    const std::string remedy = "name the file, or another engine";
    const EngineRow* const row = plain_engine(engine);
    const bool is_error = row != nullptr && row->refuses_start_without_file;
    check.error_if(lacks_file && is_error, "routing_engine", what, remedy);
    check.ineffective_if(lacks_file && !is_error, "routing_engine", what, remedy);
    check.ineffective_if(o.lmc > 0 && row != nullptr && !row->works_with_lmc, "routing_engine",
                         fmt::format("{} does not work with lmc above 0", engine), "set lmc 0");
  }
}

}  // namespace

Diagnostics check_options(const Options& o) {
  Contradictions check(o);
  check_http(check, o);
  check.error_if(std::set(o.guid.begin(), o.guid.end()).size() != o.guid.size(), "guid",
                 "guid names a port twice", "name each port once");
  const std::vector<std::uint64_t>& prefixes = o.subnet_prefix.values;
  for (const std::uint64_t prefix : prefixes) {
    check.error_if(prefix >> 56 == 0xff, "subnet_prefix",
                   fmt::format("subnet_prefix 0x{:016x} is a multicast prefix", prefix),
                   "write one that does not begin with ff, such as 0xfe80000000000000");
  }
  check.error_if(prefixes.size() > 1 && prefixes.size() != o.guid.size(), "subnet_prefix",
                 fmt::format("subnet_prefix has {} values, and guid names {} port{}",
                             prefixes.size(), o.guid.size(), o.guid.size() == 1 ? "" : "s"),
                 "write one prefix for all ports, or one for each, in the order of guid");
  check.ineffective_if(o.lmc == 0 && o.lmc_esp0, "lmc_esp0",
                       "lmc_esp0 TRUE has no effect with lmc 0", "set lmc, or leave lmc_esp0 out");

  const bool key_expires =
      o.uses_m_keys() && o.m_key_protection_level > 0 && o.m_key_lease_period > 0;
  check.error_if(key_expires && (o.sweep_interval == 0 || o.sweep_interval >= o.m_key_lease_period),
                 "m_key_lease_period",
                 fmt::format("ports drop their M_Key after {} s (m_key_lease_period), before the "
                             "next sweep renews it (sweep_interval {})",
                             o.m_key_lease_period, o.sweep_interval),
                 "sweep_interval has to be above 0 and below m_key_lease_period");
  check.ineffective_if(!o.uses_m_keys() && o.m_key_protection_level > 0, "m_key_protection_level",
                       "m_key_protection_level has no effect with m_key 0",
                       "set m_key, or leave m_key_protection_level out");
  check_m_keys_per_port(check, o);

  check.warning_if(o.sweep_interval == 0 && !o.sweep_on_trap, "sweep_on_trap",
                   "with sweep_interval 0 and sweep_on_trap FALSE only SIGHUP starts "
                   "a sweep",
                   "allow one of the two");
  check.warning_if(
      o.sweep_interval == 0 && o.force_heavy_sweep, "force_heavy_sweep",
      "force_heavy_sweep makes periodic sweeps heavy, and sweep_interval 0 switches them off",
      "set sweep_interval");
  check.warning_if(o.reassign_lids && o.honor_guid2lid_file, "reassign_lids",
                   "reassign_lids discards the LIDs that honor_guid2lid_file keeps",
                   "leave one of the two out");
  check.warning_if(
      o.sm_inactive && o.ignore_other_sm, "sm_inactive",
      "sm_inactive waits for a Set(SMInfo) of another SM, and ignore_other_sm ignores it",
      "leave one of the two out");

  check.warning_if(o.is_set("max_wire_smps") && o.max_wire_smps_per_device > o.max_wire_smps,
                   "max_wire_smps_per_device",
                   fmt::format("max_wire_smps_per_device {} is above max_wire_smps {}, which "
                               "counts for all devices together",
                               o.max_wire_smps_per_device, o.max_wire_smps),
                   "max_wire_smps_per_device has to be the smaller one");

  check_engines(check, o);
  check_policy_files(check, o);
  check_qos_lists(check, o);
  check_state_store(check, o);
  check_monitoring(check, o);
  check_health(check, o);
  check_routers(check, o);
  check.error_if(o.console == Console::socket, "console",
                 "console socket would give the console to every host, without a password",
                 "use loopback, and reach it by ssh -L; or heddlectl");
  check.ineffective_if(o.console == Console::local && o.daemon, "console",
                       "console local has no effect: a daemon has no terminal", "use loopback");
  check.error_if(runnable_engines(o).empty(), "routing_engine",
                 fmt::format("no_fallback excludes minhop, and no engine of {} is built",
                             fmt::join(o.routing_engine, ",")),
                 "leave no_fallback out, or name minhop");

  const bool keeps_secrets =
      o.uses_m_keys() || o.sa_enhanced_trust_model || o.is_set("partition_config_file");
  check.warning_if(o.sa_key == Options{}.sa_key && keeps_secrets, "sa_key",
                   "sa_key is the default 1, which every program knows: with it any host is shown "
                   "M_Keys, ServiceKeys, P_Key tables and other partitions",
                   "set a secret sa_key, and give it to the programs of the operator");
  check.warning_if(o.sm_key == Options{}.sm_key && o.uses_m_keys(), "sm_key",
                   "sm_key is the default 1, which every program knows: any host can present "
                   "itself as a subnet manager",
                   "set the same secret sm_key for all subnet managers");
  const bool has_trust_limits = !o.sa_etm_allow_untrusted_proxy_requests ||
                                !o.sa_etm_allow_untrusted_guidinfo_rec ||
                                !o.sa_etm_allow_guidinfo_rec_by_vf || o.sa_etm_max_num_mcgs != 0 ||
                                o.sa_etm_max_num_srvcs != 0 || o.sa_etm_max_num_event_subs != 0;
  check.ineffective_if(has_trust_limits && !o.sa_enhanced_trust_model, "sa_enhanced_trust_model",
                       "sa_etm_* have no effect without sa_enhanced_trust_model",
                       "set sa_enhanced_trust_model TRUE, or leave them out");
  const bool logs_to_terminal =
      o.log_file == "stdout" || o.log_file == "stderr" || o.log_file == "-";
  check.warning_if(o.daemon && logs_to_terminal, "log_file",
                   fmt::format("log_file {} is lost: a daemon has no terminal", o.log_file),
                   "name a file, or do not use daemon mode");
  check.ineffective_if(logs_to_terminal && o.is_set("log_max_size") && o.log_max_size > 0,
                       "log_max_size", fmt::format("log_max_size has no effect on {}", o.log_file),
                       "leave it out, or name a file");
  Diagnostics found = check.take();
  std::ranges::move(ineffective_options(o), std::back_inserter(found));
  return found;
}

std::vector<std::string_view> runnable_engines(const Options& options) {
  return engines_to_try(options.routing_engine);
}

CheckedConfig check_config(const std::string& path, const FileReader& reader,
                           const Options& defaults) {
  CheckedConfig checked{.options = defaults, .files = {}, .was_read = true, .diagnostics = {}};
  if (!load_config(path, reader, checked.options, checked.diagnostics)) {
    Diagnostic& unread = checked.diagnostics.back();
    if (unread.severity == Severity::warning) unread.remedy = "name the file to check";
    unread.severity = Severity::error;
    checked.was_read = false;
    return checked;
  }
  for (Diagnostic& found : check_options(checked.options))
    checked.diagnostics.push_back(std::move(found));
  checked.files = read_input_files(checked.options, reader, checked.diagnostics);
  return checked;
}

}  // namespace config
