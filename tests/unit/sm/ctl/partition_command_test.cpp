// heddlectl partition on a control socket with the handlers of /v1/partitions behind it.

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>

#include "partition_service_fake.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/web/server.h"
#include "support/fabrics.h"
#include "support/subnets.h"

namespace partition_command_test {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kFile = "Default=0x7fff : ALL=full ;\nstorage=0x20 : 0x100=full ;";
constexpr mad::Guid kGuid{0x2c90000000011}, kOther{0x2c90000000012};

struct Result {
  int code = -1;
  std::string out, err;
};

class PartitionCommand : public testing::Test {
 protected:
  PartitionCommand() {
    fake.wall = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    setenv("HEDDLE_RUN_DIR", fake.directory.c_str(), 1);
    for (sm::web::Route& route : resources.routes)
      route.handler = [this, handler = route.handler](
                          sm::web::Request request) -> boost::asio::awaitable<sm::web::Response> {
        EXPECT_EQ(request.caller.user, caller);
        const std::lock_guard lock(mutex);  // the fake runs the handler to its end
        requests.push_back(request.path);
        for (const auto& [name, value] : request.query)
          if (name != sm::web::kManagerParameter) requests.back() += " " + name + "=" + value;
        co_return fake.run(handler(std::move(request)));
      };
    router = std::make_shared<const sm::web::Router>(resources.routes);
    listen("0x0002c90000000001");
  }
  ~PartitionCommand() override {
    server.stop();
    unsetenv("HEDDLE_RUN_DIR");
  }

  void listen(const std::string& port) {
    const auto opened = server.open_control(
        {.path = fake.directory / (port + ".sock"), .manager = port, .group = ""});
    ASSERT_TRUE(opened) << opened.error();
  }

  Result heddlectl(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"heddlectl", "partition"});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Result result;
    result.code =
        sm::commands::CommandLine().run(static_cast<int>(arguments.size()), arguments.data());
    result.out = testing::internal::GetCapturedStdout();
    result.err = testing::internal::GetCapturedStderr();
    return result;
  }
  /// Succeeds without a word on standard error.
  std::string done(std::vector<const char*> arguments) {
    const Result result = heddlectl(std::move(arguments));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, IsEmpty());
    return result.out;
  }
  void fails(std::vector<const char*> arguments, int code, const std::string& message) {
    const Result result = heddlectl(std::move(arguments));
    EXPECT_EQ(result.code, code) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  const partitions::RuntimeMember* member(std::uint16_t key, mad::Guid guid) {
    return fake.store->current()->members().find({key, guid});
  }

  partition_service::Fake fake{kFile};
  sm::web::Resources resources = sm::partition_resources(fake.service());
  std::shared_ptr<const sm::web::Router> router;
  std::string caller = fmt::format("uid {}", getuid());
  std::mutex mutex;
  std::vector<std::string> requests;
  sm::web::Server server{{.routes = [this](const sm::web::Fields&) { return router; }}};
};

