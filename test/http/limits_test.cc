/// Bodies and heads that are too big, too slow or ambiguous; none of them may be read as a request
/// of its own.
#include <sys/socket.h>

#include <chrono>
#include <fstream>

#include "test/http/fixture.h"

namespace berth::http::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Sent behind every refused request: an answer to it would show that body bytes were parsed as
/// the next request.
const std::string kSmuggled = get("/hello");

struct RefusedCase {
  const char* name;
  std::string request;
  int status;
};
class RefusedRequests : public ServerTest, public ::testing::WithParamInterface<RefusedCase> {};

TEST_P(RefusedRequests, CloseTheConnectionAndNothingBehindThemIsAnswered) {
  ServerOptions options;
  options.max_body_bytes = 1000;
  start(std::move(options));
  Client client = connect();
  const auto reply = client.ask(GetParam().request + kSmuggled);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, GetParam().status);
  EXPECT_EQ(reply->header("connection"), "close");
  EXPECT_EQ(reply->header("content-length"), "0");
  EXPECT_EQ(client.receive_rest(), "");
}

std::string head(const std::string& fields) {
  return "POST /echo HTTP/1.1\r\nHost: berth\r\n" + fields + "\r\n";
}
std::string chunked(const std::string& chunks) {
  return head("Transfer-Encoding: chunked\r\n") + chunks;
}

