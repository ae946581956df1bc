#pragma once
// The link of the own port, for a manager whose place another one of its process can take.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "mad/runtime.h"
#include "mad/smp_client.h"

namespace sm {

/// Reads PortInfo of the own port, which no link carries, every kPeriod while this manager is
/// MASTER. Without it a lost link is found by the next light sweep.
class PortWatch {
 public:
  static constexpr mad::Duration kPeriod = std::chrono::milliseconds(200);

  /// The mastership that ends when the link is lost.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual bool is_master() const = 0;
    virtual std::optional<mad::SmpRequest> own_port_read() const = 0;  // Get(PortInfo)
    /// Called once until the link is up again.
    virtual void link_lost() = 0;
  };
  /// None of the references is owned.
  PortWatch(mad::Runtime& runtime, mad::SmpClient& client, Owner& owner);
  PortWatch(const PortWatch&) = delete;
  PortWatch& operator=(const PortWatch&) = delete;

 private:
  void tick();
  void read(const mad::SmpAnswer& answer);

  mad::Runtime& runtime_;
  mad::SmpClient& client_;
  Owner& owner_;
  std::unique_ptr<mad::Timer> timer_;
  bool is_up_ = true;
  std::shared_ptr<const int> alive_ = std::make_shared<const int>(0);  // a request outlives this
};

}  // namespace sm
