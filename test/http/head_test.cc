/// What the guard before the HTTP library lets pass.
#include "src/http/head.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::http {
namespace {

struct HeadCase {
  const char* name;
  std::string head;
  int status;
};
class JudgeHead : public ::testing::TestWithParam<HeadCase> {};

TEST_P(JudgeHead, AcceptsOrRefuses) {
  std::string head = GetParam().head + "\r\n";
  Framing framing;
  EXPECT_EQ(judge_head(head, framing), GetParam().status);
}

const std::string kPost = "POST /filter HTTP/1.1\r\nHost: berth\r\n";

std::string many_fields(std::size_t count) {
  std::string head = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i < count; ++i) head += "X-" + std::to_string(i) + ": 1\r\n";
  return head;
}

INSTANTIATE_TEST_SUITE_P(
    RequestLine, JudgeHead,
    ::testing::Values(
        HeadCase{"Plain", "GET / HTTP/1.1\r\n", 0}, HeadCase{"Http10", "GET / HTTP/1.0\r\n", 0},
        HeadCase{"Http2", "PRI * HTTP/2.0\r\n", 505}, HeadCase{"NoVersion", "GET /\r\n", 400},
        HeadCase{"OtherProtocol", "GET / SMTP/1.1\r\n", 400},
        HeadCase{"TwoBlanks", "GET  / HTTP/1.1\r\n", 400},
        HeadCase{"BlankInTarget", "GET /a b HTTP/1.1\r\n", 400},
        HeadCase{"Fragment", "GET /a#b HTTP/1.1\r\n", 400},
        HeadCase{"ControlInTarget", "GET /a\x01 HTTP/1.1\r\n", 400},
        HeadCase{"BareLineFeed", "GET / HTTP/1.1\nA: b\r\n", 400},
        HeadCase{"UnknownMethod", "PURGE / HTTP/1.1\r\n", 501},
        HeadCase{"LowerCaseMethod", "get / HTTP/1.1\r\n", 501},
        HeadCase{"TlsHello", "\x16\x03\x01 \x01 x\r\n", 400},
        HeadCase{"LongTarget", "GET /" + std::string(8000, 'a') + " HTTP/1.1\r\n", 414}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Fields, JudgeHead,
    ::testing::Values(
        HeadCase{"HundredFields", many_fields(100), 0},
        HeadCase{"TooManyFields", many_fields(101), 431},
        HeadCase{"LongLine", kPost + "A: " + std::string(8000, 'a') + "\r\n", 431},
        HeadCase{"NoColon", kPost + "nonsense\r\n", 400},
        HeadCase{"BlankBeforeColon", kPost + "Content-Length : 3\r\n", 400},
        HeadCase{"FoldedLine", kPost + "A: b\r\n c\r\n", 400},
        HeadCase{"EmptyName", kPost + ": b\r\n", 400},
        HeadCase{"ControlInValue", kPost + "A: b\x01\r\n", 400},
        HeadCase{"CarriageReturnInValue", kPost + "A: b\rContent-Length: 3\r\n", 400},
        HeadCase{"TabInValue", kPost + "A: b\tc\r\n", 0},
        HeadCase{"EmptyValue", kPost + "A:\r\n", 0},
        HeadCase{"TwoHosts", kPost + "Host: other\r\n", 400},
        HeadCase{"GzipBody", kPost + "Content-Encoding: gzip\r\n", 415},
        HeadCase{"GzipAmongOthers", kPost + "Content-Encoding: identity, br\r\n", 415},
        HeadCase{"IdentityBody", kPost + "content-encoding: Identity\r\n", 0},
        HeadCase{"MultipartBody", kPost + "Content-Type: multipart/form-data; boundary=x\r\n", 415},
        HeadCase{"MultipartOtherCase", kPost + "content-type: Multipart/mixed\r\n", 415},
        HeadCase{"OtherExpectation", kPost + "Expect: tea\r\n", 417}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Framing, JudgeHead,
    ::testing::Values(
        HeadCase{"Length", kPost + "Content-Length: 12\r\n", 0},
        HeadCase{"NegativeLength", kPost + "Content-Length: -1\r\n", 400},
        HeadCase{"SignedLength", kPost + "Content-Length: +1\r\n", 400},
        HeadCase{"HexLength", kPost + "Content-Length: 0x10\r\n", 400},
        HeadCase{"EmptyLength", kPost + "Content-Length: \r\n", 400},
        HeadCase{"ListedLength", kPost + "Content-Length: 3, 3\r\n", 400},
        HeadCase{"LengthWithTail", kPost + "Content-Length: 3a\r\n", 400},
        HeadCase{"HugeLength", kPost + "Content-Length: 99999999999999999999\r\n", 400},
        HeadCase{"TwoLengths", kPost + "Content-Length: 3\r\nContent-Length: 4\r\n", 400},
        HeadCase{"SameLengthTwice", kPost + "Content-Length: 3\r\ncontent-length: 3\r\n", 400},
        HeadCase{"Chunked", kPost + "Transfer-Encoding: Chunked\r\n", 0},
        HeadCase{"ChunkedAndLength", kPost + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                 400},
        HeadCase{"LengthAndChunked", kPost + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
                 400},
        HeadCase{"GzipChunked", kPost + "Transfer-Encoding: gzip, chunked\r\n", 400},
        HeadCase{"UnknownCoding", kPost + "Transfer-Encoding: xchunked\r\n", 400},
        HeadCase{"QuotedCoding", kPost + "Transfer-Encoding: \"chunked\"\r\n", 400},
        HeadCase{"ChunkedTwice",
                 kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
        HeadCase{"ChunkedInHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", 400}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(JudgeHead, SaysHowTheBodyIsDelimited) {
  std::string head = kPost + "Content-Length: 42\r\nExpect: 100-Continue\r\n\r\n";
  Framing framing;
  ASSERT_EQ(judge_head(head, framing), 0);
  EXPECT_EQ(framing.content_length, 42U);
  EXPECT_TRUE(framing.has_body());
  EXPECT_TRUE(framing.expects_continue);
  EXPECT_FALSE(framing.chunked);
  EXPECT_FALSE(framing.closes);
}

TEST(JudgeHead, HidesWhatWouldChangeTheReply) {
  std::string head = "GET / HTTP/1.1\r\nRange: bytes=0-1\r\naccept-encoding: br\r\nA: b\r\n\r\n";
  const std::size_t size = head.size();
  Framing framing;
  ASSERT_EQ(judge_head(head, framing), 0);
  EXPECT_EQ(head.size(), size);
  EXPECT_EQ(head.find("Range"), std::string::npos);
  EXPECT_EQ(head.find("accept-encoding"), std::string::npos);
  EXPECT_NE(head.find("A: b"), std::string::npos);
}

TEST(JudgeHead, TakesTargetsInAbsoluteFormForWhatTheyMean) {
  const auto line_of = [](const std::string& target) {
    std::string head = "POST " + target + " HTTP/1.1\r\nHost: berth\r\n\r\n";
    Framing framing;
    EXPECT_EQ(judge_head(head, framing), 0);
    return head.substr(0, head.find('\r'));
  };
  EXPECT_EQ(line_of("http://berth:8888/filter?a=http://b/c"), "POST /filter?a=http://b/c HTTP/1.1");
  EXPECT_EQ(line_of("HTTPS://[::1]/v1/filter"), "POST /v1/filter HTTP/1.1");
  EXPECT_EQ(line_of("http://berth"), "POST / HTTP/1.1");
  EXPECT_EQ(line_of("http://berth?a"), "POST /?a HTTP/1.1");
  EXPECT_EQ(line_of("http:///filter"), "POST http:///filter HTTP/1.1");
  EXPECT_EQ(line_of("/http://berth/filter"), "POST /http://berth/filter HTTP/1.1");
}

TEST(FindHeadEnd, FindsAnEndThatComesInPieces) {
  const std::string input = "GET / HTTP/1.1\r\n\r\nrest";
  std::size_t scanned = 0;
  for (std::size_t size = 0; size < 18; ++size) {
    EXPECT_FALSE(find_head_end(input.substr(0, size), scanned)) << size;
  }
  EXPECT_EQ(find_head_end(input, scanned), 18U);
}

}  // namespace
}  // namespace berth::http