INSTANTIATE_TEST_SUITE_P(
    Heads, RefusedRequests,
    ::testing::Values(
        RefusedCase{"LengthOverLimit", head("Content-Length: 1001\r\n"), 413},
        RefusedCase{"HugeLength", head("Content-Length: 999999999999999999\r\n"), 413},
        RefusedCase{"Gzip", head("Content-Encoding: gzip\r\nContent-Length: 3\r\n"), 415},
        RefusedCase{"Multipart", head("Content-Type: multipart/form-data\r\nContent-Length: 3\r\n"),
                    415},
        RefusedCase{"LengthAndChunked", head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
                    400},
        RefusedCase{"UnknownCoding", head("Transfer-Encoding: gzip\r\n"), 400},
        RefusedCase{"NegativeLength", head("Content-Length: -3\r\n"), 400},
        RefusedCase{"GarbageLength", head("Content-Length: three\r\n"), 400},
        RefusedCase{"TwoLengths", head("Content-Length: 3\r\nContent-Length: 3\r\n"), 400},
        RefusedCase{"HeaderFlood",
                    "GET /hello HTTP/1.1\r\n" +
                        [] {
                          std::string fields;
                          for (int i = 0; i < 200; ++i) fields += "A: b\r\n";
                          return fields + "\r\n";
                        }(),
                    431},
        RefusedCase{"LongTarget", "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n", 414},
        RefusedCase{"UnknownMethod", "FETCH /hello HTTP/1.1\r\n\r\n", 501},
        RefusedCase{"TwoQueries", "GET /hello?a?b HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
        RefusedCase{"Garbage", "what is this\r\n\r\n", 400}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Chunks, RefusedRequests,
    ::testing::Values(
        RefusedCase{"OneOverLimit", chunked("3e9\r\n"), 413},
        RefusedCase{"SumOverLimit", chunked("3e8\r\n" + std::string(1000, 'a') + "\r\n1\r\n"), 413},
        RefusedCase{"HugeSize", chunked("7fffffffffffffff\r\n"), 400},
        RefusedCase{"LargeSize", chunked("fffffffffffff\r\n"), 413},
        RefusedCase{"NoSize", chunked("\r\n"), 400},
        RefusedCase{"NegativeSize", chunked("-1\r\n"), 400},
        RefusedCase{"PrefixedSize", chunked("0x3\r\nabc\r\n"), 400},
        RefusedCase{"BlankBehindSize", chunked("3 \r\nabc\r\n"), 400},
        RefusedCase{"BareLineFeed", chunked("3\nabc\n"), 400},
        RefusedCase{"DataLongerThanSize", chunked("3\r\nabcdef\r\n"), 400},
        RefusedCase{"EndlessExtension", chunked("3;" + std::string(2000, 'a') + "\r\n"), 400},
        RefusedCase{"EndlessTrailers",
                    chunked("0\r\n" +
                            [] {
                              std::string lines;
                              for (int i = 0; i < 2000; ++i) lines += "A: bcdef\r\n";
                              return lines;
                            }()),
                    400}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ServerTest, ReadsBodiesUpToTheLimitInBothForms) {
  ServerOptions options;
  options.max_body_bytes = 300'000;
  start(std::move(options));
  Client client = connect();
  const std::string body(300'000, 'b');
  for (const std::string& request :
       {post("/count", body), chunked_post("/count", body, 7'000),
        chunked_post("/count", body, 300'000), post("/count", ""), chunked_post("/count", "", 1)}) {
    const auto reply = client.ask(request);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
  }
  const auto small = client.ask(chunked_post("/echo", "one by one", 1));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->body, "one by one");
}

TEST_F(ServerTest, ReadsChunkExtensionsAndTrailers) {
  start();
  Client client = connect();
  const auto reply = client.ask(chunked("3;a=b\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "abc");
  EXPECT_TRUE(client.ask(get("/hello")));
}

TEST_F(ServerTest, RefusesTooLongABodyBeforeItIsSent) {
  ServerOptions options;
  options.max_body_bytes = 1000;
  start(std::move(options));
  Client client = connect();
  const auto reply = client.ask(head("Content-Length: 100000000\r\nExpect: 100-continue\r\n"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 413);
}

TEST_F(ServerTest, LetsTheClientReadTheRefusalWhileItIsSending) {
  ServerOptions options;
  options.max_body_bytes = 1000;
  start(std::move(options));
  Client client = connect();
  client.send(head("Content-Length: 4000000\r\n"));
  client.send(std::string(4'000'000, 'a'));
  const auto reply = client.receive();
  ASSERT_TRUE(reply) << "a reset overtook the reply";
  EXPECT_EQ(reply->status, 413);
}

TEST_F(ServerTest, AsksForTheBodyOfAClientThatWaitsToBeAsked) {
  start();
  Client client = connect();
  const auto asked = client.ask(head("Content-Length: 2\r\nExpect: 100-continue\r\n"));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->status, 100);
  const auto reply = client.ask("{}");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "{}");
  EXPECT_TRUE(client.ask(get("/hello")));
}

TEST_F(ServerTest, DoesNotAskForTheBodyOfAnUnknownPath) {
  start();
  Client client = connect();
  const auto reply =
      client.ask("POST /nothing HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->header("connection"), "close");
  EXPECT_EQ(client.receive_rest(), "");
}

TEST_F(ServerTest, ClosesAfterABigBodyForAnUnknownPath) {
  start();
  Client client = connect();
  client.send("POST /nothing HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n");
  const auto reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->header("connection"), "close");
  client.send(kSmuggled);
  EXPECT_EQ(client.receive_rest(), "");
}

TEST_F(ServerTest, GivesUpHeadsThatDoNotArriveInTime) {
  ServerOptions options;
  options.read_timeout = milliseconds(100);
  start(std::move(options));
  Client half = connect();
  const auto reply = half.ask("POST /echo HTTP/1.1\r\nHost");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 408);
  EXPECT_EQ(half.receive_rest(), "");
}

/// Sends `piece` again and again, each time well within the time-out of a single piece, until the
/// server says something.
std::optional<Reply> trickle(Client& client, const std::string& piece) {
  const auto give_up = steady_clock::now() + std::chrono::seconds(9);
  while (steady_clock::now() < give_up && !client.readable_within(milliseconds(20))) {
    if (!client.send(piece)) break;
  }
  return client.receive();
}

TEST_F(ServerTest, GivesUpHeadsThatTrickle) {
  ServerOptions options;
  options.read_timeout = milliseconds(200);
  start(std::move(options));
  Client client = connect();
  client.send("POST /echo HTTP/1.1\r\n");
  const auto reply = trickle(client, "A: b\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 408);
}

TEST_F(ServerTest, GivesUpBodiesThatStop) {
  ServerOptions options;
  options.read_timeout = milliseconds(100);
  start(std::move(options));
  for (const std::string& begun :
       {head("Content-Length: 10\r\n") + "abc", chunked("a\r\nabc"), chunked("3\r\nabc\r\n")}) {
    Client client = connect();
    const auto reply = client.ask(begun);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 408);
    EXPECT_EQ(client.receive_rest(), "");
  }
}

TEST_F(ServerTest, GivesUpBodiesThatTrickle) {
  ServerOptions options;
  options.body_timeout = milliseconds(200);
  start(std::move(options));
  for (const std::string& begun : {head("Content-Length: 400000\r\n"), chunked("ffffff\r\n")}) {
    Client client = connect();
    client.send(begun);
    const auto reply = trickle(client, "a");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 408);
  }
}

TEST_F(ServerTest, GivesUpClientsThatDoNotReadTheReply) {
  ServerOptions options;
  options.read_timeout = milliseconds(200);
  options.max_threads = 1;
  start(std::move(options));
  Client deaf = connect();
  std::string requests;
  for (int i = 0; i < 40; ++i) requests += get("/big");
  deaf.send(requests);
  // The only thread is busy with the deaf client until its patience ends.
  const auto reply = connect().ask(get("/hello"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
}

TEST_F(ServerTest, AnswersClientsThatHaveSaidAllTheyWillSay) {
  start();
  Client client = connect();
  client.send(get("/hello"));
  ASSERT_EQ(shutdown(client.socket(), SHUT_WR), 0);
  const auto reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_EQ(client.receive_rest(), "");

  Client cut = connect();
  cut.send(head("Content-Length: 10\r\n") + "abc");
  ASSERT_EQ(shutdown(cut.socket(), SHUT_WR), 0);
  const auto refused = cut.receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 400);
}

TEST_F(ServerTest, ServesOnAfterClientsThatLeaveInTheMiddle) {
  start();
  for (const std::string& begun : {std::string("POST /ec"), head("Content-Length: 10\r\n") + "abc",
                                   chunked("a\r\nabc"), get("/big")}) {
    Client client = connect();
    client.send(begun);
  }
  const auto reply = connect().ask(get("/hello"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
}

TEST_F(ServerTest, RefusesBodiesBeyondTheBudgetOfAllRequests) {
  ServerOptions options;
  options.max_bytes_in_flight = 100'000;
  start(std::move(options));
  const std::string big(60'000, 'a');
  Client holding = connect();
  holding.send(post("/wait", big));
  ASSERT_TRUE(latch_.wait_for(1));
  for (const std::string& request : {post("/count", big), chunked_post("/count", big, 1'000)}) {
    Client second = connect();
    const auto refused = second.ask(request + kSmuggled);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->header("retry-after"), "1");
    EXPECT_EQ(second.receive_rest(), "");
  }
  EXPECT_TRUE(connect().ask(post("/count", "small"))) << "what fits is served meanwhile";
  latch_.open();
  ASSERT_TRUE(holding.receive());
  const auto after = connect().ask(post("/count", big));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->status, 200) << "the budget must be given back";
}

TEST_F(ServerTest, GivesTheBudgetOfRefusedBodiesBack) {
  ServerOptions options;
  options.max_bytes_in_flight = 10'000;
  options.read_timeout = milliseconds(30);
  start(std::move(options));
  for (int i = 0; i < 5; ++i) {
    Client client = connect();
    const auto reply = client.ask(head("Content-Length: 9000\r\n") + std::string(8'000, 'a'));
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->status, 408);
  }
  const auto reply = connect().ask(post("/count", std::string(9'000, 'a')));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kSlack = std::size_t{600} << 20;  // freed memory stays in quarantine
#else
constexpr std::size_t kSlack = std::size_t{24} << 20;
#endif

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * 4096;
}

TEST_F(ServerTest, GivesTheMemoryOfLargeBodiesBack) {
  start();
  std::string request = post("/count", std::string(24 << 20, 'a'));
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 6; ++i) {
    const auto reply = connect().ask(request);
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->body, std::to_string(24 << 20));
  }
  server_->stop();
  EXPECT_LT(resident_bytes(), before + kSlack);
}

struct ToldCase {
  const char* name;
  std::string request;
  std::string told;
};
class ToldRefusals : public ServerTest, public ::testing::WithParamInterface<ToldCase> {};

TEST_P(ToldRefusals, NameWhatWasWrong) {
  ServerOptions options = listening_to_refusals();
  options.max_body_bytes = 1000;
  options.max_bytes_in_flight = 1000;
  options.read_timeout = milliseconds(100);
  start(std::move(options));
  Client client = connect();
  client.send(GetParam().request);
  ::shutdown(client.socket(), SHUT_WR);
  EXPECT_TRUE(client.closed_by_peer());
  const auto told = refusals();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], GetParam().told);
}
INSTANTIATE_TEST_SUITE_P(
    Of, ToldRefusals,
    ::testing::Values(
        ToldCase{"UnknownPath", post("/berth/filter", "{}"), "unknown_path: POST /berth/filter"},
        ToldCase{"LongUnknownPath", get("/" + std::string(5000, 'a')),
                 "unknown_path: GET /" + std::string(195, 'a')},
        ToldCase{"WrongMethod", get("/echo"), "wrong_method: GET /echo"},
        ToldCase{"BodyTooLarge", post("/echo", std::string(1001, 'x')),
                 "body_too_large: POST /echo"},
        ToldCase{"ChunkedBodyTooLarge", chunked_post("/echo", std::string(1001, 'x'), 600),
                 "body_too_large: POST /echo"},
        ToldCase{"HeadTooLarge", get("/" + std::string(8000, 'a')),
                 "head_too_large: GET /" + std::string(195, 'a')},
        ToldCase{"MediaType", post("/echo", "{}", "Content-Encoding: gzip\r\n"),
                 "media_type: POST /echo"},
        ToldCase{"NotSupported", "PURGE / HTTP/1.1\r\n\r\n", "not_supported: PURGE /"},
        ToldCase{"BadFraming", "POST /echo HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                 "bad_framing: POST /echo"},
        ToldCase{"NotHttp", "\x16\x03\x01 hello\r\n\r\n", "bad_framing: \x16\x03\x01"},
        ToldCase{"ClientGoneInTheHead", "POST /echo HTTP/1.1\r\nHost", "client_gone: POST /echo"},
        ToldCase{"ClientGoneInTheBody", "POST /echo HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc",
                 "client_gone: POST /echo"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ServerTest, TellsWhatDidNotArriveInTime) {
  ServerOptions options = listening_to_refusals();
  options.read_timeout = milliseconds(50);
  start(std::move(options));
  Client head = connect();
  head.send("POST /echo HTTP/1.1\r\nHost");
  EXPECT_TRUE(head.closed_by_peer());
  Client body = connect();
  body.send("POST /count HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc");
  EXPECT_TRUE(body.closed_by_peer());
  EXPECT_EQ(refusals(),
            (std::vector<std::string>{"too_slow: POST /echo", "too_slow: POST /count"}));
}

TEST_F(ServerTest, SaysNothingOfConnectionsThatNeverAsk) {
  start(listening_to_refusals());
  { const Client silent = connect(); }
  EXPECT_TRUE(connect().ask(get("/hello")));
  EXPECT_TRUE(refusals().empty());
}

TEST_F(ServerTest, ExplainsRefusalsInTheirBody) {
  ServerOptions options = listening_to_refusals();
  options.max_body_bytes = 10;
  options.explain = [](Refusal refusal) {
    return refusal == Refusal::kBodyTooLarge ? std::string(R"({"error":"limits.x"})") : "";
  };
  start(std::move(options));
  for (const std::string& request :
       {post("/echo", "12345678901"), chunked_post("/echo", "12345678901", 6)}) {
    const auto reply = connect().ask(request);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 413);
    EXPECT_EQ(reply->body, R"({"error":"limits.x"})");
    EXPECT_EQ(reply->header("content-type"), "application/json");
  }
  const auto other = connect().ask(get("/nothing"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->body, "");
}

}  // namespace
}  // namespace berth::http::test