TEST_F(PartitionCommand, CreatesAddsShowsRemovesAndDeletes) {
  EXPECT_THAT(done({"create", "0x12", "--name", "blue", "--ipoib", "--mtu", "4096", "--rate", "2.5",
                    "--sl", "3"}),
              HasSubstr("revision 1: "));
  const partitions::RuntimePartition* blue = fake.store->current()->partitions().find(0x12);
  ASSERT_NE(blue, nullptr);
  EXPECT_EQ(blue->attributes, (partitions::PartitionAttributes{
                                  .name = "blue", .ipoib = true, .mtu = 5, .rate = 2, .sl = 3}));

  EXPECT_EQ(done({"add", "0x12", "0x2c90000000011", "0002c90000000012", "--limited", "--index0",
                  "--owner", "job 4711", "--expires", "2099-01-01T00:00:00Z", "--wait"}),
            "revision 2: stored; 0 of 2 members applied\n"
            "0x0002c90000000011 pending: the first sweep has not ended yet\n"
            "0x0002c90000000012 pending: the first sweep has not ended yet\n");
  EXPECT_THAT(requests.back(), HasSubstr(" wait=applied"));
  for (const mad::Guid guid : {kGuid, kOther}) {
    const partitions::RuntimeMember* const found = member(0x12, guid);
    ASSERT_NE(found, nullptr);
    EXPECT_FALSE(found->full);
    EXPECT_TRUE(found->index0);
    EXPECT_EQ(*found->owner, "job 4711");
    EXPECT_TRUE(found->expires);
  }
  EXPECT_THAT(done({"show", "0x12"}),
              AllOf(HasSubstr("blue"), HasSubstr("4096 bytes, 2.5 Gb/s, SL 3"),
                    HasSubstr("0x0002c90000000012  limited     api   job 4711  at index 0, not in "
                              "the subnet, until 2099-01-01T00:00:00Z")));
  const json shown = json::parse(done({"show", "18", "--json"}));
  EXPECT_EQ(shown["p_key"], "0x0012");
  EXPECT_EQ(shown["members"].size(), 2u);

  EXPECT_THAT(done({"remove", "0x12", "0x2c90000000011"}), HasSubstr("revision 3: "));
  EXPECT_EQ(member(0x12, kGuid), nullptr);
  EXPECT_NE(member(0x12, kOther), nullptr);
  EXPECT_EQ(json::parse(done({"delete", "0x12", "--json", "--wait"}))["applied"], true);
  EXPECT_EQ(fake.store->current()->partitions().find(0x12), nullptr);
}

