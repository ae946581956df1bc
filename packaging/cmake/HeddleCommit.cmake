# cmake -DSOURCE=dir -DCOMMIT=given -DOUTPUT=header -P HeddleCommit.cmake
#
# The commit that a build names: the given one, else the one that `git archive` wrote into packaging/commit, else that of the clone, else
# "unknown". Nothing depends on when or in which directory the build runs. The header is written only when it changes.
set(commit "${COMMIT}")
set(date "")
set(changed false)
if(NOT commit)
  file(STRINGS ${SOURCE}/packaging/commit archived LIMIT_COUNT 1)
  if(archived MATCHES "^([0-9a-f]+) ([0-9-]+)$")
    set(commit ${CMAKE_MATCH_1})
    set(date ${CMAKE_MATCH_2})
  elseif(EXISTS ${SOURCE}/.git)  # not the repository of somebody who unpacked a tarball in it
    execute_process(COMMAND git -C ${SOURCE} log -1 --format=%H\ %cs OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(text MATCHES "^([0-9a-f]+) ([0-9-]+)$")
      set(commit ${CMAKE_MATCH_1})
      set(date ${CMAKE_MATCH_2})
      execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
      if(changes)
        set(changed true)
      endif()
    endif()
  endif()
endif()
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[#pragma once

#include <string_view>

namespace config {
inline constexpr std::string_view kCommit = "@commit@", kCommitDate = "@date@";
inline constexpr bool kChanged = @changed@;
}  // namespace config
]])
