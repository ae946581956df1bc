#include "sm/store/key_version.h"

#include <fmt/chrono.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <array>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"
#include "sm/store/cache_files.h"

namespace sm {
namespace {

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr unsigned kNumberBytes = 8;

void append_number(std::string& text, std::uint64_t value) {
  for (unsigned i = kNumberBytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t key_of_text(std::string_view secret, std::string_view text) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> sum{};
  unsigned length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data(), &length);
  std::uint64_t key = 0;
  for (unsigned i = 0; i < kNumberBytes; ++i) key = key << 8 | sum[i];
  return key;
}

constexpr std::string_view kVersionWord = "version";
constexpr std::size_t kKeyVersionBytesMax = 4096;

std::string time_text(std::chrono::sys_seconds time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace

std::uint64_t derive_key(std::string_view purpose, std::uint64_t seed, std::uint64_t version,
                         mad::Guid port) {
  if (seed == 0 || port == mad::Guid{}) return 0;
  std::string secret;
  append_number(secret, seed);
  std::uint64_t key = 0;
  for (char counter = 0; key == 0 || key == kAllOnes; ++counter) {
    std::string text(purpose);
    text += counter;
    append_number(text, port.value);
    if (version != 0) append_number(text, version);
    key = key_of_text(secret, text);
  }
  return key;
}

std::string to_text(const KeyVersion& version) {
  return fmt::format("{} {} {}", kVersionWord, version.current, version.previous);
}

std::optional<KeyVersion> parse_key_version(std::string_view text) {
  const KeyValueText lines = parse_key_values(text, 2);
  if (!lines.errors.empty() || lines.records.size() != 1) return std::nullopt;
  const KeyValueRecord& record = lines.records.front();
  const auto current = mad::parse_number(record.values[0].text),
             previous = mad::parse_number(record.values[1].text);
  if (record.key.text != kVersionWord || !current || !previous || *previous > *current)
    return std::nullopt;
  return KeyVersion{.current = *current, .previous = *previous};
}

tl::expected<KeyVersion, std::string> load_key_version(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kKeyVersionFile;
  const auto text = read_file(path, kKeyVersionBytesMax);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return KeyVersion{};
  const std::optional<KeyVersion> version = parse_key_version(**text);
  if (!version)
    return tl::unexpected(fmt::format(
        "{}:1: this is not a version of keys (\"version\" and two numbers)", path.string()));
  return *version;
}

tl::expected<void, std::string> save_key_version(const std::filesystem::path& folder,
                                                 const KeyVersion& version, bool fsync) {
  return ensure_directory(folder).and_then([&] {
    return write_file_atomically(folder / kKeyVersionFile, to_text(version) + "\n", fsync, 0600);
  });
}

std::string compare_with_clock(const KeyVersion& stored, std::chrono::sys_seconds now,
                               std::chrono::minutes period) {
  const std::string clock = time_text(now);
  // A file may have any number; no clock of a machine shows a time beyond the year 9999.
  constexpr std::uint64_t kMinutesMax = 4'223'371'680;
  if (stored.current == 0)
    return fmt::format("the clock says {}, and there is no {}", clock, kKeyVersionFile);
  if (stored.current > kMinutesMax)
    return fmt::format("the clock says {}, and {} has version {}", clock, kKeyVersionFile,
                       stored.current);
  const std::chrono::sys_seconds begin{
      std::chrono::minutes(static_cast<std::int64_t>(stored.current))};
  const std::string file = fmt::format("{} ({})", kKeyVersionFile, time_text(begin));
  const auto minutes = [](std::chrono::seconds time) {
    return std::chrono::ceil<std::chrono::minutes>(time).count();
  };
  if (begin > now)
    return fmt::format("the clock ({}) is {} minutes behind {}", clock, minutes(begin - now), file);
  if (now - begin >= 2 * period)
    return fmt::format("{} is {} minutes older than the clock ({})", file,
                       std::chrono::floor<std::chrono::minutes>(now - begin).count(), clock);
  return fmt::format("the clock says {}, and {} agrees with it", clock, file);
}

}  // namespace sm
