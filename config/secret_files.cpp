#include "config/secret_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "config/file_reader.h"
#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

struct Place {
  std::size_t at = 0, size = 0;
};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Finds the value of a secret option in what follows its name on a line; size 0: there is none.
Place value_behind(std::string_view rest) {
  constexpr std::string_view kSet = " = ", kChanged = " changed from ";
  if (rest.starts_with(kSet)) return {kSet.size(), rest.size() - kSet.size()};
  if (rest.starts_with(kChanged)) {
    const std::size_t end = std::min(rest.find(", which has no effect now"), rest.size());
    return {kChanged.size(), end - kChanged.size()};
  }
  // A sentence about the option has words behind its name; a key is a number.
  const std::size_t begin = std::min(rest.find_first_not_of(" \t=:'\"<"), rest.size());
  if (begin == rest.size() || std::isdigit(static_cast<unsigned char>(rest[begin])) == 0) return {};
  const std::string_view value = rest.substr(begin);
  const auto end = std::ranges::find_if_not(value, is_of_word);
  return {begin, static_cast<std::size_t>(end - value.begin())};
}

void mask_behind_name(std::string& line, std::string_view name) {
  for (std::size_t at = 0; (at = line.find(name, at)) != std::string::npos;) {
    const bool begins = at == 0 || !is_of_word(line[at - 1]);
    at += name.size();
    if (!begins || (at < line.size() && is_of_word(line[at]))) continue;
    const Place value = value_behind(std::string_view(line).substr(at));
    if (value.size > 0) line.replace(at + value.at, value.size, kMasked);
  }
}

/// Masks what the banner shows of a flag: " SM Key <{}>".
void mask_echo(std::string& line, std::string_view echo) {
  const std::size_t hole = echo.find("{}");
  if (hole == std::string_view::npos) return;
  const std::string_view before = echo.substr(0, hole), after = echo.substr(hole + 2);
  const std::size_t found = line.find(before);
  if (found == std::string::npos) return;
  const std::size_t begin = found + before.size();
  const std::size_t end =
      after.empty() ? line.size() : std::min(line.find(after, begin), line.size());
  line.replace(begin, end - begin, kMasked);
}

std::string mask_line(std::string line) {
  for (const Key& key : keys())
    if (key.is_secret) mask_behind_name(line, key.name);
  for (const Flag& flag : flags())
    if (const Key* const key = find_key(flag.key); key != nullptr && key->is_secret)
      mask_echo(line, flag.echo);
  return without_credentials(std::move(line));
}

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

std::string without_secrets(std::string_view lines) {
  std::string out;
  out.reserve(lines.size());
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += mask_line(std::string(lines.substr(0, end)));
    if (end < lines.size()) out += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

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

std::string peer_secret_fault(std::string_view secret) {
  if (secret.size() >= kPeerSecretBytesMin) return "";
  return fmt::format(
      "its first line has {} characters, and the secret needs at least {}; openssl rand -base64 32 "
      "makes one",
      secret.size(), std::size_t{kPeerSecretBytesMin});
}

Diagnostics unusable_secret_files(const Options& options) {
  Diagnostics found;
  if (options.state_store != "etcd" && options.state_store != "peers") return found;
  const bool is_etcd = options.state_store == "etcd";
  const auto report = [&](std::string_view key, const std::string& file, const std::string& fault) {
    if (fault.empty()) return;
    const auto origin = options.origins.find(key);
    const Origin place = origin == options.origins.end() ? Origin{} : origin->second;
    found.push_back({Severity::error,
                     place.file,
                     place.line,
                     place.column,
                     fmt::format("{} {}: {}", key, file, fault),
                     {}});
  };
  const std::pair<std::string_view, const std::string&> files[] = {
      {is_etcd ? "etcd_password_file" : "state_tls_key",
       is_etcd ? options.etcd_password_file : options.state_tls_key},
      {"state_store_key_file", options.state_store_key_file}};
  for (const auto& [key, file] : files) {
    if (file.empty()) continue;
    std::string fault = secret_file_fault(file);
    const bool is_of_peers =
        !is_etcd && key == "state_store_key_file" && options.state_tls_cert.empty();
    if (fault.empty() && is_of_peers) {
      const std::string text = read_file(file).value_or(std::string());
      fault = peer_secret_fault(std::string_view(text).substr(0, text.find_first_of("\r\n")));
    }
    report(key, file, fault);
  }
  if (is_etcd) return found;
  for (const auto& [key, file] :
       {std::pair<std::string_view, const std::string&>("state_tls_cert", options.state_tls_cert),
        std::pair<std::string_view, const std::string&>("state_tls_ca", options.state_tls_ca)})
    if (!file.empty())
      if (const auto text = read_file(file); !text)
        report(key, file, "cannot be read: " + text.error().message());
  return found;
}

unsigned configuration_mode(const Options& options) {
  return secrets_of(options).empty() ? 0644 : 0600;
}

}  // namespace config
