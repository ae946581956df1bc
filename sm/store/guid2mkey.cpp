#include "sm/store/guid2mkey.h"

#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/key_value_file.h"

namespace sm {
namespace {

constexpr std::size_t kGuid2MKeyBytesMax = 16u << 20;

}  // namespace

std::string to_text(const Guid2MKey& guid2mkey) {
  std::string out;
  out.reserve(guid2mkey.size() * 39);
  for (const auto& [guid, key] : guid2mkey)
    fmt::format_to(std::back_inserter(out), "0x{:016x} 0x{:016x}\n\n", guid.value, key.value);
  return out;
}

LoadedGuid2MKey load_guid2mkey(const std::filesystem::path& dir) {
  LoadedGuid2MKey out;
  const std::filesystem::path path = dir / kGuid2MKeyFile;
  const auto text = read_file(path, kGuid2MKeyBytesMax);
  if (!text) {
    out.messages.push_back(text.error());
    return out;
  }
  if (!*text) return out;
  KeyValueText lines = parse_key_values(**text, 1);
  std::vector<FileError> warnings;
  for (const KeyValueRecord& record : lines.records) {
    const auto guid = parse_hex(record.key.text), key = parse_hex(record.values[0].text);
    if (!guid || *guid == 0)
      lines.errors.push_back({record.key.line, 1,
                              fmt::format("'{}' is not a port GUID such as 0x0002c90000000001",
                                          in_quotes(record.key.text))});
    else if (!key)  // the word is not quoted: it may be a mistyped secret
      lines.errors.push_back({record.key.line, record.values[0].column,
                              "this is not an M_Key (0x and up to 16 hexadecimal digits)"});
    else if (!out.value.emplace(mad::Guid{*guid}, mad::MKey{*key}).second)
      warnings.push_back({record.key.line, 1,
                          fmt::format("duplicate {}; the first record is used", mad::Guid{*guid})});
  }
  for (const auto* errors : {&warnings, &lines.errors})
    for (std::string& message : as_messages(*errors, path.string()))
      out.messages.push_back(std::move(message));
  if (lines.errors.empty()) return out;
  const auto aside = move_aside(path);
  out.messages.push_back(aside
                             ? fmt::format("{} is corrupt; moved to {}, its valid records are used",
                                           path.string(), aside->string())
                             : fmt::format("{} is corrupt; its valid records are used; {}",
                                           path.string(), aside.error()));
  if (aside)
    if (const auto saved = save_guid2mkey(dir, out.value, true); !saved)
      out.messages.push_back(saved.error());
  return out;
}

tl::expected<void, std::string> save_guid2mkey(const std::filesystem::path& dir,
                                               const Guid2MKey& guid2mkey, bool fsync) {
  return ensure_directory(dir).and_then(
      [&] { return write_file_atomically(dir / kGuid2MKeyFile, to_text(guid2mkey), fsync, 0600); });
}

}  // namespace sm
