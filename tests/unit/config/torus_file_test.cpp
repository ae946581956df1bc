#include "config/torus_file.h"

#include <gmock/gmock.h>

#include "config/check.h"
#include "option_samples.h"

namespace config {
namespace torus_file_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TorusFile, AllKeywords) {
  Diagnostics found;
  const TorusFile file =
      parse_torus_file({"t",
                        "# two seeds\n\nmesh 2T 5 4t # sizes\n xp_link 0x20 0x21\n\typ_link 0x20 "
                        "0x22\nzp_link 0x20 0x23\nzm_link 0x20 0x24\n"
                        "next_seed\nxm_link 0x30 0x31\nym_link 0x30 0x32\nzp_link 0x30 "
                        "0x33\nzm_link 0x30 0x34\ny_dateline -2\nz_dateline 3\n"
                        "portgroup_max_ports 20\nport_order 7 10 7 8\nmax_changes 5\n"},
                       found);
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_EQ(file.dimensions[0], (TorusFile::Dimension{2, true}));
  EXPECT_EQ(file.dimensions[1], (TorusFile::Dimension{5, false}));
  EXPECT_EQ(file.dimensions[2], (TorusFile::Dimension{4, true}));
  ASSERT_EQ(file.seeds.size(), 2u);
  EXPECT_THAT(
      file.seeds[0].links,
      ElementsAre(TorusFile::Link{0, true, 0x20, 0x21}, TorusFile::Link{1, true, 0x20, 0x22},
                  TorusFile::Link{2, true, 0x20, 0x23}, TorusFile::Link{2, false, 0x20, 0x24}));
  EXPECT_THAT(file.seeds[0].dateline, ElementsAre(0, 0, 0));
  EXPECT_THAT(file.seeds[1].links.front(), (TorusFile::Link{0, false, 0x30, 0x31}));
  EXPECT_THAT(file.seeds[1].dateline, ElementsAre(0, -2, 3));
  EXPECT_THAT(file.port_order, ElementsAre(7, 10, 8));
  EXPECT_EQ(file.max_changes, 5u);
}

TEST(TorusFile, AllErrorsAtOnce) {
  Diagnostics found;
  parse_torus_file({"t",
                    "torus 3 4 1\nxp_link 0x20 0x21\nxp_link 0x20 0x22\nyp_link 0x25 0x23\nyp_link "
                    "0x20 0x21\nyp_link 0x20\nzp_link 0x20 0x29\nyq_link 1 2\n"
                    "x_dateline 3\ny_dateline up\nport_order 1 255\nmax_changes\nxm_link 0x20 "
                    "0x20\ntorus 3 3 3\nnext_seed more\nyp_link 0x20 z\n"},
                   found);
  EXPECT_THAT(
      texts(found),
      ElementsAre(
          "t:3:1: error: this direction was given before in this seed; leave one of the two out, "
          "or write next_seed between them",
          "t:4:1: error: other links of this seed begin at 0x0000000000000020; let all links of a "
          "seed begin at the same switch",
          "t:5:1: error: 0x0000000000000021 is at the end of another link of this seed; name the "
          "switch that is in this direction",
          "t:6:13: error: the line ends before the GUID; write a GUID such as 0x0002c90300a1b2c3",
          "t:7:1: error: this dimension has one switch only; leave the line out, or correct the "
          "size of the torus",
          "t:8:1: error: 'yq_link' is not a keyword; write torus, mesh, xp_link, xm_link (y, z "
          "too), x_dateline, next_seed, portgroup_max_ports, port_order or max_changes",
          "t:9:12: error: '3' is not a position of the origin; write a number in -2..2, counted "
          "from the first switch of the seed",
          "t:10:12: error: 'up' is not a position of the origin; write a number in -3..3, counted "
          "from the first switch of the seed",
          "t:11:14: error: port number '255' is out of range; write a port number in 1..254",
          "t:12:12: error: the line ends before the number of changes; write a number of changes "
          "such as 17",
          "t:13:1: error: a link from a switch to itself; name two switches",
          "t:14:1: error: the size of the torus was given before; leave one of the two lines out",
          "t:15:11: warning: 'more' after the entry is ignored",
          "t:16:14: error: 'z' is not a GUID; write a GUID such as 0x0002c90300a1b2c3",
          "t:2:1: error: this seed has no link in dimension y; write yp_link or ym_link",
          "t:15:1: error: this seed has no link in dimension x; write xp_link or xm_link",
          "t:15:1: error: this seed has no link in dimension y; write yp_link or ym_link"));
}

TEST(TorusFile, SizesComeFirstAndAreSizes) {
  const auto only = [](const char* text) {
    Diagnostics found;
    parse_torus_file({"t", text}, found);
    EXPECT_EQ(found.size(), 1u) << text;
    return found.empty() ? std::string() : found.front().text();
  };
  EXPECT_EQ(only("xp_link 1 2\nyp_link 1 3\ntorus_ 3 3 3\n"),
            "t:1:1: error: 'xp_link' before the size of the torus; begin with a line such as "
            "'torus 5 5 4'");
  EXPECT_EQ(only("torus 3 0 3\nxp_link 1 2"),
            "t:1:9: error: '0' is not the size of a dimension; write 1..255, with t or m after it "
            "for a ring or a line");
  EXPECT_EQ(only("torus 3 3"),
            "t:1:10: error: three sizes are needed; write 1..255, with t or m after it for a ring "
            "or a line");
  EXPECT_EQ(
      only("mesh 255 255 2"),
      "t:1:1: error: these are 130050 switches, and there are 49151 LIDs; write smaller sizes");
  EXPECT_EQ(only("torus 3 3x 3"),
            "t:1:9: error: '3x' is not the size of a dimension; write 1..255, with t or m after "
            "it for a ring or a line");
  EXPECT_EQ(only("torus 3 3 3"),
            "t:1:1: error: no switches are named; write xp_link, yp_link and zp_link with the "
            "GUIDs of two switches each");
  EXPECT_EQ(only("torus 4 1 1\nxp_link 1 2"),
            "t:2:1: error: x is a ring of four, and this seed has a link in one direction only; "
            "write both xp_link and xm_link");
}

TEST(TorusFile, IsReadForItsEnginesOnly) {
  const auto files = disk({{"x.conf", "routing_engine torus-2QoS\ntorus_config t\n"},
                           {"a.conf", "routing_engine ar_torus\ntorus_config t\n"},
                           {"l.conf", "routing_engine updn,ar_torus,minhop\ntorus_config t\n"},
                           {"y.conf", "torus_config t\n"},
                           {"t", "torus 3 1 1\nxp_link 1 2\n"}});
  for (const char* conf : {"x.conf", "a.conf", "l.conf"}) {
    const CheckedConfig checked = check_config(conf, files);
    EXPECT_THAT(texts(checked.diagnostics), IsEmpty()) << conf;
    EXPECT_EQ(checked.files.torus.dimensions[0].radix, 3u) << conf;
  }
  EXPECT_EQ(check_config("y.conf", files).files.torus, TorusFile{});
}

}  // namespace torus_file_test
}  // namespace config
