#pragma once
// Conditions of the replicated state.

#include "fabric/condition.h"

namespace sm {

struct ReplicaConditions : ConditionSet {
  ConditionRow store_unreachable{
      {*this, "SM-STORE-UNREACHABLE", warning,
       "The replicated state store does not take or return what subnet managers share.",
       "etcd is down, slow, full (NOSPACE), without a quorum, or refuses the user or the "
       "certificate; with state_store peers, the disk of this manager is full or slow, or it "
       "cannot listen at an address of state_listen.",
       "Until then local files decide: the fabric is managed, and the store gets the changes when "
       "it is back.",
       "Repair etcd or the etcd_* options; with peers, make room on the disk of cache_files_dir, "
       "or free the TCP port."}};
  ConditionRow store_behind{
      {*this, "SM-STORE-BEHIND", warning,
       "The replicated state store may lack changes of the master.",
       "The master cannot write to it, or another manager has claimed it; a manager that should "
       "hold a copy (state_peers) is not connected or slow.",
       "A takeover sets ClientReregister as long as this is active. With state_store peers, "
       "changes that the new master lacks are missing until the managers are connected again. A "
       "condition about a takeover ends with the sweep that follows it.",
       "Check that exactly one manager is MASTER and reaches the store, and that the managers "
       "reach each other."}};
  ConditionRow store_record_rejected{
      {*this, "SM-STORE-RECORD-REJECTED", error,
       "A record of the replicated state store does not authenticate, or cannot be read.",
       "Managers have different keys (sm_key or state_store_key_file), the store was written by "
       "another program, or a newer version of Heddle wrote it; or it is a change of another "
       "master that does not fit the changes here, when the two meet.",
       "The record is not used; the master writes its own again.",
       "Give all managers the same key."}};
  ConditionRow configuration_differs{
      {*this, "SM-CONFIGURATION-DIFFERS", warning,
       "A standby has another configuration than the master.",
       "An option or a file that it names was changed on one of them only.",
       "Each goes on with its own; after a takeover those of the new master count.",
       "Give both the same options."}};
  ConditionRow standby_without_state{
      {*this, "SM-STANDBY-WITHOUT-STATE", warning,
       "Another subnet manager is in the subnet, and does not get the partitions of the API.",
       "state_store is files: each manager has partitions of the API of its own. Or it is peers, "
       "and that manager is not connected, or not among them.",
       "After a takeover ports keep the P_Keys that they hold (SM-PARTITION-KEPT), and ports that "
       "restart do not get them again.",
       "Set state_store on all managers; with peers, `heddlectl status` says why they are not "
       "connected."}};
  ConditionRow changes_lost{
      {*this, "SM-STATE-CONFLICT", error,
       "Two managers led at the same time and changed the same shared records; values of one of "
       "them were not kept.",
       "The fabric was divided, or the managers did not see each other, and partitions, isolation "
       "orders or registrations were changed in both halves.",
       "The values of the manager that kept mastership are in force; the file that the message "
       "names has both. The condition ends when the daemon is started without the file.",
       "Compare the file with what the site needs, make lost changes again, remove the file, and "
       "restart the daemon at an opportunity."}};
};
inline constexpr ReplicaConditions kReplicaConditions;

}  // namespace sm
