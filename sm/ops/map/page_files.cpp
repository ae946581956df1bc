#include "sm/ops/map/page_files.h"

// The assembler reads the files; HEDDLE_MAP_PAGE is the path of sm/ops/map/page. CMakeLists.txt
// names them, too, so that a change of one compiles this file again.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a name and its label are one token
#define HEDDLE_MAP_FILE(name, path)                \
  asm(".pushsection .rodata\n"                     \
      "heddle_map_" #name                          \
      ":\n"                                        \
      ".incbin \"" HEDDLE_MAP_PAGE path            \
      "\"\n"                                       \
      "heddle_map_" #name                          \
      "_end:\n"                                    \
      ".byte 0\n"                                  \
      ".popsection\n");                            \
  extern "C" const char heddle_map_##name[];       \
  extern "C" const char heddle_map_##name##_end[]; \
  std::string_view sm::page::name() { return {heddle_map_##name, heddle_map_##name##_end}; }

HEDDLE_MAP_FILE(index_html, "/src/index.html")
HEDDLE_MAP_FILE(app_css, "/src/app.css")
HEDDLE_MAP_FILE(app_js, "/bundle/app.js")
HEDDLE_MAP_FILE(icon_svg, "/src/icon.svg")
HEDDLE_MAP_FILE(licences_txt, "/bundle/licences.txt")
