#include "sm/ops/web/users.h"

#include <argon2.h>
#include <fmt/format.h>
#include <openssl/rand.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "mad/number.h"

namespace sm::web {
namespace {

constexpr std::size_t kSaltBytes = 16, kHashBytes = 32;
// RFC 9106, 3.1 requires at least 8 blocks per lane.
constexpr std::uint32_t kMemoryKibMin = 8;

using Salt = std::array<std::uint8_t, kSaltBytes>;

/// Returns the length of a base64 text without padding; 0 if it has other characters.
std::size_t base64_characters(std::string_view text) {
  const auto is_one = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '/';
  };
  return std::ranges::all_of(text, is_one) ? text.size() : 0;
}

/// Removes "name=number" up to `end` from the beginning.
bool take_number(std::string_view& text, std::string_view before, char end, std::uint32_t& number) {
  if (!text.starts_with(before)) return false;
  text.remove_prefix(before.size());
  const auto value = mad::take_number<std::uint32_t>(text);
  if (!value || !text.starts_with(end)) return false;
  number = *value;
  text.remove_prefix(1);
  return true;
}

constexpr std::size_t kUsersMax = 10'000, kUsersFileBytesMax = std::size_t{4} << 20;
constexpr std::array kRolesOfUsers{Role::read, Role::partitions, Role::admin};

std::string_view name_of_line(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || line[begin] == '#') return {};
  line.remove_prefix(begin);
  return line.substr(0, line.find(':'));
}

/// Returns "" if the file may be used.
std::string file_fault(const std::string& path) {
  std::error_code error;
  if (std::string fault = config::secret_file_fault(path); !fault.empty()) {
    const bool is_missing = !std::filesystem::exists(path, error) && !error;
    return is_missing ? fault + "; heddlectl http-user add writes such a file" : fault;
  }
  const auto bytes = std::filesystem::file_size(path, error);
  return !error && bytes > kUsersFileBytesMax ? "is larger than 4 MiB; leave users out" : "";
}

}  // namespace

tl::expected<std::string, std::string> make_hash(std::string_view password, HashCost cost) {
  Salt salt{};
  if (RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1)
    return tl::unexpected(std::string("there are no random numbers for a salt"));
  std::vector<char> encoded(argon2_encodedlen(cost.passes, cost.memory_kib, cost.lanes, kSaltBytes,
                                              kHashBytes, Argon2_id));
  const int error = argon2id_hash_encoded(cost.passes, cost.memory_kib, cost.lanes, password.data(),
                                          password.size(), salt.data(), salt.size(), kHashBytes,
                                          encoded.data(), encoded.size());
  if (error != ARGON2_OK) return tl::unexpected(std::string(argon2_error_message(error)));
  return std::string(encoded.data());
}

bool is_password_of(std::string_view password, const std::string& hash) {
  if (password.size() > kPasswordBytesMax) return false;
  return argon2id_verify(hash.c_str(), password.data(), password.size()) == ARGON2_OK &&
         !password.empty();
}

tl::expected<HashCost, std::string> cost_of(const std::string& hash) {
  HashCost cost;
  std::string_view rest = hash;
  std::uint32_t version = 0;
  const bool numbers = take_number(rest, "$argon2id$v=", '$', version) && version == 19 &&
                       take_number(rest, "m=", ',', cost.memory_kib) &&
                       take_number(rest, "t=", ',', cost.passes) &&
                       take_number(rest, "p=", '$', cost.lanes);
  const std::size_t dollar = rest.find('$');
  if (!numbers || dollar == std::string_view::npos ||
      base64_characters(rest.substr(0, dollar)) < 11 ||
      base64_characters(rest.substr(dollar + 1)) < 22 || rest.size() > 256)
    return tl::unexpected(std::string("the hash is none of argon2id in its encoded form"));
  if (cost.passes == 0 || cost.lanes == 0 || cost.memory_kib < kMemoryKibMin * cost.lanes)
    return tl::unexpected(std::string("the parameters of the hash are too small for argon2id"));
  if (cost.memory_kib > kHashCostMax.memory_kib || cost.passes > kHashCostMax.passes ||
      cost.lanes > kHashCostMax.lanes)
    return tl::unexpected(fmt::format("the hash costs more than m={},t={},p={}",
                                      kHashCostMax.memory_kib, kHashCostMax.passes,
                                      kHashCostMax.lanes));
  return cost;
}

