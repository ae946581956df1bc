#include "sm/store/peers/peer_messages.h"

#include <algorithm>
#include <iterator>

#include "mad/format.h"
#include "mad/number.h"

namespace sm::peers {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kRefusalBytesMax = 300;

using Fault = tl::unexpected<std::string>;
Fault wrong(std::string_view what) { return Fault(fmt::format("{} cannot be read", what)); }

void put_terms(std::string& out, const TermHistory& history) {
  for (const Term& term : history.terms()) (out += to_line(term)) += '\n';
}

struct Writer {
  std::string& out;
  void operator()(std::monostate) const {}
  void operator()(const Hello& hello) const {
    fmt::format_to(std::back_inserter(out),
                   "hello {} {}\nsubnet {:x}\nport {:x}\nleader {:x}\nlost {:d}\n",
                   hello.versions.newest, hello.versions.oldest, hello.subnet_prefix,
                   hello.port.value, hello.leader.value, hello.lost);
    put_terms(out, hello.history);
  }
  void operator()(const Refusal& refusal) const { (out += "refused ") += refusal.why; }
  void operator()(const Status& status) const {
    fmt::format_to(std::back_inserter(out), "status {:x}\n", status.leader.value);
  }
  void operator()(const Batch& batch) const {
    fmt::format_to(std::back_inserter(out), "batch {:x} {:d} {:d} {:d}\n",
                   static_cast<std::uint64_t>(batch.at), batch.begins_full, batch.has_more,
                   batch.history.has_value());
    if (batch.history) put_terms(out, *batch.history);
    for (const Record& record : batch.records) (out += to_line(record)) += '\n';
  }
  void operator()(const Acknowledgement& acknowledgement) const {
    fmt::format_to(std::back_inserter(out), "acknowledge {:x} {:x}\n",
                   static_cast<std::uint64_t>(acknowledgement.position.revision),
                   acknowledgement.position.id);
  }
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::optional<std::uint64_t> take_hex(std::string_view& line) {
  const auto value = mad::parse_number(take_word(line), 16);
  return value ? std::optional(*value) : std::nullopt;
}
std::optional<bool> take_flag(std::string_view& line) {
  const std::string_view word = take_word(line);
  return word == "1" || word == "0" ? std::optional(word == "1") : std::nullopt;
}

tl::expected<Message, std::string> parse_hello(std::string_view first, std::string_view text) {
  Hello hello;
  const auto newest = mad::parse_number<unsigned>(take_word(first)),
             oldest = mad::parse_number<unsigned>(take_word(first));
  if (!newest || !oldest || *oldest > *newest) return wrong("the version of a hello");
  hello.versions = {.newest = *newest, .oldest = *oldest};
  unsigned given = 0;
  while (!text.empty()) {
    std::string_view line = take_line(text), rest = line;
    const std::string_view name = take_word(rest);
    if (name == "term") {
      const auto term = parse_term(line);
      if (!term || hello.history.terms().size() == TermHistory::kTermsMax)
        return wrong("a term of a hello");
      hello.history.add(*term);
    } else if (name == "subnet" || name == "port" || name == "leader" || name == "lost") {
      const auto value = take_hex(rest);
      if (!value) return wrong("a number of a hello");
      ++given;
      if (name == "subnet") hello.subnet_prefix = *value;
      if (name == "port") hello.port = {*value};
      if (name == "leader") hello.leader = {*value};
      if (name == "lost") hello.lost = *value != 0;
    }
  }
  constexpr unsigned kNumbers = 4;
  if (given < kNumbers) return wrong("a hello");
  return hello;
}

tl::expected<Message, std::string> parse_batch(std::string_view first, std::string_view text) {
  Batch batch;
  const auto at = take_hex(first);
  const auto full = take_flag(first), more = take_flag(first), terms = take_flag(first);
  if (!at || *at > static_cast<std::uint64_t>(make_revision(kTermMax, 0xFFFFFFFF)) || !full ||
      !more || !terms)
    return wrong("the begin of a batch");
  batch.at = static_cast<StoreRevision>(*at);
  batch.begins_full = *full;
  batch.has_more = *more;
  if (*terms) batch.history.emplace();
  StoreRevision before = 0;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (batch.history && batch.records.empty() && line.starts_with("term ")) {
      const auto term = parse_term(line);
      if (!term || batch.history->terms().size() == TermHistory::kTermsMax)
        return wrong("a term of a batch");
      batch.history->add(*term);
      continue;
    }
    auto record = parse_record(line);
    if (!record) return Fault(std::move(record.error()));
    if (record->revision <= before || record->revision > batch.at)
      return Fault("records are not in the order of revisions");
    before = record->revision;
    batch.records.push_back(std::move(*record));
  }
  return batch;
}

}  // namespace

std::optional<unsigned> agree(const ProtocolVersions& one, const ProtocolVersions& other) {
  const unsigned version = std::min(one.newest, other.newest);
  return version >= one.oldest && version >= other.oldest ? std::optional(version) : std::nullopt;
}

std::string to_frame(const Message& message) {
  std::string out(kLengthBytes, '\0');
  std::visit(Writer{out}, message);
  const std::size_t length = out.size() - kLengthBytes;
  for (std::size_t byte = 0; byte < kLengthBytes; ++byte)
    out[byte] = static_cast<char>(length >> 8 * (kLengthBytes - 1 - byte) & 0xFF);
  return out;
}

tl::expected<Message, std::string> parse_message(std::string_view text) {
  std::string_view first = take_line(text);
  const std::string_view kind = take_word(first);
  if (kind == "hello") return parse_hello(first, text);
  if (kind == "batch") return parse_batch(first, text);
  if (kind == "refused") {
    Refusal refusal{.why = std::string(first.substr(0, kRefusalBytesMax))};
    std::ranges::replace_if(refusal.why, [](char c) { return c < 0x20 || c >= 0x7F; }, '?');
    return refusal;
  }
  if (kind == "status") {
    const auto leader = take_hex(first);
    if (!leader) return wrong("a status");
    return Status{.leader = {*leader}};
  }
  if (kind == "acknowledge") {
    const auto revision = take_hex(first), id = take_hex(first);
    if (!revision || !id) return wrong("an acknowledgement");
    return Acknowledgement{{.revision = static_cast<StoreRevision>(*revision), .id = *id}};
  }
  if (kind.empty() || !std::ranges::all_of(kind, [](char c) { return c >= 'a' && c <= 'z'; }))
    return wrong("a frame");
  return Message{};
}

tl::expected<std::optional<std::string>, std::string> FrameBuffer::next() {
  const std::string_view rest = std::string_view(bytes_).substr(at_);
  if (rest.size() < kLengthBytes) return std::nullopt;
  std::size_t length = 0;
  for (const char byte : rest.substr(0, kLengthBytes))
    length = length << 8 | static_cast<unsigned char>(byte);
  if (length > kFrameBytesMax)
    return Fault(
        fmt::format("a frame of {} bytes is longer than {}", length, std::size_t{kFrameBytesMax}));
  if (rest.size() - kLengthBytes < length) return std::nullopt;
  at_ += kLengthBytes + length;
  return std::string(rest.substr(kLengthBytes, length));
}

}  // namespace sm::peers
