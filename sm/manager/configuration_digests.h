#pragma once

#include <string>
#include <vector>

#include "config/file_reader.h"
#include "fabric/condition.h"
#include "sm/context/sweep_context.h"
#include "sm/store/replica/state_replica.h"

namespace sm {

/// Returns a digest for each option in which all managers of a subnet should agree, over its value
/// and the content of the file that it names. No value can be read from it.
/// Left out: what belongs to one host, such as sm_priority, directories and logs.
Records configuration_digests(const config::Options& options, const config::FileReader& reader,
                              const RecordSeal& seal);

/// Options of which the digests differ, in one condition; none if all agree or there are none of
/// the master.
std::vector<Condition> configuration_differences(const Records& masters, const Records& own);

}  // namespace sm
