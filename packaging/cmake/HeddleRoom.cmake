# heddle_room(NAME SOURCES a.cpp ... LINK heddle_lower ... libs ...)
# One static library per room, called heddle_<NAME>. What a room may include is what it links, so the floors of
# the house (CMakeLists.txt) are enforced: each room sees only the include roots that its link line brings, through a folder
# of links build/rooms/<NAME>/ that holds nothing but this room.

add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Wno-sign-conversion $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(HEDDLE_WERROR)
  target_compile_options(heddle_warnings INTERFACE -Werror)
endif()
if(HEDDLE_CLANG_TIDY)
  find_program(CLANG_TIDY NAMES clang-tidy-19 clang-tidy REQUIRED)
endif()

# A folder that contains only the link `<path> -> source/<path>`: #include "mad/ids.h" works for who links the room, and for nobody else.
function(heddle_include_root room path out)
  set(root ${CMAKE_BINARY_DIR}/rooms/${room})
  get_filename_component(parent ${root}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  if(NOT EXISTS ${root}/${path})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${path} ${root}/${path} SYMBOLIC)
  endif()
  set(${out} ${root} PARENT_SCOPE)
endfunction()

function(heddle_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINK" ${ARGN})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  heddle_include_root(${name} ${path} root)
  if(ROOM_SOURCES)
    add_library(heddle_${name} STATIC ${ROOM_SOURCES})
    target_include_directories(heddle_${name} PUBLIC ${root})
    target_link_libraries(heddle_${name} PUBLIC ${ROOM_LINK} PRIVATE heddle_warnings)
    if(HEDDLE_CLANG_TIDY)
      set_target_properties(heddle_${name} PROPERTIES CXX_CLANG_TIDY ${CLANG_TIDY})
    endif()
  else()
    add_library(heddle_${name} INTERFACE)
    target_include_directories(heddle_${name} INTERFACE ${root})
    target_link_libraries(heddle_${name} INTERFACE ${ROOM_LINK})
  endif()
endfunction()
