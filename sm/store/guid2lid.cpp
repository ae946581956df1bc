#include "sm/store/guid2lid.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <tuple>
#include <utility>

#include "mad/format.h"
#include "mad/hex.h"
#include "mad/number.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

// Bounds the file: one record for every unicast LID, with a margin for absent ports and carriage
// returns.
constexpr std::size_t kGuid2LidBytesMax = 16u << 20;

struct Parsed {
  Guid2Lid::Entry entry;
  FileToken key, first;
};

/// Returns the defect of the range, or "".
std::string range_fault(const FileToken& first, const FileToken& last, std::uint64_t from,
                        std::uint64_t to) {
  if (from < mad::kUnicastLidMin.value || to > mad::kUnicastLidMax.value)
    return fmt::format("LIDs {}..{} are not within 0x0001..0xbfff", in_quotes(first.text),
                       in_quotes(last.text));
  if (from > to)
    return fmt::format("first LID {} is above last LID {}", in_quotes(first.text),
                       in_quotes(last.text));
  const std::uint64_t count = to - from + 1;
  if (!std::has_single_bit(count) || count > 128)
    return fmt::format("{} LIDs are not 1, 2, 4, .. or 128 (2^LMC)", count);
  if (from % count != 0)
    return fmt::format("{} LIDs should begin at a multiple of {}, not at {}", count, count,
                       in_quotes(first.text));
  return "";
}

/// Reports overlaps; `kept` has one record for each GUID.
void report_overlaps(std::vector<Parsed> kept, std::vector<FileError>& errors) {
  std::sort(kept.begin(), kept.end(), [](const Parsed& a, const Parsed& b) {
    return std::pair(a.entry.first, a.key.line) < std::pair(b.entry.first, b.key.line);
  });
  for (std::size_t i = 1, widest = 0; i < kept.size();
       ++i) {  // `widest`: of the ranges before i, the one with the highest last LID
    const Parsed &before = kept[widest], &record = kept[i];
    if (record.entry.first <= before.entry.last) {
      const auto [earlier, later] = std::minmax(
          before, record, [](const Parsed& a, const Parsed& b) { return a.key.line < b.key.line; });
      errors.push_back({later.first.line, later.first.column,
                        fmt::format("LIDs {:#06x}..{:#06x} overlap those of {} in line {}",
                                    later.entry.first.value, later.entry.last.value,
                                    earlier.entry.guid, earlier.key.line)});
    }
    if (record.entry.last > before.entry.last) widest = i;
  }
}

}  // namespace

const Guid2Lid::Entry* Guid2Lid::find(mad::Guid guid) const {
  const auto at = std::lower_bound(entries.begin(), entries.end(), guid,
                                   [](const Entry& entry, mad::Guid g) { return entry.guid < g; });
  return at != entries.end() && at->guid == guid ? &*at : nullptr;
}

ParsedGuid2Lid parse_guid2lid(std::string_view text) {
  ParsedGuid2Lid out;
  KeyValueText lines = parse_key_values(text, 2);
  out.errors = std::move(lines.errors);
  std::vector<Parsed> rows;
  for (const KeyValueRecord& record : lines.records) {
    const FileToken &first = record.values[0], &last = record.values[1];
    const auto guid = mad::parse_hex(record.key.text), from = mad::parse_hex(first.text),
               to = mad::parse_hex(last.text);
    const auto bad = [&](const FileToken& at, std::string what) {
      out.errors.push_back({at.line, at.column, std::move(what)});
    };
    if (!guid || *guid == 0)
      bad(record.key, fmt::format("'{}' is not a port GUID such as 0x0002c90000000001",
                                  in_quotes(record.key.text)));
    else if (!from)
      bad(first, fmt::format("'{}' is not a LID such as 0x0001", in_quotes(first.text)));
    else if (!to)
      bad(last, fmt::format("'{}' is not a LID such as 0x0001", in_quotes(last.text)));
    else if (std::string fault = range_fault(first, last, *from, *to); !fault.empty())
      bad(first, std::move(fault));
    else
      rows.push_back(
          {{{*guid}, {static_cast<std::uint16_t>(*from)}, {static_cast<std::uint16_t>(*to)}},
           record.key,
           first});
  }
  std::sort(rows.begin(), rows.end(), [](const Parsed& a, const Parsed& b) {
    return std::pair(a.entry.guid, a.key.line) < std::pair(b.entry.guid, b.key.line);
  });
  std::vector<Parsed> kept;
  for (const Parsed& record : rows) {
    if (!kept.empty() && kept.back().entry.guid == record.entry.guid)
      out.warnings.push_back(
          {record.key.line, record.key.column,
           fmt::format("duplicate {}; line {} is used", record.entry.guid, kept.back().key.line)});
    else
      kept.push_back(record);
  }
  for (const Parsed& record : kept) out.value.entries.push_back(record.entry);

  report_overlaps(std::move(kept), out.errors);
  const auto by_position = [](const FileError& a, const FileError& b) {
    return std::tie(a.line, a.column, a.what) < std::tie(b.line, b.column, b.what);
  };
  std::sort(out.errors.begin(), out.errors.end(), by_position);
  std::sort(out.warnings.begin(), out.warnings.end(), by_position);
  return out;
}

std::string to_text(const Guid2Lid& guid2lid) {
  std::string out;
  out.reserve(guid2lid.entries.size() * 34);
  const auto add = [&out](std::string_view before, std::uint64_t value, unsigned digits) {
    out += before;
    mad::append_hex(out, value, digits);
  };
  for (const Guid2Lid::Entry& entry : guid2lid.entries) {
    add("0x", entry.guid.value, 16);
    add(" 0x", entry.first.value, 4);
    add(" 0x", entry.last.value, 4);
    out += "\n\n";
  }
  return out;
}

LoadedGuid2Lid load_guid2lid(const std::filesystem::path& dir) {
  LoadedGuid2Lid out;
  const std::filesystem::path path = dir / kGuid2LidFile;
  const auto text = read_file(path, kGuid2LidBytesMax);
  if (!text) {
    out.messages.push_back(text.error());
    return out;
  }
  if (!*text) return out;
  ParsedGuid2Lid parsed = parse_guid2lid(**text);
  out.messages = as_messages(parsed.warnings, path.string());
  if (parsed.errors.empty()) {
    out.value = std::move(parsed.value);
    return out;
  }
  out.corrupt = true;
  for (std::string& message : as_messages(parsed.errors, path.string()))
    out.messages.push_back(std::move(message));
  const auto aside = move_aside(path);
  out.messages.push_back(
      aside ? fmt::format("{} is corrupt and not used; moved to {}", path.string(), aside->string())
            : fmt::format("{} is corrupt and not used; {}", path.string(), aside.error()));
  return out;
}

tl::expected<void, std::string> save_guid2lid(const std::filesystem::path& dir,
                                              const Guid2Lid& guid2lid, bool fsync) {
  return ensure_directory(dir).and_then(
      [&] { return write_file_atomically(dir / kGuid2LidFile, to_text(guid2lid), fsync); });
}

}  // namespace sm
