#pragma once
// One ibsim on one topology, and the programs that run on it.
//
// By hand:
//   build/dev/bin/heddle-topo fat-tree --hosts 324 > fabric.net
//   IBSIM_SOCKNAME=mine ibsim -s -N 400 -S 30 -P 2000 fabric.net            (type ? for help)
//   export IBSIM_SOCKNAME=mine LD_PRELOAD=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so
//   (another terminal) SIM_HOST=H0 heddle -o ...; ibnetdiscover; iblinkinfo; dump_fts

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ibsim/cabling.h"
#include "ibsim/process.h"
#include "sm/ctl/topology/topology.h"

namespace harness {

/// The preload library that redirects a program's umad calls to ibsim. Empty if Debian's
/// ibsim-utils is not installed.
std::filesystem::path umad2sim_library();

struct RunOptions {
  std::string host{};            // node of the program; empty: first of the topology
  Milliseconds timeout{30'000};  // killed then
  std::vector<std::pair<std::string, std::string>> env{};
};

struct Finished {
  Exit exit;
  bool timed_out = false;
  std::string out, err;
  bool ok() const { return exit.code == 0 && !timed_out; }
};

class IbsimFabric {
 public:
  /// `program`: ibsim, or another that takes its command line, console and protocol (heddle-sim).
  explicit IbsimFabric(const std::string& net_text, const std::string& program = "ibsim");
  explicit IbsimFabric(const topology::Topology& topology, const std::string& program = "ibsim");
  ~IbsimFabric();
  IbsimFabric(const IbsimFabric&) = delete;
  IbsimFabric& operator=(const IbsimFabric&) = delete;

  /// Runs one line on ibsim's console; returns its output.
  std::string console(const std::string& line);

  void unlink(const std::string& node, unsigned port);
  void relink(const std::string& node, unsigned port);
  /// All links of a node.
  void unlink(const std::string& node);
  void relink(const std::string& node);
  /// Every node drops this share of the packets to it. ibsim reports the timeout of such a packet
  /// to its sender at once.
  void set_drop_percent(unsigned percent);

  /// Runs a program in a scratch directory of its own until it ends.
  Finished run(const std::vector<std::string>& argv, const RunOptions& options = {});
  /// The command for it, for callers that start it themselves. A caller that kills the program must
  /// call detach() with its pid: ibsim has ten client numbers and keeps that of a killed client.
  Command command(const std::vector<std::string>& argv, const RunOptions& options,
                  const std::filesystem::path& dir) const;
  void detach(pid_t pid);

  /// The topology file without the links that were unlinked.
  Cabling cabling() const;
  std::string first_host() const { return plan_.first_id; }
  /// Base of the socket names.
  const std::string& socket_name() const { return socket_name_; }
  /// The simulator's stderr.
  std::string simulator_log() const { return read_file(dir() / "ibsim.err"); }
  Process& simulator() { return *process_; }
  /// New directory below the fabric's own.
  std::filesystem::path new_dir(const std::string& name);
  const std::filesystem::path& dir() const { return scratch_.path(); }
  /// Keeps all files; for a failed test.
  void keep_files() { scratch_.keep(); }

 private:
  void write_console(const std::string& text);
  std::string read_until_prompt(Milliseconds timeout);

  ScratchDir scratch_;
  std::string net_text_, socket_name_;
  Cabling plan_;
  std::set<Cable> unlinked_;
  int console_in_ = -1, console_out_ = -1;
  unsigned dirs_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace harness
