// Requests and answers of UFM's REST API, to the letter.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "partition_service_fake.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/ufm/ufm_resources.h"

namespace ufm_contract_test {

using nlohmann::json;
using partition_service::Fake;
using sm::web::Method;

class Ufm : public Fake {
 public:
  using Fake::Fake;
  sm::web::Resources resources = sm::ufm_resources(service());
  sm::web::Response send(Method method, const std::string& target, std::string body = {}) {
    return ask(resources, method, target, std::move(body));
  }
  json get(const std::string& target) { return json::parse(send(Method::get, target).body); }
  json list() { return get("/ufmRest/resources/pkeys/?guids_data=true"); }
};

const std::string kAdd =
    R"({"pkey": "0x00AB", "index0": true, "ip_over_ib": true, "membership": "full",
        "guids": ["0200000000000001", "02000000000000ff"]})";

TEST(IbKubernetes, VersionIsAnsweredWith200) {
  Ufm ufm;
  EXPECT_EQ(ufm.send(Method::get, "/ufmRest/app/ufm_version").status, 200u);
  EXPECT_EQ(ufm.send(Method::head, "/ufmRest/app/ufm_version").status, 200u);
  EXPECT_TRUE(ufm.get("/ufmRest/app/ufm_version").contains("ufm_release_version"));
}

TEST(IbKubernetes, AddedGuidsAreInTheNextListWith16LowerCaseDigits) {
  Ufm ufm;
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys", kAdd).status, 200u);
  const json all = ufm.list();
  ASSERT_TRUE(all.contains("0xab"));
  const std::regex key("0[xX][0-9a-fA-F]+"), guid("[0-9a-f]{16}");
  for (const auto& [name, partition] : all.items()) {
    EXPECT_TRUE(std::regex_match(name, key)) << name;
    for (const json& each : partition["guids"])
      EXPECT_TRUE(std::regex_match(each["guid"].get<std::string>(), guid));
  }
  ASSERT_EQ(all["0xab"]["guids"].size(), 2u);
  EXPECT_EQ(all["0xab"]["guids"][0]["guid"], "0200000000000001");
  EXPECT_EQ(all["0xab"]["guids"][0]["membership"], "full");
  EXPECT_EQ(all["0xab"]["guids"][0]["index0"], true);
  EXPECT_EQ(all["0xab"]["ip_over_ib"], true);
  EXPECT_TRUE(all.contains("0x7fff"));
}

TEST(IbKubernetes, BothSlashesAndAllPrefixesAreServedWithoutRedirects) {
  Ufm ufm;
  for (const std::string prefix : {"/ufmRest", "/ufmRestV2", "/ufmRestV3"}) {
    for (const std::string slash : {"", "/"}) {
      EXPECT_EQ(ufm.send(Method::post, prefix + "/resources/pkeys" + slash, kAdd).status, 200u);
      EXPECT_EQ(ufm.send(Method::get, prefix + "/resources/pkeys" + slash).status, 200u);
    }
  }
}

TEST(IbKubernetes, RepeatedRequestsAnd200ForWhatIsNoMember) {
  Ufm ufm;
  const std::string remove =
      R"({"pkey": "0x00AB", "guids": ["0200000000000001", "0200000000009999"]})";
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/actions/remove_guids_from_pkey", remove).status, 200u)
      << "of an unknown P_Key";
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys", kAdd).status, 200u);
  const auto revision = ufm.store->current()->revision();
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys", kAdd).status, 200u);
  EXPECT_EQ(ufm.store->current()->revision(), revision);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(ufm.send(Method::post, "/ufmRest/actions/remove_guids_from_pkey", remove).status,
              200u);
  EXPECT_EQ(ufm.list()["0xab"]["guids"].size(), 1u);
  ufm.send(Method::post, "/ufmRest/actions/remove_guids_from_pkey",
           R"({"pkey": "0xAB", "guids": ["02000000000000ff"]})");
  EXPECT_FALSE(ufm.list().contains("0xab")) << "a partition goes with its last GUID";
}

TEST(IbKubernetes, ListSurvivesARestart) {
  Ufm ufm;
  ufm.send(Method::post, "/ufmRest/resources/pkeys", kAdd);
  const json before = ufm.list();
  ufm.start();
  EXPECT_EQ(ufm.list(), before);
}

