#include "config/flags.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "config/engine_names.h"
#include "config/schema.h"
#include "option_samples.h"

namespace config {
namespace flags_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Action = CommandLine::Action;

CommandLine parse(std::vector<const char*> args, const std::string& file = "") {
  args.insert(args.begin(), "heddle");
  return parse_command_line(args, disk({{std::string(kDefaultConfigFile), file}}));
}

TEST(Flags, NoneMeansDefaults) {
  const CommandLine line = parse({});
  EXPECT_EQ(line.action, Action::run);
  EXPECT_THAT(texts(line.diagnostics), IsEmpty());
  EXPECT_THAT(differences(line.options, Options{}), IsEmpty());
}

TEST(Flags, LongFlagsWithOneOrTwoDashesShortenedWithOrWithoutEqualsSign) {
  EXPECT_EQ(parse({"-priority", "3"}).options.sm_priority, 3);
  EXPECT_EQ(parse({"--prio=3"}).options.sm_priority, 3);
  EXPECT_EQ(parse({"-p3"}).options.sm_priority, 3);
  EXPECT_TRUE(parse({"-once"}).once);
  EXPECT_EQ(parse({"--pid=f"}).options.pid_file, "f");
  EXPECT_EQ(parse({"--pid_file", "f"}).options.pid_file, "f");
  EXPECT_EQ(parse({"-log_file", "f"}).options.log_file, "f");
  EXPECT_EQ(parse({"-conf", "none"}).config_file, "none");
  const CommandLine bundle = parse({"-Bor"});
  EXPECT_TRUE(bundle.once && bundle.options.daemon && bundle.options.reassign_lids);
}

TEST(Flags, EveryFlagOfABuiltFeature) {
  const CommandLine line = parse({"-l",
                                  "1",
                                  "-p",
                                  "15",
                                  "--subnet_prefix",
                                  "fe80000000000001",
                                  "-k",
                                  "ff",
                                  "-R",
                                  "minhop",
                                  "--sm_sl",
                                  "2",
                                  "-s",
                                  "20",
                                  "-t",
                                  "300",
                                  "--retries",
                                  "5",
                                  "-n",
                                  "64",
                                  "-x",
                                  "--dump_files_dir",
                                  "d",
                                  "-f",
                                  "log",
                                  "-L",
                                  "7",
                                  "-e",
                                  "-Z",
                                  "in",
                                  "-y",
                                  "--pidfile",
                                  "pid",
                                  "-I",
                                  "--log_prefix",
                                  "x",
                                  "-D",
                                  "0x43",
                                  "-i",
                                  "i",
                                  "-w",
                                  "w",
                                  "-O",
                                  "o",
                                  "-X",
                                  "x",
                                  "-g",
                                  "2c90300000001,0x2c90300000002",
                                  "-d",
                                  "2"});
  EXPECT_THAT(texts(line.diagnostics),
              ElementsAre("command line: warning: pid_file has no effect without daemon TRUE; set "
                          "daemon TRUE, or leave it out"));
  const Options& o = line.options;
  EXPECT_EQ(o.lmc, 1);
  EXPECT_EQ(o.sm_priority, 15);
  EXPECT_EQ(o.subnet_prefix, 0xfe80000000000001);
  EXPECT_EQ(o.sm_key, 0xffU);
  EXPECT_THAT(o.routing_engine, ElementsAre("minhop"));
  EXPECT_EQ(o.sm_sl, 2);
  EXPECT_EQ(o.sweep_interval, 20U);
  EXPECT_EQ(o.transaction_timeout, 300U);
  EXPECT_EQ(o.transaction_retries, 5U);
  EXPECT_EQ(o.max_wire_smps, 64U);
  EXPECT_TRUE(o.honor_guid2lid_file);
  EXPECT_EQ(o.dump_files_dir, "d");
  EXPECT_EQ(o.log_file, "log");
  EXPECT_EQ(o.log_max_size, 7U);
  EXPECT_FALSE(o.accum_log_file);
  EXPECT_EQ(o.part_enforce, PartEnforce::in);
  EXPECT_FALSE(o.exit_on_fatal);
  EXPECT_EQ(o.pid_file, "pid");
  EXPECT_TRUE(o.sm_inactive);
  EXPECT_EQ(o.log_prefix, "x");
  EXPECT_EQ(o.log_flags, 0x43);
  EXPECT_EQ(o.port_prof_ignore_file, "i");
  EXPECT_EQ(o.hop_weights_file, "w");
  EXPECT_EQ(o.port_search_ordering_file, "o");
  EXPECT_EQ(o.guid_routing_order_file, "x");
  EXPECT_THAT(o.guid, ElementsAre(0x2c90300000001, 0x2c90300000002));
  EXPECT_TRUE(o.force_log_flush);
  EXPECT_THAT(
      line.banner,
      ElementsAre(" Reading Cached Option File: /etc/opensm/opensm.conf", "Command Line Arguments:",
                  " LMC = 1", " Priority = 15", " Subnet_Prefix = <0xfe80000000000001>",
                  " SM Key <MASKED>", " Activate 'minhop' routing engine(s)", " SMSL = 2",
                  " sweep interval = 20", " Transaction timeout = 300", " Transaction retries = 5",
                  " Max wire smp's = 64", " Honor guid2lid file", " Log file max size is 7 MBytes",
                  " Creating new log file", " Partition enforcement = in", " Stay on fatal errors",
                  " Pid file = pid", " Start in the inactive state", "Log prefix = x",
                  " verbose option -D = 0x43", " Ignore Guids File = i", " Hop Weights File = w",
                  " Port Search Ordering File = o", " GUID Routing Order File: x",
                  " Guid <0x2c90300000001,0x2c90300000002>", " d level = 0x2", " Log File: log"));
}

TEST(Flags, FlagsOverrideFileAndFileOverridesDefaults) {
  const CommandLine line = parse({"-p", "3"}, "sm_priority 9\nlmc 2\n");
  EXPECT_EQ(line.options.sm_priority, 3);
  EXPECT_EQ(line.options.lmc, 2);
  EXPECT_EQ(line.options.sweep_interval, 10U);
  EXPECT_EQ(line.from_file.sm_priority, 9);
  EXPECT_EQ(line.options.origins.at("sm_priority"), (Origin{"command line"}));
  EXPECT_THAT(
      line.banner,
      ElementsAre(" Reading Cached Option File: /etc/opensm/opensm.conf",
                  " Loading Cached Option:lmc = 2", " Loading Cached Option:sm_priority = 9",
                  "Command Line Arguments:", " Priority = 3", " Log File: /var/log/opensm.log"));
}

/// Standard output goes to the journal, and from there into support bundles.
TEST(Flags, NoSecretIsPrinted) {
  std::string file;
  for (const Key& key : keys())
    if (key.is_secret) file += std::string(key.name) + " 0x5ec7e7\n";
  file += "etcd_endpoints http://admin:5ec7e7@127.0.0.1:1\n";
  const CommandLine line = parse({"-k", "0x5ec7e8"}, file);
  EXPECT_EQ(line.options.m_key, 0x5ec7e7u);
  EXPECT_EQ(line.options.sm_key, 0x5ec7e8u);
  EXPECT_THAT(line.banner, Contains(" Loading Cached Option:m_key = MASKED"));
  EXPECT_THAT(line.banner,
              Contains(" Loading Cached Option:etcd_endpoints = http://MASKED@127.0.0.1:1"));
  EXPECT_THAT(line.banner, Contains(" SM Key <MASKED>"));
  for (const std::string& text : line.banner)
    EXPECT_EQ(text.find("5ec7e"), std::string::npos) << text;
  EXPECT_THAT(parse({"-k", "1"}).banner, Contains(" SM Key <0x0000000000000001>"))
      << "the default is no secret";
}

TEST(Flags, NoSecretIsInComplaints) {
  std::vector<CommandLine> lines;
  lines.push_back(parse({"--smkeys=0x5ec7e7"}));
  lines.push_back(parse({"-k", "5ec7e7g"}));
  lines.push_back(parse({},
                        "m_key=0x5ec7e7\nm_key: 0x5ec7e7\nsm_key:0x5ec7e7\nsa_key 0x5ec7e7g\n"
                        "state_store etcd\netcd_endpoints http://admin:5ec7e7@127.0.0.1:1/x\n"));
  for (const CommandLine& line : lines) {
    EXPECT_FALSE(line.diagnostics.empty());
    for (const std::string& text : texts(line.diagnostics))
      EXPECT_EQ(text.find("5ec7e7"), std::string::npos) << text;
  }
  EXPECT_THAT(
      texts(lines.back().diagnostics),
      Contains("/etc/opensm/opensm.conf:1:1: warning: unknown key 'm_key=...', ignored; did "
               "you mean 'm_key'?"));
}

TEST(Flags, TheFileIsReadFirstWhateverTheOrder) {
  const char* const args[] = {"heddle", "-p", "3", "-F", "a.conf"};
  const CommandLine line = parse_command_line(args, disk({{"a.conf", "sm_priority 9\nlmc 1"}}));
  EXPECT_EQ(line.options.sm_priority, 3);
  EXPECT_EQ(line.options.lmc, 1);
  EXPECT_EQ(line.config_file, "a.conf");
  EXPECT_EQ(line.banner[0], "Config file is `a.conf`:");
}

TEST(Flags, MaxWireSmpsCountsAsSetEvenAtTheDefault) {
  EXPECT_TRUE(parse({"-n", "4"}).options.is_set("max_wire_smps"));
  EXPECT_FALSE(parse({}).options.is_set("max_wire_smps"));
  EXPECT_TRUE(parse({}, "max_wire_smps 4\n").options.is_set("max_wire_smps"));
  EXPECT_EQ(parse({"-n", "0"}).options.max_wire_smps, 0x7fffffffU);
}

TEST(Flags, MissingConfigWarnsAndRuns) {
  const char* const args[] = {"heddle", "-F", "none"};
  const CommandLine line = parse_command_line(args, disk({}));
  EXPECT_EQ(line.action, Action::run);
  EXPECT_THAT(
      texts(line.diagnostics),
      ElementsAre("none: warning: cannot be read: No such file or directory; defaults are used"));
}

TEST(Flags, MalformedConfigIsRefused) {
  const CommandLine line = parse({}, "lmc 9\n");
  EXPECT_EQ(line.action, Action::refuse);
  EXPECT_EQ(line.exit_code, 1);
  EXPECT_THAT(
      texts(line.diagnostics),
      ElementsAre(
          "/etc/opensm/opensm.conf:1:5: error: lmc '9' is out of range; write a number in 0..7"));
}

TEST(Flags, AllWrongValuesAtOnceExit255) {
  const CommandLine line =
      parse({"-l", "8",  "-p",  "16", "-s",  "abc", "-t",   "0",  "-s",         "5000", "--sm_sl",
             "16", "-k", "xyz", "-Z", "foo", "-D",  "LOUD", "-n", "2147483648", "-g",   ""});
  EXPECT_EQ(line.action, Action::refuse);
  EXPECT_EQ(line.exit_code, 255);
  EXPECT_THAT(
      texts(line.diagnostics),
      ElementsAre(
          "command line: error: --lmc: lmc '8' is out of range; write a number in 0..7",
          "command line: error: --priority: sm_priority '16' is out of range; write a number in "
          "0..15",
          "command line: error: --sweep: 'abc' is not a value for sweep_interval; write a number "
          "in 0..4294; -s is --sweep, -S is --sadb_file <file>",
          "command line: error: --timeout: transaction_timeout '0' is out of range; write a number "
          "in 1..4294967295",
          "command line: error: --sweep: sweep_interval '5000' is out of range; write a number in "
          "0..4294",
          "command line: error: --sm_sl: sm_sl '16' is out of range; write a number in 0..15",
          "command line: error: --smkey: MASKED is not a hexadecimal number of 64 bits; write it "
          "as "
          "in 0x0002c90300a1b2c3",
          "command line: error: --part_enforce: 'foo' is not a value for part_enforce; write one "
          "of both, in, out, off",
          "command line: error: --D: 'LOUD' is not a log level; write a number in 0..255, or of "
          "ERROR, INFO, VERBOSE, DEBUG, FUNCS, "
          "FRAMES, ROUTING, SYS, ALL some with commas between",
          "command line: error: --maxsmps: max_wire_smps '2147483648' is out of range; write a "
          "number in 0..2147483647",
          "command line: error: --guid: guid has no value; write GUIDs such as 0x0002c90300a1b2c3, "
          "separated by commas, or a single 0"));
}

TEST(Flags, UnbuiltFeaturesAreRefused) {
  const std::vector<std::vector<const char*>> refused = {
      {"-R", "pqft"}, {"-R", "minhop,dfp"}, {"-R", "nonsense"}};
  for (const auto& args : refused) {
    const CommandLine line = parse(args);
    EXPECT_EQ(line.action, Action::refuse) << args[0];
    EXPECT_EQ(line.exit_code, 255) << args[0];
  }
  EXPECT_TRUE(parse({"--congestion_control"}).options.congestion_control);
  EXPECT_EQ(parse({"--congestion_control", "--cc_key", "0x12"}).options.cc_key, 0x12u);
  EXPECT_THAT(texts(parse({"-A"}).diagnostics), IsEmpty());  // no effect
  EXPECT_THAT(
      texts(parse({"-R", "pqft"}).diagnostics),
      ElementsAre("command line: error: --routing_engine: routing engine 'pqft' is not "
                  "built: its tables are not documented; dmodc has a closed form for fat trees; "
                  "engines: " +
                  fmt::format("{}", fmt::join(built_engines(), ", "))));
  EXPECT_THAT(texts(parse({"-Q"}).diagnostics), IsEmpty());
  EXPECT_TRUE(parse({"-Q"}).options.qos);
  EXPECT_EQ(parse({"-q", "off"}).action, Action::run);  // the default
  EXPECT_EQ(parse({"--do_mesh_analysis", "--lash_start_vl", "1", "--nue_max_num_vls", "2", "-R",
                   "lash,nue"})
                .action,
            Action::run);
  EXPECT_EQ(
      parse({"--port-shifting", "--scatter-ports", "8", "--guid_routing_order_no_scatter"}).action,
      Action::run);  // an option of minhop
  EXPECT_EQ(parse({"-P", "f", "-W"}).action, Action::run);
  EXPECT_EQ(parse({"-R", "ftree,dmodc,auto", "-H", "1"}).action, Action::run);
  EXPECT_EQ(
      parse({"-R", "updn", "-z", "-a", "f", "-m", "f", "-M", "f", "-U", "f", "-u", "f", "-G", "f"})
          .action,
      Action::run);
}

TEST(Flags, UnknownFlagsExit2) {
  const auto complaint = [](std::vector<const char*> args) {
    const CommandLine line = parse(std::move(args));
    EXPECT_EQ(line.action, Action::refuse);
    EXPECT_EQ(line.exit_code, 2);
    return line.diagnostics.at(0).text();
  };
  EXPECT_EQ(complaint({"--bogus"}),
            "command line: error: unknown option '--bogus'; --help lists all");
  EXPECT_EQ(complaint({"-o", "-J", "x"}),
            "command line: error: unknown option '-J'; --help lists all");
  EXPECT_EQ(complaint({"--hlep"}),
            "command line: error: unknown option '--hlep'; did you mean --help?");
  EXPECT_EQ(complaint({"--smkye=0x1234"}),
            "command line: error: unknown option '--smkye'; did you mean --smkey?");
  EXPECT_EQ(complaint({"--lmc"}), "command line: error: --lmc needs an argument; write --lmc <n>");
  EXPECT_EQ(complaint({"-p"}),
            "command line: error: --priority needs an argument; write --priority <n>");
  EXPECT_EQ(complaint({"--once=3"}), "command line: error: --once takes no argument; write --once");
  EXPECT_EQ(complaint({"--lo"}),
            "command line: error: flag '--lo' is ambiguous; write one of --log_file, --log_limit, "
            "--log_prefix");
}

TEST(Flags, HelpAndVersionHavePrecedence) {
  for (const char* flag : {"-h", "--help", "-?"}) {
    const CommandLine line = parse({flag, "--bogus"}, "lmc 9\n");
    EXPECT_EQ(line.action, Action::show_help) << flag;
    EXPECT_EQ(line.exit_code, 2) << flag;
  }
  const CommandLine version = parse({"--version"}, "lmc 9\n");
  EXPECT_EQ(version.action, Action::show_version);
  EXPECT_EQ(version.exit_code, 0);
  for (const Flag& flag : flags()) {
    if (!flag.hidden) {
      EXPECT_THAT(usage(), HasSubstr(std::string("  --") + std::string(flag.name))) << flag.name;
    }
  }
}

TEST(Flags, CreateConfig) {
  const CommandLine line = parse({"-c", "out.conf", "-l", "3"});
  EXPECT_EQ(line.action, Action::create_config);
  EXPECT_EQ(line.create_file, "out.conf");
  EXPECT_EQ(line.options.lmc, 3);
  EXPECT_THAT(line.banner, Contains(" Creating config file template 'out.conf'."));
  EXPECT_EQ(parse({"-c", "x"}, "lmc 9").action, Action::refuse);
}

TEST(Flags, LogLevels) {
  EXPECT_EQ(parse({"-v"}).options.log_flags, 0x07);
  EXPECT_EQ(parse({"-vv"}).options.log_flags, 0x0f);
  EXPECT_EQ(parse({"-vvvvvvvv"}).options.log_flags, 0xff);
  EXPECT_EQ(parse({"-V"}).options.log_flags, 0xff);
  EXPECT_TRUE(parse({"-V"}).options.force_log_flush);
  EXPECT_EQ(parse({"-D", "ERROR"}).options.log_flags, 0x01);
  EXPECT_EQ(parse({"-D", "INFO,VERBOSE"}).options.log_flags, 0x06);
  EXPECT_EQ(parse({"-D", "ERROR, ROUTING"}).options.log_flags, 0x41);
  EXPECT_EQ(parse({"-D", "067"}).options.log_flags, 067);
  EXPECT_EQ(parse({"-D", "256"}).exit_code, 255);
}

TEST(Flags, DebugOptions) {
  EXPECT_TRUE(parse({"-d", "0"}).options.ignore_other_sm);
  EXPECT_TRUE(parse({"-d1"}).options.single_thread);
  EXPECT_TRUE(parse({"-d", "2"}).options.force_log_flush);
  EXPECT_TRUE(parse({"-d", "3"}).options.disable_multicast);
  const CommandLine line = parse({"-d", "10"});
  EXPECT_EQ(line.action, Action::run);
  EXPECT_THAT(texts(line.diagnostics),
              ElementsAre("command line: warning: --debug: there is no debug option 10, ignored; "
                          "write a number in 0..3"));
  EXPECT_EQ(parse({"-d", "x"}).exit_code, 255);
}

TEST(Flags, PartitionEnforcement) {
  EXPECT_EQ(parse({"-N"}).options.part_enforce, PartEnforce::off);
  EXPECT_TRUE(parse({"-N"}).options.no_partition_enforcement);
  const CommandLine line = parse({"-Z", "out"}, "no_partition_enforcement TRUE\n");
  EXPECT_EQ(line.options.part_enforce, PartEnforce::out);
  EXPECT_FALSE(line.options.no_partition_enforcement);
}

TEST(Flags, PromptForAPort) {
  EXPECT_TRUE(parse({"-g", "0"}).prompt_for_guid);
  EXPECT_FALSE(parse({"-g", "1"}).prompt_for_guid);
  EXPECT_FALSE(parse({}, "guid 0\n").prompt_for_guid);
  const CommandLine line = parse({"-B", "-g", "0"});
  EXPECT_EQ(line.exit_code, 255);
  EXPECT_THAT(texts(line.diagnostics),
              ElementsAre("command line: error: Invalid GUID specified; exiting because of daemon "
                          "mode: -g 0 prompts for a port, and a daemon has no terminal; "
                          "name a port GUID with -g, or leave -g out"));
}

TEST(Flags, Contradictions) {
  EXPECT_THAT(texts(parse({"-o", "-I"}).diagnostics),
              ElementsAre("command line: error: an inactive SM never sweeps, so --once would never "
                          "end; leave --inactive or --once out"));
  EXPECT_THAT(texts(parse({"-B", "-f", "stdout"}).diagnostics),
              ElementsAre("command line: warning: log_file stdout is lost: a daemon has no "
                          "terminal; name a file, or do not use daemon mode"));
}

TEST(Flags, WordsThatAreNoFlagsAreReported) {
  EXPECT_THAT(
      texts(parse({"-l", "1", "stray"}).diagnostics),
      ElementsAre(
          "command line: warning: 'stray' is not a flag, ignored; flags begin with a dash"));
}

TEST(Flags, DefaultsFromTheEnvironment) {
  const char* const args[] = {"heddle"};
  const CommandLine line = parse_command_line(args, disk({}), default_options("/tmp/d", "/tmp/c"));
  EXPECT_EQ(line.options.dump_files_dir, "/tmp/d");
  EXPECT_EQ(line.options.cache_files_dir, "/tmp/c");
  EXPECT_EQ(default_options(nullptr, "").dump_files_dir, "/var/log/");
}

TEST(Flags, TheSameLetterInTheOtherCaseIsNamedWhereItMayBeMeant) {
  const auto told = [](std::vector<const char*> words) {
    return texts(parse(std::move(words)).diagnostics);
  };
  EXPECT_THAT(told({"-p", "/etc/opensm/partitions.conf"}),
              testing::Contains(testing::HasSubstr("; -p is --priority, -P is --Pconfig <file>")));
  EXPECT_THAT(told({"-s", "sa.dump"}),
              testing::Contains(testing::HasSubstr("; -s is --sweep, -S is --sadb_file <file>")));
  EXPECT_THAT(told({"-g", "io-nodes"}),
              testing::Contains(testing::HasSubstr("; -g is --guid, -G is --io_guid_file <file>")));
  EXPECT_THAT(told({"-d", "ERROR"}),
              testing::Contains(testing::HasSubstr("; -d is --debug, -D is --D <flags>")));
  EXPECT_THAT(told({"-l", "many"}), testing::Not(testing::Contains(testing::HasSubstr("-L is"))));
}

}  // namespace flags_test
}  // namespace config
