#include "sm/sa/alias_writer.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "sm/sa/registrations/ports.h"

namespace sa {
namespace asio = boost::asio;

namespace {
constexpr unsigned kAliasTries = 4;
}

void AliasWriter::set_subnet(std::shared_ptr<const fabric::Subnet> subnet) {
  subnet_ = std::move(subnet);
  if (subnet_) return;
  restored_.clear();
  restore_after_change_.clear();
  rewrite_after_change_.clear();
}

std::vector<AliasWrite> AliasWriter::lost(const fabric::Subnet& draft) {
  restored_.clear();
  for (const fabric::PortIndex index : draft.fabric.end_ports) {
    const fabric::Port& port = draft.fabric.ports[index];
    const bool restarted = port.known && port.info.port_state() == mad::PortState::init;
    if (!restarted && subnet_ && subnet_->fabric.port_of_guid.contains(port.guid)) continue;
    // The port takes a whole block at once, so a pending change comes first.
    if (aliases_.is_changing(port.guid)) {
      restore_after_change_.insert(port.guid);
      continue;
    }
    for (const auto& [block, guid_info] : aliases_.blocks(port.guid))
      restored_.push_back({port.guid, block, guid_info});
  }
  return restored_;
}

void AliasWriter::subnet_is_programmed() {
  for (const AliasWrite& restored : std::exchange(restored_, {})) {
    if (aliases_.is_changing(restored.port_guid)) {
      restore_after_change_.insert(restored.port_guid);
    } else if (aliases_.block(restored.port_guid, restored.block) != restored.guid_info) {
      write_again(restored.port_guid);
    }
  }
}

asio::awaitable<AliasWriter::Result> AliasWriter::write_block(std::shared_ptr<const bool> alive,
                                                              mad::Guid port_guid, unsigned block,
                                                              mad::GuidInfo guid_info) {
  // Another subnet may be published in the meantime, with other indices or without the port.
  const std::shared_ptr<const fabric::Subnet> subnet = subnet_;
  if (!subnet) co_return Result::no_response;
  const fabric::EndPoint end = subnet->find(port_guid);
  if (end.port == fabric::kNoIndex) co_return Result::no_response;
  const auto route = subnet->fabric.route_to(end.port);
  if (!route) co_return Result::no_response;
  mad::SmpRequest request{.method = mad::Method::set,
                          .attribute = mad::AttributeId::guid_info,
                          .modifier = block,
                          .route = *route,
                          .port = subnet->fabric.ports[end.port].guid};
  if (end.vport != fabric::kNoIndex) {  // VPortGUIDInfo has the layout of GUIDInfo
    request.attribute = mad::AttributeId::vport_guid_info;
    request.modifier = mad::VPortGuidInfo::modifier(subnet->vports->vports[end.vport].index,
                                                    static_cast<std::uint16_t>(block));
  }
  std::ranges::copy(guid_info.bytes(), request.data.begin());
  const mad::SmpAnswer answer = co_await client_.ask(request);
  if (!answer.ok() && *alive && lines_.admit(runtime_.now()))
    log_.error("{} does not take its alias GUIDs (block {})",
               end.vport == fabric::kNoIndex
                   ? subnet->fabric.name(subnet->fabric.ports[end.port].node)
                   : find_name(*subnet, end),
               block);
  if (answer.ok()) co_return Result::written;
  co_return answer.fault == mad::SmpFault::bad_status ? Result::rejected : Result::no_response;
}

/// Removes and returns the blocks of the port that wait for the end of its change.
std::set<AliasGuids::Block> AliasWriter::take_rewritten(mad::Guid port_guid) {
  std::set<AliasGuids::Block> out;
  for (auto at = rewrite_after_change_.lower_bound({port_guid, 0});
       at != rewrite_after_change_.end() && at->port_guid == port_guid;)
    out.insert(rewrite_after_change_.extract(at++));
  return out;
}

void AliasWriter::write(const AliasWrite& change, std::function<void(Result result)> done) {
  asio::co_spawn(
      runtime_.executor(),
      [](AliasWriter& self, std::shared_ptr<bool> alive, AliasWrite what,
         std::function<void(Result)> then) -> asio::awaitable<void> {
        const Result result =
            co_await self.write_block(alive, what.port_guid, what.block, what.guid_info);
        if (!*alive) co_return;
        then(result);
        if (self.restore_after_change_.erase(what.port_guid) > 0) self.write_again(what.port_guid);
        self.rewrite(self.take_rewritten(what.port_guid));
      }(*this, alive_, change, std::move(done)),
      asio::detached);
}

void AliasWriter::write_again(mad::Guid port_guid) {
  for (const auto& [block, guid_info] : aliases_.blocks(port_guid))
    write_again(AliasGuids::Block{port_guid, block});
}

void AliasWriter::write_again(AliasGuids::Block block) {
  asio::co_spawn(
      runtime_.executor(),
      [](AliasWriter& self, std::shared_ptr<bool> alive, mad::Guid guid,
         unsigned number) -> asio::awaitable<void> {
        // A client may change the block before the response comes.
        for (unsigned tries = 0; *alive && tries < kAliasTries; ++tries) {
          const mad::GuidInfo content = self.aliases_.block(guid, number);
          if (co_await self.write_block(alive, guid, number, content) != Result::written || !*alive)
            co_return;
          if (self.aliases_.block(guid, number) == content) co_return;
        }
      }(*this, alive_, block.port_guid, block.number),
      asio::detached);
}

void AliasWriter::rewrite(const std::set<AliasGuids::Block>& blocks) {
  for (const AliasGuids::Block& block : blocks) {
    // The port takes a whole block at once, so a pending change comes first; it includes the
    // withdrawn aliases.
    if (aliases_.is_changing(block.port_guid)) {
      rewrite_after_change_.insert(block);
    } else {
      write_again(block);
    }
  }
}

}  // namespace sa