TEST(IbKubernetes, HundredsOfGuidsInABodyOfAMegabyte) {
  Ufm ufm;
  json body = json::parse(kAdd);
  body["guids"] = json::array();
  for (int i = 0; i < 50'000; ++i) body["guids"].push_back(fmt::format("02{:014x}", i + 1));
  ASSERT_GT(body.dump().size(), std::size_t{900} * 1024);
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys", body.dump()).status, 200u);
  EXPECT_EQ(ufm.list()["0xab"]["guids"].size(), 50'000u);
}

TEST(IbKubernetes, WithoutTheStoreAnAdditionIs503AndNotListed) {
  Ufm ufm;
  ufm.store_fault = "etcd is away";
  const auto response = ufm.send(Method::post, "/ufmRest/resources/pkeys", kAdd);
  EXPECT_EQ(response.status, 503u);
  EXPECT_EQ(json::parse(response.body)["error"], "etcd is away");
  EXPECT_FALSE(ufm.list().contains("0xab"));
}

TEST(UfmPKeys, TheLowestRateHasAFraction) {
  Ufm ufm;
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys/add",
                     R"({"pkey": "0x7", "ip_over_ib": true, "rate_limit": 2.5})")
                .status,
            200u);
  EXPECT_EQ(ufm.get("/ufmRest/resources/pkeys/0x7?qos_conf=true")["qos_conf"]["rate_limit"], 2.5);
  EXPECT_EQ(
      ufm.send(Method::post, "/ufmRest/resources/pkeys/add", R"({"pkey": "0x8", "mtu_limit": 2.5})")
          .status,
      400u);
}

TEST(UfmPKeys, P_Key0AndMembershipBitsAre400WithAReason) {
  Ufm ufm;
  for (const std::string key :
       {"0x0", "0x0000", "0x8000", "0x8001", "0xffff", "0x10000", "x", ""}) {
    const auto response = ufm.send(Method::post, "/ufmRest/resources/pkeys",
                                   json{{"pkey", key}, {"guids", {"0200000000000001"}}}.dump());
    EXPECT_EQ(response.status, 400u) << key;
    EXPECT_TRUE(json::parse(response.body)["error"].is_string());
  }
  EXPECT_EQ(ufm.store->current()->revision(), 0u);
}

TEST(UfmPKeys, DefaultPartitionTakesGuidsAndIsNotRemoved) {
  Ufm ufm;
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys",
                     R"({"pkey": "0x7FFF", "guids": ["0x0200000000000001"]})")
                .status,
            200u);
  EXPECT_EQ(ufm.list()["0x7fff"]["guids"][0]["guid"], "0200000000000001");
  EXPECT_EQ(ufm.send(Method::delete_, "/ufmRest/resources/pkeys/0x7fff").status, 400u);
  EXPECT_EQ(
      ufm.send(Method::delete_, "/ufmRest/resources/pkeys/0x7fff/guids/0200000000000001").status,
      200u);
  EXPECT_TRUE(ufm.list()["0x7fff"]["guids"].empty());
}

TEST(UfmPKeys, WhatPartitionsConfGivesStaysAndTheLogSaysSo) {
  Ufm ufm("Default=0x7fff : ALL=full ; A=0x10 : 0x0200000000000001=full ;");
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/actions/remove_guids_from_pkey",
                     R"({"pkey": "0x10", "guids": ["0200000000000001"]})")
                .status,
            200u);
  EXPECT_EQ(ufm.list()["0x10"]["guids"][0]["guid"], "0200000000000001");
  ASSERT_EQ(ufm.lines.size(), 1u);
}

