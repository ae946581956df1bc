#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Selects the direction in which switch ports that face end ports check P_Keys.
enum class PartEnforce : std::uint8_t { off, in, out, both };

/// Selects the endpoint of OpenSM's operator console.
enum class Console : std::uint8_t { off, local, loopback, socket };

/// Holds one QoS set; unset members fall back to the `qos_*` set, then to built-in values.
struct QosSet {
  std::uint32_t max_vls = 0;     // 0: unset
  std::int32_t high_limit = -1;  // negative: unset
  std::string vlarb_high;        // "vl:weight,..."; empty: unset
  std::string vlarb_low;
  std::string sl2vl;  // 16 VLs, comma separated; empty: unset
  bool operator==(const QosSet&) const = default;
};
enum class QosScope : std::uint8_t {
  all,
  ca,
  sw0,
  swe,
  rtr
};  // the key prefixes qos_ qos_ca_ qos_sw0_ qos_swe_ qos_rtr_

/// A CctEntry is one congestion control table entry: injection delay = multiplier * 2^shift.
struct CctEntry {
  std::uint8_t shift = 0;
  std::uint16_t multiplier = 0;
  bool operator==(const CctEntry&) const = default;
};

using PortMask =
    std::array<std::uint8_t, 32>;  // 256 bits, most significant byte first; bit n is switch port n
using PerSl = std::array<std::uint16_t, 16>;  // one value for each SL
using GuidList = std::vector<std::uint64_t>;  // host byte order
using WordList = std::vector<std::string>;

/// Holds GID prefixes: one for all ports of `guid`, or one for each of them, in that order.
/// Converts to the first prefix, which is the only one in the options of a port's manager.
struct SubnetPrefixes {
  std::vector<std::uint64_t> values{0xfe80000000000000};

  SubnetPrefixes& operator=(std::uint64_t one) {
    values.assign(1, one);
    return *this;
  }
  operator std::uint64_t() const { return values.front(); }
};

/// Holds the text of a file that another module reads, and its name in messages.
struct NamedText {
  std::string file, text;
  bool operator==(const NamedText&) const = default;
};

/// Holds the source of a value. Flags have the file name "command line" and no line.
struct Origin {
  std::string file;
  int line = 0, column = 0;  // 1-based
  bool operator==(const Origin&) const = default;
};

/// Holds everything that can be configured; each member has the name of its key in opensm.conf and,
/// as its initialiser, its default. Shape: plain values; an empty string or list means "unset"
/// (written `(null)`), an empty `guid` means "choose a port". Units: as in the comment after the
/// member; codes are those of the attribute named there. Source: OpenSM 3.3.23's keys in the order
/// of its own file, then Heddle's and NVIDIA's; ranges and help are in schema.cpp.
struct Options {
  // Device
  GuidList guid;  // port GUIDs; one SM on each
  std::uint64_t m_key = 0;
  std::uint16_t m_key_lease_period = 0;     // seconds; 0: never expires
  std::uint8_t m_key_protection_level = 0;  // PortInfo M_KeyProtectBits
  bool m_key_lookup = true;
  std::uint64_t sm_key = 1;
  std::uint64_t sa_key = 1;
  SubnetPrefixes subnet_prefix;
  std::uint8_t lmc = 0;
  bool lmc_esp0 = false;
  std::uint8_t sm_sl = 0;
  std::uint8_t packet_life_time = 0x12;  // SwitchInfo LifeTimeValue
  std::uint8_t vl_stall_count = 7;
  std::uint8_t leaf_vl_stall_count = 7;
  std::uint8_t head_of_queue_lifetime = 0x12;  // PortInfo HOQLife
  std::uint8_t leaf_head_of_queue_lifetime = 0x10;
  std::uint8_t max_op_vls = 5;         // code: 1 VL0, 2 VL0-1, 3 VL0-3, 4 VL0-7, 5 VL0-14
  std::uint8_t force_link_speed = 15;  // LinkSpeedEnabled; 0 leave, 15 all supported
  std::uint8_t force_link_speed_ext =
      31;  // LinkSpeedExtEnabled; 0 leave, 30 disable, 31 all supported
  std::uint8_t force_link_width = 255;  // LinkWidthEnabled; 0 leave, 255 all supported
  std::uint8_t fdr10 = 1;
  std::uint8_t subnet_timeout = 18;  // PortInfo SubnetTimeOut
  std::uint8_t local_phy_errors_threshold = 8;
  std::uint8_t overrun_errors_threshold = 8;
  bool use_mfttop = true;

