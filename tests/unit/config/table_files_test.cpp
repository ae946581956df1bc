#include "config/table_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/file_reader.h"
#include "unit/config/option_samples.h"

namespace config {
namespace table_files_test {

using testing::ElementsAre;
using testing::IsEmpty;

template <class T>
struct Read {
  T value;
  std::vector<std::string> findings;
};
Read<ForwardingDump> tables(std::string_view text) {
  Diagnostics found;
  ForwardingDump value = parse_forwarding_dump({"lfts", text}, found);
  return {std::move(value), texts(found)};
}
Read<HopDump> hops(std::string_view text) {
  Diagnostics found;
  HopDump value = parse_hop_dump({"matrix", text}, found);
  return {std::move(value), texts(found)};
}

TEST(ForwardingDump, ReadsOpenSmsDump) {
  const auto read = tables(R"(Unicast lids [0-3] of switch Lid 2 guid 0x0002c90200000100 ('S1_0-0'):
0x0001 001 # Channel Adapter portguid 0x0002c90000000001: 'H0-0 mlx5_0'
0x0003 012 # Switch portguid 0x0002c90200000110: 'S1_0-1'
2 lids dumped
Unicast lids [0-3] of switch Lid 3 guid 0x0002c90200000110 ('S1_0-1'):
0x0001 005 # Channel Adapter portguid 0x0002c90000000001: 'H0-0 mlx5_0'
)");
  EXPECT_THAT(read.findings, IsEmpty());
  EXPECT_THAT(read.value.rows,
              ElementsAre(ForwardingDump::SwitchTable{0x0002c90200000100, {255, 1, 255, 12}},
                          ForwardingDump::SwitchTable{0x0002c90200000110, {255, 5}}));
  EXPECT_THAT(read.value.owner_of_lid, ElementsAre(0, 0x0002c90000000001, 0, 0x0002c90200000110));
}

TEST(ForwardingDump, ReadsTheOutputOfDumpFts) {
  const auto read = tables(
      "Unicast lids [0x0-0x18] of switch DR path slid 0; dlid 0; 0,1,5,4 "
      R"(guid 0x0002c90200000130 (S1_0-3):
  Lid  Out   Destination
       Port     Info 
0x0001 005 : (Channel Adapter portguid 0x0002c90000000001: 'H0-0 mlx5_0')
0x0002 000 : (Switch portguid 0x0002c90200000130: 'S1_0-3')
2 valid lids dumped 
)");
  EXPECT_THAT(read.findings, IsEmpty());
  EXPECT_THAT(read.value.rows,
              ElementsAre(ForwardingDump::SwitchTable{0x0002c90200000130, {255, 5, 0}}));
}

/// Returns the output of a program of infiniband-diags.
std::string printed(const std::string& name) {
  return read_file(HEDDLE_TEST_DATA "/infiniband_diags/" + name).value();
}

TEST(ForwardingDump, EntriesWithoutAPortAreLeftOut) {
  const auto plain = tables(printed("dump_fts.txt")), all = tables(printed("dump_fts-a.txt"));
  EXPECT_THAT(all.findings, IsEmpty());
  ASSERT_EQ(all.value.rows.size(), 3u);
  EXPECT_EQ(all.value.rows[0], (ForwardingDump::SwitchTable{0x10002, {255, 3, 0, 3, 3, 3, 1, 2}}));
  EXPECT_EQ(all.value, plain.value);
  const auto other = tables(
      "Unicast lids [0x0-0x2] of switch Lid 1 guid 0x12 (S):\n0x0000 000 : (path #0 out of 0)\n"
      "0x0001 254 : (path #0 - illegal port)\n0x0002 001 : (path #0 out of 0)\n");
  EXPECT_THAT(other.findings, IsEmpty());
  EXPECT_THAT(other.value.rows, ElementsAre(ForwardingDump::SwitchTable{0x12, {255, 255, 1}}));
}

TEST(ForwardingDump, AllLidsOfAPortHaveItsGuid) {
  const auto read = tables(printed("dump_fts-a-lmc1.txt"));
  EXPECT_THAT(read.findings, IsEmpty());
  EXPECT_THAT(read.value.owner_of_lid,
              ElementsAre(0, 0x10001, 0x10002, 0x10003, 0x20011, 0x20011, 0x20021, 0x20021, 0x20031,
                          0x20031, 0x20041, 0x20041));
}

TEST(ForwardingDump, MulticastTablesAloneAreAnError) {
  for (const char* const name : {"dump_fts-M.txt", "dump_fts-M-a.txt"}) {
    const auto read = tables(printed(name));
    EXPECT_THAT(read.findings,
                ElementsAre("lfts:1:1: error: this file has multicast forwarding tables only "
                            "(dump_fts -M); write unicast forwarding tables: dump_fts without -M"));
    EXPECT_THAT(read.value.rows, IsEmpty());
  }
  const auto both = tables(printed("dump_fts-M.txt") + printed("dump_fts.txt"));
  EXPECT_THAT(both.findings,
              ElementsAre("lfts:1:1: warning: multicast forwarding tables are not read"));
  EXPECT_EQ(both.value, tables(printed("dump_fts.txt")).value);
}

TEST(ForwardingDump, ReportsThePositionOfDefects) {
  const auto read = tables(
      "0x0001 001\n"
      "Unicast lids of switch Lid 2 guid 0x12:\n"
      "0xc000 1\n"
      "0x0001 256 # portguid 0x7\n"
      "0x0001 x\n"
      "0x0002 1 # portguid zero\n"
      "0x0003\n"
      "Unicast lids of switch Lid 2:\n"
      "0x0004 1\n");
  EXPECT_THAT(
      read.findings,
      ElementsAre(
          "lfts:1:1: error: an entry before the first switch; begin with 'Unicast lids .. guid "
          "0x..'",
          "lfts:3:1: error: '0xc000' is not a unicast LID; write 0x1..0xbfff",
          "lfts:4:8: error: '256' is not a port number; write 0..255",
          "lfts:5:8: error: 'x' is not a port number; write 0..255",
          "lfts:6:21: error: '' is not a GUID; write a GUID such as 0x0002c90300a1b2c3",
          "lfts:7:7: error: '' is not a port number; write 0..255",
          "lfts:8:1: error: no GUID of a switch in the head of this section; write 'guid 0x..'"));
  EXPECT_THAT(read.value.rows, ElementsAre(ForwardingDump::SwitchTable{0x12, {255, 255, 1}}));
}

TEST(ForwardingDump, OfDuplicatesTheFirstIsUsed) {
  const auto read = tables(
      "Unicast lids guid 0x12:\n0x1 1 # portguid 0x7\n0x1 2\nUnicast lids guid 0x12:\n0x2 1\n"
      "Unicast lids guid 0x13:\n0x1 3 # portguid 0x8\nMulticast mlids guid 0x13:\n0xc000 1\n");
  EXPECT_THAT(
      read.findings,
      ElementsAre(
          "lfts:3:1: warning: LID 1 was listed before; the first one is used",
          "lfts:4:1: warning: switch 0x0000000000000012 was listed before; the first one is used",
          "lfts:7:1: warning: the owner of LID 1 was 0x0000000000000007 before; that one is used",
          "lfts:8:1: warning: multicast forwarding tables are not read"));
  EXPECT_THAT(read.value.rows, ElementsAre(ForwardingDump::SwitchTable{0x12, {255, 1}},
                                           ForwardingDump::SwitchTable{0x13, {255, 3}}));
}

TEST(HopDump, ReadsOpenSmsDump) {
  const auto read = hops(R"(Switch: guid 0x0002c90200000100
0x0002: 00 ff 02 # portguid 0x0002c90200000100
0x0003: 02 ff 0a
)");
  EXPECT_THAT(read.findings, IsEmpty());
  EXPECT_THAT(read.value.rows, ElementsAre(HopDump::SwitchHops{
                                   0x0002c90200000100,
                                   {{2, 0x0002c90200000100, {0, 255, 2}}, {3, 0, {2, 255, 10}}}}));
}

TEST(HopDump, ReportsThePositionOfDefects) {
  const auto read = hops(
      "0x0001: 00\nSwitch: guid 0x12\n0x0001 00\n0x0002: 00 100\n0x0003: 00\n0x0003: 01\nSwitch: "
      "guid 0\n0x0001: 00\n");
  EXPECT_THAT(
      read.findings,
      ElementsAre(
          "matrix:1:1: error: hop counts before the first switch; begin with 'Switch: guid 0x..'",
          "matrix:3:7: error: a colon is missing after the LID; write '0x<lid>: <hops of port 0> "
          "..'",
          "matrix:4:12: error: '100' is not a number of hops; write 0x0..0xff",
          "matrix:6:1: warning: LID 3 was listed before; the first one is used",
          "matrix:7:14: error: '0' is not a GUID; write a GUID such as 0x0002c90300a1b2c3"));
  EXPECT_THAT(read.value.rows, ElementsAre(HopDump::SwitchHops{0x12, {{3, 0, {0}}}}));
}

}  // namespace table_files_test
}  // namespace config
