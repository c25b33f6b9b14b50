// What is read of a pod, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "berth/codec/objects.h"

namespace berth::codec {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Result<model::Pod> decode(std::string_view json) {
  const PaddedBuffer text(json);
  return ObjectDecoder().pod(text.view());
}

model::Pod pod_of(std::string_view json) {
  auto pod = decode(json);
  EXPECT_TRUE(pod) << pod.error().message;
  return pod ? *std::move(pod) : model::Pod{};
}

std::string quantity(std::int64_t milli) { return std::to_string(milli) + "m"; }
std::string cpu_of(const model::ResourceList& list) {
  return quantity(list.get("cpu").milli_value());
}

TEST(PodDecoder, ReadsMetadata) {
  const model::Pod pod =
      pod_of(R"({"metadata":{"name":"train-0","namespace":"ml","uid":"u","resourceVersion":"7",)"
             R"("labels":{"b":"2","a":"1"},"annotations":{"berth/affinity":"soft"},)"
             R"("deletionTimestamp":"2026-11-30T12:00:00Z"}})");
  EXPECT_EQ(pod.name, "train-0");
  EXPECT_EQ(pod.namespace_name, "ml");
  EXPECT_EQ(pod.uid, "u");
  EXPECT_EQ(pod.resource_version, "7");
  EXPECT_EQ(pod.labels, (model::Labels{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(pod.annotations, (model::Labels{{"berth/affinity", "soft"}}));
  EXPECT_TRUE(pod.terminating);
}

TEST(PodDecoder, ToleratesAPodOfNothing) {
  for (const char* json : {"{}", R"({"metadata":null,"spec":null,"status":null})", " { } "}) {
    const model::Pod pod = pod_of(json);
    EXPECT_EQ(pod.name, "");
    EXPECT_FALSE(pod.terminating);
    EXPECT_EQ(pod.phase, model::PodPhase::kPending);
    EXPECT_FALSE(pod.pod_level_requests);
    EXPECT_FALSE(pod.required_affinity);
  }
}

TEST(PodDecoder, ReadsContainersInDeclaredOrder) {
  const model::Pod pod = pod_of(
      R"({"spec":{"nodeName":"n","schedulerName":"s","containers":[)"
      R"({"name":"a","resources":{"limits":{"cpu":"9"},"requests":{"cpu":"1500m","nvidia.com/gpu":"1"}}},)"
      R"({"name":"b","resources":{}},null],"initContainers":[)"
      R"({"name":"i1","restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}},)"
      R"({"name":"i2","restartPolicy":"Never"}],)"
      R"("resources":{"requests":{"cpu":"3"}},"overhead":{"cpu":"250m"}}})");
  EXPECT_EQ(pod.node_name, "n");
  EXPECT_EQ(pod.scheduler_name, "s");
  ASSERT_THAT(pod.containers, SizeIs(3));
  EXPECT_EQ(pod.containers[0].name, "a");
  EXPECT_EQ(cpu_of(pod.containers[0].requests), "1500m");
  EXPECT_EQ(pod.containers[0].requests.get("nvidia.com/gpu").value(), 1);
  EXPECT_TRUE(pod.containers[1].requests.empty());
  ASSERT_THAT(pod.init_containers, SizeIs(2));
  EXPECT_TRUE(pod.init_containers[0].restartable);
  EXPECT_FALSE(pod.init_containers[1].restartable);
  ASSERT_TRUE(pod.pod_level_requests);
  EXPECT_EQ(cpu_of(*pod.pod_level_requests), "3000m");
  EXPECT_EQ(cpu_of(pod.overhead), "250m");
}

TEST(PodDecoder, TakesLimitsForRequestsThatAreNotNamed) {
  const model::Pod pod = pod_of(
      R"({"spec":{"containers":[)"
      R"({"resources":{"limits":{"cpu":"9","nvidia.com/gpu":"2"},"requests":{"cpu":"1500m"}}},)"
      R"({"resources":{"limits":{"memory":"1Gi"}}},)"
      R"({"resources":{"limits":{"cpu":"4"},"requests":{"cpu":null}}}],)"
      R"("initContainers":[{"resources":{"limits":{"nvidia.com/gpu":"4"}}}]}})");
  ASSERT_THAT(pod.containers, SizeIs(3));
  EXPECT_EQ(cpu_of(pod.containers[0].requests), "1500m");
  EXPECT_EQ(pod.containers[0].requests.get("nvidia.com/gpu").value(), 2);
  EXPECT_EQ(pod.containers[1].requests.get("memory").value(), std::int64_t{1} << 30);
  EXPECT_EQ(cpu_of(pod.containers[2].requests), "0m") << "named, as nothing";
  ASSERT_THAT(pod.init_containers, SizeIs(1));
  EXPECT_EQ(pod.init_containers[0].requests.get("nvidia.com/gpu").value(), 4);
  EXPECT_FALSE(pod.pod_level_requests);
  EXPECT_THAT(pod.invalid_requests, ElementsAre());
}

TEST(PodDecoder, TakesThePodsLimitWhereNobodyAsks) {
  const model::Pod pod =
      pod_of(R"({"spec":{"containers":[{"resources":{"limits":{"memory":"1Gi"}}}],)"
             R"("resources":{"limits":{"cpu":"4","memory":"8Gi"}}}})");
  ASSERT_TRUE(pod.pod_level_requests);
  EXPECT_EQ(cpu_of(*pod.pod_level_requests), "4000m");
  EXPECT_EQ(pod.pod_level_requests->find("memory"), nullptr);
  const model::Pod asked = pod_of(
      R"({"spec":{"resources":{"limits":{"cpu":"4","memory":"8Gi"},"requests":{"cpu":"1"}}}})");
  EXPECT_EQ(cpu_of(*asked.pod_level_requests), "1000m");
  EXPECT_EQ(asked.pod_level_requests->get("memory").value(), std::int64_t{8} << 30);
}

TEST(PodDecoder, DoesNotTakeTheLimitForARequestThatCannotBeRead) {
  const model::Pod pod =
      pod_of(R"({"spec":{"containers":[{"resources":{"limits":{"cpu":"4","x/gpu":"y"},)"
             R"("requests":{"cpu":"1x"}}}]}})");
  EXPECT_TRUE(pod.containers[0].requests.empty());
  EXPECT_THAT(pod.invalid_requests,
              ElementsAre(HasSubstr("spec.containers[0].resources.requests.cpu: "),
                          HasSubstr("spec.containers[0].resources.limits.x/gpu: ")));
}

TEST(PodDecoder, ReadsTheStatusOfAResize) {
  const model::Pod pod = pod_of(
      R"({"status":{"phase":"Running","containerStatuses":[)"
      R"({"name":"a","resources":{"requests":{"cpu":"2"}},"allocatedResources":{"cpu":"3"}},)"
      R"({"name":"b","resources":{}},{"name":"c"}],)"
      R"("initContainerStatuses":[{"name":"i","allocatedResources":{"cpu":"4"}}],)"
      R"("resources":{"requests":{"cpu":"5"}},"allocatedResources":{"cpu":"6"},)"
      R"("conditions":[{"type":"Ready","reason":"Infeasible"},)"
      R"({"type":"PodResizePending","reason":"Infeasible"}]}})");
  EXPECT_EQ(pod.phase, model::PodPhase::kRunning);
  ASSERT_THAT(pod.container_statuses, SizeIs(3));
  EXPECT_EQ(cpu_of(*pod.container_statuses[0].actuated), "2000m");
  EXPECT_EQ(cpu_of(*pod.container_statuses[0].allocated), "3000m");
  ASSERT_TRUE(pod.container_statuses[1].actuated);
  EXPECT_TRUE(pod.container_statuses[1].actuated->empty());
  EXPECT_FALSE(pod.container_statuses[2].actuated);
  EXPECT_FALSE(pod.container_statuses[2].allocated);
  ASSERT_THAT(pod.init_container_statuses, SizeIs(1));
  EXPECT_EQ(cpu_of(*pod.init_container_statuses[0].allocated), "4000m");
  EXPECT_EQ(cpu_of(*pod.pod_level_actuated), "5000m");
  EXPECT_EQ(cpu_of(*pod.pod_level_allocated), "6000m");
  EXPECT_TRUE(pod.resize_infeasible);
}

TEST(PodDecoder, TakesOnlyThePendingResizeConditionForInfeasible) {
  EXPECT_FALSE(pod_of(R"({"status":{"conditions":[{"type":"PodResizePending","reason":"Deferred"},)"
                      R"({"type":"X","reason":"Infeasible"}]}})")
                   .resize_infeasible);
}

TEST(PodDecoder, ReadsPhases) {
  using model::PodPhase;
  const auto phase = [](std::string_view text) {
    return pod_of(R"({"status":{"phase":")" + std::string(text) + R"("}})").phase;
  };
  EXPECT_EQ(phase(""), PodPhase::kPending);
  EXPECT_EQ(phase("Pending"), PodPhase::kPending);
  EXPECT_EQ(phase("Running"), PodPhase::kRunning);
  EXPECT_EQ(phase("Succeeded"), PodPhase::kSucceeded);
  EXPECT_EQ(phase("Failed"), PodPhase::kFailed);
  EXPECT_EQ(phase("Unknown"), PodPhase::kUnknown);
  EXPECT_EQ(phase("Evicted"), PodPhase::kUnknown);
}

TEST(PodDecoder, ReadsSelectorsAffinityAndTolerations) {
  const model::Pod pod = pod_of(
      R"({"spec":{"nodeSelector":{"disk":"ssd"},"affinity":{"podAffinity":{},"nodeAffinity":{)"
      R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
      R"({"matchExpressions":[{"key":"gpu","operator":"In","values":["true","yes"]}],)"
      R"("matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n"]}]},null]},)"
      R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":80,"preference":)"
      R"({"matchExpressions":[{"key":"zone","operator":"Exists"}]}}]}},)"
      R"("tolerations":[{"key":"k","operator":"Exists","effect":"NoSchedule"},)"
      R"({"key":"k2","value":"v"}]}})");
  EXPECT_EQ(pod.node_selector, (model::Labels{{"disk", "ssd"}}));
  ASSERT_TRUE(pod.required_affinity);
  const model::NodeSelector want{{{{{"gpu", model::NodeSelectorOperator::kIn, {"true", "yes"}}},
                                   {{"metadata.name", model::NodeSelectorOperator::kNotIn, {"n"}}}},
                                  {}}};
  EXPECT_EQ(*pod.required_affinity, want);
  const model::PreferredSchedulingTerm term{
      80, {{{"zone", model::NodeSelectorOperator::kExists, {}}}, {}}};
  EXPECT_THAT(pod.preferred_affinity, ElementsAre(term));
  EXPECT_THAT(
      pod.tolerations,
      ElementsAre(model::Toleration{"k", model::TolerationOperator::kExists, "", "NoSchedule"},
                  model::Toleration{"k2", model::TolerationOperator::kEqual, "v", ""}));
}

struct QuantityCase {
  const char* name;
  const char* json;
  std::int64_t milli;
};
class PodQuantity : public ::testing::TestWithParam<QuantityCase> {};

TEST_P(PodQuantity, IsReadFromItsOwnText) {
  const model::Pod pod = pod_of(R"({"spec":{"containers":[{"resources":{"requests":{"cpu":)" +
                                std::string(GetParam().json) + "}}}]}}");
  ASSERT_THAT(pod.containers, SizeIs(1));
  EXPECT_THAT(pod.invalid_requests, SizeIs(0));
  EXPECT_EQ(pod.containers[0].requests.size(), 1U);
  EXPECT_EQ(cpu_of(pod.containers[0].requests), quantity(GetParam().milli));
}
INSTANTIATE_TEST_SUITE_P(
    Written, PodQuantity,
    ::testing::Values(QuantityCase{"String", R"("1500m")", 1500},
                      QuantityCase{"WhiteSpaceAround", R"(" \t\n1500m ")", 1500},
                      QuantityCase{"EscapedString", R"("15\u00300m")", 1500},
                      QuantityCase{"Null", "null", 0}, QuantityCase{"Integer", "2", 2000},
                      QuantityCase{"Zero", "0", 0}, QuantityCase{"MinusZero", "-0", 0},
                      QuantityCase{"Fraction", "1.5", 1500},
                      QuantityCase{"FractionThatNoDoubleHolds", "0.1", 100},
                      QuantityCase{"ManyDigits", "0.1000000000000000000000000000", 100},
                      QuantityCase{"RoundedUpBeyondADouble", "1.0000000000000000000001", 1001},
                      QuantityCase{"Exponent", "1e3", 1'000'000},
                      QuantityCase{"CapitalExponent", "15E-1", 1500},
                      QuantityCase{"BeyondInt64", "9223372036854775808", INT64_MAX},
                      QuantityCase{"BeyondUint64", "123456789012345678901234567890", INT64_MAX}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PodDecoder, ReadsNumbersBeyondTheParserElsewhere) {
  const model::Pod pod =
      pod_of(R"({"x":1e400,"metadata":{"name":"p","generation":123456789012345678901234567890},)"
             R"("spec":{"overhead":{"cpu":0.5}}})");
  EXPECT_EQ(pod.name, "p");
  EXPECT_EQ(cpu_of(pod.overhead), "500m");
}

struct BadQuantityCase {
  const char* name;
  const char* json;
  const char* want;
};
class PodBadQuantity : public ::testing::TestWithParam<BadQuantityCase> {};

TEST_P(PodBadQuantity, IsNamedAndCountsAsNothing) {
  const model::Pod pod = pod_of(GetParam().json);
  EXPECT_THAT(pod.invalid_requests, ElementsAre(HasSubstr(GetParam().want)));
  if (!pod.containers.empty()) {
    EXPECT_EQ(pod.containers[0].requests.find("cpu"), nullptr);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Written, PodBadQuantity,
    ::testing::Values(
        BadQuantityCase{
            "Container",
            R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1K","memory":"1Gi"}}}]}})",
            "spec.containers[0].resources.requests.cpu: "},
        BadQuantityCase{"Negative",
                        R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"-1"}}}]}})",
                        "spec.containers[0].resources.requests.cpu: \"-1\" is negative"},
        BadQuantityCase{"Empty",
                        R"({"spec":{"containers":[{"resources":{"requests":{"cpu":""}}}]}})",
                        "spec.containers[0].resources.requests.cpu: "},
        BadQuantityCase{
            "InitContainer",
            R"({"spec":{"initContainers":[{},{"resources":{"requests":{"cpu":"x"}}}]}})",
            "spec.initContainers[1].resources.requests.cpu: "},
        BadQuantityCase{"Overhead", R"({"spec":{"overhead":{"cpu":"x"}}})", "spec.overhead.cpu: "},
        BadQuantityCase{"PodLevel", R"({"spec":{"resources":{"requests":{"cpu":-1.5}}}})",
                        "spec.resources.requests.cpu: \"-1.5\" is negative"},
        BadQuantityCase{"HugeExponent", R"({"spec":{"overhead":{"cpu":1e99}}})",
                        "spec.overhead.cpu: "},
        BadQuantityCase{"Allocated",
                        R"({"status":{"containerStatuses":[{"allocatedResources":{"cpu":"x"}}]}})",
                        "status.containerStatuses[0].allocatedResources.cpu: "}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PodDecoder, CutsLongValuesAndKeepsMessagesPrintable) {
  const std::string bad = "\\u0007" + std::string(100'000, 'x');
  const model::Pod pod =
      pod_of(R"({"spec":{"overhead":{"cpu":")" + bad + R"(","b\u0001ad":"y"}}})");
  ASSERT_THAT(pod.invalid_requests, SizeIs(2));
  for (const std::string& message : pod.invalid_requests) {
    EXPECT_LT(message.size(), 400U);
    for (const char c : message) EXPECT_GE(c, 0x20);
  }
}

TEST(PodDecoder, ListsABoundedNumberOfBadQuantities) {
  std::string json = R"({"spec":{"overhead":{)";
  for (int i = 0; i < 1000; ++i) {
    json += (i == 0 ? "\"r" : ",\"r") + std::to_string(i) + "\":\"bad\"";
  }
  EXPECT_THAT(pod_of(json + "}}}").invalid_requests, SizeIs(32));
}

struct RepeatCase {
  const char* name;
  const char* json;
};
class PodRepeatedKey : public ::testing::TestWithParam<RepeatCase> {};

TEST_P(PodRepeatedKey, LastValueCounts) {
  const model::Pod pod = pod_of(GetParam().json);
  EXPECT_EQ(pod.name, "last");
  EXPECT_EQ(pod.labels, (model::Labels{{"a", "last"}}));
  EXPECT_EQ(cpu_of(pod.overhead), "1000m");
  EXPECT_THAT(pod.invalid_requests, SizeIs(0));
}
INSTANTIATE_TEST_SUITE_P(
    Of, PodRepeatedKey,
    ::testing::Values(
        RepeatCase{"Scalars",
                   R"({"metadata":{"name":5,"labels":{"a":"x","a":"last"},"name":"last"},)"
                   R"("spec":{"overhead":{"cpu":"bad","cpu":"1"}}})"},
        RepeatCase{"Objects", R"({"metadata":{"name":"x"},"spec":{"overhead":{"cpu":"7"}},)"
                              R"("metadata":{"labels":{"a":"last"},"name":"last"},)"
                              R"("spec":{"overhead":{"memory":"7"},"overhead":{"cpu":"1"}}})"},
        RepeatCase{"NullThenValue",
                   R"({"metadata":null,"metadata":{"labels":{"a":"last"},"name":"last"},)"
                   R"("spec":{"overhead":{"cpu":null,"cpu":1}}})"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PodDecoder, MatchesKeysExactly) {
  const model::Pod pod = pod_of(R"({"Metadata":{"name":"x"},"metadata":{"Name":"y","NAME":5}})");
  EXPECT_EQ(pod.name, "");
}

struct ErrorCase {
  const char* name;
  std::string json;
  const char* want;
};
class PodError : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(PodError, NamesTheFieldAndWhatWasFound) {
  const auto pod = decode(GetParam().json);
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(pod.error().message, AllOf(HasSubstr(GetParam().want)));
}
INSTANTIATE_TEST_SUITE_P(
    WrongType, PodError,
    ::testing::Values(
        ErrorCase{"Root", "[]", "want an object, found an array"},
        ErrorCase{"Metadata", R"({"metadata":5})", "metadata: want an object, found the number 5"},
        ErrorCase{"Name", R"({"metadata":{"name":[]}})",
                  "metadata.name: want a string, found an array"},
        ErrorCase{"Label", R"({"metadata":{"labels":{"a":true}}})",
                  "metadata.labels.a: want a string, found true"},
        ErrorCase{"LabelIsAFraction", R"({"metadata":{"labels":{"a":1.5}}})",
                  "metadata.labels.a: want a string, found a number"},
        ErrorCase{"Containers", R"({"spec":{"containers":{}}})",
                  "spec.containers: want an array, found an object"},
        ErrorCase{"Container", R"({"spec":{"containers":[{},"x"]}})",
                  "spec.containers[1]: want an object, found \"x\""},
        ErrorCase{"Requests", R"({"spec":{"containers":[{"resources":{"requests":[]}}]}})",
                  "spec.containers[0].resources.requests: want an object, found an array"},
        ErrorCase{"Quantity", R"({"spec":{"overhead":{"cpu":true}}})",
                  "spec.overhead.cpu: want a quantity, found true"},
        ErrorCase{"Weight",
                  R"({"spec":{"affinity":{"nodeAffinity":{)"
                  R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":"80"}]}}}})",
                  "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
                  ".weight: want an integer, found \"80\""},
        ErrorCase{"WeightIsAFraction",
                  R"({"spec":{"affinity":{"nodeAffinity":{)"
                  R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1.0}]}}}})",
                  ".weight: want an integer, found a number"},
        ErrorCase{"SelectorValue",
                  R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuring)"
                  R"(Execution":{"nodeSelectorTerms":[{"matchExpressions":[{"values":[1]}]}]}}}}})",
                  "nodeSelectorTerms[0].matchExpressions[0].values[0]: want a string"},
        ErrorCase{"Phase", R"({"status":{"phase":1}})", "status.phase: want a string"}),
    [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(
    NotJson, PodError,
    ::testing::Values(ErrorCase{"Empty", "", "not valid JSON"},
                      ErrorCase{"Truncated", R"({"a":)", "not valid"},
                      ErrorCase{"TrailingGarbage", "{} x", "not valid JSON"},
                      ErrorCase{"TwoValues", "{}{}", "not valid JSON"},
                      ErrorCase{"SingleQuotes", "{'a':1}", "not valid JSON"},
                      ErrorCase{"TrailingComma", R"({"a":1,})", "not valid JSON"},
                      ErrorCase{"LeadingZero", R"({"a":01})", "not valid JSON"},
                      ErrorCase{"BareFraction", R"({"a":1.})", "not valid JSON"},
                      ErrorCase{"Nan", R"({"a":NaN})", "not valid JSON"},
                      ErrorCase{"ControlCharacterInString", "{\"a\":\"\n\"}", "not valid JSON"},
                      ErrorCase{"BadEscape", R"({"a":"\x"})", "not valid JSON"},
                      ErrorCase{"LoneSurrogate", R"({"a":"\ud800"})", "not valid JSON"},
                      ErrorCase{"BadUtf8InUnknownField", "{\"a\":\"\xFF\"}", "not valid JSON"},
                      ErrorCase{"NulByte", std::string("{}\0", 3), "not valid JSON"},
                      ErrorCase{"ByteOrderMark", "\xEF\xBB\xBF{}", "not valid JSON"}),
    [](const auto& test) { return std::string(test.param.name); });

std::string nested(std::size_t levels) {
  std::string json;
  for (std::size_t i = 0; i < levels; ++i) json += R"({"a":)";
  return json + "1" + std::string(levels, '}');
}

TEST(PodDecoder, BoundsNesting) {
  const PaddedBuffer within(nested(60));
  const PaddedBuffer beyond(nested(70));
  ObjectDecoder decoder(64);
  EXPECT_TRUE(decoder.pod(within.view()));
  const auto pod = decoder.pod(beyond.view());
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(pod.error().message, HasSubstr("64 levels"));
  const PaddedBuffer abyss(std::string(1'000'000, '['));
  EXPECT_FALSE(decoder.pod(abyss.view()));
  EXPECT_TRUE(decoder.pod(within.view())) << "a decoder survives what it refused";
}

TEST(PodDecoder, TakesTimeInProportionToHostileMaps) {
  // Labels in falling order would cost the square of their number if inserted one by one.
  std::string json = R"({"metadata":{"labels":{)";
  for (int i = 200'000; i > 0; --i) {
    json += '"' + std::to_string(100'000'000 + i) + "\":\"\"" + (i == 1 ? "}}}" : ",");
  }
  EXPECT_EQ(pod_of(json).labels.size(), 200'000U);
}

}  // namespace
}  // namespace berth::codec
