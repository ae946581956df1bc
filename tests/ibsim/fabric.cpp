#include "ibsim/fabric.h"
#include "fabric/topology/write.h"
#include "mad/format.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <sstream>
#include <stdexcept>

namespace harness {

namespace {

constexpr Milliseconds kStartTimeout{
    120'000};  // large topologies: it searches its list for each name
constexpr Milliseconds kConsoleTimeout{10'000};
constexpr std::string_view kPrompt = "sim> ";

std::string to_text(const topology::Topology& topology) {
  std::ostringstream out;
  topology::write_ibsim(topology, out);
  return out.str();
}

}  // namespace

std::filesystem::path umad2sim_library() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib", ignored)) {
    std::filesystem::path library = entry.path() / "umad2sim/libumad2sim.so";
    if (std::filesystem::exists(library, ignored)) return library;
  }
  return {};
}

IbsimFabric::IbsimFabric(const topology::Topology& topology, const std::string& program)
    : IbsimFabric(to_text(topology), program) {}

IbsimFabric::IbsimFabric(const std::string& net_text, const std::string& program)
    : net_text_(net_text), plan_(parse_cabling(net_text)) {
  static std::atomic<unsigned> counter = 0;
  socket_name_ = fmt::format("heddle-{}-{}", getpid(), counter++);
  write_file(dir() / "fabric.net", net_text_);
  unsigned switches = 0, ports = 0;
  for (const auto& [guid, node] : plan_.nodes) {
    switches += node.is_switch;
    ports += node.ports + 1;
  }
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  console_in_ = in[1];
  console_out_ = out[0];
  Command command;
  command.argv = {program,     "-s",
                  "-N",        std::to_string(plan_.nodes.size() + 1),
                  "-S",        std::to_string(switches + 1),
                  "-P",        std::to_string(ports + 1),
                  "fabric.net"};
  command.env = {{"IBSIM_SOCKNAME", socket_name_}};
  command.cwd = dir();
  command.err = dir() / "ibsim.err";
  command.in_fd = in[0];
  command.out_fd = out[1];
  std::signal(SIGPIPE, SIG_IGN);  // when ibsim ends, the test must fail, not terminate
  process_ = std::make_unique<Process>(command);
  close(in[0]);
  close(out[1]);
  const std::string greeting = read_until_prompt(kStartTimeout);
  if (greeting.find("Network simulator ready") == std::string::npos) {
    keep_files();
    throw std::runtime_error(
        fmt::format("ibsim did not start (package ibsim-utils installed?); see {}\n{}",
                    dir().string(), greeting));
  }
  // Its first prompt may come before its sockets are there. They are when it answers.
  console("Attached");
}

IbsimFabric::~IbsimFabric() {
  process_.reset();
  close(console_in_);
  close(console_out_);
}

std::string IbsimFabric::read_until_prompt(Milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::string text;
  while (!text.ends_with(kPrompt)) {
    const auto left =
        std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{console_out_, POLLIN, 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) <= 0)
      return text + "\n(no prompt from ibsim)";
    char buffer[4096];
    const ssize_t got = read(console_out_, buffer, sizeof buffer);
    if (got <= 0) return text + "\n(ibsim ended)";
    text.append(buffer, static_cast<std::size_t>(got));
  }
  text.resize(text.size() - kPrompt.size());
  return text;
}

