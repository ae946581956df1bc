#include "sm/ctl/commands/started_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "mad/format.h"
#include "sm/ops/control_socket.h"

namespace sm::commands {

namespace {

namespace fs = std::filesystem;

/// In the child: only what is safe after fork() of a program with one thread.
[[noreturn]] void become(const StartedDaemon::Command& command) {
  setsid();
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

tl::expected<StartedDaemon, std::string> StartedDaemon::start(const Command& command) {
  const pid_t pid = fork();
  if (pid < 0) return tl::unexpected(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (pid == 0) become(command);
  return StartedDaemon(pid);
}

tl::expected<nlohmann::json, std::string> StartedDaemon::wait_until(
    mad::Guid port, std::chrono::seconds limit,
    const std::function<bool(const nlohmann::json& status)>& good) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const fs::path socket = socket_of(port);
  while (std::chrono::steady_clock::now() < end) {
    const auto answer = get_from(socket, "/status");
    auto status = nlohmann::json::parse(answer.value_or(""), nullptr, false);
    if (!status.is_discarded() && good(status)) return status;
    int how = 0;
    if (waitpid(pid_, &how, WNOHANG) == pid_ && !(WIFEXITED(how) && WEXITSTATUS(how) == 0))
      return tl::unexpected(fmt::format("it has ended ({}); its log says why",
                                        WIFEXITED(how)
                                            ? fmt::format("exit code {}", WEXITSTATUS(how))
                                            : fmt::format("signal {}", WTERMSIG(how))));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return tl::unexpected(
      fmt::format("not within {} s; `heddlectl status` says what it does", limit.count()));
}

void StartedDaemon::stop() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

fs::path daemon_program() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& program : {here / "heddle", here / "../sbin/heddle"})
    if (!error && access(program.c_str(), X_OK) == 0) return program.lexically_normal();
  return "heddle";
}

fs::path socket_of(mad::Guid port) { return run_dir() / fmt::format("{}.sock", port); }

tl::expected<void, std::string> end_process(pid_t pid, std::chrono::seconds limit) {
  // Not its number but the process itself: the number may be another one's afterwards.
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0 || syscall(SYS_pidfd_send_signal, process, SIGTERM, nullptr, 0) != 0) {
    const int why = errno;
    if (process >= 0) close(process);
    return tl::unexpected(fmt::format("process {}: {}", pid, std::strerror(why)));
  }
  pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
  const int polled =
      poll(&ended, 1,
           static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()));
  close(process);
  if (polled == 1) return {};
  return tl::unexpected(
      fmt::format("process {} has not ended {} s after SIGTERM", pid, limit.count()));
}

}  // namespace sm::commands
