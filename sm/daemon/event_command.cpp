#include "sm/daemon/event_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"

namespace sm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kStopLook{200}, kEndLook{5};

/// Runs a program. Its standard input is a socket: a program that does not read its input causes no
/// SIGPIPE here.
class Child {
 public:
  tl::expected<void, std::string> start(const std::string& path) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      return tl::unexpected(std::string(std::strerror(errno)));
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    std::string name = path;
    std::array<char*, 2> arguments{name.data(), nullptr};
    const int error =
        ::posix_spawn(&pid_, path.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    ::close(ends[1]);
    input_ = ends[0];
    if (error == 0) return {};
    pid_ = 0;
    return tl::unexpected(fmt::format("cannot be run: {}", std::strerror(error)));
  }
  ~Child() {
    if (input_ >= 0) ::close(input_);
    if (pid_ == 0) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Drops the rest of a text that the program does not read.
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::send(input_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close_input() { ::close(std::exchange(input_, -1)); }
  /// Returns the exit status; nullopt while the program runs.
  std::optional<int> ended() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_ = 0;
  int input_ = -1;
};

}  // namespace

tl::expected<void, std::string> run_with_input(const std::string& path, std::string_view input,
                                               std::chrono::milliseconds timeout,
                                               const std::stop_token& stop) {
  Child child;
  if (auto started = child.start(path); !started) return started;
  child.write(input);
  child.close_input();
  const auto end = Clock::now() + timeout;
  std::optional<int> status;
  while (!(status = child.ended())) {
    if (stop.stop_requested()) return {};
    if (Clock::now() >= end)
      return tl::unexpected(
          fmt::format("did not end within {} s, and was killed",
                      std::chrono::duration_cast<std::chrono::seconds>(timeout).count()));
    ::poll(nullptr, 0, static_cast<int>(kEndLook.count()));
  }
  if (WIFSIGNALED(*status))
    return tl::unexpected(fmt::format("was ended by signal {}", WTERMSIG(*status)));
  if (WEXITSTATUS(*status) != 0)
    return tl::unexpected(fmt::format("ended with exit code {}", WEXITSTATUS(*status)));
  return {};
}

EventCommand::EventCommand(std::shared_ptr<api::EventLog> events, Report report,
                           std::size_t behind_max)
    : events_(std::move(events)), report_(std::move(report)), behind_max_(behind_max) {}

EventCommand::~EventCommand() = default;

EventCommand::Settings EventCommand::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void EventCommand::configure(Settings settings) {
  {
    const std::lock_guard lock(mutex_);
    settings_ = std::move(settings);
    if (settings_.path.empty()) return;
  }
  if (!thread_.joinable())
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

std::string EventCommand::problem(const std::string& path) const {
  if (failure_.empty() && said_ == 0) return {};
  std::string text = fmt::format("event_command {} ", path);
  if (failure_.empty())
    return text + fmt::format("is slower than events arrive: {} were left out", said_);
  text += failure_;
  if (said_ > 0) text += fmt::format(", and is slower than events arrive: {} were left out", said_);
  return text + fmt::format("; event: {}", refused_);
}

void EventCommand::note(std::string problem) {
  if (problem == problem_) return;
  problem_ = std::move(problem);
  std::vector<fabric::Condition> active;
  if (!problem_.empty())
    active.push_back({.id = kOutputConditions.event_command_failed, .text = problem_});
  report_(std::move(active));
}

void EventCommand::pass_on(const Settings& settings, const api::StampedEvent& event,
                           const std::stop_token& stop) {
  // A program that fails would get its failure, fail again, and so on without end.
  if (event.condition == kOutputConditions.event_command_failed) return;
  const auto taken = run_with_input(settings.path, event.data + "\n", settings.timeout, stop);
  if (taken) {
    failure_.clear();
  } else if (taken.error() != failure_) {
    // Later events that fail in the same manner change nothing: each would be another text.
    failure_ = taken.error();
    refused_ = event.data;
  }
}

void EventCommand::run(const std::stop_token& stop) {
  std::uint64_t last = events_->last();
  while (!stop.stop_requested()) {
    if (!events_->wait_here(last, kStopLook)) continue;
    const Settings settings = this->settings();
    const std::uint64_t newest = events_->last();
    if (settings.path.empty()) {
      last = newest;
      failure_.clear();
      left_out_ = said_ = 0;
      note("");
      continue;
    }
    const std::uint64_t from = newest - last > behind_max_ ? newest - behind_max_ : last;
    const api::EventLog::Part part = events_->behind(from, 1);
    if (part.events.empty()) continue;
    const api::StampedEvent& event = *part.events.front();
    left_out_ += event.number - last - 1;
    last = event.number;
    pass_on(settings, event, stop);
    // One report for each doubling: the control thread is not given more work than the program.
    if (left_out_ >= std::max<std::uint64_t>(2 * said_, 1)) said_ = left_out_;
    if (last == newest) left_out_ = said_ = 0;
    note(problem(settings.path));
  }
}

}  // namespace sm
