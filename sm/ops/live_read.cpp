#include "sm/ops/live_read.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "fabric/find_port.h"
#include "mad/attribute_rows.h"
#include "mad/format.h"

namespace sm {

namespace {

using Id = mad::AttributeId;

struct LivePlace {
  NodeIndex node = kNoIndex;
  unsigned number = 0;         // as named, else 0
  PortIndex entry = kNoIndex;  // an end port of the node by which requests enter it
  mad::Lid lid;
};

bool has_route(const Fabric& fabric, PortIndex port) {
  return fabric.is_end_port(port) && fabric.route_to(port).has_value() &&
         (fabric.ports[port].peer != kNoIndex || port == fabric.sm_port ||
          fabric.owning_node(port).is_switch());
}

/// A request for a CA or router that names no port reads the port by which the request enters.
tl::expected<LivePlace, std::string> find_place(const Subnet& subnet, const LiveReadRequest& what) {
  const Fabric& fabric = subnet.fabric;
  const auto named = find_node(fabric, subnet.lids, what.node);
  if (!named) return tl::unexpected(named.error());
  const Node& node = fabric.nodes[named->node];
  if (named->number.value_or(0) > node.num_ports)
    return tl::unexpected(fmt::format("{} has no port {}; its ports are 1 to {}",
                                      fabric.name(named->node), *named->number, node.num_ports));
  LivePlace place{.node = named->node, .number = named->number.value_or(0), .lid = named->lid};
  if (node.is_switch()) {
    place.entry = node.first_port;
  } else if (place.number != 0) {
    place.entry = fabric.port(named->node, mad::PortNum{static_cast<std::uint8_t>(place.number)});
    if (!has_route(fabric, place.entry))
      return tl::unexpected(
          fmt::format("port {} of {} has no link, so that nothing can be asked "
                      "by it",
                      place.number, fabric.name(named->node)));
  } else {
    const auto port = find_port(fabric, subnet.lids, what.node);
    if (!port) return tl::unexpected(port.error());
    place.entry = port->port;
  }
  if (place.lid.value == 0) place.lid = subnet.lid_range(place.entry).base;
  return place;
}

struct LiveRead {
  Id attribute{};
  std::uint32_t modifier = 0;
};

/// Lists reads block by block, by the capacities in the published fabric.
std::vector<LiveRead> find_reads(const Fabric& fabric, const LivePlace& place,
                                 std::string_view list) {
  const Node& node = fabric.nodes[place.node];
  mad::PortFacts facts{
      .node = node.info,
      .number = mad::PortNum{static_cast<std::uint8_t>(place.number)},
      .entry = node.is_switch() ? mad::PortNum{0} : fabric.ports[place.entry].number};
  std::vector<LiveRead> reads{{Id::node_info, 0}};
  if (node.is_switch()) {
    reads.push_back({Id::switch_info, 0});
    facts.switch_info = fabric.switches[node.switch_index].info;
    for (unsigned in = 0; in <= node.num_ports; ++in)
      facts.inputs.push_back(mad::PortNum{static_cast<std::uint8_t>(in)});
    // A base switch port 0 has no VLs to choose from.
    if (list == "vlarb" && place.number == 0 && !facts.switch_info.enhanced_port_0()) return reads;
  }
  facts.info =
      fabric.ports[place.number == 0 ? place.entry : fabric.port(place.node, facts.number)].info;
  for (const mad::AttributeRow& row : mad::attribute_rows()) {
    if (std::ranges::find(row.lists, list) == row.lists.end() ||
        std::ranges::find(reads, row.id, &LiveRead::attribute) != reads.end())
      continue;
    for (const std::uint32_t modifier : row.modifiers(facts)) reads.push_back({row.id, modifier});
  }
  return reads;
}

/// Sends all reads at once, and returns the answers in the order of the reads.
class LiveReadBatch final : public mad::SmpBatch {
 public:
  LiveReadBatch(std::vector<LiveRead> reads, mad::SmpRequest first)
      : first_(first), reads_(std::move(reads)), answers_(reads_.size()), errors_(reads_.size()) {}

  bool next(mad::SmpRequest& request) override {
    if (next_ == reads_.size() || !error_.empty()) return false;
    request = first_;
    request.attribute = reads_[next_].attribute;
    request.modifier = reads_[next_].modifier;
    // A missing response to such a request does not make the node silent.
    if (mad::is_optional(request.attribute)) request.node = {};
    request.cookie = next_++;
    return true;
  }
  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    if (!reply.ok()) {
      if (mad::is_optional(request.attribute))
        errors_[request.cookie] = mad::describe(request, reply);
      else if (error_.empty())
        error_ = mad::describe(request, reply);
      return;
    }
    mad::SmpData& data = answers_[request.cookie];
    std::ranges::copy(reply.data, data.begin());
    mad::clear_keys(request.attribute, data);
  }

  const std::string& error() const { return error_; }
  nlohmann::json answers() const {
    nlohmann::json all = nlohmann::json::array();
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      if (!errors_[i].empty()) {
        all.push_back({{"attribute", mad::name(reads_[i].attribute)},
                       {"modifier", reads_[i].modifier},
                       {"error", errors_[i]}});
        continue;
      }
      std::string data;
      for (const std::uint8_t byte : answers_[i]) data += fmt::format("{:02x}", byte);
      all.push_back({{"attribute", mad::name(reads_[i].attribute)},
                     {"modifier", reads_[i].modifier},
                     {"data", std::move(data)}});
    }
    return all;
  }

 private:
  mad::SmpRequest first_;
  std::vector<LiveRead> reads_;
  std::vector<mad::SmpData> answers_;
  std::vector<std::string> errors_;  // of optional attributes; empty: answered
  std::size_t next_ = 0;
  std::string error_;
};

}  // namespace

boost::asio::awaitable<tl::expected<nlohmann::json, std::string>> read_attributes(
    mad::SmpClient& client, std::shared_ptr<const Subnet> subnet, LiveReadRequest what) {
  if (!subnet) co_return tl::unexpected(std::string("the subnet has not been read yet"));
  const auto place = find_place(*subnet, what);
  if (!place) co_return tl::unexpected(place.error());
  const Fabric& fabric = subnet->fabric;
  const Node& node = fabric.nodes[place->node];
  const auto list = std::ranges::find(mad::attribute_lists(), what.list, &mad::AttributeList::name);
  const bool is_for_switches = list != mad::attribute_lists().end() && list->is_of_switches;
  if (is_for_switches && !node.is_switch())
    co_return tl::unexpected(fmt::format("{} is no switch", fabric.name(place->node)));
  const auto route = fabric.route_to(place->entry);
  if (!route)
    co_return tl::unexpected(fmt::format("{} is more than 63 hops away", fabric.name(place->node)));
  mad::SmpRequest first;
  first.route = *route;
  first.node = node.guid;
  first.port = fabric.m_key_port(place->entry);
  LiveReadBatch batch(find_reads(fabric, *place, what.list), first);
  co_await client.exchange(batch);  // nothing of the client is used after it: it may be gone
  if (!batch.error().empty())
    co_return tl::unexpected(fmt::format("{}: {}", fabric.name(place->node), batch.error()));
  nlohmann::json answer{{"node_guid", fmt::format("{}", node.guid)},
                        {"description", fabric.description(place->node)},
                        {"node_type", mad::name(node.type)},
                        {"lid", place->lid.value},
                        {"port", place->number},
                        {"attributes", batch.answers()}};
  co_return answer;
}

}  // namespace sm
