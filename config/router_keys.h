#pragma once
// This file declares the keys of the schema about IB routers.

#include <array>

#include "config/key_table.h"

namespace config {

namespace routers {
inline constexpr Section kSection = Section::routers;
inline constexpr std::array kKeys{
    KEY(prefix_routes_file, "File of routers for foreign subnets"),
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

}  // namespace config
