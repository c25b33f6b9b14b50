#include "berth/app/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::app {
namespace {

using ::testing::HasSubstr;

struct EndpointCase {
  const char* name;
  const char* text;
  Endpoint want;
  bool loopback;
  const char* shown;
};
class EndpointRead : public ::testing::TestWithParam<EndpointCase> {};

TEST_P(EndpointRead, Works) {
  const auto got = parse_endpoint(GetParam().text);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, GetParam().want);
  EXPECT_EQ(is_loopback(*got), GetParam().loopback);
  EXPECT_EQ(to_string(*got), GetParam().shown);
}
INSTANTIATE_TEST_SUITE_P(
    Accepted, EndpointRead,
    ::testing::Values(
        EndpointCase{"Ipv4", "127.0.0.1:8888", {"127.0.0.1", 8888}, true, "127.0.0.1:8888"},
        EndpointCase{"OtherLoopback", "127.8.0.1:1", {"127.8.0.1", 1}, true, "127.8.0.1:1"},
        EndpointCase{"Name", "localhost:0", {"127.0.0.1", 0}, true, "127.0.0.1:0"},
        EndpointCase{"Ipv6", "[::1]:8888", {"::1", 8888}, true, "[::1]:8888"},
        EndpointCase{"MappedLoopback",
                     "[::ffff:127.0.0.1]:1",
                     {"::ffff:127.0.0.1", 1},
                     true,
                     "[::ffff:127.0.0.1]:1"},
        EndpointCase{"MappedOther",
                     "[::ffff:10.0.0.1]:1",
                     {"::ffff:10.0.0.1", 1},
                     false,
                     "[::ffff:10.0.0.1]:1"},
        EndpointCase{"Everything", "0.0.0.0:65535", {"0.0.0.0", 65535}, false, "0.0.0.0:65535"},
        EndpointCase{"EverythingIpv6", "[::]:80", {"::", 80}, false, "[::]:80"}),
    [](const auto& test) { return std::string(test.param.name); });

struct RefusedCase {
  const char* name;
  const char* text;
  const char* why;
};
class EndpointRefused : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(EndpointRefused, SaysWhy) {
  const auto got = parse_endpoint(GetParam().text);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(got.error().message, HasSubstr(GetParam().why));
}
INSTANTIATE_TEST_SUITE_P(
    Texts, EndpointRefused,
    ::testing::Values(RefusedCase{"Empty", "", "is not ADDR:PORT"},
                      RefusedCase{"NoPort", "127.0.0.1", "is not ADDR:PORT"},
                      RefusedCase{"EmptyPort", "127.0.0.1:", "port between 0 and 65535"},
                      RefusedCase{"LargePort", "127.0.0.1:65536", "port between 0 and 65535"},
                      RefusedCase{"NegativePort", "127.0.0.1:-0", "port between 0 and 65535"},
                      RefusedCase{"WordPort", "127.0.0.1:http", "port between 0 and 65535"},
                      RefusedCase{"NoAddress", ":8888", "0.0.0.0"},
                      RefusedCase{"HostName", "example.com:80", "is not ADDR:PORT"},
                      RefusedCase{"BareIpv6", "::1:8888", "is not ADDR:PORT"},
                      RefusedCase{"BracketedIpv4", "[127.0.0.1]:1", "is not ADDR:PORT"},
                      RefusedCase{"ShortIpv4", "127.1:80", "is not ADDR:PORT"},
                      RefusedCase{"Newline", "127.0.0.1\n:80", "\\n"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::app
