#include "sm/ctl/commands/started_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "mad/format.h"

namespace sm::commands {
namespace {

/// Reads both pipes until they are closed.
void read_both(const std::array<int, 2>& pipes, Ran& ran) {
  std::array<pollfd, 2> polled{pollfd{.fd = pipes[0], .events = POLLIN, .revents = 0},
                               pollfd{.fd = pipes[1], .events = POLLIN, .revents = 0}};
  const std::array<std::string*, 2> texts{&ran.out, &ran.err};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t n = ::read(polled[i].fd, buffer.data(), buffer.size());
      if (n > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        polled[i].fd = -1;
      }
    }
  }
}

std::string path_with_own_directory() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const char* const path = std::getenv("PATH");
  return own.string() + ":" + (path == nullptr ? "/usr/sbin:/usr/bin:/sbin:/bin" : path);
}

namespace fs = std::filesystem;

/// Runs in the child, and does only what is safe after fork() of a program with one thread.
[[noreturn]] void become(const StartedDaemon::Command& command) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!command.directory.empty() && chdir(command.directory.c_str()) != 0) std::_Exit(127);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
  std::vector<char*> argv;
  argv.reserve(command.argv.size() + 1);
  for (const std::string& argument : command.argv)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::_Exit(127);
}

}  // namespace

Ran run_program(const std::vector<std::string>& argv) {
  Ran ran;
  std::array<int, 2> out{}, err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0) return ran.err = std::strerror(errno), ran;
  if (pipe2(err.data(), O_CLOEXEC) != 0) {
    ran.err = std::strerror(errno);
    close(out[0]), close(out[1]);
    return ran;
  }
  const std::string path = path_with_own_directory();
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    setenv("PATH", path.c_str(), 1);
    execvp(words[0], words.data());
    std::_Exit(127);
  }
  close(out[1]), close(err[1]);
  if (pid > 0) {
    read_both({out[0], err[0]}, ran);
    int how = 0;
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) {
    }
    ran.code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  }
  close(out[0]), close(err[0]);
  for (std::string* const text : {&ran.out, &ran.err})
    while (text->ends_with('\n')) text->pop_back();
  if (ran.code == 127 && ran.err.empty()) ran.err = argv[0] + " cannot be run";
  return ran;
}

tl::expected<StartedDaemon, std::string> StartedDaemon::start(const Command& command) {
  const pid_t pid = fork();
  if (pid < 0) return tl::unexpected(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (pid == 0) become(command);
  return StartedDaemon(pid);
}

ManagerApi::Answer wait_for_status(mad::Guid port, std::chrono::seconds limit,
                                   const StatusPredicate& good,
                                   const std::function<std::string()>& ended) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const ManagerApi api(port);
  while (std::chrono::steady_clock::now() < end) {
    ManagerApi::Answer status = api.status();
    if (status && good(*status)) return status;
    if (std::string why = ended(); !why.empty()) return tl::unexpected(std::move(why));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return tl::unexpected(fmt::format("not within {} s", limit.count()));
}

ManagerApi::Answer StartedDaemon::wait_until(mad::Guid port, std::chrono::seconds limit,
                                             const StatusPredicate& good) {
  return wait_for_status(port, limit, good, [this]() -> std::string {
    int how = 0;
    // A daemon that detaches itself ends with exit code 0.
    if (waitpid(pid_, &how, WNOHANG) != pid_ || (WIFEXITED(how) && WEXITSTATUS(how) == 0))
      return "";
    return fmt::format("it has ended ({}); its log says why",
                       WIFEXITED(how) ? fmt::format("exit code {}", WEXITSTATUS(how))
                                      : fmt::format("signal {}", WTERMSIG(how)));
  });
}

void StartedDaemon::stop() {
  constexpr int kTries = 100;
  kill(pid_, SIGTERM);
  for (int i = 0; i < kTries; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

fs::path daemon_program() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& program : {here / "heddle", here / "../sbin/heddle"})
    if (!error && access(program.c_str(), X_OK) == 0) return program.lexically_normal();
  return "heddle";
}

ForeignProcess::ForeignProcess(pid_t pid)
    : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

ForeignProcess::ForeignProcess(ForeignProcess&& other) noexcept
    : pid_(other.pid_), descriptor_(std::exchange(other.descriptor_, -1)) {}

ForeignProcess::~ForeignProcess() {
  if (descriptor_ >= 0) close(descriptor_);
}

tl::expected<void, std::string> ForeignProcess::end(int signal, std::chrono::seconds limit) const {
  if (descriptor_ < 0 ||
      (signal != 0 && syscall(SYS_pidfd_send_signal, descriptor_, signal, nullptr, 0) != 0))
    return tl::unexpected(
        fmt::format("process {}: {}", pid_, std::strerror(descriptor_ < 0 ? ESRCH : errno)));
  pollfd ended{.fd = descriptor_, .events = POLLIN, .revents = 0};
  const auto limit_ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit);
  if (poll(&ended, 1, static_cast<int>(limit_ms.count())) == 1) return {};
  return tl::unexpected(fmt::format("process {} has not ended within {} s", pid_, limit.count()));
}

}  // namespace sm::commands
