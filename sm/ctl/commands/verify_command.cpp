// heddlectl verify verifies all paths that an engine allows, and shows the effect of link losses on
// them.

#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "routing/adaptive/losses.h"
#include "routing/adaptive/verify_groups.h"
#include "routing/registry.h"
#include "sm/ctl/commands/commands.h"

namespace sm::commands {

namespace {

using nlohmann::ordered_json;

/// Holds one number of links lost at once, and how switches choose ports then.
struct LossesTried {
  routing::LossSettings settings;
  routing::LossReport report;
};

struct Proof {
  std::string engine;
  bool has_groups = false;
  routing::GroupReport groups;
  std::optional<unsigned> bound;  // of the longest path; nothing: the fabric is not a tree
  std::vector<LossesTried> losses;

  bool is_within_bound() const { return !bound || groups.longest <= *bound; }
  bool holds() const { return groups.ok() && is_within_bound(); }
};

const char* with_s(std::uint64_t count) { return count == 1 ? "" : "s"; }

Proof prove(const Scene& scene, const routing::RoutingResult& routed,
            const VerifyOptions& options) {
  Proof proof{
      .engine = routed.engine,
      .has_groups = routed.adaptive != nullptr,
      .groups = routing::verify_groups(scene.fabric, scene.graph, scene.lids, routed.lfts,
                                       routed.adaptive.get(), {routed.sls, routed.sl_to_vl}),
      .bound = routing::path_bound(scene.fabric, scene.graph, routed.roots),
      .losses = {}};
  for (unsigned links = 1; links <= options.losses; ++links)
    for (const auto choice : {routing::LocalChoice::any_member, routing::LocalChoice::recovery}) {
      if (!proof.has_groups && choice == routing::LocalChoice::recovery) continue;
      LossesTried tried;
      tried.settings.links = links;
      tried.settings.samples = options.samples;
      tried.settings.seed = scene.routing.seed;
      tried.settings.choice = choice;
      tried.report = routing::lose_links(scene.graph, scene.lids, routed.lfts,
                                         routed.adaptive.get(), tried.settings);
      proof.losses.push_back(std::move(tried));
    }
  return proof;
}

std::string name_of(const Scene& scene, SwitchIndex sw) {
  return scene.fabric.name(scene.fabric.switches[sw].node);
}

std::string link_text(const Scene& scene, ChannelIndex channel) {
  const SwitchGraph& graph = scene.graph;
  const ChannelIndex reverse = graph.reverse[channel];
  return fmt::format("{} port {} - {} port {}", name_of(scene, graph.neighbour[reverse]),
                     graph.port[channel], name_of(scene, graph.neighbour[channel]),
                     graph.port[reverse]);
}

const char* choice_text(const Proof& proof, routing::LocalChoice choice) {
  if (!proof.has_groups) return "by the tables";
  return choice == routing::LocalChoice::any_member ? "adaptive" : "fast recovery alone";
}

std::string losses_text(const Scene& scene, const Proof& proof, const LossesTried& tried) {
  const routing::LossReport& report = tried.report;
  const unsigned links = tried.settings.links;
  std::string out = fmt::format(
      "{} link{} lost, {}: {} of {} pairs keep all paths without the manager, {} depend on choices "
      "further away, {} lose packets to some or all hosts ({} {}, {} without effect)\n",
      links, with_s(links), choice_text(proof, tried.settings.choice), report.kept, report.tried,
      report.at_risk, report.cut, report.losses, links == 1 ? "losses, each link once" : "samples",
      report.losses_without_effect);
  if (report.examples.empty()) return out;
  const auto& example = report.examples.front();
  std::vector<std::string> lost;
  lost.reserve(example.links.size());
  for (const ChannelIndex channel : example.links) lost.push_back(link_text(scene, channel));
  out += fmt::format("  such as {} to {}, {} without {}\n", name_of(scene, example.pair.from),
                     name_of(scene, example.pair.to), example.is_cut ? "cut off" : "at risk",
                     fmt::join(lost, ", "));
  return out;
}

void print_text(const Scene& scene, const Proof& proof) {
  const routing::GroupReport& report = proof.groups;
  std::cout << fmt::format("{} routes it: ", proof.engine);
  if (proof.has_groups)
    std::cout << fmt::format("{} group{} on {} switch{}\n", report.groups, with_s(report.groups),
                             report.switches, report.switches == 1 ? "" : "es");
  else
    std::cout << "no groups, by forwarding tables alone\n";
  const std::uint64_t dependencies = report.credit_loops.dependencies;
  std::cout << fmt::format("{} among {} dependenc{} on {} VL{}\n",
                           report.credit_loops.ok() ? "no cycle" : "a cycle is possible",
                           dependencies, dependencies == 1 ? "y" : "ies", report.vls,
                           with_s(report.vls));
  std::cout << fmt::format("longest adversarial path: {} hop{}{}\n", report.longest,
                           with_s(report.longest),
                           proof.bound ? fmt::format(" (bound {})", *proof.bound) : "");
  if (!report.ok()) std::cout << text(report, scene.fabric, scene.graph) << '\n';
  for (const LossesTried& tried : proof.losses) std::cout << losses_text(scene, proof, tried);
}

ordered_json losses_json(const Scene& scene, const LossesTried& tried) {
  const routing::LossReport& report = tried.report;
  ordered_json out{
      {"links", tried.settings.links},
      {"choice",
       tried.settings.choice == routing::LocalChoice::any_member ? "any_member" : "fast_recovery"},
      {"losses", report.losses},
      {"losses_without_effect", report.losses_without_effect},
      {"pairs", report.pairs},
      {"tried", report.tried},
      {"kept", report.kept},
      {"at_risk", report.at_risk},
      {"cut", report.cut}};
  ordered_json& examples = out["examples"] = ordered_json::array();
  for (const auto& example : report.examples) {
    ordered_json links = ordered_json::array();
    for (const ChannelIndex channel : example.links) links.push_back(link_text(scene, channel));
    examples.push_back({{"links", std::move(links)},
                        {"from", name_of(scene, example.pair.from)},
                        {"to", name_of(scene, example.pair.to)},
                        {"is_cut", example.is_cut}});
  }
  return out;
}

void print_json(const Scene& scene, const Proof& proof) {
  const routing::GroupReport& report = proof.groups;
  ordered_json out{{"engine", proof.engine},
                   {"holds", proof.holds()},
                   {"groups", report.groups},
                   {"switches_with_groups", report.switches},
                   {"vls", report.vls},
                   {"dependencies", report.credit_loops.dependencies},
                   {"cycles", report.credit_loops.loop_count},
                   {"pairs_lost", report.lost},
                   {"entries_outside_groups", report.outside},
                   {"longest_path_hops", report.longest},
                   {"bound_hops", nullptr},
                   {"problem", nullptr}};
  if (proof.bound) out["bound_hops"] = *proof.bound;
  if (!report.ok()) out["problem"] = text(report, scene.fabric, scene.graph);
  ordered_json& losses = out["losses"] = ordered_json::array();
  for (const LossesTried& tried : proof.losses) losses.push_back(losses_json(scene, tried));
  std::cout << out.dump(2) << '\n';
}

}  // namespace

int verify(const VerifyOptions& options) {
  const auto scene = make_scene(options.scene, options.engines);
  if (!scene) return kFailed;
  const bool adopts = scene->tables != nullptr;
  const auto routed =
      routing::route_with_chain(find_engines(options.engines, scene->options), true,
                                {scene->fabric, scene->graph, scene->lids, scene->routing,
                                 scene->tables.get(), nullptr, adopts});
  if (!routed)
    return complain(fmt::format("no engine routes this fabric: {}", routed.error().why)), kFailed;
  const Proof proof = prove(*scene, routed->routing, options);
  if (options.json) {
    print_json(*scene, proof);
  } else {
    std::cout << summary(scene->graph, scene->lids) << '\n';
    for (const std::string& refusal : routed->refusals) std::cout << refusal << '\n';
    for (const Condition& note : routed->routing.conditions)
      std::cout << routed->routing.engine << ": " << note.text << '\n';
    print_text(*scene, proof);
  }
  return proof.holds() ? kOk : kFailed;
}

}  // namespace sm::commands
