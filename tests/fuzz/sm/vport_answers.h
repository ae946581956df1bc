#pragma once
// A sweeper beside a host whose answers about vports are any bytes, in virtual time.

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "mad/format.h"
#include "partitions/load.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/vport_host.h"
#include "sim/world/world.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/sweeper.h"
#include "support/scratch.h"

namespace vport_answers {

using namespace std::chrono_literals;

/// Takes the input apart: what becomes of each answer about vports, in the order in which they are
/// sent. A byte says what; at the end of the input, answers stay as they are.
class Editor {
 public:
  explicit Editor(std::span<const std::uint8_t> input) : input_(input) {}

  void edit(mad::SmpView smp) {
    if (smp.attribute_id() < mad::AttributeId::virtualization_info ||
        smp.attribute_id() > mad::AttributeId::vport_p_key_table)
      return;
    const unsigned what = next();
    if ((what & kOtherModifier) != 0) smp.set_attribute_modifier(smp.attribute_modifier() + next());
    if ((what & kStatus) != 0) smp.set_status(next());
    mad::SmpData data{};
    std::ranges::copy(smp.data(), data.begin());
    if ((what & kAllBytes) != 0) {
      for (std::uint8_t& byte : data) byte = next();
    } else {
      for (unsigned bytes = what & kBytes; bytes > 0; --bytes) {
        const unsigned at = next() % data.size();
        data[at] = next();
      }
    }
    smp.set_data(data);
  }

 private:
  static constexpr unsigned kBytes = 0x3, kAllBytes = 0x10, kStatus = 0x20, kOtherModifier = 0x40;

  std::uint8_t next() {
    if (input_.empty()) return 0;
    const std::uint8_t byte = input_.front();
    input_ = input_.subspan(1);
    return byte;
  }
  std::span<const std::uint8_t> input_;
};

class Lab {
 public:
  Lab() {
    logger_->set_level(spdlog::level::off);
    folder_ = support::parent_of_scratch() / fmt::format("heddle-vport-answers-{}", ::getpid());
    std::filesystem::create_directory(folder_);
    settings_.cache_files_dir = settings_.dump_files_dir = folder_.string();
    settings_.enable_subnet_lst = settings_.fsync_high_avail_files = false;
    settings_.virt_enabled = 2;
    settings_.enable_virt_rec_ext = true;  // VNodeDescription is read, too
    attachment_->set_is_sm(true);
    attachment_->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) client_.on_mad(received);
    });
    for (const sim::PortIndex host : {liar_, honest_}) {
      sim::enable_virtualization(world_, host, kEach + 1);
      for (std::uint16_t index = 1; index <= kEach; ++index)
        sim::create_vport(world_, host, index,
                          {.guid = {0x5000000000000000u + host.value * 0x100u + index},
                           .lid_required = index == 2});
    }
  }
  ~Lab() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  /// "", or what is wrong: vports of the other host while this one answers with `input`, or of
  /// either when it answers as it should again.
  std::string play(std::span<const std::uint8_t> input) {
    sweep(true);
    follow();
    if (const std::string wrong = inactive(liar_) + inactive(honest_); !wrong.empty())
      return "at first: " + wrong;
    Editor editor(input);
    sim::Health& health = world_.model.owning_node(liar_).health;
    health.edit_response = [&editor](mad::SmpView smp) { editor.edit(smp); };
    for (std::uint16_t round = 0; round < 3; ++round) {
      sim::rebind_vport(world_, liar_, static_cast<std::uint16_t>(1 + round));
      follow();
      sweep(true);
      runtime_.run_for(20s);
      if (const std::string wrong = inactive(honest_); !wrong.empty()) return "beside it: " + wrong;
    }
    health.edit_response = {};
    sweep(false);
    for (unsigned times = 0; times < 3; ++times) {
      runtime_.run_for(virt::kRetryLast + 1s);
      follow();
    }
    const std::string wrong = inactive(liar_) + inactive(honest_);
    return wrong.empty() ? "" : "afterwards: " + wrong;
  }

 private:
  static constexpr std::uint16_t kEach = 3;

  void sweep(bool trust_tables) {
    const auto context = sm::make_context(settings_, {}, partitions::default_configuration());
    const sm::PassRequest order{
        .everything = true, .trust_tables = trust_tables, .why = "vport answers"};
    const auto both = [&]() -> boost::asio::awaitable<sm::PassResult> {
      sm::Survey survey = co_await sweeper_.observe(context, order, true);
      co_return co_await sweeper_.pass(context, order, std::move(survey));
    };
    runtime_.run(both());
  }
  /// Does what a light sweep does about vports.
  void follow() {
    const auto context = sm::make_context(settings_, {}, partitions::default_configuration());
    const auto both = [&]() -> boost::asio::awaitable<sm::PassResult> {
      sm::PassRequest request;
      request.vports.emplace(co_await sweeper_.find_changed_vports(), true);
      co_return co_await sweeper_.pass(context, request);
    };
    runtime_.run(both());
  }
  std::string inactive(sim::PortIndex host) const {
    for (std::uint16_t index = 0; index <= kEach; ++index)
      if (const mad::PortState state = sim::vport_state(world_.model.ports[host], index);
          state != mad::PortState::active)
        return fmt::format("{} vport {} is {}; ", world_.model.name(host), index, mad::name(state));
    return "";
  }

  sim::VirtualRuntime runtime_;
  sim::World world_{runtime_.events(),
                    topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2}), 1};
  sim::PortIndex own_ = world_.model.port(world_.model.find("H0"), 1),
                 liar_ = world_.model.port(world_.model.find("H1"), 1),
                 honest_ = world_.model.port(world_.model.find("H2"), 1);
  std::unique_ptr<sim::Attachment> attachment_ = world_.attach(own_);
  mad::SmpClient client_{runtime_, *attachment_, {.timeout = 50ms, .retries = 2}};
  std::shared_ptr<spdlog::logger> logger_ =
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::null_sink_st>());
  sm::ConditionLog conditions_{[this] { return runtime_.now(); }, *logger_};
  sm::Administration no_clients_;
  sm::Sweeper sweeper_{client_, *logger_, conditions_, no_clients_};
  config::Options settings_ = config::default_options(nullptr, nullptr);
  std::filesystem::path folder_;
};

}  // namespace vport_answers
