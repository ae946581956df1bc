#include "sim/world/gsi_network.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sim {
namespace {

constexpr mad::Duration kGsiLatency = std::chrono::microseconds(5);

mad::ConstMadView header_of(const std::vector<std::uint8_t>& bytes) {
  return mad::ConstMadView(std::span(bytes).first<mad::kMadBytes>());
}

}  // namespace

class GsiNetwork::Program final : public mad::GsiTransport {
 public:
  Program(GsiNetwork& network, PortIndex port) : network_(&network), port_(port) {}
  ~Program() override {
    if (network_ != nullptr) std::erase(network_->programs_, this);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to,
           int /*response_timeout_ms*/) override {
    if (mad.size() < mad::kMadBytes) return EINVAL;
    network_->send(port_, {mad.begin(), mad.end()}, to.lid, to.sl);
    return 0;
  }
  void set_receiver(std::function<void(const mad::GsiMad&)> receiver) override {
    receiver_ = std::move(receiver);
  }
  mad::GsiPortState state() const override {
    const PortModel& port = network_->world_.model.ports[port_];
    return {.guid = port.guid,
            .gid_prefix = port.info.gid_prefix(),
            .lid = port.info.lid(),
            .sm_lid = port.info.master_sm_lid(),
            .sm_sl = port.info.master_sm_sl()};
  }
  void receive(const mad::GsiMad& mad) {
    if (receiver_) receiver_(mad);
  }
  void detach() { network_ = nullptr; }
  PortIndex port() const { return port_; }

 private:
  GsiNetwork* network_;
  PortIndex port_;
  std::function<void(const mad::GsiMad&)> receiver_;
};

GsiNetwork::~GsiNetwork() {
  for (Program* const program : programs_) program->detach();
}

std::unique_ptr<mad::GsiTransport> GsiNetwork::attach(PortIndex port) {
  auto program = std::make_unique<Program>(*this, port);
  programs_.push_back(program.get());
  return program;
}

void GsiNetwork::send_trap(PortIndex port, std::optional<std::vector<std::uint8_t>> trap) {
  if (!trap) return;
  ++traps;
  const mad::EthernetClassPortInfo& info = agents_.at(port).class_port_info;
  send(port, std::move(*trap), mad::Lid{static_cast<std::uint16_t>(info.trap_lid())},
       info.trap_sl());
}

void GsiNetwork::send(PortIndex from, std::vector<std::uint8_t> bytes, mad::Lid to, mad::Sl sl) {
  const PacketHeader packet{.dlid = to, .sl = sl, .transport = Transport::ud};
  if (lost > 0 && world_.random().chance(lost)) return;
  const Walk walk = world_.send_data(from, packet, bytes.size());
  if (!walk.delivered()) return;
  world_.events().after(kGsiLatency, [this, at = walk.end, bytes = std::move(bytes),
                                      slid = world_.model.ports[from].info.lid(),
                                      sl]() mutable { arrive(at, std::move(bytes), slid, sl); });
}

void GsiNetwork::arrive(PortIndex at, std::vector<std::uint8_t> bytes, mad::Lid from, mad::Sl sl) {
  if (!world_.model.alive(world_.model.ports[at].node)) return;
  const mad::ConstMadView header = header_of(bytes);
  const bool is_request = !header.is_response() && header.method() != mad::Method::trap;
  if (is_request && header.mgmt_class() == mad::MgmtClass::sa) {
    auto answer = administration ? administration(bytes) : std::nullopt;
    if (answer) send(at, std::move(*answer), from, sl);
  } else if (is_request) {
    const auto agent = agents_.find(at);
    if (agent == agents_.end() || !agent->second.serve(bytes)) return;
    world_.events().after(agent->second.faults.slow,
                          [this, at, bytes = std::move(bytes), from, sl]() mutable {
                            send(at, std::move(bytes), from, sl);
                          });
  } else {
    mad::GsiMad mad;
    mad.bytes = std::move(bytes);
    mad.from.lid = from;
    mad.from.qpn = 1;
    mad.from.sl = sl;
    const std::vector<Program*> all = programs_;  // a receiver may attach or detach others
    for (Program* const program : all)
      if (std::ranges::find(programs_, program) != programs_.end() && program->port() == at)
        program->receive(mad);
  }
}

}  // namespace sim
