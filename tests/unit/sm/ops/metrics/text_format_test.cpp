#include "sm/ops/metrics/text_format.h"

#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

#include "sm/ops/metrics/samples.h"

namespace sm::metrics {
namespace metrics_text_format_test {

using ::testing::HasSubstr;

TEST(MetricsFormat, AcceptDecides) {
  EXPECT_EQ(choose_format(""), Format::text);
  EXPECT_EQ(choose_format("*/*"), Format::text);
  EXPECT_EQ(choose_format("text/html,*/*;q=0.8"), Format::text);
  EXPECT_EQ(choose_format("application/openmetrics-text"), Format::open_metrics);
  EXPECT_EQ(choose_format("Application/OpenMetrics-Text; Version=1.0.0"), Format::open_metrics);
  EXPECT_EQ(choose_format("application/openmetrics-text;version=2.0.0"), Format::text);
  EXPECT_EQ(choose_format("application/openmetrics-text;q=0"), Format::text);
  EXPECT_EQ(choose_format("application/openmetrics-text;q=0.3,text/plain;q=0.5"), Format::text);
  EXPECT_EQ(choose_format("application/openmetrics-text;q=nonsense"), Format::text);
  EXPECT_EQ(choose_format(";;;,,,=,q"), Format::text);
  // What Prometheus 2.42 sends.
  EXPECT_EQ(choose_format("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                          "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            Format::open_metrics);
}

TEST(MetricsFormat, HeadingsNameTheFamily) {
  const Metric counter{"x_errors_total", Kind::counter, "", "Errors"};
  EXPECT_EQ(heading(counter, Format::text),
            "# HELP x_errors_total Errors\n# TYPE x_errors_total counter\n");
  EXPECT_EQ(heading(counter, Format::open_metrics),
            "# HELP x_errors Errors\n# TYPE x_errors counter\n");
  const Metric info{"x_info", Kind::info, "version", "Version"};
  EXPECT_EQ(heading(info, Format::text), "# HELP x_info Version\n# TYPE x_info gauge\n");
  EXPECT_EQ(heading(info, Format::open_metrics), "# HELP x Version\n# TYPE x info\n");
}

TEST(MetricsSamples, LabelValuesAreEscapedAndUtf8) {
  const auto escaped = [](std::string_view value) {
    std::string out;
    append_label_value(out, value);
    return out;
  };
  EXPECT_EQ(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  EXPECT_EQ(escaped("Zürich € 𝄞"), "Zürich € 𝄞");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("a\xFFz"), "a" + bad + "z");
  EXPECT_EQ(escaped("\xC0\x80"), bad + bad) << "longer than it has to be";
  EXPECT_EQ(escaped("\xED\xA0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "above U+10FFFF";
  EXPECT_EQ(escaped("x\xE2\x82"), "x" + bad + bad) << "cut off";
}

TEST(MetricsSamples, ValuesAreExactBeyond64Bits) {
  SampleWriter writer({"x_total", Kind::counter, "", "X"});
  writer.add_scaled("{a=\"b\"}", 5, 4);
  writer.add_scaled("", 0xFFFFFFFFFFFFFFFFu, 4);
  writer.add_scaled("", 0x4000000000000000u, 4);
  writer.add_scaled("", 0xFFFFFFFFFFFFFFFFu, 1);
  const FamilyText text = writer.take();
  ASSERT_EQ(text.parts.size(), 1u);
  EXPECT_EQ(text.parts[0],
            "x_total{a=\"b\"} 20\nx_total 73786976294838206460\nx_total 18446744073709551616\n"
            "x_total 18446744073709551615\n");
}

TEST(MetricsSamples, PartsAreWholeLines) {
  SampleWriter writer({"x", Kind::gauge, "", "X"});
  constexpr unsigned kLines = 100'000;
  for (unsigned i = 0; i < kLines; ++i) writer.add(label_text({{"n", std::to_string(i)}}), i);
  const FamilyText text = writer.take();
  EXPECT_GT(text.parts.size(), 3u);
  std::size_t lines = 0;
  for (const std::string& part : text.parts) {
    EXPECT_TRUE(part.starts_with("x{n=\"") && part.ends_with('\n'));
    lines += static_cast<std::size_t>(std::ranges::count(part, '\n'));
  }
  EXPECT_EQ(lines, kLines);
}

}  // namespace metrics_text_format_test
}  // namespace sm::metrics
