/// Routing, replies and connections.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "test/http/fixture.h"

namespace berth::http::test {
namespace {

using ::testing::Test;

TEST_F(ServerTest, AnswersExactPathsWithContentLength) {
  start();
  Client client = connect();
  const auto echoed = client.ask(post("/echo", R"({"a":1})"));
  ASSERT_TRUE(echoed);
  EXPECT_EQ(echoed->status, 200);
  EXPECT_EQ(echoed->body, R"({"a":1})");
  EXPECT_EQ(echoed->header("content-length"), "7");
  EXPECT_EQ(echoed->header("content-type"), "application/json");
  EXPECT_EQ(echoed->header("transfer-encoding"), "");
  const auto hello = client.ask(get("/hello"));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->body, "hello");
  EXPECT_EQ(hello->header("content-type"), "text/plain");
}

TEST_F(ServerTest, SendsContentLengthZeroForAnEmptyReply) {
  start();
  const auto reply = connect().ask(get("/empty"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->header("content-length"), "0");
  EXPECT_EQ(reply->header("content-type"), "");
}

TEST_F(ServerTest, GivesPathAndQueryToTheHandler) {
  start();
  const auto reply = connect().ask(get("/query?pod=a%2fb&x"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "/query pod=a%2fb&x");
}

struct PathCase {
  const char* name;
  const char* request_line;
  int status;
  const char* allow;
};
class Paths : public ServerTest, public ::testing::WithParamInterface<PathCase> {};

TEST_P(Paths, AreRefusedWithoutBodyOrRedirectAndTheConnectionIsKept) {
  start();
  Client client = connect();
  const std::string line = GetParam().request_line;
  const auto reply = client.ask(line + " HTTP/1.1\r\nHost: berth\r\nContent-Length: 2\r\n\r\n{}");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, GetParam().status);
  EXPECT_EQ(reply->header("content-length"), "0");
  EXPECT_EQ(reply->header("allow"), GetParam().allow);
  EXPECT_EQ(reply->header("location"), "");
  const auto next = client.ask(get("/hello"));
  ASSERT_TRUE(next) << "the connection must be usable again";
  EXPECT_EQ(next->body, "hello");
}
INSTANTIATE_TEST_SUITE_P(Unknown, Paths,
                         ::testing::Values(PathCase{"OtherPath", "POST /nothing", 404, ""},
                                           PathCase{"Root", "POST /", 404, ""},
                                           PathCase{"SlashBehind", "POST /echo/", 404, ""},
                                           PathCase{"DoubleSlash", "POST //echo", 404, ""},
                                           PathCase{"OtherCase", "POST /Echo", 404, ""},
                                           PathCase{"PatternIsNoPattern", "POST /.*", 404, ""},
                                           PathCase{"DotSegments", "POST /x/../echo", 404, ""},
                                           PathCase{"GetOfPost", "GET /echo", 405, "POST"},
                                           PathCase{"PostOfGet", "POST /hello", 405, "GET, HEAD"},
                                           PathCase{"PutOfBoth", "PUT /both", 405,
                                                    "GET, HEAD, POST"},
                                           PathCase{"DeleteOfPost", "DELETE /echo", 405, "POST"},
                                           PathCase{"OptionsOfPost", "OPTIONS /echo", 405, "POST"},
                                           PathCase{"TraceOfPost", "TRACE /echo", 405, "POST"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(ServerTest, AnswersHeadLikeGetWithoutTheBody) {
  start();
  Client client = connect();
  const auto head = client.ask("HEAD /hello HTTP/1.1\r\nHost: berth\r\n\r\n", true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->header("content-length"), "5");
  const auto next = client.ask(get("/hello"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "hello");
}

TEST_F(ServerTest, NeverCompressesNorCutsReplies) {
  start();
  Client client = connect();
  const std::string body(20'000, 'a');
  const auto reply = client.ask(
      post("/echo", body, "Accept-Encoding: gzip, br\r\nRange: bytes=0-3\r\nTE: trailers\r\n"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->header("content-encoding"), "");
  EXPECT_EQ(reply->header("transfer-encoding"), "");
  EXPECT_EQ(reply->body, body);
  const auto unusable_range = client.ask(get("/hello", "Range: bytes=9-1,x\r\n"));
  ASSERT_TRUE(unusable_range);
  EXPECT_EQ(unusable_range->status, 200);
}

TEST_F(ServerTest, KeepsOneConnectionForHundredsOfRequests) {
  start();
  Client client = connect();
  for (int i = 0; i < 300; ++i) {
    const auto reply = client.ask(post("/echo", std::to_string(i)));
    ASSERT_TRUE(reply) << "request " << i;
    ASSERT_EQ(reply->body, std::to_string(i));
    ASSERT_EQ(reply->header("connection"), "");
  }
}

TEST_F(ServerTest, AnnouncesHowLongItKeepsIdleConnections) {
  start();
  const auto reply = connect().ask(get("/hello"));
  ASSERT_TRUE(reply);
  const std::string keep_alive = reply->header("keep-alive");
  const std::string announced = "timeout=180, max=";
  ASSERT_EQ(keep_alive.substr(0, announced.size()), announced);
  EXPECT_GT(std::stol(keep_alive.substr(announced.size())), 1'000'000) << "no cap on requests";
}

TEST_F(ServerTest, ClosesIdleConnectionsOnlyAfterTheKeepAliveTime) {
  ServerOptions options;
  options.keep_alive = std::chrono::milliseconds(400);
  options.read_timeout = std::chrono::milliseconds(50);  // must not matter between requests
  start(std::move(options));
  Client used = connect();
  Client silent = connect();
  ASSERT_TRUE(used.ask(get("/hello")));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(used.receive_rest(), "");
  EXPECT_EQ(silent.receive_rest(), "");
  const auto idle = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(idle, std::chrono::milliseconds(350));
  EXPECT_LT(idle, std::chrono::seconds(5));
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  Client client = connect();
  client.send(post("/echo", "first") + post("/echo", "second") + get("/hello"));
  for (const char* want : {"first", "second", "hello"}) {
    const auto reply = client.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, want);
  }
}

struct CloseCase {
  const char* name;
  const char* request;
};
class CloseWishes : public ServerTest, public ::testing::WithParamInterface<CloseCase> {};

TEST_P(CloseWishes, AreHonouredAndAnnounced) {
  start();
  Client client = connect();
  const auto reply = client.ask(GetParam().request);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_EQ(reply->header("connection"), "close");
  EXPECT_EQ(client.receive_rest(), "");
}
INSTANTIATE_TEST_SUITE_P(
    Clients, CloseWishes,
    ::testing::Values(
        CloseCase{"Close", "GET /hello HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"},
        CloseCase{"OtherCase", "GET /hello HTTP/1.1\r\nHost: b\r\nconnection: Close\r\n\r\n"},
        CloseCase{"InAList", "GET /hello HTTP/1.1\r\nHost: b\r\nConnection: te, close\r\n\r\n"},
        CloseCase{"SecondField",
                  "GET /hello HTTP/1.1\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n"},
        CloseCase{"Http10", "GET /hello HTTP/1.0\r\n\r\n"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ServerTest, DropsAnEmptyLineBeforeARequest) {
  start();
  Client client = connect();
  const auto reply = client.ask("\r\n" + get("/hello"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
}

TEST_F(ServerTest, SaysNothingOfWhatAHandlerThrew) {
  start();
  Client client = connect();
  for (const char* path : {"/throw", "/throw-int", "/bad-status"}) {
    const auto reply = client.ask(get(path));
    ASSERT_TRUE(reply) << path;
    EXPECT_EQ(reply->status, 500) << path;
    EXPECT_EQ(reply->body, "") << path;
    EXPECT_EQ(reply->head.find("secret"), std::string::npos) << reply->head;
    EXPECT_EQ(reply->head.find("EXCEPTION"), std::string::npos) << reply->head;
  }
}

TEST_F(ServerTest, SendsSmallRepliesWithoutDelay) {
  start();
  Client client = connect();
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 50; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(client.ask(post("/echo", "{}")));
    best = std::min(best, std::chrono::steady_clock::now() - begin);
  }
  // Nagle's algorithm against delayed acknowledgements costs 40 ms on every reply.
  EXPECT_LT(best, std::chrono::milliseconds(20));
}

TEST_F(ServerTest, SendsBigRepliesWhole) {
  start();
  Client client = connect();
  for (int i = 0; i < 3; ++i) {
    const auto reply = client.ask(get("/big"));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, std::string(1 << 20, 'x'));
  }
}

struct AddressCase {
  const char* name;
  const char* address;
  const char* reach;
};
class Addresses : public ServerTest, public ::testing::WithParamInterface<AddressCase> {};

TEST_P(Addresses, AreBound) {
  ServerOptions options;
  options.address = GetParam().address;
  start(std::move(options));
  EXPECT_GT(port(), 0);
  const auto reply = Client(port(), GetParam().reach).ask(get("/hello"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
}
/// Containers often have no IPv6: its rows are for machines that do.
std::vector<AddressCase> address_cases() {
  std::vector<AddressCase> cases = {{"V4", "127.0.0.1", "127.0.0.1"},
                                    {"Name", "localhost", "127.0.0.1"},
                                    {"AnyV4", "0.0.0.0", "127.0.0.1"}};
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  const int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(probe, reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback) == 0) {
    cases.push_back({"V6", "::1", "::1"});
    cases.push_back({"V6InBrackets", "[::1]", "::1"});
    cases.push_back({"AnyReachedByV4", "::", "127.0.0.1"});
  }
  close(probe);
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Kinds, Addresses, ::testing::ValuesIn(address_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(ServerTest, RefusesAPortInUseAndNamesIt) {
  start();
  ServerOptions options;
  options.port = port();
  const auto second = start_server(std::move(options), routes());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(second.error().message.find("127.0.0.1:" + std::to_string(port())), std::string::npos)
      << second.error().message;
}

TEST_F(ServerTest, TakesItsPortAgainRightAfterAStop) {
  start();
  const int first_port = port();
  ASSERT_TRUE(connect().ask(get("/hello", "Connection: close\r\n")));
  server_->stop();
  ServerOptions options;
  options.port = first_port;
  start(std::move(options));
  EXPECT_EQ(port(), first_port);
}

struct BadOptionCase {
  const char* name;
  const char* address;
  int port;
  ErrorCode code;
  const char* says;
};
class BadAddresses : public Test, public ::testing::WithParamInterface<BadOptionCase> {};

TEST_P(BadAddresses, AreRefusedByName) {
  ServerOptions options;
  options.address = GetParam().address;
  options.port = GetParam().port;
  const auto started = start_server(std::move(options), {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, GetParam().code);
  EXPECT_NE(started.error().message.find(GetParam().says), std::string::npos)
      << started.error().message;
}
INSTANTIATE_TEST_SUITE_P(
    Of, BadAddresses,
    ::testing::Values(
        BadOptionCase{"NoAddress", "", 0, ErrorCode::kInvalidArgument, "not an address"},
        BadOptionCase{"NoSuchPort", "127.0.0.1", 65536, ErrorCode::kInvalidArgument, "65536"},
        BadOptionCase{"NotOurs", "192.0.2.1", 0, ErrorCode::kUnavailable, "192.0.2.1:0"},
        BadOptionCase{"NotAnAddress", "1.2.3.4.5", 0, ErrorCode::kInvalidArgument, "1.2.3.4.5"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(StartServer, RefusesRoutesItCannotServe) {
  const auto handler = [](const Request&) { return Response{}; };
  EXPECT_FALSE(start_server({}, {{"PUT", "/a", handler}}));
  EXPECT_FALSE(start_server({}, {{"POST", "/a", nullptr}}));
}

}  // namespace
}  // namespace berth::http::test