TEST(UfmPKeys, OtherClientsCalls) {
  Ufm ufm;
  // together: absent is {} or 404; limited without ip_over_ib
  EXPECT_EQ(ufm.send(Method::get, "/ufmRest/resources/pkeys/0x0005").body, "{}");
  EXPECT_EQ(ufm.get("/ufmRest/resources/pkeys/last_updated")["last_updated"], nullptr);
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys",
                     R"({"pkey": "0x0005", "membership": "limited", "index0": false,
                         "guids": ["0200000000000001"]})")
                .status,
            200u);
  EXPECT_EQ(ufm.get("/ufmRest/resources/pkeys/last_updated")["last_updated"],
            "Fri Jan 15 08:00:01 UTC 2027");
  // NICo
  const json one = ufm.get("/ufmRest/resources/pkeys/0x5?guids_data=true&qos_conf=true");
  EXPECT_EQ(one["guids"][0]["membership"], "limited");
  EXPECT_EQ(one["ip_over_ib"], true);
  EXPECT_EQ(one["qos_conf"]["mtu_limit"], 2);
  EXPECT_EQ(one["qos_conf"]["service_level"], 0);
  EXPECT_EQ(one["qos_conf"]["rate_limit"], 10);
  // nv-config-manager
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys/add",
                     R"({"pkey": "0x6", "partition_name": "six", "ip_over_ib": true, "index0": true,
                         "mtu_limit": 4, "service_level": 3, "rate_limit": 100})")
                .status,
            200u);
  const json six = ufm.get("/ufmRest/resources/pkeys/0x6?guids_data=true&qos_conf=true");
  EXPECT_EQ(six["partition"], "six");
  EXPECT_EQ(six["qos_conf"]["mtu_limit"], 4);
  EXPECT_EQ(six["qos_conf"]["rate_limit"], 100);
  // PUT sets
  EXPECT_EQ(ufm.send(Method::put, "/ufmRest/resources/pkeys",
                     R"({"pkey": "0x6", "guids": ["02:00:00:00:00:00:00:07", "0x200000000000008"],
                         "memberships": ["full", "limited"]})")
                .status,
            200u);
  EXPECT_EQ(ufm.send(Method::put, "/ufmRest/resources/pkeys",
                     R"({"pkey": "0x6", "guids": ["0200000000000008", "0200000000000009"]})")
                .status,
            200u);
  const json set = ufm.get("/ufmRest/resources/pkeys/0x6?guids_data=true")["guids"];
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set[0]["guid"], "0200000000000008");
  EXPECT_EQ(ufm.send(Method::delete_,
                     "/ufmRest/resources/pkeys/0x6/guids/0200000000000008,0200000000000009")
                .status,
            200u);
  EXPECT_EQ(ufm.send(Method::get, "/ufmRest/resources/pkeys/0x6").body, "{}");
  EXPECT_EQ(ufm.send(Method::delete_, "/ufmRest/resources/pkeys/0x5").status, 200u);
  EXPECT_EQ(ufm.send(Method::post, "/ufmRest/resources/pkeys/hosts",
                     R"({"hosts_names": "node001,node002", "pkey": "0x6"})")
                .status,
            404u)
      << "no such host";
}

// ---- the native API

class Native : public Fake {
 public:
  using Fake::Fake;
  sm::web::Resources resources = sm::partition_resources(service());
  sm::web::Response send(Method method, const std::string& target, std::string body = {},
                         sm::web::Fields headers = {}) {
    return ask(resources, method, target, std::move(body), std::move(headers));
  }
};

TEST(PartitionResources, CreatedChangedAndDeletedByItsETag) {
  Native api;
  const auto made = api.send(Method::post, "/v1/partitions?wait=applied",
                             R"({"p_key": "0x0010", "name": "jobs", "members": [
                                 {"guid": "0x0200000000000001", "owner": "slurm",
                                  "expires_at": "2099-01-01T00:00:00Z"}]})");
  ASSERT_EQ(made.status, 201u) << made.body;
  EXPECT_EQ(json::parse(made.body)["applied"], false);
  EXPECT_EQ(json::parse(made.body)["members"][0]["state"], "pending") << "before the first sweep";
  EXPECT_EQ(api.send(Method::post, "/v1/partitions", R"({"p_key": 16})").status, 409u);
  const auto read = api.send(Method::get, "/v1/partitions/0x0010");
  EXPECT_EQ(json::parse(read.body)["name"], "jobs");
  EXPECT_EQ(json::parse(read.body)["sources"], json::array({"api"}));
  EXPECT_EQ(api.send(Method::patch, "/v1/partitions/0x0010", R"({"sl": 2})").status, 428u);
  EXPECT_EQ(api.send(Method::patch, "/v1/partitions/0x0010", R"({"sl": 2})",
                     {{"if-match", "\"" + read.etag + "\""}})
                .status,
            200u);
  EXPECT_EQ(api.send(Method::patch, "/v1/partitions/0x0010", R"({"sl": 3})",
                     {{"if-match", "\"" + read.etag + "\""}})
                .status,
            412u);
  const json members = json::parse(api.send(Method::get, "/v1/partitions/16/members").body);
  EXPECT_EQ(members["members"][0]["owner"], "slurm");
  EXPECT_EQ(members["members"][0]["expires_at"], "2099-01-01T00:00:00Z");
  EXPECT_EQ(members["members"][0]["present"], false);
  EXPECT_EQ(api.send(Method::delete_, "/v1/partitions/0x0010", "", {{"if-match", "*"}}).status,
            200u);
  EXPECT_EQ(api.send(Method::get, "/v1/partitions/0x0010").status, 404u);
}

