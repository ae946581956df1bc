#include "sm/manager/master_links.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <unordered_map>
#include <utility>

#include "mad/attributes/node_info.h"
#include "mad/records/fabric_records.h"

namespace sm {
namespace asio = boost::asio;

std::optional<mad::MadAddress> sa_of_master(const mad::PortInfo& own, const mad::PKeyTable& keys) {
  const mad::Lid master = own.master_sm_lid();
  if (own.port_state() != mad::PortState::active || !is_unicast(own.lid()) || !is_unicast(master) ||
      master == own.lid())
    return std::nullopt;
  std::optional<unsigned> index;
  for (unsigned at = 0; at < mad::PKeyTable::kEntries && !index; ++at)
    if (mad::p_key_base(keys.p_key(at)) == mad::p_key_base(mad::kDefaultPKeyFull)) index = at;
  if (!index) return std::nullopt;
  return mad::MadAddress{.lid = master,
                         .qpn = 1,
                         .qkey = mad::kQp1QKey,
                         .sl = own.master_sm_sl(),
                         .pkey_index = static_cast<std::uint16_t>(*index)};
}

std::vector<NeighborLink> read_links(const mad::SaTable& nodes, const mad::SaTable& links) {
  std::unordered_map<std::uint16_t, mad::Guid> ports;  // by LID
  for (std::size_t at = 0; at < nodes.count(mad::NodeRecord::kBytes); ++at) {
    const auto record = nodes.record<mad::NodeRecord>(at);
    const auto port = record.get<mad::Guid, "PortGUID">();
    if (port != mad::Guid{}) ports[record.get<mad::Lid, "LID">().value] = port;
  }
  std::vector<NeighborLink> result;
  for (std::size_t at = 0; at < links.count(mad::LinkRecord::kBytes); ++at) {
    const auto record = links.record<mad::LinkRecord>(at);
    const auto from = ports.find(record.get<mad::Lid, "FromLID">().value),
               to = ports.find(record.get<mad::Lid, "ToLID">().value);
    if (from == ports.end() || to == ports.end()) continue;
    result.push_back({.guid = from->second,
                      .port = record.get<mad::PortNum, "FromPort">(),
                      .peer = to->second,
                      .peer_port = record.get<mad::PortNum, "ToPort">()});
  }
  std::ranges::sort(result);
  return result;
}

void MasterLinks::begin(const mad::MadAddress& master, std::uint64_t sa_key, Take take) {
  end();
  reading_ = std::make_shared<Reading>(*this, master, sa_key, std::move(take));
  asio::co_spawn(runtime_.executor(), read(reading_), asio::detached);
}

void MasterLinks::end() {
  const std::shared_ptr<Reading> reading = std::exchange(reading_, nullptr);
  if (!reading) return;
  reading->owner = nullptr;
  reading->reader.abandon();
}

asio::awaitable<void> MasterLinks::read(std::shared_ptr<Reading> reading) {
  const mad::SaTableQuery of_nodes{.attribute = mad::SaAttributeId::node_record,
                                   .to = reading->master,
                                   .sm_key = reading->sa_key};
  const mad::SaTableQuery of_links{.attribute = mad::SaAttributeId::link_record,
                                   .to = reading->master,
                                   .sm_key = reading->sa_key};
  const std::optional<mad::SaTable> nodes = co_await reading->reader.read(of_nodes);
  if (reading->owner == nullptr) co_return;
  if (!nodes) co_return reading->owner->finish(std::nullopt);
  const std::optional<mad::SaTable> links = co_await reading->reader.read(of_links);
  if (reading->owner == nullptr) co_return;
  if (!links) co_return reading->owner->finish(std::nullopt);
  reading->owner->finish(read_links(*nodes, *links));
}

void MasterLinks::finish(std::optional<std::vector<NeighborLink>> links) {
  const std::shared_ptr<Reading> reading = std::exchange(reading_, nullptr);
  const mad::TimePoint now = runtime_.now();
  if (links && links->empty()) links.reset();  // the MASTER has not read the subnet yet
  next_ = now + (links ? std::max(kPause, kPausePerTime * (now - reading->begin)) : kRetry);
  reading->take(std::move(links));
}

}  // namespace sm
