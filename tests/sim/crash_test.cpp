// A leaf hangs, the manager is killed while it forgets the hosts behind the leaf, and the leaf
// returns: each host that lost a membership is asked to register again, whatever the files have.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sa/registrations/persistence.h"
#include "support/seeds.h"

namespace crash_test {

using laboratory::kBroadcast;
using laboratory::SaLab;
using namespace std::chrono_literals;

/// The content of the files of a folder, by name.
using Files = std::map<std::string, std::string>;

/// The manager is at H0, with H1 at the same switch; H2 and H3 are at the other one.
class Killed : public SaLab {
 public:
  Killed() : SaLab(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})) {
    options.cache_files_dir = folder_.text();
  }

  bool begin() {
    if (!start_and_settle()) return false;
    return std::ranges::all_of(kMembers, [&](const char* name) { return join(name).has_value(); });
  }
  /// The switch's agent hangs while its links stay up.
  void hang_leaf(bool hangs) { node("S1").health.silent = hangs; }
  bool has_member(const char* name) {
    const sa::Group* const group = administrator().registrations().groups.find(kBroadcast);
    return group != nullptr && std::ranges::any_of(group->members, [&](const auto& member) {
             return member.first.guid == guid(name);
           });
  }

  /// Runs for this time. Returns the content of the files each time that it has changed, and
  /// before.
  std::vector<Files> watch_files(mad::Duration time) {
    std::vector<Files> states{read()};
    runtime.run_until(
        [&] {
          Files now = read();
          if (now != states.back()) states.push_back(std::move(now));
          return false;
        },
        time);
    return states;
  }
  /// Ends the manager, and starts one that finds these files, with the leaf in front of it. Hosts
  /// that get ClientReregister join again.
  void restart_with(const Files& files) {
    heddle().stop();
    hang_leaf(false);
    write(files);
    std::set<sim::PortIndex> asked;
    world.on_client_reregister = [&](sim::PortIndex port) { asked.insert(port); };
    heddle().forget_log();
    start();
    EXPECT_TRUE(comes_up()) << complaint() << tail();
    runtime.run_for(1s);
    world.on_client_reregister = nullptr;
    asked_last = 0;
    for (const char* name : kMembers) {
      if (!asked.contains(port(name))) continue;
      ++asked_last;
      EXPECT_TRUE(join(name)) << name;
    }
  }

  static constexpr std::array<const char*, 3> kMembers{"H1", "H2", "H3"};
  std::size_t asked_last = 0;

 private:
  Files read() const {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.text())) {
      std::ifstream in(entry.path(), std::ios::binary);
      files[entry.path().filename().string()].assign(std::istreambuf_iterator<char>(in), {});
    }
    return files;
  }
  void write(const Files& files) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.text()))
      std::filesystem::remove(entry.path());
    for (const auto& [name, content] : files)
      std::ofstream(std::filesystem::path(folder_.text()) / name, std::ios::binary) << content;
  }

  laboratory::Folder folder_;
};

/// Returns the states in which a crash may leave the files: the journal cut at each byte that was
/// appended to it, with all other files as they were before or after.
std::vector<Files> crash_states(const std::vector<Files>& states) {
  const std::string journal_name(sa::kRegistrationsFile);
  std::vector<std::string> journals{states.front().at(journal_name)};
  for (const Files& state : states) {
    const std::string& next = state.at(journal_name);
    const std::string before = journals.back();
    if (next == before) continue;
    if (next.starts_with(before)) {
      for (std::size_t length = before.size() + 1; length < next.size(); ++length)
        journals.push_back(next.substr(0, length));
    }
    journals.push_back(next);
  }
  std::vector<Files> all;
  const std::size_t step = seeds::are_default() ? 1 : 5;
  for (std::size_t at = 0; at < journals.size(); at += step) {
    all.push_back(states.front());
    all.back()[journal_name] = journals[at];
  }
  for (const std::string& journal : {journals.front(), journals.back()}) {
    all.push_back(states.back());
    all.back()[journal_name] = journal;
    all.push_back(states.front());
    all.back()[journal_name] = journal;
  }
  return all;
}

