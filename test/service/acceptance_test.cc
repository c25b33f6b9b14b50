// The acceptance cases: bytes of a request in, bytes of an answer out, in both forms of a request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "fixture.h"
#include "test/harness/cases.h"
#include "test/harness/strict_reader.h"

namespace berth::service {
namespace {

using harness::AcceptanceCase;
using harness::RequestForm;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

// Cases with the verb "explain" stand in the same folder and are left to the tests of
// `berth explain`: their answer has several reasons per node, which these verbs cannot give.
std::vector<AcceptanceCase> cases_of(const std::string& verb) {
  return harness::load_cases(BERTH_TEST_DATA "/cases", {verb});
}

placement::Policy policy_of(const AcceptanceCase& test_case) {
  placement::Policy policy;
  policy.gpu.label_rule = {
      {test_case.label_key, model::NodeSelectorOperator::kIn, {test_case.label_value}}};
  policy.gpu.grace = std::chrono::seconds(test_case.grace_seconds);
  policy.gpu.resources = test_case.gpu_resources;
  policy.affinity_annotation = test_case.annotation;
  return policy;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string ctest_name(const AcceptanceCase& test_case, RequestForm form) {
  std::string name = test_case.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + (form == RequestForm::kNames ? "_names" : "_nodes");
}

using Parameter = std::tuple<AcceptanceCase, RequestForm>;
std::string parameter_name(const ::testing::TestParamInfo<Parameter>& test) {
  return ctest_name(std::get<0>(test.param), std::get<1>(test.param));
}

class Acceptance : public ::testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    bench_.publish(test_case().cluster_json, policy_of(test_case()));
    names_ = harness::requested_names(request());
  }

  [[nodiscard]] static const AcceptanceCase& test_case() { return std::get<0>(GetParam()); }
  [[nodiscard]] static const std::string& request() {
    return test_case().request(std::get<1>(GetParam()));
  }
  [[nodiscard]] bool asked(const std::string& node) const { return contains(names_, node); }

  ExtenderBench bench_{at(test_case().now)};
  std::vector<std::string> names_;
};

class FilterCase : public Acceptance {};

TEST_P(FilterCase, IsAnsweredAsExpected) {
  SCOPED_TRACE(test_case().title);
  const Reply reply = bench_.filter(request());
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto reading = harness::read_filter(request(), reply.body);
  EXPECT_THAT(reading.violations, IsEmpty()) << reply.body;
  EXPECT_THAT(reading.passes, UnorderedElementsAreArray(test_case().passes)) << reply.body;
  for (const auto& [node, parts] : test_case().fails) {
    if (!asked(node)) continue;  // a node that only names can name
    for (const auto& part : parts) {
      EXPECT_THAT(lower(reading.reason(node)), ::testing::HasSubstr(lower(part))) << node;
    }
    if (contains(test_case().either, node)) continue;
    EXPECT_EQ(reading.unresolvable.count(node), contains(test_case().unresolvable, node) ? 1U : 0U)
        << node << ": " << reading.reason(node);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FilterCase,
                         ::testing::Combine(::testing::ValuesIn(cases_of("filter")),
                                            ::testing::Values(RequestForm::kNames,
                                                              RequestForm::kWholeNodes)),
                         parameter_name);

class PrioritizeCase : public Acceptance {};

TEST_P(PrioritizeCase, IsAnsweredAsExpected) {
  SCOPED_TRACE(test_case().title);
  const Reply reply = bench_.prioritize(request());
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto reading = harness::read_priorities(request(), reply.body);
  EXPECT_THAT(reading.violations, IsEmpty()) << reply.body;
  std::vector<std::string> hosts;
  for (const auto& [host, score] : reading.scores) {
    hosts.push_back(host);
    if (!test_case().score_range) continue;
    EXPECT_GE(score, test_case().score_range->first) << host;
    EXPECT_LE(score, test_case().score_range->second) << host;
  }
  EXPECT_THAT(hosts, UnorderedElementsAreArray(test_case().passes));
  const auto& order = test_case().order;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    EXPECT_GT(reading.score(order[i]), reading.score(order[i + 1])) << reply.body;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PrioritizeCase,
                         ::testing::Combine(::testing::ValuesIn(cases_of("prioritize")),
                                            ::testing::Values(RequestForm::kNames,
                                                              RequestForm::kWholeNodes)),
                         parameter_name);

TEST(AcceptanceCases, AreAllThere) {
  EXPECT_EQ(cases_of("filter").size(), 24U);
  EXPECT_EQ(cases_of("prioritize").size(), 5U);
  EXPECT_EQ(cases_of("explain").size(), 1U);
}

}  // namespace
}  // namespace berth::service
