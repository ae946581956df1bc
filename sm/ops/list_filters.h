#pragma once
// Filters of lists, each declared once: as a query parameter of /v1, and as an option of heddlectl
// whose name has - in place of _.

#include <array>
#include <string_view>

#include "sm/ops/row_declaration.h"

namespace sm {

struct ListFilter {
  std::string_view name;    // "p_key": ?p_key= and --p-key
  std::string_view schema;  // of its value
  std::string_view what;    // a phrase
  std::string_view argument =
      {};  // of the option, in the help; empty: heddlectl has no such option
};

namespace value {
inline constexpr std::string_view
    kPartOfName = R"({"type":"string","minLength":1})",
    kPlace = R"({"type":"string","minLength":1,"maxLength":100,"examples":["leaf-1"]})",
    kHexNumber = R"({"type":"string","minLength":1})";
}  // namespace value

namespace filter {
// --guid of heddlectl names the manager, so that a GUID is given to it as NODE.
inline constexpr ListFilter kType{"type", value::kNodeType, "type of the node", "TYPE"},
    kName{"name", value::kPartOfName, "part of the description, in either case", "TEXT"},
    kNode{"node", value::kPlace,
          "a GUID, a LID, a description or its first word; NODE:PORT is one port", "NODE"},
    kNodeGuid{"guid", value::kGuid, "the NodeGUID"};
}  // namespace filter

inline constexpr std::array kNodeFilters{filter::kType, filter::kName, filter::kNode,
                                         filter::kNodeGuid};
inline constexpr std::array kPortFilters{
    ListFilter{"state", value::kPortState, "PortState", "STATE"},
    filter::kType,
    filter::kName,
    filter::kNode,
    ListFilter{"guid", value::kGuid, "PortGUID, or NodeGUID of its node"},
    ListFilter{"linked", value::kBoolean, "physical ports that have a link, or have none"}};
inline constexpr std::array kLinkFilters{
    ListFilter{"state", value::kPortState, "PortState of the end that is less far", "STATE"},
    // --degraded of heddlectl has links that are not Active, too.
    ListFilter{"degraded", value::kBoolean, "slower or narrower than both ends support"},
    ListFilter{"name", value::kPartOfName, "part of the description at either end, in either case",
               "TEXT"},
    ListFilter{"node", value::kPlace,
               "at either end: a GUID, a LID, a description or its first word; NODE:PORT is one "
               "link",
               "NODE"},
    ListFilter{"guid", value::kGuid, "NodeGUID at either end"}};
inline constexpr std::array kConditionFilters{
    ListFilter{"severity", value::kSeverity, "severity", "SEVERITY"},
    ListFilter{"id", value::kPartOfName, "identifier, such as SM-LINK-LOST", "CONDITION"},
    ListFilter{"node", value::kPlace,
               "that it names, also of what was lost: a GUID, a LID, a description or its first "
               "word; NODE:PORT is one port",
               "NODE"},
    ListFilter{"guid", value::kGuid, "GUID that it names"}};
inline constexpr std::array kLostFilters{ListFilter{
    "node", value::kPlace,
    "that is called so: a GUID, a NodeDescription or its first word; NODE:PORT is one port "
    "of a node, or either end of a link",
    "NODE"}};
inline constexpr std::array kGroupFilters{
    ListFilter{"p_key", value::kHexNumber, "of the partition, such as 0x7fff", "P_KEY"},
    ListFilter{"mlid", value::kHexNumber, "MLID, such as 0xc000", "MLID"},
    ListFilter{"port", value::kPlace,
               "that is a member: a GUID, a LID, a description or its first word, with :PORT for "
               "one of several ports",
               "NODE"}};
inline constexpr std::array kAdaptiveFilters{
    ListFilter{"state", value::kAdaptiveState, "state of adaptive routing", "STATE"}, filter::kName,
    // heddlectl shows the groups of the named switch.
    ListFilter{"node", value::kPlace, "a GUID, a LID, a description or its first word"},
    filter::kNodeGuid};
inline constexpr std::array kAdaptiveGroupFilters{ListFilter{
    "to", value::kPlace,
    "the switch that packets go to: a GUID, a LID, a description or its first word", "NODE"}};
inline constexpr std::array kLoadFilters{
    ListFilter{"node", value::kPlace,
               "at either end: a GUID, a LID, a description or its first word; NODE:PORT is one "
               "link",
               "NODE"}};

}  // namespace sm
