#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/fabric.h"
#include "sm/sweep/link_settings.h"

namespace sm {

/// Tuning fields of PortInfo that devices of a model acknowledge and do not take. Such a field
/// alone is no reason to write to such a port again, at this sweep or after a restart; a Set that
/// is needed for another reason still carries it, and a device that takes it is believed at once.
/// Fields that connectivity or isolation depend on (LID, MTU, M_Key, P_Key enforcement, ...) are
/// never recorded: they are set again as long as they are wrong.
class UnsupportedSettings {
 public:
  /// What a device of this port's model does not take.
  PortInfoMask mask_for(const Fabric& fabric, PortIndex port) const;

  struct Response {
    std::vector<std::string_view>
        newly_unsupported;          // names of fields that this model was not known to refuse
    bool others_not_taken = false;  // a field that cannot be learnt was not taken either
  };
  /// `asked` was sent to a port that held `before`, and `answered` came back without an error.
  Response learn(const Fabric& fabric, PortIndex port, const mad::PortInfo& before,
                 const mad::PortInfo& asked, const mad::PortInfo& answered);

  /// True once after something was learnt or unlearnt: worth saving.
  bool take_changed();

  /// One line a model: `VendorID DeviceID kind field field ...`, hexadecimal numbers, kind one of
  /// ca, router, switch0, switch. `#` starts a comment.
  std::string to_text() const;
  /// Errors: what is wrong with the text, by line; then nothing of it is used, since it can be
  /// learnt again.
  static tl::expected<UnsupportedSettings, std::string> from_text(std::string_view text);
  /// What a directory's file says; nothing if there is none. Errors: one line; then it is not used.
  static tl::expected<UnsupportedSettings, std::string> load(const std::filesystem::path& folder);

  static constexpr std::string_view kFile = "refused-settings";

 private:
  struct Model {
    std::uint32_t vendor_id = 0;
    std::uint16_t device_id = 0;
    std::string_view kind;
    auto operator<=>(const Model&) const = default;
  };
  static Model model_of(const Fabric& fabric, PortIndex port);

  std::map<Model, PortInfoMask> refused_;
  bool changed_ = false;
};

}  // namespace sm