void IbsimFabric::write_console(const std::string& text) {
  if (text.size() > 120)
    throw std::invalid_argument("ibsim reads console lines of at most 126 characters: " + text);
  const std::string line = text + "\n";
  if (write(console_in_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    const std::optional<Exit> exit = process_->wait(Milliseconds(100));
    keep_files();
    throw std::runtime_error(fmt::format("ibsim has ended (signal {}, exit code {}); see {}",
                                         exit ? exit->signal : 0, exit ? exit->code : 0,
                                         dir().string()));
  }
}

std::string IbsimFabric::console(const std::string& line) {
  write_console(line);
  return read_until_prompt(kConsoleTimeout);
}

void IbsimFabric::unlink(const std::string& node, unsigned port) {
  const PortId id{plan_.find_guid(node), port};
  std::ranges::copy_if(plan_.cables, std::inserter(unlinked_, unlinked_.end()),
                       [&](const Cable& cable) { return cable.a == id || cable.b == id; });
  console(fmt::format("Unlink \"{}\"[{}]", node, port));
}

void IbsimFabric::relink(const std::string& node, unsigned port) {
  const PortId id{plan_.find_guid(node), port};
  std::erase_if(unlinked_, [&](const Cable& cable) { return cable.a == id || cable.b == id; });
  console(fmt::format("ReLink \"{}\"[{}]", node, port));
}

void IbsimFabric::unlink(const std::string& node) {
  const std::uint64_t guid = plan_.find_guid(node);
  std::ranges::copy_if(
      plan_.cables, std::inserter(unlinked_, unlinked_.end()),
      [&](const Cable& cable) { return cable.a.node_guid == guid || cable.b.node_guid == guid; });
  console(fmt::format("Unlink \"{}\"", node));
}

void IbsimFabric::relink(const std::string& node) {
  const std::uint64_t guid = plan_.find_guid(node);
  std::erase_if(unlinked_, [&](const Cable& cable) {
    return cable.a.node_guid == guid || cable.b.node_guid == guid;
  });
  console(fmt::format("ReLink \"{}\"", node));
}

void IbsimFabric::set_drop_percent(unsigned percent) {
  for (const auto& [guid, node] : plan_.nodes)
    console(fmt::format("Error \"{}\" {}", node.id, percent));
}

Cabling IbsimFabric::cabling() const {
  Cabling now = plan_;
  for (const Cable& cable : unlinked_) now.cables.erase(cable);
  return now;
}

std::filesystem::path IbsimFabric::new_dir(const std::string& name) {
  std::filesystem::path path = dir() / fmt::format("{}-{}", name, ++dirs_);
  std::filesystem::create_directories(path);
  return path;
}

Command IbsimFabric::command(const std::vector<std::string>& argv, const RunOptions& options,
                             const std::filesystem::path& run_dir) const {
  std::string preload = umad2sim_library().string();
  Command command;
  command.argv = argv;
  for (const auto& [name, value] : options.env) {
    if (name == "LD_PRELOAD") {
      preload = value + " " + preload;  // first, so that it gets calls before umad2sim
    } else {
      command.env.emplace_back(name, value);
    }
  }
  command.env.emplace_back("LD_PRELOAD", preload);
  command.env.emplace_back("IBSIM_SOCKNAME", socket_name_);
  command.env.emplace_back("SIM_HOST", options.host.empty() ? first_host() : options.host);
  command.cwd = run_dir;
  command.out = run_dir / "stdout";
  command.err = run_dir / "stderr";
  return command;
}

Finished IbsimFabric::run(const std::vector<std::string>& argv, const RunOptions& options) {
  const std::filesystem::path run_dir =
      new_dir(std::filesystem::path(argv.at(0)).filename().string());
  Finished result;
  {
    Process process(command(argv, options, run_dir));
    const std::optional<Exit> exit = process.wait(options.timeout);
    result.timed_out = !exit;
    result.exit = exit ? *exit : process.kill();
    if (result.exit.signal != 0) detach(process.pid());
  }
  result.out = read_file(run_dir / "stdout");
  result.err = read_file(run_dir / "stderr");
  std::error_code ignored;
  std::filesystem::remove_all(run_dir, ignored);
  return result;
}

void IbsimFabric::detach(pid_t pid) {
  std::istringstream lines(console("Attached"));
  for (std::string line; std::getline(lines, line);) {
    int client = 0, client_pid = 0;
    if (std::sscanf(line.c_str(), "Client %d: pid %d", &client, &client_pid) == 2 &&
        client_pid == pid)
      console(fmt::format("X {}", client));
  }
}

}  // namespace harness
