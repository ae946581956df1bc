#pragma once
// Conditions of P_Key tables.

#include "fabric/condition.h"

namespace partitions {

struct PartitionConditions : fabric::ConditionSet {
  fabric::ConditionRow p_key_table_full{
      {*this, "SM-PKEY-TABLE-FULL", error,
       "A port's P_Key table has fewer entries than its partitions need.",
       "The port is a member of more partitions than PartitionCap allows.",
       "Its table gets the keys that fit: those that a port in use holds, the key of index 0, "
       "that of the default partition, then the lowest P_Keys. Keys of the API for which a switch "
       "port in front of the port has no room are left out at both, and the switch port enforces "
       "the others. A switch port without room for the keys of the configuration does not enforce "
       "P_Keys.",
       "Remove the port from some partitions."}};
  fabric::ConditionRow partition_kept{
      {*this, "SM-PARTITION-KEPT", warning,
       "Ports hold a P_Key that no partition of this manager explains, and they keep it.",
       "Another subnet manager was master, and its API has made the partition; or the first start "
       "of this manager found the key.",
       "The ports that hold the key are members as before: subnet administration answers with it. "
       "A port that loses the key does not get it again. Where switch ports hold the keys of their "
       "neighbours, only a key that both have is kept.",
       "`heddlectl security` lists the keys and ports. `heddlectl partition adopt P_KEY` makes the "
       "ports members, `heddlectl partition discard P_KEY` removes the key.",
       has_figures}};
};
inline constexpr PartitionConditions kPartitionConditions;

}  // namespace partitions
