#include "sm/ctl/comparison.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "mad/format.h"
#include "routing/graph/hops.h"
#include "routing/trees/tree_targets.h"
#include "routing/verify/credit_loops.h"
#include "sm/ctl/fabric_file.h"
#include "sm/ctl/lists_text.h"
#include "sm/ctl/topology/draw.h"

namespace sm::ctl {
namespace {

// Colours from no load to the highest: pale, yellow, orange, red, dark red.
struct Colour {
  double red, green, blue;
};
constexpr std::array<Colour, 5> kScale{
    {{214, 222, 233}, {245, 213, 105}, {240, 140, 60}, {214, 48, 49}, {110, 10, 30}}};

std::string colour_of(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (kScale.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kScale.size() - 2);
  const double part = place - static_cast<double>(below);
  const auto mix = [&](double Colour::* channel) {
    return static_cast<int>(kScale[below].*channel +
                            part * (kScale[below + 1].*channel - kScale[below].*channel));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(&Colour::red), mix(&Colour::green),
                     mix(&Colour::blue));
}

/// Holds the load of the cables between two nodes: `there` is from the node with the lower index to
/// the other.
struct Carried {
  std::uint64_t there = 0, back = 0;  // of the busiest cable each
  std::uint64_t busier() const { return std::max(there, back); }
};

topology::Paint paint_of(const Fabric& fabric, const SwitchGraph& graph,
                         const routing::LinkLoads& loads, std::string_view title) {
  auto carried = std::make_shared<std::map<std::pair<std::size_t, std::size_t>, Carried>>();
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const ChannelIndex channel : graph.channels(sw)) {
      const std::size_t from = fabric.switches[sw].node,
                        to = fabric.switches[graph.neighbour[channel]].node;
      Carried& between = (*carried)[std::minmax(from, to)];
      std::uint64_t& direction = from < to ? between.there : between.back;
      direction = std::max(direction, loads.per_channel[channel]);
    }
  }
  topology::Paint paint;
  paint.title = title;
  const auto worst = static_cast<double>(std::max<std::uint64_t>(loads.worst, 1));
  paint.cable = [carried, worst, &fabric](std::size_t a, std::size_t b) -> topology::Paint::Cable {
    const auto found = carried->find({a, b});
    if (found == carried->end()) return {};
    const Carried& load = found->second;
    const double share = static_cast<double>(load.busier()) / worst;
    return {
        colour_of(share), 1.0 + 3.0 * share,
        fmt::format("{} paths to {}, {} paths to {}", load.there, fabric.description(NodeIndex(b)),
                    load.back, fabric.description(NodeIndex(a)))};
  };
  paint.legend = {{colour_of(0), "no path"},
                  {colour_of(loads.mean / worst), fmt::format("mean: {:.0f} paths", loads.mean)},
                  {colour_of(1), fmt::format("highest: {} paths", loads.worst)}};
  return paint;
}

std::string limit_text(const routing::RoutingInput& input, const routing::Cut& cut) {
  if (cut.first == fabric::kNoIndex) return {};
  const std::string name = input.fabric.name(input.fabric.switches[cut.first].node);
  return fmt::format(
      "{}: {} on {}",
      cut.switches == 1 ? name : fmt::format("the {} switches around {}", cut.switches, name),
      counted(cut.hosts, "host"), counted(cut.links, "link"));
}

}  // namespace

void draw_svg(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title) {
  topology::write_svg(make_topology(fabric), out, topology::Layout::automatic,
                      paint_of(fabric, graph, loads, title));
}

void draw_dot(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title) {
  topology::write_dot(make_topology(fabric), out, paint_of(fabric, graph, loads, title));
}

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
  const std::vector<routing::OrderedHost> along = routing::hosts_along_tree(input);
  const std::size_t step = std::max<std::size_t>(1, along.size() / effort.shifts);
  quality.along_tree = routing::shift_load(graph, result.lfts, along, step);
  quality.by_name = routing::shift_load(graph, result.lfts,
                                        routing::hosts_by_name(input.fabric, graph, lids), step);
  quality.by_lid = routing::shift_load(graph, lids, result.lfts, step);
  quality.bound_along_tree = routing::cut_bound(graph, routing::hops_to_leaf(graph), along, step);
  quality.limit = limit_text(input, quality.bound_along_tree.cut);
  const auto rails = routing::rails(input.fabric, along);
  quality.rails = rails.size();
  quality.by_rail = routing::shift_load(
      graph, result.lfts, rails,
      std::max<std::size_t>(1, rails.empty() ? 1 : rails.front().size() / effort.shifts));
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
    QualityColumn{"shifts along tree",
                  [](const Quality& q) {
                    return fmt::format("{:.2f}/{}", q.along_tree.mean, q.along_tree.worst);
                  }},
    QualityColumn{"bound",
                  [](const Quality& q) { return fmt::format("{:.2f}", q.bound_along_tree.mean); }},
    QualityColumn{
        "per pair",
        [](const Quality& q) { return fmt::format("{:.2f}", q.along_tree.mean_per_pair); }},
    QualityColumn{"by rail",
                  [](const Quality& q) {
                    return q.rails < 2 ? std::string("-")
                                       : fmt::format("{:.2f}/{}", q.by_rail.mean, q.by_rail.worst);
                  }},
    QualityColumn{
        "by name",
        [](const Quality& q) { return fmt::format("{:.2f}/{}", q.by_name.mean, q.by_name.worst); }},
    QualityColumn{
        "by LID",
        [](const Quality& q) { return fmt::format("{:.2f}/{}", q.by_lid.mean, q.by_lid.worst); }},
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
  const auto measured = std::ranges::find_if(
      rows, [](const EngineResult& row) { return row.quality && !row.quality->limit.empty(); });
  if (measured != rows.end())
    out += fmt::format("what bounds shifts along the tree: {}\n", measured->quality->limit);
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
    const auto shifts = [](const routing::ShiftLoad& load) {
      return nlohmann::json{
          {"mean", load.mean}, {"worst", load.worst}, {"mean_per_pair", load.mean_per_pair}};
    };
    entry["shifts"] = shifts(q.by_lid);
    entry["shifts_along_tree"] = shifts(q.along_tree);
    entry["shifts_along_tree"]["bound"] = q.bound_along_tree.mean;
    entry["shifts_along_tree"]["limit"] = q.limit;
    entry["shifts_by_name"] = shifts(q.by_name);
    entry["shifts_by_rail"] = shifts(q.by_rail);
    entry["shifts_by_rail"]["rails"] = q.rails;
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
