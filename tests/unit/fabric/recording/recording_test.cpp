#include "fabric/recording/recording.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mad/attributes/port_tables.h"
#include "mad/attributes/sm_info.h"

namespace recording_test {

using mad::AttributeId;
using namespace std::chrono_literals;

template <class A>
fabric::RecordedAnswer answer_of(const A& attribute, std::uint32_t modifier = 0) {
  fabric::RecordedAnswer answer{
      .attribute = A::kId,
      .modifier = modifier,
      .outcome = {.status = std::uint16_t{0}, .attempts = 1, .time = 25us},
      .masked = false,
      .data = {}};
  std::ranges::copy(attribute.bytes(), answer.data.begin());
  return answer;
}
fabric::RecordedAnswer without_data(AttributeId attribute, std::uint32_t modifier,
                                    fabric::RecordedOutcome outcome) {
  return {.attribute = attribute,
          .modifier = modifier,
          .outcome = outcome,
          .masked = false,
          .data = {}};
}

mad::NodeInfo node_info(mad::NodeType type, std::uint8_t ports, std::uint64_t guid,
                        std::uint8_t entry) {
  mad::NodeInfo info;
  info.set_base_version(1);
  info.set_class_version(1);
  info.set_node_type(type);
  info.set_num_ports(ports);
  info.set_node_guid({guid});
  info.set_system_image_guid({guid});
  info.set_port_guid({type == mad::NodeType::switch_ ? guid : guid + entry});
  info.set_local_port_num({entry});
  return info;
}
mad::NodeDescription description(const char* text) {
  mad::NodeDescription out;
  out.set_text(text);
  return out;
}

/// A host, and a switch that has a status, a silence and a silent neighbour.
fabric::Recording sample() {
  const fabric::RecordedOutcome ok{.status = std::uint16_t{0}, .attempts = 1, .time = 31us};
  const fabric::RecordedOutcome silent{.status = {}, .attempts = 4, .time = 800'000us};
  fabric::Recording recording;
  recording.nodes.push_back(
      {.info = node_info(mad::NodeType::ca, 1, 0x10, 1),
       .ports = {{.number = 1,
                  .route = {},
                  .answers = {answer_of(node_info(mad::NodeType::ca, 1, 0x10, 1)),
                              answer_of(description("host one"))},
                  .links = {{.port = 1, .peer = fabric::RecordedPeer{1, 4}, .outcome = ok}}}}});
  recording.nodes.push_back(
      {.info = node_info(mad::NodeType::switch_, 8, 0x5, 4),
       .ports = {
           {.number = 0,
            .route = *mad::DirectedRoute::of({1}),
            .answers = {answer_of(node_info(mad::NodeType::switch_, 8, 0x5, 4)),
                        answer_of(description("leaf")),
                        without_data(AttributeId::vl_arbitration_table, 0x10001,
                                     {.status = std::uint16_t{0x1C}, .attempts = 1, .time = 22us}),
                        without_data(AttributeId{0xFF99}, 7, silent)},
            .links = {{.port = 6, .peer = {}, .outcome = silent}}}}});
  recording.nodes[0].ports[0].answers[1].masked = true;
  recording.duration = 803ms;
  return recording;
}

TEST(RecordingFile, IsTheSameAfterItIsReadAndWritten) {
  const std::string text = write_recording(sample());
  const auto read = fabric::read_recording({"a.rec", text});
  ASSERT_TRUE(read) << read.error().front().text();
  EXPECT_EQ(write_recording(*read), text);
  EXPECT_NE(text.find("\nNodeDescription 0x00000000 ok attempts=1 us=25 masked "
                      "data=686f7374206f6e65\nlink 1 ok attempts=1 us=31 node=1 port=4\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nVLArbitrationTable 0x00010001 0x001c attempts=1 us=22\n"
                      "0xff99 0x00000007 silent attempts=4 us=800000\n"
                      "link 6 silent attempts=4 us=800000\n\nend nodes=2 answers=6 ms=803\n"),
            std::string::npos)
      << text;
}

/// The only finding of a file in which a line of the sample is another.
std::string first_finding(const std::string& line, const std::string& instead) {
  std::string text = write_recording(sample());
  const std::size_t at = text.find(line);
  if (at == std::string::npos) return "no such line";
  text.replace(at, line.size(), instead);
  const auto read = fabric::read_recording({"a.rec", text});
  if (read) return "accepted";
  std::string findings;
  for (const config::Diagnostic& each : read.error()) findings += each.text() + "\n";
  return findings;
}

TEST(RecordingFile, ErrorsHaveLineAndColumn) {
  EXPECT_EQ(first_finding("heddle-recording 1", "heddle-recording 2"),
            "a.rec:1:18: error: version '2' is not known; 1 is\n");
  EXPECT_EQ(first_finding("0x00010001 0x001c", "0x00010001 fine"),
            "a.rec:15:31: error: 'fine' where `ok`, a status (0x001c) or `silent` is needed\n");
  EXPECT_EQ(first_finding("VLArbitrationTable", "VLTable"),
            "a.rec:15:1: error: 'VLTable' is no attribute (a name such as PortInfo, or "
            "0xff90)\n");
  EXPECT_EQ(first_finding("data=686f", "data=68f"),
            "a.rec:9:60: error: 15 hexadecimal digits where 2 to 128, two for a byte, are "
            "needed\n");
  EXPECT_EQ(first_finding("data=686f", "data=68xy"),
            "a.rec:9:62: error: 'xy' are not two hexadecimal digits\n");
  EXPECT_EQ(first_finding("node=1 port=4", "node=1 port=9"),
            "a.rec:10:1: error: there is no node 1 port 9\n");
  EXPECT_EQ(first_finding("node=1 port=4", "node=1 port=6"),
            "a.rec:17:1: error: node 1 port 6 has two links\n");
  EXPECT_EQ(first_finding("\nend nodes=2 answers=6 ms=803\n", ""),
            "a.rec:17:1: error: the file ends without an `end` line\n");
  EXPECT_EQ(first_finding("node 1 port 0 route 0,1", "node 1 port 0 route 1,1"),
            "a.rec:12:21: error: a route is 0 and the exit ports of up to 63 hops, such as "
            "0,1,4\na.rec:13:1: error: `node N port P route R` is needed first\n"
            "a.rec:14:1: error: `node N port P route R` is needed first\n"
            "a.rec:15:1: error: `node N port P route R` is needed first\n"
            "a.rec:16:1: error: `node N port P route R` is needed first\n"
            "a.rec:17:1: error: `node N port P route R` is needed first\n");
  EXPECT_EQ(first_finding("us=22", "us=22 data="),
            "a.rec:15:60: error: 0 hexadecimal digits where 2 to 128, two for a byte, are "
            "needed\n");
}

TEST(RecordingFile, ReportsABoundedNumberOfErrors) {
  std::string text = "heddle-recording 1\n";
  for (unsigned i = 0; i < 1000; ++i) text += "nonsense\n";
  const auto read = fabric::read_recording({"a.rec", text});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().size(), 20u);
}

TEST(AnonymousRecording, HasOtherNamesInTheSameOrder) {
  fabric::Recording recording = sample();
  mad::SmInfo sm_info;
  sm_info.set_guid({0x11});
  recording.nodes[0].ports[0].answers.push_back(answer_of(sm_info));
  recording.nodes[1].ports[0].answers.push_back(
      {.attribute = mad::AttributeId::hierarchy_info, .outcome = {}});
  make_anonymous(recording);
  EXPECT_EQ(recording.nodes[1].ports[0].find(mad::AttributeId::hierarchy_info), nullptr);
  const std::string text = write_recording(recording);
  EXPECT_EQ(text.find("686f7374206f6e65"), std::string::npos) << "the description of the host";
  const mad::NodeInfo host = recording.nodes[0].info, leaf = recording.nodes[1].info;
  EXPECT_EQ(leaf.node_guid().value, 0x0200'0000'0000'0001u);
  EXPECT_EQ(leaf.port_guid(), leaf.node_guid());
  EXPECT_EQ(host.node_guid().value, 0x0200'0000'0000'0002u);
  EXPECT_EQ(host.port_guid().value, 0x0200'0000'0000'0003u);
  EXPECT_EQ(mad::SmInfo{std::span(recording.nodes[0].ports[0].answers.back().data)}.guid(),
            host.port_guid());
  EXPECT_TRUE(fabric::read_recording({"a.rec", text}));
}

}  // namespace recording_test
