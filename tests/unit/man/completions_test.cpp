// Completion in the shells themselves: names of nodes come from a heddlectl that a script here
// stands for, and nothing comes if it fails.

#include "man/completions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sm/ctl/commands/command_line.h"
#include "support/require_tool.h"
#include "unit/sm/temporary_directory.h"

namespace manual {
namespace completions_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class InShell : public ::testing::Test {
 protected:
  void SetUp() override {
    sm::commands::CommandLine heddlectl;
    const Completed what = completed(heddlectl.app());
    std::ofstream(root_ / "heddlectl.bash") << bash(what);
    std::ofstream(root_ / "heddlectl.fish") << fish(what);
    fs::create_directories(root_ / "functions");
    std::ofstream(root_ / "functions/_heddlectl") << zsh(what);
    stand_in("printf 'leaf-3\\t0x0002c90300000003\\nn17\\t0x0002c90300000017\\n'");
  }
  /// Replaces heddlectl: `heddlectl nodes --names` runs this script, and other arguments are
  /// printed.
  void stand_in(const std::string& names) {
    fs::create_directories(root_ / "bin");
    const fs::path file = root_ / "bin/heddlectl";
    std::ofstream(file) << "#!/bin/sh\nif [ \"$*\" = 'nodes --names' ]; then\n"
                        << names << "\nelse\necho \"ran: $*\"\nfi\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  /// Output and errors of a script.
  std::string run(const std::string& shell, const std::string& script) const {
    std::ofstream(root_ / "script") << script;
    const std::string command = "cd '" + root_.string() + "' && PATH='" + root_.string() +
                                "/bin':$PATH HOME='" + root_.string() + "' timeout 20 " + shell +
                                " ./script > out 2>&1 < /dev/null";
    // NOLINTNEXTLINE(cert-env33-c): commands of this test
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(root_ / "out").rdbuf();
    if (status != 0) text << "\nexit status " << status;
    return std::move(text).str();
  }
  std::string in_bash(const std::string& words) const {
    return run("bash --norc", ". ./heddlectl.bash\nCOMP_WORDS=(" + words +
                                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_heddlectl\n"
                                  "printf '<%s>' \"${COMPREPLY[@]}\"\n");
  }
  /// The candidates of each line, in one shell.
  std::string in_fish(const std::vector<std::string>& lines) const {
    std::string script = "source ./heddlectl.fish\n";
    for (const std::string& line : lines) script += "complete -C '" + line + "'\n";
    return run("fish --no-config", script);
  }
  /// The whole lines after TAB, as the program gets them, in one shell.
  std::string in_zsh(const std::vector<std::string>& lines) const {
    std::string script = R"(zmodload zsh/zpty
zpty shell zsh -f -i
setup="PS1=; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "$setup; zstyle ':completion:*' insert-tab false; echo rea\"\"dy"
zpty -r shell text '*ready*'
)";
    for (const std::string& line : lines)
      script += "zpty -w -n shell $'" + line + R"(\t\n'
zpty -r shell text $'*ran: *\n*'
print -r -- $text
)";
    return run("zsh -f", script + "zpty -d shell\n");
  }

 private:
  TemporaryDirectory directory_;

 protected:
  const fs::path root_ = directory_.path();
};

TEST_F(InShell, BashCompletesNodes) {
  HEDDLE_REQUIRE_TOOL("bash", "bash");
  EXPECT_EQ(in_bash("heddlectl show portinfo ''"), "<leaf-3><n17>");
  EXPECT_EQ(in_bash("heddlectl show portinfo le"), "<leaf-3>");
  EXPECT_EQ(in_bash("heddlectl show portinfo 0x0002c9030000001"), "<0x0002c90300000017>");
  EXPECT_EQ(in_bash("heddlectl show pk"), "<pkeys>");
  EXPECT_EQ(in_bash("heddlectl trace leaf-3 n"), "<n17>");
  EXPECT_EQ(in_bash("heddlectl plan --without n"), "<n17>");
  EXPECT_EQ(in_bash("heddlectl vports --host l"), "<leaf-3>");
  EXPECT_THAT(in_bash("heddlectl show portinfo --"),
              AllOf(HasSubstr("<--json>"), Not(HasSubstr("n17"))));
  EXPECT_THAT(in_bash("heddlectl di"), HasSubstr("<diff>"));
  EXPECT_EQ(in_bash("heddlectl partition re"), "<remove>");
  EXPECT_EQ(in_bash("heddlectl partition add 0x12 0x2 --lim"), "<--limited>");
  EXPECT_EQ(in_bash("heddlectl partition list --lim"), "<>");
}

TEST_F(InShell, BashCompletesNothingWithoutADaemon) {
  HEDDLE_REQUIRE_TOOL("bash", "bash");
  stand_in("echo 'heddlectl: no Heddle runs here' >&2; exit 1");
  EXPECT_EQ(in_bash("heddlectl show portinfo ''"), "<>");
  stand_in("sleep 30");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(in_bash("heddlectl show portinfo ''"), "<>");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(InShell, FishCompletesNodes) {
  HEDDLE_REQUIRE_TOOL("fish", "fish");
  EXPECT_EQ(in_fish({"heddlectl show portinfo le", "heddlectl show portinfo 0x0002c9030000001",
                     "heddlectl show pk", "heddlectl trace leaf-3 n", "heddlectl plan --without n",
                     "heddlectl partition rem", "heddlectl partition add 0x12 --lim"}),
            "leaf-3\t0x0002c90300000003\n"
            "0x0002c90300000017\tn17\n"
            "pkeys\n"
            "n17\t0x0002c90300000017\n"
            "n17\t0x0002c90300000017\n"
            "remove\tmembers\n"
            "--limited\tlimited members\n");
  stand_in("echo 'heddlectl: no Heddle runs here' >&2; exit 1");
  EXPECT_EQ(in_fish({"heddlectl show portinfo le"}), "");
}

TEST_F(InShell, ZshCompletesNodes) {
  HEDDLE_REQUIRE_TOOL("zsh", "zsh");
  const std::string ran =
      in_zsh({"heddlectl show portinfo le", "heddlectl show portinfo 0x0002c9030000001",
              "heddlectl show pk", "heddlectl plan --without n", "heddlectl partition rem",
              "heddlectl partition add --lim"});
  EXPECT_THAT(ran, HasSubstr("ran: partition remove"));
  EXPECT_THAT(ran, HasSubstr("ran: partition add --limited"));
  EXPECT_THAT(ran, HasSubstr("ran: show portinfo leaf-3"));
  EXPECT_THAT(ran, HasSubstr("ran: show portinfo 0x0002c90300000017"));
  EXPECT_THAT(ran, HasSubstr("ran: show pkeys"));
  EXPECT_THAT(ran, HasSubstr("ran: plan --without n17"));
}

}  // namespace completions_test
}  // namespace manual