  // Partitioning
  std::string partition_config_file = "/etc/opensm/partitions.conf";
  bool no_partition_enforcement = false;  // already folded into part_enforce when the file is read
  PartEnforce part_enforce = PartEnforce::both;
  bool allow_both_pkeys = false;
  bool keep_pkey_indexes = true;
  NamedText
      partitions;  // the whole heddle.yaml if it has a list of partitions, which partitions/ reads
  std::uint8_t sm_assigned_guid = 0;

  // Sweep
  std::uint32_t sweep_interval = 10;    // seconds; 0: no periodic sweep
  std::uint32_t audit_interval = 3600;  // seconds; 0: no audit
  bool reassign_lids = false;
  bool force_heavy_sweep = false;
  bool sweep_on_trap = true;

  // Routing
  bool port_profile_switch_nodes = false;
  std::string port_prof_ignore_file;
  std::string hop_weights_file;
  std::string port_search_ordering_file;
  WordList routing_engine;  // as written; runnable_engines() (check.h) selects the built ones
  bool avoid_throttled_links = false;
  bool connect_roots = false;
  bool use_ucast_cache = false;
  std::string lid_matrix_dump_file;
  std::string lfts_file;
  std::string pgrp_policy_file;  // routing chains of NVIDIA's manager, as the next two
  std::string topo_policy_file;
  std::string rch_policy_file;
  std::string root_guid_file;
  std::string cn_guid_file;
  std::string io_guid_file;
  bool quasi_ftree_indexing = false;
  std::uint16_t max_reverse_hops = 0;
  std::string ids_guid_file;
  std::string guid_routing_order_file;
  bool do_mesh_analysis = false;
  std::uint8_t lash_start_vl = 0;
  std::uint8_t nue_max_num_vls = 1;
  bool nue_include_switches = false;
  bool port_shifting = false;
  std::uint32_t scatter_ports = 0;  // random seed; 0: off
  bool guid_routing_order_no_scatter = false;
  std::string sa_db_file;
  bool sa_db_dump = false;
  std::string torus_config = "/etc/opensm/torus-2QoS.conf";

  // Several SMs
  std::uint8_t sm_priority = 0;
  bool ignore_other_sm = false;
  std::uint8_t master_sm_priority = 0;  // while MASTER, if it is higher; not in OpenSM 3.3.23
  std::uint32_t sminfo_polling_timeout = 10000;  // milliseconds
  std::uint32_t polling_retry_number = 4;
  std::uint32_t standby_read_rate = 2000;  // SMPs per second; 0: a standby reads nothing
  bool honor_guid2lid_file = false;

  // Timing
  std::uint32_t max_wire_smps =
      4;  // a fixed window only if is_set("max_wire_smps"); else the window adapts
  std::uint32_t max_wire_smps2 = 4;
  std::uint32_t max_smps_timeout = 600000;  // microseconds
  std::uint32_t transaction_timeout = 200;  // milliseconds
  std::uint32_t transaction_retries = 3;
  std::uint32_t long_transaction_timeout = 500;  // milliseconds
  std::uint32_t max_msg_fifo_timeout = 10000;    // milliseconds
  bool single_thread = false;

  // Miscellaneous
  bool daemon = false;
  bool sm_inactive = false;
  bool babbling_port_policy = false;
  bool drop_event_subscriptions = false;
  bool ipoib_mcgroup_creation_validation = true;
  bool mcgroup_join_validation = true;
  bool use_original_extended_sa_rates_only = false;
  bool use_optimized_slvl = false;
  bool fsync_high_avail_files = true;

  // Performance manager
  bool perfmgr = false;
  bool perfmgr_redir = true;
  std::uint16_t perfmgr_sweep_time_s = 180;
  std::uint32_t perfmgr_max_outstanding_queries = 500;
  bool perfmgr_ignore_cas = false;
  bool perfmgr_rm_nodes = true;
  bool perfmgr_log_errors = true;
  bool perfmgr_query_cpi = true;
  bool perfmgr_xmit_wait_log = false;
  std::uint32_t perfmgr_xmit_wait_threshold = 65535;
  std::string event_db_dump_file;
  std::string event_plugin_name;
  std::string event_plugin_options;

