#include "sm/ctl/comparison.h"

#include <algorithm>
#include <functional>

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

std::string of_quality(const EngineResult& row,
                       const std::function<std::string(const Quality&)>& cell) {
  return row.quality ? cell(*row.quality) : std::string("-");
}

std::vector<Column> columns(bool with_changes) {
  std::vector<Column> all{
      {"engine", [](const EngineResult& row) { return row.engine; }},
      {"ms",
       [](const EngineResult& row) {
         return row.quality ? fmt::format("{:.0f}", row.wall_ms) : std::string("-");
       }},
      {"VLs",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) { return fmt::to_string(q.vls); });
       }},
      {"credit loops",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) { return fmt::to_string(q.loops); });
       }},
      {"lost pairs",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) { return fmt::to_string(q.lengths.lost); });
       }},
      {"cables mean/max",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) {
           return fmt::format("{:.2f}/{}", q.lengths.mean, q.lengths.longest());
         });
       }},
      {"all-to-all max/mean",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) {
           return q.loads.mean > 0
                      ? fmt::format("{:.2f}", static_cast<double>(q.loads.worst) / q.loads.mean)
                      : std::string("-");
         });
       }},
      {"shifts mean/worst",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) {
           return fmt::format("{:.1f}/{}", q.shifts.mean, q.shifts.worst);
         });
       }},
      {"random mean/p99",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) {
           return fmt::format("{:.1f}/{}", q.permutations.mean, q.permutations.p99);
         });
       }},
      {"bisection",
       [](const EngineResult& row) {
         return of_quality(row,
                           [](const Quality& q) { return fmt::format("{:.3f}", q.bisection); });
       }},
      {"unused links",
       [](const EngineResult& row) {
         return of_quality(row, [](const Quality& q) { return fmt::to_string(q.loads.unused); });
       }},
  };
  if (with_changes) {
    all.push_back({"blocks changed", [](const EngineResult& row) {
                     return of_quality(row, [](const Quality& q) {
                       return q.changes ? fmt::to_string(q.changes->blocks) : std::string("-");
                     });
                   }});
    all.push_back({"paths changed", [](const EngineResult& row) {
                     return of_quality(row, [](const Quality& q) {
                       return q.changes ? fmt::to_string(q.changes->paths) : std::string("-");
                     });
                   }});
  }
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
