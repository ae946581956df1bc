#include "config/schema.h"

namespace config {
namespace {

constexpr Flag kFlags[] = {
    {.name = "help", .letter = 'h', .action = FlagAction::help, .help = "Print this text and exit with 2, as OpenSM does"},
    {.name = "version", .action = FlagAction::version, .help = "Print the version and exit"},
    {.name = "config", .letter = 'F', .argument = "file", .action = FlagAction::config_file,
     .help = "Configuration file: YAML if the name ends in .yaml or .yml, else in the form of opensm.conf"},
    {.name = "create-config", .letter = 'c', .argument = "file", .action = FlagAction::create_config,
     .echo = " Creating config file template '{}'.", .help = "Write a complete configuration file and exit"},

    {.name = "guid", .letter = 'g', .argument = "guids", .action = FlagAction::set_hex, .key = "guid", .echo = " Guid <{}>",
     .help = "GUIDs of the ports to run on, hexadecimal, comma separated; 0: ask"},
    {.name = "lmc", .letter = 'l', .argument = "n", .key = "lmc", .echo = " LMC = {}"},
    {.name = "priority", .letter = 'p', .argument = "n", .key = "sm_priority", .echo = " Priority = {}"},
    {.name = "subnet_prefix", .argument = "hex", .action = FlagAction::set_hex, .key = "subnet_prefix", .echo = " Subnet_Prefix = <{}>"},
    {.name = "smkey", .letter = 'k', .argument = "hex", .action = FlagAction::set_hex, .key = "sm_key", .echo = " SM Key <{}>"},
    {.name = "reassign_lids", .letter = 'r', .key = "reassign_lids", .fixed = "TRUE", .echo = " Reassign LIDs"},
    {.name = "sm_sl", .argument = "n", .key = "sm_sl", .echo = " SMSL = {}"},

    {.name = "routing_engine", .letter = 'R', .argument = "names", .key = "routing_engine", .echo = " Activate '{}' routing engine(s)"},
    {.name = "do_mesh_analysis", .key = "do_mesh_analysis", .fixed = "TRUE"},
    {.name = "lash_start_vl", .argument = "n", .key = "lash_start_vl"},
    {.name = "nue_max_num_vls", .argument = "n", .key = "nue_max_num_vls"},
    {.name = "connect_roots", .letter = 'z', .key = "connect_roots", .fixed = "TRUE"},
    {.name = "ucast_cache", .letter = 'A', .key = "use_ucast_cache", .fixed = "TRUE"},
    {.name = "lid_matrix_file", .letter = 'M', .argument = "file", .key = "lid_matrix_dump_file"},
    {.name = "lfts_file", .letter = 'U', .argument = "file", .key = "lfts_file"},
    {.name = "sadb_file", .letter = 'S', .argument = "file", .key = "sa_db_file"},
    {.name = "root_guid_file", .letter = 'a', .argument = "file", .key = "root_guid_file"},
    {.name = "cn_guid_file", .letter = 'u', .argument = "file", .key = "cn_guid_file"},
    {.name = "io_guid_file", .letter = 'G', .argument = "file", .key = "io_guid_file"},
    {.name = "port-shifting", .key = "port_shifting", .fixed = "TRUE"},
    {.name = "scatter-ports", .argument = "seed", .key = "scatter_ports"},
    {.name = "max_reverse_hops", .letter = 'H', .argument = "n", .key = "max_reverse_hops"},
    {.name = "ids_guid_file", .letter = 'm', .argument = "file", .key = "ids_guid_file"},
    {.name = "guid_routing_order_file", .letter = 'X', .argument = "file", .key = "guid_routing_order_file", .echo = " GUID Routing Order File: {}"},
    {.name = "guid_routing_order_no_scatter", .key = "guid_routing_order_no_scatter", .fixed = "TRUE"},
    {.name = "ignore_guids", .letter = 'i', .argument = "file", .key = "port_prof_ignore_file", .echo = " Ignore Guids File = {}"},
    {.name = "hop_weights_file", .letter = 'w', .argument = "file", .key = "hop_weights_file", .echo = " Hop Weights File = {}"},
    {.name = "port_search_ordering_file", .letter = 'O', .argument = "file", .key = "port_search_ordering_file", .echo = " Port Search Ordering File = {}"},
    {.name = "dimn_ports_file", .argument = "file", .key = "port_search_ordering_file", .echo = " Port Search Ordering File = {}", .hidden = true},
    {.name = "torus_config", .argument = "file", .key = "torus_config"},

    {.name = "once", .letter = 'o', .action = FlagAction::once, .echo = " Run Once", .help = "Bring the fabric up once and exit"},
    {.name = "sweep", .letter = 's', .argument = "seconds", .key = "sweep_interval", .echo = " sweep interval = {}"},
    {.name = "timeout", .letter = 't', .argument = "ms", .key = "transaction_timeout", .echo = " Transaction timeout = {}"},
    {.name = "retries", .argument = "n", .key = "transaction_retries", .echo = " Transaction retries = {}"},
    {.name = "maxsmps", .letter = 'n', .argument = "n", .key = "max_wire_smps", .echo = " Max wire smp's = {}"},
    {.name = "honor_guid2lid", .letter = 'x', .key = "honor_guid2lid_file", .fixed = "TRUE", .echo = " Honor guid2lid file"},
    {.name = "inactive", .letter = 'I', .key = "sm_inactive", .fixed = "TRUE", .echo = " Start in the inactive state"},
    {.name = "stay_on_fatal", .letter = 'y', .key = "exit_on_fatal", .fixed = "FALSE", .echo = " Stay on fatal errors",
     .help = "Go on when the fabric contradicts itself (exit_on_fatal FALSE)"},

    {.name = "Pconfig", .letter = 'P', .argument = "file", .key = "partition_config_file"},
    {.name = "part_enforce", .letter = 'Z', .argument = "both|in|out|off", .key = "part_enforce", .echo = " Partition enforcement = {}"},
    {.name = "no_part_enforce", .letter = 'N', .key = "no_partition_enforcement", .fixed = "TRUE", .echo = " No partition enforcement"},
    {.name = "allow_both_pkeys", .letter = 'W', .key = "allow_both_pkeys", .fixed = "TRUE"},
    {.name = "qos", .letter = 'Q', .key = "qos", .fixed = "TRUE"},
    {.name = "qos_policy_file", .letter = 'Y', .argument = "file", .key = "qos_policy_file"},
    {.name = "congestion_control", .key = "congestion_control", .fixed = "TRUE"},
    {.name = "cc_key", .argument = "n", .key = "cc_key"},
    {.name = "perfmgr", .key = "perfmgr", .fixed = "TRUE"},
    {.name = "perfmgr_sweep_time_s", .argument = "seconds", .key = "perfmgr_sweep_time_s"},
    {.name = "prefix_routes_file", .argument = "file", .key = "prefix_routes_file"},
    {.name = "consolidate_ipv6_snm_req", .key = "consolidate_ipv6_snm_req", .fixed = "TRUE"},

    {.name = "daemon", .letter = 'B', .key = "daemon", .fixed = "TRUE", .echo = " Daemon mode"},
    {.name = "pidfile", .argument = "file", .key = "pid_file", .echo = " Pid file = {}", .alias = "pid_file"},
    {.name = "console", .letter = 'q', .argument = "off|local|loopback|socket", .key = "console"},
    {.name = "console-port", .letter = 'C', .argument = "port", .key = "console_port"},
    {.name = "dump_files_dir", .argument = "folder", .key = "dump_files_dir"},
    {.name = "log_file", .letter = 'f', .argument = "file", .key = "log_file", .help = "Log file; stdout or - and stderr are possible too"},
    {.name = "log_limit", .letter = 'L', .argument = "MB", .key = "log_max_size", .echo = " Log file max size is {} MBytes"},
    {.name = "erase_log_file", .letter = 'e', .key = "accum_log_file", .fixed = "FALSE", .echo = " Creating new log file",
     .help = "Empty the log file at start (accum_log_file FALSE)"},
    {.name = "log_prefix", .argument = "text", .key = "log_prefix", .echo = "Log prefix = {}"},
    {.name = "verbose", .letter = 'v', .action = FlagAction::more_verbose, .key = "log_flags", .echo = " Verbose option -v (log flags = {})",
     .help = "Log one level more; may be given several times"},
    {.name = "V", .letter = 'V', .action = FlagAction::most_verbose, .key = "log_flags", .echo = " Log flags = {}, every line at once",
     .help = "Log everything (flags 0xff), every line at once"},
    {.name = "D", .letter = 'D', .argument = "flags", .action = FlagAction::log_flags, .key = "log_flags", .echo = " verbose option -D = {}",
     .help = "What to log: bits as in log_flags, or names such as ERROR,INFO,VERBOSE,DEBUG,FUNCS,FRAMES,ROUTING,SYS,ALL"},
    {.name = "debug", .letter = 'd', .argument = "n", .action = FlagAction::debug, .echo = " d level = {}",
     .help = "0: ignore other SMs, 1: single thread, 2: flush the log after each line, 3: no multicast"},
};

}  // namespace

std::span<const Flag> flags() { return kFlags; }

}  // namespace config
