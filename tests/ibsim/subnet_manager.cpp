#include "ibsim/subnet_manager.h"
#include "mad/format.h"

#include <signal.h>

#include <cstdlib>

#include <fmt/ranges.h>

namespace harness {

std::string find_name(SmKind kind) { return kind == SmKind::heddle ? "Heddle" : "OpenSM"; }

std::string program_of(SmKind kind) {
  if (kind == SmKind::opensm) return "/usr/sbin/opensm";
  // Benchmarks compare an older build: HEDDLE_PROGRAM=old/heddle bench_adverse ...
  const char* const other = std::getenv("HEDDLE_PROGRAM");
  return other != nullptr ? other : HEDDLE_PROGRAM;
}

std::vector<SmKind> available_sms() { return {SmKind::heddle, SmKind::opensm}; }

SubnetManager::SubnetManager(IbsimFabric& fabric, const SmOptions& options) : fabric_(fabric) {
  home_ = options.home.empty()
              ? fabric.new_dir(options.kind == SmKind::heddle ? "heddle" : "opensm")
              : options.home;
  std::filesystem::create_directories(home_ / "cache");
  std::filesystem::create_directories(home_ / "dumps");
  // OpenSM buffers its log lines without this option.
  write_file(home_ / "opensm.conf",
             (options.kind == SmKind::opensm ? "force_log_flush TRUE\n" : "") + options.conf);
  write_file(home_ / "stdout", "");
  write_file(home_ / "stderr", "");
  log_start_ = read_file(home_ / "opensm.log").size();
  const std::string home = home_.string();
  argv_ = {
      program_of(options.kind), "-F",           home + "/opensm.conf", "-f", home + "/opensm.log",
      "--dump_files_dir",       home + "/dumps"};
  if (options.once) argv_.emplace_back("-o");
  argv_.insert(argv_.end(), options.args.begin(), options.args.end());
  RunOptions run;
  run.host = options.host;
  run.env = {{"OSM_CACHE_DIR", home + "/cache"}, {"OSM_TMP_DIR", home + "/dumps"}};
  run.env.insert(run.env.end(), options.env.begin(), options.env.end());
  process_ = std::make_unique<Process>(fabric.command(argv_, run, home_));
}

SubnetManager::~SubnetManager() {
  if (!process_->running()) return;
  signal(SIGTERM);
  if (!process_->wait(Milliseconds(2'000))) kill();
}

void SubnetManager::kill() {
  process_->kill();
  fabric_.detach(process_->pid());
}

std::string SubnetManager::log() const {
  std::string text = read_file(home_ / "opensm.log");
  return text.size() < log_start_ ? text : text.substr(log_start_);
}

std::optional<std::size_t> SubnetManager::wait_log(const std::string& text, std::size_t from,
                                                   Milliseconds timeout) {
  const std::optional<std::size_t> end =
      wait_for_text(home_ / "opensm.log", text, log_start_ + from, timeout,
                    [this] { return !process_->running(); });
  if (!end) return std::nullopt;
  return *end - log_start_;
}

std::string SubnetManager::tail() const {
  const auto last = [](const std::string& text) {
    return text.size() > 6000 ? "...\n" + text.substr(text.size() - 6000) : text;
  };
  return fmt::format("{}\n--- log\n{}\n--- stdout\n{}\n--- stderr\n{}", fmt::join(argv_, " "),
                     last(log()), last(out()), last(err()));
}

}  // namespace harness
