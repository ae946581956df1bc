// heddle-sim-run: starts a program on a simulated fabric.

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim/wire/ibsim_protocol.h"

namespace {

constexpr const char* kLibrary = "libheddle-umad.so";

void print_help(FILE* to) {
  fputs(
      "usage: heddle-sim-run [--socket NAME] [--host NODE[,NODE...]] [--vport N] "
      "[--fast-timeouts] PROGRAM [ARGUMENT...]\n"
      "\n"
      "Runs PROGRAM on a node of the fabric that heddle-sim or ibsim simulates.\n"
      "  --socket NAME     the simulator's socket name (IBSIM_SOCKNAME; default \"sim\")\n"
      "  --host NODE       node of the program (SIM_HOST; default: the simulator's choice). "
      "Several nodes are several devices.\n"
      "                    heddle-sim also takes NODE:PORT and 0xPORTGUID\n"
      "  --vport N         on vport N of the node (of heddle-sim), as in a virtual machine: its "
      "GUID, "
      "LID, P_Keys; no SMPs.\n"
      "                    Also NODE#N for each --host\n"
      "  --fast-timeouts   a MAD that the simulator cannot deliver times out at once, not after "
      "all retries\n"
      "Also from the environment: IBSIM_SERVER_NAME and IBSIM_SERVER_PORT (a server over UDP), "
      "HEDDLE_SIM_DEVICE_PREFIX (\"ibsim\").\n",
      to);
}

/// Changes each node of the environment to the vport of this node.
void put_on_vport(const std::string& vport) {
  const char* const given = std::getenv(sim::wire::kEnvHost);
  std::string nodes = given != nullptr ? given : "";
  for (std::size_t comma = nodes.find(','); comma != std::string::npos;
       comma = nodes.find(',', comma + vport.size() + 2))
    nodes.insert(comma, "#" + vport);
  setenv(sim::wire::kEnvHost, (nodes + "#" + vport).c_str(), 1);
}

/// Searches the directory of this program (build tree), then the installed directories.
std::string find_library() {
  std::error_code ignored;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* directory : {".", "../lib/heddle", "../lib"}) {
    const std::filesystem::path candidate = here / directory / kLibrary;
    if (std::filesystem::exists(candidate, ignored))
      return std::filesystem::canonical(candidate, ignored).string();
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  int at = 1;
  std::string vport;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string_view option = argv[at];
    if (option == "--") {
      ++at;
      break;
    }
    if (option == "--help" || option == "-h") {
      print_help(stdout);
      return 0;
    }
    if (option == "--fast-timeouts") {
      setenv("HEDDLE_SIM_FAST_TIMEOUTS", "1", 1);
    } else if (option == "--vport" && at + 1 < argc) {
      vport = argv[++at];
    } else if ((option == "--socket" || option == "--host") && at + 1 < argc) {
      setenv(option == "--socket" ? sim::wire::kEnvSocketName : sim::wire::kEnvHost, argv[++at], 1);
    } else {
      fprintf(stderr, "heddle-sim-run: unknown option or missing value: %s\n", argv[at]);
      print_help(stderr);
      return 2;
    }
  }
  if (at >= argc) {
    print_help(stderr);
    return 2;
  }
  if (!vport.empty()) put_on_vport(vport);
  const std::string library = find_library();
  if (library.empty()) {
    fprintf(stderr, "heddle-sim-run: %s is neither beside this program nor in ../lib/heddle\n",
            kLibrary);
    return 1;
  }
  // The library precedes other preloaded ones; umad2sim, which has its purpose, is left out.
  std::string preload = library;
  if (const char* before = std::getenv("LD_PRELOAD"); before != nullptr) {
    std::string_view left = before;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find_first_of(" :"), left.size());
      const std::string_view one = left.substr(0, end);
      if (!one.empty() && one.find("umad2sim") == std::string_view::npos && one != library)
        (preload += ':') += one;
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  setenv("LD_PRELOAD", preload.c_str(), 1);
  execvp(argv[at], argv + at);
  fprintf(stderr, "heddle-sim-run: cannot run %s: %s\n", argv[at], std::strerror(errno));
  return errno == ENOENT ? 127 : 126;
}
