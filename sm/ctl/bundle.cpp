#include "sm/ctl/bundle.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/file_trust.h"
#include "sm/store/atomic_file.h"

namespace sm::ctl {

namespace fs = std::filesystem;

namespace {

struct ClosePipe {
  void operator()(FILE* pipe) const { pclose(pipe); }
};
struct CloseFile {
  void operator()(FILE* file) const { fclose(file); }
};

/// Runs a program with `output` as its standard output. Errors: in words.
tl::expected<void, std::string> run_into(int output, std::vector<std::string> words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return tl::unexpected(fmt::format("{}: {}", words[0], errno_text(error)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return tl::unexpected(fmt::format("{} failed ({} {})", words[0],
                                    WIFEXITED(status) ? "exit code" : "signal",
                                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
}

/// Returns the path without "..", "." and the root.
fs::path inside(const fs::path& path) {
  fs::path out;
  for (const fs::path& part : path.relative_path())
    if (part != ".." && part != "." && !part.empty()) out /= part;
  return out;
}

}  // namespace

tl::expected<Bundle, std::string> Bundle::create(const std::string& name) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "heddle-bundle-XXXXXX").string();
  if (error) return tl::unexpected("no directory for temporary files: " + error.message());
  if (mkdtemp(pattern.data()) == nullptr)
    return tl::unexpected(fmt::format("cannot create {}: {}", pattern, errno_text(errno)));
  return Bundle(pattern, name);
}

Bundle::Bundle(Bundle&& other) noexcept
    : staging_(std::exchange(other.staging_, {})), name_(std::move(other.name_)) {}

Bundle::~Bundle() {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
}

tl::expected<void, std::string> Bundle::add(const fs::path& path, std::string_view text) {
  const fs::path file = staging_ / name_ / inside(path);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    return tl::unexpected(
        fmt::format("cannot create {}: {}", file.parent_path().string(), error.message()));
  return write_file_atomically(file, text, false, 0600);
}

tl::expected<void, std::string> Bundle::write(const fs::path& archive) const {
  std::string temporary = archive.string() + ".XXXXXX";
  const int file = mkostemp(temporary.data(), O_CLOEXEC);  // mode 0600
  if (file < 0)
    return tl::unexpected(fmt::format("cannot write {}: {}", temporary, errno_text(errno)));
  auto made = run_into(file, {"tar", "-C", staging_.string(), "-czf", "-", name_});
  if (fsync(file) != 0 && errno != EINVAL && made)
    made = tl::unexpected(fmt::format("cannot write {}: {}", temporary, errno_text(errno)));
  close(file);
  if (made && rename(temporary.c_str(), archive.c_str()) != 0)
    made = tl::unexpected(fmt::format("cannot write {}: {}", archive.string(), errno_text(errno)));
  if (!made) unlink(temporary.c_str());
  return made;
}

std::string read_output(const std::string& command, unsigned seconds, std::size_t bytes_max) {
  const std::string line =
      fmt::format("command -v {} > /dev/null 2>&1 && timeout {} {} 2>&1 < /dev/null",
                  command.substr(0, command.find(' ')), seconds, command);
  const std::unique_ptr<FILE, ClosePipe> pipe(popen(line.c_str(), "re"));
  std::string out;
  std::array<char, 4096> buffer{};
  while (pipe && out.size() < bytes_max) {
    const std::size_t size = fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (size == 0) break;
    out.append(buffer.data(), size);
  }
  return out.substr(0, bytes_max);
}

tl::expected<std::string, std::string> read_tail(const fs::path& file, std::size_t bytes_max) {
  const auto failed = [&](std::string_view why) {
    return tl::unexpected(fmt::format("{} cannot be read: {}", file.string(), why));
  };
  // In the directory of a log, others may have put FIFOs, and links to files that only root reads.
  const auto opened = config::open_refusing_foreign_links(file.string(), O_RDONLY | O_NONBLOCK);
  if (!opened) return failed(opened.error());
  const std::unique_ptr<FILE, CloseFile> in(fdopen(*opened, "r"));
  if (!in) return failed(errno_text(errno));
  struct stat status{};
  if (fstat(*opened, &status) != 0) return failed(errno_text(errno));
  if (!S_ISREG(status.st_mode)) return failed("it is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  const bool cut = size > bytes_max;
  if (cut && fseeko(in.get(), static_cast<off_t>(size - bytes_max), SEEK_SET) != 0)
    return failed(errno_text(errno));
  std::string text(cut ? bytes_max : size, '\0');
  text.resize(fread(text.data(), 1, text.size(), in.get()));
  if (cut) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

}  // namespace sm::ctl