  // Names, logs, debugging
  std::string node_name_map_name;
  std::uint8_t log_flags = 0x03;
  bool force_log_flush = false;
  std::string log_file = "/var/log/opensm.log";
  std::uint32_t log_max_size = 1024;  // megabytes; 0: unlimited (OpenSM's default)
  bool accum_log_file = true;         // FALSE: truncate at start (also -e)
  std::string per_module_logging_file = "/etc/opensm/per-module-logging.conf";
  std::string dump_files_dir = "/var/log/";
  bool enable_quirks = false;
  bool no_clients_rereg = false;
  bool disable_multicast = false;
  bool exit_on_fatal = true;  // without effect
  Console console = Console::off;
  std::uint16_t console_port = 10000;

  // QoS
  bool qos = false;
  std::string qos_policy_file = "/etc/opensm/qos-policy.conf";
  bool suppress_sl2vl_mad_status_errors = false;
  std::array<QosSet, 5> qos_sets;  // indexed by QosScope
  const QosSet& qos_set(QosScope scope) const { return qos_sets[static_cast<std::size_t>(scope)]; }

  // Congestion control
  bool congestion_control = false;
  std::uint64_t cc_key = 0;
  std::uint32_t cc_max_outstanding_mads = 500;
  std::uint32_t cc_sw_cong_setting_control_map = 0;
  PortMask cc_sw_cong_setting_victim_mask{};
  PortMask cc_sw_cong_setting_credit_mask{};
  std::uint8_t cc_sw_cong_setting_threshold = 0;
  std::uint8_t cc_sw_cong_setting_packet_size = 0;
  std::uint8_t cc_sw_cong_setting_credit_starvation_threshold = 0;
  CctEntry cc_sw_cong_setting_credit_starvation_return_delay;
  std::uint16_t cc_sw_cong_setting_marking_rate = 0;
  std::uint16_t cc_ca_cong_setting_port_control = 0;
  std::uint16_t cc_ca_cong_setting_control_map = 0;
  PerSl cc_ca_cong_setting_ccti_timer{};
  PerSl cc_ca_cong_setting_ccti_increase{};
  PerSl cc_ca_cong_setting_trigger_threshold{};
  PerSl cc_ca_cong_setting_ccti_min{};
  std::vector<CctEntry> cc_cct;
  std::uint8_t cc_key_enable = 0;          // not in OpenSM, as the next two
  std::uint16_t cc_key_lease_period = 60;  // seconds
  std::uint8_t cc_key_protect_bit = 1;

  // Adaptive routing: only the routing engines ar_... read these keys, which OpenSM does not have
  std::uint8_t ar_mode = 3;              // 0: switches do not choose
  std::uint8_t shield_mode = 3;          // 0: no fast recovery
  std::uint16_t ar_sl_mask = 0xFFFF;     // bit n: SL n
  std::uint8_t ar_transport_mask = 0xA;  // 1 UD, 2 RC, 4 UC, 8 DC
  bool enable_ar_by_device_cap = true;
  bool enable_ar_group_copy = true;
  bool cache_ar_group_id = true;
  std::uint32_t ar_ageing_time = 30;  // microseconds; Heddle's own
  std::uint8_t pfrn_sl = 0;
  std::uint16_t pfrn_mask_clear_timeout = 180;        // seconds
  std::uint16_t pfrn_mask_force_clear_timeout = 720;  // seconds

  // IB routers: OpenSM has only the first of these keys
  std::string prefix_routes_file = "/etc/opensm/prefix-routes.conf";
  bool read_router_tables = false;  // Heddle's own: what routers say that they reach
  std::uint32_t rtr_pr_flow_label = 0;
  std::uint8_t rtr_pr_tclass = 0;
  std::uint8_t rtr_pr_sl = 0;                        // counts if is_set("rtr_pr_sl")
  std::uint8_t rtr_pr_mtu = 255, rtr_pr_rate = 255;  // codes; 255: as on the path to the router
  std::string rtr_selection_function = "crc32";
  std::uint32_t rtr_selection_seed = 0;
  std::string rtr_selection_algo_parameters = "sgid dgid";
  bool router_policy_enabled = false;
  std::string router_policy_file;
  std::uint8_t rtr_aguid_enable = 0;  // alias GUIDs with LIDs: 0 leave, 1 set, 2 remove
  WordList subnet_peers;  // PREFIX=URL: where the managers of other subnets serve; Heddle's own

