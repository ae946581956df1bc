#pragma once
// Topologies from files that people, ibnetdiscover or other programs wrote.

#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "fabric/topology/model.h"

namespace sim {

/// A LID that a comment of ibnetdiscover's text tells: of a switch's port 0, or of a port of a CA
/// or router.
struct StatedLid {
  PortRef port;
  mad::Lid lid;
  std::uint8_t lmc = 0;
};

/// What a file said. Use `topology` only without errors.
struct TopologyFile {
  Topology topology;                       // nodes and cables in the order of the file
  std::vector<std::string> console_lines;  // of "do": commands for the console of the simulator
  std::vector<StatedLid>
      lids;  // in the order of the file, unchecked but for their range; none if the file tells none
  config::Diagnostics
      findings;  // file:line:column: what is wrong; what would be right. At most 50.

  bool ok() const { return !config::has_errors(findings); }
};

/// Reads what ibnetdiscover prints (also with -g and -s) and what ibsim reads: names of any kind
/// for nodes, Hca for Ca, GUIDs handed out when the file has none, w= s= e= at ports, width= speed=
/// extspeed=, module=, aliases (@), include, do. Shape:  a Node's id is the text in quotes, its
/// name the description behind '#' (or else the id). Width and speed of a cable are the
///         best that both ends have; 4x QDR if the file says nothing.
/// Errors: a cable that only one end knows of, unknown peers, ports out of range or used twice, ids
/// or GUIDs used twice, lines that
///         are nothing known, more LIDs than there are. LIDs in the file are not compared.
/// `files` opens included files; without it, includes are errors.
TopologyFile read_ibnetdiscover(const config::Source& source, const config::FileReader& files = {});

/// Reads what write_yaml() writes: a map with the lists `nodes` and `links`.
TopologyFile read_yaml(const config::Source& source);

/// Reads a file: YAML if its name ends in .yaml or .yml, else the text form. A file that cannot be
/// opened is a finding, too.
TopologyFile read_topology(const std::string& path,
                           const config::FileReader& files = config::read_file);

}  // namespace sim
