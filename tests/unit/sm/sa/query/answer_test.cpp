#include "sm/sa/query/answer.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "sm/sa/query/visibility.h"
#include "support/fabrics.h"
#include "support/seeds.h"
#include "support/subnets.h"

namespace sa {
namespace answer_test {

using testing::ElementsAre;

/// Two hosts on a switch: end ports 0 (the switch), 1 and 2.
subnets::Site small_site() {
  fabrics::Maker maker;
  const fabric::NodeIndex sw = maker.sw(4);
  maker.host(sw);
  maker.host(sw);
  return subnets::Site(subnets::bring_up(maker.build()));
}

/// Records of 10 bytes: the number in byte 0, 0xAB in byte 9; number n is about end port n % 4,
/// which does not exist for 3.
constexpr unsigned kMade = 12;
std::uint16_t produce_numbers(const View& view, const Query&, RecordSink& sink) {
  for (std::uint8_t i = 0; i < kMade; ++i) {
    std::array<std::uint8_t, 10> record{i};
    record[8] = static_cast<std::uint8_t>(i / 2);
    record[9] = 0xAB;
    const auto& ends = view.subnet.fabric.end_ports;
    if (!sink.add(record,
                  i % 4u < ends.size() ? ends[fabric::EndPortIndex(i % 4u)] : fabric::kNoIndex))
      return mad::status::kOk;
  }
  return mad::status::kOk;
}
constexpr std::array kComponents{Component{3, 0, 8}, Component{5, 64, 8}, Component{5, 72, 4},
                                 Component{60, 72, 500}};
constexpr RecordType kNumbers{.attribute = mad::SaAttributeId::link_record,
                              .bytes = 10,
                              .components = kComponents,
                              .produce = produce_numbers};

struct Request {
  std::array<std::uint8_t, 16> record{};
  std::uint64_t mask = 0;
  mad::Method method = mad::Method::get_table;
  bool trusted = false;
  unsigned from = 1;

