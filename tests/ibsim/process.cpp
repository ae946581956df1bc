#include "ibsim/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <system_error>
#include <thread>

#include "support/scratch.h"

namespace harness {

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// The environment of the test and that of the command; of two variables with one name the later one
// counts.
std::vector<std::string> merged_environment(const Command& command) {
  std::map<std::string, std::string> values;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string word = *entry;
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) values[word.substr(0, equals)] = word.substr(equals + 1);
  }
  for (const auto& [name, value] : command.env) values[name] = value;
  std::vector<std::string> words;
  for (const auto& [name, value] : values) words.push_back(name + "=" + value);
  return words;
}

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void become(const Command& command, char* const* argv, char* const* envp,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);        // the harness itself may ignore it
  if (getppid() != parent) _exit(126);  // the parent died before the line above
  if (!command.cwd.empty() && chdir(command.cwd.c_str()) != 0) _exit(126);
  const int in = command.in_fd >= 0 ? command.in_fd : open("/dev/null", O_RDONLY);
  const int out = command.out_fd >= 0
                      ? command.out_fd
                      : open(command.out.empty() ? "/dev/null" : command.out.c_str(),
                             O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int err = open(command.err.empty() ? "/dev/null" : command.err.c_str(),
                       O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
    _exit(126);
  close_range(3, ~0u, 0);
  execvpe(argv[0], argv, envp);
  _exit(127);
}

}  // namespace

Process::Process(const Command& command) : start_(std::chrono::steady_clock::now()) {
  std::vector<std::string> words = command.argv;
  std::vector<std::string> environment = merged_environment(command);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(environment);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) become(command, argv.data(), envp.data(), parent);
  pidfd_ = static_cast<int>(
      syscall(SYS_pidfd_open, pid_, 0));  // glibc 2.36 declares pidfd_open() without C linkage
  if (pidfd_ < 0) fail("pidfd_open");
}

Process::~Process() {
  kill();
  close(pidfd_);
}

void Process::signal(int number) const {
  if (!exit_) ::kill(pid_, number);
}

void Process::stop() const {
  signal(SIGSTOP);
  siginfo_t stopped{};
  if (!exit_) waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT);
}

std::optional<Exit> Process::wait(Milliseconds timeout) {
  if (exit_) return exit_;
  pollfd ended{pidfd_, POLLIN, 0};
  if (poll(&ended, 1, static_cast<int>(timeout.count())) <= 0) return std::nullopt;
  int status = 0;
  rusage usage{};
  if (wait4(pid_, &status, 0, &usage) != pid_) fail("wait4");
  Exit result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  result.user_s = seconds(usage.ru_utime);
  result.sys_s = seconds(usage.ru_stime);
  result.rss_peak_kib = usage.ru_maxrss;
  exit_ = result;
  return exit_;
}

Exit Process::kill() {
  signal(SIGKILL);
  return wait(Milliseconds(-1)).value_or(Exit{});
}

BusyCores::BusyCores() {
  for (unsigned core = 0; core < std::thread::hardware_concurrency(); ++core)
    programs_.emplace_back(Command{.argv = {"sh", "-c", "while :; do :; done"},
                                   .env = {},
                                   .cwd = "/",
                                   .out = "/dev/null",
                                   .err = "/dev/null"});
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  std::string text(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) fail(path.c_str());
}

ScratchDir::ScratchDir() {
  std::string name = (support::parent_of_scratch() / "heddle-ibsim-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("mkdtemp");
  path_ = name;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  if (!keep_) std::filesystem::remove_all(path_, ignored);
}

void short_pause() { std::this_thread::sleep_for(Milliseconds(2)); }

}  // namespace harness
