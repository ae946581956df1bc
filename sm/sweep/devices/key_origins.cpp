#include "sm/sweep/devices/key_origins.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"
#include "sm/store/file_version.h"

namespace sm {
namespace {

constexpr std::string_view kOriginsFormat = "# heddle-p-key-origins";
constexpr FileVersion kOriginsVersion{1, 1};
constexpr std::size_t kOriginsBytesMax = 256 << 20;
constexpr std::size_t kOriginsMessagesMax = 20;
constexpr std::size_t kFormerDefinitionsMax = 10'000;

/// Reads `count` hexadecimal numbers behind the first word. Returns nullopt for anything else;
/// words behind them belong to a newer program.
std::optional<std::vector<std::uint64_t>> read_numbers(std::istringstream& words,
                                                       std::size_t count) {
  std::vector<std::uint64_t> numbers;
  for (std::string word; numbers.size() < count && words >> word;) {
    const auto number = mad::parse_number(word, 16);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() < count) return std::nullopt;
  return numbers;
}

class OriginsReader {
 public:
  explicit OriginsReader(std::uint64_t revision) : revision_(revision) {}

  /// Returns false if the line cannot be read.
  bool read(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "complete") return read_complete(words);
    if (kind == "pending") return read_pending(words);
    if (kind == "kept") return read_kept(words);
    if (kind == "defined") return read_defined(words);
    return true;
  }
  partitions::KeyOrigins take() {
    std::ranges::sort(origins_.kept);
    return std::move(origins_);
  }

 private:
  bool read_complete(std::istringstream& words) {
    const auto numbers = read_numbers(words, 1);
    if (!numbers) return false;
    origins_.is_complete = numbers->front() <= revision_;
    return true;
  }
  bool read_pending(std::istringstream& words) {
    const auto numbers = read_numbers(words, 1);
    if (!numbers || origins_.pending.size() >= partitions::kKeptMax) return false;
    origins_.pending.insert(mad::Guid{numbers->front()});
    return true;
  }
  bool read_kept(std::istringstream& words) {
    const auto numbers = read_numbers(words, 3);
    if (!numbers || (*numbers)[1] > 0xFFFF) return false;
    if (origins_.kept.size() < partitions::kKeptMax)
      origins_.kept.push_back({.guid = mad::Guid{(*numbers)[0]},
                               .key = {static_cast<std::uint16_t>((*numbers)[1])},
                               .index0 = (*numbers)[2] != 0});
    return true;
  }
  bool read_defined(std::istringstream& words) {
    using Kind = partitions::Member::Kind;
    const auto numbers = read_numbers(words, 5);
    if (!numbers || (*numbers)[0] > 0x7FFF || (*numbers)[1] > static_cast<unsigned>(Kind::self) ||
        (*numbers)[4] < 1 || (*numbers)[4] > 3)
      return false;
    const auto key = static_cast<std::uint16_t>((*numbers)[0]);
    auto& definitions = origins_.former.definitions;
    if (definitions.empty() || definitions.back().key != key)
      definitions.push_back({.key = key, .name = {}, .members = {}, .groups = {}});
    definitions.back().members.push_back(
        {.kind = static_cast<Kind>((*numbers)[1]),
         .first = (*numbers)[2],
         .last = (*numbers)[3],
         .membership = static_cast<partitions::Membership>((*numbers)[4])});
    return true;
  }

  std::uint64_t revision_;
  partitions::KeyOrigins origins_;
};

}  // namespace

LoadedKeyOrigins load_key_origins(const std::filesystem::path& folder, std::uint64_t revision) {
  LoadedKeyOrigins loaded;
  auto text = read_file(folder / kKeyOriginsFile, kOriginsBytesMax);
  if (!text) {
    loaded.messages.push_back(text.error());
    return loaded;
  }
  if (!*text) return loaded;
  const std::optional<FileVersion> version = file_version_after(kOriginsFormat, **text);
  if (!version || version->number != kOriginsVersion.number) {
    loaded.messages.push_back(fmt::format("{}:1: the version must be {}; it is not used",
                                          kKeyOriginsFile, kOriginsVersion.number));
    return loaded;
  }
  OriginsReader reader(revision);
  std::istringstream lines{**text};
  int number = 0;
  bool is_whole = true;
  for (std::string line; std::getline(lines, line);) {
    if (++number == 1 || line.empty() || reader.read(line)) continue;
    is_whole = false;
    if (loaded.messages.size() < kOriginsMessagesMax)
      loaded.messages.push_back(
          fmt::format("{}:{}: this line cannot be read; it is left out", kKeyOriginsFile, number));
  }
  loaded.origins = reader.take();
  loaded.origins.is_complete = loaded.origins.is_complete && is_whole;
  loaded.text = *std::move(*text);
  return loaded;
}

std::string key_origins_text(const partitions::KeyOrigins& origins, std::uint64_t revision) {
  std::string text = fmt::format("{} {}: P_Keys of unknown origin, and what explained others\n",
                                 kOriginsFormat, kOriginsVersion.text());
  const auto out = std::back_inserter(text);
  if (origins.is_complete) {
    fmt::format_to(out, "complete {:x}\n", revision);
    for (const mad::Guid guid : origins.pending) fmt::format_to(out, "pending {:x}\n", guid.value);
  }
  for (const partitions::KeptKey& kept : origins.kept)
    fmt::format_to(out, "kept {:x} {:x} {:x}\n", kept.guid.value, kept.key.value,
                   kept.index0 ? 1 : 0);
  for (const partitions::Definition& definition : origins.former.definitions)
    for (const partitions::Member& member : definition.members)
      fmt::format_to(out, "defined {:x} {:x} {:x} {:x} {:x}\n", definition.key,
                     static_cast<unsigned>(member.kind), member.first, member.last,
                     static_cast<unsigned>(member.membership));
  return text;
}

tl::expected<void, std::string> save_key_origins(const std::filesystem::path& folder,
                                                 std::string_view text, bool fsync) {
  return write_file_atomically(folder / kKeyOriginsFile, text, fsync);
}

bool note_configuration(partitions::KeyOrigins& origins, const partitions::Configuration& now) {
  auto& former = origins.former.definitions;
  if (origins.former == now || former.size() > kFormerDefinitionsMax) return false;
  std::vector<partitions::Definition> added;
  for (const partitions::Definition& definition : now.definitions)
    if (std::ranges::find(former, definition) == former.end()) added.push_back(definition);
  former.insert(former.begin(), added.begin(), added.end());
  return !added.empty();
}

bool note_decided(partitions::KeyOrigins& origins, const partitions::Configuration& now) {
  if (!origins.pending.empty()) return note_configuration(origins, now);
  if (origins.former == now) return false;
  origins.former = now;
  return true;
}

}  // namespace sm
