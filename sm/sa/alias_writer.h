#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include <spdlog/logger.h>

#include "fabric/subnet.h"
#include "mad/smp_client.h"
#include "sm/conditions/line_limit.h"
#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/outcome.h"

namespace sa {

/// Writes alias GUIDs into the GUID tables of ports and vports: changes by clients, and aliases
/// that a port has lost. None of the references is owned.
class AliasWriter {
 public:
  AliasWriter(mad::Runtime& runtime, mad::SmpClient& client, spdlog::logger& log,
              const AliasGuids& aliases)
      : runtime_(runtime), client_(client), log_(log), aliases_(aliases) {}
  ~AliasWriter() { *alive_ = false; }
  AliasWriter(const AliasWriter&) = delete;
  AliasWriter& operator=(const AliasWriter&) = delete;

  /// Uses this subnet to find ports from now on. Null means no subnet: lost aliases are forgotten.
  void set_subnet(std::shared_ptr<const fabric::Subnet> subnet);
  /// Returns the alias GUIDs of ports that may have lost them: the ports are new, or in Init. If
  /// clients change such blocks before subnet_is_programmed(), that call writes them again.
  std::vector<AliasWrite> lost(const fabric::Subnet& draft);
  void subnet_is_programmed();

  /// Writes the current contents of these blocks, after aliases were withdrawn.
  void rewrite(const std::set<AliasGuids::Block>& blocks);

  enum class Result : std::uint8_t {
    written,
    rejected,     // the port responds with a status
    no_response,  // after all attempts, or the port has just disappeared
  };
  /// Writes a client's change, then calls `done(result)`, unless this object no longer exists. The
  /// write includes aliases that the port has lost since.
  void write(const AliasWrite& change, std::function<void(Result result)> done);

 private:
  void write_again(mad::Guid port_guid);
  void write_again(AliasGuids::Block block);
  std::set<AliasGuids::Block> take_rewritten(mad::Guid port_guid);
  boost::asio::awaitable<Result> write_block(std::shared_ptr<const bool> alive, mad::Guid port_guid,
                                             unsigned block, mad::GuidInfo guid_info);

  mad::Runtime& runtime_;
  mad::SmpClient& client_;
  spdlog::logger& log_;
  const AliasGuids& aliases_;
  std::shared_ptr<const fabric::Subnet> subnet_;
  std::vector<AliasWrite> restored_;          // by the sweep that is running
  std::set<mad::Guid> restore_after_change_;  // ports: a client's change was pending at that time
  std::set<AliasGuids::Block> rewrite_after_change_;  // the same, for blocks that lose an alias
  sm::LineLimit lines_{20};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sa
