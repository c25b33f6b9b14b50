// The reader must object to what it is there to object to.
#include "test/harness/strict_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::harness {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kNames = R"({"Pod":{},"Nodes":null,"NodeNames":["a","b","c"]})";
constexpr const char* kNodes =
    R"({"Pod":{},"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"}, "x":1},)"
    R"({"metadata":{"name":"b"}}]},"NodeNames":null})";

TEST(FilterReader, AcceptsAnAnswerToNames) {
  const auto reading =
      read_filter(kNames, R"({"Nodes":null,"NodeNames":["a","c"],"FailedNodes":{},)"
                          R"("FailedAndUnresolvableNodes":{"b":"no"},"Error":""})");
  EXPECT_THAT(reading.violations, IsEmpty());
  EXPECT_THAT(reading.passes, ElementsAre("a", "c"));
  EXPECT_THAT(reading.unresolvable, ElementsAre(Pair("b", "no")));
  EXPECT_EQ(reading.reason("b"), "no");
}

TEST(FilterReader, AcceptsTheSameNodesBack) {
  const auto reading =
      read_filter(kNodes, R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"}, "x":1}]},)"
                          R"("NodeNames":null,"FailedNodes":{"b":"no"},)"
                          R"("FailedAndUnresolvableNodes":{},"Error":""})");
  EXPECT_THAT(reading.violations, IsEmpty());
  EXPECT_THAT(reading.passes, ElementsAre("a"));
}

struct Fault {
  const char* name;
  const char* request;
  const char* reply;
  const char* complaint;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class FilterFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(FilterFaults, AreComplainedAbout) {
  EXPECT_THAT(read_filter(GetParam().request, GetParam().reply).violations,
              Contains(HasSubstr(GetParam().complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FilterFaults,
    ::testing::Values(
        Fault{"KeyInOtherCase", kNames,
              R"({"nodes":null,"NodeNames":["a","b","c"],"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "key missing: Nodes"},
        Fault{"KeyTwice", kNames,
              R"({"Nodes":null,"NodeNames":["a","b","c"],"FailedNodes":{},"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "key twice"},
        Fault{"NodeLeftOut", kNames,
              R"({"Nodes":null,"NodeNames":["a"],"FailedNodes":{"b":"no"},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "answered 0 times: c"},
        Fault{"NodeTwice", kNames,
              R"({"Nodes":null,"NodeNames":["a","b","c"],"FailedNodes":{"b":"no"},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "answered 2 times: b"},
        Fault{"ForeignNode", kNames,
              R"({"Nodes":null,"NodeNames":["a","b","c","z"],"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "not asked for: z"},
        Fault{"OtherOrder", kNames,
              R"({"Nodes":null,"NodeNames":["b","a","c"],"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "order of the request"},
        Fault{"NullNames", kNames,
              R"({"Nodes":null,"NodeNames":null,"FailedNodes":{"a":"x","b":"x","c":"x"},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "NodeNames is no array"},
        Fault{"Percent", kNames,
              R"({"Nodes":null,"NodeNames":["a","b"],"FailedNodes":{"c":"95% full"},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "percent sign"},
        Fault{"ErrorSet", kNames,
              R"({"Nodes":null,"NodeNames":["a","b","c"],"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":"no"})",
              "fails the whole call"},
        Fault{"NamesForNodes", kNodes,
              R"({"Nodes":null,"NodeNames":["a","b"],"FailedNodes":{},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "Nodes is no list"},
        Fault{"NodeChanged", kNodes,
              R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"},"x":1}]},)"
              R"("NodeNames":null,"FailedNodes":{"b":"no"},)"
              R"("FailedAndUnresolvableNodes":{},"Error":""})",
              "node came back changed: a"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PriorityReader, AcceptsEveryNodeOnce) {
  const auto reading = read_priorities(
      kNames, R"([{"Host":"a","Score":10},{"Host":"b","Score":0},{"Host":"c","Score":9}])");
  EXPECT_THAT(reading.violations, IsEmpty());
  EXPECT_EQ(reading.winner(), "a");
  EXPECT_EQ(reading.score("c"), 9);
}

TEST(PriorityReader, AcceptsTheWinnerAloneWhereThatIsExpected) {
  EXPECT_THAT(read_priorities(kNames, R"([{"Host":"b","Score":10}])", ExpectedHosts::kWinnerOnly)
                  .violations,
              IsEmpty());
  EXPECT_THAT(read_priorities(kNames, "[]", ExpectedHosts::kWinnerOnly).violations, IsEmpty());
}

class PriorityFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(PriorityFaults, AreComplainedAbout) {
  EXPECT_THAT(read_priorities(GetParam().request, GetParam().reply).violations,
              Contains(HasSubstr(GetParam().complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PriorityFaults,
    ::testing::Values(
        Fault{"Object", kNames, "{}", "bare array"},
        Fault{"Float", kNames, R"([{"Host":"a","Score":7.0}])", "voids the whole list"},
        Fault{"OtherCase", kNames, R"([{"host":"a","score":7}])", "not {Host, Score}"},
        Fault{"TooHigh", kNames, R"([{"Host":"a","Score":11}])", "out of range"},
        Fault{"LeftOut", kNames, R"([{"Host":"a","Score":1}])", "listed 0 times: b"},
        Fault{"Twice", kNames, R"([{"Host":"a","Score":1},{"Host":"a","Score":2}])",
              "listed 2 times: a"},
        Fault{"Foreign", kNames, R"([{"Host":"z","Score":1}])", "not asked for: z"},
        Fault{"TwoWinners", kNames, R"([{"Host":"a","Score":10},{"Host":"b","Score":10}])",
              "more than one host has 10"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::harness
