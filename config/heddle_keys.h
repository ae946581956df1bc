#pragma once
// Keys of the schema that OpenSM 3.3.23 does not have: Heddle's own, and those of NVIDIA's manager.
// A key is the name of its member, so it is written once.

#include <array>

#include "config/key.h"

namespace config {

template <auto Member>
Ref at(Options& options) {
  return &(options.*Member);
}

}  // namespace config

#define KEY(member, help) \
  Key { #member, &at<&Options::member>, kSection, help }

namespace config {

namespace adaptive_routing {
inline constexpr Section kSection = Section::adaptive_routing;
inline constexpr std::array kKeys{
    KEY(ar_mode,
        "Adaptive routing of routing engines ar_...: 0 off, 1 on, 2 on (with notifications, which "
        "are not sent), 3 on")
        .in(0, 3)
        .live()
        .nvidias(),
    KEY(shield_mode,
        "Fast recovery of routing engines ar_...: 0 off, 1 and 2 on, 3 on and, where all switches "
        "can, notifications of lost paths to neighbours (pFRN)")
        .in(0, 3)
        .live()
        .nvidias(),
    KEY(ar_sl_mask, "SLs that are routed adaptively, bit n is SL n").hex(4).live().nvidias(),
    KEY(ar_transport_mask, "Transports that are routed adaptively: 1 UD, 2 RC, 4 UC, 8 DC")
        .in(0, 15)
        .hex(1)
        .live()
        .nvidias(),
    KEY(enable_ar_by_device_cap,
        "Adaptive routing only towards devices that say that they put packets in order")
        .live()
        .nvidias(),
    KEY(enable_ar_group_copy,
        "Switches that can are ordered to copy groups of ports that are the same, which needs "
        "fewer SMPs")
        .live()
        .nvidias(),
    KEY(cache_ar_group_id, "Numbers of groups are kept in a file, and are the same after a restart")
        .live()
        .nvidias(),
    KEY(pfrn_sl, "SL of notifications about lost paths (pFRN)").in(0, 15).live().nvidias(),
    KEY(pfrn_mask_clear_timeout,
        "Seconds after the last such notification until a path is used again")
        .in(1, 1023)
        .live()
        .nvidias(),
    KEY(pfrn_mask_force_clear_timeout,
        "Seconds after the first such notification until a path is used again")
        .in(1, 1023)
        .live()
        .nvidias(),
    KEY(ar_ageing_time, "Microseconds without packets after which a flow may take another path")
        .live()
        .ours(),
};
}  // namespace adaptive_routing

namespace routers {
inline constexpr Section kSection = Section::routers;
inline constexpr std::array kKeys{
    KEY(prefix_routes_file, "File of routers for foreign subnets").live(),
    KEY(read_router_tables,
        "Read from routers which subnets they reach; paths there then need no prefix_routes_file")
        .live()
        .ours(),
    KEY(rtr_pr_flow_label, "FlowLabel of paths to other subnets").in(0, 0xFFFFF).live().nvidias(),
    KEY(rtr_pr_tclass, "TClass of paths to other subnets").live().nvidias(),
    KEY(rtr_pr_sl, "SL of paths to other subnets, where neither the request nor the policy has one")
        .in(0, 15)
        .live()
        .nvidias(),
    KEY(rtr_pr_mtu,
        "Greatest MTU of paths to other subnets, a code; 255: that of the path to the router")
        .in(1, 5)
        .or_just(255)
        .live()
        .nvidias(),
    KEY(rtr_pr_rate,
        "Greatest rate of paths to other subnets, a code; 255: that of the path to the router")
        .in(2, 22)
        .or_just(255)
        .live()
        .nvidias(),
    KEY(rtr_selection_function, "How one of several routers is chosen: crc32").live().nvidias(),
    KEY(rtr_selection_seed, "Seed of rtr_selection_function").live().nvidias(),
    KEY(rtr_selection_algo_parameters,
        "What the choice of a router depends on: sgid, dgid, or both, separated by a blank")
        .live()
        .nvidias(),
    KEY(router_policy_enabled, "Choose routers by router_policy_file").live().nvidias(),
    KEY(router_policy_file,
        "File of routers and their weights for subnets: PREFIX GUID=WEIGHT GUID=WEIGHT ... in each "
        "line")
        .live()
        .nvidias()
        .differs("NVIDIA's has another format."),
    KEY(rtr_aguid_enable,
        "Alias GUIDs of hosts with their LIDs in them, from which some routers take the DLID: 0 "
        "leaves those that are set, 1 sets them, 2 removes them")
        .in(0, 2)
        .live()
        .nvidias(),
    KEY(subnet_peers,
        "Where the managers of other subnets serve the API, as PREFIX=URL, comma separated: "
        "`heddlectl trace` goes on there")
        .live()
        .ours(),
};
}  // namespace routers

namespace heddle {
inline constexpr Section kSection = Section::heddle;
inline constexpr std::string_view kIsStore = "shared state is read before the first sweep";
inline constexpr std::array kKeys{
    KEY(max_wire_smps_per_device,
        "SMPs on the wire to one node; unset: 4, or up to 32 to a slow one that takes them at once")
        .live()
        .in(1, 2147483647)
        .nvidias()
        .differs("NVIDIA's default is 2."),
    KEY(max_wire_mads,
        "MADs of all kinds under way at a port: SMPs, queries, reports and RMPP segments, with "
        "those "
        "that are late. A larger max_wire_smps raises it")
        .in(16, 4096)
        .live()
        .ours(),
    KEY(pid_file, "File that holds the process id of a daemon (-B); default /var/run/opensm.pid")
        .of_host()
        .at_start("the file is written at the start")
        .even_by_default()
        .nvidias()
        .differs("OpenSM has a flag only."),
    KEY(cache_files_dir, "Directory for persisted state (guid2lid); default from OSM_CACHE_DIR")
        .of_host()
        .at_start("what it holds is read at the start, and another directory lacks it")
        .nvidias()
        .differs("OpenSM has OSM_CACHE_DIR only."),
    KEY(control_group,
        "Group whose members may use heddlectl, as root may: queries and commands; empty: none")
        .live()
        .ours(),
    KEY(restart_links_for_settings,
        "Take Active links down to change their MTU or number of VLs, a part of them at a time")
        .live()
        .ours(),
    KEY(routing_adoption,
        "Keep forwarding tables found at start or takeover that fulfil the engine's guarantees")
        .live()
        .ours(),
    KEY(rebalance,
        "After links or switches were added, choose all routes again in quiet times, if that uses "
        "them better; traffic moves")
        .live()
        .ours(),
    KEY(rebalance_quiet_time, "Seconds without a change of routes that rebalance waits for")
        .in(1, 4294967)
        .live()
        .ours(),
    KEY(spread_vls,
        "dfsssp spreads load over all VLs, as OpenSM's does, also where one excludes credit loops "
        "and no SL2VL table is needed")
        .rerouting()
        .ours(),
    KEY(enable_subnet_lst, "Write the list of links after a sweep").of_host().live().nvidias(),
    KEY(subnet_lst_file, "Name of that list, in dump_files_dir").of_host().live().nvidias(),
    KEY(dump_ar, "Write groups and tables of adaptive routing to dump_files_dir")
        .of_host()
        .live()
        .nvidias(),
    KEY(master_sm_priority,
        "Priority while MASTER, if above sm_priority: an equal manager that returns stays standby")
        .of_host()
        .in(0, 15)
        .live()
        .nvidias()
        .differs("NVIDIA's default is 14."),
    KEY(m_key_per_port,
        "Each CA and router port and each switch has an M_Key of its own, from key_mgr_seed")
        .live()
        .nvidias(),
    KEY(key_mgr_seed, "Secret that the M_Keys of m_key_per_port are derived from; 0: m_key")
        .hex(16)
        .live()
        .secret()
        .nvidias()
        .differs("NVIDIA's all ones, a random seed, is refused: a standby would not have it."),
    KEY(periodic_key_update,
        "Minutes after which all keys that are derived from key_mgr_seed change; 0: never")
        .in(10, 71582)
        .or_just(0)
        .live()
        .nvidias(),
    KEY(vs_key_enable,
        "Key of the vendor specific class (0x0A): 0 leave it, 1 remove it, 2 set one that is "
        "derived from key_mgr_seed")
        .in(0, 2)
        .live()
        .nvidias(),
    KEY(vs_key_lease_period,
        "With vs_key_enable 2: seconds without a valid request, after one with a wrong key, until "
        "a device shows its key to all; 0: never")
        .live()
        .nvidias(),
    KEY(vs_key_ci_protect_bits, "With vs_key_enable 2: 1: the key cannot be read without it")
        .in(0, 1)
        .live()
        .nvidias(),
    KEY(vs_max_outstanding_mads,
        "Requests of the vendor specific class (0x0A) without an answer at a time")
        .in(1, 4096)
        .live()
        .nvidias(),
    KEY(n2n_key_enable,
        "Key of the node to node class (0x0C): 0 leave it, 1 remove it, 2 set one that is derived "
        "from key_mgr_seed")
        .in(0, 2)
        .live()
        .nvidias(),
    KEY(n2n_key_lease_period,
        "With n2n_key_enable 2: seconds without a valid request, after one with a wrong key, until "
        "a device shows its key to all; 0: never")
        .live()
        .nvidias(),
    KEY(n2n_key_protect_bit, "With n2n_key_enable 2: 1: the key cannot be read without it")
        .in(0, 1)
        .live()
        .nvidias(),
    KEY(n2n_max_outstanding_mads,
        "Requests of the node to node class (0x0C) without an answer at a time")
        .in(1, 4096)
        .live()
        .nvidias(),
    KEY(allowed_sm_guids, "Port GUIDs of the other SMs that count, comma separated; empty: all")
        .of_host()
        .hex(16)
        .live()
        .nvidias(),
    KEY(sa_check_sgid_spoofing,
        "Do not answer SA requests whose source GID is not of the sending port")
        .live()
        .nvidias(),
    KEY(sa_enhanced_trust_model, "Limits of SA clients without sa_key: sa_etm_*").live().nvidias(),
    KEY(sa_etm_allow_untrusted_proxy_requests, "They may join and register for other ports")
        .live()
        .nvidias(),
    KEY(sa_etm_allow_untrusted_guidinfo_rec, "They may change alias GUIDs").live().nvidias(),
    KEY(sa_etm_allow_guidinfo_rec_by_vf, "They may do so from virtual ports, too").live().nvidias(),
    KEY(sa_etm_max_num_mcgs, "Memberships of one port; 0: no limit").live().nvidias(),
    KEY(sa_etm_max_num_srvcs, "Services of one port; 0: no limit").live().nvidias(),
    KEY(sa_etm_max_num_event_subs, "Subscriptions of one port; 0: no limit").live().nvidias(),
    KEY(virt_enabled, "SR-IOV virtual ports: 0 as they are, 1 off, 2 on")
        .in(0, 2)
        .live()
        .nvidias()
        .even_by_default()
        .differs("NVIDIA's default is 0 or 2, by version."),
    KEY(virt_max_ports_in_process,
        "Physical ports whose virtual ports are in work at a time; 0: all")
        .live()
        .nvidias(),
    KEY(virt_default_hop_limit, "HopLimit of paths from or to a virtual port")
        .in(2, 255)
        .live()
        .nvidias(),
    KEY(enable_virt_rec_ext, "Records of nodes and ports also list virtual ports with a LID")
        .live()
        .nvidias(),
    KEY(virt_dump_file, "File that lists virtual ports, written after changes")
        .of_host()
        .live()
        .nvidias(),
    KEY(virt_probe_timeout,
        "Milliseconds within which the first port of a device model has to work with virtual ports")
        .in(1, 60000)
        .live()
        .ours(),
    KEY(state_store,
        "Where managers share state: files (not at all), etcd, or peers (each manager has a copy)")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(etcd_endpoints, "URLs of etcd, comma separated; tried in turn")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(etcd_user, "User at etcd; empty: no authentication")
        .of_host()
        .at_start(kIsStore)
        .ours()
        .secret(),
    KEY(etcd_password_file, "File with that user's password, mode 0600")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(etcd_ca_file, "Certificates that etcd's must be signed by; empty: the system's")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(etcd_prefix, "Keys in etcd begin with this and the subnet prefix")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(state_store_key_file,
        "File with the secret that authenticates shared state, mode 0600; empty: sm_key with etcd, "
        "certificates with peers")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(state_peers,
        "With state_store peers: addresses of the other managers, HOST, HOST:PORT, [IPV6] or "
        "[IPV6]:PORT, comma separated; without PORT 9350 plus the last digit of subnet_prefix "
        "is tried, and the next 7 in steps of 16")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(state_listen,
        "Addresses of this manager for them, written in the same way; * or empty: all addresses; "
        "without PORT it listens at the first of these ports that is free")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(state_tls_cert,
        "PEM file with this manager's certificate chain for its peers; empty: state_store_key_file")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(state_tls_key, "PEM file with its private key, mode 0600")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(state_tls_ca, "PEM file with the certificates that the peers' must be signed by")
        .of_host()
        .at_start(kIsStore)
        .ours(),
    KEY(event_command,
        "Program that is run with each event as a line of JSON on its standard input; a path "
        "without arguments, no shell")
        .live()
        .ours(),
    KEY(event_command_timeout, "Seconds until event_command is ended").in(1, 3600).live().ours(),
    KEY(http_listen,
        "Where the API, metrics and the map are served: HOST:PORT, [IPV6]:PORT or unix:PATH, comma "
        "separated; empty: nowhere")
        .of_host()
        .live()
        .ours(),
    KEY(http_tls_cert, "PEM file with the server's certificate chain; empty: no TLS")
        .of_host()
        .live()
        .ours(),
    KEY(http_tls_key, "PEM file with its private key, mode 0600").of_host().live().ours(),
    KEY(http_users_file, "File of users with roles and password hashes, mode 0600")
        .of_host()
        .live()
        .ours(),
    KEY(http_read_only, "Requests that change something are rejected").live().ours(),
    KEY(http_plain_passwords, "Passwords are taken over TCP without TLS, too").live().ours(),
    KEY(http_peers,
        "Where the other managers of the subnet serve the API, as PORT_GUID=URL, comma separated: "
        "a standby sends changes to the master there")
        .of_host()
        .live()
        .ours(),
    KEY(metrics_ports, "Port counters in /metrics: off, switch (of switches) or all").live().ours(),
    KEY(metrics_compat, "Also names of another exporter in /metrics: guilbaults; empty: none")
        .live()
        .ours(),
    KEY(perfmgr_clear_saturated,
        "Clear counters that have reached their largest value, and go on counting")
        .live()
        .ours(),
    KEY(perfmgr_redir_other_nodes, "Follow redirection to a port of another node, too")
        .live()
        .ours(),
    KEY(perfmgr_symbol_errors_per_hour,
        "SymbolErrorCounter: growth of a port in an hour that is a condition; 0: none")
        .live()
        .ours(),
    KEY(perfmgr_link_recoveries_per_hour,
        "LinkErrorRecoveryCounter and LinkDownedCounter: the same; 0: none")
        .live()
        .ours(),
    KEY(perfmgr_receive_errors_per_hour, "PortRcvErrors: the same; 0: none").live().ours(),
    KEY(perfmgr_discards_per_hour, "PortXmitDiscards: the same; 0: none").live().ours(),
    KEY(hm_sw_flapping_action,
        "Links between switches that flap: ignore, report, isolate (keep out of routing)")
        .live()
        .nvidias(),
    KEY(hm_ca_flapping_action, "Links to CAs and routers that flap: the same").live().nvidias(),
    KEY(hm_num_flapping_sweeps, "Losses of a link within the window from which on it flaps")
        .in(1, 1000)
        .live()
        .nvidias(),
    KEY(hm_num_flapping_sweeps_window, "That window, in sweep intervals")
        .in(1, 100000)
        .live()
        .nvidias(),
    KEY(hm_sw_noisy_action, "Links between switches with many errors: ignore, report, isolate")
        .live()
        .nvidias(),
    KEY(hm_ca_noisy_action, "Links to CAs and routers with many errors: the same").live().nvidias(),
    KEY(hm_num_noisy_hours, "Hours in a row above perfmgr_*_per_hour from which on a link is noisy")
        .in(1, 1000)
        .live()
        .ours(),
    KEY(hm_sw_manual_action,
        "Switches and their ports that hm_ports_health_policy_file calls unhealthy: ignore, "
        "report, isolate, no_discover")
        .live()
        .nvidias(),
    KEY(hm_ca_manual_action, "CAs, routers and their ports there: the same").live().nvidias(),
    KEY(hm_ports_health_policy_file,
        "File of ports that are healthy or unhealthy: GUID PORT HEALTHY, or GUID PORT UNHEALTHY "
        "and an action, a line each; port 0 or 255: the whole node")
        .live()
        .nvidias(),
    KEY(hm_release_after,
        "Seconds without a fault after which an isolated link is used again; 0: by heddlectl only")
        .live()
        .ours(),
    KEY(held_back_sw_file, "File of NodeGUIDs of switches that are kept out of routing")
        .live()
        .nvidias(),
    KEY(topo_config_enabled, "Compare links with topo_config_file; differences are conditions")
        .live()
        .nvidias(),
    KEY(topo_config_file,
        "File of the links that are expected: GUID,PORT,GUID,PORT,TYPE,STATE in each line, or the "
        "output of ibnetdiscover, or YAML as of heddle-topo")
        .live()
        .nvidias(),
    KEY(log_format, "Log lines: text, human (words), or json (an object each)")
        .of_host()
        .live()
        .ours(),
    KEY(log_syslog, "Log to syslog, too").of_host().live().ours(),
};
}  // namespace heddle

}  // namespace config
