#include "berth/kube/cluster_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <map>
#include <random>
#include <sstream>

#include "test/http/certificates.h"
#include "test/kube/fake_api_server.h"

namespace berth::kube {
namespace {

using cluster::RelistReason;
using cluster::Source;
using test::FakeApiServer;
using test::Seen;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kPods = "/api/v1/pods";
constexpr const char* kClasses = "/apis/resource.k8s.io/v1/deviceclasses";
constexpr const char* kSlices = "/apis/resource.k8s.io/v1/resourceslices";
constexpr const char* kClaims = "/apis/resource.k8s.io/v1/resourceclaims";
constexpr const char* kGone =
    R"({"kind":"Status","status":"Failure","reason":"Expired","message":"too old","code":410})";
constexpr std::chrono::seconds kPatience{60};

template <typename Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

std::string node(const std::string& name, int gpus, int version = 5) {
  return R"({"kind":"Node","metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","resourceVersion":")" + std::to_string(version) +
         R"("},"status":{"allocatable":{"nvidia.com/gpu":")" + std::to_string(gpus) +
         R"(","pods":"110"}}})";
}

std::string pod(const std::string& uid, const std::string& on, int gpus, int version = 5) {
  return R"({"kind":"Pod","metadata":{"namespace":"n","name":"p-)" + uid + R"(","uid":")" + uid +
         R"(","resourceVersion":")" + std::to_string(version) + R"("},"spec":{"nodeName":")" + on +
         R"(","containers":[{"name":"c","resources":{"requests":{"nvidia.com/gpu":")" +
         std::to_string(gpus) + R"("}}}]},"status":{"phase":"Running"}})";
}

std::string list(const std::vector<std::string>& items, int version = 10,
                 const std::string& continue_token = "") {
  std::string text = R"({"metadata":{"resourceVersion":")" + std::to_string(version) + "\"";
  if (!continue_token.empty()) text += R"(,"continue":")" + continue_token + "\"";
  text += "},\"items\":[";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? "," : "") + items[i];
  return text + "]}";
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

class Recorder : public WatchObserver {
 public:
  void on_relist(Source source, RelistReason reason) override {
    const std::lock_guard lock(mutex_);
    relists_[{source, reason}]++;
  }
  void on_event(Source, codec::WatchEventType) override { ++events; }
  void on_unreadable(Source, std::string_view what) override {
    const std::lock_guard lock(mutex_);
    unreadable_.emplace_back(what);
  }
  void on_unreadable_quantities(Source, std::size_t quantities, std::string_view what) override {
    const std::lock_guard lock(mutex_);
    quantities_.push_back(std::to_string(quantities) + " of " + std::string(what));
  }
  void on_trouble(Source, std::string_view what) override {
    const std::lock_guard lock(mutex_);
    troubles_.emplace_back(what);
  }
  void on_publish(std::size_t) override { ++published; }

  int relists(Source source, RelistReason reason) {
    const std::lock_guard lock(mutex_);
    return relists_[{source, reason}];
  }
  std::vector<std::string> unreadable() {
    const std::lock_guard lock(mutex_);
    return unreadable_;
  }
  std::vector<std::string> quantities() {
    const std::lock_guard lock(mutex_);
    return quantities_;
  }
  std::vector<std::string> troubles() {
    const std::lock_guard lock(mutex_);
    return troubles_;
  }
  std::atomic<int> events{0};
  std::atomic<int> published{0};

 private:
  std::mutex mutex_;
  std::map<std::pair<Source, RelistReason>, int> relists_;
  std::vector<std::string> unreadable_;
  std::vector<std::string> quantities_;
  std::vector<std::string> troubles_;
};

