// Notifications to the service manager, read from a socket like systemd's.

#include "sm/daemon/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "unit/sm/temporary_directory.h"

namespace service_manager_test {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

class ServiceManager : public testing::Test {
 protected:
  ServiceManager() {
    const std::string path = (directory_.path() / "notify").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~ServiceManager() override {
    ::close(socket_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }

  std::vector<std::string> received() const {
    std::vector<std::string> all;
    std::array<char, 512> buffer{};
    for (ssize_t size = 0;
         (size = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0;)
      all.emplace_back(buffer.data(), static_cast<std::size_t>(size));
    return all;
  }

 private:
  TemporaryDirectory directory_;
  int socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST_F(ServiceManager, LearnsTheStatusWhenItChanges) {
  sm::ServiceManager link;
  link.ready();
  link.alive("one");
  link.alive("one");
  link.alive("two");
  link.stopping();
  EXPECT_THAT(received(), ElementsAre("READY=1", "STATUS=one", "STATUS=two", "STOPPING=1"));
  EXPECT_EQ(link.period(), 1s);
}

TEST_F(ServiceManager, WatchdogGetsASignOfLifeAtLeastThreeTimesInItsInterval) {
  ::setenv("WATCHDOG_USEC", "600000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  sm::ServiceManager link;
  EXPECT_EQ(link.period(), 200ms);
  link.alive("same");
  link.alive("same");
  EXPECT_THAT(received(), ElementsAre("WATCHDOG=1", "STATUS=same", "WATCHDOG=1"));
}

TEST_F(ServiceManager, WatchdogOfAnotherProcessIsNotOurs) {
  ::setenv("WATCHDOG_USEC", "600000", 1);
  ::setenv("WATCHDOG_PID", "1", 1);
  sm::ServiceManager link;
  link.alive("");
  EXPECT_THAT(received(), IsEmpty());
}

TEST(ServiceStatus, NamesEachPortItsStateAndItsLastSweep) {
  const std::array states{
      sm::ServiceState{mad::Guid{0x2c90300000001}, mad::SmState::master, "SUBNET UP (start)"},
      sm::ServiceState{mad::Guid{0x2c90300000002}, mad::SmState::standby, "none yet"}};
  EXPECT_EQ(sm::service_status(states),
            "0x0002c90300000001 Master, last sweep: SUBNET UP (start); "
            "0x0002c90300000002 Standby, last sweep: none yet");
}

}  // namespace service_manager_test
