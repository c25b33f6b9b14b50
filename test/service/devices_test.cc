// The recorded scene of GPUs from DRA: d1 and d2 have two devices each, p1 two GPUs of a plugin, c1
// none; seven pods ask for one GPU each. What a real kube-scheduler asked and did is the measure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "fixture.h"
#include "test/harness/recorded.h"
#include "test/harness/strict_reader.h"
#include "test/harness/temporary_folder.h"

namespace berth::service {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* kNow = "2026-11-30T13:30:00Z";

class RecordedDevices : public ::testing::Test {
 protected:
  /// Everything, but of pods and their claims only those of `placed`.
  [[nodiscard]] std::string cluster_with(const std::set<std::string>& placed) const {
    json cluster = after_;
    json kept = json::array();
    for (const auto& item : after_["items"]) {
      std::string pod;
      if (item["kind"] == "Pod") pod = item["metadata"]["name"];
      if (item["kind"] == "ResourceClaim") pod = item["metadata"]["ownerReferences"][0]["name"];
      if (pod.empty() || placed.contains(pod)) kept.push_back(item);
    }
    cluster["items"] = kept;
    return cluster.dump();
  }
  /// The pods that were placed before this request.
  [[nodiscard]] std::set<std::string> placed_before(std::size_t number) const {
    std::set<std::string> placed;
    for (std::size_t i = 0; i < number; ++i) placed.insert(recording_.requests[i].pod);
    placed.erase(recording_.requests[number].pod);
    return placed;
  }
  /// The recorded request of a pod, about these nodes.
  [[nodiscard]] std::string ask_about(const std::vector<std::string>& names) const {
    json request = json::parse(recording_.requests[0].body);
    request["NodeNames"] = names;
    return request.dump();
  }

  harness::Recording recording_ =
      harness::load_recording(BERTH_TEST_DATA "/requests", "v1.37.2/dra");
  json after_ = json::parse(harness::read_file(recording_.cluster_file("after")));
  ExtenderBench bench_{at(kNow)};
};

TEST_F(RecordedDevices, PassEveryNodeThatKubeSchedulerFound) {
  int judged = 0;
  for (std::size_t number = 0; number < recording_.requests.size(); ++number) {
    const auto& request = recording_.requests[number];
    SCOPED_TRACE(request.name);
    bench_.publish(cluster_with(placed_before(number)));
    if (request.verb == "filter") {
      const auto reading = harness::read_filter(request.body, bench_.filter(request.body).body);
      EXPECT_THAT(reading.violations, IsEmpty());
      EXPECT_EQ(reading.passes, harness::requested_names(request.body));
      ++judged;
    } else {
      const auto reading =
          harness::read_priorities(request.body, bench_.prioritize(request.body).body);
      EXPECT_THAT(reading.violations, IsEmpty());
      EXPECT_THAT(reading.winner(), AnyOf("d1", "d2", "p1"));
    }
  }
  EXPECT_EQ(judged, 6);
}

// Where each pod would go if the winner were always taken: the cluster of the recording, with pods
// and claims as kube-scheduler makes them.
TEST_F(RecordedDevices, ArePackedNodeByNode) {
  const json pod_like = [this] {
    for (const auto& item : after_["items"]) {
      if (item["kind"] == "Pod" && item["metadata"]["name"] == "gpu-1") return item;
    }
    return json();
  }();
  json claim_like;
  for (const auto& item : after_["items"]) {
    if (item["kind"] == "ResourceClaim") claim_like = item;
  }
  json cluster = json::parse(cluster_with({}));
  std::map<std::string, int> used;
  std::vector<std::string> winners;
  for (int i = 0; i < 6; ++i) {
    std::vector<std::string> with_room;
    for (const char* name : {"d1", "d2", "p1"}) {
      if (used[name] < 2) with_room.emplace_back(name);
    }
    bench_.publish(cluster.dump());
    const std::string request = ask_about(with_room);
    EXPECT_EQ(harness::read_filter(request, bench_.filter(request).body).passes, with_room);
    const std::string winner =
        harness::read_priorities(request, bench_.prioritize(request).body).winner();
    winners.push_back(winner);

    json pod = pod_like;
    pod["metadata"]["uid"] = "pod-" + std::to_string(i);
    pod["spec"]["nodeName"] = winner;
    cluster["items"].push_back(pod);
    if (winner != "p1") {
      json claim = claim_like;
      claim["metadata"]["uid"] = "claim-" + std::to_string(i);
      auto& result = claim["status"]["allocation"]["devices"]["results"][0];
      result["pool"] = winner;
      result["device"] = "gpu-" + std::to_string(used[winner]);
      cluster["items"].push_back(claim);
    }
    ++used[winner];
  }
  EXPECT_EQ(winners[0], winners[1]);
  EXPECT_EQ(winners[2], winners[3]);
  EXPECT_EQ(winners[4], winners[5]);
  EXPECT_THAT(used, UnorderedElementsAre(Pair("d1", 2), Pair("d2", 2), Pair("p1", 2)));
}

// kube-scheduler: "1 Insufficient nvidia.com/gpu, 3 cannot allocate all claims". It did not ask
// about the nodes; berth says the same of p1, and leaves d1 and d2 to it.
TEST_F(RecordedDevices, OfTheFullClusterAreNotRefusedToTheSeventhPod) {
  bench_.publish(after_.dump());
  const std::string names = ask_about({"c1", "d1", "d2", "p1"});
  json whole = json::parse(names);
  whole["NodeNames"] = nullptr;
  for (const auto& item : after_["items"]) {
    if (item["kind"] == "Node") whole["Nodes"]["items"].push_back(item);
  }
  for (const std::string& request : {names, whole.dump()}) {
    const auto reading = harness::read_filter(request, bench_.filter(request).body);
    EXPECT_THAT(reading.violations, IsEmpty());
    EXPECT_THAT(reading.passes, ElementsAre("d1", "d2"));
    EXPECT_THAT(reading.failed, ElementsAre(Pair("p1", "Insufficient nvidia.com/gpu")));
    EXPECT_THAT(reading.unresolvable, ElementsAre(Pair("c1", "Insufficient nvidia.com/gpu")));
  }
}

}  // namespace
}  // namespace berth::service
