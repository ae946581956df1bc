#pragma once
// Conditions of a manager and its process: several modules raise them, or one above sm/ops.

#include "fabric/condition.h"

namespace sm {

struct ManagerConditions : ConditionSet {
  ConditionRow store_failed{
      {*this, "SM-STORE-FAILED", error, "What must survive a restart cannot be stored.",
       "The directory of OSM_CACHE_DIR is full, missing or not writable.",
       "LIDs, M_Keys and registrations are kept in memory only; requests to register are "
       "answered, and changes of partitions and isolations by the API are refused. The severity "
       "is critical for these, and error for other files. Everything is stored, and the condition "
       "ends, within a minute after the disk has room again.",
       "Make room or correct the permissions. Hosts are asked to register again if the manager is "
       "started before that.",
       by_consequence}};
  ConditionRow sm_port_down{
      {*this, "SM-PORT-DOWN", critical,
       "The port of this subnet manager has no link, or does not answer.",
       "The cable is pulled, the switch is off, or the port is disabled; or the port has an M_Key "
       "that follows neither from the clock nor from the files of this manager.",
       "Until it has a link and answers, nothing is managed by this subnet manager.",
       "Repair the link, or correct what the message names."}};
  ConditionRow sm_port_blocked{
      {*this, "SM-PORT-BLOCKED", critical, "The device of this subnet manager takes no MADs.",
       "Its firmware or driver hangs, or a simulator that stands in its place has stopped.",
       "Nothing can be read or written; a MAD that has waited for a second is dropped. Everything "
       "goes on as soon as the device takes MADs.",
       "Look at the kernel's log for messages of the driver, and reset the device or restart the "
       "host. The subnet manager ends within two seconds even now."}};
  ConditionRow subnet_silent{
      {*this, "SM-SUBNET-SILENT", critical,
       "The link of this subnet manager is up, and nothing behind it is managed.",
       "The switch in front of this host hangs, its agent does not answer, or an M_Key is unknown.",
       "No port behind the manager's link is programmed, the published subnet stays, and the "
       "fabric is read again with growing pauses.",
       "Check the node that the message names."}};
  ConditionRow trap_storm{
      {*this, "SM-TRAP-STORM", error, "A port repeats the same trap without end.",
       "A link that goes up and down, or firmware that does not accept TrapRepress.",
       "The port is read once a second, and not at each trap, until it pauses for 5 s, which ends "
       "the condition; with babbling_port_policy TRUE it is disabled.",
       "Check the link that the trap names, or disable the port.", is_of_link}};
  ConditionRow trap_refused{
      {*this, "SM-TRAP-REFUSED", error,
       "A host sent traps that only the subnet manager issues (64 to 67), or in the name of "
       "another port.",
       "A faulty agent, or an attempt to mislead subscribers.",
       "The trap has no effect and is not forwarded.", "Check the host that the message names.",
       occurrence}};
  ConditionRow port_disabled{
      {*this, "SM-PORT-DISABLED", error,
       "A port is disabled because it repeated traps without end (babbling_port_policy).",
       "A bad cable or port that reports link errors all the time.",
       "The port stays disabled; the condition ends when the port is enabled again or disappears.",
       "Replace the cable or the device, then enable the port (ibportstate) or restart it.",
       is_of_link}};
  ConditionRow sm_info_refused{
      {*this, "SM-SMINFO-REFUSED", error,
       "A Set(SMInfo) was refused: it is not the master of this subnet that sent it, or its key "
       "or state is wrong.",
       "A program that is no subnet manager of this subnet, or another sm_key or m_key.",
       "Nothing changes because of the request.", "Check the host that the message names.",
       occurrence}};
  ConditionRow m_key_violation{
      {*this, "SM-M-KEY-VIOLATION", error,
       "A port received a subnet management packet with a wrong M_Key (trap 256).",
       "Another subnet manager with another m_key, or a diagnostic program or an intruder on the "
       "host that the message names.",
       "The packet had no effect.", "Check the host that the message names.", occurrence}};
  ConditionRow p_key_violation{
      {*this, "SM-PKEY-VIOLATION", error,
       "A port received a packet with a P_Key that its table does not have (traps 257 and 259).",
       "The sender is a member of a partition that the receiver left or never joined, it uses an "
       "old P_Key, or a program on it sends with a P_Key that it was not given.",
       "The packet was dropped by the port that the message names. The P_Key tables of both ends "
       "are read back at once, at most once a second, and corrected if they differ.",
       "Compare the partitions of both ends: `heddlectl partition`. If they are right, check the "
       "programs on the sender.",
       occurrence}};
  ConditionRow q_key_violation{
      {*this, "SM-QKEY-VIOLATION", error, "A port received a packet with a wrong Q_Key (trap 258).",
       "Two programs disagree about the Q_Key of a queue pair or multicast group, or a program "
       "sends to a queue pair that is not meant for it.",
       "The packet was dropped by the receiver.", "Check the programs on the sender.", occurrence}};
  ConditionRow link_integrity{
      {*this, "SM-LINK-INTEGRITY", warning,
       "A port reported errors of its link: local link integrity, excessive buffer overruns or "
       "the flow control watchdog (traps 129 to 131).",
       "A bad cable or transceiver, or a port that fails.",
       "The port is used. With babbling_port_policy TRUE it is disabled after 250 of these traps.",
       "Look at the counters of both ends of the link; reseat or replace the cable.",
       occurrence | is_of_link}};
};
inline constexpr ManagerConditions kManagerConditions;

struct ConfigurationConditions : ConditionSet {
  ConditionRow config_rejected{
      {*this, "SM-CONFIG-REJECTED", error, "The configuration was rejected at the latest reload.",
       "The configuration, or a file that it names, has an error: the message has file, line and "
       "column of the first one.",
       "Nothing of it is in force: the daemon keeps its configuration. At its next start it would "
       "refuse to run.",
       "Correct the file (`heddlectl check-config FILE` names all errors), then run `heddlectl "
       "reload`."}};
  ConditionRow restart_needed{
      {*this, "SM-RESTART-NEEDED", warning,
       "The configuration has new values that a running daemon does not take.",
       "An option was changed that counts at the start only.",
       "The values of the start stay in force. All other changes of the reload have taken effect.",
       "Restart the daemon, or give the options their earlier values and run `heddlectl reload`."}};
  ConditionRow http_failed{
      {*this, "SM-HTTP-FAILED", error, "The HTTP service cannot do what http_* options ask for.",
       "An address of http_listen that this machine does not have, or that another program uses; "
       "a certificate, key or users file that is missing, broken or readable by others.",
       "The fabric is managed. What listened before goes on as it was; where nothing listens it "
       "is tried again every ten seconds.",
       "Repair what the message names, then send SIGHUP."}};
};
inline constexpr ConfigurationConditions kConfigurationConditions;

struct OutputConditions : ConditionSet {
  ConditionRow output_failed{
      {*this, "SM-OUTPUT-FAILED", error,
       "The log, or another file that Heddle writes for people and programs, cannot be written.",
       "The file system is full or read-only, a directory is missing, or the reader of a pipe has "
       "ended.",
       "The fabric is managed. Lines of the log that cannot be written are lost and counted; "
       "other files stay as they were and are written at the next occasion.",
       "Make room, or correct the path and its permissions; SIGUSR1 opens the log again."}};
  ConditionRow event_command_failed{
      {*this, "SM-EVENT-COMMAND-FAILED", warning, "event_command did not take an event.",
       "The program does not exist or cannot be run, ended with an exit code other than 0, ran "
       "longer than event_command_timeout, or is slower than events arrive.",
       "The event is not passed to it again, and this condition never is; /v1/events has both.",
       "Run the program by hand with an event as it is in the message, and look at what it prints.",
       has_figures}};
};
inline constexpr OutputConditions kOutputConditions;

}  // namespace sm