  // Various
  bool consolidate_ipv6_snm_req = false;
  std::string log_prefix;

  // Keys that OpenSM 3.3.23 does not have (names from NVIDIA's builds)
  std::uint32_t max_wire_smps_per_device = 4;  // SMPs on the wire to one node
  std::uint32_t max_wire_mads = 200;           // of all kinds under way at the port
  std::string pid_file;                        // written in daemon mode only; also --pidfile
  std::string cache_files_dir = "/var/cache/opensm";
  std::string control_group;  // Heddle's own: members may use the control socket; empty: root only
  bool restart_links_for_settings = false;  // Heddle's own
  bool routing_adoption = true;
  bool rebalance = true;
  std::uint32_t rebalance_quiet_time = 300;  // seconds
  bool spread_vls = false;                   // Heddle's own
  bool enable_subnet_lst = true;
  std::string subnet_lst_file = "opensm-subnet.lst";  // in dump_files_dir unless absolute
  bool dump_ar = false;            // write the groups and tables of adaptive routing to a file
  bool m_key_per_port = false;     // each end port has an M_Key of its own, derived from the seed
  std::uint64_t key_mgr_seed = 0;  // 0: m_key is the seed
  std::uint32_t periodic_key_update = 0;  // minutes; 0: keys stay
  // Keys of management classes: 0 leaves them, 1 removes them, 2 sets a derived key for each device
  std::uint8_t vs_key_enable = 0, n2n_key_enable = 0;
  std::uint16_t vs_key_lease_period = 60, n2n_key_lease_period = 60;  // seconds
  std::uint8_t vs_key_ci_protect_bits = 1, n2n_key_protect_bit = 1;
  std::uint32_t vs_max_outstanding_mads = 500, n2n_max_outstanding_mads = 500;
  GuidList allowed_sm_guids;  // port GUIDs of other subnet managers; empty: all
  bool sa_check_sgid_spoofing = false;
  bool sa_enhanced_trust_model = false;  // the sa_etm_* below count
  bool sa_etm_allow_untrusted_proxy_requests = true;
  bool sa_etm_allow_untrusted_guidinfo_rec = true;
  bool sa_etm_allow_guidinfo_rec_by_vf = true;  // FALSE: from physical ports only
  std::uint32_t sa_etm_max_num_mcgs = 0;        // memberships of one port; 0: only Heddle's bounds
  std::uint32_t sa_etm_max_num_srvcs = 0;       // services of one port
  std::uint32_t sa_etm_max_num_event_subs = 0;  // subscriptions of one port
  // Virtual ports (SR-IOV): names and meaning are those of NVIDIA's OpenSM
  std::uint8_t virt_enabled = 0;  // 0: as they are, 1: off, 2: on; a port that is on already stays
                                  // so unless is_set("virt_enabled")
  std::uint32_t virt_max_ports_in_process = 64;  // physical ports; 0: no limit
  std::uint8_t virt_default_hop_limit = 2;       // of paths from or to a virtual port
  bool enable_virt_rec_ext = false;
  std::string virt_dump_file;
  std::uint32_t virt_probe_timeout = 1000;  // milliseconds; not in NVIDIA's OpenSM
  std::string state_store = "files";        // or etcd or peers: shared with other managers
  WordList etcd_endpoints;                  // URLs
  std::string etcd_user, etcd_password_file, etcd_ca_file;
  std::string etcd_prefix = "/heddle";
  std::string state_store_key_file;  // etcd, and empty: records are authenticated by sm_key
  WordList state_peers;              // HOST or HOST:PORT of the other managers
  WordList state_listen;             // the same for this one; empty: all addresses
  std::string state_tls_cert, state_tls_key, state_tls_ca;  // PEM files; empty: a shared secret

