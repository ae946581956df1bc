#pragma once
// A subnet manager under test: Heddle, or OpenSM as the reference, which verifies the checks
// themselves.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ibsim/fabric.h"

namespace harness {

enum class SmKind { heddle, opensm };
std::string find_name(SmKind kind);
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
      home{};  // directory of an earlier SM whose cache this one uses; empty: a new one
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

  /// The log since this start.
  std::string log() const;
  std::size_t log_end() const { return log().size(); }
  /// Waits until `text` is logged at or after offset `from` of log(), at most `timeout` and not
  /// after the SM's end. Returns the offset after it.
  std::optional<std::size_t> wait_log(const std::string& text, std::size_t from = 0,
                                      Milliseconds timeout = Milliseconds(20'000));
  bool wait_subnet_up(Milliseconds timeout = Milliseconds(30'000)) {
    return wait_log("SUBNET UP", 0, timeout).has_value();
  }

  bool running() { return process_->running(); }
  pid_t pid() const { return process_->pid(); }
  void signal(int number) const { process_->signal(number); }
  void stop() const { process_->stop(); }
  std::optional<Exit> wait_exit(Milliseconds timeout = Milliseconds(60'000)) {
    return process_->wait(timeout);
  }
  /// Kills it without notice, as in a power failure.
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
