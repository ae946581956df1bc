#include "partitions/configuration_builder.h"

#include <algorithm>

#include "config/value.h"
#include "mad/format.h"
#include "partitions/group_values.h"
#include "partitions/membership.h"

namespace partitions {
namespace {

using config::in_quotes;
using config::Severity;

constexpr std::uint16_t kKeyMask = 0x7FFF, kDefaultKey = 0x7FFF;
constexpr std::uint16_t kGeneratedMax = kDefaultKey - 1;
constexpr std::uint64_t kIpv4Signature = 0x401B,
                        kIpv6Signature =
                            0x601B;  // bytes 2 and 3 of an IPoIB group's MGID (RFC 4391, 4)
constexpr std::uint32_t kIpoibQKey = 0x0B1B;
constexpr std::uint64_t kBroadcastGuid = 0xFFFFFFFF;
constexpr std::uint8_t kLinkLocal = 2, kScopeMax = 15;
constexpr std::uint8_t kHopsBeyondLinkLocal = 255;

constexpr std::string_view kMembers =
    "write a port GUID such as 0x0002c90300a1b2c3, a range of them (0x...-0x...), or one of ALL, "
    "ALL_CAS, ALL_VCAS, ALL_SWITCHES, ALL_ROUTERS, SELF, NONE";

/// OpenSM accepts any prefix of a keyword.
bool means(std::string_view text, std::string_view keyword) {
  return !text.empty() && keyword.starts_with(text);
}

bool is_ip(mad::Gid mgid) {
  const std::uint64_t signature = mgid.prefix >> 32 & 0xFFFF;
  return signature == kIpv4Signature || signature == kIpv6Signature;
}
std::uint16_t p_key_in(mad::Gid mgid) {
  return static_cast<std::uint16_t>(mgid.prefix >> 16 & 0xFFFF);
}
mad::Gid with_p_key(mad::Gid mgid, mad::PKey key) {
  return {(mgid.prefix & ~(std::uint64_t{0xFFFF} << 16)) | std::uint64_t{key.value} << 16,
          mgid.guid};
}
mad::Gid with_scope(mad::Gid mgid, std::uint8_t scope) {
  return {(mgid.prefix & ~(std::uint64_t{0xF} << 48)) | std::uint64_t{scope} << 48, mgid.guid};
}
/// Returns the group that all IPoIB interfaces of a partition join (RFC 4391, 4).
mad::Gid broadcast_group(mad::PKey key) {
  return with_p_key({0xFF12'401B'0000'0000, {kBroadcastGuid}}, key);
}

}  // namespace

fabric::WellKnownGroup broadcast_group_of(std::uint16_t key,
                                          const PartitionAttributes& attributes) {
  const mad::PKey full = mad::full_member_key(key);
  return {.mgid = broadcast_group(full),
          .p_key = full,
          .mtu = attributes.mtu,
          .rate = attributes.rate,
          .sl = mad::Sl{attributes.sl},
          .q_key = kIpoibQKey};
}

Configuration default_configuration() {
  const fabric::WellKnownGroup broadcast{.mgid = broadcast_group(mad::kDefaultPKeyFull),
                                         .p_key = mad::kDefaultPKeyFull,
                                         .q_key = kIpoibQKey};
  return {{{.key = kDefaultKey,
            .name = "Default",
            .members = {{.kind = Member::Kind::all, .membership = Membership::full}},
            .groups = {broadcast}}}};
}

ConfigurationBuilder::ConfigurationBuilder(std::string file, config::Diagnostics& out)
    : file_(std::move(file)), out_(out) {
  // If there is a file, only the SM's port is a full member by default.
  configuration_.definitions.push_back(
      {.key = kDefaultKey,
       .name = "Default",
       .members = {{.kind = Member::Kind::all, .membership = Membership::limited},
                   {.kind = Member::Kind::self, .membership = Membership::full}},
       .groups = {}});
  name_of_.emplace(kDefaultKey, "Default");
  key_of_name_.emplace("Default", kDefaultKey);
}

void ConfigurationBuilder::report(Severity severity, Word position, std::string what,
                                  std::string remedy) {
  out_.push_back(
      {severity, file_, position.line, position.column, std::move(what), std::move(remedy)});
}

// ------------------------------------------------------------------------------------------
// header

void ConfigurationBuilder::begin_definition(Word name, std::optional<Word> key) {
  ++definitions_;
  start_ = name;
  default_membership_ = Membership::limited;
  ipoib_ = false;
  header_ = {};
  if (!key && !name.text.empty() && name.text.front() >= '0' && name.text.front() <= '9') {
    key = name;
    name.text = {};
  }
  const std::uint16_t number = make_key(name, key).value_or(
      kDefaultKey);  // a wrong key was reported: the configuration is not used
  const std::string& called =
      name_of_
          .try_emplace(number,
                       name.text.empty() ? fmt::format("{:04x}", number) : std::string(name.text))
          .first->second;
  key_of_name_.try_emplace(called, number);
  configuration_.definitions.push_back(
      {.key = number, .name = called, .members = {}, .groups = {}});
}

std::optional<std::uint16_t> ConfigurationBuilder::make_key(Word name, std::optional<Word> key) {
  if (key) {
    const auto value = config::parse_number(key->text);
    if (!value || *value > 0xFFFF) {
      report(Severity::error, *key, fmt::format("{} is not a P_Key", in_quotes(key->text)),
             "write a number in 0x0001..0xffff, or leave it out to have one chosen");
      return std::nullopt;
    }
    if (const auto low = static_cast<std::uint16_t>(*value & kKeyMask); low != 0) return low;
  }
  if (!name.text.empty()) {
    if (const auto same = key_of_name_.find(name.text); same != key_of_name_.end())
      return same->second;
  }
  const std::uint16_t chosen = next_free_key();
  if (chosen == 0) {
    report(Severity::error, name, "there is no free P_Key left for this partition",
           "define fewer partitions");
    return std::nullopt;
  }
  return chosen;
}

/// Returns the lowest free key from 1, or 0 if none is left. As in OpenSM, it does not know the
/// keys of later definitions: the result depends only on the order of the file.
std::uint16_t ConfigurationBuilder::next_free_key() {
  while (last_chosen_key_ < kGeneratedMax) {
    if (!name_of_.contains(++last_chosen_key_)) return last_chosen_key_;
  }
  return 0;
}

void ConfigurationBuilder::flag(Word name, std::optional<Word> value) {
  const bool switch_on =
      name.text == "indx0" ||
      (!means(name.text, "mtu") && !means(name.text, "rate") && means(name.text, "ipoib"));
  if (group_parameter(name, value, header_)) return;
  if (switch_on) {
    if (value)
      report(Severity::warning, *value,
             fmt::format("{} takes no value; this one is ignored", name.text));
    (name.text == "indx0" ? current().index0 : ipoib_) = true;
  } else if (means(name.text, "defmember")) {
    const auto wanted = membership(value.value_or(Word{{}, name.line, name.column}));
    if (wanted) default_membership_ = *wanted;
  } else {
    report(Severity::warning, name, fmt::format("unknown flag {}, ignored", in_quotes(name.text)),
           "there are mtu, rate, scope, Q_Key, TClass, sl, FlowLabel, ipoib, defmember and indx0");
  }
}

void ConfigurationBuilder::end_header() {
  current().sl = mad::Sl{header_.sl};
  if (const auto [before, is_first] = sl_of_.insert({current().key, current().sl});
      !is_first && before->second != current().sl) {
    report(
        Severity::warning, start_,
        fmt::format(
            "the partition has SL {} in an earlier definition, and {} here: the last one is used",
            before->second.value, header_.sl),
        "give every definition of a partition the same sl");
    before->second = current().sl;
  }
  const mad::PKey full = mad::full_member_key(current().key);
  // The broadcast group is always link-local: the scopes of the header apply to the groups of the
  // definition.
  if (ipoib_) create_group(start_, broadcast_group(full), header_, kLinkLocal);
}

std::optional<std::uint64_t> ConfigurationBuilder::number(Word name, std::optional<Word> value,
                                                          std::uint64_t max) {
  const Word word = value.value_or(Word{{}, name.line, name.column});
  const auto parsed = config::parse_number(word.text);
  if (parsed && *parsed <= max) return *parsed;
  report(Severity::error, word,
         word.text.empty()
             ? fmt::format("{} has no value", name.text)
             : fmt::format("{} is not a value for {}", in_quotes(word.text), name.text),
         fmt::format("write a number in 0..{}", max));
  return std::nullopt;
}

/// Compares keywords in OpenSM's order. Returns false if `name` is not a flag of groups.
bool ConfigurationBuilder::group_parameter(Word name, std::optional<Word> value, Parameters& to) {
  const auto wrong = [&](std::string_view right) {
    const Word word = value.value_or(Word{{}, name.line, name.column});
    report(Severity::error, word,
           word.text.empty()
               ? fmt::format("{} has no value", name.text)
               : fmt::format("{} is not a value for {}", in_quotes(word.text), name.text),
           std::string(right));
  };
  const std::string_view text = value ? value->text : std::string_view{};
  if (means(name.text, "mtu")) {
    const auto code = parse_mtu(text);
    code ? void(to.mtu = *code) : wrong("write 256, 512, 1024, 2048, 4096, or a code in 1..5");
  } else if (means(name.text, "rate")) {
    const auto code = parse_rate(text);
    code ? void(to.rate = *code)
         : wrong(
               "write Gb/s such as 100, 10G or 2.5, a speed such as EDR or 2xHDR, or a rate code "
               "in 2..26");
  } else if (means(name.text, "scope")) {
    const auto scope = config::parse_number(text);
    scope && *scope >= 1 && *scope <= kScopeMax
        ? void(to.scopes = static_cast<std::uint16_t>(to.scopes | 1u << *scope))
        : wrong("write a number in 1..15");
  } else if (means(name.text, "Q_Key")) {
    if (const auto key = number(name, value, 0xFFFFFFFF))
      to.q_key = static_cast<std::uint32_t>(*key);
  } else if (means(name.text, "TClass")) {
    if (const auto t_class = number(name, value, 0xFF))
      to.t_class = static_cast<std::uint8_t>(*t_class);
  } else if (means(name.text, "sl")) {
    if (const auto sl = number(name, value, 15)) to.sl = static_cast<std::uint8_t>(*sl);
  } else if (means(name.text, "FlowLabel")) {
    if (const auto label = number(name, value, 0xFFFFF))
      to.flow_label = static_cast<std::uint32_t>(*label);
  } else {
    return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------
// members

std::optional<Membership> ConfigurationBuilder::membership(Word value) {
  if (means(value.text, "full")) return Membership::full;
  if (means(value.text, "both")) return Membership::both;
  if (means(value.text, "limited")) return Membership::limited;
  const bool next_definition = value.text.find(':') != std::string_view::npos;
  report(Severity::error, value,
         value.text.empty() ? "the membership is missing"
                            : fmt::format("{} is not a membership", in_quotes(value.text)),
         next_definition ? "is the ';' of the previous definition missing?"
                         : "write full, limited or both");
  return std::nullopt;
}

std::optional<Member> ConfigurationBuilder::member_of(Word word) {
  using enum Member::Kind;
  static constexpr std::pair<std::string_view, Member::Kind> kKeywords[] = {
      {"ALL", all},
      {"ALL_CAS", cas},
      {"ALL_SWITCHES", switches},
      {"ALL_ROUTERS", routers},
      {"SELF", self},
      {"ALL_VCAS", virtual_cas}};
  for (const auto& [keyword, meaning] : kKeywords) {
    if (means(word.text, keyword)) return Member{.kind = meaning};
  }
  const std::size_t dash = word.text.find('-');
  const auto first = config::parse_number(config::trim(word.text.substr(0, dash)));
  const auto last = dash == std::string_view::npos
                        ? first
                        : config::parse_number(config::trim(word.text.substr(dash + 1)));
  if (first && last && *first != 0 && *first <= *last)
    return Member{.kind = guids, .first = *first, .last = *last};
  const bool next_definition = word.text.find(':') != std::string_view::npos;
  const bool backwards = first && last && *first > *last;
  report(
      Severity::error, word,
      backwards ? fmt::format("the range {} ends before it begins", in_quotes(word.text))
                : fmt::format("{} is not a member", in_quotes(word.text)),
      next_definition ? "is the ';' of the previous definition missing?" : std::string(kMembers));
  return std::nullopt;
}

void ConfigurationBuilder::member(Word word, std::optional<Word> as) {
  if (word.text.empty() || means(word.text, "NONE")) return;
  auto found = member_of(word);
  const auto wanted = as ? membership(*as) : default_membership_;
  if (!found || !wanted) return;
  found->membership = *wanted;
  current().members.push_back(*found);
}

// ------------------------------------------------------------------------------------------
// groups

void ConfigurationBuilder::begin_group(Word mgid) {
  mgid_ = mgid;
  group_ = header_;
  group_.t_class = 0;  // the one flag of the header that is not inherited
}

void ConfigurationBuilder::group_flag(Word name, std::optional<Word> value) {
  if (group_parameter(name, value, group_)) return;
  report(Severity::warning, name,
         fmt::format("unknown flag {} of a group, ignored", in_quotes(name.text)),
         "there are mtu, rate, scope, Q_Key, TClass, sl and FlowLabel");
}

void ConfigurationBuilder::end_group() {
  auto mgid = parse_mgid(mgid_.text);
  if (!mgid)
    return report(Severity::error, mgid_,
                  fmt::format("{} is not a multicast GID", in_quotes(mgid_.text)),
                  "write one such as ff12:401b::1:2");
  const mad::PKey full = mad::full_member_key(current().key);
  if (is_ip(*mgid)) {
    if (const std::uint16_t inside = p_key_in(*mgid); inside != 0 && inside != full.value) {
      return report(
          Severity::error, mgid_,
          fmt::format("{} is an IPoIB group of P_Key 0x{:04x}, and the partition has 0x{:04x}",
                      in_quotes(mgid_.text), inside, full.value),
          fmt::format("write {:04x}, or 0 instead", full.value));
    }
    if (group_.mtu != header_.mtu || group_.rate != header_.rate) {
      return report(
          Severity::error, mgid_,
          fmt::format("{} is an IPoIB group, and its MTU or rate is not that of the partition",
                      in_quotes(mgid_.text)),
          "leave mtu and rate out, or give them in front of the ':'");
    }
    mgid = with_p_key(*mgid, full);
  }
  if (group_.scopes == 0) group_.scopes = 1u << kLinkLocal;
  for (std::uint8_t scope = 1; scope <= kScopeMax; ++scope) {
    if ((group_.scopes >> scope & 1) != 0)
      create_group(mgid_, with_scope(*mgid, scope), group_, scope);
  }
}

void ConfigurationBuilder::create_group(Word position, mad::Gid mgid, const Parameters& p,
                                        std::uint8_t scope) {
  const mad::PKey full = mad::full_member_key(current().key);
  const bool ip = is_ip(mgid);
  const fabric::WellKnownGroup group{
      .mgid = mgid,
      .p_key = full,
      .mtu = p.mtu,
      .rate = p.rate,
      .sl = mad::Sl{p.sl},
      .q_key = ip && p.q_key == 0 ? kIpoibQKey : p.q_key,
      .t_class = p.t_class,
      .flow_label = p.flow_label,
      .hop_limit = scope == kLinkLocal ? std::uint8_t{0} : kHopsBeyondLinkLocal};
  if (const auto before = groups_.find(mgid); before != groups_.end()) {
    if (before->second != group)
      report(Severity::warning, position,
             "this group was defined before, with other parameters; the first ones count",
             "leave one of the two out");
    return;
  }
  // An interface learns the parameters of its partition's groups from the broadcast group (RFC
  // 4391, 4).
  const mad::Gid broadcast = with_scope(broadcast_group(full), scope);
  if (ip && mgid != broadcast && !groups_.contains(broadcast)) {
    return report(
        Severity::warning, position,
        fmt::format(
            "the IPoIB group is not created: the partition has no broadcast group of scope {}",
            scope),
        scope == kLinkLocal
            ? "add the flag ipoib"
            : fmt::format("write mgid=ff1{:x}:401b::ffff:ffff,scope={} before it", scope, scope));
  }
  groups_.emplace(mgid, group);
  current().groups.push_back(group);
}

}  // namespace partitions
