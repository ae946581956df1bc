#include "sm/sa/registrations/requests.h"

#include <array>

#include "mad/records/inform_info.h"
#include "mad/records/service_record.h"

namespace sa {

std::span<const WritableRecord> writable_records() {
  using enum mad::SaAttributeId;
  static constexpr std::array kAll{
      WritableRecord{inform_info, mad::Method::set, mad::InformInfo::kBytes, set_inform_info},
      WritableRecord{guid_info_record, mad::Method::set, mad::GuidInfoRecord::kBytes,
                     set_guid_info},
      WritableRecord{guid_info_record, mad::Method::delete_, mad::GuidInfoRecord::kBytes,
                     delete_guid_info},
      WritableRecord{service_record, mad::Method::set, mad::ServiceRecord::kBytes, set_service},
      WritableRecord{service_record, mad::Method::delete_, mad::ServiceRecord::kBytes,
                     delete_service},
      WritableRecord{mc_member_record, mad::Method::set, mad::McMemberRecord::kBytes,
                     set_mc_member},
      WritableRecord{mc_member_record, mad::Method::delete_, mad::McMemberRecord::kBytes,
                     delete_mc_member},
  };
  return kAll;
}

}  // namespace sa