TEST(Crash, AtAnyByteLeavesNoHostWithoutItsMembership) {
  Killed lab;
  ASSERT_TRUE(lab.begin()) << lab.complaint() << lab.tail();
  lab.settle();
  lab.hang_leaf(true);
  lab.heddle().reload(lab.options);
  const std::vector<Files> states = lab.watch_files(20s);
  ASSERT_FALSE(lab.has_member("H2")) << lab.tail();
  ASSERT_FALSE(lab.has_member("H3"));
  ASSERT_TRUE(lab.has_member("H1"));
  const std::vector<Files> crashes = crash_states(states);
  ASSERT_GT(crashes.size(), 20u);
  std::size_t with_members = 0, asked = 0;
  for (std::size_t number = 0; number < crashes.size(); ++number) {
    SCOPED_TRACE(testing::Message() << "crash " << number << " of " << crashes.size());
    lab.restart_with(crashes[number]);
    for (const char* name : Killed::kMembers) ASSERT_TRUE(lab.has_member(name)) << name;
    (lab.asked_last == 0 ? with_members : asked) += 1;
  }
  EXPECT_GT(with_members, 0u) << "before the journal forgets them, no host is asked";
  EXPECT_GT(asked, 0u) << "after that, they are";
}

/// The first sweep of a manager without files asks all. Killed in the middle of it, the next one
/// asks those that have not answered, and only those.
TEST(Crash, InTheFirstSweepLeavesNoHostThatIsNotAsked) {
  Killed lab;
  std::set<sim::PortIndex> asked;
  lab.world.on_client_reregister = [&](sim::PortIndex port) { asked.insert(port); };
  lab.start();
  const std::vector<Files> states = lab.watch_files(5s);
  ASSERT_TRUE(lab.says("SUBNET UP")) << lab.tail();
  for (const char* name : Killed::kMembers) EXPECT_TRUE(asked.contains(lab.port(name))) << name;
  const std::string journal(sa::kRegistrationsFile);
  for (std::size_t at = 0; at < states.size(); ++at) {
    SCOPED_TRACE(testing::Message() << "state " << at << " of " << states.size());
    Files files = states.back();  // all other files are complete
    files.erase(journal);
    const auto found = states[at].find(journal);
    if (found != states[at].end()) files[journal] = found->second;
    const bool has_all = files == states.back();
    lab.restart_with(files);
    EXPECT_EQ(lab.asked_last, has_all ? 0u : Killed::kMembers.size());
  }
}

/// A line of the journal is damaged, so that any host may have lost something. Killed before it
/// asks, the manager finds the journal repaired at its next start, and asks all the same.
TEST(Crash, AfterAJournalWasRepairedAllHostsAreAsked) {
  Killed lab;
  ASSERT_TRUE(lab.begin()) << lab.tail();
  lab.settle();
  std::vector<Files> states = lab.watch_files(1s);
  Files files = states.back();
  std::string& journal = files[std::string(sa::kRegistrationsFile)];
  const std::size_t line = journal.find(" member ");
  ASSERT_NE(line, std::string::npos);
  journal[line + 10] = journal[line + 10] == '0' ? '1' : '0';
  lab.heddle().stop();
  {
    laboratory::Folder folder;
    std::ofstream(std::filesystem::path(folder.text()) / sa::kRegistrationsFile) << journal;
    const auto loaded = sa::RegistrationStore::load(folder.text(), false);
    ASSERT_TRUE(loaded);
    EXPECT_FALSE(loaded->messages.empty());
    std::ifstream in(std::filesystem::path(folder.text()) / sa::kRegistrationsFile);
    journal.assign(std::istreambuf_iterator<char>(in), {});
  }
  lab.restart_with(files);
  EXPECT_EQ(lab.asked_last, Killed::kMembers.size());
}

}  // namespace crash_test
