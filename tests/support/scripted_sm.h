#pragma once
// A scripted subnet manager on a simulated fabric: it answers SMInfo, represses traps and sends
// SMInfo Sets on request of the test.

#include <memory>
#include <vector>

#include "mad/attributes/sm_info.h"
#include "mad/smp.h"
#include "sim/world/world.h"

namespace laboratory {

class ScriptedSm {
 public:
  ScriptedSm(sim::World& world, sim::PortIndex port, mad::SmState state, std::uint8_t priority)
      : program_(world.attach(port)) {
    info.set_guid(world.model.ports[port].guid);
    info.set_sm_key(1);  // the default of sm_key
    info.set_priority(priority);
    info.set_sm_state(state);
    program_->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) take(received);
    });
    program_->set_is_sm(true);
  }

  mad::SmInfo info;  // its answer
  bool answers = true;
  bool answers_controls = true;                     // Set(SMInfo)
  std::uint16_t control_status = mad::status::kOk;  // of its answers to them
  bool becomes_master = false;                      // by a HANDOVER
  std::vector<std::uint32_t> controls;              // that it received
  unsigned traps = 0, by_lid = 0, by_route = 0;     // SMInfo Gets by class
  std::vector<mad::MadBytes> responses;             // to its requests

  sim::PortIndex port() const { return program_->port(); }
  void send_control(mad::Lid to, mad::SmControl control) {
    send(to, mad::Method::set, mad::SmInfo::modifier(control));
  }
  void send_control(const mad::DirectedRoute& route, mad::SmControl control) {
    mad::MadBytes bytes;
    mad::make_dr_smp(bytes, mad::Method::set, mad::AttributeId::sm_info,
                     mad::SmInfo::modifier(control), route, {}, ++transaction_id_)
        .set_data(info.bytes());
    program_->send(bytes, {}, 0);
  }
  void query(mad::Lid to) { send(to, mad::Method::get, 0); }
  void query(const mad::DirectedRoute& route) {
    mad::MadBytes bytes;
    mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::sm_info, 0, route, {},
                     ++transaction_id_);
    program_->send(bytes, {}, 0);
  }
  std::uint64_t transaction_id() const { return transaction_id_; }  // of the latest request

 private:
  void send(mad::Lid to, mad::Method method, std::uint32_t modifier) {
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, method, mad::AttributeId::sm_info, modifier, {}, ++transaction_id_)
        .set_data(info.bytes());
    program_->send(bytes, {.lid = to}, 0);
  }
  void take(const mad::ReceivedMad& received) {
    mad::MadBytes bytes = received.bytes;
    mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
    if (smp.is_response()) return responses.push_back(bytes);
    if (!answers) return;
    const bool trap = smp.method() == mad::Method::trap;
    const bool control = smp.method() == mad::Method::set;
    traps += trap;
    if (smp.method() == mad::Method::get) ++(smp.is_directed() ? by_route : by_lid);
    if (!trap && smp.attribute_id() != mad::AttributeId::sm_info) return;
    if (control) {
      controls.push_back(smp.attribute_modifier());
      if (!answers_controls) return;
      if (becomes_master) info.set_sm_state(mad::SmState::master);
    }
    if (!mad::make_response(smp, control ? control_status : mad::status::kOk)) return;
    if (!trap) smp.set_data(info.bytes());
    program_->send(bytes, received.from, 0);
  }

  std::unique_ptr<sim::Attachment> program_;
  std::uint64_t transaction_id_ = 0x1000;
};

}  // namespace laboratory
