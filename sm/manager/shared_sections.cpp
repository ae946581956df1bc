#include "sm/manager/shared_sections.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "mad/format.h"
#include "mad/number.h"
#include "partitions/kept_key.h"
#include "partitions/runtime_partitions.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/store/replica/cache_records.h"

namespace sm {
namespace {

using Rejected = SharedSection::Rejected;

/// Calls `use` for each record of the section.
template <class All, class Use>
void for_each_in(const All& records, std::string_view section, const Use& use) {
  for (auto at = records.lower_bound(section);
       at != records.end() && at->first.starts_with(section); ++at)
    if (is_in(at->first, section)) use(at->first, at->second);
}

// ------------------------------------------------------------------------------------------
// Registrations

/// True for records that say nothing of another manager's clients.
bool is_of_one_manager(std::string_view key) {
  return key.starts_with("registrations/acknowledged/") || key == "registrations/next";
}

SharedSection registrations(sa::Administrator& administrator) {
  return {
      .name = section::kRegistrations,
      .given = SharedSection::Given::before_tables,
      .own =
          [&administrator] {
            return sa::all_records(sa::all_lines(administrator.registrations()));
          },
      .take = [&administrator](const FoundState& found,
                               Rejected& rejected) -> SharedSection::Apply {
        auto read = std::make_shared<sa::ReplicatedRegistrations>(sa::read_records(found.records));
        std::ranges::move(read->rejected, std::back_inserter(rejected));
        return [&administrator, read, from = found.manager_lid,
                is_latest = found.is_latest](bool complete) {
          administrator.adopt({.registrations = std::move(read->registrations),
                               .manager_lid = from,
                               .complete = complete && is_latest});
        };
      },
      .merge =
          [&administrator](const MergedRecords& records, Rejected& rejected) {
            std::vector<std::string> lines;
            for_each_in(records, section::kRegistrations, [&](const auto& key, const auto& text) {
              // Ports are asked again whether they have acknowledged this manager. The client of a
              // registration that ended does so, too.
              if (!text || is_of_one_manager(key)) return;
              if (const auto change = sa::record_change(*text); change && change->key == key)
                lines.push_back(*text);
              else
                rejected.push_back(fmt::format("{}: its text is about something else", key));
            });
            administrator.merge(lines);
          }};
}

// ------------------------------------------------------------------------------------------
// Partitions of the API

Records partition_records(const partitions::RuntimePartitions& all) {
  Records records;
  for (partitions::RecordChange& record : partitions::all_records(section::kPartitions, all))
    records.emplace(std::move(record.key), std::move(*record.text));
  return records;
}

SharedSection api_partitions(PartitionStore& store) {
  return {.name = section::kPartitions,
          .given = SharedSection::Given::before_tables,
          .own = [&store] { return partition_records(*store.current()); },
          .take = [&store](const FoundState& found, Rejected& rejected) -> SharedSection::Apply {
            partitions::LineReader reader;
            for_each_in(found.records, section::kPartitions,
                        [&](const auto& key, const std::string& text) {
                          if (const auto applied = reader.apply(text); !applied)
                            rejected.push_back(fmt::format("{}: {}", key, applied.error()));
                        });
            auto read = std::make_shared<partitions::RuntimePartitions>(std::move(reader).take());
            return [&store, read](bool) { store.adopt(std::move(*read)); };
          },
          .merge =
              [&store](const MergedRecords& records, Rejected& rejected) {
                partitions::MergedPartitions merged =
                    partitions::merge(section::kPartitions, *store.current(), records);
                std::ranges::move(merged.rejected, std::back_inserter(rejected));
                store.merge(std::move(merged.partitions), std::move(merged.ended));
              }};
}

template <class All>
NamedChanges read_changes(const All& records, Rejected& rejected) {
  NamedChanges changes;
  for_each_in(records, section::kChanges, [&](const auto& key, const auto& stored) {
    const std::optional<std::string> text(stored);
    if (!text) return;
    if (auto change = parse_named_change(*text); change && record_of(*change).key == key)
      changes.push_back(*std::move(change));
    else
      rejected.push_back(fmt::format("{}: it does not name a change", key));
  });
  return changes;
}

SharedSection authors_of_changes(PartitionStore& store) {
  return {.name = section::kChanges,
          .given = SharedSection::Given::before_tables,
          .own = [&store] { return records_of(*store.changes()); },
          .take = [&store](const FoundState& found, Rejected& rejected) -> SharedSection::Apply {
            auto read = std::make_shared<NamedChanges>(read_changes(found.records, rejected));
            return [&store, read](bool) { store.adopt(*read); };
          },
          .merge = [&store](const MergedRecords& records,
                            Rejected& rejected) { store.merge(read_changes(records, rejected)); }};
}

// ------------------------------------------------------------------------------------------
// Orders of operators, and what sweeps decide

/// False for a predecessor of an earlier version: it shares neither orders nor values of options,
/// and the orders of the local file stay in force. One that ended early may have shared orders
/// only.
bool shares_orders(const FoundState& found) {
  bool shares = false;
  for (const std::string_view name : {section::kSettings, section::kIsolations})
    for_each_in(found.records, name, [&](const auto&, const auto&) { shares = true; });
  return shares;
}

SharedSection isolations(Orders& orders) {
  return {.name = section::kIsolations,
          .given = SharedSection::Given::before_tables,
          .own = [&orders] { return records_of(orders.isolations()); },
          .take = [&orders](const FoundState& found, Rejected& rejected) -> SharedSection::Apply {
            auto read = std::make_shared<std::vector<StoredIsolation>>(
                read_isolations(found.records, rejected));
            return [&orders, read, is_shared = shares_orders(found)](bool) {
              if (is_shared) orders.adopt(*read);
            };
          },
          .merge =
              [&orders](const MergedRecords& records, Rejected& rejected) {
                Records all = records_of(orders.isolations());
                for_each_in(records, section::kIsolations, [&](const auto& key, const auto& text) {
                  if (text)
                    all.insert_or_assign(key, *text);
                  else
                    all.erase(key);
                });
                orders.adopt(read_isolations(all, rejected));
              }};
}

SharedSection key_version(Sweeper& sweeper) {
  return {.name = section::kKeyVersion,
          .own = [&sweeper]() -> std::optional<Records> {
            const KeyVersion& version = sweeper.m_keys().version();
            if (version == KeyVersion{}) return std::nullopt;
            return records_of(version);
          },
          .take = [&sweeper](const FoundState& found, Rejected& rejected) -> SharedSection::Apply {
            const auto version = read_key_version(found.records, rejected);
            return [&sweeper, version](bool) {
              if (version) sweeper.m_keys().take_version(*version);
            };
          }};
}

SharedSection lids(Sweeper& sweeper) {
  return {.name = section::kLids,
          .own = [&sweeper] { return records_of(sweeper.state().stored.guid2lid()); },
          .take = [&sweeper](const FoundState& found, Rejected& rejected) -> SharedSection::Apply {
            auto read = std::make_shared<Guid2Lid>(read_lids(found.records, rejected));
            auto keys = std::make_shared<Guid2MKey>(read_m_keys(found.records, rejected));
            // The keys of ports with LIDs are derived, if they have no record.
            return
                [&sweeper, read, keys](bool) { sweeper.adopt(std::move(*read), std::move(*keys)); };
          }};
}

SharedSection m_keys(Sweeper& sweeper) {  // taken with the LIDs
  return {.name = section::kMKeys,
          .own = [&sweeper] { return records_of(sweeper.m_keys().stored_beyond_policy()); }};
}

/// Returns a record for each kept P_Key: "<section>/<GUID>/<P_Key>", with the index 0 or "kept".
Records kept_records(const partitions::SharedKept& kept) {
  Records records;
  if (!kept) return records;
  for (const partitions::KeptKey& one : *kept)
    records.emplace(
        fmt::format("{}/{:016x}/{:04x}", section::kKeptPKeys, one.guid.value, one.key.value),
        one.index0 ? "0" : "kept");
  return records;
}

partitions::KeptKeys read_kept(const Records& records, Rejected& rejected) {
  constexpr std::size_t kGuidDigits = 16;
  partitions::KeptKeys kept;
  for_each_in(records, section::kKeptPKeys, [&](const auto& key, const std::string& text) {
    const std::string_view digits =
        std::string_view(key).substr(std::min(section::kKeptPKeys.size() + 1, key.size()));
    const auto guid = mad::parse_number(digits.substr(0, kGuidDigits), 16);
    const auto p_key = mad::parse_number<std::uint16_t>(
        digits.substr(std::min(kGuidDigits + 1, digits.size())), 16);
    if (guid && p_key)
      kept.push_back({.guid = mad::Guid{*guid}, .key = {*p_key}, .index0 = text.starts_with('0')});
    else
      rejected.push_back(fmt::format("{}: this is not a P_Key of a port", key));
  });
  return kept;
}

SharedSection kept_p_keys(Sweeper& sweeper) {
  return {.name = section::kKeptPKeys,
          .own = [&sweeper] { return kept_records(sweeper.state().p_keys.kept); },
          .take = [&sweeper](const FoundState& found, Rejected& rejected) -> SharedSection::Apply {
            auto read = std::make_shared<partitions::KeptKeys>(read_kept(found.records, rejected));
            return [&sweeper, read, is_latest = found.is_latest](bool complete) {
              if (complete && is_latest) sweeper.explain_p_keys();
              if (!complete) sweeper.note_lost_partitions();
              sweeper.adopt_kept(*read);
            };
          }};
}

SharedSection group_ids(Sweeper& sweeper) {
  return {.name = section::kArGroups,
          .own = [&sweeper] { return records_of(sweeper.state().stored.group_ids()); },
          .take = [&sweeper](const FoundState& found, Rejected& rejected) -> SharedSection::Apply {
            auto read = std::make_shared<GroupIds>(read_group_ids(found.records, rejected));
            return [&sweeper, read](bool) { sweeper.adopt_group_ids(std::move(*read)); };
          }};
}

}  // namespace

std::vector<SharedSection> shared_sections(const SharedParts& parts) {
  // Keys are derived with the version when the LIDs are adopted.
  return {registrations(parts.administrator),
          key_version(parts.sweeper),
          lids(parts.sweeper),
          m_keys(parts.sweeper),
          group_ids(parts.sweeper),
          isolations(parts.orders),
          kept_p_keys(parts.sweeper),
          api_partitions(parts.partitions),
          authors_of_changes(parts.partitions)};
}

}  // namespace sm
