#include "config/module_levels.h"

#include <gmock/gmock.h>

#include "option_samples.h"

namespace config {
namespace module_levels_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ModuleLevels, AreAddedUpByPartsOfThisProgram) {
  Diagnostics found;
  const ModuleLevels levels = parse_module_levels(
      {"levels",
       "# from OpenSM\nosm_sa.c 0x02\nosm_sa_path_record.c,4 # a comment\n"
       "osm_lid_mgr.c = 0x0f\nosm_ucast_nue.c=0x10\nmain.c\t0x08\nst.c 1\nosm_perfmgr.c 0x7f\n"},
      found);
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_EQ(levels.of(LogModule::administration), 0x06);
  EXPECT_EQ(levels.of(LogModule::sweep), 0x1F);
  EXPECT_EQ(levels.of(LogModule::manager), 0x7F);
}

TEST(ModuleLevels, ErrorsHaveTheirPositions) {
  Diagnostics found;
  const ModuleLevels levels = parse_module_levels(
      {"levels",
       "osm_sa.c\n osm_nothing.c 1\nosm_sa.c,0x100\nosm_sa.c=two\nosm_.c 1\n.c 1\n"
       "osm_sa.c 1 2\n"},
      found);
  EXPECT_THAT(
      texts(found),
      ElementsAre(
          "levels:1:9: error: the line ends before the level; write a level in 0..255",
          "levels:2:2: error: 'osm_nothing.c' is no module of OpenSM; write the name of a "
          "source file, such as osm_lid_mgr.c",
          "levels:3:10: error: level '0x100' is out of range; write a level in 0..255",
          "levels:4:10: error: 'two' is not a level; write a level in 0..255",
          "levels:5:1: error: 'osm_.c' is no module of OpenSM; write the name of a source "
          "file, such as osm_lid_mgr.c",
          "levels:6:1: error: '.c' is no module of OpenSM; write the name of a source file, "
          "such as osm_lid_mgr.c",
          "levels:7:12: warning: '2' after the entry is ignored"));
  EXPECT_EQ(levels.of(LogModule::administration), 0x01);
}

TEST(ModuleLevels, AMissingFileIsReportedIfItWasNamed) {
  const FileReader nothing = [](const std::string&) -> tl::expected<std::string, std::error_code> {
    return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
  };
  Options options;
  Diagnostics found;
  EXPECT_EQ(read_module_levels(options, nothing, found), ModuleLevels{});
  EXPECT_THAT(texts(found), IsEmpty());
  options.per_module_logging_file = "levels";
  options.origins["per_module_logging_file"] = {};
  read_module_levels(options, nothing, found);
  EXPECT_THAT(texts(found), ElementsAre("levels: warning: cannot be read: No such file or "
                                        "directory; log_flags counts for all modules"));
}

}  // namespace module_levels_test
}  // namespace config
