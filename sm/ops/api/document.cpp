#include "sm/ops/api/api.h"

#include <utility>

namespace sm::api {

namespace {

// The operation gets the first tag that has a prefix of the path.
const std::vector<web::DocumentTag> kTags{
    {"Partitions",
     "Partitions as configured and as the subnet has them, and their members",
     {"/v1/partition", "/v1/subnet/partitions"}},
    {"Manager",
     "This subnet manager: its state, its options, probes, metrics",
     {"/healthz", "/readyz", "/metrics", "/v1/subnet", "/v1/sms", "/v1/options",
      "/v1/support-bundle", "/v1/openapi.json", "/v1/security"}},
    {"Fabric",
     "Nodes, ports, links and LIDs as they are; the map's topology",
     {"/v1/nodes", "/v1/ports", "/v1/links", "/v1/lids", "/v1/vports", "/v1/virtualized-ports",
      "/v1/attributes", "/v1/topology", "/v1/counters", "/v1/congestion"}},
    {"Faults",
     "Conditions, what has occurred, what was lost, links out of use, events",
     {"/v1/conditions", "/v1/occurrences", "/v1/lost", "/v1/isolated", "/v1/events"}},
    {"Routing", "Tables, paths and plans", {"/v1/routing", "/v1/adaptive-routing", "/v1/plan"}},
    {"Subnet administration", "Multicast groups and services", {"/v1/groups", "/v1/services"}},
    {"Commands",
     "What changes how the manager runs, or makes it act",
     {"/v1/rebalance", "/v1/resweep", "/v1/reload", "/v1/isolate", "/v1/release", "/v1/forget",
      "/v1/poll-counters", "/v1/dump-counters", "/v1/priority", "/v1/log-level"}},
    {"Index", "What there is", {"/v1"}}};

/// Examples by the name of the field or parameter, which has one meaning everywhere.
constexpr std::string_view kExamples = R"json({
"Guid": "0x0002c90300a1b2c0", "guid": "0x0002c90300a1b2c1", "guids": ["0x0002c90300a1b2c1"],
"fabric_id": "0xfe80000000000000-0x0002c90200000010", "snapshot": "5f3a1c00-17",
"description": "leaf-3", "node": "leaf-3", "name": "leaf-3", "place": "leaf-3:17",
"from": "n17", "to": "n42", "host": "n17 mlx5_0", "title": "Nodes, by NodeGUID",
"href": "/v1/nodes", "cursor": "0002c90300a1b2c0", "limit": 100, "id": "SM-LINK-LOST",
"remedy": "Check the cable and both ports.",
"text": "link lost: \"leaf-3\" (0x0002c90300a1b2c0) port 17 <-> \"spine-1\" port 4",
"state": "Active", "port_state": "Active", "port_physical_state": "LinkUp",
"link_width_active": "4X", "link_speed_active": "NDR", "link_width_max": "4X",
"link_speed_max": "NDR", "vendor_id": "0x0002c9", "device_id": "0xd2f2", "lid": 17, "lids": 456,
"port": 17, "peer_port": 4, "peer": "spine-1 port 4", "num_ports": 64, "ports_up": 36,
"neighbor_mtu": 4096, "mtu": 2048, "operational_vls": 4, "p_key": "0x7fff",
"p_keys": ["0xffff", "0x8012"], "q_key": "0x00000b1b", "mgid": "ff12:401b:ffff::ffff:ffff",
"mlid": "0xc000", "port_gid": "fe80::2:c903:a1:b2c1", "gid": "fec0:0:0:7:2:c903:a1:b2c1",
"subnet_prefix": "0xfec0000000000007", "prefix": "0xfec0000000000007", "rate_gbps": 10, "sl": 0,
"service_id": "0x1000000000000001", "service_gid": "fe80::2:c903:a1:b2c1",
"service_name": "storage", "lease_s": 3600, "member_count": 432, "full_members": 432,
"engine": "dfsssp", "configured": ["dfsssp", "updn"], "routing_engine": ["updn"],
"without": ["spine-1"], "kind": "tree", "what": "a fat tree of 2 levels", "list": "portinfo",
"load_ab": 144, "load_ba": 140, "worst": 180, "p99": 176, "mean": 120.5, "variation": 0.2,
"dlid": 42, "in_port": 17, "out_port": 4, "vl": 0, "vls": 4, "hops": [], "longest": 4,
"condition": "SM-LINK-LOST", "severity": "warning", "for_s": 720, "times": 1,
"at": "2026-11-24T10:01:15Z", "first_at": "2026-11-24T09:58:40Z", "ago_s": 116,
"time": "2026-11-24T10:03:11.123Z", "last_id": "5f3a1c00-17", "since": "5f3a1c00-12",
"last_event_id": "5f3a1c00-12", "priority": 5, "log_flags": 7, "last": "SUBNET UP (start)",
"key": "lmc", "value": "0", "reason": "cable 4711 is replaced", "why": "kept Down by the host",
"AdaptiveSwitch": {"node_guid": "0x0002c90300a1b2c0", "description": "leaf-7",
"state": "unsupported", "reason": "no adaptive routing capability", "fast_recovery": false,
"pfrn": false, "groups": 0}, "share": 0.5, "group": 3,
"transports": ["RC", "DC"],
"SecurityFinding": {"subject": "SMPs of a host to switches", "protection": "open",
"against": "hosts", "by": "m_key", "state": "any host can change tables",
"remedy": "m_key_per_port TRUE, key_mgr_seed"}, "option": "cc_cct",
"owner": "job 4711", "expires_at": "2026-11-25T10:00:00Z", "version": "0.9.0",
"made_at": "2026-11-24T10:03:11Z", "attribute": "PortInfo", "data": "0000000000000000",
"stage": "forwarding tables", "messages": [], "errors": [], "saturated": [], "changed": [],
"needs_restart": [],
"status": 200, "openapi": "3.1.0", "info": {"title": "Heddle", "version": "0.9.0"}
})json";

}  // namespace

web::DocumentInfo document_info(std::string version) {
  return {.title = "Heddle",
          .version = std::move(version),
          .description =
              "An InfiniBand subnet manager. GUIDs, P_Keys and GIDs are texts, LIDs and "
              "ports are numbers.",
          .tags = kTags,
          .examples = std::string(kExamples)};
}

}  // namespace sm::api
