#pragma once

#include <list>
#include <map>
#include <thread>

#include "ibsim/fixture.h"
#include "mad/format.h"

namespace harness {

/// A simulator, and programs on it under libheddle-umad.so.
class Preloaded {
 public:
  Preloaded(const std::string& net, const std::string& simulator) : fabric_(net, simulator) {}
  ~Preloaded() {
    for (Process& program : programs_) {
      program.signal(SIGTERM);
      program.wait(Milliseconds(10'000));
    }
    programs_.clear();
  }
  Preloaded(const Preloaded&) = delete;
  Preloaded& operator=(const Preloaded&) = delete;

  IbsimFabric& fabric() { return fabric_; }

  Finished run(std::vector<std::string> argv, const std::string& host = {},
               Milliseconds timeout = Milliseconds(60'000)) {
    return fabric_.run(preloaded(std::move(argv)), {.host = host, .timeout = timeout});
  }
  /// Its stdout; the test has failed if it did not succeed.
  std::string out(const std::vector<std::string>& argv, const std::string& host = {}) {
    const Finished finished = run(argv, host);
    EXPECT_TRUE(finished.ok()) << fmt::format("{}", fmt::join(argv, " ")) << ": " << finished.err;
    return finished.out;
  }
  Process& start(std::vector<std::string> argv, const std::string& host,
                 const std::filesystem::path& dir) {
    Command command = fabric_.command(preloaded(std::move(argv)), {.host = host}, dir);
    command.env.emplace_back("OSM_CACHE_DIR", dir.string());
    command.env.emplace_back("OSM_TMP_DIR", dir.string());
    return programs_.emplace_back(command);
  }
  struct Manager {
    Process& process;
    std::filesystem::path dir, log;
    bool says(const std::string& text, Milliseconds timeout = Milliseconds(60'000)) const {
      return wait_for_text(log, text, 0, timeout, [this] { return !process.running(); })
          .has_value();
    }
  };
  /// Waits until the manager has handled the traps of its own bring-up, too: no new log lines for
  /// some time. A later sweep may reach switches by other ports, and PortInfo's LocalPortNum, which
  /// osmtest's inventory holds, is the port by which the manager reached it.
  static void wait_quiet(const Manager& manager) {
    std::size_t before = 0;
    for (int look = 0; look < 10; ++look) {
      const std::size_t now = read_file(manager.log).size();
      if (now == before) return;
      before = now;
      std::this_thread::sleep_for(std::chrono::seconds(2));
    }
  }
  /// Either kind with the same configuration; `partitions` is the text of a partitions.conf,
  /// `cache` the cache directory of an earlier manager.
  Manager start_manager(SmKind kind, const std::string& host, const std::string& conf = {},
                        const std::vector<std::string>& flags = {},
                        const std::optional<std::string>& partitions = {},
                        const std::map<std::string, std::string>& cache = {}) {
    const std::filesystem::path dir = fabric_.new_dir(find_name(kind) + "-" + host);
    write_file(dir / "opensm.conf",
               (kind == SmKind::opensm ? "force_log_flush TRUE\n" : "") + conf);
    for (const auto& [name, text] : cache) write_file(dir / name, text);
    std::vector<std::string> argv{program_of(kind), "-F", "opensm.conf", "-f", "opensm.log"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    if (partitions) {
      write_file(dir / "partitions.conf", *partitions);
      argv.insert(argv.end(), {"-P", (dir / "partitions.conf").string()});
    }
    return {start(std::move(argv), host, dir), dir, dir / "opensm.log"};
  }
  Manager start_opensm(const std::string& host, const std::string& priority = "0") {
    return start_manager(SmKind::opensm, host,
                         "sminfo_polling_timeout 1000\npolling_retry_number 2\n", {"-p", priority});
  }
  Process& start_osmtest(const std::string& flow, const std::filesystem::path& dir) {
    return start({"osmtest", "-f", flow}, "H2-2", dir);
  }

 private:
  static std::vector<std::string> preloaded(std::vector<std::string> argv) {
    argv.insert(argv.begin(), HEDDLE_SIM_RUN_PROGRAM);
    return argv;
  }
  IbsimFabric fabric_;
  std::list<Process> programs_;
};

}  // namespace harness
