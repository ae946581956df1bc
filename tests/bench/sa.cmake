# Included by tests/bench/CMakeLists.txt. Not a ctest test: run bin/heddle_sa_bench.
add_executable(heddle_sa_bench ${CMAKE_CURRENT_LIST_DIR}/sa.cpp)
heddle_compile(heddle_sa_bench)
target_link_libraries(heddle_sa_bench PRIVATE heddle_test_subnets heddle_sm_sa_records heddle_sm_sa_paths heddle_routing heddle_fabric_topology benchmark::benchmark)
target_include_directories(heddle_sa_bench PRIVATE ${CMAKE_SOURCE_DIR}/tests)
