#pragma once
// This file declares the commands of heddlectl, the values of their command lines and their exit
// codes.

#include <cstddef>
#include <string>
#include <vector>

#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/scene.h"

namespace CLI {
class App;
}

namespace sm::commands {

inline constexpr int kOk = 0, kFailed = 1, kUsage = 2;

struct StatusOptions {
  bool json = false;
  bool watch = false;  // again every two seconds
  ManagerChoice managers = {};
};
struct PortsOptions {
  bool json = false;
  bool guids = false;  // only the GUIDs of InfiniBand ports, a line each
};
struct RouteOptions {
  SceneArguments scene;
  std::vector<std::string> engines;  // empty: those of the configuration; "all"
  std::string dump, svg, dot;        // paths; empty: not asked for
  bool json = false;
};
struct TraceOptions {
  bool json = false;
  SceneArguments scene;
  std::vector<std::string> engines;  // empty: the tables of the scene, if it has some
  std::string from, to;
  ManagerChoice managers = {};  // its `guid` is that of the scene
  bool live = false;            // the tables that switches show, also where a manager runs here
};
struct PlanOptions {
  bool json = false;
  SceneArguments scene;
  std::vector<std::string> engines;  // empty: those of the configuration
  bool rebalance = false;
  std::size_t paths = 10;  // named one by one
  std::size_t writes = 0;  // likewise
};

struct VerifyOptions {
  bool json = false;
  SceneArguments scene;
  std::vector<std::string> engines;  // empty: those of the configuration
  unsigned losses = 1;               // links lost at once, up to so many
  std::size_t samples = 1000;        // of two and more
};

struct VPortsOptions {
  bool json = false;
  ManagerChoice managers = {};
  std::string host;  // see sm/ctl/vports_text.h; empty: all
};

struct RecordOptions {
  SceneArguments scene;  // port and configuration
  std::string file;      // "-": standard output
  bool anonymous = false;
};

struct HardwareReportOptions {
  SceneArguments scene;  // port and configuration
  std::string file;      // empty: a name with the time
  std::string undo;      // a file that a trial has left; else empty
  unsigned per_second = 1000;
  std::vector<std::uint64_t> devices;  // NodeGUIDs to which `writes` may write; empty: all
  bool questions = false;              // prints them only
  bool writes = false;                 // tries what needs writes, and takes it back
  bool yes = false;                    // without a question
  bool json = false;
};

struct CheckConfigOptions {
  std::string file;
  std::string topology =
      {};               // a file; empty: the fabric of the manager that runs here, if one does
  bool strict = false;  // what has no effect makes a configuration unusable
  bool json = false;
};

struct ExplainOptions {
  std::string condition;  // its identifier; empty: all, a line each
  bool table = false;     // all of the registry as a Markdown table
  bool json = false;
};

// Each returns the exit code: kOk or kFailed.
int status(const StatusOptions& options);
int ports(const PortsOptions& options);
int check_config(const CheckConfigOptions& options);
int route(const RouteOptions& options);
int trace(const TraceOptions& options);
/// Traces between GIDs of two subnets; the manager of each subnet gives its part of the path.
/// Returns nothing if the two GIDs are not in two subnets.
std::optional<int> trace_between_subnets(const TraceOptions& options);
int plan(const PlanOptions& options);
int verify(const VerifyOptions& options);
int vports(const VPortsOptions& options);
int record(const RecordOptions& options);
int hardware_report(const HardwareReportOptions& options);
int explain(const ExplainOptions& options);
int print_version(bool json);
/// Prints the candidates for the last, incomplete word of `words`, a line each, followed by a tab
/// and their help. `words` is a command line of heddlectl, whose commands `app` has, or of heddle.
int complete(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sm::commands
