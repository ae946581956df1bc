#include "config/secret_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/file_reader.h"
#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

/// All M_Keys follow from one of these.
constexpr std::array<std::string_view, 2> kMKeySecrets{"m_key", "key_mgr_seed"};

bool is_m_key_secret(std::string_view key) {
  return std::ranges::find(kMKeySecrets, key) != kMKeySecrets.end();
}

/// Returns the secret options with another value than the default.
std::vector<const Key*> secrets_of(const Options& options) {
  const Options defaults;
  std::vector<const Key*> set;
  for (const Key& key : keys())
    if (key.is_secret && value_text(key, options) != value_text(key, defaults)) set.push_back(&key);
  return set;
}

struct SecretsOfFile {
  std::vector<std::string_view> keys;  // in the order of the lines
  Origin first;
};

}  // namespace

Diagnostics exposed_secrets(const Options& options) {
  std::vector<std::pair<Origin, std::string_view>> places;
  for (const Key* const key : secrets_of(options)) {
    // Secret texts, such as event_plugin_options, may have a secret; numbers are one.
    if (key->hex_digits == 0) continue;
    if (const auto origin = options.origins.find(key->name);
        origin != options.origins.end() && origin->second.line > 0)
      places.emplace_back(origin->second, key->name);
  }
  std::ranges::sort(places, {}, [](const auto& place) {
    return std::tuple(place.first.file, place.first.line, place.first.column);
  });
  std::map<std::string, SecretsOfFile> files;
  for (const auto& [origin, key] : places)
    files.try_emplace(origin.file, SecretsOfFile{{}, origin}).first->second.keys.push_back(key);
  Diagnostics found;
  for (const auto& [file, secrets] : files) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const std::string fault = secret_file_fault(file);
    if (fault.empty()) continue;
    const bool has_m_keys = std::ranges::any_of(secrets.keys, is_m_key_secret);
    found.push_back({has_m_keys ? Severity::error : Severity::warning, file, secrets.first.line,
                     secrets.first.column,
                     fmt::format("this file has the secret {}, and others than its owner may "
                                 "access it (mode {:04o})",
                                 fmt::join(secrets.keys, ", "), unsigned{status.st_mode & 0777}),
                     fmt::format("chmod 0600 {}", file)});
  }
  return found;
}

Diagnostics unusable_secret_files(const Options& options) {
  Diagnostics found;
  if (options.state_store != "etcd") return found;
  const std::pair<std::string_view, const std::string&> files[] = {
      {"etcd_password_file", options.etcd_password_file},
      {"state_store_key_file", options.state_store_key_file}};
  for (const auto& [key, file] : files) {
    if (file.empty()) continue;
    const std::string fault = secret_file_fault(file);
    if (fault.empty()) continue;
    const auto origin = options.origins.find(key);
    const Origin place = origin == options.origins.end() ? Origin{} : origin->second;
    found.push_back({Severity::error,
                     place.file,
                     place.line,
                     place.column,
                     fmt::format("{} {}: {}", key, file, fault),
                     {}});
  }
  return found;
}

unsigned configuration_mode(const Options& options) {
  return secrets_of(options).empty() ? 0644 : 0600;
}

}  // namespace config
