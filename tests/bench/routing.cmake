# Included by tests/bench/CMakeLists.txt. Not a ctest test: run bin/heddle_routing_bench.
find_package(benchmark REQUIRED)
add_executable(heddle_routing_bench ${CMAKE_CURRENT_LIST_DIR}/routing_bench.cpp ${CMAKE_CURRENT_LIST_DIR}/routing_changes.cpp)
heddle_compile(heddle_routing_bench)
target_link_libraries(heddle_routing_bench PRIVATE heddle_test_support heddle_routing heddle_sim benchmark::benchmark)
target_include_directories(heddle_routing_bench PRIVATE ${CMAKE_SOURCE_DIR}/tests)

add_executable(bench_real_trees ${CMAKE_CURRENT_LIST_DIR}/real_trees.cpp)
heddle_compile(bench_real_trees)
target_link_libraries(bench_real_trees PRIVATE heddle_test_support heddle_routing heddle_sim)
