#include "test/harness/http_client.h"

#include <gtest/gtest.h>

namespace berth::harness {
namespace {

TEST(TakeReply, TakesOneWholeReplyAndLeavesTheRest) {
  std::string received =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Y: z\r\n\r\nokHTTP/1.1 404 Not Found\r\n";
  const auto reply = take_reply(received);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->header("x-y"), "z");
  EXPECT_EQ(reply->body, "ok");
  EXPECT_EQ(received, "HTTP/1.1 404 Not Found\r\n");
}

TEST(TakeReply, WaitsForTheWholeBody) {
  std::string received = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok";
  EXPECT_FALSE(take_reply(received));
}

TEST(TakeReply, ReadsNoBodyAfterHead) {
  std::string received = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";
  EXPECT_TRUE(take_reply(received, true));
}

TEST(Connection, IsNotConnectedWhereNobodyListens) {
  const Connection connection(1);
  EXPECT_FALSE(connection.connected());
}

}  // namespace
}  // namespace berth::harness
