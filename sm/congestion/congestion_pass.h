#pragma once
// A pass reads the congestion control attributes of some devices and writes those that differ.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fabric/subnet.h"
#include "sm/agents/visits.h"
#include "sm/congestion/congestion_devices.h"
#include "sm/congestion/congestion_settings.h"

namespace sm {

/// Describes a device that a pass visits.
struct CongestionPlace {
  CongestionRecord* record = nullptr;
  PortIndex port = kNoIndex;
  bool log_only = false;  // its CongestionLog is read, and nothing else
};

/// Holds the state of a visit to one device.
struct CongestionVisit : CongestionPlace {
  enum class Step : std::uint8_t {
    info,
    key_read,
    key_write,
    key_check_new,  // the response to the Set of the key was lost
    key_check_old,
    read,
    write,
    key_lookup,  // a Get was answered and a Set was not
    log,
  };
  const std::vector<CongestionSetting>* settings = nullptr;
  mad::MadAddress to;
  std::uint8_t lmc = 0;
  Step step = Step::info;
  bool has_ended = false;
  std::size_t setting = 0;
  std::vector<std::uint64_t> keys;  // that may be the device's; the first one is tried
  mad::GmpData key_info{};          // to be written
  bool was_configured = false, is_mended = false, looked_up = false;
  CongestionDevice fault;  // state, refuses, status, once there is one
};

/// A CongestionPass is the source of requests of one pass. A device gets one request at a time, in
/// the order CongestionInfo, CongestionKeyInfo (if the options say which key it has), its settings,
/// CongestionLog; each setting is read, and written if it differs. The pass ends its visit to a
/// device that does not answer. Responses change the records as they arrive.
///
/// A request has the CC_Key that the device accepted latest, else that of the options, else an
/// earlier one of the options, which a reload has replaced. With cc_key_enable the pass also uses a
/// key that the device shows, since its lease has ended. If the response to the Set of a key is
/// lost, the pass sends a Get with either key to find out which one the device has.
class CongestionPass final : public Visits<CongestionPlace, CongestionVisit> {
 public:
  struct Inputs {
    std::shared_ptr<const Subnet> subnet;
    const CongestionPlan& plan;
    std::vector<std::uint64_t> earlier_keys;  // the latest first
    std::uint64_t generation = 0;
    mad::Sl sl{};
    std::function<mad::TimePoint()> now;
    std::function<bool()> goes_on;  // false: no further device is visited
  };

  /// Neither the plan nor the records may change before the pass has ended.
  CongestionPass(Inputs inputs, std::vector<CongestionPlace> places);

  std::uint64_t gets() const { return gets_; }
  std::uint64_t sets() const { return sets_; }
  /// Returns the devices that had the settings before, and now had other ones.
  const std::vector<PortIndex>& mended() const { return mended_; }
  std::uint64_t mended_settings() const { return mended_settings_; }

 private:
  using Visit = CongestionVisit;
  using Step = Visit::Step;

  bool may_open() const override { return inputs_.goes_on(); }
  bool open(const CongestionPlace& place, Visit& visit) override;
  bool has_request(const Visit& visit) const override { return !visit.has_ended; }
  void fill(Visit& visit, mad::GmpRequest& request) override;
  void take(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) override;
  void close(Visit& visit) override;
  // Each function handles the outcome of a step and decides the next one. Returns true if the visit
  // continues.
  bool handle(Visit& visit, const mad::GmpReply& reply);
  bool take_info(Visit& visit, const mad::GmpReply& reply);
  bool take_key_info(Visit& visit, const mad::GmpReply& reply);
  bool take_key_written(Visit& visit, const mad::GmpReply& reply);
  bool take_key_check(Visit& visit, const mad::GmpReply& reply);
  bool take_setting(Visit& visit, const mad::GmpReply& reply);
  bool take_written(Visit& visit, const mad::GmpReply& reply);
  bool look_up_key(Visit& visit, const mad::GmpReply& reply);
  void take_log(Visit& visit, const mad::GmpReply& reply);

  bool next_setting(Visit& visit);
  static bool fail(Visit& visit, CongestionState state);
  void refuse(Visit& visit, mad::CongestionControlAttribute attribute, std::uint32_t modifier,
              std::uint16_t status);

  Inputs inputs_;
  std::vector<PortIndex> mended_;
  std::uint64_t gets_ = 0, sets_ = 0, mended_settings_ = 0;
  bool has_sent_ = false;
};

}  // namespace sm