  std::uint16_t send(subnets::Site& site, ResponseBuffer& out, const RecordType& type = kNumbers,
                     std::size_t limit = kResponseBytesMax) const {
    const Query query{.method = method,
                      .attribute = type.attribute,
                      .modifier = 0,
                      .component_mask = mask,
                      .record = record,
                      .from = {.port = site.subnet->fabric.end_ports[fabric::EndPortIndex{from}],
                               .lid = {},
                               .qpn = 1,
                               .trusted = trusted}};
    return answer(site.view(), query, type, out, limit);
  }
};

std::vector<unsigned> numbers(const ResponseBuffer& out) {
  std::vector<unsigned> found;
  for (std::size_t i = 0; i < out.records(); ++i) found.push_back(out.record(i)[0]);
  return found;
}

TEST(Answer, TableOfAll) {
  subnets::Site site = small_site();
  ResponseBuffer out;
  EXPECT_EQ(Request{}.send(site, out), mad::status::kOk);
  ASSERT_EQ(out.records(), kMade);
  EXPECT_EQ(out.pitch(), 16u);
  EXPECT_EQ(out.bytes().size(), ResponseBuffer::kHeaderBytes + kMade * 16u);
  EXPECT_THAT(out.record(5), ElementsAre(5, 0, 0, 0, 0, 0, 0, 0, 2, 0xAB, 0, 0, 0, 0, 0, 0));
}

TEST(Query, HasComponentsIfItHasAllOfThem) {
  Query query;
  query.component_mask = 0b1010;
  EXPECT_TRUE(query.has(3));
  EXPECT_TRUE(query.has(1, 3));
  EXPECT_FALSE(query.has(1, 2));
}

TEST(Answer, ComponentsMatch) {
  subnets::Site site = small_site();
  ResponseBuffer out;
  Request request{.record = {7, 1, 1, 1, 1, 1, 1, 1, 4, 0xAF}, .mask = 1u << 3};
  EXPECT_EQ(request.send(site, out), mad::status::kOk);
  EXPECT_THAT(numbers(out), ElementsAre(7));
  request.mask = 1u << 5;  // byte 8 and the upper half of byte 9
  EXPECT_EQ(request.send(site, out), mad::status::kOk);
  EXPECT_THAT(numbers(out), ElementsAre(8, 9));
  request.mask = 1u << 5 | 1u << 3;
  EXPECT_EQ(request.send(site, out), mad::status::kOk);
  EXPECT_THAT(numbers(out), ElementsAre());
  request.mask = 1ull << 60;  // extends beyond the record: only bits inside are compared
  EXPECT_EQ(request.send(site, out), mad::status::kOk);
  EXPECT_THAT(numbers(out), ElementsAre());
  request.record[9] = 0xAB;
  EXPECT_EQ(request.send(site, out), mad::status::kOk);
  EXPECT_EQ(out.records(), kMade);
  request.mask = ~(1ull << 3 | 1ull << 5 | 1ull << 60);  // unknown bits are ignored
  EXPECT_EQ(request.send(site, out), mad::status::kOk);
  EXPECT_EQ(out.records(), kMade);
}

TEST(Answer, GetReturnsExactlyOne) {
  subnets::Site site = small_site();
  ResponseBuffer out;
  Request request{.record = {7}, .mask = 1u << 3, .method = mad::Method::get};
  EXPECT_EQ(request.send(site, out), mad::status::kOk);
  EXPECT_THAT(numbers(out), ElementsAre(7));
  request.record[0] = 99;
  EXPECT_EQ(request.send(site, out), mad::sa_status::kNoRecords);
  request.mask = 0;
  EXPECT_EQ(request.send(site, out), mad::sa_status::kTooManyRecords);
  EXPECT_EQ(out.records(), 0u);
  EXPECT_EQ(out.bytes().size(), ResponseBuffer::kHeaderBytes);
}

TEST(Answer, OnlyRecordsOfTheRequestersPartitions) {
  subnets::Site site = small_site();
  site.subnet->partitions =
      subnets::make_partitions({{mad::PKey{0x8001}}, {mad::PKey{1}, mad::PKey{2}}, {mad::PKey{2}}});
  ResponseBuffer out;
  EXPECT_EQ(Request{.from = 0}.send(site, out), mad::status::kOk);
  EXPECT_THAT(numbers(out), ElementsAre(0, 1, 3, 4, 5, 7, 8, 9, 11));
  EXPECT_EQ(Request{.from = 2}.send(site, out),
            mad::status::kOk);  // limited as the other: sees itself only
  EXPECT_THAT(numbers(out), ElementsAre(2, 3, 6, 7, 10, 11));
}

/// It may have to take over, and its port may be a limited member.
TEST(Answer, AManagerThatShowsBothKeysSeesRecordsOfAllPartitions) {
  subnets::Site site = small_site();
  site.subnet->partitions =
      subnets::make_partitions({{mad::PKey{0x8001}}, {mad::PKey{1}, mad::PKey{2}}, {mad::PKey{2}}});
  site.options.sm_key = 0x77;
  fabric::OtherSm manager;
  manager.port = site.subnet->fabric.end_ports[fabric::EndPortIndex{2}];
  manager.info.set_guid(site.subnet->fabric.ports[manager.port].guid);
  manager.info.set_sm_key(0x77);
  const auto seen = [&](bool trusted, unsigned from) {
    ResponseBuffer out;
    EXPECT_EQ((Request{.trusted = trusted, .from = from}.send(site, out)), mad::status::kOk);
    return out.records();
  };
  EXPECT_EQ(seen(true, 2), 6u) << "no manager is known there";
  site.subnet->sms = {manager};
  EXPECT_EQ(seen(true, 2), kMade);
  EXPECT_EQ(seen(false, 2), 6u) << "without sa_key";
  EXPECT_EQ(seen(true, 1), 9u) << "another port";
  site.options.allowed_sm_guids = {0x1234};
  EXPECT_EQ(seen(true, 2), 6u) << "not allowed";
  site.options.allowed_sm_guids = {};
  site.subnet->sms.front().info.set_sm_key(0x78);
  EXPECT_EQ(seen(true, 2), 6u) << "another SM_Key";
  site.subnet->sms.front().info.set_sm_key(0x77);
  site.subnet->sms.front().info.set_guid({0x99});
  EXPECT_EQ(seen(true, 2), 6u) << "the GUID of another port";
}

TEST(Answer, RefusesTablesAboveTheLimit) {
  subnets::Site site = small_site();
  ResponseBuffer out;
  EXPECT_EQ(Request{}.send(site, out, kNumbers, kMade * 16), mad::status::kOk);
  EXPECT_EQ(Request{}.send(site, out, kNumbers, kMade * 16 - 1), mad::sa_status::kNoResources);
  EXPECT_EQ(out.records(), 0u);
  const Request some{.record = {7}, .mask = 1u << 3};  // only matching records count
  EXPECT_EQ(some.send(site, out, kNumbers, 16), mad::status::kOk);
}

TEST(Answer, RefusesUnsupportedMethodsAndShortRecords) {
  subnets::Site site = small_site();
  ResponseBuffer out;
  RecordType type = kNumbers;
  EXPECT_EQ((Request{.method = mad::Method::set}.send(site, out, type)),
            mad::status::kMethodAttributeUnsupported);
  EXPECT_EQ((Request{.method = mad::Method::get_multi}.send(site, out, type)),
            mad::status::kMethodAttributeUnsupported);
  type.trusted_only = true;
  EXPECT_EQ(Request{}.send(site, out, type), mad::sa_status::kReqInvalid);
  EXPECT_EQ((Request{.trusted = true}.send(site, out, type)), mad::status::kOk);
  EXPECT_EQ(out.records(), kMade);
  type.trusted_only = false;
  type.request_bytes = 17;  // longer than the request's
  EXPECT_EQ(Request{}.send(site, out, type), mad::sa_status::kReqInvalid);
  type.request_bytes = 0;
  type.produce = [](const View&, const Query&, RecordSink& sink) {
    sink.add(std::array<std::uint8_t, 10>{}, fabric::kNoIndex);
    return mad::sa_status::kReqDenied;
  };
  EXPECT_EQ(Request{}.send(site, out, type), mad::sa_status::kReqDenied);
  EXPECT_EQ(out.records(), 0u);
}

TEST(Answer, BufferIsReused) {
  subnets::Site site = small_site();
  ResponseBuffer out;
  Request{}.send(site, out);
  const std::uint8_t* const before = out.bytes().data();
  for (int i = 0; i < 3; ++i) Request{}.send(site, out);
  EXPECT_EQ(out.bytes().data(), before);
}

TEST(Visibility, SharedPartitionsAgreeWithAllPairs) {
  seeds::for_each(300, [](std::uint64_t seed) {
    const fabric::PartitionMap map = subnets::random_partitions(12, seed);
    for (std::size_t a = 0; a < 12; ++a) {
      for (std::size_t b = 0; b < 12; ++b) {
        const auto left = map.get_keys(fabric::EndPortIndex{a}),
                   right = map.get_keys(fabric::EndPortIndex{b});
        const bool shared = std::ranges::any_of(left, [&](mad::PKey l) {
          return std::ranges::any_of(right,
                                     [&](mad::PKey r) { return fabric::may_communicate(l, r); });
        });
        ASSERT_EQ(share_partition(left, right), shared) << a << " and " << b;
      }
    }
  });
}

}  // namespace answer_test
}  // namespace sa
