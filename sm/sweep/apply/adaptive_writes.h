#pragma once
// Writes the attributes of adaptive routing, and handles their responses.

#include <functional>
#include <string>
#include <vector>

#include "sm/sweep/apply/adaptive_content.h"
#include "sm/sweep/apply/adaptive_update.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// The base of these writes: no outcome fails a sweep. A switch that rejects a write, does not
/// answer it, or answers with other content, has an obstacle from then on.
class AdaptiveWrites : public Stage {
 public:
  AdaptiveWrites(StageKind kind, const Fabric& fabric, const AdaptiveUpdate& update)
      : Stage(kind), fabric_(fabric), update_(update) {}

  bool reads_back() const override { return false; }
  bool may_fail() const override { return true; }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override;
  void accept_rejected(std::size_t number, std::uint16_t status,
                       std::span<const std::uint8_t, 64> data, ApplyReport& report) override;
  bool refuse(std::size_t number, std::uint16_t status) override;
  void lose(std::size_t number) override;

 protected:
  virtual SwitchIndex switch_of(std::size_t number) const = 0;
  /// Notes that the switch holds what was written.
  virtual void hold(std::size_t number, std::span<const std::uint8_t, 64> data) = 0;
  /// Notes that the switch may hold what was written, or not.
  virtual void may_hold(std::size_t number) = 0;
  /// True if the response shows that the switch took the write.
  virtual bool is_taken(std::size_t number, std::span<const std::uint8_t, 64> data) const;

  AdaptiveDevice& device(std::size_t number) const { return *update_.device(switch_of(number)); }
  PortIndex port_of(SwitchIndex sw) const {
    return fabric_.nodes[fabric_.switches[sw].node].first_port;
  }
  void obstruct(std::size_t number, AdaptiveState state, std::string reason);

  const Fabric& fabric_;
  const AdaptiveUpdate& update_;
};

/// Identifies a block of a table of one switch.
struct TableBlock {
  SwitchIndex sw{0};
  std::uint32_t block = 0;
  FormBlocks::Id form = 0;  // of an ARLinearForwardingTable
};

/// Writes ARGroupTable.
class GroupWrites final : public AdaptiveWrites {
 public:
  using Ports = std::function<const PortSet(SwitchIndex, GroupId)>;
  GroupWrites(StageKind kind, const Fabric& fabric, const AdaptiveUpdate& update,
              std::vector<TableBlock> blocks, Ports ports)
      : AdaptiveWrites(kind, fabric, update),
        blocks_(std::move(blocks)),
        ports_(std::move(ports)) {}

  std::size_t size() const override { return blocks_.size(); }
  Write write(std::size_t number) const override;

 protected:
  SwitchIndex switch_of(std::size_t number) const override { return blocks_[number].sw; }
  void hold(std::size_t number, std::span<const std::uint8_t, 64> data) override;
  void may_hold(std::size_t number) override;

 private:
  const std::vector<TableBlock> blocks_;
  const Ports ports_;
};

/// Writes ARLinearForwardingTable.
class EntryWrites final : public AdaptiveWrites {
 public:
  /// `static_ports` is called with the number of the block. `lost`, if not null, gets the numbers
  /// of blocks that the switch may not hold.
  EntryWrites(StageKind kind, const Fabric& fabric, const AdaptiveUpdate& update,
              std::vector<TableBlock> blocks,
              std::function<StaticPorts(std::size_t number)> static_ports,
              std::vector<std::uint32_t>* lost = nullptr)
      : AdaptiveWrites(kind, fabric, update),
        blocks_(std::move(blocks)),
        static_ports_(std::move(static_ports)),
        lost_(lost) {}

  std::size_t size() const override { return blocks_.size(); }
  Write write(std::size_t number) const override;

 protected:
  SwitchIndex switch_of(std::size_t number) const override { return blocks_[number].sw; }
  void hold(std::size_t number, std::span<const std::uint8_t, 64> data) override;
  void may_hold(std::size_t number) override;

 private:
  const std::vector<TableBlock> blocks_;
  const std::function<StaticPorts(std::size_t)> static_ports_;
  std::vector<std::uint32_t>* lost_;
};

/// Writes ARInfo.
class InfoWrites final : public AdaptiveWrites {
 public:
  struct Setting {
    SwitchIndex sw{0};
    mad::AdaptiveRoutingInfo info;
  };
  InfoWrites(StageKind kind, const Fabric& fabric, const AdaptiveUpdate& update,
             std::vector<Setting> settings)
      : AdaptiveWrites(kind, fabric, update), settings_(std::move(settings)) {}

  std::size_t size() const override { return settings_.size(); }
  Write write(std::size_t number) const override;

 protected:
  SwitchIndex switch_of(std::size_t number) const override { return settings_[number].sw; }
  bool is_taken(std::size_t number, std::span<const std::uint8_t, 64> data) const override;
  void hold(std::size_t number, std::span<const std::uint8_t, 64> data) override;
  void may_hold(std::size_t number) override;

 private:
  const std::vector<Setting> settings_;
};

/// Writes pFRNConfig.
class NotificationWrites final : public AdaptiveWrites {
 public:
  NotificationWrites(StageKind kind, const Fabric& fabric, const AdaptiveUpdate& update,
                     std::vector<SwitchIndex> switches)
      : AdaptiveWrites(kind, fabric, update), switches_(std::move(switches)) {}

  std::size_t size() const override { return switches_.size(); }
  Write write(std::size_t number) const override;

 protected:
  SwitchIndex switch_of(std::size_t number) const override { return switches_[number]; }
  void hold(std::size_t number, std::span<const std::uint8_t, 64> data) override;
  void may_hold(std::size_t number) override;

 private:
  const std::vector<SwitchIndex> switches_;
};

/// Returns "byte 12 is 0x05, not 0x07; byte 13 ...".
std::string differing_bytes(std::span<const std::uint8_t, 64> wanted,
                            std::span<const std::uint8_t, 64> shown);

}  // namespace sm
