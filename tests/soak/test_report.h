#pragma once
// What a GoogleTest program reports of its tests on many seeds, as rows of a table.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "soak/table.h"

namespace soak {

/// Adds the tests that ran seeds (property "seeds", support/seeds.h) to `table`: one run row for
/// the program, one failure row for each test that failed. Shape:  `json` is what
/// --gtest_output=json writes; `program` the path by which it is replayed;
///         `seeds` the range that it was given.
/// Errors: in words, if `json` is none; a program that crashed writes none.
tl::expected<void, std::string> add_test_report(std::string_view json, const std::string& program,
                                                const std::string& seeds, double seconds,
                                                Table& table);

}  // namespace soak
