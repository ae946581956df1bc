// Bodies that clients send: the first byte chooses the resource, the rest is the body. Each is read
// or refused in words, without reading deeper than the bound. One program for all resources, since
// they share their parser; a corpus file for each.

#include <array>
#include <cstdlib>
#include <string_view>

#include "sm/ops/api/body.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/api/what_if.h"
#include "sm/ops/ufm/p_key_body.h"
#include "sm/ops/web/json_body.h"

namespace {

namespace api = sm::api;

constexpr partitions::UnixTime kNow{std::chrono::seconds(1'800'000'000)};
constexpr std::uint16_t kKey = 0x10;
constexpr mad::Guid kGuid{0x2c903000000001};

void check(bool holds) {
  if (!holds) std::abort();
}

/// A lower bound of how deep a text nests before it could be refused: brackets at its beginning.
std::size_t leading_depth(std::string_view body) {
  const std::size_t end = body.find_first_not_of("[ \t\r\n");
  std::size_t depth = 0;
  for (const char c : body.substr(0, end)) depth += c == '[' ? 1 : 0;
  return depth;
}

void check_response(const std::optional<sm::web::Response>& fault) {
  if (!fault) return;
  check(fault->status == 400 || fault->status == 413 || fault->status == 422);
  check(!fault->body.empty() && fault->body.size() < 4096);
}

void check_change(const api::OrFault<api::ReadChange>& read) {
  if (read) return check(read->change.steps.size() == read->pointers.size());
  check(!read.error().detail.empty());
  check_response(
      sm::web::problem(400, read.error().detail, read.error().remedy, read.error().pointer));
}

void plan(std::string_view body) {
  const auto change = api::read_what_if(body);
  if (!change) return check_response(change.error());
  check(change->without.size() <= api::kWithoutMax);
  check(!change->partitions || change->partitions->size() <= api::kPartitionsBytesMax);
}

void number(std::string_view text) {
  api::Body body(text);
  const auto value = body.number("priority", 15, true);
  body.finish();
  check(body.fault() || (value && *value <= 15));
  check_response(body.fault());
}

void ufm(std::string_view body, std::string_view needs) {
  const auto read = sm::ufm::read_p_key_body(body, needs);
  if (!read) return check(!read.error().empty() && read.error().size() < 4096);
  check(read->p_key >= 1 && read->p_key <= 0x7FFF);
  check(needs != "hosts_names" || !read->hosts.empty());
}

using Resource = void (*)(std::string_view body);
constexpr std::array<Resource, 10> kResources{
    plan,    // POST /v1/plan
    number,  // PUT /v1/priority, /v1/log-level
    [](std::string_view body) {
      check_change(api::read_new_partition(body, api::BodyContext{.now = kNow}));
    },
    [](std::string_view body) {
      check_change(api::read_partition(body, kKey, true, api::BodyContext{.now = kNow}));
    },
    [](std::string_view body) {
      check_change(api::read_partition(body, kKey, false, api::BodyContext{.now = kNow}));
    },
    [](std::string_view body) {
      check_change(api::read_member(body, kKey, kGuid, api::BodyContext{.now = kNow}));
    },
    [](std::string_view body) {
      check_change(api::read_changes(body, api::BodyContext{.now = kNow}));
    },
    [](std::string_view body) { ufm(body, "guids"); },
    [](std::string_view body) { ufm(body, "hosts_names"); },
    [](std::string_view body) { ufm(body, ""); }};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  // Corpus files begin with a digit.
  kResources[(data[0] - std::size_t{'0'}) % kResources.size()](body);
  if (leading_depth(body) > sm::web::JsonBounds{}.depth) check(!sm::web::parse_json_body(body));
  return 0;
}
