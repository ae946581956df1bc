#include "sm/ctl/live.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>

#include "mad/smp_client.h"
#include "mad/umad/local_ports.h"
#include "mad/umad/umad_port.h"
#include "sm/sweep/apply.h"

namespace sm::ctl {
namespace asio = boost::asio;

tl::expected<LiveFabric, std::string> read_live(std::optional<mad::Guid> port_guid,
                                                mad::MKey m_key) {
  const auto port = mad::umad::choose_port(mad::umad::list_local_ports(), port_guid);
  if (!port) return tl::unexpected(port.error());
  asio::io_context io(1);
  const auto runtime = mad::make_asio_runtime(io.get_executor());
  auto umad = mad::umad::UmadPort::open(*port, *runtime);
  if (!umad) return tl::unexpected(umad.error());
  mad::SmpClient client(*runtime, **umad, mad::SmpLimits{});
  (*umad)->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& received : mads) client.on_mad(received);
  });

  LiveFabric live;
  const auto read = [&]() -> asio::awaitable<void> {
    live.survey = co_await discover(
        client, {.m_key = m_key, .clear_port_state_change = false, .on_progress = {}});
    live.memory.follow(live.survey.fabric);
    co_await read_tables(client, {.m_key = m_key, .on_progress = {}}, live.survey.fabric,
                         live.memory);
  };
  std::exception_ptr failure;
  asio::co_spawn(io, read(), [&](std::exception_ptr error) {
    failure = error;
    io.stop();
  });
  io.run();
  if (failure) std::rethrow_exception(failure);
  if (!live.survey.sm_port_up)
    return tl::unexpected(port->text() +
                          ": the port is down; there is no fabric to be seen from it");
  return live;
}

}  // namespace sm::ctl
