#pragma once
#include <string>

#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// Reads an opensm.conf into `options`, over the present values. Errors: all of the file go to
/// `out`; valid lines have been applied, so use the result only without errors. Source: OpenSM
/// 3.3.23. `key value` per line of up to 1022 characters; `#` starts a comment, in quotes too; one
/// pair of quotes around a value is dropped; of several lines with one key the last is used.
void parse_opensm_conf(const Source& source, Options& options, Diagnostics& out);

/// Reads a heddle.yaml into `options`, over the present values: one flat map with the keys of
/// opensm.conf. Shape:  booleans are true or false; lists may be sequences; per-SL keys are maps of
/// SL to value; null unsets a text or list. A list `partitions` is kept as text
/// (Options::partitions). Errors: all of the file go to `out` (a syntax error is the only one
/// reported); use the result only without errors.
void parse_yaml(const Source& source, Options& options, Diagnostics& out);

/// Says who reads a written configuration. Others get it with secrets and the passwords of URLs
/// masked (shown_value()), for reading only.
enum class Readers : bool { owner, others };

/// A complete, commented opensm.conf (or heddle.yaml) with the values of `options`, as the flag -c
/// writes it.
/// Shape:  every key that OpenSM 3.3.23 knows; keys that it does not know are comments unless they
/// differ from the default. Errors: values that opensm.conf cannot express (with `#`, or of several
/// lines), each with the key's name. YAML can write all.
tl::expected<std::string, Diagnostics> dump_opensm_conf(const Options& options,
                                                        Readers readers = Readers::owner);
std::string dump_yaml(const Options& options);

/// The format that the file's name selects.
tl::expected<std::string, Diagnostics> dump_for(std::string_view path, const Options& options);

/// `-c` and `-F` select the format by the file's name: .yaml and .yml are YAML, all others
/// opensm.conf.
bool is_yaml_name(std::string_view path);

}  // namespace config
