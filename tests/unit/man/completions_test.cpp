// Completion in the shells themselves, by the real `heddlectl complete`. Names of nodes come from a
// script that stands for it, since no daemon runs here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/require_tool.h"
#include "unit/sm/temporary_directory.h"

namespace manual {
namespace completions_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const fs::path kCompletions = fs::path(HEDDLE_SOURCE_DIR) / "man/completions";

class InShell : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "functions");
    fs::copy_file(kCompletions / "_heddlectl", root_ / "functions/_heddlectl");
    stand_in("exec '" HEDDLECTL_PROGRAM "' \"$@\"");
  }
  /// Replaces `heddlectl complete` by these commands; all else is printed.
  void stand_in(const std::string& complete) {
    fs::create_directories(root_ / "bin");
    const fs::path file = root_ / "bin/heddlectl";
    std::ofstream(file) << "#!/bin/sh\nif [ \"$1\" = complete ]; then\n"
                        << complete << "\nelse\necho \"ran: $*\"\nfi\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  void stand_in_with_nodes() {
    stand_in(
        "for word; do :; done\n"
        "printf 'leaf-3\\t0x0002c90300000003\\nn17\\t0x0002c90300000017\\n' | grep \"^$word\"");
  }
  /// Output and errors of a script.
  std::string run(const std::string& shell, const std::string& script) const {
    std::ofstream(root_ / "script") << script;
    const std::string command = "cd '" + root_.string() + "' && PATH='" + root_.string() +
                                "/bin':$PATH HEDDLE_RUN_DIR=/nowhere HOME='" + root_.string() +
                                "' timeout 20 " + shell + " ./script > out 2>&1 < /dev/null";
    // NOLINTNEXTLINE(cert-env33-c): commands of this test
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(root_ / "out").rdbuf();
    if (status != 0) text << "\nexit status " << status;
    return std::move(text).str();
  }
  std::string in_bash(const std::string& words) const {
    return run("bash --norc", ". '" + (kCompletions / "heddlectl.bash").string() +
                                  "'\nCOMP_WORDS=(" + words +
                                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_heddlectl\n"
                                  "printf '<%s>' \"${COMPREPLY[@]}\"\n");
  }
  /// The candidates of each line, in one shell.
  std::string in_fish(const std::vector<std::string>& lines) const {
    std::string script = "source '" + (kCompletions / "heddlectl.fish").string() + "'\n";
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

TEST_F(InShell, BashCompletesCommandsOptionsAndNodes) {
  HEDDLE_REQUIRE_TOOL("bash", "bash");
  EXPECT_EQ(in_bash("heddlectl show pk"), "<pkeys>");
  EXPECT_THAT(in_bash("heddlectl show portinfo n17 --"),
              AllOf(HasSubstr("<--json>"), HasSubstr("<--guid>")));
  EXPECT_THAT(in_bash("heddlectl di"), HasSubstr("<diff>"));
  EXPECT_THAT(in_bash("heddlectl ''"), Not(HasSubstr("<complete>")));
  EXPECT_EQ(in_bash("heddlectl partition re"), "<remove>");
  EXPECT_EQ(in_bash("heddlectl partition add 0x12 0x2 --lim"), "<--limited>");
  EXPECT_EQ(in_bash("heddlectl partition list --lim"), "<>");
  EXPECT_EQ(in_bash("/usr/sbin/heddle --smk"), "<--smkey>");
  EXPECT_EQ(in_bash("heddle -F ''"), "<>") << "a file";
  EXPECT_EQ(in_bash("heddlectl show portinfo ''"), "<>") << "there is no daemon";
  stand_in_with_nodes();
  EXPECT_EQ(in_bash("heddlectl show portinfo le"), "<leaf-3>");
}

TEST_F(InShell, BashCompletesPortsBehindAColonThatReadlineSeparates) {
  HEDDLE_REQUIRE_TOOL("bash", "bash");
  stand_in(
      "for word; do :; done\n"
      "printf 'S1-1:1\\tH0 port 1\\nS1-1:12\\tno link\\n' | grep \"^$word\"");
  EXPECT_EQ(in_bash("heddlectl describe S1-1 :"), "<1><12>");
  EXPECT_EQ(in_bash("heddlectl describe S1-1 : 12"), "<12>");
  EXPECT_EQ(in_bash("heddlectl links --node S1-1 : 1"), "<1><12>");
}

TEST_F(InShell, BashDoesNotWaitForADaemonThatDoesNotAnswer) {
  HEDDLE_REQUIRE_TOOL("bash", "bash");
  stand_in("sleep 30");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(in_bash("heddlectl show portinfo ''"), "<>");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(InShell, FishCompletesCommandsOptionsAndNodes) {
  HEDDLE_REQUIRE_TOOL("fish", "fish");
  EXPECT_EQ(in_fish({"heddlectl show pk", "heddlectl partition rem",
                     "heddlectl partition add 0x12 --lim"}),
            "pkeys\n"
            "remove\tmembers\n"
            "--limited\tlimited members\n");
  stand_in_with_nodes();
  EXPECT_EQ(in_fish({"heddlectl show portinfo le"}), "leaf-3\t0x0002c90300000003\n");
}

TEST_F(InShell, ZshCompletesCommandsOptionsAndNodes) {
  HEDDLE_REQUIRE_TOOL("zsh", "zsh");
  const std::string ran = in_zsh(
      {"heddlectl show pk", "heddlectl partition rem", "heddlectl partition add 0x12 --lim"});
  EXPECT_THAT(ran, HasSubstr("ran: partition remove"));
  EXPECT_THAT(ran, HasSubstr("ran: partition add 0x12 --limited"));
  EXPECT_THAT(ran, HasSubstr("ran: show pkeys"));
  stand_in_with_nodes();
  EXPECT_THAT(in_zsh({"heddlectl show portinfo le"}), HasSubstr("ran: show portinfo leaf-3"));
}

}  // namespace completions_test
}  // namespace manual