Result<std::string> read_file(const std::string& path, std::size_t) {
  std::ifstream file(path);
  if (!file) return Error{ErrorCode::kNotFound, "cannot read " + path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class ClusterWatchTest : public ::testing::Test {
 protected:
  ClusterWatchTest() {
    options_.read_file = read_file;
    options_.first_backoff = std::chrono::milliseconds(1);
    options_.most_backoff = std::chrono::milliseconds(20);
    options_.access.host = "127.0.0.1";
    options_.access.tls = false;
  }
  ~ClusterWatchTest() override { watch_.reset(); }

  void start() { start(server_.port()); }
  void start(int port) {
    options_.access.port = port;
    watch_ =
        std::make_unique<ClusterWatch>(options_, model::GpuPolicy{}, snapshots_, clock_, recorder_);
  }
  /// Free GPUs by node name, as of the newest snapshot.
  std::map<std::string, std::int64_t> free_gpus() {
    std::map<std::string, std::int64_t> free;
    const auto snapshot = snapshots_.read();
    if (snapshot == nullptr) return free;
    const auto column = snapshot->topology().column("nvidia.com/gpu");
    for (std::uint32_t i = 0; i < snapshot->rows(); ++i) {
      free[snapshot->topology().node(Row{i}).name] = column ? snapshot->free(*column)[i] : 0;
    }
    return free;
  }
  bool becomes(const std::map<std::string, std::int64_t>& wanted) {
    const bool reached = eventually([&] { return free_gpus() == wanted; });
    EXPECT_EQ(free_gpus(), wanted);
    return reached;
  }
  cluster::SourceStatus status(Source source) {
    for (const auto& one : watch_->sources()) {
      if (one.source == source) return one;
    }
    return {};
  }

  FakeApiServer server_;
  Recorder recorder_;
  FixedClock clock_{Time{}};
  Published<cluster::Snapshot> snapshots_;
  WatchOptions options_;
  std::unique_ptr<ClusterWatch> watch_;
};

TEST_F(ClusterWatchTest, ListsPageByPageAndWatchesFromThere) {
  server_.answer_list(kNodes, list({node("a", 8)}, 17, "t/1="));
  server_.answer_list(kNodes, list({node("b", 4)}, 17));
  server_.answer_list(kPods, list({pod("1", "a", 2), pod("2", "b", 1)}, 18));
  start();
  ASSERT_TRUE(becomes({{"a", 6}, {"b", 3}}));
  const auto nodes = server_.wait_for(kNodes, 3);
  ASSERT_GE(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].parameter("limit"), "500");
  EXPECT_EQ(nodes[0].parameter("resourceVersion"), "");
  EXPECT_EQ(nodes[1].parameter("continue"), "t/1=");
  EXPECT_TRUE(nodes[2].watch());
  EXPECT_EQ(nodes[2].parameter("resourceVersion"), "17");
  EXPECT_EQ(nodes[2].parameter("allowWatchBookmarks"), "true");
  EXPECT_GE(std::stoi(nodes[2].parameter("timeoutSeconds")), 300);
  EXPECT_LE(std::stoi(nodes[2].parameter("timeoutSeconds")), 600);
  const auto pods = server_.wait_for(kPods, 2);
  EXPECT_EQ(pods[0].parameter("fieldSelector"),
            "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed");
  EXPECT_EQ(pods[1].parameter("fieldSelector"), pods[0].parameter("fieldSelector"));
  EXPECT_TRUE(status(Source::kNodes).synced);
  EXPECT_EQ(recorder_.relists(Source::kNodes, RelistReason::kStart), 1);
}

TEST_F(ClusterWatchTest, FollowsEvents) {
  server_.answer_list(kNodes, list({node("a", 8)}));
  start();
  ASSERT_TRUE(becomes({{"a", 8}}));
  server_.stream(kPods, event("ADDED", pod("1", "a", 2, 11)));
  server_.stream(kPods, event("ADDED", pod("2", "b", 1, 12)));  // its node is not known yet
  ASSERT_TRUE(becomes({{"a", 6}}));
  server_.stream(kNodes, event("ADDED", node("b", 4, 13)));
  ASSERT_TRUE(becomes({{"a", 6}, {"b", 3}}));
  server_.stream(kPods, event("MODIFIED", pod("1", "b", 3, 14)));
  ASSERT_TRUE(becomes({{"a", 8}, {"b", 0}}));
  server_.stream(kPods, event("DELETED", pod("2", "b", 1, 15)));
  ASSERT_TRUE(becomes({{"a", 8}, {"b", 1}}));
  server_.stream(kNodes, event("DELETED", node("a", 8, 16)));
  ASSERT_TRUE(becomes({{"b", 1}}));
}

TEST_F(ClusterWatchTest, PublishesNothingBeforeEverySourceIsListed) {
  server_.answer_list(kNodes, list({node("a", 8)}));
  server_.answer_list(kPods, "busy", 500);
  server_.answer_list(kPods, "busy", 500);
  server_.answer_list(kPods, list({pod("1", "a", 2)}));
  start();
  ASSERT_TRUE(eventually([&] { return status(Source::kPods).synced; }));
  ASSERT_TRUE(becomes({{"a", 6}}));
  EXPECT_EQ(recorder_.published, 1);  // never with the node and without its pod
  EXPECT_THAT(recorder_.troubles(), ElementsAre(HasSubstr("500"), HasSubstr("500")));
}

TEST_F(ClusterWatchTest, TakesPiecesOfLines) {
  server_.answer_list(kNodes, list({node("a", 8)}));
  start();
  const std::string line = event("ADDED", pod("1", "a", 2, 11)) + event("ADDED", pod("2", "a", 1));
  for (const char c : line) server_.stream(kPods, std::string(1, c));
  ASSERT_TRUE(becomes({{"a", 5}}));
}

TEST_F(ClusterWatchTest, GoesOnFromTheLastVersionWhenAWatchEnds) {
  server_.answer_list(kNodes, list({node("a", 8)}, 10));
  start();
  server_.stream(kNodes, event("MODIFIED", node("a", 7, 11)));
  server_.stream(kNodes, event("BOOKMARK", R"({"metadata":{"resourceVersion":"40"}})"));
  server_.end_watch(kNodes);
  const auto seen = server_.wait_for(kNodes, 3);
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(seen[1].parameter("resourceVersion"), "10");
  EXPECT_TRUE(seen[2].watch());
  EXPECT_EQ(seen[2].parameter("resourceVersion"), "40");
  EXPECT_TRUE(becomes({{"a", 7}}));
}

TEST_F(ClusterWatchTest, RelistsWhenTheVersionIsGone) {
  server_.answer_list(kNodes, list({node("a", 8), node("b", 8)}));
  server_.answer_list(kPods, list({pod("1", "a", 1), pod("2", "a", 2)}));
  server_.refuse_watch(kPods, 410, kGone);
  server_.answer_list(kPods, list({pod("2", "a", 2), pod("3", "b", 4)}, 30));
  start();
  EXPECT_TRUE(becomes({{"a", 6}, {"b", 4}}));
  EXPECT_EQ(recorder_.relists(Source::kPods, RelistReason::kExpired), 1);
  server_.answer_list(kNodes, list({node("b", 8)}, 50));
  server_.end_watch(kNodes, event("ERROR", kGone));
  EXPECT_TRUE(becomes({{"b", 4}}));
  EXPECT_EQ(recorder_.relists(Source::kNodes, RelistReason::kExpired), 1);
}

TEST_F(ClusterWatchTest, BeginsAListAgainWhenItsTokenExpires) {
  server_.answer_list(kNodes, list({node("gone", 8)}, 10, "more"));
  server_.answer_list(kNodes, kGone, 410);
  server_.answer_list(kNodes, list({node("a", 8)}, 11));
  start();
  EXPECT_TRUE(becomes({{"a", 8}}));
}

TEST_F(ClusterWatchTest, OneBadObjectAffectsOnlyItself) {
  const std::string bad =
      R"({"metadata":{"namespace":"n","name":"bad","uid":"x","resourceVersion":"21"},"spec":7})";
  server_.answer_list(kNodes, list({node("a", 8)}));
  server_.answer_list(kPods, list({bad, pod("1", "a", 2)}));
  start();
  ASSERT_TRUE(becomes({{"a", 6}}));
  server_.stream(kPods, event("MODIFIED", bad));
  server_.stream(kPods, event("SOMETHING", pod("9", "a", 1)));
  server_.stream(kPods, event("ADDED", pod("2", "a", 1, 22)));
  ASSERT_TRUE(becomes({{"a", 5}}));
  EXPECT_THAT(recorder_.unreadable(),
              ElementsAre(HasSubstr("n/bad: spec"), HasSubstr("n/bad: spec")));
  EXPECT_THAT(recorder_.troubles(), IsEmpty());
}

TEST_F(ClusterWatchTest, NamesQuantitiesThatItCannotRead) {
  server_.answer_list(
      kNodes, list({R"({"metadata":{"name":"a","uid":"u","resourceVersion":"5"},"status":)"
                    R"({"allocatable":{"cpu":"4x","memory":"-1","nvidia.com/gpu":"8"}}})"}));
  server_.answer_list(
      kPods, list({R"({"metadata":{"namespace":"n","name":"p","uid":"v","resourceVersion":"5"},)"
                   R"("spec":{"nodeName":"a","containers":[{"name":"c","resources":{"requests":)"
                   R"({"cpu":"1","nvidia.com/gpu":"two"}}}]},"status":{"phase":"Running"}})"}));
  start();
  ASSERT_TRUE(becomes({{"a", 8}}));
  EXPECT_THAT(recorder_.quantities(),
              UnorderedElementsAre(
                  AllOf(HasSubstr("2 of a: status.allocatable.cpu"), HasSubstr("\"4x\""),
                        HasSubstr("(and 1 more)")),
                  AllOf(HasSubstr("1 of n/p: spec.containers[0].resources.requests.nvidia.com/gpu"),
                        HasSubstr("\"two\""))));
  EXPECT_THAT(recorder_.unreadable(), IsEmpty());
}

TEST_F(ClusterWatchTest, DistrustsAStreamThatIsNoWatch) {
  server_.answer_list(kNodes, list({node("a", 8)}, 10));
  start();
  ASSERT_TRUE(becomes({{"a", 8}}));
  server_.stream(kNodes, event("MODIFIED", node("a", 7, 33)) + "<html>\n" +
                             event("MODIFIED", node("a", 1, 34)));
  const auto seen = server_.wait_for(kNodes, 3);
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(seen[2].parameter("resourceVersion"), "33");
  EXPECT_EQ(free_gpus()["a"], 7);
  EXPECT_THAT(recorder_.troubles(), ElementsAre(HasSubstr("not a watch event")));
}

TEST_F(ClusterWatchTest, RelistsWhenEventsComeFasterThanTheyAreTaken) {
  std::promise<void> release;
  auto released = release.get_future().share();
  options_.queue_size = 2;
  options_.on_binding = [released](const Binding& binding) {
    if (binding.pod_uid == "1") released.wait();
  };
  server_.answer_list(kNodes, list({node("a", 8)}));
  start();
  ASSERT_TRUE(becomes({{"a", 8}}));
  server_.answer_list(kPods, list({pod("7", "a", 7, 60)}, 60));
  std::string burst;
  for (int i = 1; i <= 6; ++i) burst += event("ADDED", pod(std::to_string(i), "a", 1, 20 + i));
  server_.stream(kPods, burst);
  const bool overflowed = eventually([&] { return !recorder_.troubles().empty(); });
  release.set_value();
  ASSERT_TRUE(overflowed);
  EXPECT_THAT(recorder_.troubles()[0], HasSubstr("faster than"));
  EXPECT_TRUE(becomes({{"a", 1}}));
  EXPECT_EQ(recorder_.relists(Source::kPods, RelistReason::kOverflow), 1);
}

TEST_F(ClusterWatchTest, SaysWhatTheServerRefuses) {
  server_.answer_list(kNodes, R"({"message":"nodes is forbidden","code":403})", 403);
  start();
  ASSERT_TRUE(eventually([&] { return !recorder_.troubles().empty(); }));
  EXPECT_THAT(recorder_.troubles()[0], HasSubstr("403: nodes is forbidden"));
  EXPECT_TRUE(eventually([&] { return status(Source::kNodes).synced; }));
  EXPECT_TRUE(eventually([&] { return status(Source::kNodes).trouble.empty(); }));
}

TEST_F(ClusterWatchTest, TriesAgainUntilTheServerIsThere) {
  int port = 0;
  { port = FakeApiServer().port(); }
  start(port);
  ASSERT_TRUE(eventually([&] { return recorder_.troubles().size() >= 4; }));
  EXPECT_THAT(status(Source::kNodes).trouble, HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_FALSE(status(Source::kNodes).synced);
  EXPECT_EQ(snapshots_.read(), nullptr);
}

TEST_F(ClusterWatchTest, GivesUpASilentPeerButNotItsPlace) {
  options_.read_deadline = std::chrono::milliseconds(50);
  server_.answer_list(kNodes, list({node("a", 8)}, 10));
  start();
  const auto seen = server_.wait_for(kNodes, 4);
  ASSERT_GE(seen.size(), 4U);
  EXPECT_EQ(seen[3].parameter("resourceVersion"), "10");
  EXPECT_EQ(recorder_.relists(Source::kNodes, RelistReason::kStart), 1);
}

TEST_F(ClusterWatchTest, StopsWhileItWaits) {
  start();
  ASSERT_TRUE(eventually([&] { return server_.seen(kPods).size() >= 2; }));
  const auto before = std::chrono::steady_clock::now();
  watch_->stop();
  // A watch lasts for minutes; that it ends at once is the point, not the exact time.
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
  watch_->stop();
}

TEST_F(ClusterWatchTest, JudgesByANewPolicyAtOnce) {
  server_.answer_list(kNodes, list({node("a", 8)}));
  start();
  ASSERT_TRUE(becomes({{"a", 8}}));
  EXPECT_FALSE(snapshots_.read()->topology().gpus_allocatable().empty());
  model::GpuPolicy other;
  other.resources = {"amd.com/gpu"};
  watch_->set_gpu_policy(other);
  EXPECT_TRUE(eventually([&] { return snapshots_.read()->topology().gpus_allocatable().empty(); }));
}

TEST_F(ClusterWatchTest, CountsGpusFromDra) {
  server_.answer_list(kNodes, list({node("plugin", 8)}));
  server_.answer_list(
      kClasses,
      list(
          {R"({"metadata":{"name":"gpu","uid":"c"},"spec":{"extendedResourceName":"nvidia.com/gpu",)"
           R"("selectors":[{"cel":{"expression":"device.driver == 'gpu.example'"}}]}})"}));
  server_.answer_list(
      kSlices,
      list({R"({"metadata":{"name":"s","uid":"s"},"spec":{"driver":"gpu.example","nodeName":"dra",)"
            R"("pool":{"name":"dra","generation":1,"resourceSliceCount":1},)"
            R"("devices":[{"name":"g0"},{"name":"g1"}]}})"}));
  start();
  ASSERT_TRUE(becomes({{"plugin", 8}}));
  server_.stream(kNodes, event("ADDED", R"({"metadata":{"name":"dra","uid":"d"}})"));
  ASSERT_TRUE(becomes({{"dra", 2}, {"plugin", 8}}));
  server_.stream(kClaims,
                 event("ADDED", R"({"metadata":{"namespace":"n","name":"c","uid":"k"},"status":)"
                                R"({"allocation":{"devices":{"results":[{"driver":"gpu.example",)"
                                R"("pool":"dra","device":"g1","request":"r"}]}}}})"));
  ASSERT_TRUE(becomes({{"dra", 1}, {"plugin", 8}}));
  server_.stream(kClaims, event("DELETED", R"({"metadata":{"name":"c","uid":"k"}})"));
  ASSERT_TRUE(becomes({{"dra", 2}, {"plugin", 8}}));
  server_.end_watch(kSlices, event("ERROR", kGone));  // listed again, it is empty
  ASSERT_TRUE(becomes({{"dra", 0}, {"plugin", 8}}));
}

TEST_F(ClusterWatchTest, AnApiServerWithoutDraIsNoError) {
  for (const char* path : {kClasses, kSlices, kClaims}) {
    server_.answer_list(path, R"({"message":"the server could not find it","code":404})", 404);
  }
  options_.most_backoff = std::chrono::hours(1);
  server_.answer_list(kNodes, list({node("a", 8)}));
  start();
  ASSERT_TRUE(becomes({{"a", 8}}));
  EXPECT_TRUE(status(Source::kDeviceClasses).synced);
  EXPECT_TRUE(status(Source::kDeviceClasses).absent);
  EXPECT_THAT(recorder_.troubles(), IsEmpty());
}

/// A server that changes at random, loses watches and forgets versions: at the end berth knows
/// what a fresh list says.
TEST_F(ClusterWatchTest, EndsWhereAFreshListWouldBe) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto dice = [&random](int sides) {
    return std::uniform_int_distribution<int>(0, sides - 1)(random);
  };
  std::map<std::string, int> nodes;                         // name -> GPUs
  std::map<std::string, std::pair<std::string, int>> pods;  // uid -> node, GPUs
  const auto node_list = [&](int version) {
    std::vector<std::string> items;
    for (const auto& [name, gpus] : nodes) items.push_back(node(name, gpus, version));
    return list(items, version);
  };
  const auto pod_list = [&](int version) {
    std::vector<std::string> items;
    for (const auto& [uid, at] : pods) items.push_back(pod(uid, at.first, at.second, version));
    return list(items, version);
  };
  start();
  ASSERT_TRUE(eventually([&] { return snapshots_.read() != nullptr; }));
  int version = 100;
  for (int step = 0; step < 400; ++step) {
    const std::string name = "n" + std::to_string(dice(6));
    const std::string uid = "p" + std::to_string(dice(40));
    ++version;
    std::string line;
    const char* path = kPods;
    switch (dice(8)) {
      case 0:
        path = kNodes;
        nodes[name] = dice(9);
        line = event("MODIFIED", node(name, nodes[name], version));
        break;
      case 1:
        path = kNodes;
        nodes.erase(name);
        line = event("DELETED", node(name, 0, version));
        break;
      case 2:
      case 3:
        pods.erase(uid);
        line = event("DELETED", pod(uid, name, 0, version));
        break;
      default:
        pods[uid] = {name, dice(3)};
        line = event("ADDED", pod(uid, name, pods[uid].second, version));
    }
    const int fate = dice(20);
    if (fate == 0) {  // the watch is over, and what it missed can no longer be had
      server_.answer_list(path, path == kNodes ? node_list(version) : pod_list(version));
      server_.end_watch(path, event("ERROR", kGone));
      continue;
    }
    server_.stream(path, line);
    if (fate == 1) server_.stream(path, line);  // told twice
    if (fate == 2) server_.end_watch(path);
  }
  std::map<std::string, std::int64_t> wanted;
  for (const auto& [name, gpus] : nodes) wanted[name] = gpus;
  for (const auto& [uid, at] : pods) {
    if (wanted.contains(at.first)) wanted[at.first] -= at.second;
  }
  EXPECT_TRUE(becomes(wanted));
}

class TlsWatchTest : public ClusterWatchTest {
 protected:
  TlsWatchTest() {
    options_.access.tls = true;
    options_.access.certificate_authority.text = ca_.certificate_pem();
  }
  http::test::TemporaryFolder folder_;
  http::test::Identity ca_{"the CA"};
  http::test::Identity server_identity_{"127.0.0.1", &ca_};
  http::test::Identity client_identity_{"berth", &ca_};
  FakeApiServer tls_server_{{folder_.write("server.crt", server_identity_.certificate_pem()),
                             folder_.write("server.key", server_identity_.key_pem()),
                             folder_.write("ca.crt", ca_.certificate_pem())}};
};

TEST_F(TlsWatchTest, ShowsItsCertificateAndItsNewestToken) {
  options_.access.client_certificate.file =
      folder_.write("me.crt", client_identity_.certificate_pem());
  options_.access.client_key.text = client_identity_.key_pem();
  options_.access.token_file = folder_.write("token", "first\n");
  tls_server_.answer_list(kNodes, list({node("a", 8)}));
  start(tls_server_.port());
  ASSERT_TRUE(becomes({{"a", 8}}));
  EXPECT_EQ(tls_server_.wait_for(kNodes, 2)[0].authorization, "Bearer first");
  folder_.write("token", "second\n");
  tls_server_.end_watch(kNodes);
  const auto seen = tls_server_.wait_for(kNodes, 3);
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(seen[2].authorization, "Bearer second");
}

TEST_F(TlsWatchTest, TrustsNobodyElse) {
  const http::test::Identity other("another CA");
  options_.access.certificate_authority.text = other.certificate_pem();
  options_.access.client_certificate.text = client_identity_.certificate_pem();
  options_.access.client_key.text = client_identity_.key_pem();
  options_.access.token = "secret";
  start(tls_server_.port());
  ASSERT_TRUE(eventually([&] { return recorder_.troubles().size() >= 2; }));
  EXPECT_THAT(recorder_.troubles()[0], HasSubstr("certificate"));
  EXPECT_THAT(tls_server_.seen(kNodes), IsEmpty());
}

TEST_F(TlsWatchTest, WantsTheNameOfTheServer) {
  options_.access.tls_server_name = "elsewhere.example";
  options_.access.client_certificate.text = client_identity_.certificate_pem();
  options_.access.client_key.text = client_identity_.key_pem();
  start(tls_server_.port());
  ASSERT_TRUE(eventually([&] { return recorder_.troubles().size() >= 2; }));
  EXPECT_THAT(recorder_.troubles()[0], HasSubstr("mismatch"));
}

TEST_F(TlsWatchTest, SaysWhichFileIsOfNoUse) {
  options_.access.certificate_authority = {folder_.write("bad.crt", "nonsense"), ""};
  start(tls_server_.port());
  ASSERT_TRUE(eventually([&] { return !recorder_.troubles().empty(); }));
  EXPECT_THAT(recorder_.troubles()[0], HasSubstr("bad.crt"));
}

}  // namespace
}  // namespace berth::kube
