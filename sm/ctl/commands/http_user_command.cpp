// heddlectl http-user manages the users of the HTTP service, in the file that http_users_file
// names.

#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "config/control_characters.h"
#include "config/text_encoding.h"
#include "mad/format.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ops/web/users.h"
#include "sm/store/atomic_file.h"

namespace sm::commands {
namespace {

constexpr std::size_t kUserFileBytesMax = std::size_t{4} << 20;
constexpr unsigned kUserFileMode = 0600;

struct HttpUserOptions {
  std::string file, name, role = "read";
  bool json = false;
};

int http_user_failed(const std::string& why) {
  std::cerr << config::escape_lines(why) << '\n';
  return kFailed;
}

/// Turns off the echo of the terminal while it lives.
class NoEcho {
 public:
  NoEcho() : active_(isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!active_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  ~NoEcho() {
    if (active_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  bool active() const { return active_; }

 private:
  termios before_{};
  bool active_;
};

/// Reads a line of stdin; at a terminal twice, without echo.
tl::expected<std::string, std::string> read_password(const std::string& name) {
  std::string password, again;
  const NoEcho quiet;
  const auto ask = [&](const std::string& prompt, std::string& into) {
    if (quiet.active()) std::cerr << prompt << std::flush;
    const bool read = static_cast<bool>(std::getline(std::cin, into));
    if (quiet.active()) std::cerr << '\n';
    return read;
  };
  if (!ask(fmt::format("Password of {}: ", name), password) || password.empty())
    return tl::unexpected(std::string("no password was given: nothing is changed"));
  if (password.size() > web::kPasswordBytesMax)
    return tl::unexpected(
        fmt::format("the password is longer than {} bytes", web::kPasswordBytesMax));
  if (quiet.active() && (!ask("Again: ", again) || again != password))
    return tl::unexpected(std::string("the passwords differ: nothing is changed"));
  return password;
}

struct UserFile {
  std::string text;
  web::Users users;
};

/// Reads the file; a file that does not exist yet counts as empty. Errors: all defects of the file,
/// a line each.
tl::expected<UserFile, std::string> read_user_file(const std::string& path) {
  auto text = read_file(path, kUserFileBytesMax);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return UserFile{};
  // The daemon reads it so, too.
  auto decoded = config::decode_text(std::move(**text), kUserFileBytesMax);
  if (!decoded) return tl::unexpected(fmt::format("{}: {}", path, decoded.error().message()));
  config::Diagnostics found;
  UserFile file{.text = std::move(*decoded), .users = {}};
  file.users = web::Users::parse({path, file.text}, found);
  if (found.empty()) return file;
  std::string faults;
  for (const auto& diagnostic : found) faults += (faults.empty() ? "" : "\n") + diagnostic.text();
  return tl::unexpected(std::move(faults));
}

int write_user(const HttpUserOptions& options, const std::string& text, const std::string& line) {
  const auto written = write_file_atomically(options.file, web::with_user(text, options.name, line),
                                             true, kUserFileMode);
  return written ? kOk : http_user_failed(written.error());
}

int set_password(const HttpUserOptions& options, const UserFile& file, web::Role role) {
  const auto password = read_password(options.name);
  if (!password) return http_user_failed(password.error());
  const auto hash = web::make_hash(*password);
  if (!hash) return http_user_failed(hash.error());
  return write_user(options, file.text,
                    fmt::format("{}:{}:{}", options.name, web::name(role), *hash));
}

int add_user(const HttpUserOptions& options) {
  const auto file = read_user_file(options.file);
  if (!file) return http_user_failed(file.error());
  if (file->users.find(options.name) != nullptr)
    return http_user_failed(
        fmt::format("{}: user {} already exists; heddlectl http-user passwd "
                    "changes the password",
                    options.file, options.name));
  return set_password(options, *file, *web::role_named(options.role));
}

/// Returns nothing if there is such a user.
std::optional<std::string> is_missing(const HttpUserOptions& options, const UserFile& file) {
  if (file.users.find(options.name) != nullptr) return std::nullopt;
  return fmt::format("{}: there is no user {}", options.file, options.name);
}

int change_password(const HttpUserOptions& options) {
  const auto file = read_user_file(options.file);
  if (!file) return http_user_failed(file.error());
  if (const auto missing = is_missing(options, *file)) return http_user_failed(*missing);
  return set_password(options, *file, file->users.find(options.name)->role);
}

int remove_user(const HttpUserOptions& options) {
  const auto file = read_user_file(options.file);
  if (!file) return http_user_failed(file.error());
  if (const auto missing = is_missing(options, *file)) return http_user_failed(*missing);
  return write_user(options, file->text, "");
}

int list_users(const HttpUserOptions& options) {
  if (!std::filesystem::exists(options.file))
    return http_user_failed(options.file +
                            ": there is no such file; heddlectl http-user add makes it");
  const auto file = read_user_file(options.file);
  if (!file) return http_user_failed(file.error());
  if (options.json) {
    Json users = Json::array();
    for (const web::User& user : file->users.all())
      users.push_back({{"name", user.name}, {"role", web::name(user.role)}});
    std::cout << dumped_by_rows({{"users", std::move(users)}});
    return kOk;
  }
  for (const web::User& user : file->users.all())
    std::cout << fmt::format("{:<24} {}\n", user.name, web::name(user.role));
  return kOk;
}

std::string check_user_name(const std::string& text) {
  return web::is_user_name(text)
             ? ""
             : fmt::format("'{}' is no name of a user: 1 to 64 letters, digits and ._@-", text);
}

std::string check_role(const std::string& text) {
  return web::role_named(text)
             ? ""
             : fmt::format("'{}' is no role; there are: read, partitions, admin", text);
}

}  // namespace

void add_http_user_command(const AddCommand& add) {
  struct Chosen {
    HttpUserOptions options;
    int (*run)(const HttpUserOptions& options) = nullptr;
  };
  const auto chosen = std::make_shared<Chosen>();
  CLI::App& command =
      add("http-user", "Adds, changes, removes and lists users of the HTTP service.",
          "They are in the file that http_users_file names, a line each, with a hash (argon2id) of "
          "the\n"
          "password; a daemon that runs reads it again on SIGHUP. The password is asked for, or is "
          "the\n"
          "first line of standard input.",
          "  heddlectl http-user add /etc/opensm/users alice --role admin\n"
          "  pwgen -s 32 1 | tee token | heddlectl http-user add /etc/opensm/users slurm --role "
          "partitions\n"
          "  heddlectl http-user list /etc/opensm/users\n",
          [chosen] { return chosen->run(chosen->options); });
  command.require_subcommand(1);
  const auto action = [&](const char* name, const char* what, int (*run)(const HttpUserOptions&),
                          bool of_one) -> CLI::App& {
    CLI::App& sub = *command.add_subcommand(name, what);
    sub.add_option("FILE", chosen->options.file, "the file of users")->required()->type_name("");
    if (of_one)
      sub.add_option("NAME", chosen->options.name, "letters, digits and ._@-")
          ->required()
          ->type_name("")
          ->check(check_user_name);
    sub.callback([chosen, run] { chosen->run = run; });
    return sub;
  };
  action("add", "a user that is new", add_user, true)
      .add_option("--role", chosen->options.role,
                  "read (the default), partitions (and memberships of partitions), admin (all)")
      ->type_name("ROLE")
      ->check(check_role);
  action("passwd", "another password", change_password, true);
  action("remove", "a user", remove_user, true);
  action("list", "users and roles", list_users, false)
      .add_flag("--json", chosen->options.json, "the same as JSON");
}

}  // namespace sm::commands