TEST_F(PartitionCommand, SaysWhatBecameOfEachMember) {
  fabrics::Maker maker;
  const fabric::PortIndex host = maker.host(maker.sw(4, "leaf-0"));
  fabric::Fabric fabric = maker.build();
  fabric.nodes[fabric.ports[host].node].description.set_text("n17 mlx5_0");
  const std::string port = fmt::format("{}", fabric.ports[host].guid),
                    node = fmt::format("{}", fabric.owning_node(host).guid);
  auto subnet = std::make_shared<fabric::Subnet>(subnets::bring_up(std::move(fabric)));
  subnet->partitions = subnets::make_partitions({{}, {{0x8012}}});
  if (subnet->find_p_keys(host).empty())
    subnet->partitions = subnets::make_partitions({{{0x8012}}, {}});
  fake.subnet = subnet;
  done({"create", "0x12"});
  EXPECT_EQ(done({"add", "0x12", "n17", "--wait"}), "revision 2: the fabric has it\n");
  EXPECT_NE(member(0x12, subnet->fabric.ports[host].guid), nullptr) << "by its name";
  EXPECT_EQ(done({"add", "0x12", port.c_str(), "0x77", "--wait"}),
            "revision 3: stored; 1 of 2 members applied\n"
            "0x0000000000000077 pending: no port in the subnet has this GUID yet\n");
  EXPECT_THAT(done({"list"}), HasSubstr("1 not in the subnet"));
  const Result refused = heddlectl({"add", "0x12", node.c_str(), "--wait"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.out, HasSubstr(node + " refused: this is the NodeGUID of \"n17 mlx5_0\""));
  EXPECT_THAT(refused.out, HasSubstr("use " + port));
  EXPECT_THAT(refused.err, HasSubstr("1 of 1 member refused"));
  fails({"add", "0x12", "n18"}, 1, "nothing here is called \"n18\"");
}

TEST_F(PartitionCommand, FullIsTheDefaultAndAddingAgainReplaces) {
  done({"create", "0x12"});
  done({"add", "0x12", "0x2c90000000011", "--limited"});
  done({"add", "0x12", "0x2c90000000011"});
  EXPECT_TRUE(member(0x12, kGuid)->full);
  done({"add", "0x12", "0x2c90000000011", "--full"});
  EXPECT_EQ(fake.store->current()->revision(), 3u) << "nothing to change";
  fails({"add", "0x12", "0x2c90000000011", "--full", "--limited"}, 2, "--limited");
}

TEST_F(PartitionCommand, SaysHowManyManagersHoldAChange) {
  EXPECT_THAT(done({"create", "0x12"}), Not(HasSubstr("held"))) << "etcd keeps it";
  fake.managers = 1;
  EXPECT_THAT(done({"add", "0x12", "0x2c90000000011"}), HasSubstr("; held by 1 other manager\n"));
  fake.managers = 0;
  EXPECT_THAT(done({"remove", "0x12", "0x2c90000000011"}),
              HasSubstr("; held by this manager only\n"));
  EXPECT_EQ(json::parse(done({"delete", "0x12", "--json"}))["replicated"], 0);
}

TEST_F(PartitionCommand, MembersOfAPartitionThatOnlyTheFileHas) {
  done({"add", "0x20", "0x2c90000000011"});
  EXPECT_NE(member(0x20, kGuid), nullptr);
  EXPECT_THAT(done({"list"}), AllOf(HasSubstr("0x0020  storage  file+api"), HasSubstr("0x7fff")));
  EXPECT_EQ(json::parse(done({"list", "--json"}))["partitions"].size(), 2u);
}

TEST_F(PartitionCommand, DurationsCountFromNow) {
  done({"create", "0x12"});
  done({"add", "0x12", "0x2c90000000011", "--expires", "12h"});
  const auto left = *member(0x12, kGuid)->expires - fake.wall;
  EXPECT_GE(left, 12h);
  EXPECT_LE(left, 12h + 1min);
  for (const char* const text : {"12", "h", "1w", "-1h", "99999999999999999999s", "0s"})
    fails({"add", "0x12", "0x2c90000000012", "--expires", text}, 1,
          "expires_at is no time of RFC 3339; write such as 2026-11-24T12:00:00Z");
}

TEST_F(PartitionCommand, ErrorsAreThoseOfTheApi) {
  fails(
      {"show", "0x12"}, 1,
      "heddlectl: there is no partition 0x0012; create it by `heddlectl partition create`, by POST "
      "/v1/partitions, or in partitions.conf");
  fails({"add", "0x12", "0x1"}, 1, "there is no partition 0x0012");
  EXPECT_EQ(fake.store->current()->partitions().find(0x12), nullptr) << "a typing error";
  fails({"create", "0x8012"}, 1, "'0x8012' is no P_Key of a partition: bit 15 is the membership");
  fails({"create", "0x12", "--mtu", "1500"}, 1, "mtu is no MTU of InfiniBand; write 256, 512");
  fails({"create", "0x12", "--sl", "16"}, 1, "sl is no SL; write a number in 0..15");
  fails({"create", "0x12", "--rate", "fast"}, 1, "rate_gbps is no rate of InfiniBand");
  fails({"delete", "0x20"}, 1, "partition 0x0020 is in partitions.conf alone; change that file");
  done({"create", "0x12"});
  fails({"create", "0x12"}, 1, "change it by PATCH or PUT");
  fails({"add", "0x12", "0x2c90000000011", "n17"}, 1,
        "\"n17\" is no GUID, and names are known after the first sweep; write a port GUID, or");
  EXPECT_EQ(member(0x12, kGuid), nullptr) << "all or none";
  fails({"add", "0x12", "0x1", "--expires", "soon"}, 1, "expires_at is no time of RFC 3339");
  fake.refuses = "the manager is not MASTER";
  fails({"delete", "0x12"}, 1, "the manager is not MASTER; nothing was changed; send the request");
}

TEST_F(PartitionCommand, ACommandLineThatIsWrong) {
  fails({"add", "0x12"}, 2, "PORT");
  fails({"create"}, 2, "P_KEY");
  fails({"list", "--what"}, 2, "--what");
  EXPECT_THAT(requests, IsEmpty());
}

TEST_F(PartitionCommand, AdoptsAndDiscardsKeptKeys) {
  fake.context =
      sm::with_runtime(*fake.context, nullptr,
                       std::make_shared<const partitions::KeptKeys>(partitions::KeptKeys{
                           {.guid = kGuid, .key = {0x8013}}, {.guid = kOther, .key = {0x8013}}}));
  EXPECT_EQ(done({"adopt", "0x13", "0x2c90000000011"}), "adopted 0x0013 at 2 ports\n");
  ASSERT_EQ(fake.resolved.size(), 1u);
  EXPECT_TRUE(fake.resolved[0].adopts);
  EXPECT_EQ(fake.resolved[0].key, 0x13);
  EXPECT_EQ(fake.resolved[0].guids, std::vector{kGuid});
  EXPECT_THAT(done({"discard", "--all"}), HasSubstr("discarded 0x0013"));
  EXPECT_FALSE(fake.resolved[1].adopts);
  EXPECT_EQ(fake.resolved[1].key, std::nullopt);
  EXPECT_EQ(json::parse(done({"discard", "0x13", "--json"}))["kept"][1]["guid"],
            "0x0002c90000000012");
  fake.managers = 1;
  EXPECT_EQ(done({"adopt", "0x13"}), "adopted 0x0013 at 2 ports; held by 1 other manager\n");
  EXPECT_EQ(json::parse(done({"adopt", "0x13", "--json"}))["replicated"], 1);
  fails({"adopt"}, 1, "write a P_Key, or --all");
  fails({"discard", "0x8013"}, 1, "bit 15 is the membership");
}

TEST_F(PartitionCommand, KeptKeysComeInPages) {
  partitions::KeptKeys kept;
  for (std::uint16_t key = 1; key <= 3; ++key)
    kept.push_back({.guid = kGuid, .key = mad::full_member_key(key)});
  fake.context =
      sm::with_runtime(*fake.context, nullptr, std::make_shared<const partitions::KeptKeys>(kept));
  const auto page = [&](const std::string& query) {
    return json::parse(
        fake.ask(resources, sm::web::Method::get, "/v1/partitions/kept?limit=2" + query).body);
  };
  caller = "kube";
  const json first = page("");
  ASSERT_EQ(first["kept"].size(), 2u) << first;
  const json second = page("&cursor=" + first["next_cursor"].get<std::string>());
  ASSERT_EQ(second["kept"].size(), 1u) << second;
  EXPECT_EQ(second["kept"][0]["p_key"], "0x0003");
  EXPECT_TRUE(second["next_cursor"].is_null());
}

TEST_F(PartitionCommand, OfSeveralManagersOneIsNamed) {
  listen("0x0002c90000000002");
  fails({"create", "0x12"}, 1, "2 managers run here; name the port of one: --guid 0x");
  done({"create", "0x12", "--guid", "0x0002c90000000002"});
  EXPECT_THAT(done({"list"}), HasSubstr("port 0x0002c90000000002:"));
  EXPECT_THAT(done({"list", "--guid", "0x0002c90000000001"}), Not(HasSubstr("port 0x")));
}

TEST_F(PartitionCommand, ASocketOfHttpListenIsNoManager) {
  listen("http");
  done({"create", "0x12"});
  EXPECT_THAT(done({"list"}), Not(HasSubstr("port ")));
}

TEST_F(PartitionCommand, ManyMembersComeInPages) {
  done({"create", "0x12"});
  partitions::Change change;
  constexpr std::size_t kMany = 10'001;
  for (std::size_t i = 1; i <= kMany; ++i)
    change.steps.emplace_back(partitions::step::Put{.key = 0x12, .guid = {i}});
  ASSERT_TRUE(fake.run(fake.store->change(std::move(change), "test")));
  requests.clear();
  EXPECT_EQ(json::parse(done({"show", "0x12", "--json"}))["members"].size(), kMany);
  EXPECT_EQ(requests.size(), 3u);
}

TEST_F(PartitionCommand, ABodyThatIsTooLongIsRefusedInWords) {
  done({"create", "0x12"});
  const std::string owner(2u << 20, 'x');
  fails({"add", "0x12", "0x2c90000000011", "--owner", owner.c_str()}, 1,
        "the body is longer than 1048576 bytes");
}

TEST_F(PartitionCommand, NothingRuns) {
  setenv("HEDDLE_RUN_DIR", "/nowhere", 1);
  fails({"list"}, 1, "no Heddle runs here");
  fails({"create", "0x12"}, 1, "no Heddle runs here");
}

}  // namespace partition_command_test
