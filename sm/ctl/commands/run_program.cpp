#include "sm/ctl/commands/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

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

}  // namespace sm::commands
