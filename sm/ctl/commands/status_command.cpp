// heddlectl status shows the status of running daemons.

#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "sm/ctl/adaptive_text.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/lists_text.h"

namespace sm::commands {

namespace {

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

/// Returns "by alice (unix): cable 4711 is replaced", or "ordered" if neither is known.
std::string order_text(const Json& link) {
  const std::string by = link.value("ordered_by", ""), reason = link.value("order_reason", "");
  return (by.empty() ? std::string("ordered") : "by " + ctl::printable(by)) +
         (reason.empty() ? "" : ": " + ctl::printable(reason));
}

/// Returns the line of one link or switch that is kept out of use.
std::string isolated_line(const Json& link) {
  std::string line = ctl::printable(link.at("name").get<std::string>());
  if (const auto peer = link.at("peer").get<std::string>(); !peer.empty())
    line += " <-> " + ctl::printable(peer);
  const auto reason = link.at("reason").get<std::string>();
  const bool is_ordered = reason == "ordered";
  line += fmt::format("; {}, for {} s", is_ordered ? order_text(link) : reason,
                      link.at("for_s").get<std::int64_t>());
  if (!link.contains("release_in_s")) return line + "; until it is released";
  return line + fmt::format("; used again in {} s{}", link.at("release_in_s").get<std::int64_t>(),
                            is_ordered ? "" : " without faults");
}

void print_adaptive(const Json& summary) {
  const char* title = "routing";
  for (const std::string& line : ctl::adaptive_lines(summary))
    std::cout << fmt::format("  {:<13}{}\n", std::exchange(title, ""), line);
}

/// Returns "SUBNET UP (start) (3 sweeps, 1 light one)".
std::string sweeps_text(const Json& sweeps) {
  return fmt::format("{} ({}, {})", sweeps.at("last").get<std::string>(),
                     counted(sweeps.at("all"), "sweep", "sweeps"),
                     counted(sweeps.at("light"), "light one", "light ones"));
}

void print_status(const Json& status, bool colour) {
  std::cout << "port " << status.at("port_guid").get<std::string>() << ": "
            << status.at("state").get<std::string>() << ", priority " << status.at("priority")
            << "\n  last sweep   " << sweeps_text(status.at("sweeps")) << '\n';
  if (status.contains("fabric")) {
    const auto& fabric = status.at("fabric");
    std::cout << "  fabric       " << counted(fabric.at("nodes"), "node", "nodes") << ", "
              << counted(fabric.at("switches"), "switch", "switches") << ", "
              << counted(fabric.at("end_ports"), "end port", "end ports") << ", "
              << counted(fabric.at("active_ports"), "port", "ports") << " Active, highest LID "
              << fabric.at("lid_top") << '\n';
  }
  if (status.contains("adaptive_routing")) print_adaptive(status.at("adaptive_routing"));
  if (status.contains("standby")) {
    const auto& standby = status.at("standby");
    std::cout << "  standby      the fabric was read " << standby.at("age_s")
              << " s ago; taking over would write "
              << counted(standby.at("writes"), "attribute", "attributes") << '\n';
  }
  for (const auto& sm : status.at("managers"))
    std::cout << "  other SM     " << sm.at("name").get<std::string>() << ": "
              << sm.at("state").get<std::string>() << ", priority " << sm.at("priority")
              << (sm.at("counts").get<bool>() ? "" : ", treated as absent") << '\n';
  for (const auto& link : status.at("isolated"))
    std::cout << "  isolated     " << isolated_line(link) << '\n';
  for (const auto& condition : status.at("conditions"))
    if (!ctl::is_caused(condition)) std::cout << "  " << ctl::condition_line(condition, colour);
  if (const auto occurred = status.value("occurrences", std::uint64_t{0}); occurred > 0)
    std::cout << "  occurred     " << occurred
              << " within ten minutes, and not active: heddlectl conditions\n";
  const auto& smps = status.at("smps");
  std::cout << "  SMPs sent    " << smps.at("get").at("sent") << " Get, "
            << smps.at("set").at("sent") << " Set; "
            << smps.at("get").at("timed_out").get<std::uint64_t>() +
                   smps.at("set").at("timed_out").get<std::uint64_t>()
            << " without an answer; window " << smps.at("window") << '\n';
  if (status.contains("store")) {
    const auto& store = status.at("store");
    std::cout << "  state store  " << (store.at("reachable").get<bool>() ? "reachable" : "away")
              << ", " << store.at("records") << " records at revision " << store.at("revision")
              << "; " << store.at("pending") << " to be written, since " << store.at("behind_s")
              << " s";
    if (const auto error = store.at("last_error").get<std::string>(); !error.empty())
      std::cout << "; " << error;
    std::cout << '\n' << ctl::store_peers_text(store);
  }
  const auto& sa = status.at("sa");
  const auto& reports = sa.at("reports");
  const auto& inbox = status.at("inbox");
  std::uint64_t dropped = inbox.at("sa_dropped").get<std::uint64_t>();
  for (const auto& [reason, count] : sa.at("dropped").items())
    dropped += count.get<std::uint64_t>();
  std::cout << "  SA requests  " << sa.at("received") << " received, " << sa.at("refused")
            << " refused, " << dropped << " dropped (" << sa.at("busy")
            << " for want of room); reports " << reports.at("delivered") << " delivered, "
            << reports.at("given_up") << " not acknowledged, " << reports.at("dropped")
            << " dropped\n";
}

}  // namespace

namespace {

int status_once(const StatusOptions& options) {
  return with_each_api(
      options.managers, [&](const ManagerApi& api) -> tl::expected<void, std::string> {
        const auto status = api.status();
        if (!status) return tl::unexpected(status.error());
        if (options.json) {
          std::cout << status->dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
        } else {
          print_status(*status, uses_colour());
        }
        return {};
      });
}

}  // namespace

int status(const StatusOptions& options) {
  if (!options.watch) return status_once(options);
  constexpr std::chrono::seconds kPeriod{2};
  // The loop waits for a daemon that is temporarily absent.
  for (;;) {
    if (uses_colour()) std::cout << "\x1b[H\x1b[2J";
    status_once(options);
    std::cout << std::flush;
    if (!std::cout) return kOk;  // no reader is left
    std::this_thread::sleep_for(kPeriod);
  }
}

}  // namespace sm::commands
