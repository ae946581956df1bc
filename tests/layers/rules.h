#pragma once
// Rules for the text of the product: words, how comments begin, length of files and functions,
// names of files, headers without a user. exceptions.txt lists what breaks them today; the list
// only shrinks.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "layers/includes.h"

namespace layers {

inline constexpr std::size_t kFileLinesMax = 600;
inline constexpr std::size_t kFunctionLinesMax = 60;

/// How often, or by how many lines, a rule is broken: "word sm/sweep/x.cpp anew" -> 3,
/// "function-lines sm/sweep/x.cpp:decide" -> 75. Rules without a measure have 1.
using Exceptions = std::map<std::string, std::size_t>;

/// One lower-case word or phrase a line; lines that begin with # are comments.
std::vector<std::string> parse_words(std::string_view text);

/// Finds everything in `sources` that breaks a rule. A word counts as a whole word, in any case,
/// also within an identifier (kAnew, told_once). A comment must not begin with "Of", "The same",
/// "What", "Which", "Whether" and the like: no sentence with a subject and a verb follows.
Exceptions find_exceptions(const std::vector<Source>& sources,
                           const std::vector<std::string>& words);

/// Finds words in the names of tests: "test-name tests/x_test.cpp anew" -> 1.
Exceptions find_test_names(const std::vector<Source>& tests, const std::vector<std::string>& words);

/// A line for each exception: its measure, a space, its name.
std::string exceptions_text(const Exceptions& exceptions);
/// Lines that do not begin with a number are comments.
Exceptions parse_exceptions(std::string_view text);

/// Returns what is new or has grown against the list, and what the list has and the product no
/// longer has: a line each that says what to do.
std::vector<std::string> compare(const Exceptions& listed, const Exceptions& found);

}  // namespace layers
