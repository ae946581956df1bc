#pragma once
// The parts of api_resources(), a file each. Each adds routes and the schemas of their rows.

#include "sm/ops/api/core.h"

namespace sm::api {

void add_health(web::Resources& to, const SharedCore& core);  // /healthz, readyz
void add_subnet(web::Resources& to, const SharedCore& core);  // /v1/subnet, sms, options, security
void add_conditions(web::Resources& to,
                    const SharedCore& core);  // /v1/conditions, occurrences, isolated, lost
void add_nodes(web::Resources& to, const SharedCore& core);   // /v1/nodes, ports
void add_links(web::Resources& to, const SharedCore& core);   // /v1/links
void add_lids(web::Resources& to, const SharedCore& core);    // /v1/lids, vports, virtualized-ports
void add_groups(web::Resources& to, const SharedCore& core);  // /v1/groups, services
void add_routing(web::Resources& to, const SharedCore& core);     // /v1/routing, routing/path
void add_topology(web::Resources& to, const SharedCore& core);    // /v1/topology
void add_counters(web::Resources& to, const SharedCore& core);    // /v1/counters, topology/counters
void add_congestion(web::Resources& to, const SharedCore& core);  // /v1/congestion
void add_adaptive(web::Resources& to, const SharedCore& core);    // /v1/adaptive-routing
void add_routers(web::Resources& to, const SharedCore& core);     // /v1/routers, subnets
void add_plan(web::Resources& to, const SharedCore& core);        // POST /v1/plan
void add_commands(web::Resources& to, const SharedCore& core);    // POST /v1/rebalance, ...
void add_attributes(web::Resources& to, const SharedCore& core);  // /v1/attributes
void add_subnet_partitions(web::Resources& to,
                           const SharedCore& core);           // /v1/subnet/partitions
void add_events(web::Resources& to, const SharedCore& core);  // /v1/events

}  // namespace sm::api