  // Events that a program receives: keys of Heddle
  std::string event_command;                 // a path, without arguments; empty: none
  std::uint32_t event_command_timeout = 10;  // seconds

  // HTTP (the API, metrics, the map): keys of Heddle
  WordList http_listen;  // HOST:PORT, [IPV6]:PORT or unix:PATH; empty: no listener
  std::string http_tls_cert, http_tls_key;  // PEM files; empty: no TLS
  std::string http_users_file;              // `heddlectl http-user` writes it
  bool http_read_only = false;
  bool http_plain_passwords = false;     // passwords are taken without TLS, too
  WordList http_peers;                   // GUID=URL: where other managers of the subnet serve
  std::string metrics_ports = "switch";  // whose counters /metrics has: off, switch, all
  std::string metrics_compat;            // a second family of names: guilbaults; empty: none

  // Counters: limits for conditions of one port in an hour; 0 means never. Keys of Heddle
  bool perfmgr_clear_saturated = false;
  bool perfmgr_redir_other_nodes = false;
  std::uint32_t perfmgr_symbol_errors_per_hour = 120;
  std::uint32_t perfmgr_link_recoveries_per_hour = 10;
  std::uint32_t perfmgr_receive_errors_per_hour = 120;
  std::uint32_t perfmgr_discards_per_hour = 3600;

  // Health of links: names of NVIDIA's builds if these have the key. Actions: ignore, report,
  // isolate, no_discover
  std::string hm_sw_flapping_action = "report", hm_ca_flapping_action = "report";
  std::uint32_t hm_num_flapping_sweeps = 5;          // link losses ...
  std::uint32_t hm_num_flapping_sweeps_window = 30;  // ... within as many sweep intervals
  std::string hm_sw_noisy_action = "report", hm_ca_noisy_action = "report";
  std::uint32_t hm_num_noisy_hours = 2;  // Heddle's own: hours in a row above a counter's threshold
  std::string hm_sw_manual_action = "no_discover", hm_ca_manual_action = "no_discover";
  std::string hm_ports_health_policy_file;
  std::uint32_t hm_release_after = 600;  // seconds of quiet; 0: by heddlectl only. Heddle's own
  std::string held_back_sw_file;         // NodeGUIDs of switches that stay out of routing
  bool topo_config_enabled = false;
  std::string topo_config_file = "/etc/opensm/topoconfig.cfg";

  // Log lines: keys of Heddle
  std::string log_format = "text";  // or json
  bool log_syslog = false;

  /// Counts the TCP ports of state_store peers, in steps of 16, where an address has no other: a
  /// manager listens at the first one that is free.
  static constexpr unsigned kStatePorts = 8;
  /// Returns the first of them: the last digit of the subnet prefix separates the managers of one
  /// host that are in several subnets.
  std::uint16_t state_port() const {
    constexpr unsigned kFirst = 9350, kLastDigit = 0xF;
    return static_cast<std::uint16_t>(kFirst + (std::uint64_t{subnet_prefix} & kLastDigit));
  }
  /// Returns the seed from which the M_Keys of ports are derived with m_key_per_port.
  std::uint64_t m_key_seed() const { return key_mgr_seed != 0 ? key_mgr_seed : m_key; }
  /// True if some management class is to have derived keys.
  bool uses_class_keys() const { return vs_key_enable == 2 || n2n_key_enable == 2; }
  /// True if keys are derived, so that another version changes them. Class keys are never derived
  /// from m_key, which hosts may know.
  bool derives_keys() const {
    return (m_key_per_port && m_key_seed() != 0) || (uses_class_keys() && key_mgr_seed != 0);
  }
  /// True if ports are to have M_Keys.
  bool uses_m_keys() const { return (m_key_per_port ? m_key_seed() : m_key) != 0; }

  /// Holds the sources of the values that a flag has set, or that the file sets to a value other
  /// than the default.
  std::map<std::string, Origin, std::less<>> origins;
  bool is_set(std::string_view key) const { return origins.find(key) != origins.end(); }
};

/// Returns the defaults of this process: `Options{}` with OSM_TMP_DIR and OSM_CACHE_DIR applied.
/// Null or empty means that a variable is not set.
Options default_options(const char* osm_tmp_dir, const char* osm_cache_dir);

}  // namespace config
