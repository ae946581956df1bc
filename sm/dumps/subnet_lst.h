#pragma once
// The list of links in the format of OpenSM's opensm-subnet.lst.

#include <string>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/lid_map.h"

#include <tl/expected.hpp>

namespace sm {

/// One line per end of a link, so that every link has two; ports without a link are left out. In
/// order of the fabric's ports.
/// Shape: `{ CA-SM Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:..
///   {description} LID:.. PN:.. } { peer } PHY=4x LOG=ACT SPD=2.5`, numbers in hexadecimal. A
///   switch's ports have the GUID and LID of its port 0. The peer's VenID has 8 digits and its
///   DevID four zeros after it, as in OpenSM's file. States, widths and speeds are those of the
///   snapshot: pass the fabric as read (or updated) after activation.
std::string subnet_lst(const Fabric& fabric, const LidMap& lids);

/// Writes it to the path of the options (subnet_lst_file, in dump_files_dir unless absolute),
/// unless enable_subnet_lst is off. Errors: one line with the file and the reason.
tl::expected<void, std::string> write_subnet_lst(const config::Options& options,
                                                 const Fabric& fabric, const LidMap& lids);

}  // namespace sm
