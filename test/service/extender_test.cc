#include "berth/service/extender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include "fixture.h"
#include "test/harness/strict_reader.h"

namespace berth::service {
namespace {

using harness::ExpectedHosts;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;

constexpr const char* kNow = "2026-11-30T12:00:00Z";

/// Three GPU nodes (4, 4, 2 free of 4), one without GPUs.
std::string small_cluster() {
  return list_json({node_json("gpu-a", 4), node_json("gpu-b", 4), node_json("gpu-c", 4),
                    node_json("cpu-a", 0), bound_pod_json("busy", "gpu-c", 2)});
}

class ExtenderTest : public ::testing::Test {
 protected:
  void SetUp() override { bench_.publish(small_cluster()); }

  harness::FilterReading filter(const std::string& body) {
    const Reply reply = bench_.filter(body);
    EXPECT_EQ(reply.status, 200) << reply.body;
    auto reading = harness::read_filter(body, reply.body);
    EXPECT_THAT(reading.violations, IsEmpty()) << reply.body;
    return reading;
  }
  harness::PriorityReading prioritize(const std::string& body,
                                      ExpectedHosts expected = ExpectedHosts::kEveryNode) {
    const Reply reply = bench_.prioritize(body);
    EXPECT_EQ(reply.status, 200) << reply.body;
    auto reading = harness::read_priorities(body, reply.body, expected);
    EXPECT_THAT(reading.violations, IsEmpty()) << reply.body;
    return reading;
  }
  SeenDecision only_decision() {
    const auto seen = bench_.observer.seen();
    EXPECT_EQ(seen.size(), 1U);
    return seen.empty() ? SeenDecision{} : seen.back();
  }

