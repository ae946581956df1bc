#include "sm/store/replica/marks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"
#include "sm/store/cache_files.h"

namespace sm {
namespace {

constexpr std::size_t kTermBytesMax = 4096;
constexpr std::string_view kTermFormat = "heddle-state-store 1";

/// Reads `word`, then exactly these numbers, as 0x and hexadecimal digits.
template <std::size_t count>
std::optional<std::array<std::uint64_t, count>> numbers(std::string_view text,
                                                        std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  std::array<std::uint64_t, count> out{};
  for (std::uint64_t& number : out) {
    if (!text.starts_with(' ')) return std::nullopt;
    text.remove_prefix(1);
    const std::string_view digits = text.substr(0, text.find(' '));
    const auto value = mad::parse_hex(digits);
    if (!value) return std::nullopt;
    number = *value;
    text.remove_prefix(digits.size());
  }
  if (!text.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::string to_text(const MasterClaim& mark) {
  return fmt::format("master {:#x} {:#x} {:#x}", mark.manager.value, mark.term, mark.nonce);
}

std::optional<MasterClaim> parse_mastership(std::string_view text) {
  const auto found = numbers<3>(text, "master");
  if (!found || (*found)[1] > MasterClaim::kTermMax) return std::nullopt;
  return MasterClaim{.manager = {(*found)[0]}, .term = (*found)[1], .nonce = (*found)[2]};
}

std::string to_text(const Announcement& announcement) {
  return fmt::format("complete {:#x} {:#x} {:#x}", announcement.manager.value, announcement.term,
                     announcement.lid.value);
}

std::optional<Announcement> parse_announcement(std::string_view text) {
  const auto found = numbers<3>(text, "complete");
  if (!found || (*found)[1] > MasterClaim::kTermMax || (*found)[2] > mad::kUnicastLidMax.value)
    return std::nullopt;
  return Announcement{.manager = {(*found)[0]},
                      .term = (*found)[1],
                      .lid = {static_cast<std::uint16_t>((*found)[2])}};
}

std::string position_text(const MasterClaim& mark) {
  return fmt::format("position {:#x} {:#x}", mark.manager.value, mark.term);
}

// The first line is the whole file of earlier versions, which read only this line.

StoredTerms read_terms(const std::filesystem::path& file, std::string_view prefix) {
  if (file.empty()) return {};
  const auto text = read_file(file, kTermBytesMax);
  if (!text || !*text) return {};
  const std::string_view all = **text;
  const std::size_t end = std::min(all.find('\n'), all.size());
  const auto complete = numbers<1>(all.substr(0, end), fmt::format("{} {}", kTermFormat, prefix));
  if (!complete || complete->front() > MasterClaim::kTermMax) return {};
  StoredTerms terms{.complete = complete->front()};
  std::string_view second = all.substr(std::min(end + 1, all.size()));
  second = second.substr(0, second.find('\n'));
  const auto seen = numbers<2>(second, "seen");
  if (!seen || seen->front() > MasterClaim::kTermMax ||
      seen->back() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return terms;
  terms.seen = seen->front();
  terms.position = static_cast<std::int64_t>(seen->back());
  return terms;
}

tl::expected<void, std::string> write_terms(const std::filesystem::path& file,
                                            std::string_view prefix, const StoredTerms& terms) {
  if (file.empty()) return {};
  return write_file_atomically(
      file,
      fmt::format("{} {} {:#x}\nseen {:#x} {:#x}\n", kTermFormat, prefix, terms.complete,
                  terms.seen, static_cast<std::uint64_t>(terms.position)),
      false);
}

}  // namespace sm
