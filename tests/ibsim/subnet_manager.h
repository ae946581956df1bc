#pragma once
// A subnet manager under test: Heddle, or OpenSM as the yardstick that shows that the judges
// themselves are right.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ibsim/fabric.h"

namespace harness {

enum class SmKind { heddle, opensm };
std::string name_of(SmKind kind);
/// Path of the program; empty if this build has no Heddle.
std::string program_of(SmKind kind);
/// Heddle if this build has it, then OpenSM.
std::vector<SmKind> available_sms();

struct SmOptions {
  SmKind kind = SmKind::heddle;
  std::string host{};               // node where it runs; empty: first of the topology
  bool once = false;                // -o
  std::string conf{};               // lines of opensm.conf
  std::vector<std::string> args{};  // further flags
  std::filesystem::path
      home{};  // directory of a former SM whose cache this one continues; empty: a new one
  std::vector<std::pair<std::string, std::string>> env{};
};

/// Starts in its constructor, is killed in its destructor. Its home holds opensm.conf, opensm.log,
/// cache/, dumps/, stdout and stderr.
class SubnetManager {
 public:
  SubnetManager(IbsimFabric& fabric, const SmOptions& options);
  ~SubnetManager();
  SubnetManager(const SubnetManager&) = delete;
  SubnetManager& operator=(const SubnetManager&) = delete;

  /// Whole log of this start so far.
  std::string log() const;
  std::size_t log_end() const { return log().size(); }
  /// Waits until `text` is logged at or behind offset `from` of log(); gives up after `timeout` or
  /// when the SM ended. Returns the offset behind it.
  std::optional<std::size_t> wait_log(const std::string& text, std::size_t from = 0,
                                      Milliseconds timeout = Milliseconds(20'000));
  bool wait_subnet_up(Milliseconds timeout = Milliseconds(30'000)) {
    return wait_log("SUBNET UP", 0, timeout).has_value();
  }

  bool running() { return process_->running(); }
  pid_t pid() const { return process_->pid(); }
  void signal(int number) const { process_->signal(number); }
  std::optional<Exit> wait_exit(Milliseconds timeout = Milliseconds(60'000)) {
    return process_->wait(timeout);
  }
  /// Dies without a word, as in a power cut.
  void kill();

  const std::filesystem::path& home() const { return home_; }
  std::string out() const { return read_file(home_ / "stdout"); }
  std::string err() const { return read_file(home_ / "stderr"); }
  /// Command line, log, stdout and stderr, each cut to its last part: for the message of a failed
  /// test.
  std::string tail() const;

 private:
  IbsimFabric& fabric_;
  std::filesystem::path home_;
  std::size_t log_start_ = 0;
  std::vector<std::string> argv_;
  std::unique_ptr<Process> process_;
};

}  // namespace harness
