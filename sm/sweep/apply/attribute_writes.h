#pragma once
// Writes attributes whose responses are read into a Fabric, and handles rejected writes.

#include <span>
#include <string>
#include <vector>

#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/link_settings.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Returns the parts of PortInfo that a Set would change.
std::vector<PortInfoPart> parts_of(const mad::PortInfo& before, const mad::PortInfo& asked);

/// Writes SwitchInfo, P_KeyTable, GUIDInfo and PortInfo. The fabric gets the content of the
/// response. A setting that a device rejects, or acknowledges and does not take, does not fail the
/// sweep: it is noted as rejected, and is a condition of that port.
class AttributeWrites final : public Stage {
 public:
  /// Owns none of the references. `divide`, if given, receives rejected PortInfo writes that change
  /// more than one part, so that each part can be sent by itself.
  AttributeWrites(StageKind kind, Fabric& fabric, DeviceState& devices, std::vector<Write> writes,
                  std::vector<Write>* divide = nullptr)
      : Stage(kind),
        fabric_(fabric),
        devices_(devices),
        writes_(std::move(writes)),
        divide_(divide) {}

  std::size_t size() const override { return writes_.size(); }
  Write write(std::size_t number) const override { return writes_[number]; }
  bool reads_back() const override { return true; }
  /// A LinearFDBTop of 0 shows that a switch lost its tables after it was read.
  bool reads_first() const override { return kind() == StageKind::switches; }
  bool confirm(std::size_t number, std::span<const std::uint8_t, 64> data) override;
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override;
  void accept_rejected(std::size_t number, std::uint16_t status,
                       std::span<const std::uint8_t, 64> data, ApplyReport& report) override;
  /// A port may reject everything about its GUID table, also reads.
  bool refuse(std::size_t number, std::uint16_t status) override;

 private:
  /// Each returns whether the device holds what was written. `status` 0: it was acknowledged.
  bool settle(const Write& write, std::uint16_t status, std::span<const std::uint8_t, 64> data,
              ApplyReport& report);
  bool settle_port_info(const Write& write, std::uint16_t status, mad::PortInfo answered,
                        ApplyReport& report);
  bool settle_parts(const Write& write, std::uint16_t status, const mad::PortInfo& before,
                    PortInfoMask missing, ApplyReport& report);
  bool settle_switch_info(const Write& write, std::uint16_t status,
                          const mad::SwitchInfo& answered);
  bool settle_p_keys(const Write& write, std::uint16_t status,
                     std::span<const std::uint8_t, 64> data);
  bool note(const Write& write, std::uint16_t status, std::string detail);
  bool note_part(const Write& write, std::uint16_t status, PortInfoPart part, std::string detail);
  void learn(const Write& write, const mad::PortInfo& before, const mad::PortInfo& answered,
             ApplyReport& report);

  Fabric& fabric_;
  DeviceState& devices_;
  const std::vector<Write> writes_;
  std::vector<Write>* divide_;
};

}  // namespace sm
