#pragma once
// PortWatch observes the link of the own port, so that another manager can take over.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>

#include "mad/runtime.h"
#include "mad/smp_client.h"

namespace sm {

/// Reads PortInfo of the own port every kPeriod while this manager is MASTER; the read crosses no
/// link. Without a PortWatch the next light sweep finds a lost link.
class PortWatch {
 public:
  static constexpr mad::Duration kPeriod = std::chrono::milliseconds(200);

  /// The mastership that ends when the link is lost.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual bool is_master() const = 0;
    virtual std::optional<mad::SmpRequest> own_port_read() const = 0;  // Get(PortInfo)
    /// Called once for each loss of the link.
    virtual void link_lost() = 0;
    /// Called once when reads begin to have no response: the device hangs, or is gone.
    virtual void port_silent() = 0;
  };
  /// Owns none of the references.
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
  bool is_up_ = true, is_silent_ = false;
  std::shared_ptr<const int> alive_ = std::make_shared<const int>(0);  // a request outlives this
};

}  // namespace sm
