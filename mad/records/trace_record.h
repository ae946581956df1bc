#pragma once
#include "mad/sa_attribute.h"

namespace mad {

/// One node on a path.
/// Units:  IDs are GUIDs of nodes, of systems and of ports; a port number is 0 where the path
/// starts or ends in the node. Source: IBTA Vol 1, 15.2.5.19.
struct TraceRecordFields {
  static constexpr std::size_t kBytes = 46;
  static constexpr std::array kFields{
      Field{0, 64, "GIDPrefix"},    Field{64, 16, "IDGeneration"}, Field{88, 8, "NodeType"},
      Field{96, 64, "NodeID"},      Field{160, 64, "ChassisID"},   Field{224, 64, "EntryPortID"},
      Field{288, 64, "ExitPortID"}, Field{352, 8, "EntryPort"},    Field{360, 8, "ExitPort"},
  };
};
using TraceRecord = SaRecord<TraceRecordFields, SaAttributeId::trace_record>;

}  // namespace mad