TEST(PartitionResources, BadInputIsNamedByItsPointerAndChangesNothing) {
  Native api;
  const std::vector<std::pair<std::string, std::string>> bodies{
      {R"({"p_key": "0x0"})", "/p_key"},
      {R"({"p_key": "0x8000"})", "/p_key"},
      {R"({"p_key": "0x1", "sl": 16})", "/sl"},
      {R"({"p_key": "0x1", "nmae": "x"})", "/nmae"},
      {R"({"p_key": "0x1", "ipoib": 1})", "/ipoib"},
      {R"({"p_key": "0x1", "members": {}})", "/members"},
      {R"({"p_key": "0x1", "members": [{"guid": "0x1"}, {"guid": "0x2", "role": 1}]})",
       "/members/1/role"},
      {R"({"p_key": "0x1", "members": [{"guid": "0x1"}, {"guid": "0x1"}]})", "/members/1/guid"},
      {R"({"p_key": "0x1", "members": [{"guid": "0x1", "expires_at": "2001-01-01T00:00:00Z"}]})",
       "/members/0/expires_at"},
      {R"({"p_key": "0x1", "members": [{"guid": "0xffffffffffffffff"}]})", "/members/0/guid"}};
  for (const auto& [body, pointer] : bodies) {
    const auto response = api.send(Method::post, "/v1/partitions", body);
    EXPECT_EQ(response.status, 400u) << body;
    const json said = json::parse(response.body);
    EXPECT_EQ(said["pointer"], pointer) << response.body;
    EXPECT_FALSE(said["remedy"].get<std::string>().empty());
  }
  EXPECT_EQ(api.send(Method::post, "/v1/partitions", "{").status, 400u);
  EXPECT_EQ(api.store->current()->revision(), 0u);
}

/// A body of 120 kB; a function that calls itself for each level ends the process.
std::string nested(const std::string& before, const std::string& after, std::size_t levels) {
  return before + std::string(levels, '[') + std::string(levels, ']') + after;
}

TEST(PartitionResources, NestedBodiesAreRefusedByEveryResource) {
  Native api;
  Ufm ufm;
  for (const std::size_t levels : {40, 60'000}) {
    for (const std::string& body :
         {nested(R"({"p_key":)", "}", levels), nested(R"({"changes":)", "}", levels),
          nested(R"({"changes":[{"op":"delete","p_key":)", "}]}", levels),
          nested(R"({"changes":[{"op":"remove","p_key":"0x1","guids":)", "}]}", levels),
          nested(R"({"p_key":"0x1","members":[{"guid":)", "}]}", levels),
          nested(R"({"p_key":"0x1","mtu":)", "}", levels),
          nested(R"({"pkey":"0x1","guids":)", "}", levels), nested("", "", levels)}) {
      const auto refused = [&](Method method, const std::string& target) {
        const auto response = api.send(method, target, body, {{"if-match", "*"}});
        EXPECT_EQ(response.status, 400u) << target << ' ' << body.substr(0, 60);
        EXPECT_LT(response.body.size(), 500u) << "what was sent is not repeated";
      };
      refused(Method::post, "/v1/partitions");
      refused(Method::put, "/v1/partitions/0x1");
      refused(Method::patch, "/v1/partitions/0x1");
      refused(Method::put, "/v1/partitions/0x1/members/0x2");
      refused(Method::post, "/v1/partition-changes");
      for (const char* target :
           {"/ufmRest/resources/pkeys", "/ufmRest/resources/pkeys/hosts",
            "/ufmRest/resources/pkeys/add", "/ufmRest/actions/remove_guids_from_pkey"})
        EXPECT_EQ(ufm.send(Method::post, target, body).status, 400u) << target;
    }
  }
  EXPECT_EQ(api.store->current()->revision(), 0u);
}

TEST(PartitionResources, ListsAndObjectsAreNoPKeyAndNoGuid) {
  Native api;
  for (const char* value : {"[]", "{}", "[[[1]]]", "-1", "1.5", "true", R"({"a":[{}]})"}) {
    const auto created =
        api.send(Method::post, "/v1/partitions", fmt::format(R"({{"p_key":{}}})", value));
    EXPECT_EQ(created.status, 400u) << value;
    EXPECT_EQ(json::parse(created.body)["pointer"], "/p_key") << value;
    const auto removed = api.send(
        Method::post, "/v1/partition-changes",
        fmt::format(R"({{"changes":[{{"op":"remove","p_key":16,"guids":[{}]}}]}})", value));
    EXPECT_EQ(removed.status, 400u) << value;
    EXPECT_EQ(json::parse(removed.body)["pointer"], "/changes/0/guids/0") << value;
  }
}

TEST(PartitionResources, ChangesOfSeveralPartitionsAreAllOrNone) {
  Native api;
  EXPECT_EQ(api.send(Method::post, "/v1/partition-changes", R"({"changes": [
      {"op": "add", "p_key": "0x1", "members": [{"guid": "0x1"}]},
      {"op": "add", "p_key": "0x2", "members": [{"guid": "0x1", "membership": "limited"}]}]})")
                .status,
            200u);
  const auto failed = api.send(Method::post, "/v1/partition-changes", R"({"changes": [
      {"op": "remove", "p_key": "0x1", "guids": ["0x1"]},
      {"op": "delete", "p_key": "0x2", "if_match": 77}]})");
  EXPECT_EQ(failed.status, 412u);
  EXPECT_EQ(json::parse(failed.body)["pointer"], "/changes/1/if_match");
  EXPECT_EQ(api.store->current()->members().size(), 2u);
}

