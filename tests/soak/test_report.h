#pragma once
// Converts a GoogleTest report of tests on many seeds into rows of a table.

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "soak/table.h"

namespace soak {

/// Adds the tests that ran seeds (property "seeds", support/seeds.h) to `table`: one run row for
/// the program, one failure row for each test that failed. Shape:  `json` is what
/// --gtest_output=json writes; `program` the path for the replay command;
///         `seeds` the range that it was given.
/// Errors: a message if `json` is invalid; a program that crashed writes none.
tl::expected<void, std::string> add_test_report(std::string_view json, const std::string& program,
                                                const std::string& seeds, double seconds,
                                                Table& table);

}  // namespace soak