std::string dummy_hash(HashCost cost) {
  // Salt and hash are zeros: finding a password with this hash means breaking argon2id.
  return fmt::format("$argon2id$v=19$m={},t={},p={}${}${}", cost.memory_kib, cost.passes,
                     cost.lanes, std::string(22, 'A'), std::string(43, 'A'));
}

bool is_user_name(std::string_view text) {
  const auto is_one = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._@-").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kUserNameBytesMax && std::ranges::all_of(text, is_one);
}

std::optional<Role> role_named(std::string_view text) {
  const auto found =
      std::ranges::find_if(kRolesOfUsers, [&](Role role) { return name(role) == text; });
  return found == kRolesOfUsers.end() ? std::nullopt : std::optional(*found);
}

Users Users::parse(const config::Source& source, config::Diagnostics& out) {
  Users users;
  HashCost dearest{.memory_kib = 0, .passes = 0, .lanes = 1};
  for (const config::Line& line : config::content_lines(source.text)) {
    const auto fault = [&](std::string_view part, std::string what, std::string remedy) {
      out.push_back({config::Severity::error, source.file, line.number, line.column(part),
                     std::move(what), std::move(remedy)});
    };
    const std::size_t first = line.text.find(':');
    const std::size_t second =
        first == std::string_view::npos ? first : line.text.find(':', first + 1);
    if (second == std::string_view::npos) {
      fault(line.text, "this is no user",
            "write name:role:hash, or let heddlectl http-user write it");
      continue;
    }
    const std::string_view name = line.text.substr(0, first);
    const std::string_view role_text = line.text.substr(first + 1, second - first - 1);
    const std::string_view hash = line.text.substr(second + 1);
    const auto role = role_named(role_text);
    const auto cost = cost_of(std::string(hash));
    if (!is_user_name(name)) {
      fault(name, fmt::format("{} is no name of a user", config::in_quotes(name)),
            "write 1 to 64 letters, digits and ._@-");
    } else if (!role) {
      fault(role_text, fmt::format("{} is no role", config::in_quotes(role_text)),
            "write read, partitions or admin");
    } else if (!cost) {
      fault(hash, cost.error(), "heddlectl http-user passwd writes one");
    } else if (users.by_name_.contains(name)) {
      fault(name, fmt::format("user {} is there twice", name), "leave one of the lines out");
    } else if (users.by_name_.size() == kUsersMax) {
      fault(name, fmt::format("there are more than {} users", kUsersMax), "leave users out");
      break;
    } else {
      if (std::uint64_t{cost->memory_kib} * cost->passes >
          std::uint64_t{dearest.memory_kib} * dearest.passes)
        dearest = *cost;
      users.by_name_.emplace(name, User{std::string(name), *role, std::string(hash)});
    }
  }
  if (!users.empty()) users.dummy_ = dummy_hash(dearest);
  return users;
}

const User* Users::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

std::vector<User> Users::all() const {
  std::vector<User> users;
  for (const auto& [name, user] : by_name_) users.push_back(user);
  return users;
}

Users read_users(const std::string& path, config::Diagnostics& out) {
  if (std::string fault = file_fault(path); !fault.empty()) {
    out.push_back({config::Severity::error, path, 0, 0, std::move(fault), ""});
    return {};
  }
  const auto text = config::read_file(path);
  if (!text) {
    out.push_back({config::Severity::error, path, 0, 0,
                   fmt::format("cannot be read: {}", text.error().message()), ""});
    return {};
  }
  return Users::parse({path, *text}, out);
}

std::string with_user(std::string_view text, std::string_view name, std::string_view line) {
  std::string result;
  bool placed = line.empty();
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view old = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (name_of_line(old) != name) {
      result += fmt::format("{}\n", old);
    } else if (!placed) {
      result += fmt::format("{}\n", line);
      placed = true;
    }
  }
  if (!placed) result += fmt::format("{}\n", line);
  return result;
}

}  // namespace sm::web
