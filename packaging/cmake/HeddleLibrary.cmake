# heddle_library(NAME [COMPUTES] [RARELY_RUNS] [PARSES] SOURCES a.cpp ... LINK heddle_lower ... libs ...)
# One static library per module, called heddle_<NAME>. COMPUTES: its time is spent in computing; RARELY_RUNS: a person or a start causes it, no event of
# the fabric; PARSES: a fuzzer drives it. What a module may include is what it links, so the layers (CMakeLists.txt) are enforced: each module sees
# only the include roots that its link line brings, through a directory of links build/libraries/<NAME>/ that holds nothing but this module.

# g++ 12 warns of its own library: -Wmaybe-uninitialized in coroutine frames, -Wmismatched-new-delete where Asio's allocation of such
# a frame is inlined and its deallocation is not, -Wrestrict in operator+ of std::string (GCC's PR
# 105329, mended in 13).
add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Wno-sign-conversion $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict;-Wno-mismatched-new-delete>)
if(HEDDLE_WERROR)
  target_compile_options(heddle_warnings INTERFACE -Werror)
endif()
# A fast linker, where it is installed: the tests are 60 programs. What people install is linked by the compiler's default.
find_program(HEDDLE_FAST_LINKER mold DOC "Linker for all builds but Release; empty: the compiler's default")
if(HEDDLE_FAST_LINKER AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_link_options(-fuse-ld=mold)
endif()

# How every library and program of Heddle is compiled: heddle_compile(TARGET [PRECOMPILED] [COMPUTES] [RARELY_RUNS] [PARSES]).
#
# All .cpp files of a library are compiled as one: headers are read, and templates are instantiated and compiled, once for all of them. The 48 files of
# sm/sweep take 54 s of g++ -O2 so, 134 s in batches of five. Preset dev has batches, so that a change compiles a few files. Names in anonymous
# namespaces of one target are distinct because of it.
# Tests share a precompiled header, too, and with clang the libraries: a fifth of their time. (With g++ libraries gain nothing: their
# time goes into templates, not into reading.) With HEDDLE_SEPARATE_FILES each file stands by itself, as clang-tidy needs it.
option(HEDDLE_SEPARATE_FILES "Compile each .cpp by itself, without precompiled headers" OFF)
set(HEDDLE_UNITY_FILES 0 CACHE STRING "How many .cpp files are compiled as one; 0: all of a library")

# A macro that is defined for one file and not for another would make the precompiled header useless: all get these.
foreach(library fmt::fmt spdlog::spdlog heddle::boost)
  target_compile_definitions(heddle_warnings INTERFACE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
endforeach()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT HEDDLE_SEPARATE_FILES)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/precompiled_for_libraries.cpp CONTENT "// Compiles the precompiled header.\n")
  add_library(heddle_precompiled_for_libraries OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled_for_libraries.cpp)
  target_link_libraries(heddle_precompiled_for_libraries PRIVATE heddle_warnings)
  target_precompile_headers(heddle_precompiled_for_libraries PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled.h)
endif()

# Unoptimized code compiles twice as fast under sanitizers, and runs six times slower where it computes.
set(HEDDLE_COMPUTING_FLAGS "" CACHE STRING "Further compiler flags for libraries that compute a lot (COMPUTES)")
separate_arguments(HEDDLE_COMPUTING_FLAGS)

# Coverage guides a fuzzer; code that no fuzzer drives compiles and runs faster without it.
set(HEDDLE_FUZZ_FLAGS $<$<BOOL:${HEDDLE_FUZZ}>:-fsanitize=fuzzer-no-link>)

# -O2 takes a fifth to a third longer to compile than -O1; what runs once, or when a person asks, gains nothing.
set(HEDDLE_RARE_FLAGS $<$<CONFIG:Release>:-O1>)

function(heddle_compile target)
  cmake_parse_arguments(COMPILE "PRECOMPILED;COMPUTES;RARELY_RUNS;PARSES" "" "" ${ARGN})
  target_link_libraries(${target} PRIVATE heddle_warnings)
  if(COMPILE_COMPUTES)
    target_compile_options(${target} PRIVATE ${HEDDLE_COMPUTING_FLAGS})
  endif()
  if(COMPILE_RARELY_RUNS)
    target_compile_options(${target} PRIVATE ${HEDDLE_RARE_FLAGS})
  endif()
  if(COMPILE_PARSES)
    target_compile_options(${target} PRIVATE ${HEDDLE_FUZZ_FLAGS})
  endif()
  if(HEDDLE_SEPARATE_FILES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${HEDDLE_UNITY_FILES})
  # Coroutine frames hold types of anonymous namespaces; that those stand in an included file is the point here.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # All who share the precompiled header have the same flags.
  if(COMPILE_PRECOMPILED AND NOT (COMPILE_COMPUTES AND (HEDDLE_COMPUTING_FLAGS OR HEDDLE_TEST_FLAGS)))
    target_precompile_headers(${target} REUSE_FROM heddle_precompiled)
  endif()
endfunction()

# A directory that contains only the link `<path> -> source/<path>`: #include "mad/ids.h" works for targets that link the module only.
function(heddle_include_root library path out)
  set(root ${CMAKE_BINARY_DIR}/libraries/${library})
  get_filename_component(parent ${root}/${path} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  if(NOT EXISTS ${root}/${path})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${path} ${root}/${path} SYMBOLIC)
  endif()
  set(${out} ${root} PARENT_SCOPE)
endfunction()

function(heddle_library name)
  cmake_parse_arguments(LIBRARY "COMPUTES;RARELY_RUNS;PARSES" "" "SOURCES;LINK" ${ARGN})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  heddle_include_root(${name} ${path} root)
  if(LIBRARY_SOURCES)
    add_library(heddle_${name} STATIC ${LIBRARY_SOURCES})
    set(kinds)
    foreach(kind COMPUTES RARELY_RUNS PARSES)
      if(LIBRARY_${kind})
        list(APPEND kinds ${kind})
      endif()
    endforeach()
    heddle_compile(heddle_${name} ${kinds})
    list(REMOVE_ITEM kinds RARELY_RUNS)  # differs in Release only
    if(TARGET heddle_precompiled_for_libraries AND NOT kinds)  # those have other flags
      target_precompile_headers(heddle_${name} REUSE_FROM heddle_precompiled_for_libraries)
    endif()
    target_include_directories(heddle_${name} PUBLIC ${root})
    target_link_libraries(heddle_${name} PUBLIC ${LIBRARY_LINK})
  else()
    add_library(heddle_${name} INTERFACE)
    target_include_directories(heddle_${name} INTERFACE ${root})
    target_link_libraries(heddle_${name} INTERFACE ${LIBRARY_LINK})
  endif()
endfunction()
