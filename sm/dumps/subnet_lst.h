#pragma once
// The list of links that OpenSM's users know as opensm-subnet.lst.

#include <string>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/lid_map.h"

#include <tl/expected.hpp>

namespace sm {

/// One line an end of a link, so every link comes twice; ports that are down or lead nowhere are
/// left out. In order of the fabric's ports. Shape:  `{ CA-SM Ports:01 SystemGUID:.. NodeGUID:..
/// PortGUID:.. VenID:.. DevID:.. Rev:.. {description} LID:.. PN:.. } { peer } PHY=4x LOG=ACT
/// SPD=2.5`,
///         numbers in hexadecimal. A switch's ports show the GUID and LID of its port 0.
/// Quirks: the peer's VenID has 8 digits and its DevID four zeros behind it, as readers of OpenSM's
/// file expect. States, widths and speeds are those of the snapshot: hand in the fabric as it was
/// read (or updated) after activation.
std::string subnet_lst(const Fabric& fabric, const LidMap& lids);

/// Writes it where the options say (subnet_lst_file, in dump_files_dir unless absolute), unless
/// enable_subnet_lst is off. Errors: one line with the file and the reason.
tl::expected<void, std::string> write_subnet_lst(const config::Options& options,
                                                 const Fabric& fabric, const LidMap& lids);

}  // namespace sm
