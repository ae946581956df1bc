// Files as editors, terminals and other systems save them: one reader for all.

#include "config/text_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>

#include "config/check.h"
#include "config/file_reader.h"
#include "unit/sm/temporary_directory.h"

namespace config {
namespace text_encoding_test {

using namespace std::string_literals;
using ::testing::HasSubstr;

constexpr std::size_t kBytesMax = 1 << 20;

std::string text(std::string bytes) {
  const auto read = decode_text(std::move(bytes), kBytesMax);
  return read ? *read : "error: " + read.error().message();
}

std::string utf16(std::string_view ascii, bool is_little) {
  std::string bytes;
  for (const char c : ascii) bytes += is_little ? std::string{c, '\0'} : std::string{'\0', c};
  return bytes;
}

std::string gzip(std::string_view content) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(DecodeText, ReturnsPlainTextAsItIs) {
  for (const std::string& plain : {""s, "l"s, "lmc 1\n"s, "M\xC3\xBCnchen \xFF\n"s})
    EXPECT_EQ(text(plain), plain);
}

TEST(DecodeText, LeavesOutTheByteOrderMark) { EXPECT_EQ(text("\xEF\xBB\xBFlmc 1\n"), "lmc 1\n"); }

TEST(DecodeText, ConvertsUtf16) {
  EXPECT_EQ(text("\xFF\xFE" + utf16("lmc 1\r\n", true)), "lmc 1\r\n");
  EXPECT_EQ(text("\xFE\xFF" + utf16("lmc 1\n", false)), "lmc 1\n");
  EXPECT_EQ(text(utf16("lmc 1\n", true)), "lmc 1\n") << "without a byte order mark";
  EXPECT_EQ(text(utf16("lmc 1\n", false)), "lmc 1\n");
  EXPECT_EQ(text("\xFF\xFE\xFC\0\x71\x67\x3D\xD8\0\xDE"s), "\xC3\xBC\xE6\x9D\xB1\xF0\x9F\x98\x80");
  EXPECT_EQ(text("\xFF\xFE\x3D\xD8x\0"s), "\xEF\xBF\xBDx") << "half a pair";
  EXPECT_EQ(text("\xFF\xFEx\0y"s), "x\xEF\xBF\xBD") << "half a character";
}

TEST(DecodeText, ReadsTheContentOfGzip) {
  const std::string content = "lmc 1\n" + std::string(100000, '#') + "\n";
  EXPECT_EQ(text(gzip(content)), content);
  EXPECT_EQ(text(gzip("lmc 1\n") + gzip("sm_priority 5\n")), "lmc 1\nsm_priority 5\n");
  EXPECT_EQ(text(gzip("lmc 1\n") + std::string(512, '\0')), "lmc 1\n") << "padding";
  EXPECT_EQ(text(gzip("\xFF\xFE" + utf16("lmc 1\n", true))), "lmc 1\n");
}

TEST(DecodeText, SaysWhatAFileIsThatIsNotRead) {
  const std::string whole = gzip(std::string(1000, 'x'));
  EXPECT_THAT(text(whole.substr(0, whole.size() / 2)), HasSubstr("error: compressed with gzip, and "
                                                                 "damaged or cut off"));
  EXPECT_THAT(text("\x1F\x8B text"), HasSubstr("damaged or cut off"));
  EXPECT_THAT(text(gzip(std::string(kBytesMax + 1, 'x'))), HasSubstr("too long"));
  EXPECT_EQ(text("\xFD\x37zXZ\0..."s),
            "error: it is compressed with xz; decompress it first: xz -d FILE");
  EXPECT_THAT(text("BZh91AY&SY..."), HasSubstr("bzip2"));
  EXPECT_THAT(text("\x28\xB5\x2F\xFD..."), HasSubstr("zstd"));
  EXPECT_THAT(text("PK\x03\x04..."), HasSubstr("zip archive"));
  EXPECT_THAT(text("\xFF\xFE\0\0l\0\0\0"s), HasSubstr("UTF-32"));
}

TEST(ReadFile, TheFirstKeyBehindAByteOrderMarkCounts) {
  const TemporaryDirectory dir;
  const std::array contents{"\xEF\xBB\xBFlmc 1\n"s, "\xFF\xFE" + utf16("lmc 1\r\n", true),
                            gzip("lmc 1\n")};
  for (const std::string& content : contents) {
    write_text(dir / "opensm.conf", content);
    const CheckedConfig checked = check_config((dir / "opensm.conf").string(), read_file);
    EXPECT_EQ(checked.options.lmc, 1);
    EXPECT_TRUE(checked.diagnostics.empty());
  }
  write_text(dir / "heddle.yaml", "\xEF\xBB\xBFlmc: 1\n");
  EXPECT_EQ(check_config((dir / "heddle.yaml").string(), read_file).options.lmc, 1);
  write_text(dir / "opensm.conf", "\xFD\x37zXZ\0"s);
  const CheckedConfig refused = check_config((dir / "opensm.conf").string(), read_file);
  ASSERT_EQ(refused.diagnostics.size(), 1u);
  EXPECT_THAT(refused.diagnostics.front().text(),
              HasSubstr("opensm.conf: error: cannot be read: it is compressed with xz; "));
}

}  // namespace text_encoding_test
}  // namespace config
