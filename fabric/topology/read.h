#pragma once
// Topologies from files: written by hand, by ibnetdiscover or by other programs.

#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "fabric/topology/topology_model.h"

namespace topology {

/// A LID from a comment of ibnetdiscover's text; it belongs to a switch's port 0, or to a port of a
/// CA or router.
struct StatedLid {
  PortRef port;
  mad::Lid lid;
  std::uint8_t lmc = 0;
};

/// The content of a file. Use `topology` only if ok().
struct TopologyFile {
  Topology topology;                       // nodes and links in the order of the file
  std::vector<std::string> console_lines;  // of "do": commands for the console of the simulator
  std::vector<StatedLid> lids;             // in the order of the file; only their range is checked
  std::vector<std::size_t> links_without_rate;  // indices of links whose width or speed the file
                                                // does not state, ascending
  config::Diagnostics
      findings;  // file:line:column: what is wrong; what would be right. At most 50.

  bool ok() const { return !config::has_errors(findings); }
};

/// Reads the output of ibnetdiscover (also with -g and -s) and the input of ibsim: names of any
/// kind for nodes, Hca for Ca, GUIDs assigned when the file has none, w= s= e= at ports, width=
/// speed= extspeed=, module=, aliases (@), include, do.
/// Shape:  a Node's id is the text in quotes, its name the description after '#' (or else the id).
///         Width and speed of a link are the best that both ends have; 4x QDR by default.
/// Errors: a link that only one end names, unknown peers, ports out of range or used twice, ids or
///         GUIDs used twice, unknown lines, more nodes than unicast LIDs. LIDs in the file are not
///         compared.
/// `files` opens included files; without it, includes are errors.
TopologyFile read_ibnetdiscover(const config::Source& source, const config::FileReader& files = {});

/// Reads the output of write_yaml(): a map with the lists `nodes` and `links`.
TopologyFile read_yaml(const config::Source& source);

/// Reads a file: YAML if its name ends in .yaml or .yml, else the text form. A file that cannot be
/// opened is a finding, too.
TopologyFile read_topology(const std::string& path,
                           const config::FileReader& files = config::read_file);

}  // namespace topology
