#include "sm/sweep/decide/engine_options.h"

#include <algorithm>

#include "config/changed_files.h"
#include "config/check.h"
#include "config/engine_names.h"
#include "config/qos_settings.h"
#include "config/schema.h"
#include "config/value.h"
#include "mad/attributes/port_info.h"

namespace sm {

namespace {

std::vector<mad::Guid> guids(const config::GuidList& list) {
  std::vector<mad::Guid> out;
  out.reserve(list.size());
  for (const std::uint64_t guid : list) out.push_back(mad::Guid{guid});
  return out;
}

std::shared_ptr<const routing::ForwardingFile> tables(const config::ForwardingDump& dump) {
  if (dump.rows.empty()) return nullptr;
  auto out = std::make_shared<routing::ForwardingFile>();
  for (const auto& row : dump.rows) out->rows.push_back({mad::Guid{row.switch_guid}, row.out});
  out->owner_of_lid = guids(dump.owner_of_lid);
  return out;
}

std::shared_ptr<const routing::HopFile> hops(const config::HopDump& dump) {
  if (dump.rows.empty()) return nullptr;
  auto out = std::make_shared<routing::HopFile>();
  for (const auto& row : dump.rows) {
    out->rows.push_back({mad::Guid{row.switch_guid}, {}});
    for (const auto& to : row.destinations)
      out->rows.back().destinations.push_back({mad::Lid{to.lid}, mad::Guid{to.port_guid}, to.hops});
  }
  return out;
}

routing::TorusOptions torus(const config::TorusFile& file) {
  routing::TorusOptions out;
  for (std::size_t i = 0; i < file.dimensions.size(); ++i)
    out.dimensions[i] = {file.dimensions[i].radix, file.dimensions[i].wraps};
  for (const config::TorusFile::Seed& seed : file.seeds) {
    out.seeds.push_back({{}, seed.dateline});
    for (const config::TorusFile::Link& link : seed.links)
      out.seeds.back().links.push_back(
          {link.dimension, link.plus, mad::Guid{link.from}, mad::Guid{link.to}});
  }
  for (const std::uint8_t port : file.port_order) out.port_order.push_back(mad::PortNum{port});
  out.max_changes = file.max_changes;
  return out;
}

}  // namespace

routing::RoutingOptions routing_options(const config::Options& options,
                                        const config::InputFiles& files) {
  routing::RoutingOptions result;
  result.guid_routing_order = guids(files.routing_order);
  for (const config::HopWeight& entry : files.hop_weights) {
    result.hop_weights.push_back(
        {{mad::Guid{entry.switch_guid}, mad::PortNum{entry.port}}, entry.weight});
  }
  for (const config::PortOrder& entry : files.port_orders) {
    routing::PortOrder order{.sw = mad::Guid{entry.switch_guid}, .ports = {}};
    for (const std::uint8_t port : entry.ports) order.ports.push_back(mad::PortNum{port});
    result.port_search_ordering.push_back(std::move(order));
  }
  for (const config::IgnoredPort& entry : files.ignored_ports) {
    result.port_prof_ignore.push_back({mad::Guid{entry.switch_guid}, mad::PortNum{entry.port}});
  }
  result.scatter_ports = options.scatter_ports;
  result.guid_routing_order_no_scatter = options.guid_routing_order_no_scatter;
  result.port_profile_switch_nodes = options.port_profile_switch_nodes;
  result.port_shifting = options.port_shifting;
  result.roots = guids(files.roots);
  result.compute_nodes = guids(files.compute_nodes);
  result.io_nodes = guids(files.io_nodes);
  for (const config::NodeId& entry : files.node_ids)
    result.node_ids.push_back({mad::Guid{entry.guid}, entry.id});
  result.lfts = tables(files.lfts);
  result.hops = hops(files.lid_matrix);
  result.torus = torus(files.torus);
  result.connect_roots = options.connect_roots;
  result.max_reverse_hops = options.max_reverse_hops;
  result.quasi_ftree_indexing = options.quasi_ftree_indexing;
  result.avoid_throttled_links = options.avoid_throttled_links;
  result.vls_max = mad::data_vls(options.max_op_vls);
  if (options.qos)
    result.vls_max = std::min(
        result.vls_max,
        mad::data_vls(mad::vl_code(config::qos_settings(options, config::QosScope::swe).vls_max)));
  result.spread_vls = options.spread_vls;
  result.do_mesh_analysis = options.do_mesh_analysis;
  result.lash_start_vl = options.lash_start_vl;
  result.nue_max_num_vls = options.nue_max_num_vls;
  result.nue_include_switches = options.nue_include_switches;
  return result;
}

bool chooses_routes_again(const SweepContext& before, const SweepContext& now,
                          std::string_view engine) {
  const auto counts = [&](std::string_view key) {
    return config::engines_that_read(key).empty() || config::engine_reads(engine, key);
  };
  const auto has_other_value = [&](const config::Key& key) {
    return key.reroutes && key.name != "routing_engine" && counts(key.name) &&
           config::value_text(key, before.options) != config::value_text(key, now.options);
  };
  const auto has_other_content = [&](std::string_view key) {
    return config::find_key(key)->reroutes && counts(key);
  };
  return config::runnable_engines(before.options) != config::runnable_engines(now.options) ||
         std::ranges::any_of(config::keys(), has_other_value) ||
         std::ranges::any_of(config::changed_files(before.files, now.files), has_other_content);
}

}  // namespace sm
