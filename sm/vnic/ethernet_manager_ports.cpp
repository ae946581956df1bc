// The steps of a pass at one port.

#include <algorithm>
#include <utility>

#include "mad/format.h"
#include "sm/vnic/ethernet_manager.h"

namespace vnic {
namespace asio = boost::asio;

namespace {

std::size_t entries_max(const mad::VeswPortInfo& info) {
  constexpr std::size_t kEntriesMax = 2048;
  return std::min<std::size_t>(info.table_entries_max(), kEntriesMax);
}

}  // namespace

bool Manager::is_created(mad::Guid port) const {
  const auto first = stored_.created.lower_bound({port, {}, 0});
  return first != stored_.created.end() && first->port == port;
}

/// Ports that have never had an agent are queried less and less often: where all ports are members,
/// hosts without the driver are members, too.
asio::awaitable<void> Manager::find_agent(mad::Guid guid) {
  Port& port = ports_.at(guid);
  const bool attention = std::exchange(port.attention, false);
  if (!attention && runtime_.now() < port.next_query) co_return;
  for (auto& [number, vnic] : port.vnics) vnic.read = false;
  auto info = co_await agents_.get_class_port_info(port.end.lid);
  const mad::GsiPortState own = transport_.state();
  const bool differs = info && (info->trap_lid() != own.lid.value || info->trap_sl() != own.sm_sl);
  if (differs && mad::is_unicast(own.lid)) {
    mad::EthernetClassPortInfo changed = *info;
    changed.set_trap_lid(own.lid.value);
    changed.set_trap_sl(own.sm_sl);
    info = co_await agents_.set_class_port_info(port.end.lid, changed);
  }
  port.has_agent = info.has_value();
  port.fault = info ? std::nullopt : std::optional(info.error());
  if (info || is_created(guid)) {
    port.pause.reset();
    port.next_query = {};
  } else {
    port.next_query = runtime_.now() + port.pause.next();
  }
}

std::uint32_t Manager::multicast_lid(const Vnic& vnic) const {
  const std::uint32_t lid = groups_.at(vnic.key).multicast_lid;
  // While subnet administration does not respond, the node keeps its present value.
  return lid != 0 ? lid : vnic.info.get<std::uint32_t, "UnknownMulticastDLID">();
}

mad::VeswPortInfo Manager::desired(const Port& port, const Vnic& vnic, mad::VnicState state) const {
  return make_port_info(configuration_.switches[vnic.of], port.end, ends_, multicast_lid(vnic),
                        state);
}

asio::awaitable<void> Manager::survey(mad::Guid guid) {
  Port& port = ports_.at(guid);
  for (auto& [number, vnic] : port.vnics) co_await survey_vnic(port, number, vnic);
}

/// A new VNIC drops all frames until its table is written; one that forwards continues.
asio::awaitable<void> Manager::survey_vnic(Port& port, unsigned number, Vnic& vnic) {
  auto info = co_await agents_.get_port_info(port.end.lid, number);
  if (info) {
    vnic.info = *info;
    const bool forwards =
        info->vesw_id() == vnic.key.vesw_id && info->config_state() == mad::VnicState::forwarding;
    const mad::VeswPortInfo wanted =
        desired(port, vnic, forwards ? mad::VnicState::forwarding : mad::VnicState::drop_all);
    if (!is_set(*info, wanted)) {
      if (lines_left_ > 0) {
        --lines_left_;
        log_.info("VNIC {} of {} ({}): {}", number, config::printable(port.end.description),
                  port.end.guid, info->vesw_id() == 0 ? "created" : "changed");
      }
      info = co_await agents_.set_port_info(port.end.lid, number, wanted);
    }
  }
  if (!info) {
    vnic.fault = info.error();
    co_return;
  }
  vnic.info = *info;
  if (info->table_digest() == kDigestEmpty) {
    vnic.at_node = std::make_shared<const MacTable>();
  } else if (vnic.at_node && vnic.at_node->digest != info->table_digest()) {
    vnic.at_node = nullptr;
  }
  vnic.fault.reset();
  vnic.read = true;
  co_await read_macs(port, number, vnic);
}

asio::awaitable<void> Manager::read_macs(Port& port, unsigned number, Vnic& vnic) {
  if (vnic.macs_known && vnic.macs.generation == vnic.info.unicast_generation()) co_return;
  auto macs =
      co_await agents_.get_unicast_macs(port.end.lid, number, configuration_.macs_per_port_max);
  if (!macs) {
    vnic.fault = macs.error();
    co_return;
  }
  vnic.macs = std::move(*macs);
  vnic.macs_known = true;
}

asio::awaitable<void> Manager::program(mad::Guid guid) {
  Port& port = ports_.at(guid);
  for (auto& [number, vnic] : port.vnics)
    if (vnic.read) co_await program_vnic(port, number, vnic);
}

asio::awaitable<void> Manager::program_vnic(Port& port, unsigned number, Vnic& vnic) {
  std::shared_ptr<const MacTable> wanted = tables_.at(vnic.key).table;
  const std::size_t holds = entries_max(vnic.info);
  if (wanted->entries.size() > holds)
    wanted = std::make_shared<const MacTable>(truncated(*wanted, holds));
  if (vnic.info.table_digest() != wanted->digest) {
    for (TablePart& part : plan_table(vnic.at_node.get(), *wanted, holds)) {
      const auto written = co_await agents_.set_table(port.end.lid, number, std::move(part));
      if (written) continue;
      vnic.fault = written.error();
      vnic.at_node = nullptr;
      vnic.read = false;  // what it has now is read in the next pass
      co_return;
    }
    vnic.info.set<"MACTableDigest">(wanted->digest);
  }
  vnic.at_node = std::move(wanted);
  if (vnic.info.config_state() == mad::VnicState::forwarding) co_return;
  const mad::VeswPortInfo forwarding = desired(port, vnic, mad::VnicState::forwarding);
  const auto set = co_await agents_.set_port_info(port.end.lid, number, forwarding);
  if (set) {
    vnic.info = *set;
  } else {
    vnic.fault = set.error();
    vnic.read = false;
  }
}

/// Removes VNICs that this manager has created and that the configuration no longer has.
asio::awaitable<void> Manager::remove_old() {
  std::set<CreatedVnic> old = stored_.created;
  for (const auto& [guid, port] : ports_)
    for (const auto& [number, vnic] : port.vnics) old.erase({guid, vnic.key, number});
  bool changed = false;
  for (const CreatedVnic& one : old) {
    const auto end = std::ranges::find(ends_, one.port, &EndPort::guid);
    // If another switch has the VNIC number now, there is nothing to remove. An absent port is
    // queried when it is back.
    const auto port = ports_.find(one.port);
    const bool taken = port != ports_.end() && port->second.vnics.contains(one.vnic);
    if (!taken && (end == ends_.end() || stopping_)) continue;
    if (!taken) {
      const bool removed = co_await remove(one, end->lid);
      if (!removed) continue;
    }
    stored_.created.erase(one);
    changed = true;
  }
  std::erase_if(stored_.switches, [&](const auto& one) {
    return !numbers_.contains(one.first) &&
           std::ranges::find(stored_.created, one.first, &CreatedVnic::key) ==
               stored_.created.end();
  });
  if (changed) co_await save();
}

/// Returns true if the VNIC no longer exists.
asio::awaitable<bool> Manager::remove(CreatedVnic old, mad::Lid lid) {
  const auto info = co_await agents_.get_port_info(lid, old.vnic);
  if (!info) co_return !info.error().silent;
  if (info->vesw_id() != old.key.vesw_id) co_return true;  // restarted, or another one
  const auto removed = co_await agents_.delete_vnic(lid, old.vnic);
  if (removed) log_.info("VNIC {} of {}: removed", old.vnic, old.port);
  co_return removed.has_value() || !removed.error().silent;
}

}  // namespace vnic
