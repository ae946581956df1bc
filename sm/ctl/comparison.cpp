#include "sm/ctl/comparison.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "routing/verify/credit_loops.h"

namespace sm::ctl {

Quality measure(const routing::RoutingInput& input, const routing::RoutingResult& result,
                const fabric::ForwardingTables* before, const Effort& effort, std::uint64_t seed) {
  const fabric::SwitchGraph& graph = input.graph;
  const fabric::LidMap& lids = input.lids;
  Quality quality;
  quality.vls = result.vls;
  quality.loops =
      routing::find_credit_loops(graph, lids, result.lfts, {result.sls, result.sl_to_vl},
                                 routing::Traffic::between_hosts)
          .loop_count;
  quality.lengths = routing::path_lengths(graph, lids, result.lfts);
  quality.loads = routing::all_to_all(graph, lids, result.lfts);
  const auto hosts = static_cast<std::size_t>(std::ranges::count_if(
      graph.end_ports, [](const auto& end) { return end.out != mad::PortNum{0}; }));
  quality.shifts = routing::shift_load(graph, lids, result.lfts,
                                       std::max<std::size_t>(1, hosts / effort.shifts));
  quality.permutations =
      routing::random_permutations(graph, lids, result.lfts, effort.permutations, seed);
  quality.bisection =
      routing::effective_bisection(graph, lids, result.lfts, effort.bisections, seed);
  if (before != nullptr && before->switches() == result.lfts.switches())
    quality.changes = routing::table_changes(graph, lids, *before, result.lfts);
  return quality;
}

namespace {

struct Column {
  std::string_view head;
  std::function<std::string(const EngineResult&)> cell;
};

/// Describes a column whose cells follow from the quality of tables.
struct QualityColumn {
  std::string_view head;
  std::string (*cell)(const Quality& quality);
};

constexpr std::array kQualityColumns{
    QualityColumn{"VLs", [](const Quality& q) { return fmt::to_string(q.vls); }},
    QualityColumn{"credit loops", [](const Quality& q) { return fmt::to_string(q.loops); }},
    QualityColumn{"lost pairs", [](const Quality& q) { return fmt::to_string(q.lengths.lost); }},
    QualityColumn{"cables mean/max",
                  [](const Quality& q) {
                    return fmt::format("{:.2f}/{}", q.lengths.mean, q.lengths.longest());
                  }},
    QualityColumn{"all-to-all max/mean",
                  [](const Quality& q) {
                    return q.loads.mean > 0
                               ? fmt::format("{:.2f}",
                                             static_cast<double>(q.loads.worst) / q.loads.mean)
                               : std::string("-");
                  }},
    QualityColumn{
        "shifts mean/worst",
        [](const Quality& q) { return fmt::format("{:.1f}/{}", q.shifts.mean, q.shifts.worst); }},
    QualityColumn{"random mean/p99",
                  [](const Quality& q) {
                    return fmt::format("{:.1f}/{}", q.permutations.mean, q.permutations.p99);
                  }},
    QualityColumn{"bisection", [](const Quality& q) { return fmt::format("{:.3f}", q.bisection); }},
    QualityColumn{"unused links", [](const Quality& q) { return fmt::to_string(q.loads.unused); }},
};

constexpr std::array kChangeColumns{
    QualityColumn{"blocks changed",
                  [](const Quality& q) {
                    return q.changes ? fmt::to_string(q.changes->blocks) : std::string("-");
                  }},
    QualityColumn{"paths changed",
                  [](const Quality& q) {
                    return q.changes ? fmt::to_string(q.changes->paths) : std::string("-");
                  }},
};

std::vector<Column> columns(bool with_changes) {
  std::vector<Column> all{{"engine", [](const EngineResult& row) { return row.engine; }},
                          {"ms", [](const EngineResult& row) {
                             return row.quality ? fmt::format("{:.0f}", row.wall_ms)
                                                : std::string("-");
                           }}};
  const auto add = [&](std::span<const QualityColumn> some) {
    for (const QualityColumn& column : some)
      all.push_back({column.head, [cell = column.cell](const EngineResult& row) {
                       return row.quality ? cell(*row.quality) : std::string("-");
                     }});
  };
  add(kQualityColumns);
  if (with_changes) add(kChangeColumns);
  return all;
}

}  // namespace

std::string table(const std::vector<EngineResult>& rows) {
  const bool with_changes = std::ranges::any_of(
      rows, [](const EngineResult& row) { return row.quality && row.quality->changes; });
  std::vector<std::string> lines(rows.size() + 1);
  for (const Column& column : columns(with_changes)) {
    std::vector<std::string> cells{std::string(column.head)};
    for (const EngineResult& row : rows) cells.push_back(column.cell(row));
    const std::size_t width = std::ranges::max(cells, {}, &std::string::size).size();
    const bool first = lines[0].empty();
    for (std::size_t i = 0; i < cells.size(); ++i)
      lines[i] +=
          first ? fmt::format("{:<{}}", cells[i], width) : fmt::format("  {:>{}}", cells[i], width);
  }
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  for (const EngineResult& row : rows) {
    if (!row.refusal.empty()) out += fmt::format("{}\n", row.refusal);
    for (const std::string& note : row.notes)
      out += note.starts_with(row.engine) ? note + '\n' : fmt::format("{}: {}\n", row.engine, note);
  }
  return out;
}

nlohmann::json json(const std::vector<EngineResult>& rows) {
  nlohmann::json out = nlohmann::json::array();
  for (const EngineResult& row : rows) {
    nlohmann::json entry{{"engine", row.engine}, {"notes", row.notes}};
    if (!row.quality) {
      entry["refusal"] = row.refusal;
      out.push_back(std::move(entry));
      continue;
    }
    const Quality& q = *row.quality;
    entry["wall_ms"] = row.wall_ms;
    entry["vls"] = q.vls;
    entry["credit_loops"] = q.loops;
    entry["cables"] = {
        {"pairs", q.lengths.pairs}, {"mean", q.lengths.mean}, {"lost_pairs", q.lengths.lost}};
    entry["all_to_all"] = {{"max", q.loads.worst},
                           {"p99", q.loads.p99},
                           {"mean", q.loads.mean},
                           {"variation", q.loads.variation},
                           {"unused", q.loads.unused}};
    entry["shifts"] = {{"mean", q.shifts.mean}, {"worst", q.shifts.worst}};
    entry["random_permutations"] = {{"mean", q.permutations.mean},
                                    {"p99", q.permutations.p99},
                                    {"worst", q.permutations.worst}};
    entry["effective_bisection"] = q.bisection;
    if (q.changes)
      entry["changes"] = {{"entries", q.changes->entries},
                          {"blocks", q.changes->blocks},
                          {"paths", q.changes->paths}};
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace sm::ctl