TEST(PartitionResources, ListsGoOnAtTheirCursor) {
  Native api;
  for (int i = 1; i <= 5; ++i) api.send(Method::put, fmt::format("/v1/partitions/{}", i), "{}");
  std::vector<std::string> keys;
  std::string cursor;
  do {
    const json page =
        json::parse(api.send(Method::get,
                             "/v1/partitions?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor))
                        .body);
    for (const json& row : page["partitions"]) keys.push_back(row["p_key"]);
    cursor = page["next_cursor"].is_null() ? "" : page["next_cursor"].get<std::string>();
  } while (!cursor.empty() && keys.size() < 20);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"0x0001", "0x0002", "0x0003", "0x0004", "0x0005", "0x7fff"}));
}

TEST(PartitionResources, MembersGoOnAtTheirCursor) {
  Native api;
  api.send(Method::put, "/v1/partitions/16", R"({"members": [{"guid": "0x1"}, {"guid": "0x2"},
                                                             {"guid": "0x3"}]})");
  const std::string members = "/v1/partitions/16/members";
  const json first = json::parse(api.send(Method::get, members + "?limit=2").body);
  EXPECT_EQ(first["members"].size(), 2u);
  EXPECT_EQ(first["next_cursor"], "0x0000000000000003");
  const json last = json::parse(api.send(Method::get, members + "?cursor=0x3").body);
  EXPECT_EQ(last["members"].size(), 1u);
  EXPECT_TRUE(last["next_cursor"].is_null());
}

TEST(PartitionResources, LimitAndCursorAreRefusedAsInOtherLists) {
  Native api;
  api.send(Method::put, "/v1/partitions/16", "{}");
  for (const std::string list : {"/v1/partitions", "/v1/partitions/16/members"}) {
    for (const std::string bad : {"limit=0", "limit=10001", "limit=x", "cursor=", "cursor=x"})
      EXPECT_EQ(api.send(Method::get, list + "?" + bad).status, 400u) << list << "?" << bad;
    const json refusal = json::parse(api.send(Method::get, list + "?cursor=x").body);
    EXPECT_EQ(refusal["detail"], "the query parameter cursor is 'x'");
  }
}

TEST(PartitionResources, AChangeEntersTheManagerTwice) {
  Fake fake;
  unsigned snapshots = 0, changes = 0;
  sm::PartitionService service = fake.service();
  service.snapshot = [&, to = service.snapshot] {
    ++snapshots;
    return to();
  };
  service.change = [&, to = service.change](partitions::Change change, std::string by,
                                            std::optional<mad::Duration> wait) {
    ++changes;
    return to(std::move(change), std::move(by), wait);
  };
  const sm::web::Resources resources = sm::partition_resources(service);
  fake.ask(resources, Method::put, "/v1/partitions/16", "{}");
  snapshots = changes = 0;
  const auto added =
      fake.ask(resources, Method::put, "/v1/partitions/16/members/0x1?wait=applied", "");
  EXPECT_EQ(added.status, 200u) << added.body;
  EXPECT_EQ(json::parse(added.body)["applied_revision"], json::parse(added.body)["revision"]);
  EXPECT_EQ(snapshots, 1u);
  EXPECT_EQ(changes, 1u);
}

TEST(PartitionResources, SchemasAreJson) {
  Native api;
  for (const auto& [name, text] : api.resources.schemas)
    EXPECT_TRUE(json::accept(text)) << name << ": " << text;
}

}  // namespace ufm_contract_test