  ExtenderBench bench_{at(kNow)};
};

using Filter = ExtenderTest;
using Prioritize = ExtenderTest;

TEST_F(Filter, AnswersEveryNodeInTheOrderOfTheRequest) {
  const auto reading = filter(args_json(4, R"("NodeNames":["gpu-c","gpu-b","cpu-a","gpu-a"])"));
  EXPECT_THAT(reading.passes, ElementsAre("gpu-b", "gpu-a"));
  EXPECT_THAT(reading.failed, ElementsAre(Pair("gpu-c", "Insufficient nvidia.com/gpu")));
  EXPECT_THAT(reading.unresolvable, ElementsAre(Pair("cpu-a", "Insufficient nvidia.com/gpu")));
}

TEST_F(Filter, LetsUnknownNamesFailAlone) {
  const auto reading = filter(args_json(1, R"("NodeNames":["ghost","gpu-a"])"));
  EXPECT_THAT(reading.passes, ElementsAre("gpu-a"));
  EXPECT_THAT(reading.unresolvable, ElementsAre(Pair("ghost", HasSubstr("unknown"))));
}

TEST_F(Filter, AnswersARepeatedNameOnce) {
  const auto reading = filter(
      args_json(4, R"("NodeNames":["gpu-a","ghost","gpu-a","gpu-c","ghost","gpu-c","gpu-b"])"));
  EXPECT_THAT(reading.passes, ElementsAre("gpu-a", "gpu-b"));
  EXPECT_THAT(reading.failed, ElementsAre(Key("gpu-c")));
  EXPECT_THAT(reading.unresolvable, ElementsAre(Key("ghost")));
}

TEST_F(Filter, AnswersNobodyAboutNobody) {
  EXPECT_THAT(filter(args_json(1, R"("NodeNames":[])")).passes, IsEmpty());
  EXPECT_THAT(filter(args_json(1, R"("Nodes":{"items":[]})")).passes, IsEmpty());
}

TEST_F(Filter, TakesFactsFromWholeNodesAndRoomFromTheCluster) {
  // gpu-c has grown to 6 GPUs, the cluster's pod still holds 2; "new" is in no snapshot yet.
  const auto form = R"("Nodes":{"items":[)" + node_json("gpu-c", 6) + "," + node_json("new", 4) +
                    "," + node_json("gpu-a", 2) + "]}";
  const auto reading = filter(args_json(4, form));
  EXPECT_THAT(reading.passes, ElementsAre("gpu-c", "new"));
  EXPECT_THAT(reading.unresolvable, ElementsAre(Key("gpu-a")));
}

TEST_F(Filter, AnswersARepeatedItemOnceByItsFirstFacts) {
  const auto form = R"("Nodes":{"items":[)" + node_json("gpu-a", 4) + "," + node_json("gpu-a", 1) +
                    "," + node_json("gpu-b", 4) + "]}";
  EXPECT_THAT(filter(args_json(4, form)).passes, ElementsAre("gpu-a", "gpu-b"));
}

TEST_F(Filter, ReadsTheNewestSnapshot) {
  const std::string body = args_json(4, R"("NodeNames":["gpu-a"])");
  EXPECT_THAT(filter(body).passes, ElementsAre("gpu-a"));
  bench_.publish(list_json({node_json("gpu-a", 4), bound_pod_json("busy", "gpu-a", 1)}));
  EXPECT_THAT(filter(body).passes, IsEmpty());
}

TEST_F(Filter, ReadsTheNewestPolicy) {
  const std::string cluster = list_json({node_json("gpu-a", 4)});
  placement::Policy policy;
  policy.affinity_mode = placement::AffinityMode::kHard;
  policy.gpu.label_rule = {{"other", model::NodeSelectorOperator::kExists, {}}};
  bench_.publish(cluster, policy);
  const std::string body = args_json(4, R"("NodeNames":["gpu-a"])");
  EXPECT_THAT(filter(body).unresolvable, ElementsAre(Pair("gpu-a", HasSubstr("label"))));
  policy.affinity_mode = placement::AffinityMode::kSoft;
  bench_.policies.publish(std::make_shared<const placement::Policy>(policy));
  EXPECT_THAT(filter(body).passes, ElementsAre("gpu-a"));
}

TEST_F(Filter, IsNotReadyWithoutASnapshot) {
  ExtenderBench bench(at(kNow));
  const Reply reply = bench.filter(args_json(1, R"("NodeNames":["gpu-a"])"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr(R"("error":"not synchronised)"));
  EXPECT_EQ(bench.prioritize(args_json(1, R"("NodeNames":["gpu-a"])")).status, 503);
  ASSERT_EQ(bench.observer.seen().size(), 2U);
  EXPECT_EQ(bench.observer.seen()[0].decision.outcome, Outcome::kNotReady);
  EXPECT_EQ(bench.observer.seen()[1].decision.verb, Verb::kPrioritize);
}

struct BadBody {
  const char* name;
  const char* body;
  const char* names_in_error;
};

void PrintTo(const BadBody& body, std::ostream* out) { *out << body.name; }

class RefusedBody : public ::testing::TestWithParam<BadBody> {};

TEST_P(RefusedBody, Gets400AndTheNameOfTheField) {
  ExtenderBench bench(at(kNow));
  bench.publish(small_cluster());
  for (const Verb verb : {Verb::kFilter, Verb::kPrioritize}) {
    const Reply reply =
        verb == Verb::kFilter ? bench.filter(GetParam().body) : bench.prioritize(GetParam().body);
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_THAT(reply.body, ::testing::StartsWith(R"({"error":")"));
    EXPECT_THAT(reply.body, HasSubstr(GetParam().names_in_error));
    const SeenDecision seen = bench.observer.seen().back();
    EXPECT_EQ(seen.decision.verb, verb);
    EXPECT_EQ(seen.decision.outcome, Outcome::kBadRequest);
    EXPECT_THAT(seen.detail, HasSubstr(GetParam().names_in_error));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, RefusedBody,
    ::testing::Values(BadBody{"Empty", "", ""}, BadBody{"NoJson", "hello", ""},
                      BadBody{"Cut", R"({"Pod":{"meta)", ""}, BadBody{"Array", "[]", ""},
                      BadBody{"NoPod", R"({"NodeNames":["a"]})", "Pod"},
                      BadBody{"PodIsText", R"({"Pod":"x"})", "Pod"},
                      BadBody{"NamesAreText", R"({"Pod":{},"NodeNames":"a"})", "NodeNames"},
                      BadBody{"NameIsNumber", R"({"Pod":{},"NodeNames":[1]})", "NodeNames"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(RefusedLimit, Gets413) {
  codec::ExtenderLimits limits;
  limits.nodes = 2;
  ExtenderBench bench(at(kNow), limits);
  bench.publish(small_cluster());
  const std::string body = args_json(1, R"("NodeNames":["gpu-a","gpu-b","gpu-c"])");
  for (const Reply& reply : {bench.filter(body), bench.prioritize(body)}) {
    EXPECT_EQ(reply.status, 413);
    EXPECT_THAT(reply.body, ::testing::StartsWith(R"({"error":")"));
  }
  EXPECT_EQ(bench.observer.seen().front().decision.outcome, Outcome::kTooLarge);
}

TEST_F(Filter, TellsWhatItCounted) {
  const auto before = std::chrono::steady_clock::now();
  filter(args_json(4, R"("NodeNames":["gpu-c","gpu-b","cpu-a","ghost","gpu-b"])"));
  const SeenDecision seen = only_decision();
  EXPECT_EQ(seen.decision.verb, Verb::kFilter);
  EXPECT_EQ(seen.decision.outcome, Outcome::kOk);
  EXPECT_EQ(seen.pod, "ml/train-0");
  EXPECT_EQ(seen.decision.requested, 4U);
  EXPECT_EQ(seen.decision.passed, 1U);
  EXPECT_EQ(seen.refused(placement::Stage::kResource), 2U);
  EXPECT_EQ(seen.refused(placement::Stage::kUnknownNode), 1U);
  EXPECT_EQ(seen.refused(placement::Stage::kTaint), 0U);
  EXPECT_GT(seen.decision.took.count(), 0);
  EXPECT_LE(seen.decision.took, std::chrono::steady_clock::now() - before);
}

TEST_F(Filter, TellsWhenNoNodePassed) {
  filter(args_json(9, R"("NodeNames":["gpu-a"])"));
  EXPECT_EQ(only_decision().decision.outcome, Outcome::kNoNode);
}

TEST_F(Prioritize, ListsEveryNodeWithTheWinnerAloneOnTen) {
  const auto reading = prioritize(args_json(1, R"("NodeNames":["gpu-a","gpu-b","gpu-c"])"));
  EXPECT_EQ(reading.winner(), "gpu-c");  // the fullest with room
  const SeenDecision seen = only_decision();
  EXPECT_EQ(seen.decision.verb, Verb::kPrioritize);
  EXPECT_EQ(seen.decision.outcome, Outcome::kOk);
  EXPECT_EQ(seen.winner, "gpu-c");
  EXPECT_EQ(seen.decision.requested, 3U);
}

TEST_F(Prioritize, GivesRefusedAndUnknownNodesNothing) {
  const auto reading = prioritize(args_json(1, R"("NodeNames":["cpu-a","ghost","gpu-a","ghost"])"));
  EXPECT_THAT(reading.scores, ElementsAre(Pair("cpu-a", 0), Pair("ghost", 0), Pair("gpu-a", 10)));
}

TEST_F(Prioritize, HasNoWinnerWhereEveryNodeIsRefused) {
  const auto reading = prioritize(args_json(9, R"("NodeNames":["gpu-a","ghost"])"));
  EXPECT_THAT(reading.scores, ElementsAre(Pair("gpu-a", 0), Pair("ghost", 0)));
  EXPECT_EQ(only_decision().winner, "");
}

TEST_F(Prioritize, NamesOnlyTheWinnerWhenDecisive) {
  placement::Policy policy;
  policy.answer = placement::AnswerForm::kDecisive;
  bench_.publish(small_cluster(), policy);
  const std::string body = args_json(1, R"("NodeNames":["gpu-a","gpu-c","ghost","cpu-a"])");
  EXPECT_THAT(prioritize(body, ExpectedHosts::kWinnerOnly).scores, ElementsAre(Pair("gpu-c", 10)));
  EXPECT_THAT(
      prioritize(args_json(9, R"("NodeNames":["gpu-a"])"), ExpectedHosts::kWinnerOnly).scores,
      IsEmpty());
}

TEST_F(Prioritize, JudgesWholeNodesByTheFactsOfTheRequest) {
  // In the request gpu-a has become the smaller node: it is the tighter place.
  const auto form =
      R"("Nodes":{"items":[)" + node_json("gpu-b", 4) + "," + node_json("gpu-a", 1) + "]}";
  EXPECT_EQ(prioritize(args_json(1, form)).winner(), "gpu-a");
}

TEST_F(ExtenderTest, ChangesNothingByBeingAsked) {
  const std::string body = args_json(1, R"("NodeNames":["gpu-a","gpu-b","gpu-c"])");
  const std::string filtered = bench_.filter(body).body;
  const std::string ranked = bench_.prioritize(body).body;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(bench_.filter(body).body, filtered);
    ASSERT_EQ(bench_.prioritize(body).body, ranked);
  }
}

TEST_F(ExtenderTest, ServesSmallRequestsAfterALargeOne) {
  std::string names = R"("NodeNames":["gpu-a")";
  for (int i = 0; i < 150'000; ++i)
    names += ",\"a-name-that-nobody-knows-" + std::to_string(i) + '"';
  const std::string large = args_json(1, names + "]");
  EXPECT_EQ(bench_.filter(large).status, 200);
  EXPECT_THAT(filter(args_json(1, R"("NodeNames":["gpu-a"])")).passes, ElementsAre("gpu-a"));
}

/// An Extender that remembers, on two nodes of which kube-scheduler always offers both.
class Remembering : public ::testing::Test {
 protected:
  Remembering() {
    policies_.publish(std::make_shared<const placement::Policy>(decisive()));
    publish({});
  }
  static placement::Policy decisive() {
    placement::Policy policy;
    policy.answer = placement::AnswerForm::kDecisive;
    return policy;
  }
  void publish(const std::vector<std::string>& pods) {
    std::vector<std::string> items = {node_json("a", 4), node_json("b", 4)};
    items.insert(items.end(), pods.begin(), pods.end());
    snapshots_.publish(snapshot_of(list_json(items), {}, kNow));
  }
  /// Whom a prioritize for this pod names.
  std::string winner(const std::string& uid) {
    const std::string body = R"({"Pod":{"metadata":{"name":"p","uid":")" + uid +
                             R"("},"spec":{"containers":[{"resources":{"requests":)"
                             R"({"nvidia.com/gpu":"1"}}}]}},"NodeNames":["a","b"]})";
    EXPECT_EQ(extender_.prioritize(PaddedBuffer(body)).status, 200);
    return observer_.seen().back().winner;
  }
  static constexpr Time kNow{std::chrono::hours(1)};
  FixedClock clock_{kNow};
  Published<cluster::Snapshot> snapshots_;
  Published<placement::Policy> policies_;
  RecordingObserver observer_;
  PlacementMemory memory_{{}, nullptr};
  Extender extender_{snapshots_, policies_, clock_, observer_, {}, &memory_};
};

TEST_F(Remembering, PacksOntoANodeThatItExpectsToBeUsed) {
  const std::string first_in_order = winner("0");
  memory_.bound("0", first_in_order);
  memory_.published();
  const std::string other = first_in_order == "a" ? "b" : "a";
  publish({bound_pod_json("x", other, 1)});
  ASSERT_EQ(winner("1"), other);  // the fuller one
  publish({});                    // both empty, but for the pod that is on its way
  EXPECT_EQ(winner("2"), other);
  for (const char* uid : {"1", "2"}) memory_.bound(uid, other);
  memory_.published();
  EXPECT_EQ(winner("3"), first_in_order);
}

TEST_F(Remembering, NamesAnotherNodeWhenThePodComesBack) {
  const std::string first = winner("1");
  const std::string other = first == "a" ? "b" : "a";
  EXPECT_EQ(winner("1"), other);
  EXPECT_EQ(winner("2"), other);  // where it expects the first one now; nothing is held against it
}

TEST_F(Remembering, ForgetsWhatWasBound) {
  const std::string first = winner("1");
  memory_.bound("1", first);
  memory_.published();
  EXPECT_EQ(winner("1"), first);
}

TEST_F(Remembering, LooksAgainBeforeItRefusesEveryNode) {
  const std::string body = R"({"Pod":{"metadata":{"uid":"1"},"spec":{"containers":[{"resources":)"
                           R"({"requests":{"nvidia.com/gpu":"1"}}}]}},"NodeNames":["new"]})";
  // Not for everyone: ten at once, then it is over for a while.
  for (int i = 0; i < 30; ++i) (void)extender_.filter(PaddedBuffer(body));
  EXPECT_EQ(observer_.seen().front().decision.second_look, SecondLook::kConfirmed);
  EXPECT_EQ(observer_.seen().back().decision.second_look, SecondLook::kNone);

  // The node becomes known while filters are asked about it, as a watch that lags would have it.
  const auto with_node = snapshot_of(list_json({node_json("new", 4)}), {}, kNow);
  const auto without = snapshots_.read();
  bool helped = false;
  for (int tries = 0; tries < 10'000 && !helped; ++tries) {
    snapshots_.publish(without);
    std::thread watch([&] {
      std::this_thread::yield();
      snapshots_.publish(with_node);
    });
    const auto reply = extender_.filter(PaddedBuffer(body));
    watch.join();
    const SeenDecision seen = observer_.seen().back();
    if (seen.decision.second_look != SecondLook::kHelped) continue;
    helped = true;
    EXPECT_EQ(seen.decision.passed, 1U);
    EXPECT_EQ(seen.decision.outcome, Outcome::kOk);
    EXPECT_EQ(seen.refused(placement::Stage::kUnknownNode), 0U);
  }
  EXPECT_TRUE(helped);
}

TEST_F(Remembering, NeverChangesWhatFilterAnswers) {
  const std::string body = R"({"Pod":{"metadata":{"uid":"1"},"spec":{"containers":[{"resources":)"
                           R"({"requests":{"nvidia.com/gpu":"4"}}}]}},"NodeNames":["a","b"]})";
  const auto before = extender_.filter(PaddedBuffer(body));
  for (int i = 0; i < 10; ++i) (void)winner("other-" + std::to_string(i));
  EXPECT_EQ(extender_.filter(PaddedBuffer(body)).body, before.body);
}

TEST(Words, OfVerbsAndOutcomesAreStable) {
  EXPECT_EQ(to_string(Verb::kFilter), "filter");
  EXPECT_EQ(to_string(Verb::kPrioritize), "prioritize");
  EXPECT_EQ(to_string(Outcome::kOk), "ok");
  EXPECT_EQ(to_string(Outcome::kNoNode), "no_node");
  EXPECT_EQ(to_string(Outcome::kBadRequest), "bad_request");
  EXPECT_EQ(to_string(Outcome::kTooLarge), "too_large");
  EXPECT_EQ(to_string(Outcome::kNotReady), "not_ready");
}

/// What the observer is told of a pod with this annotation and this request for GPUs.
std::string doubtful_pod(const std::string& mode, const std::string& gpus) {
  return R"({"Pod":{"metadata":{"namespace":"ml","name":"p","annotations":{"berth/affinity":")" +
         mode + R"("}},"spec":{"containers":[{"name":"c","resources":{"requests":)" +
         R"({"nvidia.com/gpu":")" + gpus + R"("}}}]}},"NodeNames":["gpu-a"]})";
}

TEST_F(ExtenderTest, TellsWhichRequestCannotBeRead) {
  EXPECT_THAT(filter(doubtful_pod("soft", "one")).unresolvable,
              ElementsAre(Pair("gpu-a", "Invalid resource request")));
  EXPECT_THAT(only_decision().invalid_requests,
              ElementsAre(AllOf(HasSubstr("spec.containers[0].resources.requests.nvidia.com/gpu"),
                                HasSubstr("\"one\""))));
  EXPECT_EQ(only_decision().unknown_affinity, std::nullopt);
}

TEST_F(ExtenderTest, TellsWhichAffinityModeItDoesNotKnow) {
  const std::vector<std::string> modes = {"Hard", "strict", "", "hard"};
  for (const std::string& mode : modes) (void)filter(doubtful_pod(mode, "1"));
  const auto seen = bench_.observer.seen();
  ASSERT_EQ(seen.size(), modes.size());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(seen[i].unknown_affinity, modes[i]);
  EXPECT_EQ(seen[3].unknown_affinity, std::nullopt);
}

}  // namespace
}  // namespace berth::service
