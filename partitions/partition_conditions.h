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
};
inline constexpr PartitionConditions kPartitionConditions;

}  // namespace partitions
