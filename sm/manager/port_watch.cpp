#include "sm/manager/port_watch.h"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "mad/attributes/port_info.h"

namespace sm {

PortWatch::PortWatch(mad::Runtime& runtime, mad::SmpClient& client, Owner& owner)
    : runtime_(runtime),
      client_(client),
      owner_(owner),
      timer_(runtime.make_timer([this] { tick(); })) {
  timer_->arm(runtime.now() + kPeriod);
}

/// The next read begins a period after this one has ended.
void PortWatch::tick() {
  const auto request = owner_.is_master() ? owner_.own_port_read() : std::nullopt;
  if (!request) return timer_->arm(runtime_.now() + kPeriod);
  boost::asio::co_spawn(runtime_.executor(), client_.ask(*request),
                        [this, alive = std::weak_ptr(alive_)](std::exception_ptr error,
                                                              const mad::SmpAnswer& answer) {
                          if (error) std::rethrow_exception(std::move(error));
                          if (!alive.expired()) read(answer);
                        });
}

void PortWatch::read(const mad::SmpAnswer& answer) {
  timer_->arm(runtime_.now() + kPeriod);
  // A silence that began before this manager led is reported when it leads.
  if (!answer.ok() && !is_silent_ && owner_.is_master()) owner_.port_silent();
  is_silent_ = !answer.ok() && (is_silent_ || owner_.is_master());
  if (!answer.ok()) return;
  const bool up = mad::PortInfo(answer.data).port_state() != mad::PortState::down;
  if (std::exchange(is_up_, up) && !up && owner_.is_master()) owner_.link_lost();
}

}  // namespace sm
