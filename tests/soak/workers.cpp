#include "soak/workers.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace soak {
namespace {

/// Separates the body's stderr from its result, in the pipe.
constexpr char kReturned = '\f';

struct Worker {
  std::uint64_t seed = 0;
  pid_t process = -1;
  int pipe = -1;
  std::string text{};
};

[[noreturn]] void work(std::uint64_t seed, int out, const WorkerLimits& limits,
                       const std::function<std::string(std::uint64_t)>& body) {
  const auto seconds = static_cast<rlim_t>(limits.processor.count());
  const rlimit processor{seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &processor);
  ::alarm(static_cast<unsigned>(limits.wall.count()));
  ::dup2(out, STDERR_FILENO);
  const std::string text = kReturned + body(seed);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(out, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) ::_exit(2);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  ::_exit(0);  // without destructors: the process is a copy, and its files are the parent's
}

Worker start(std::uint64_t seed, const WorkerLimits& limits,
             const std::function<std::string(std::uint64_t)>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("no process");
  if (process == 0) {
    ::close(ends[0]);
    work(seed, ends[1], limits, body);
  }
  ::close(ends[1]);
  return {.seed = seed, .process = process, .pipe = ends[0]};
}

/// False at the end of the process's output.
bool read_some(Worker& worker) {
  std::array<char, 65536> buffer{};
  const ssize_t size = ::read(worker.pipe, buffer.data(), buffer.size());
  if (size > 0) worker.text.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && errno == EINTR);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Converts text to one line, for a complaint.
std::string last_lines(std::string text) {
  constexpr std::size_t kMost = 400;
  std::ranges::replace(text, '\n', ' ');
  return text.size() > kMost ? "... " + text.substr(text.size() - kMost) : text;
}

Ended get_end(Worker& worker) {
  ::close(worker.pipe);
  const std::size_t end = std::min(worker.text.find(kReturned), worker.text.size());
  int status = 0;
  rusage used{};
  while (::wait4(worker.process, &status, 0, &used) < 0 && errno == EINTR) {
  }
  Ended ended{.seed = worker.seed,
              .text = worker.text.substr(std::min(end + 1, worker.text.size())),
              .crash = {},
              .seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime)};
  const std::string errors = last_lines(worker.text.substr(0, end));
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    ended.crash =
        errors + (signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL
                      ? std::string("takes too long")
                      : fmt::format("ends with signal {} ({})", signal, ::strsignal(signal)));
  } else if (WEXITSTATUS(status) != 0) {
    ended.crash = errors + fmt::format("ends with exit code {}", WEXITSTATUS(status));
  }
  return ended;
}

}  // namespace

void for_each_seed(const std::vector<std::uint64_t>& seeds, const WorkerLimits& limits,
                   const std::function<std::string(std::uint64_t)>& body,
                   const std::function<bool(const Ended&)>& done) {
  std::vector<Worker> workers;
  std::size_t next = 0;
  bool more = true;
  for (;;) {
    while (more && next < seeds.size() && workers.size() < std::max(1u, limits.jobs))
      workers.push_back(start(seeds[next++], limits, body));
    if (workers.empty()) return;
    std::vector<pollfd> polled;
    for (const Worker& worker : workers) polled.push_back({worker.pipe, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR)
      throw std::runtime_error("poll");
    for (std::size_t at = workers.size(); at-- > 0;) {
      if (polled[at].revents == 0 || read_some(workers[at])) continue;
      const Ended ended = get_end(workers[at]);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(at));
      more = done(ended) && more;
    }
  }
}

}  // namespace soak
